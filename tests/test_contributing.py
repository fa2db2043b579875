"""The operation that CONTRIBUTING adds works as it stands, in every interpretation."""

import pathlib
import re
import subprocess
import sys

CONTRIBUTING = pathlib.Path(__file__).resolve().parents[1] / "CONTRIBUTING.md"

# In a process of its own, since the operation enters the library's table.
CHECK = """
import mpmath
import scisim as ss
from scisim import autodiff as ad

def gd(x):
    return 2 * mpmath.atan(mpmath.tanh(x / 2))

x = ss.asarray([-0.7, 0.0, 1.3])
for point, value, slope, mapped in zip(
    [-0.7, 0.0, 1.3],
    gudermannian(x),
    ad.grad(lambda x: ss.sum(gudermannian(x)))(x),
    ss.jit(ss.vmap(ad.grad(gudermannian)))(x),
):
    assert abs(float(value) - gd(point)) < 4e-16
    assert abs(float(slope) - mpmath.sech(point)) < 4e-16
    assert abs(float(mapped) - float(slope)) < 4e-16
series = ad.taylor(gudermannian, 0.4, 1.0, 8)
exact = mpmath.taylor(gd, 0.4, 8)
assert len(series) == 9
assert all(abs(float(got) - want) < 1e-14 for got, want in zip(series, exact))
z = 0.3 + 0.2j
assert abs(complex(gudermannian(z)) - complex(gd(z))) < 4e-16
print("checked")
"""


def test_the_operation_added_in_ten_lines_is_complete():
    (block,) = re.findall(r"^```python\n(.*?)^```", CONTRIBUTING.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    statements = block.split("\n\n")[-1].strip().split("\n")
    assert len(statements) <= 10
    done = subprocess.run([sys.executable, "-c", block + CHECK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "checked\n"
