"""Reading tables and reference data into dictionaries of NumPy arrays, without running code from files."""

from scisim.io.files import read_csv, read_npz

__all__ = ["read_csv", "read_npz"]
