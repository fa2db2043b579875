"""Discrete Fourier transforms that differentiate, map, compile and shard like every other operation."""

from typing import NoReturn as _NoReturn

from scisim.core.names import missing_name as _missing_name
from scisim.core.public import public as _public
from scisim.fft import frequencies, nonuniform, planar, short_time, spectral, transforms, trigonometric
from scisim.fft.engines import cache_info, clear_cache, engine, list_engines, register_engine, set_cache_limit
from scisim.fft.lengths import next_fast_len

fft = _public("fft", transforms.fft, module="fft")
ifft = _public("ifft", transforms.ifft, module="fft")
rfft = _public("rfft", transforms.rfft, module="fft")
irfft = _public("irfft", transforms.irfft, module="fft")
hfft = _public("hfft", transforms.hfft, module="fft")
ihfft = _public("ihfft", transforms.ihfft, module="fft")
fft2 = _public("fft2", planar.fft2, module="fft")
ifft2 = _public("ifft2", planar.ifft2, module="fft")
rfft2 = _public("rfft2", planar.rfft2, module="fft")
irfft2 = _public("irfft2", planar.irfft2, module="fft")
hfft2 = _public("hfft2", planar.hfft2, module="fft")
ihfft2 = _public("ihfft2", planar.ihfft2, module="fft")
fftn = _public("fftn", transforms.fftn, module="fft")
ifftn = _public("ifftn", transforms.ifftn, module="fft")
rfftn = _public("rfftn", transforms.rfftn, module="fft")
irfftn = _public("irfftn", transforms.irfftn, module="fft")
hfftn = _public("hfftn", transforms.hfftn, module="fft")
ihfftn = _public("ihfftn", transforms.ihfftn, module="fft")
irfftn_like = _public("irfftn_like", transforms.irfftn_like, module="fft")
fftfreq = _public("fftfreq", frequencies.fftfreq, module="fft")
rfftfreq = _public("rfftfreq", frequencies.rfftfreq, module="fft")
fftshift = _public("fftshift", frequencies.fftshift, module="fft")
ifftshift = _public("ifftshift", frequencies.ifftshift, module="fft")
dct = _public("dct", trigonometric.dct, module="fft")
idct = _public("idct", trigonometric.idct, module="fft")
dst = _public("dst", trigonometric.dst, module="fft")
idst = _public("idst", trigonometric.idst, module="fft")
dctn = _public("dctn", trigonometric.dctn, module="fft")
idctn = _public("idctn", trigonometric.idctn, module="fft")
dstn = _public("dstn", trigonometric.dstn, module="fft")
idstn = _public("idstn", trigonometric.idstn, module="fft")
stft = _public("stft", short_time.stft, module="fft")
istft = _public("istft", short_time.istft, module="fft")
nufft1 = _public("nufft1", nonuniform.nufft1, module="fft")
nufft2 = _public("nufft2", nonuniform.nufft2, module="fft")
nufft3 = _public("nufft3", nonuniform.nufft3, module="fft")

__all__ = [
    "fft",
    "ifft",
    "rfft",
    "irfft",
    "hfft",
    "ihfft",
    "fft2",
    "ifft2",
    "fftn",
    "ifftn",
    "rfftn",
    "irfftn",
    "hfftn",
    "ihfftn",
    "irfftn_like",
    "rfft2",
    "irfft2",
    "hfft2",
    "ihfft2",
    "fftfreq",
    "rfftfreq",
    "fftshift",
    "ifftshift",
    "cache_info",
    "clear_cache",
    "engine",
    "list_engines",
    "register_engine",
    "set_cache_limit",
    "dct",
    "idct",
    "dst",
    "idst",
    "dctn",
    "idctn",
    "dstn",
    "idstn",
    "stft",
    "istft",
    "nufft1",
    "nufft2",
    "nufft3",
    "spectral",
    "next_fast_len",
]

_ELSEWHERE = {
    "fftconvolve": "use scisim.fft.spectral.convolve",
    "oaconvolve": "use scisim.fft.spectral.convolve",
    "nufft": "use nufft1 (points to modes), nufft2 (modes to points) or nufft3 (points to frequencies)",
    "nfft": "use nufft2, from modes to points",
    "set_engine": "engines are chosen by `with scisim.fft.engine(name):`",
    "set_backend": "engines are chosen by `with scisim.fft.engine(name):`",
    "set_global_backend": "engines are chosen by `with scisim.fft.engine(name):`",
    "set_workers": "the environment variable SCISIM_NUM_THREADS sets the number of threads",
    "get_workers": "the environment variable SCISIM_NUM_THREADS sets the number of threads",
    "spectrogram": "it is abs(stft(x)) ** 2, a density with scaling='psd'",
    "hilbert": "the analytic signal is ifft((1 + sign(fftfreq(n))) * fft(x)), with n = x.shape[-1] odd",
}


def __getattr__(name: str) -> _NoReturn:
    raise _missing_name(__name__, name, _ELSEWHERE)
