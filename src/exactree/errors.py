"""Every exception the library raises on purpose.

Users catch :class:`ExactreeError`; each subclass says whose mistake it was.
"""


class ExactreeError(Exception):
    """Base class of all errors raised on purpose by this library."""


class InputError(ExactreeError, ValueError):
    """The caller gave something that cannot be used; the message says what to change."""


class Infeasible(InputError):
    """No model within the limits satisfies all constraints."""


class FormatError(InputError):
    """A saved model cannot be read: truncated, tampered with, or from a newer format."""


class Unsupported(ExactreeError, ValueError):
    """The chosen solver cannot handle this problem; the message names one that can."""


class SolverBug(ExactreeError):
    """A solver's claim failed our own re-check. Never the caller's fault."""
