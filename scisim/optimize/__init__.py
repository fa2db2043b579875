"""Minimisation and root finding, on arrays, with names as in SciPy's `optimize`.

The package holds no functions yet. It marks the place, and the layer (above `autodiff`, below
`compiler`), at which they are added.
"""
