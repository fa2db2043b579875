"""From a graph to a program: what is computed together, where values live, which kernels run."""
