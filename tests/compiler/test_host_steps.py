"""Steps in Python that write their results to the places where a compiled program wants them."""

import numpy as np
import pytest

import scisim as ss
from scisim.core.axes import leading
from scisim.core.primitive import Primitive

X = np.linspace(-1.0, 2.0, 12).reshape(3, 4)


def refused(*args, **params):
    raise AssertionError("evaluated although the result has a place")


def filler(name, fill, **rules):
    """A primitive that shapes its results like its operand, and the arrays that it was given to fill."""
    seen = []

    def into(out, x, **params):
        seen.append(out)
        fill(out, x, **params)

    rules = {"infer": like, **rules}
    return Primitive(name, refused, axes=leading(2), into=into, register=False, **rules), seen


def like(avals, params):
    return avals[0]


def triple(out, x):
    assert out.flags.c_contiguous
    assert not np.may_share_memory(out, x)
    np.multiply(x, 3.0, out=out)


def test_a_result_is_written_where_the_next_kernel_reads_it():
    tripled, seen = filler("tripled", triple)
    f = ss.jit(lambda x: ss.sin(tripled((x + 1.0)._v)) * 2.0)
    for x in (X, X + 1.0):
        np.testing.assert_allclose(f(x), 2.0 * np.sin(3.0 * (x + 1.0)), rtol=1e-14)
    assert seen[0].ctypes.data == seen[1].ctypes.data  # in the program's own memory


def test_a_result_of_the_program_is_written_to_fresh_memory():
    tripled, seen = filler("tripled", triple)
    f = ss.jit(lambda x: tripled((x + 1.0)._v))
    first, second = f(X), f(X + 1.0)
    np.testing.assert_array_equal(first, 3.0 * (X + 1.0))
    np.testing.assert_array_equal(second, 3.0 * (X + 2.0))
    assert [a.ctypes.data for a in seen] == [np.asarray(a).ctypes.data for a in (first, second)]


def test_operands_keep_the_strides_that_they_have():
    strides = []

    def fill(out, x):
        strides.append(x.strides)
        np.copyto(out, x)

    copied, _ = filler("copied", fill)
    f = ss.jit(lambda x: copied(ss.transpose(x)._v) * 2.0)
    np.testing.assert_array_equal(f(X), 2.0 * X.T)
    assert strides == [(8, 32)]


def test_a_loop_carries_and_stacks_what_is_written_in_place():
    tripled, seen = filler("tripled", triple)

    def f(x):
        def body(c, _):
            y = tripled((c * 0.5)._v)
            return ss.Tensor(y), ss.Tensor(y)

        return ss.scan(body, ss.asarray(x), None, length=4)

    last, every = ss.jit(f)(X)
    want = [X * 1.5**k for k in (1, 2, 3, 4)]
    np.testing.assert_allclose(every, want, rtol=1e-14)
    np.testing.assert_allclose(last, want[-1], rtol=1e-14)
    assert len(seen) == 4


def test_several_results_have_places():
    def fill(outs, x):
        np.sin(x, out=outs[0])
        np.cos(x, out=outs[1])

    both, seen = filler("both", fill, multiple=True, infer=lambda avals, p: (avals[0], avals[0]))

    def f(x):
        s, c = both((x + 0.0)._v)
        return s, ss.Tensor(c) + 1.0

    sine, cosine = ss.jit(f)(X)
    np.testing.assert_allclose(sine, np.sin(X), rtol=1e-15)
    np.testing.assert_allclose(cosine, np.cos(X) + 1.0, rtol=1e-15)
    assert [len(outs) for outs in seen] == [2]


def test_an_error_in_a_step_is_raised_and_the_program_runs_again():
    def fill(out, x):
        if x[0, 0] > 0.5:
            raise ss.errors.ArgumentError("too large")
        np.copyto(out, x)

    checked, _ = filler("checked", fill)
    f = ss.jit(lambda x: ss.exp(checked((x * 1.0)._v)))
    with pytest.raises(ss.errors.ArgumentError, match="too large"):
        f(X + 2.0)
    np.testing.assert_allclose(f(X), np.exp(X), rtol=1e-14)
