"""The command ``exactree``: reads the command line, runs one command, turns errors into one message and a code."""

import os
import sys
from collections.abc import Callable
from errno import EINVAL
from importlib import import_module
from io import TextIOWrapper

from exactree import __version__
from exactree.cli import arguments
from exactree.errors import ExactreeError, SolverBug

__all__ = ["guarded", "main"]

DONE = 0
BUG = 1
WRONG_INPUT = 2
BROKEN_PIPE = 141  # 128 + SIGPIPE, as for any command whose reader left
INTERRUPTED = 130  # 128 + SIGINT


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Examples
    --------
    >>> main(["datasets", "monks-7"])
    2
    """
    options = arguments.read(argv)
    if options.version:
        sys.stdout.write(f"exactree {__version__}\n")
        return DONE
    # By name, so that a command loads what it needs and no other: importing scikit-learn takes longer than all that
    # show or --help have to do.
    return guarded("exactree", lambda: import_module(f"exactree.cli.{options.command}").run(options))


def guarded(command: str, run: Callable[[], int]) -> int:
    """Run a command; an error becomes one line on stderr and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # an old code page without box-drawing signs shows question marks
    try:
        code = run()
        sys.stdout.flush()
        return code
    except SolverBug as error:
        return _say(command, f"{error} This is a bug in exactree, not your mistake; please report it.", BUG)
    except ExactreeError as error:
        return _say(command, str(error), WRONG_INPUT)
    except KeyboardInterrupt as stop:  # a command that keeps something says so
        return _say(command, str(stop) or "interrupted, nothing found yet.", INTERRUPTED)
    except OSError as error:  # a reader who left, a full disk, a file that may not be read
        if _is_broken_pipe(error):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at exit
            return BROKEN_PIPE
        return _say(command, f"{error.filename or 'input or output'}: {error.strerror or error}", WRONG_INPUT)


def _is_broken_pipe(error: OSError) -> bool:
    """Whether a reader left; Windows then speaks of an invalid argument, and names no file."""
    return isinstance(error, BrokenPipeError) or (os.name == "nt" and error.errno == EINVAL and error.filename is None)


def _say(command: str, message: str, code: int) -> int:
    sys.stderr.write(f"{command}: error: {message}\n")
    return code
