"""The errors that scisim raises: each is a `ScisimError` and the builtin type it refines.

A message names the function, the argument, what it got, what it wanted, and the way out.
"""


class ScisimError(Exception):
    """Base class of every error that scisim raises on purpose."""


class ShapeError(ScisimError, ValueError):
    """Shapes of operands do not fit each other or the operation."""


class DTypeError(ScisimError, TypeError):
    """An operand has a dtype for which the operation is not defined."""


class ArgumentError(ScisimError, ValueError):
    """An argument has a value outside of what the function accepts."""


class IndexRangeError(ArgumentError, IndexError):
    """An index past the end of its axis."""


class IndexShapeError(ShapeError, IndexError):
    """More indices than axes, or index arrays that do not fit each other."""


class NumberRangeError(ArgumentError, OverflowError):
    """A number that the dtype it must take cannot hold."""


class ArgumentTypeError(ScisimError, TypeError):
    """An argument is of a kind that the function does not accept."""


class IndexTypeError(ArgumentTypeError, IndexError):
    """An array that cannot be an index."""


class TraceError(ScisimError, TypeError):
    """A value inside a transformation was asked for something only a concrete array can give."""


class LeakError(ScisimError, RuntimeError):
    """A value of a transformation that has returned was used again."""


class MutationError(ScisimError, TypeError):
    """An in-place assignment that would be lost, or that the caller could not see."""


class DerivativeError(ScisimError, ArithmeticError):
    """A derivative does not exist, is not defined, or disagrees with what it must equal."""


class NonFiniteError(ScisimError, FloatingPointError):
    """A result is nan or infinite, and `debug_nans` was asked to find where."""


class MissingDependencyError(ScisimError, ImportError):
    """An optional package is needed and is not installed."""


class CheckpointError(ScisimError, OSError):
    """A checkpoint is missing, cut short, or belongs to another run or model."""


class FileError(ScisimError, OSError):
    """A file that is needed cannot be read, or a place cannot be written."""


class DistributedError(ScisimError, RuntimeError):
    """The ranks of a job disagree, or MPI is missing or of another kind than the launcher's."""


class ConvergenceError(ScisimError, ArithmeticError):
    """An iteration ended without reaching what was asked."""


class ExchangeError(ScisimError, BufferError):
    """An array cannot be handed from one library to another."""
