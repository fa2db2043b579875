"""Special functions by family: each is one declaration (`declare`), from which `scisim.special` is generated."""
