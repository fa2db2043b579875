"""How the captured program of an n-th derivative grows with n.

    python benchmarks/taylor_growth.py [--largest 12]

Nested derivatives double the operations with each order; Taylor series need a number proportional to n
squared. The exponent is the slope of log(operations) over log(n) for the upper half of the orders; the exit
status is 1 if it is beyond 2.5.
"""

import argparse
import sys

import numpy as np

import scisim as ss
from scisim import autodiff as ad

FUNCTIONS = {
    "tanh": ss.tanh,
    "exp(sin(x))": lambda x: ss.exp(ss.sin(x)),
    "1/(1 + x*x)": lambda x: 1 / (1 + x * x),
}
LARGEST_EXPONENT = 2.5


def operations(function, order: int) -> int:
    """Operations of the captured program of the derivative, after simplification."""
    return ss.jit(ad.derivative(function, order)).lower(ss.asarray(0.3)).graph.count()


def exponent(counts: list[int]) -> float:
    orders = np.arange(1, len(counts) + 1)
    upper = slice(len(counts) // 2, None)
    return float(np.polyfit(np.log(orders[upper]), np.log(counts[upper]), 1)[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=12, help="the largest order")
    largest = parser.parse_args().largest
    print(f"| function | {' | '.join(map(str, range(1, largest + 1)))} | exponent |")
    print("|---" * (largest + 2) + "|")
    exponents = []
    for name, function in FUNCTIONS.items():
        counts = [operations(function, order) for order in range(1, largest + 1)]
        exponents.append(exponent(counts))
        print(f"| {name} | {' | '.join(map(str, counts))} | {exponents[-1]:.2f} |")
    return int(max(exponents) > LARGEST_EXPONENT)


if __name__ == "__main__":
    sys.exit(main())
