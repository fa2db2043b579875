"""Names that a module does not have: the error says what to use."""

import sys

import pytest

import scisim as ss
import scisim.complex
import scisim.fft
from scisim import autodiff as ad
from scisim import optim
from scisim.core.public import OPERATIONS
from scisim.fft import spectral

MISSING = [
    (ss, "fftfreq", r"it is scisim\.fft\.fftfreq"),
    (ss, "expi", r"it is scisim\.special\.expi"),
    (ss, "linspce", "did you mean linspace"),
    (ss, "grad", r"it is scisim\.autodiff\.grad"),
    (ss, "signal", r"scisim\.fft\.spectral convolve"),
    (ss, "view_as_real", "stack"),
    (ss, "qqqqqq", r"dir\(scisim\) lists"),
    (ss.fft, "fftconvolve", r"use scisim\.fft\.spectral\.convolve"),
    (ss.fft, "set_backend", r"with scisim\.fft\.engine"),
    (ss.fft, "irfft_like", "did you mean irfftn_like"),
    (ss.fft, "inv", r"it is scisim\.linalg\.inv"),
    (spectral, "diff", r"use derivative\(u, order\)"),
    (spectral, "laplacien", "did you mean laplacian"),
    (ss.complex, "derivative", r"use complex\.holomorphic"),
    (ad, "holomorphic", r"it is scisim\.complex\.holomorphic"),
    (ad, "hesian", "did you mean hessian"),
    (optim, "adam", "did you mean Adam"),
]


@pytest.mark.parametrize(("module", "name", "way_out"), MISSING, ids=[f"{m.__name__}.{n}" for m, n, _ in MISSING])
def test_the_error_says_the_way_out(module, name, way_out):
    with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute '{name}'; .*{way_out}"):
        getattr(module, name)


def test_submodules_are_still_imported_by_from():
    from scisim.fft import lengths  # not an attribute that __getattr__ may refuse

    assert lengths is sys.modules["scisim.fft.lengths"]
    assert not hasattr(ss.fft, "__wrapped__")


def test_what_is_named_instead_exists():
    hints = [text for module in (ss, ss.fft, spectral, ss.complex, ad, optim) for text in module._ELSEWHERE.values()]
    named = [word.strip(",") for text in hints for word in text.split() if word.startswith("scisim.")]
    assert named
    for word in named:
        value = ss
        for part in word.split("(")[0].split(".")[1:]:
            value = getattr(value, part)


def test_what_has_a_hint_is_missing():
    for module in (ss, ss.fft, spectral, ss.complex, ad, optim):
        for name in module._ELSEWHERE:
            assert not hasattr(module, name), (module.__name__, name)
    assert "fft.fft" in OPERATIONS


def test_the_hints_compute_what_they_say():
    x = ss.asarray([1.0, -2.0, 0.5, 3.0, 1.0])
    fft, ifft, fftfreq, n = ss.fft.fft, ss.fft.ifft, ss.fft.fftfreq, 5
    from scipy.signal import hilbert

    analytic = ifft((1 + ss.sign(fftfreq(n))) * fft(x))
    assert float(ss.max(ss.abs(analytic - hilbert(x.numpy())))) < 1e-14
    turned = ss.real(ifft(-1j * ss.sign(fftfreq(n)) * fft(x)))
    assert float(ss.max(ss.abs(turned - hilbert(x.numpy()).imag))) < 1e-14
