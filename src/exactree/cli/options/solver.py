"""``--solver`` and ``--solver-option NAME=VALUE`` -> a solver."""

import ast
from argparse import ArgumentTypeError
from dataclasses import fields, is_dataclass, replace
from typing import Any

from exactree.errors import InputError


def add_solver_options(group: Any) -> None:
    """Add the option to a group of a parser.

    Examples
    --------
    >>> from exactree.cli.arguments import Parser
    >>> parser = Parser(prog="exactree")
    >>> add_solver_options(parser)
    >>> parser.parse_args(["--solver-option", "strategy=halving"]).solver_option
    [('strategy', 'halving')]
    """
    group.add_argument(
        "--solver-option",
        metavar="NAME=VALUE",
        type=_option,
        action="append",
        default=[],
        help="an option of the solver as in Python, such as strategy=halving of xct, backend=highs of binoct, or "
        "multivariate=true of oct; may be given several times",
    )


def _option(text: str) -> tuple[str, Any]:
    """Read a name and a value: a number, true, false, none or a text.

    Examples
    --------
    >>> _option("margin=0.01"), _option("multivariate=true"), _option("warm-start=none")
    (('margin', 0.01), ('multivariate', True), ('warm_start', None))
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ArgumentTypeError(f"{text!r} is not like strategy=halving")
    words = {"true": True, "false": False, "none": None}
    if value.lower() in words:
        return name.replace("-", "_"), words[value.lower()]
    try:
        number = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        number = value
    return name.replace("-", "_"), number if isinstance(number, int | float) else value


def solver_with(name: str, options: list[tuple[str, Any]], *, diagrams: bool) -> Any:
    """Return the name, or with options the solver of that name with them.

    Examples
    --------
    >>> solver_with("auto", [], diagrams=False)
    'auto'
    >>> solver_with("xct", [("strategy", "halving")], diagrams=False).strategy
    'halving'
    """
    if not options:
        return name
    from exactree.solve.registry import DIAGRAM_SOLVERS, solver_named

    if name == "auto":
        raise InputError(f"--solver-option {options[0][0]} is an option of which solver? Name it with --solver.")
    solver: Any = DIAGRAM_SOLVERS.get(name.replace("_", "-")) if diagrams else solver_named(name)
    if solver is None:
        raise InputError(f"Unknown solver {name!r}; choose one of auto, {', '.join(sorted(DIAGRAM_SOLVERS))}.")
    known = [each.name for each in fields(solver)] if is_dataclass(solver) else []
    for option, _ in options:
        if option not in known:
            of_it = f"Its options are: {', '.join(known)}." if known else "It has none."
            raise InputError(f"--solver-option: the solver {name!r} has no option {option!r}. {of_it}")
    try:
        return replace(solver, **dict(options))
    except TypeError as error:
        raise InputError(f"--solver-option: {error}. Check the values of the options.") from None
