"""``--fairness``, ``--false-negatives`` and ``--leaf-accuracy`` -> constraints, and what the answers make of them."""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from exactree.cli.arguments import names
from exactree.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from exactree.problem import Fairness, FalseNegatives, LeafAccuracy
    from exactree.table import Frame

EMPTY = "(empty)"  # how a group of rows without a value is named


def add_sensitive(group: Any) -> None:
    """Add the options on groups of rows to a group of a parser.

    Examples
    --------
    >>> from exactree.cli.arguments import Parser
    >>> parser = Parser(prog="exactree")
    >>> add_sensitive(parser)
    >>> parser.parse_args(["--sensitive", "sex,race", "--drop-sensitive"]).sensitive
    ['sex', 'race']
    """
    group.add_argument(
        "--sensitive",
        metavar="A,B",
        type=names,
        default=[],
        help="columns that say which group a row belongs to; of several, every combination is a group",
    )
    group.add_argument(
        "--drop-sensitive",
        action="store_true",
        help="use the --sensitive columns for groups only, and ask no question about them",
    )
    group.add_argument("--positive", metavar="LABEL", help="the favourable answer (default: of two labels, the second)")
    group.add_argument("--within", metavar="NAME", help="compare groups among rows of equal values of this column only")


def add_constraints(group: Any) -> None:
    """Add the options on constraints to a group of a parser; each may be given several times.

    Examples
    --------
    >>> from exactree.cli.arguments import Parser
    >>> parser = Parser(prog="exactree")
    >>> add_constraints(parser)
    >>> parser.parse_args(["--fairness", "demographic_parity=0.05", "--false-negatives", "yes=3"]).false_negatives
    [('yes', 3.0)]
    """
    group.add_argument(
        "--fairness",
        metavar="MEASURE=D",
        type=_limit,
        action="append",
        default=[],
        help="rates of the positive answer differ by at most D between groups; MEASURE is demographic_parity, "
        "equal_opportunity, predictive_equality or equalized_odds",
    )
    group.add_argument(
        "--fairness-ratio",
        metavar="MEASURE=R",
        type=_limit,
        action="append",
        default=[],
        help="the rate of each group is at least R times that of any other, such as 0.8",
    )
    group.add_argument(
        "--fairness-price",
        metavar="P",
        type=float,
        help="--fairness and --fairness-ratio may be violated: a difference of rates of 1 beyond the limit costs P "
        "times all rows",
    )
    group.add_argument(
        "--false-negatives",
        metavar="[LABEL=]N",
        type=_count,
        action="append",
        default=[],
        help="at most N rows of a label (default: of --positive) are answered otherwise",
    )
    group.add_argument(
        "--leaf-accuracy", metavar="Q", type=float, help="at least this share of the rows of every leaf is right"
    )
    group.add_argument(
        "--leaf-accuracy-price",
        metavar="P",
        type=float,
        help="--leaf-accuracy may be violated: a leaf below Q costs P times all rows",
    )
    add_sensitive(group)


def _limit(text: str) -> tuple[str, float]:
    """Read a measure and a number.

    Examples
    --------
    >>> _limit("equal-opportunity=0.1")
    ('equal-opportunity', 0.1)
    """
    measure, _, number = text.rpartition("=")
    try:
        return measure, float(number)
    except ValueError:
        measure = ""
    raise ArgumentTypeError(f"{text!r} is not like demographic_parity=0.05")


def _count(text: str) -> tuple[str | None, float]:
    """Read a number of rows, after a label or without.

    Examples
    --------
    >>> _count("400"), _count(">50K=3")
    ((None, 400.0), ('>50K', 3.0))
    """
    label, _, number = text.rpartition("=")
    try:
        return label or None, float(number)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is neither a number of rows nor like yes=3") from None


def sensitive_columns(options: Namespace, frame: "Frame") -> list[str]:
    """Columns that are used for groups and are no questions; none for commands without constraints."""
    from exactree.cli import data

    columns = list(getattr(options, "sensitive", []))
    data.require(columns, frame, "--sensitive")
    return columns if getattr(options, "drop_sensitive", False) else []


def read_constraints(options: Namespace, frame: "Frame", y: "NDArray[Any]") -> list[Any]:
    """Return the constraints that were typed, with the groups of all rows.

    Parameters
    ----------
    options : Namespace
        What was typed.
    frame : Frame
        The table with all columns.
    y : ndarray
        The labels, to find those that texts on the command line mean.
    """
    if not hasattr(options, "fairness"):  # a command without constraints
        return []
    return [*_fairness(options, frame, y), *_false_negatives(options, y), *_leaf_accuracy(options)]


def _fairness(options: Namespace, frame: "Frame", y: "NDArray[Any]") -> "Iterator[Fairness]":
    from exactree.problem import Fairness

    asked = [(option, *each) for option in ("fairness", "fairness_ratio") for each in getattr(options, option)]
    if not asked:
        _refuse_unused(options)
        return
    groups = sensitive_groups(options, frame)
    within = None if options.within is None else frame.column(options.within)
    positive = None if options.positive is None else label_meant(options.positive, y, "--positive")
    for option, measure, number in asked:
        how = {"at_most" if option == "fairness" else "ratio": number}
        how["price"] = getattr(options, "fairness_price", None)
        yield Fairness(measure.replace("-", "_"), **how, groups=groups, positive=positive, within=within)


def _refuse_unused(options: Namespace) -> None:
    if getattr(options, "fairness_price", None) is not None:
        raise InputError(
            "--fairness-price says what is paid beyond a limit. Give that, as with --fairness demographic_parity=0.05."
        )
    for name in ("sensitive", "drop_sensitive", "within"):
        if getattr(options, name):
            flag = "--" + name.replace("_", "-")
            raise InputError(f"{flag} is about fairness. Say what is fair, as with --fairness demographic_parity=0.05.")
    if options.positive is not None and not options.false_negatives:
        raise InputError("--positive is about --fairness and --false-negatives. Give one of them, or leave it out.")


def sensitive_groups(options: Namespace, frame: "Frame") -> "NDArray[Any]":
    """Return the group of each row; several columns side by side."""
    import numpy as np

    from exactree.cli import data

    if not options.sensitive:
        raise InputError("Which rows are to be compared? Name the column that says so, as with --sensitive sex.")
    if options.within is not None:
        data.require([options.within], frame, "--within")
    columns = [frame.column(name) for name in options.sensitive]
    return columns[0] if len(columns) == 1 else np.column_stack([column.astype(object) for column in columns])


def _false_negatives(options: Namespace, y: "NDArray[Any]") -> "Iterator[FalseNegatives]":
    from exactree.problem import FalseNegatives

    for label, at_most in options.false_negatives:
        text = label if label is not None else options.positive
        option = "--false-negatives" if label is not None else "--positive"
        yield FalseNegatives(at_most, None if text is None else label_meant(text, y, option))


def _leaf_accuracy(options: Namespace) -> "Iterator[LeafAccuracy]":
    from exactree.problem import LeafAccuracy

    price = getattr(options, "leaf_accuracy_price", None)
    if options.leaf_accuracy is not None:
        yield LeafAccuracy(options.leaf_accuracy, price=price)
    elif price is not None:
        raise InputError("--leaf-accuracy-price says what a leaf below --leaf-accuracy costs. Give both.")


def label_meant(text: str, y: "NDArray[Any]", option: str) -> Any:
    """Find the label that a text on the command line means.

    Examples
    --------
    >>> import numpy as np
    >>> label_meant("1", np.array([0, 1, 1]), "--positive")
    1
    """
    label_of = {str(label): label for label in sorted(set(y.tolist()))}
    if text not in label_of:
        raise InputError(f"{option} names {text!r}, which is not a label. The labels are: {', '.join(label_of)}.")
    return label_of[text]


class Kept(NamedTuple):
    """A constraint, what it allows and what the answers to some rows make of it."""

    name: str
    reached: float
    limit: float
    at_least: bool = False  # whether the limit is from below

    def __str__(self) -> str:
        side = "at least" if self.at_least else "at most"
        return f"{self.name}: {self.reached:.4g} ({side} {self.limit:g} allowed)"


def kept(
    constraints: list[Any], y: "NDArray[Any]", answers: "NDArray[Any]", weights: "NDArray[Any] | None"
) -> list[Kept]:
    """Measure answers by fairness and false negatives; limits on leaves are reported with the leaves."""
    import numpy as np

    from exactree.problem import Fairness, FalseNegatives

    amount = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    labels = sorted(set(y.tolist()))
    found = []
    for constraint in constraints:
        if not isinstance(constraint, Fairness | FalseNegatives):
            continue
        positive = labels[1] if constraint.positive is None else constraint.positive
        if isinstance(constraint, FalseNegatives):
            missed = float(amount[(y == positive) & (answers != positive)].sum())
            found.append(Kept(f"false negatives of {positive}", missed, constraint.at_most))
            continue
        for measure, rates in _rates(constraint, y, answers == positive, amount, positive):
            found.append(_spread(measure, constraint, rates))
    return found


def _spread(measure: str, constraint: "Fairness", rates: list[list[float]]) -> Kept:
    if constraint.ratio is None:
        apart = max((max(each) - min(each) for each in rates), default=0.0)
        return Kept(f"{measure}, difference", apart, constraint.at_most or 0.0)
    shares = (min(each) / max(each) if max(each) > 0 else 1.0 for each in rates)
    return Kept(f"{measure}, ratio", min(shares, default=1.0), constraint.ratio, at_least=True)


def _rates(
    constraint: "Fairness", y: "NDArray[Any]", favoured: "NDArray[np.bool_]", amount: "NDArray[Any]", positive: Any
) -> "Iterator[tuple[str, list[list[float]]]]":
    """Rates of the positive answer in all groups, stratum by stratum."""
    import numpy as np

    rows = {"equal_opportunity": y == positive, "predictive_equality": y != positive}
    parts = list(rows) if constraint.measure == "equalized_odds" else [constraint.measure]
    group, stratum = _numbers(constraint.groups), _numbers(constraint.within, len(y))
    for part in parts:
        counted = rows.get(part, np.ones(len(y), dtype=np.bool_))
        strata = []
        for which in range(int(stratum.max()) + 1):
            chosen = [counted & (stratum == which) & (group == g) for g in range(int(group.max()) + 1)]
            rates = [float(amount[c & favoured].sum() / amount[c].sum()) for c in chosen if amount[c].sum() > 0]
            strata += [rates] if rates else []
        yield part, strata


def _numbers(values: Any, n_rows: int = 0) -> "NDArray[np.intp]":
    """Number the different values, or rows of values; empty cells are one value."""
    import numpy as np

    from exactree.cli.cell import is_missing

    if values is None:
        return np.zeros(n_rows, dtype=np.intp)
    table = np.asarray(values, dtype=object).reshape(len(values), -1)
    texts = ["\0".join(EMPTY if is_missing(cell) else str(cell) for cell in row) for row in table.tolist()]
    return np.unique(texts, return_inverse=True)[1]
