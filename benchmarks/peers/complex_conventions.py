"""What libraries make of complex numbers: values, gradients, singular points, cuts, dtypes, Fourier transforms.

    python complex_conventions.py [--with paddle=/path/to/python]

Prints the rows of the table of docs/complex.md, a column a library, each asked the same questions in its own terms.
A library of another environment is asked by that environment's Python.  "-": it has no such function, "refused": it
raises an error, named in a footnote.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

os.environ["JAX_ENABLE_X64"] = "1"
NAMES = ("numpy", "scisim", "jax", "torch", "paddle")
INF = float("inf")


class Missing(Exception):
    """The library has no such function."""


class NumPy:
    """Values alone; the others add derivatives."""

    module: Any = np

    def array(self, x: Any) -> Any:
        return np.asarray(x)

    def number(self, x: Any) -> Any:
        return np.asarray(x)

    def grad(self, f: Callable, x: Any) -> Any:
        raise Missing

    def pull(self, f: Callable, x: Any, ct: Any) -> Any:
        raise Missing

    def push(self, f: Callable, x: Any, dx: Any) -> Any:
        raise Missing

    def holomorphic(self, f: Callable, x: Any) -> Any:
        raise Missing

    def pair(self, f: Callable, x: Any) -> Any:
        raise Missing

    def rfft(self, x: Any) -> Any:
        return self.module.fft.rfft(x)

    def irfft(self, x: Any, n: int) -> Any:
        return self.module.fft.irfft(x, n=n)

    def dtype(self, x: Any) -> str:
        return str(x.dtype).split(".")[-1]


class Scisim(NumPy):
    def __init__(self) -> None:
        import scisim
        import scisim.autodiff as ad
        import scisim.complex as sc

        self.module, self.ad, self.sc = scisim, ad, sc
        self.array = scisim.asarray

    def grad(self, f: Callable, x: Any) -> Any:
        return self.ad.grad(f)(self.array(x))

    def pull(self, f: Callable, x: Any, ct: Any) -> Any:
        return self.ad.vjp(f, self.array(x))[1](self.array(ct))[0]

    def push(self, f: Callable, x: Any, dx: Any) -> Any:
        return self.ad.jvp(f, self.array(x), self.array(dx))[1]

    def holomorphic(self, f: Callable, x: Any) -> Any:
        return self.sc.holomorphic(f)(self.array(x))

    def pair(self, f: Callable, x: Any) -> Any:
        return self.module.stack(self.sc.wirtinger(f)(self.array(x)))


class Jax(NumPy):
    def __init__(self) -> None:
        import jax
        import jax.numpy as jnp

        self.jax, self.module, self.array = jax, jnp, jnp.asarray

    def grad(self, f: Callable, x: Any) -> Any:
        return self.jax.grad(f)(self.array(x))

    def pull(self, f: Callable, x: Any, ct: Any) -> Any:
        return self.jax.vjp(f, self.array(x))[1](self.array(ct))[0]

    def push(self, f: Callable, x: Any, dx: Any) -> Any:
        return self.jax.jvp(f, (self.array(x),), (self.array(dx),))[1]

    def holomorphic(self, f: Callable, x: Any) -> Any:
        return self.jax.grad(f, holomorphic=True)(self.array(x))


class Torch(NumPy):
    def __init__(self) -> None:
        import torch

        self.module = torch

    def array(self, x: Any) -> Any:
        return self.module.from_numpy(np.array(x))

    def number(self, x: Any) -> Any:
        return x.detach().resolve_conj().numpy()

    def grad(self, f: Callable, x: Any) -> Any:
        z = self.array(x).requires_grad_()
        return self.module.autograd.grad(f(z), z)[0]

    def pull(self, f: Callable, x: Any, ct: Any) -> Any:
        z = self.array(x).requires_grad_()
        return self.module.autograd.grad(f(z), z, self.array(ct))[0]

    def push(self, f: Callable, x: Any, dx: Any) -> Any:
        return self.module.func.jvp(f, (self.array(x),), (self.array(dx),))[1]


class Paddle(NumPy):
    def __init__(self) -> None:
        import paddle

        self.module = paddle

    def array(self, x: Any) -> Any:
        return self.module.to_tensor(np.array(x))

    def number(self, x: Any) -> Any:
        return x.numpy()

    def grad(self, f: Callable, x: Any) -> Any:
        return self._backward(f, x, None)

    def pull(self, f: Callable, x: Any, ct: Any) -> Any:
        return self._backward(f, x, self.array(ct))

    def _backward(self, f: Callable, x: Any, ct: Any) -> Any:
        z = self.array(x)
        z.stop_gradient = False
        return self.module.grad(f(z), z, ct)[0]

    def push(self, f: Callable, x: Any, dx: Any) -> Any:
        z = self.array(x)
        z.stop_gradient = False
        return self.module.incubate.autograd.jvp(f, z, self.array(dx))[1]


MAKE = {"numpy": NumPy, "scisim": Scisim, "jax": Jax, "torch": Torch, "paddle": Paddle}


def size(lib: Any) -> Callable:
    m = lib.module
    return lambda z: m.real(z * m.conj(z))


def of(name: str) -> Callable:
    """The function of that name in the library."""
    return lambda lib: getattr(lib.module, name)


def value(name: str, z: complex) -> Callable:
    return lambda lib: of(name)(lib)(lib.array(z))


def slope(name: str, z: complex) -> Callable:
    return lambda lib: lib.grad(of(name)(lib), z)


def power(lib: Any) -> Callable:
    return lambda x: lib.module.sum(lib.module.abs(lib.rfft(x)) ** 2)


def promoted(a: Any, b: Any) -> Callable:
    return lambda lib: lib.dtype(lib.array(a) * (lib.array(b) if isinstance(b, np.generic) else b))


X = np.array([1.0, 2.0, 0.0, -1.0])
SPECTRUM = np.array([1.0 + 0j, 2 - 1j, 3.0])
ROWS: list[tuple[str, Callable]] = [
    ("grad of \\|z\\|² at 3+4i", lambda lib: lib.grad(size(lib), 3 + 4j)),
    ("grad of Re z² at 1+2i", lambda lib: lib.grad(lambda z: lib.module.real(z * z), 1 + 2j)),
    ("grad of z² at 1+i", lambda lib: lib.grad(lambda z: z * z, 1 + 1j)),
    ("pullback of z² at 1+i, of 1", lambda lib: lib.pull(lambda z: z * z, 1 + 1j, 1 + 0j)),
    ("pullback of z² at 1+i, of i", lambda lib: lib.pull(lambda z: z * z, 1 + 1j, 1j)),
    ("jvp of z² at 1+i, along i", lambda lib: lib.push(lambda z: z * z, 1 + 1j, 1j)),
    ("holomorphic derivative of z² at 1+i", lambda lib: lib.holomorphic(lambda z: z * z, 1 + 1j)),
    ("holomorphic derivative of z z* at 1+i", lambda lib: lib.holomorphic(lambda z: z * lib.module.conj(z), 1 + 1j)),
    ("d/dz, d/dz* of z z* at 1+i", lambda lib: lib.pair(lambda z: z * lib.module.conj(z), 1 + 1j)),
    ("grad of \\|z\\| at 0", slope("abs", 0j)),
    ("grad of \\|z\\|² at 0, as abs(z)**2", lambda lib: lib.grad(lambda z: lib.module.abs(z) ** 2, 0j)),
    ("grad of \\|z\\| at 1e200(1+i)", slope("abs", 1e200 + 1e200j)),
    ("grad of \\|z\\| at 1e-200(1+i)", slope("abs", 1e-200 + 1e-200j)),
    ("grad of angle z at 0", slope("angle", 0j)),
    ("grad of angle z at -1+0i", slope("angle", -1 + 0j)),
    ("sqrt(-1+0i)", value("sqrt", complex(-1, 0.0))),
    ("sqrt(-1-0i)", value("sqrt", complex(-1, -0.0))),
    ("log(-1-0i)", value("log", complex(-1, -0.0))),
    ("atan(2i), from the left", value("arctan", complex(-0.0, 2))),
    ("1/(inf+0i)", lambda lib: lib.array(1 + 0j) / lib.array(complex(INF, 0))),
    ("1/(0+0i)", lambda lib: lib.array(1 + 0j) / lib.array(0j)),
    ("abs(inf+nan i)", value("abs", complex(INF, float("nan")))),
    ("exp(-inf+inf i)", value("exp", complex(-INF, INF))),
    ("tanh(400+i)", value("tanh", 400 + 1j)),
    ("float32 * 1j", promoted(np.float32(1), 1j)),
    ("float64 * complex64", promoted(np.float64(1), np.complex64(1))),
    ("int64 * 1j", promoted(np.int64(1), 1j)),
    ("grad of sum \\|rfft x\\|², x = 1, 2, 0, -1", lambda lib: lib.grad(power(lib), X)),
    ("grad of irfft(s, n=4)[1], s = 1, 2-i, 3", lambda lib: lib.grad(lambda s: lib.irfft(s, 4)[1], SPECTRUM)),
    ("irfft of 1+5i, 2-i, 3+7i, n = 4", lambda lib: lib.irfft(lib.array(SPECTRUM + np.array([5j, 0, 7j])), 4)),
]


def number(z: Any) -> str:
    """A number as one would write it: 0, 2-i, nan+nan i; the signs of zeros are left out."""
    a, b = float(np.real(z)) + 0.0, float(np.imag(z)) + 0.0
    if b == 0:
        return f"{a:.6g}"
    part = {1.0: "i", -1.0: "-i"}.get(b, f"{b:.6g}i" if np.isfinite(b) else f"{b:.6g} i")
    if a == 0:
        return part
    return f"{a:.6g}{'' if part.startswith('-') else '+'}{part}"


def cell(lib: Any, ask: Callable) -> tuple[str, str]:
    """The answer, and the error if it refuses."""
    with np.errstate(all="ignore"):
        try:
            answer = ask(lib)
        except (Missing, AttributeError):
            return "-", ""
        except (TypeError, ValueError, RuntimeError, ArithmeticError, NotImplementedError) as error:
            return "refused", f"{type(error).__name__}: {str(error).split('.')[0].splitlines()[0]}"
        if isinstance(answer, str):
            return answer, ""
        return ", ".join(number(v) for v in np.ravel(lib.number(answer))), ""


def column(name: str) -> list[tuple[str, str]]:
    lib = MAKE[name]()
    return [cell(lib, ask) for _, ask in ROWS]


def columns(pythons: dict[str, str]) -> dict[str, list]:
    """A column for each library that is here, or has a Python of its own."""
    made = {}
    for name in NAMES:
        if name in pythons:
            run = subprocess.run([pythons[name], __file__, "--json", name], capture_output=True, text=True, check=True)
            made[name] = json.loads(run.stdout.splitlines()[-1])
            continue
        try:
            made[name] = column(name)
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--with", action="append", default=[], metavar="NAME=PYTHON", dest="pythons")
    parser.add_argument("--json", metavar="NAME", help="print one column as JSON")
    options = parser.parse_args()
    if options.json:
        print(json.dumps(column(options.json)))
        return
    table = columns(dict(pair.split("=", 1) for pair in options.pythons))
    print("| | " + " | ".join(table) + " |")
    print("| --- |" + " --- |" * len(table))
    for k, (what, _) in enumerate(ROWS):
        print(f"| {what} | " + " | ".join(table[name][k][0] for name in table) + " |")
    for name, cells in table.items():
        for (what, _), (_, error) in zip(ROWS, cells, strict=True):
            if error:
                print(f"{name}, {what}: {error}")


if __name__ == "__main__":
    main()
