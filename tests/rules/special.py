"""Rows for special functions, made from their declarations: only the points are chosen here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import scisim as ss
from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import PRIMITIVES
from scisim.ops._special.declare import DERIVATIVES, FUNCTIONS
from tests.rules.cases import Case

F = getattr(ss, "special")  # noqa: B009 - loads the declarations
SIGNED, POSITIVE = np.array([-1.3, -0.4, 0.7, 1.6]), np.array([0.3, 0.7, 1.6, 2.5])
WITHIN, UNIT = np.array([-0.8, -0.3, 0.2, 0.6]), np.array([0.15, 0.4, 0.6, 0.8])
COMPLEX = np.array([0.3 + 0.4j, -0.7 + 1.1j, 1.2 - 0.5j, 0.4 - 0.9j])
OTHER = np.array([1.4, 2.2, 0.8, 3.1])
COUNTS = np.array([2, 0, 3, 1])

# Functions of a whole number, or of a parameter without derivatives, before (or after) the argument.
ORDERS: dict[str, Callable] = {
    **{n: lambda f, x: f(1.5, x) for n in ("jv", "jn", "yv", "iv", "kv", "ive", "kve", "jve", "yve")},
    **{n: lambda f, x: f(0.5, x) for n in ("struve", "modstruve")},
    **{n: lambda f, x: f(0.5, x) for n in ("hankel1", "hankel2", "hankel1e", "hankel2e", "hyp0f1")},
    **{n: lambda f, x: f(2, x) for n in ("yn", "kn", "expn", "polygamma", "legendre_p")},
    **{n: lambda f, x: f(2, x) for n in ("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn")},
    **{n: lambda f, x: f(1, x) for n in ("jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp")},
    **{n: lambda f, x: f(5, x) for n in FUNCTIONS if n.startswith("eval_")},
    "eval_jacobi": lambda f, x: f(5, 0.5, 1.5, x),
    "eval_gegenbauer": lambda f, x: f(5, 0.5, x),
    "eval_genlaguerre": lambda f, x: f(5, 0.5, x),
    "hyp1f1": lambda f, x: f(0.5, 1.5, x),
    "hyperu": lambda f, x: f(0.5, 1.5, x),
    "hyp2f1": lambda f, x: f(0.5, 1.0, 1.5, x),
    "multigammaln": lambda f, x: f(x + 1.0, 3),
    "assoc_legendre_p": lambda f, x: f(4, 2, x),
    "lpmv": lambda f, x: f(2, 4, x),
    "sph_harm_y": lambda f, x: f(3, 2, x, 0.5 * x),
    "lambertw": lambda f, x: f(x),
    # In these parameters only first derivatives exist, which other rows hold.
    "gammainc": lambda f, x: f(1.7, x),
    "gammaincc": lambda f, x: f(1.7, x),
    "gammaincinv": lambda f, x: f(1.7, x),
    "gammainccinv": lambda f, x: f(1.7, x),
    "betainc": lambda f, x: f(1.7, 2.3, x),
    "betaincc": lambda f, x: f(1.7, 2.3, x),
    "betaincinv": lambda f, x: f(1.7, 2.3, x),
    "betainccinv": lambda f, x: f(1.7, 2.3, x),
}
POINTS: dict[str, tuple] = {
    **dict.fromkeys(("erfinv", "ellipk", "assoc_legendre_p", "lpmv", "legendre_p", "hyp2f1"), (WITHIN,)),
    **dict.fromkeys(("erfcinv", "ndtri", "logit", "gammaincinv", "gammainccinv", "ellipkm1"), (UNIT,)),
    **dict.fromkeys(("betainc", "betaincc", "betaincinv", "betainccinv"), (UNIT,)),
    "ellipe": (WITHIN,),
    "ndtri_exp": (-POSITIVE,),
    "sph_harm_y": (POSITIVE,),
    **dict.fromkeys(("entr", "zetac", "expi", "exp1", "expn", "yv", "yn", "kv", "kn", "y0", "y1"), (POSITIVE,)),
    **dict.fromkeys(("k0", "k1", "k0e", "k1e", "iv", "ive", "kve", "jv", "jn", "jve", "yve", "yvp"), (POSITIVE,)),
    **dict.fromkeys(("kvp", "hankel1", "hankel2", "hankel1e", "hankel2e", "h1vp", "h2vp", "hyperu"), (POSITIVE,)),
    **dict.fromkeys(("spherical_yn", "spherical_kn", "loggamma", "lambertw", "gammainc", "gammaincc"), (POSITIVE,)),
    **dict.fromkeys(("polygamma", "multigammaln", "sici", "shichi", "factorial", "ivp", "jvp"), (POSITIVE,)),
    **dict.fromkeys(("zetac",), (1.0 + POSITIVE,)),
    **dict.fromkeys(("rel_entr", "kl_div", "boxcox", "beta", "betaln", "elliprc"), (POSITIVE, OTHER)),
    **dict.fromkeys(("struve", "modstruve", "spence", "airye"), (POSITIVE,)),
    **dict.fromkeys(("inv_boxcox", "inv_boxcox1p"), (POSITIVE, 0.2 * WITHIN)),
    "powm1": (POSITIVE, SIGNED),
    "boxcox1p": (POSITIVE, WITHIN),
    "poch": (POSITIVE, OTHER),
    "binom": (OTHER + 3.0, POSITIVE),
    "comb": (OTHER + 3.0, POSITIVE),
    "perm": (OTHER + 3.0, POSITIVE),
    "factorial2": (COUNTS,),
    "zeta": (1.0 + POSITIVE, OTHER),
    "owens_t": (SIGNED, WITHIN),
    "xlog1py": (SIGNED, POSITIVE),
    "ellipkinc": (SIGNED, WITHIN),
    "ellipeinc": (SIGNED, WITHIN),
    "ellipj": (SIGNED, UNIT),
    "voigt_profile": (SIGNED, POSITIVE, OTHER),
    "elliprf": (POSITIVE, OTHER, POSITIVE[::-1]),
    "elliprd": (POSITIVE, OTHER, POSITIVE[::-1]),
    "elliprg": (POSITIVE, OTHER, POSITIVE[::-1]),
    "elliprj": (POSITIVE, OTHER, POSITIVE[::-1], OTHER[::-1]),
}
# Primitives that stand behind a function of another name.
BEHIND = {
    **{n: [f"special.{n}_scaled"] for n in ("ive", "jve", "yve")},
    "lambertw": ["special.lambertw"],
    "spence": ["special.log_quotient_derivative"],
    **{n: [f"special.{n}", f"special.{n}_complex"] for n in ("erf", "erfc")},
    "zeta": ["special.zeta"],
    **{n: [f"special.{n}"] for n in ("sici", "shichi", "fresnel", "airy", "airye", "ellipj", "factorial2")},
    "gammainc": ["special.gamma_density", "special.gammainc_in_a"],
    "betainc": ["special.beta_density", "special.betainc_in_a", "special.betainc_in_b"],
    "ellipkinc": ["special.elliptic_moment"],
    "elliprc": ["special.carlson2"],
    "elliprf": ["special.carlson3"],
    "elliprj": ["special.carlson4"],
    "j0": ["special.j01_derivative"],
    "y0": ["special.y01_derivative"],
    "i0": ["special.i01_derivative"],
    "k0": ["special.k01_derivative"],
}
COMPLEX_ORDERS = {"polygamma": lambda f, z: f(1, z)}
# Declared for complex numbers, or polynomials and powers, which take them as they are.
COMPLEX_TOO = {name for name, f in FUNCTIONS.items() if f.complex} | {
    *(name for name in FUNCTIONS if name.startswith("eval_") and "hermite" not in name),
    *("legendre_p", "assoc_legendre_p", "lpmv", "inv_boxcox", "inv_boxcox1p"),
}


def _row(name: str, operands: tuple, tag: str = "", call: Callable | None = None, order: int = 4) -> Case:
    f = getattr(F, name)
    call = call or ORDERS.get(name)
    run = f if call is None else lambda *xs: call(f, *xs)
    covers = [f"op:special.{name}", *(f"prim:{p}" for p in BEHIND.get(name, ()))]
    if FUNCTIONS[name].raw is FUNCTIONS[name].primitive:
        covers.append(f"prim:{FUNCTIONS[name].primitive.name}")
    if name in DERIVATIVES:
        covers.append(f"prim:{DERIVATIVES[name].name}")
    kind = " complex" if any(np.iscomplexobj(x) for x in operands) else ""
    prim = FUNCTIONS[name].primitive
    more = {"prim": prim} if prim is not None and prim.scalar is not None and not kind else {}
    return Case(f"special.{name}{tag and ' ' + tag}{kind}", tuple(covers), run, tuple(operands), order=order, **more)


def real_rows() -> Iterator[Case]:
    for name in FUNCTIONS:
        yield _row(name, POINTS.get(name, (SIGNED,)))


def complex_rows() -> Iterator[Case]:
    for name in FUNCTIONS:
        if name in COMPLEX_TOO:
            count = 1 if name == "zeta" else len(POINTS.get(name, (SIGNED,)))
            operands = (COMPLEX,) if count == 1 else tuple(np.roll(COMPLEX, k) + 1.0 + k for k in range(count))
            yield _row(name, operands, call=COMPLEX_ORDERS.get(name))


def parameter_rows() -> Iterator[Case]:
    """First derivatives in parameters, and the zeta function of one operand."""
    for name in ("gammainc", "gammaincc"):
        yield _row(name, (OTHER, POSITIVE), "in a", lambda f, *xs: f(*xs), order=1)
    for name in ("gammaincinv", "gammainccinv"):
        yield _row(name, (OTHER, UNIT), "in a", lambda f, *xs: f(*xs), order=1)
    for name in ("betainc", "betaincc", "betaincinv", "betainccinv"):
        yield _row(name, (OTHER, OTHER[::-1], UNIT), "in a and b", lambda f, *xs: f(*xs), order=1)
    one = _row("zeta", (1.0 + POSITIVE,), "of Riemann")
    yield Case(one.name, (*one.covers, "prim:special.riemann_zeta"), one.call, one.operands, order=4)


NOTHING, NUMBER = np.zeros(0), np.float64(0.7)


def edge_rows() -> Iterator[Case]:
    """Functions that are more than one elementwise primitive, with operands of other shapes."""
    for name, f in FUNCTIONS.items():
        if f.primitive is not None and f.primitive.axes is ELEMENTWISE:
            continue
        operands = POINTS.get(name, (SIGNED,))
        yield _row(name, tuple(x[:0] for x in operands), "empty")
        yield _row(name, tuple(x[1] for x in operands), "0-d")
        if len(operands) > 1:
            wide = (operands[0][:, None], *(x[:3] for x in operands[1:]))
            yield _row(name, wide, "broadcast")


ROWS = [*real_rows(), *complex_rows(), *parameter_rows(), *edge_rows()]

_REAL = "of real numbers"
EXEMPT: dict[str, dict[str, str]] = {
    f"op:special.{name}": {
        **({} if name in COMPLEX_TOO else {"complex": _REAL}),
        **{k: f"no derivative: {why}" for k, why in f.gaps.items()},
    }
    for name, f in FUNCTIONS.items()
}
for _name in (
    "gammainc",
    "gammaincc",
    "betainc",
    "betaincc",
    "gammaincinv",
    "gammainccinv",
    "betaincinv",
    "betainccinv",
):
    EXEMPT[f"op:special.{_name}"]["order"] = "in parameters, by quadrature, the first derivative only"
EXEMPT["op:special.zeta"]["complex"] = "that of Riemann takes complex numbers; SciPy's of Hurwitz does not"

# primitive: (function of one number, a point where its derivative is infinite)
POLES: dict[str, tuple[Any, float]] = {
    "special.erfinv": (F.erfinv, 1.0),
    "special.erfcinv": (F.erfcinv, 0.0),
    "special.ndtri": (F.ndtri, 0.0),
    "special.logit": (F.logit, 0.0),
    "special.entr": (F.entr, 0.0),
}
# The others' points are held by tests/ops/special/test_singular.py.
SINGULAR_ELSEWHERE = {p.name for p in PRIMITIVES.values() if p.name.startswith("special.") and p.singular} - set(POLES)
