"""Matrix products and contractions."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.axes import Axes, broadcast_labels
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.values import as_value, shape
from scisim.ops.arithmetic import mul
from scisim.ops.shape import as_integer, astype, normalize_axis, permute, reshape, several, sum_p
from scisim.ops.shape import matrix_transpose as mT


def _matmul(a: Any, b: Any) -> Any:
    if a.shape[-1] == 1:  # outer products: NumPy's matmul would call BLAS once for each
        return np.multiply(a, b)
    r = np.matmul(a, b)
    return r if r.dtype == a.dtype else r.astype(np.result_type(a, b), copy=False)  # that of bfloat16 is float32


def _zero_wins(a: Any, b: Any) -> Any:
    """a @ b where an exact zero wins over infinity and nan in every product."""
    r = _matmul(a, b)
    if np.all(np.isfinite(r)):
        return r
    p = a[..., :, :, None] * b[..., None, :, :]
    zero = np.equal(a, 0)[..., :, :, None] | np.equal(b, 0)[..., None, :, :]
    return np.where(np.isfinite(r), r, np.sum(np.where(zero & ~np.isfinite(p), 0, p), axis=-2)).astype(r.dtype)


def _labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    (a, b), lead = broadcast_labels(shapes, core=2)
    return [(*a, "m", "k"), (*b, "k", "n")], (*lead, "m", "n")


def _infer(avals: tuple, p: dict) -> ShapeDtype:
    a, b = avals
    lead = broadcast_shapes("matmul", a.shape[:-2], b.shape[:-2])
    return ShapeDtype((*lead, a.shape[-2], b.shape[-1]), np.result_type(a.dtype, b.dtype))


def _declare(name: str, evaluate: Any, **more: Any) -> Primitive:
    def transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
        times = merged(prim)
        return times(mT(args[0]), ct) if i else times(ct, mT(args[1]))

    prim = Primitive(
        name,
        evaluate,
        axes=Axes(_labels, broadcasts=True, core=2),
        infer=_infer,
        bilinear=(0, 1),
        transpose=transpose,
        batch=lambda trace, prim, vals, mapped, p: _batched(trace, prim, vals, mapped),
        **more,
    )
    return prim


def _batched(trace: Any, prim: Primitive, vals: list, mapped: list) -> Any:
    rank = max(len(shape(v)) - m for v, m in zip(vals, mapped, strict=True))
    out = []
    for v, m in zip(vals, mapped, strict=True):
        s = shape(v)
        out.append(reshape(v, (s[0],) + (1,) * (rank + 1 - len(s)) + s[1:]) if m else v)
    return merged(prim)(*out)


zmatmul = _declare("zmatmul", _zero_wins, singular="an exact zero wins over infinity and nan")
matmul_p = _declare("matmul", _matmul, exact=zmatmul, array_api="matmul")
zmatmul.exact = zmatmul


def merged(prim: Primitive) -> Any:
    """The product of stacks; the batch axes of one operand become rows where the other is a single matrix."""

    def times(a: Any, b: Any) -> Any:
        s, t = shape(a), shape(b)
        if len(s) > 2 and len(t) == 2:
            rows = reshape(a, (math.prod(s[:-1]), s[-1]))
            return reshape(prim(rows, b), (*s[:-1], t[-1]))
        if len(t) > 2 and len(s) == 2 and t[-1] == 1:
            rows = reshape(b, (math.prod(t[:-2]), t[-2]))
            return reshape(prim(rows, mT(a)), (*t[:-2], s[0], 1))
        return prim(a, b)

    return times


_times = merged(matmul_p)


def plain_product(a: np.ndarray, b: np.ndarray) -> Any:
    """The product of arrays by the shortest way to the primitive's value, to the bit; NotImplemented for the others."""
    s, t = a.shape, b.shape
    if not s or not t or s[-1] != (t[-2] if len(t) > 1 else t[0]) or (len(t) > 2 and t[:-2] != s[:-2]):
        return NotImplemented
    if s[-1] == 1:
        return np.multiply(a, b) if len(s) == 2 == len(t) else NotImplemented
    if len(s) < 3 or len(t) > 2:
        return np.matmul(a, b)
    rows = a.reshape(math.prod(s[:-1]), s[-1])
    return np.matmul(rows, b.reshape(s[-1], 1) if len(t) == 1 else b).reshape(*s[:-1], *t[1:])


def matmul(a: Any, b: Any) -> Any:
    """Matrix product over the last two axes; vectors count as a row on the left and a column on the right."""
    if type(a) is type(b) is np.ndarray and (c := plain_product(a, b)) is not NotImplemented:
        return c
    s, t = shape(a), shape(b)
    if not s or not t:
        raise ShapeError(f"matmul: shapes {s} and {t}: needs at least one axis each; use a * b for scalars")
    inner = t[-2] if len(t) > 1 else t[0]
    if s[-1] != inner:
        raise ShapeError(
            f"matmul: shapes {s} and {t} do not fit: the last axis of the first has length {s[-1]}, "
            f"the {'second last' if len(t) > 1 else 'only'} axis of the second {inner}; transpose one of them?"
        )
    if len(s) > 1 and len(t) > 1:
        if len(s) > 2 and len(t) > 2:
            _check_stacks(s, t)
        return _times(a, b)
    y = _times(reshape(a, (1, *s)) if len(s) == 1 else a, reshape(b, (*t, 1)) if len(t) == 1 else b)
    out = shape(y)
    return reshape(y, (*out[:-2], *((out[-2],) if len(s) > 1 else ()), *((out[-1],) if len(t) > 1 else ())))


def _check_stacks(s: tuple[int, ...], t: tuple[int, ...]) -> None:
    try:
        np.broadcast_shapes(s[:-2], t[:-2])
    except ValueError:
        raise ShapeError(
            f"matmul: stacks of shape {s} and {t} do not broadcast: all axes but the last two must be equal or 1"
        ) from None


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Sum of products over pairs of axes: the last ``axes`` of a with the first of b, or two lists of axes."""
    s, t = shape(a), shape(b)
    pair = several(axes)
    if pair is not None and len(pair) != 2:
        raise ArgumentError(f"tensordot: axes must be an integer or a pair of sequences of axes, got {axes!r}")
    if pair is None:
        axes = as_integer("tensordot", "axes", axes)
        left, right = list(range(len(s) - axes, len(s))), list(range(axes))
    else:
        left, right = ([k] if isinstance(k, int) else list(k) for k in axes)
    left = [normalize_axis("tensordot", k, len(s)) for k in left]
    right = [normalize_axis("tensordot", k, len(t)) for k in right]
    if [s[k] for k in left] != [t[k] for k in right]:
        raise ShapeError(f"tensordot: shapes {s} and {t} do not fit over axes {left} and {right}")
    free_a = [k for k in range(len(s)) if k not in left]
    free_b = [k for k in range(len(t)) if k not in right]
    n = math.prod(s[k] for k in left)
    rows = reshape(permute(a, free_a + left), (math.prod(s[k] for k in free_a), n))
    columns = reshape(permute(b, right + free_b), (n, math.prod(t[k] for k in free_b)))
    return reshape(matmul_p(rows, columns), (*(s[k] for k in free_a), *(t[k] for k in free_b)))


_SUBSCRIPTS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,->")


def einsum(subscripts: str, *operands: Any) -> Any:
    """Sum of products in Einstein's notation; opt_einsum orders the contraction."""
    xs = [as_value(x) for x in operands]
    if not isinstance(subscripts, str):
        raise ArgumentError(f"einsum: the subscripts are a string like 'ij,jk->ik', got {subscripts!r}")
    strange = sorted(set(subscripts) - _SUBSCRIPTS)
    if strange:
        raise ArgumentError(
            f"einsum: {subscripts!r} holds {''.join(strange)!r}; subscripts are letters, '...', ',', '->'"
        )
    if len(xs) == 1:
        steps: Any = [((0,), None, subscripts)]
    else:
        steps = _path(subscripts, xs)
    for positions, _, text, *_rest in steps:
        terms = [xs.pop(k) for k in positions]
        xs.append(_contract(text, terms))
    return xs[0]


@lru_cache(maxsize=1024)
def _order(subscripts: str, *shapes: tuple[int, ...]) -> Any:
    import opt_einsum

    return opt_einsum.contract_path(subscripts, *shapes, shapes=True)[1].contraction_list


def _path(subscripts: str, xs: list) -> Any:
    try:
        return _order(subscripts, *map(shape, xs))
    except ValueError as error:
        got = ", ".join(str(shape(x)) for x in xs)
        raise ShapeError(f"einsum: {subscripts!r} does not fit operands of shape {got}: {error}") from None


def _contract(text: str, terms: list) -> Any:
    left, _, out = text.replace(" ", "").partition("->")
    names = _expand(left.split(","), terms)
    stretched = "".join(sorted({c for n in names for c in n if not c.isalpha()}, reverse=True))
    if "->" not in text:
        joined = "".join(names)
        out = stretched + "".join(sorted(c for c in set(joined) if joined.count(c) == 1 and c.isalpha()))
    out = out.replace("...", stretched)
    if len(set(out)) < len(out) or not set(out) <= set("".join(names)):
        raise ArgumentError(f"einsum: {text!r}: the output names an axis twice, or one that no operand has")
    terms = [_diagonal(n, x) for n, x in zip(names, terms, strict=True)]
    names, xs = [n for n, _ in terms], [x for _, x in terms]
    if len(xs) == 1:
        return _arrange(_reduce(names[0], xs[0], set(out)), out)
    return _arrange(_pair(names, xs, set(out)), out)


def _expand(names: list[str], terms: list) -> list[str]:
    """Digits (and what follows them) for the axes of an ellipsis, counted from the right."""
    if len(names) != len(terms):
        raise ArgumentError(f"einsum: {len(names)} groups of subscripts for {len(terms)} operands")
    out = []
    for n, x in zip(names, terms, strict=True):
        k = len(shape(x)) - len(n.replace("...", ""))
        if k < 0 or (k and "..." not in n):
            raise ShapeError(f"einsum: subscripts {n!r} for an operand of shape {shape(x)}")
        out.append(n.replace("...", "".join(chr(ord("0") + k - 1 - j) for j in range(k))))
    return out


def _diagonal(name: str, x: Any) -> tuple[str, Any]:
    from scisim.ops.index import gather_p
    from scisim.ops.shape import moveaxis

    for c in dict.fromkeys(name):
        while name.count(c) > 1:
            i, j = name.index(c), name.rindex(c)
            n = shape(x)[i]
            if shape(x)[j] != n:
                raise ShapeError(f"einsum: subscript {c!r} stands for axes of lengths {n} and {shape(x)[j]}")
            x = gather_p(moveaxis(x, [i, j], [0, 1]), np.arange(n), np.arange(n))
            name = c + "".join(d for k, d in enumerate(name) if k not in (i, j))
    return name, x


def _reduce(name: str, x: Any, keep: set) -> tuple[str, Any]:
    gone = tuple(k for k, c in enumerate(name) if c not in keep)
    return "".join(c for c in name if c in keep), sum_p(x, axes=gone) if gone else x


def _without_stretched(names: list[str], xs: list) -> tuple[list[str], list]:
    """Axes of length one that the other operand stretches are left out."""
    sizes = [dict(zip(n, shape(x), strict=True)) for n, x in zip(names, xs, strict=True)]
    kept = [[c for c in n if own[c] != 1 or other.get(c, 1) == 1] for n, own, other in zip(names, sizes, sizes[::-1])]
    rest = [reshape(x, tuple(own[c] for c in k)) for x, own, k in zip(xs, sizes, kept, strict=True)]
    return ["".join(k) for k in kept], rest


def _pair(names: list[str], xs: list, out: set) -> tuple[str, Any]:
    """A contraction of two operands as one stacked matrix product."""
    names, xs = _without_stretched(names, xs)
    a, x = _reduce(names[0], xs[0], out | set(names[1]))
    b, y = _reduce(names[1], xs[1], out | set(a))
    batch = [c for c in a if c in b and c in out]
    inner = [c for c in a if c in b and c not in out]
    m, n = [c for c in a if c not in b], [c for c in b if c not in a]
    size = dict(zip(a + b, shape(x) + shape(y), strict=True))
    for c, k in zip(a + b, shape(x) + shape(y), strict=True):
        if size[c] == 1:
            size[c] = k
    x, y = _arrange((a, x), batch + m + inner), _arrange((b, y), batch + inner + n)
    if not inner:
        s = shape(x) + (1,) * len(n)
        t = shape(y)[: len(batch)] + (1,) * len(m) + shape(y)[len(batch) :]
        return "".join(batch + m + n), mul(reshape(x, s), reshape(y, t))

    def prod(names: list[str]) -> int:
        return math.prod(size[c] for c in names)

    lead = tuple(size[c] for c in batch)
    z = matmul_p(reshape(x, (*lead, prod(m), prod(inner))), reshape(y, (*lead, prod(inner), prod(n))))
    return "".join(batch + m + n), reshape(z, (*lead, *(size[c] for c in m), *(size[c] for c in n)))


def _arrange(named: tuple[str, Any], out: Any) -> Any:
    name, x = named
    return permute(x, [name.index(c) for c in out])


def vecdot(a: Any, b: Any, axis: int = -1) -> Any:
    """Sum of conj(a) * b over one axis."""
    from scisim.ops.complexes import conj

    out = broadcast_shapes("vecdot", shape(a), shape(b))
    k = normalize_axis("vecdot", axis, len(out)) - len(out)
    if any(len(shape(v)) < -k or shape(v)[k] != out[k] for v in (a, b)):
        raise ShapeError(f"vecdot: shapes {shape(a)} and {shape(b)} must have the same length along axis {axis}")
    p = mul(conj(a), b)
    return astype(sum_p(p, axes=(k + len(out),)), p.dtype)


def outer(a: Any, b: Any) -> Any:
    """Products of all elements of one vector with all of another."""
    return mul(reshape(a, (-1, 1)), reshape(b, (1, -1)))
