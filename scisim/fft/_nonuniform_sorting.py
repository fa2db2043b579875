"""Compiled loops that sort points of period 2 pi into tiles of a grid."""

import numpy as np
from numba import njit

from scisim.fft._nonuniform_vectors import fma

compiled = njit(cache=True, nogil=True, error_model="numpy")
_CHUNK = 512  # points whose cells are computed at once
# 1 / (2 pi) as a sum of two numbers
_TURNS, _TURNS_REST = 0.15915494309189535, -9.839338337591243e-18


@compiled
def locate(x, n, width, cell, beyond):
    """For points of period 2 pi: the first cell that each touches on a grid of n, and how far it is beyond the kernel's
    end, as a number from -1 to 1.  True if all are finite.

    Both products are exact but for the last bits of the second numbers, so that the distance has full precision on long
    grids and for points many periods away.
    """
    odd, half = 0, 0.5 * width
    for j in range(x.size):
        v = np.float64(x[j])
        odd |= v - v != 0.0
        turns = v * _TURNS
        rest = fma(v, _TURNS, -turns) + v * _TURNS_REST
        part = turns - np.floor(turns)
        cells = part * n
        rest = fma(part, n, -cells) + rest * n
        cells -= half
        start = np.ceil(cells + rest)
        beyond[j] = 2.0 * ((start - cells) - rest) - 1.0
        at = np.int32(start)
        at += n if at < 0 else 0
        cell[j] = at - n if at >= n else at
    return odd == 0


@compiled
def mark(words):
    """A number of 64 bits that tells arrays of words apart, in four chains that a processor follows at once."""
    a, b, c, d = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    by, shift = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
    n = words.size - words.size % 4
    for i in range(0, n, 4):
        a = (a ^ np.uint64(words[i])) * by
        b = (b ^ np.uint64(words[i + 1])) * by
        c = (c ^ np.uint64(words[i + 2])) * by
        d = (d ^ np.uint64(words[i + 3])) * by
        a, b, c, d = a ^ (a >> shift), b ^ (b >> shift), c ^ (c >> shift), d ^ (d >> shift)
    for i in range(n, words.size):
        a = (a ^ np.uint64(words[i])) * by
        a ^= a >> shift
    for v in (b, c, d):
        a = (a ^ v) * by
        a ^= a >> shift
    return a


@compiled
def count_points(x, first, last, grid, width, bits, count, tile, counts):
    """The tile of each point of a part, and how many each tile has.  True if all points are finite."""
    dims, finite = x.shape[0], True
    cell, beyond = np.empty((dims, _CHUNK), np.int32), np.empty((dims, _CHUNK), x.dtype)
    for start in range(first, last, _CHUNK):
        many = min(_CHUNK, last - start)
        for a in range(dims):
            finite &= locate(x[a, start : start + many], grid[a], width, cell[a], beyond[a])
        if not finite:
            return False
        for i in range(many):
            t = 0
            for a in range(dims):
                k = 3 - dims + a
                t = t * count[k] + min(cell[a, i] >> bits[k], count[k] - 1)
            tile[start + i] = t
            counts[t] += 1
    return True


@compiled
def places(counts, start):
    """Where the points of each tile go, those of the first part first.  Counts of (parts, tiles) become positions."""
    at = 0
    for t in range(counts.shape[1]):
        start[t] = at
        for p in range(counts.shape[0]):
            have = counts[p, t]
            counts[p, t] = at
            at += have
    start[counts.shape[1]] = at


@compiled
def sort_points(x, first, last, grid, width, tile, position, order, cell, beyond):
    """Sort the points of a part by tile: their numbers, first cells and distances."""
    dims = x.shape[0]
    cells, distances = np.empty((dims, _CHUNK), np.int32), np.empty((dims, _CHUNK), x.dtype)
    for start in range(first, last, _CHUNK):
        many = min(_CHUNK, last - start)
        for a in range(dims):
            locate(x[a, start : start + many], grid[a], width, cells[a], distances[a])
        for i in range(many):
            k = position[tile[start + i]]
            position[tile[start + i]] = k + 1
            order[k] = start + i
            for a in range(dims):
                cell[k, a] = cells[a, i]
                beyond[k, a] = distances[a, i]
