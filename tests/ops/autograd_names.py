"""The functions of HIPS autograd 1.9 that have gradients, by its modules, and where they are here under another name.

Facts about names only: those entered in its tables of derivatives, and those that it composes of these.
"""


def words(text: str) -> list[str]:
    return text.split()


NUMPY = words(
    """
    abs absolute acos acosh add amax amin angle append arccos arccosh arcsin arcsinh arctan arctan2 arctanh around
    array array_split asin asinh astype atan atan2 atanh atleast_1d atleast_2d atleast_3d block broadcast_to ceil
    choose clip column_stack concatenate conj conjugate cos cosh cross cumsum deg2rad degrees diag diagonal diff
    divide dot dsplit dstack einsum exp exp2 expand_dims expm1 fabs fix fliplr flipud floor fmax fmin full gradient
    hsplit hstack hypot imag inner kron linspace log log10 log1p log2 logaddexp logaddexp2 make_diagonal matmul max
    maximum mean min minimum mod moveaxis multiply nan_to_num negative outer pad partition permute_dims pow power
    prod rad2deg radians ravel real real_if_close reciprocal remainder repeat reshape rint roll rollaxis rot90 round
    row_stack select sign sin sinc sinh sort split sqrt square squeeze stack std subtract sum swapaxes tan tanh
    tensordot tile trace transpose tril triu true_divide trunc var vsplit vstack where
    """
)
LINALG = words(
    """
    cholesky det eig eigh inv norm pinv slogdet solve svd
    """
)
FFT = words(
    """
    fft fft2 fftn fftshift ifft ifft2 ifftn ifftshift irfft irfft2 irfftn rfft rfft2 rfftn
    """
)
SPECIAL = words(
    """
    beta betainc betaln digamma erf erfc erfcinv erfinv expit gamma gammainc gammaincc gammaln gammasgn i0 i1 iv ive
    j0 j1 jn logit logsumexp multigammaln polygamma psi rgamma y0 y1 yn
    """
)
SCIPY_LINALG = words(
    """
    solve_banded solve_sylvester solve_triangular sqrtm
    """
)
SIGNAL = ["convolve"]
INTEGRATE = ["odeint"]
STATS = {
    "beta": ("cdf", "logpdf", "pdf"),
    "chi2": ("cdf", "logpdf", "pdf"),
    "dirichlet": ("logpdf", "pdf"),
    "gamma": ("cdf", "logpdf", "pdf"),
    "multivariate_normal": ("entropy", "logpdf", "pdf"),
    "norm": ("cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"),
    "poisson": ("cdf", "logpmf", "pmf"),
    "t": ("cdf", "logcdf", "logpdf", "pdf"),
}
# Other functions of autograd.numpy, whose gradient it takes as zero or does not define, that scripts use too.
ALSO = words(
    """
    all allclose any arange argmax argmin argsort argwhere array_equal average bartlett bincount blackman
    broadcast_arrays cbrt column_stack compress convolve copysign corrcoef correlate count_nonzero cov cumprod
    delete diag_indices diagflat digitize divmod ediff1d empty empty_like equal extract eye flatnonzero flip
    float_power floor_divide fmod frexp full_like gcd geomspace greater greater_equal hamming hanning heaviside
    histogram histogram2d histogramdd i0 identity indices insert interp isclose isfinite isin isinf isnan ix_ ldexp
    less less_equal lexsort linspace logical_and logical_not logical_or logical_xor logspace median meshgrid modf
    nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile
    nanstd nansum nanvar nonzero not_equal ones ones_like percentile piecewise poly polyadd polyder polydiv polyfit
    polyint polymul polysub polyval ptp quantile resize result_type roots searchsorted signbit take take_along_axis
    trapezoid tri tril_indices trim_zeros triu_indices unique_values unravel_index unwrap vander vdot vecdot zeros
    zeros_like
    """
)
# What is called otherwise here; docs/moving-from-autograd.md lists the same.
OTHERWISE = {
    "numpy.make_diagonal": "vmap of diag",
    "signal.convolve": "convolve",
    "integrate.odeint": "integrate.solve_ivp",
    "scipy_linalg.solve_banded": "linalg.solve_banded",
    "scipy_linalg.solve_sylvester": "linalg.solve_sylvester",
    "scipy_linalg.solve_triangular": "linalg.solve_triangular",
    "scipy_linalg.sqrtm": "linalg.sqrtm",
}
