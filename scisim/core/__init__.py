"""The core: values, tensors, primitives, levels, evaluation, batching, capture and graphs, dtypes, devices, pytrees."""
