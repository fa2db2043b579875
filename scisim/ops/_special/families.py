"""All families; importing them fills the table of functions."""

from scisim.ops._special import error_functions as error_functions
from scisim.ops._special import gamma as gamma
