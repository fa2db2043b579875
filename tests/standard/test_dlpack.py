"""Arrays from and for other libraries: NumPy, and one that exports from a device of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.core.errors import ArgumentTypeError, ExchangeError, ScisimError, TraceError


class Exporter:
    """An array of another library, on a device; it remembers what it was asked."""

    def __init__(self, a: np.ndarray, device: tuple[int, int] = (1, 0), copies: bool = True) -> None:
        self.a, self.device, self.copies, self.asked = a, device, copies, {}

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **asked: Any) -> Any:
        self.asked = asked
        if self.device != (1, 0) and not (asked.get("dl_device") == (1, 0) and self.copies):
            raise BufferError("lies on another device")
        return self.a.__dlpack__(max_version=asked.get("max_version"), copy=asked.get("copy"))


def test_numpy_arrays_are_shared_or_copied():
    a = np.array([1.0, 2.0, 3.0])
    shared, copied = ss.from_dlpack(a), ss.from_dlpack(a, copy=True)
    a[0] = 9.0
    assert (float(shared[0]), float(copied[0])) == (9.0, 1.0)
    assert np.shares_memory(np.asarray(shared), a)
    assert not np.asarray(shared).flags.writeable


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex64", "complex128"])
def test_tensors_go_there_and_back(dtype):
    x = ss.astype(ss.reshape(ss.arange(6), (2, 3)), dtype)
    for copy in (None, False, True):
        there = np.from_dlpack(x, copy=copy)
        assert np.shares_memory(there, np.asarray(x)) is (copy is not True)
        back = ss.from_dlpack(x, device="cpu", copy=copy)
        for y in (there, back):
            assert (y.dtype, y.shape) == (x.dtype, x.shape)
            np.testing.assert_array_equal(np.asarray(y), np.asarray(x))
    assert x.__dlpack_device__() == (1, 0)


def test_what_is_shared_cannot_be_written():
    assert not np.from_dlpack(ss.ones(3)).flags.writeable
    ours = ss.ones(3)
    ours[0] = 5.0
    there = np.from_dlpack(ours)
    ours[0] = 6.0  # puts a new value into the handle
    assert there[0] == 5.0


def test_strides_and_single_numbers():
    a = np.arange(12.0).reshape(3, 4)[::2, ::-1]
    np.testing.assert_array_equal(np.asarray(ss.from_dlpack(a)), a)
    np.testing.assert_array_equal(np.from_dlpack(ss.asarray(a).T), a.T)
    assert np.from_dlpack(ss.sum(ss.ones(3))) == 3.0
    assert ss.from_dlpack(np.zeros((0, 2))).shape == (0, 2)


def test_old_consumers_get_a_copy():
    x = ss.ones(2)
    assert "dltensor" in repr(x.__dlpack__())
    with pytest.raises(ExchangeError, match="cannot be told that a Tensor is read-only"):
        x.__dlpack__(copy=False)
    with pytest.raises(BufferError, match="device"):
        x.__dlpack__(dl_device=(2, 0), max_version=(1, 0))
    with pytest.raises(BufferError, match="stream"):
        x.__dlpack__(stream=1)


def test_another_device():
    far = Exporter(np.array([1.0, 2.0]), device=(2, 0))
    got = ss.from_dlpack(far, device="cpu")
    assert far.asked["dl_device"] == (1, 0)
    assert got.device == ss.device("cpu")
    np.testing.assert_array_equal(np.asarray(got), [1.0, 2.0])
    with pytest.raises(ExchangeError, match="cannot be handed over"):
        ss.from_dlpack(far)
    with pytest.raises(ExchangeError, match="another device"):
        ss.from_dlpack(Exporter(np.ones(1), (2, 0), copies=False), device="cpu")


def test_an_exporter_is_told_what_to_do():
    near = Exporter(np.array([1.0]))
    ss.from_dlpack(near, copy=True)
    assert near.asked["copy"] is True
    assert near.asked["max_version"] >= (1, 0)


def test_what_cannot_be_exchanged():
    with pytest.raises(ArgumentTypeError, match="expected an array with __dlpack__"):
        ss.from_dlpack([1.0])
    with pytest.raises(ScisimError, match="from_dlpack"):
        ss.from_dlpack(np.ones(1), device="abacus")
    with pytest.raises(ExchangeError, match="handed over"):
        ss.from_dlpack(np.array(["a"]))


def test_derivatives_stay_inside():
    with pytest.raises(TraceError, match="stop_gradient"):
        ad.grad(lambda x: ss.sum(ss.from_dlpack(np.from_dlpack(x))))(ss.ones(2))
    g = ad.grad(lambda x: ss.sum(ss.from_dlpack(x) ** 2))(ss.ones(2))
    np.testing.assert_array_equal(np.asarray(g), [2.0, 2.0])
