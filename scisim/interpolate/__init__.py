"""Interpolation between given points, on arrays, with names as in SciPy's `interpolate`.

The package holds no functions yet. It marks the place, and the layer (above `autodiff`, below
`compiler`), at which they are added.
"""
