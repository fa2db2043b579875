"""Sparse matrices with their products and solvers, with names as in SciPy's `sparse`.

The package holds no functions yet. It marks the place, and the layer (above `autodiff`, below
`compiler`), at which they are added.
"""
