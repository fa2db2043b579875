"""Linear algebra on values, a module a kind; `scisim.ops.linalg` dresses it for tensors."""
