"""Compiled loops for queries of plain arrays: operation for operation what is computed with traced values."""

import numpy as np
from numba import njit

compiled = njit(cache=True, nogil=True, error_model="numpy")
_WALK = 8  # steps from the guess for evenly spaced knots, before halving


@compiled
def piece(x, first, last, v):
    """The greatest i from first to last with x[i] <= v, or first."""
    if not v >= x[first + 1]:
        if v < x[first + 1]:
            return first
        return last  # nan, as a sort would place it
    if v >= x[last]:
        return last
    low, high = first + 1, last  # x[low] <= v < x[high]
    guess = low + int((v - x[low]) / (x[high] - x[low]) * (high - low))
    i = min(max(guess, low), high - 1)
    for _ in range(_WALK):
        if v < x[i]:
            high = i
            i -= 1
        elif v >= x[i + 1]:
            low = i + 1
            i += 1
        else:
            return i
    while high - low > 1:
        middle = (low + high) // 2
        if v < x[middle]:
            high = middle
        else:
            low = middle
    return low


@compiled
def polynomials(c, x, q, factors, out):
    """Horner's scheme: c is (k, pieces, r), out (queries, r); factors multiply the rows of a derivative."""
    last, plain = c.shape[1] - 1, factors[0] == 1.0 and factors[-1] == 1.0
    for n in range(q.size):
        i = piece(x, 0, last, q[n])
        h = q[n] - x[i]
        for r in range(c.shape[2]):
            y = c[0, i, r] if plain else c[0, i, r] * factors[0]
            for j in range(1, factors.size):
                y = y * h + (c[j, i, r] if plain else c[j, i, r] * factors[j])
            out[n, r] = y


@compiled
def splines(t, c, k, q, out):
    """Sums of B-splines: c is (n, r), out (queries, r)."""
    right, left, b = np.empty(k + 1), np.empty(k + 1), np.empty(k + 1)
    last = c.shape[0] - 1
    for n in range(q.size):
        i, v = piece(t, k, last, q[n]), q[n]
        b[0] = 0.0 * v + 1.0
        for d in range(1, k + 1):
            right[d - 1], left[d - 1] = t[i + d] - v, v - t[i + 1 - d]
            saved = 0.0
            for r in range(d):
                share = b[r] / (right[r] + left[d - 1 - r])
                low = right[r] * share
                b[r] = low if r == 0 else saved + low
                saved = left[d - 1 - r] * share
            b[d] = saved
        for r in range(c.shape[1]):
            y = c[i - k, r] * b[0]
            for j in range(1, k + 1):
                y = y + c[i - k + j, r] * b[j]
            out[n, r] = y


@compiled
def lagrange_sums(x, w, y, scale, q, out):
    """Sums of values with weights times the products of all other differences: y is (n, r), out (queries, r)."""
    n = x.size
    d, after = np.empty(n), np.empty(n)
    for i in range(q.size):
        for j in range(n):
            d[j] = (q[i] - x[j]) * scale
        after[n - 1] = d[n - 1] * 0.0 + 1.0
        for j in range(n - 2, -1, -1):
            after[j] = after[j + 1] * d[j + 1]
        before = d[0] * 0.0 + 1.0
        for r in range(y.shape[1]):
            out[i, r] = before * after[0] * w[0] * y[0, r]
        for j in range(1, n):
            before = before * d[j - 1]
            share = before * after[j] * w[j]
            for r in range(y.shape[1]):
                out[i, r] += share * y[j, r]
