"""The command ``exactree``: reads the command line, runs one command, turns errors into one message and a code."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from errno import EINVAL
from io import TextIOWrapper

from exactree import __version__
from exactree.cli import (
    bench,
    counterfactual,
    datasets,
    demo,
    explain,
    fit,
    front,
    hybrid,
    leaf_report,
    predict,
    show,
)
from exactree.cli.arguments import EXIT_CODES, Parser
from exactree.errors import ExactreeError, SolverBug

__all__ = ["guarded", "main", "read"]

# A module per command, with its options and its run. What is heavy they import when they run: importing scikit-learn
# takes longer than all that show or --help have to do.
COMMANDS = {
    "fit": fit,
    "predict": predict,
    "show": show,
    "explain": explain,
    "counterfactual": counterfactual,
    "leaf-report": leaf_report,
    "front": front,
    "hybrid": hybrid,
    "datasets": datasets,
    "bench": bench,
    "demo": demo,
}

OVERVIEW = """\
Find decision trees that are proved to be the best of their size.

Start here:
  exactree demo                                        see what it does, in a few seconds
  exactree fit data.csv --target class -o model.json   learn a tree from your own table
  exactree predict model.json new.csv                  use it on other rows
  exactree show model.json                             read it again
  exactree explain model.json row.csv                  why a row gets its answer
  exactree counterfactual model.json row.csv           what would have to change for another
  exactree leaf-report model.json data.csv             how good every leaf is
  exactree front data.csv --target class               accuracy against the worst leaf: all best trees
  exactree hybrid data.csv --target class              a tree with models in its leaves
  exactree datasets                                    tables that come with exactree
  exactree bench                                       compare exactree with its peers

Help on a command, with examples: exactree COMMAND --help
"""

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
    options = read(argv)
    if options.version:
        sys.stdout.write(f"exactree {__version__}\n")
        return DONE
    return guarded("exactree", lambda: COMMANDS[options.command].run(options))


def read(argv: list[str] | None) -> Namespace:
    """Read the command line. The result has ``command`` and the options of that command.

    Examples
    --------
    >>> read(["fit", "data.csv", "--target", "class", "--max-depth", "4"]).max_depth
    4
    """
    parser = Parser(prog="exactree", description=OVERVIEW, epilog=EXIT_CODES)
    parser.add_argument("--version", action="store_true", help="print the version and leave")
    adder = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    parsers = {name: command.add_parser(adder) for name, command in COMMANDS.items()}
    options, unknown = parser.parse_known_args(argv)
    if unknown:
        parsers.get(options.command, parser).refuse(unknown)
    if options.command is None and not options.version:
        parser.print_help()
        parser.exit(0)
    return options


def guarded(command: str, run: Callable[[], int]) -> int:
    """Run a command; an error becomes one line on stderr and an exit code.

    Examples
    --------
    >>> guarded("exactree", lambda: DONE)
    0
    """
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
