"""Random programs, made step by step beside their values, which stay of moderate size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ScisimError

SHORT, LONG = (1, 2, 3, 5, 7), (256, 257, 300, 521)  # lengths of axes: tiles are made along long ones
LARGEST, MOST = 30.0, 6000  # of values that are used further: their size, and how many there are
DTYPES = ("float64", "float64", "float32", "float32", "complex128", "complex64", "float16", "int64", "bool")


class Step(NamedTuple):
    """``f`` of earlier values, by their numbers."""

    name: str
    f: Callable
    args: tuple[int, ...]


class Program(NamedTuple):
    """A function of its inputs: all values in order, of which some are results."""

    inputs: list[np.ndarray]
    steps: list[Step]
    results: list[int]

    def __call__(self, *inputs: Any) -> list[Any]:
        known = [ss.asarray(x) for x in inputs]
        for s in self.steps:
            known.append(s.f(*(known[k] for k in s.args)))
        return [known[k] for k in self.results]

    def __repr__(self) -> str:
        lines = [f"v{k} = {x.dtype}{list(x.shape)}" for k, x in enumerate(self.inputs)]
        for k, s in enumerate(self.steps, len(self.inputs)):
            lines.append(f"v{k} = {s.name} of {', '.join(f'v{a}' for a in s.args)}")
        return "\n".join([*lines, f"return {self.results}"])


class Maker:
    """A program in the making."""

    def __init__(self, draw: Any, inputs: list[np.ndarray], reverse: bool) -> None:
        self.draw, self.reverse = draw, reverse
        self.known = [ss.asarray(x) for x in inputs]
        self.steps: list[Step] = []

    def choose(self, items: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(list(items)))

    def pick(self, fits: Callable = lambda v: True) -> int | None:
        found = [k for k, v in enumerate(self.known) if fits(v)]
        return self.choose(found) if found else None

    def axis(self, x: Any) -> int:
        return self.draw(st.integers(-x.ndim, x.ndim - 1))

    def axes(self, x: Any) -> Any:
        """None, or some of the axes."""
        some = tuple(k for k in range(x.ndim) if self.draw(st.booleans()))
        return self.choose([None, some])

    def add(self, name: str, f: Callable, *args: int) -> None:
        """A further step, unless it is refused or its values are not moderate."""
        try:
            with np.errstate(all="ignore"):
                y = f(*(self.known[k] for k in args))
        except (ScisimError, ValueError):
            return
        v = np.asarray(y)
        if v.size <= MOST and (v.dtype.kind == "b" or bool(np.all(np.abs(v) <= LARGEST))):
            self.known.append(y)
            self.steps.append(Step(name, f, args))


def real(x: Any) -> bool:
    return x.dtype.kind == "f"


def numeric(x: Any) -> bool:
    return x.dtype.kind in "fc"


def broadcasts(s: tuple, t: tuple) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(s[::-1], t[::-1], strict=False))


# --- steps -----------------------------------------------------------------------------------------------------------
SMOOTH: dict[str, Callable] = {
    **{n: getattr(ss, n) for n in ("sin", "cos", "tanh", "exp", "atan", "square", "sigmoid", "asinh", "negative")},
    "sqrt": lambda x: ss.sqrt(1.0 + x * x),
    "log": lambda x: ss.log(1.0 + ss.square(x)),
    "log1p": lambda x: ss.log1p(ss.square(x)),
    "expm1": lambda x: ss.expm1(0.5 * x),
    "cube": lambda x: x**3,
    "power": lambda x: (1.5 + ss.sin(x)) ** 1.3,
    "reciprocal": lambda x: 1.0 / (2.0 + ss.cos(x)),
}
EDGED: dict[str, Callable] = {
    "abs": ss.abs,
    "relu": ss.relu,
    "sign": ss.sign,
    "floor": ss.floor,
    "clip": lambda x: ss.clip(x, -0.5, 1.0),
    "stop": ad.stop_gradient,
}
COMPLEX: dict[str, Callable] = {n: getattr(ss, n) for n in ("sin", "exp", "conj", "real", "imag", "abs", "square")}
BINARY: dict[str, Callable] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / (1.0 + b * ss.conj(b)),
}
REAL_BINARY: dict[str, Callable] = {
    "maximum": ss.maximum,
    "minimum": ss.minimum,
    "atan2": lambda a, b: ss.atan2(a, 1.5 + ss.square(b)),
    "hypot": lambda a, b: ss.hypot(a, 1.0 + b),
    "where": lambda a, b: ss.where(a < b, ss.sin(a), b * 0.5),
    "remainder": lambda a, b: ss.remainder(a, 1.0 + ss.abs(b)),
}
NUMBERS: dict[str, Callable] = {
    "times a number": lambda x: x * 0.7,
    "plus one": lambda x: 1 + x,
    "from two": lambda x: 2.0 - x,
    "a third": lambda x: x / 3,
}
REDUCED: dict[str, Callable] = {n: getattr(ss, n) for n in ("sum", "mean", "max", "min", "prod", "var", "logsumexp")}


def unary(m: Maker, k: int, x: Any) -> None:
    table = COMPLEX if x.dtype.kind == "c" else {**SMOOTH, **EDGED} if real(x) else {"negative": lambda x: 0 - x}
    name = m.choose(table)
    m.add(name, table[name], k)


def number(m: Maker, k: int, x: Any) -> None:
    name = m.choose(NUMBERS)
    m.add(name, NUMBERS[name], k)


def binary(m: Maker, k: int, x: Any) -> None:
    j = m.pick(lambda v: broadcasts(v.shape, x.shape))
    plain = real(x) and real(m.known[j])
    table = {**BINARY, **(REAL_BINARY if plain else {})}
    name = m.choose(table)
    m.add(name, table[name], *((k, j) if m.draw(st.booleans()) else (j, k)))


def compared(m: Maker, k: int, x: Any) -> None:
    j = m.pick(lambda v: v.dtype.kind != "c" and broadcasts(v.shape, x.shape))
    if j is not None and x.dtype.kind != "c":
        f = m.choose([ss.less, ss.greater_equal, ss.equal])
        m.add(f.__name__, f, k, j)


def chosen(m: Maker, k: int, x: Any) -> None:
    c = m.pick(lambda v: v.dtype.kind == "b" and broadcasts(v.shape, x.shape))
    j = m.pick(lambda v: broadcasts(v.shape, x.shape))
    if c is not None:
        m.add("where", ss.where, c, k, j)


def reduced(m: Maker, k: int, x: Any) -> None:
    name = m.choose(REDUCED if real(x) else ["sum", "mean"] if numeric(x) else ["sum", "max", "any", "all"])
    f, axes, keep = getattr(ss, name), m.axes(x), m.draw(st.booleans())
    m.add(f"{name} {axes} {keep}", lambda x: f(x, axis=axes, keepdims=keep), k)


def product(m: Maker, k: int, x: Any) -> None:
    """With another value, or with fixed weights."""
    if x.ndim == 0 or not numeric(x):
        return
    fits = lambda v: numeric(v) and 0 < v.ndim < 4 and v.shape[max(v.ndim - 2, 0)] == x.shape[-1]
    j = m.pick(fits) if m.draw(st.booleans()) else None
    if j is not None:
        m.add("matmul", lambda a, b: 0.3 * (a @ b), k, j)
        return
    n = m.choose([1, 2, 5, 17, 33])
    w = np.sin(np.arange(x.shape[-1] * n, dtype=np.float64)).reshape(-1, n).astype(x.dtype)
    m.add(f"matmul to {n}", lambda a: 0.4 * (a @ w), k)


def outer(m: Maker, k: int, x: Any) -> None:
    """A matrix times its own transpose."""
    if x.ndim == 2 and numeric(x):
        first = m.draw(st.booleans())
        m.add("gram", lambda a: 0.01 * (a.T @ a if first else a @ a.T), k)


def sliced(m: Maker, k: int, x: Any) -> None:
    at: list[Any] = []
    for n in x.shape:
        if n and m.draw(st.integers(0, 3)) == 0:
            at.append(m.draw(st.integers(-n, n - 1)))
        else:
            low, high = (m.draw(st.none() | st.integers(-n, n)) for _ in range(2))
            at.append(slice(low, high, m.choose([None, 1, 2, -1])))
        if m.draw(st.integers(0, 5)) == 0:
            at.append(None)
    m.add(f"read {at}", lambda x: x[tuple(at)], k)


def shifted(m: Maker, k: int, x: Any) -> None:
    """A difference of neighbours, as stencils have."""
    if x.ndim and x.shape[-1] > 2:
        m.add("neighbours", lambda x: x[..., 2:] - 2 * x[..., 1:-1] + x[..., :-2], k)


def reshaped(m: Maker, k: int, x: Any) -> None:
    n = x.size
    first = m.choose([d for d in range(1, n + 1) if n % d == 0] or [0])
    shapes = [(n,), (first, n // first if first else 1), (1, n), (first, 1, n // first if first else 1)]
    if x.ndim > 1:
        shapes += [(x.shape[0] * x.shape[1], *x.shape[2:]), (*x.shape[:-2], x.shape[-2] * x.shape[-1])] * 3
    shape = m.choose(shapes)
    m.add(f"reshape {shape}", lambda x: ss.reshape(x, shape), k)


def turned(m: Maker, k: int, x: Any) -> None:
    perm = tuple(m.draw(st.permutations(range(x.ndim))))
    m.add(f"transpose {perm}", lambda x: ss.permute_dims(x, perm), k)


def stretched(m: Maker, k: int, x: Any) -> None:
    lead = m.choose([(), (2,), (3, 1)])
    shape = (*lead, *(m.choose([n, 3]) if n == 1 else n for n in x.shape))
    m.add(f"broadcast {shape}", lambda x: ss.broadcast_to(x, shape), k)


def joined(m: Maker, k: int, x: Any) -> None:
    if x.ndim:
        axis = m.axis(x) % x.ndim
        cut = lambda s: s[:axis] + s[axis + 1 :]
        j = m.pick(lambda v: v.ndim == x.ndim and cut(v.shape) == cut(x.shape))
        m.add(f"concat {axis}", lambda a, b: ss.concat([a, b], axis), k, j)


def stacked(m: Maker, k: int, x: Any) -> None:
    j, axis = m.pick(lambda v: v.shape == x.shape), m.choose([0, -1])
    m.add(f"stack {axis}", lambda a, b: ss.stack([a, b, a], axis), k, j)


def moved(m: Maker, k: int, x: Any) -> None:
    if x.ndim == 0:
        return
    axis, by = m.axis(x), m.draw(st.integers(-3, 3))
    pads = tuple((m.draw(st.integers(0, 2)), m.draw(st.integers(0, 2))) for _ in x.shape)
    table: dict[str, Callable] = {
        f"roll {by} {axis}": lambda x: ss.roll(x, by, axis),
        f"flip {axis}": lambda x: ss.flip(x, axis),
        f"pad {pads}": lambda x: ss.pad(x, pads),
        f"diff {axis}": lambda x: ss.diff(x, axis=axis),
        f"running sum {axis}": lambda x: 0.1 * ss.cumulative_sum(x, axis=axis),
        "repeat": lambda x: ss.repeat(x, 2, axis),
    }
    name = m.choose(table)
    m.add(name, table[name], k)


def assigned(m: Maker, k: int, x: Any) -> None:
    """A part of a copy is replaced, by a number or by another part."""
    if not (x.ndim and x.shape[0] > 2 and numeric(x)):
        return
    step, number = m.choose([1, 2]), m.draw(st.booleans())

    def f(x: Any) -> Any:
        y = ss.zeros_like(x) + x
        y[1:-1:step] = 0.5 if number else 0.5 * x[: -(-(x.shape[0] - 2) // step)]
        return y

    m.add(f"assignment {step} {number}", f, k)


def gathered(m: Maker, k: int, x: Any) -> None:
    if x.ndim and x.shape[0]:
        at = np.array([m.draw(st.integers(-x.shape[0], x.shape[0] - 1)) for _ in range(m.choose([1, 4]))])
        m.add(f"take {at}", lambda x: x[at], k)


def ordered(m: Maker, k: int, x: Any) -> None:
    if x.ndim and real(x):
        m.add("sort", lambda x: ss.sort(x, axis=-1), k)


def converted(m: Maker, k: int, x: Any) -> None:
    to = m.choose(["complex64", "complex128"] if x.dtype.kind == "c" else ["float32", "float64", "complex128"])
    m.add(f"astype {to}", lambda x: ss.astype(x, to), k)


def conditional(m: Maker, k: int, x: Any) -> None:
    c = m.pick(lambda v: v.shape == () and v.dtype.kind != "c")
    if c is not None and numeric(x):
        m.add("cond", lambda c, x: ss.cond(c > 0, lambda y: ss.sin(y) + 1, lambda y: y * 0.5, x), c, k)


def scanned(m: Maker, k: int, x: Any) -> None:
    if x.ndim and 0 < x.shape[0] <= 40 and numeric(x):
        outs = m.draw(st.booleans())

        def f(x: Any) -> Any:
            last, made = ss.scan(lambda c, r: (ss.sin(c) * 0.5 + r, c * r), x[0] * 0, x)
            return made if outs else last

        m.add(f"scan {outs}", f, k)


def looped(m: Maker, k: int, x: Any) -> None:
    n = m.choose([1, 2, 3, 6])
    if numeric(x):
        two = lambda i, s: (s[1], ss.sin(s[0]) * 0.5 + s[1] * 0.25)
        m.add(f"loop {n}", lambda x: ss.fori_loop(0, n, two, (x, x * 0.5))[1], k)


def stepped(m: Maker, k: int, x: Any) -> None:
    """Steps of a wave equation: two arrays that change places, of which the interior is replaced."""
    n = m.choose([1, 2, 5])
    if not (x.ndim and x.shape[-1] > 2 and numeric(x)):
        return

    def step(i: Any, s: tuple) -> tuple:
        before, now = s
        after = now + 0.0
        after[..., 1:-1] = 2 * now[..., 1:-1] - before[..., 1:-1] + 0.1 * (now[..., 2:] - now[..., :-2])
        return now, after

    m.add(f"wave {n}", lambda x: ss.fori_loop(0, n, step, (0.5 * x, x))[1], k)


def recurrent(m: Maker, k: int, x: Any) -> None:
    """A scan over rows whose body holds a product, a condition and a loop."""
    if not (x.ndim == 2 and 0 < x.shape[0] <= 40 and 0 < x.shape[1] <= 8 and real(x)):
        return
    w = np.cos(np.arange(x.shape[1] ** 2, dtype=np.float64)).reshape(x.shape[1], -1).astype(x.dtype)

    def body(c: Any, r: Any) -> tuple:
        h = ss.tanh(c @ w + r)
        h = ss.cond(h[0] > 0, lambda y: y * 0.5, lambda y: ss.fori_loop(0, 2, lambda i, y: y - 0.1 * ss.sin(y), y), h)
        return h, ss.sum(h * r)

    which = m.choose([0, 1])
    m.add(f"recurrent {which}", lambda x: ss.scan(body, x[0], x)[which], k)


def mapped(m: Maker, k: int, x: Any) -> None:
    if x.ndim and x.shape[0] > 0 and numeric(x):
        axis = m.choose([0, x.ndim - 1])
        f = lambda r: ss.sum(ss.sin(r)) * r + 1
        m.add(f"vmap {axis}", lambda x: ss.vmap(f, axis)(x), k)


def repeated(m: Maker, k: int, x: Any) -> None:
    """A loop whose length depends on a value; it has no reverse mode."""
    if numeric(x) and not m.reverse:
        m.add(
            "while", lambda x: ss.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1] * 0.5 + 0.1), (0, x))[1], k
        )


def called(m: Maker, k: int, x: Any) -> None:
    if numeric(x):
        inner = ss.jit(lambda y: ss.sin(y) * y)
        wrap = m.choose([inner, ad.checkpoint(lambda y: ss.exp(-(y * ss.conj(y))) * y)])
        m.add("call", lambda x: wrap(x), k)


STEPS = (
    *(unary, unary, unary, number, binary, binary, binary, compared, chosen, reduced, reduced, product, product, outer),
    *(sliced, shifted, reshaped, turned, stretched, joined, stacked, moved, moved, assigned, gathered, ordered),
    *(converted, conditional, scanned, looped, repeated, called, stepped, recurrent, mapped),
)


# --- programs --------------------------------------------------------------------------------------------------------
@st.composite
def inputs(draw: Any) -> list[np.ndarray]:
    """One to four arrays, of which the first has floating point, with axes of a few lengths in common."""
    long, short, other = draw(st.sampled_from(LONG)), draw(st.sampled_from(SHORT)), draw(st.sampled_from(SHORT))
    shapes = [(long, short), (long,), (short,), (), (short, other), (1, short), (long, 1), (2, long, short)]
    shapes += [(short, long), (other, short, 3), (0, short), (long, short, other)]
    rng, made = np.random.default_rng(draw(st.integers(0, 1000))), []
    for k in range(draw(st.integers(1, 4))):
        dtype = np.dtype(draw(st.sampled_from(DTYPES[:7] if k == 0 else DTYPES)))
        shape = draw(st.sampled_from(shapes[:4] if k == 0 else shapes))
        x = rng.uniform(-1.5, 1.5, shape)
        x = np.round(2 * x) / 2 if draw(st.integers(0, 3)) == 0 else x  # with zeros and ties
        x = x + 1j * rng.uniform(-1, 1, shape) if dtype.kind == "c" else x
        made.append(np.asarray(2 * x if dtype.kind == "i" else x > 0 if dtype.kind == "b" else x).astype(dtype))
    return made


@st.composite
def programs(draw: Any, reverse: bool) -> Program:
    """A program of 3 to 25 steps; ``reverse``: it has gradients."""
    xs = draw(inputs())
    m = Maker(draw, xs, reverse)
    for _ in range(draw(st.sampled_from(range(3, 26)))):
        k = m.pick() if draw(st.integers(0, 2)) == 0 else max(len(m.known) - draw(st.integers(1, 3)), 0)
        m.choose(STEPS)(m, k, m.known[k])
    last = len(m.known) - 1
    results = [last, *(k for k in range(last) if draw(st.integers(0, 5)) == 0)]
    return Program(xs, m.steps, results[: draw(st.integers(1, 4))])


def weights(shape: tuple[int, ...], dtype: Any, seed: int) -> np.ndarray:
    """Numbers between -1 and 1, of the dtype."""
    w = np.sin(1.0 + seed + np.arange(math.prod(shape), dtype=np.float64)).reshape(shape)
    return (w * (1 + 0.5j) if np.dtype(dtype).kind == "c" else w).astype(dtype)
