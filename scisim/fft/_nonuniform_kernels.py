"""Compiled loops of the non-uniform transforms: from points, sorted into tiles, to a grid and back.

Everything is said for three axes; those that a transform lacks come first and have length 1.  A *tile* is a box of
cells of the grid; a point belongs to the tile of the first cell that it touches.  Work on a tile happens in a small
copy of its cells, with a margin for kernels that reach beyond it.
"""

import numpy as np
from numba import njit

from scisim.fft._nonuniform_vectors import LANES, add_rows, sum_rows, taps

compiled = njit(cache=True, nogil=True, error_model="numpy")
_MANY = 16  # points whose taps are computed at once


@compiled
def corner(t, bits, count, shape, low, length):
    """First cell and length of a tile along each axis; the last tile takes what is left over."""
    for a in range(2, -1, -1):
        i = t % count[a]
        t //= count[a]
        low[a] = i << bits[a]
        length[a] = shape[a] - low[a] if i == count[a] - 1 else 1 << bits[a]


@compiled
def row_offsets(dims, width, strides, offsets):
    """Where the rows that a kernel touches begin in the copy of a tile; their number."""
    w0, w1 = width if dims > 2 else 1, width if dims > 1 else 1
    for p in range(w0):
        for q in range(w1):
            offsets[p * w1 + q] = p * strides[0] + q * strides[1]
    return w0 * w1


@compiled
def weigh(vectors, k, many, cell, beyond, coefficients, degree, width, low, strides, base, near, middle, far, weights):
    """For points from the k-th on: where their rows begin in the copy of a tile, their taps, and the weights of rows.

    Numba counts references to every array that goes to a function; with a call for each point that would take most of
    the time.
    """
    dims, p = beyond.shape[1], LANES * (len(vectors) + 1)
    for i in range(many):
        x = cell[k + i, dims - 1] - low[2]
        shift = x % LANES
        taps(vectors, coefficients, degree, beyond[k + i, dims - 1], near, i * p, shift)
        base[i] = x - shift
        if dims > 1:
            base[i] += (cell[k + i, dims - 2] - low[1]) * strides[1]
        if dims == 2:
            taps(vectors, coefficients, degree, beyond[k + i, 0], weights, i * p, 0)
        elif dims == 3:
            base[i] += (cell[k + i, 0] - low[0]) * strides[0]
            taps(vectors, coefficients, degree, beyond[k + i, 1], middle, 0, 0)
            taps(vectors, coefficients, degree, beyond[k + i, 0], far, 0, 0)
            for r in range(width):
                for s in range(width):
                    weights[(i * p + r) * width + s] = far[r] * middle[s]


@compiled
def add_tile(re, im, low, reach, strides, shape, grid):
    """Add the copy of a tile to the grid, whose ends meet."""
    for p in range(reach[0]):
        i = (low[0] + p) % shape[0]
        for q in range(reach[1]):
            j = (low[1] + q) % shape[1]
            at, done = p * strides[0] + q * strides[1], 0
            row = grid[i, j]
            x = low[2] % shape[2]
            while done < reach[2]:
                run = min(reach[2] - done, shape[2] - x)
                for r in range(run):
                    row[x + r] += complex(re[at + done + r], im[at + done + r])
                done += run
                x = 0


@compiled
def copy_tile(re, im, low, reach, strides, shape, grid):
    """Copy a tile from the grid, whose ends meet."""
    for p in range(reach[0]):
        i = (low[0] + p) % shape[0]
        for q in range(reach[1]):
            j = (low[1] + q) % shape[1]
            at, done = p * strides[0] + q * strides[1], 0
            row = grid[i, j]
            x = low[2] % shape[2]
            while done < reach[2]:
                run = min(reach[2] - done, shape[2] - x)
                for r in range(run):
                    v = row[x + r]
                    re[at + done + r] = v.real
                    im[at + done + r] = v.imag
                done += run
                x = 0


@compiled
def workspace(n, dtype):
    """Zeros that begin at a line of the cache."""
    out = np.zeros(n + 64, dtype)
    skip = (-out.ctypes.data % 64) // out.itemsize
    return out[skip : skip + n]


@compiled
def spread(vectors, tiles, start, order, cell, beyond, c, coefficients, degree, width, bits, count, shape, rows, grid):
    """Add the points of some tiles to a grid."""
    dims, real, p = cell.shape[1], coefficients.dtype, LANES * (len(vectors) + 1)
    low, length, reach = np.empty(3, np.int64), np.empty(3, np.int64), np.ones(3, np.int64)
    strides = np.array([rows[1] * rows[2], rows[2]])
    re, im = workspace(rows[0] * rows[1] * rows[2], real), workspace(rows[0] * rows[1] * rows[2], real)
    near, middle, far, base = np.empty(_MANY * p, real), np.empty(p, real), np.empty(p, real), np.empty(_MANY, np.int64)
    weights, offsets = np.ones(_MANY * p * p, real), np.empty(p * p, np.int64)
    xs, ys = np.empty(_MANY, real), np.empty(_MANY, real)
    touched = row_offsets(dims, width, strides, offsets)
    step = 0 if dims == 1 else p if dims == 2 else p * width
    for t in tiles:
        if start[t] == start[t + 1]:
            continue
        corner(t, bits, count, shape, low, length)
        for a in range(3 - dims, 3):
            reach[a] = length[a] + width - 1
        used = (reach[0] - 1) * strides[0] + (reach[1] - 1) * strides[1] + rows[2]
        re[:used] = 0
        im[:used] = 0
        for k in range(start[t], start[t + 1], _MANY):
            many = min(_MANY, start[t + 1] - k)
            for i in range(many):  # before their use: each comes from elsewhere in memory
                xs[i], ys[i] = c[order[k + i]].real, c[order[k + i]].imag
            weigh(
                vectors,
                k,
                many,
                cell,
                beyond,
                coefficients,
                degree,
                width,
                low,
                strides,
                base,
                near,
                middle,
                far,
                weights,
            )
            for i in range(many):
                add_rows(vectors, re, im, base[i], offsets, touched, weights, i * step, near, i * p, xs[i], ys[i])
        add_tile(re, im, low, reach, strides, shape, grid)


@compiled
def interpolate(
    vectors, tiles, start, order, cell, beyond, out, coefficients, degree, width, bits, count, shape, rows, grid
):
    """Values of a grid at the points of some tiles."""
    dims, real, p = cell.shape[1], coefficients.dtype, LANES * (len(vectors) + 1)
    low, length, reach = np.empty(3, np.int64), np.empty(3, np.int64), np.ones(3, np.int64)
    strides = np.array([rows[1] * rows[2], rows[2]])
    re, im = workspace(rows[0] * rows[1] * rows[2], real), workspace(rows[0] * rows[1] * rows[2], real)
    near, middle, far, base = np.empty(_MANY * p, real), np.empty(p, real), np.empty(p, real), np.empty(_MANY, np.int64)
    weights, offsets = np.ones(_MANY * p * p, real), np.empty(p * p, np.int64)
    touched = row_offsets(dims, width, strides, offsets)
    step = 0 if dims == 1 else p if dims == 2 else p * width
    for t in tiles:
        if start[t] == start[t + 1]:
            continue
        corner(t, bits, count, shape, low, length)
        for a in range(3 - dims, 3):
            reach[a] = length[a] + width - 1
        copy_tile(re, im, low, reach, strides, shape, grid)
        for k in range(start[t], start[t + 1], _MANY):
            many = min(_MANY, start[t + 1] - k)
            weigh(
                vectors,
                k,
                many,
                cell,
                beyond,
                coefficients,
                degree,
                width,
                low,
                strides,
                base,
                near,
                middle,
                far,
                weights,
            )
            for i in range(many):
                x, y = sum_rows(vectors, re, im, base[i], offsets, touched, weights, i * step, near, i * p)
                out[order[k + i]] = complex(x, y)
