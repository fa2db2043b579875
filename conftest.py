"""What every test and doctest needs before NumPy is imported."""

import os

# Tests compare numbers, so each product runs in one order; and several ranks share one machine.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")

# Links to folders of scisim/: collecting through them would run the same files under a second name.
collect_ignore = ["autodiff", "fft", "complex", "distributed", "build", "dist"]
