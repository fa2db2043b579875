"""Integration of functions and of ordinary differential equations, on arrays, with names as in SciPy's `integrate`.

The package holds no functions yet. It marks the place, and the layer (above `autodiff`, below
`compiler`), at which they are added.
"""
