"""The small cases of `overhead.py`, written once for each library, each as its users would write it.

A library's cases map a name to a call without arguments. All libraries have the same inputs in float64.
"""

import importlib.util
from collections.abc import Callable

import numpy as np

Cases = dict[str, Callable[[], object]]

VECTORS = (np.linspace(0.1, 1.0, 8), np.linspace(-1.0, 0.5, 8))
MATRICES = (np.linspace(0.1, 1.0, 64).reshape(8, 8), np.linspace(-1.0, 0.5, 64).reshape(8, 8))
SHAPES = {"8": VECTORS, "8x8": MATRICES}
GRADIENT = "gradient of sum(x*x), 8x8"

# f''' of f(x) = sin(x) exp(x) at 0.5 by nested gradients; each program prints the seconds of its first call.
_THIRD = """
import math, time
{imports}
start = time.perf_counter()
value = float({call})
seconds = time.perf_counter() - start
exact = 2 * math.exp(0.5) * (math.cos(0.5) - math.sin(0.5))
assert abs(value - exact) < 1e-12, (value, exact)
print(seconds)
"""

THIRD_DERIVATIVES = {
    "scisim": _THIRD.format(
        imports="import scisim as ss\nfrom scisim import autodiff as ad\nf = lambda x: ss.sin(x) * ss.exp(x)",
        call="ad.grad(ad.grad(ad.grad(f)))(0.5)",
    ),
    "autograd": _THIRD.format(
        imports="import autograd.numpy as np\nfrom autograd import grad\nf = lambda x: np.sin(x) * np.exp(x)",
        call="grad(grad(grad(f)))(0.5)",
    ),
    "torch": _THIRD.format(
        imports="import torch\nfrom torch.func import grad\nf = lambda x: torch.sin(x) * torch.exp(x)",
        call="grad(grad(grad(f)))(torch.tensor(0.5, dtype=torch.float64))",
    ),
    "jax": _THIRD.format(
        imports="import jax\njax.config.update('jax_enable_x64', True)\nimport jax.numpy as np\n"
        "f = lambda x: np.sin(x) * np.exp(x)",
        call="jax.grad(jax.grad(jax.grad(f)))(0.5)",
    ),
}

IMPORTS = {
    "numpy": "import numpy",
    "scisim": "import scisim",
    "autograd": "import autograd.numpy",
    "torch": "import torch",
    "jax": "import jax.numpy",
}


def is_installed(name: str) -> bool:
    """Whether the library can be found; nothing is imported."""
    return importlib.util.find_spec(name) is not None


def numpy_cases() -> Cases:
    cases: Cases = {}
    for shape, (a, b) in SHAPES.items():
        cases |= _operations(shape, a, b, np.tanh)
    return cases


def scisim_cases() -> Cases:
    import scisim as ss
    from scisim import autodiff as ad

    cases: Cases = {}
    for shape, (a, b) in SHAPES.items():
        cases |= _operations(shape, ss.asarray(a), ss.asarray(b), ss.tanh)
    x = ss.asarray(MATRICES[0])
    gradient = ad.grad(lambda x: ss.sum(x * x))
    return cases | {GRADIENT: lambda: gradient(x)}


def autograd_cases() -> Cases:
    import autograd
    import autograd.numpy as anp

    cases: Cases = {}
    for shape, (a, b) in SHAPES.items():  # autograd's arrays are NumPy's: its functions are what it adds
        cases |= {
            f"add, {shape}": lambda a=a, b=b: anp.add(a, b),
            f"mul, {shape}": lambda a=a, b=b: anp.multiply(a, b),
            f"tanh, {shape}": lambda a=a: anp.tanh(a),
            f"matmul, {shape}": lambda a=a, b=b: anp.matmul(a, b),
        }
    gradient = autograd.grad(lambda x: anp.sum(x * x))
    return cases | {GRADIENT: lambda: gradient(MATRICES[0])}


def torch_cases() -> Cases:
    import torch

    cases: Cases = {}
    for shape, (a, b) in SHAPES.items():
        cases |= _operations(shape, torch.tensor(a), torch.tensor(b), torch.tanh)
    x = torch.tensor(MATRICES[0], requires_grad=True)
    return cases | {GRADIENT: lambda: torch.autograd.grad((x * x).sum(), x)[0]}


def jax_cases() -> Cases:
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    plain: Cases = {}
    for shape, (a, b) in SHAPES.items():
        plain |= _operations(shape, jnp.asarray(a), jnp.asarray(b), jnp.tanh)
    x = jnp.asarray(MATRICES[0])
    gradient = jax.grad(lambda x: jnp.sum(x * x))
    plain[GRADIENT] = lambda: gradient(x)
    return {name: lambda call=call: call().block_until_ready() for name, call in plain.items()}


CASES: dict[str, Callable[[], Cases]] = {
    "numpy": numpy_cases,
    "scisim": scisim_cases,
    "autograd": autograd_cases,
    "torch": torch_cases,
    "jax": jax_cases,
}


def _operations(shape: str, a: object, b: object, tanh: Callable[[object], object]) -> Cases:
    return {
        f"add, {shape}": lambda: a + b,
        f"mul, {shape}": lambda: a * b,
        f"tanh, {shape}": lambda: tanh(a),
        f"matmul, {shape}": lambda: a @ b,
    }
