"""A third kind of hardware plugs in by registering itself: memory of its own, work that is done later, kernels.

It stands in for a device: nothing runs when it is started, only when somebody waits; what is copied out before is
noticed, and so is every address that is not the device's.
"""

import ctypes

import numpy as np
import pytest

import scisim as ss
from scisim import autodiff as ad
from scisim.compiler.cpu.cache import DiskCache
from scisim.compiler.cpu.library import Library
from scisim.compiler.cpu.target import Target, host
from scisim.core.devices import BACKENDS, register_backend
from scisim.core.errors import ArgumentError


class Toy:
    """Memory with guards, kernels for narrow vectors, and a queue of work."""

    kind = "toy"

    def __init__(self, folder):
        target = Target(host().triple, host().cpu, host().features, 128)
        self.library = Library(target, DiskCache(folder))
        self.memory: dict[int, tuple[np.ndarray, int]] = {}  # with guards around so many bytes
        self.queue: list = []
        self.most = self.launched = self.copies = 0

    def devices(self):
        return ["toy:0"]

    def from_host(self, array):
        return array

    def to_host(self, array):
        return array

    def synchronize(self):
        for work in self.queue:
            work()
        self.queue.clear()

    def vector_bits(self, device):
        return 128

    def allocate(self, device, nbytes):
        raw = np.full(nbytes + 192, 0xA5, np.uint8)
        address = -(-(raw.ctypes.data + 64) // 64) * 64
        self.memory[address] = raw, nbytes
        self.most = max(self.most, sum(size for _, size in self.memory.values()))
        return address

    def free(self, device, address):
        self.synchronize()
        raw, nbytes = self.memory.pop(address)
        start = address - raw.ctypes.data
        assert (raw[:start] == 0xA5).all(), "written before an array"
        assert (raw[start + nbytes :] == 0xA5).all(), "written after an array"

    def copy_in(self, device, address, array):
        self.copies += 1
        copy = array.copy()
        self.queue.append(lambda: ctypes.memmove(self._inside(address, copy.nbytes), copy.ctypes.data, copy.nbytes))

    def copy_out(self, device, address, array):
        self.copies += 1
        self.synchronize()
        ctypes.memmove(array.ctypes.data, self._inside(address, array.nbytes), array.nbytes)

    def _inside(self, address, nbytes):
        assert any(a <= address and address + nbytes <= a + size for a, (_, size) in self.memory.items())
        return address

    def compile(self, device, kernels):
        found = self.library.addresses(kernels)
        return {name: ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address) for name, address in found.items()}

    def launch(self, device, kernel, slots):
        block = np.array(slots, np.int64)
        self.launched += 1
        self.queue.append(lambda: kernel(block.ctypes.data))


@pytest.fixture
def toy(tmp_path):
    backend = Toy(tmp_path / "cache")
    register_backend(backend)
    yield backend
    del BACKENDS["toy"]


def loss(w, x):
    y = ss.tanh(x @ w)
    return ss.mean(y * y)


W = ss.random.normal(ss.random.key(0), (3, 5))
X = ss.random.normal(ss.random.key(1), (700, 3))

CASES = {
    "elementwise": (lambda x: ss.sin(x) * 2 + x, (X,)),
    "reductions": (lambda x: (ss.sum(x, axis=0), ss.max(x), ss.sum(x)), (X,)),
    "products": (lambda w, x: x @ w, (W, X)),
    "gradients": (ad.value_and_grad(loss), (W, X)),
    "moves": (lambda x: ss.concat([x.T[:, ::2] + 1, ss.ones((3, 2))], axis=1), (X,)),
    "host steps": (lambda x: ss.fft.fft(x[:8, 0] * 2.0).real + ss.sort(x[:8, 1] * 3.0), (X,)),
    "loops": (lambda x: ss.fori_loop(0, 4, lambda k, v: ss.cos(v) + k, x), (X,)),
    "while": (lambda x: ss.while_loop(lambda v: ss.sum(v * v) < 1e6, lambda v: v * 2.0, x), (X,)),
    "conditions": (lambda x: ss.cond(ss.sum(x) > 0, lambda v: v * 2.0, lambda v: v - 1.0, x), (X,)),
    "scans": (lambda x: ss.scan(lambda c, v: (c + v, ss.exp(-c)), ss.zeros(3), x[:20]), (X,)),
    "constants": (lambda x: (x + ss.asarray(np.arange(3.0)), ss.arange(3), x), (X,)),
    "integers": (lambda x: ss.astype(x * 10, ss.int32) // 3 > 0, (X,)),
}


@pytest.mark.parametrize("name", CASES)
def test_programs_run_on_it(toy, name):
    f, args = CASES[name]
    got, wanted = ss.jit(f, device="toy:0")(*args), f(*args)
    if not isinstance(wanted, tuple):
        got, wanted = (got,), (wanted,)
    for a, b in zip(got, wanted, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
    assert toy.launched > 0
    assert toy.memory == {}  # all of it was given back
    assert toy.queue == []


def test_it_is_listed_and_others_are_refused(toy):
    assert str(ss.device("toy:0")) == "toy:0"
    with pytest.raises(ArgumentError, match=r"jit: .*'toy:1'.*'cpu', 'toy:0'"):
        ss.jit(loss, device="toy:1")


def test_tiles_bound_its_memory(toy):
    f = ss.jit(lambda x: ss.sum(ss.tanh(ss.tanh(x @ W) @ W.T)), device="toy:0")
    f(X)
    small = toy.most - X.size * 8
    many = ss.concat([X] * 20)
    f(many)
    assert toy.most - many.size * 8 < 1.2 * small + 10_000


def test_kernels_are_made_once(toy):
    f = ss.jit(loss, device="toy:0")
    f(W, X)
    made = toy.library.stats.kernels
    f(W, X)
    f(W, X[:601])
    assert toy.library.stats.kernels == made > 0


def test_transformations_and_reports_know_nothing_of_it(toy):
    f = ss.jit(loss, device="toy:0")
    np.testing.assert_allclose(np.asarray(ad.grad(f)(W, X)), np.asarray(ad.grad(loss)(W, X)), rtol=1e-12)
    np.testing.assert_allclose(ss.vmap(lambda x: f(W, x[None]))(X[:5]), ss.vmap(lambda x: loss(W, x[None]))(X[:5]))
    low = f.lower(W, X)
    assert low.graph.count() > 0
    assert any("matmul" in k.computes for r in low.regions for k in r.kernels)
    assert low.code == ""
    with ss.profile() as p:
        f(W, X)
    assert "on toy:0" in repr(p)
    with ss.debug_nans(), pytest.raises(FloatingPointError, match="log"):
        ss.jit(lambda x: ss.log(x), device="toy:0")(X)
