"""Derivatives of any order, beside closed forms.

    python examples/any_order.py --order 10 --at 0.3

For each function and order the table shows the relative error of `autodiff.derivative`, one Taylor series an order.  A
second table does the same with mixed partial derivatives.  The last line is the largest error of both.
"""

import argparse
import math

import numpy as np

import scisim as ss
from scisim import autodiff as ad
from scisim.distributed import root_print as print


def falling(power, n):
    """power (power - 1) ... (power - n + 1)."""
    return math.prod(power - k for k in range(n))


def sine(x, quarters):
    """sin(x + quarters pi / 2), without rounding of pi."""
    return (math.sin(x), math.cos(x), -math.sin(x), -math.cos(x))[quarters % 4]


def log1p_derivative(x, n):
    return math.log1p(x) if n == 0 else (-1) ** (n - 1) * math.factorial(n - 1) / (1 + x) ** n


def tanh_derivative(x, n):
    """Each derivative of tanh is a polynomial in tanh: P' (1 - t^2) follows P."""
    p = np.polynomial.Polynomial([0, 1])
    for _ in range(n):
        p = p.deriv() * np.polynomial.Polynomial([1, 0, -1])
    return p(math.tanh(x))


def gauss_derivative(x, n):
    """(-1)^n H_n(x) exp(-x^2), with Hermite's polynomials."""
    return (-1) ** n * np.polynomial.Hermite.basis(n)(x) * math.exp(-x * x)


def atan_derivative(x, n):
    angle = math.atan(x)
    return angle if n == 0 else math.factorial(n - 1) * math.cos(angle) ** n * sine(n * angle, n)


FUNCTIONS = {  # name: (function, its n-th derivative at x)
    "exp(2x)": (lambda x: ss.exp(2 * x), lambda x, n: 2**n * math.exp(2 * x)),
    "sin(x)": (ss.sin, sine),
    "x exp(x)": (lambda x: x * ss.exp(x), lambda x, n: (x + n) * math.exp(x)),
    "1/(1+x)": (lambda x: 1 / (1 + x), lambda x, n: (-1) ** n * math.factorial(n) / (1 + x) ** (n + 1)),
    "log(1+x)": (ss.log1p, log1p_derivative),
    "sqrt(1+x)": (lambda x: ss.sqrt(1 + x), lambda x, n: falling(0.5, n) * (1 + x) ** (0.5 - n)),
    "tanh(x)": (ss.tanh, tanh_derivative),
    "exp(-x^2)": (lambda x: ss.exp(-x * x), gauss_derivative),
    "atan(x)": (ss.atan, atan_derivative),
}


def wave(x, y):
    return ss.exp(x) * ss.sin(2 * y) / (1 + x)


def wave_partial(x, y, a, b):
    """d^a/dx^a d^b/dy^b of exp(x) sin(2y) / (1+x), by Leibniz' rule in x."""
    terms = (math.comb(a, k) * (-1) ** k * math.factorial(k) / (1 + x) ** (k + 1) for k in range(a + 1))
    return math.exp(x) * sum(terms) * 2**b * sine(2 * y, b)


def relative(got, wanted):
    return abs(float(got) - wanted) / max(abs(wanted), 1e-300)


def derivatives(order, x):
    """Relative errors of the derivatives of each function, orders 0 to ``order``."""
    return {
        name: [relative(ad.derivative(f, n)(x), closed(x, n)) for n in range(order + 1)]
        for name, (f, closed) in FUNCTIONS.items()
    }


def mixed(order, x, y):
    """Relative errors of all partials of `wave` with a total of ``order``, made in one evaluation."""
    pairs = [(a, order - a) for a in range(order + 1)]
    values = ad.partials(wave, ["x" * a + "y" * b for a, b in pairs])(x, y)
    return {("x" * a + "y" * b): relative(v, wave_partial(x, y, a, b)) for (a, b), v in zip(pairs, values, strict=True)}


def arguments():
    parser = argparse.ArgumentParser(description="Compare derivatives of any order with closed forms.")
    parser.add_argument("--order", type=int, default=10, help="the highest order (default: 10)")
    parser.add_argument("--at", type=float, default=0.3, metavar="X", help="the point, above -1 (default: 0.3)")
    args = parser.parse_args()
    if not (0 <= args.order <= 100 and -1 < args.at <= 100):
        parser.error("the order must be from 0 to 100, and the point from above -1, where log(1+x) begins, to 100")
    return args


def main():
    args = arguments()
    table = derivatives(args.order, args.at)
    print(f"relative errors of derivatives at x = {args.at}, by order")
    print(f"{'':>10}" + "".join(f"{n:>9}" for n in range(args.order + 1)))
    for name, errors in table.items():
        print(f"{name:>10}" + "".join(f"{e:9.1e}" for e in errors))
    others = mixed(args.order, args.at, 0.7)
    print(f"\nmixed partials of exp(x) sin(2y) / (1+x) at ({args.at}, 0.7), all {len(others)} in one evaluation")
    for name, error in others.items():
        print(f"{name or 'value':>10}{error:9.1e}")
    largest = max(max(max(errors) for errors in table.values()), max(others.values()))
    print(f"largest relative error: {largest:.1e}")


if __name__ == "__main__":
    main()
