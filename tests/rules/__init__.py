"""The rules of every operation, held by one table."""
