"""Counterfactuals as results: changes in the caller's own units, their cost, and the leaf where they end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from exactree.explain.counterfactual.actionability import Limit
from exactree.explain.leaf_facts import LeafFacts, label_text
from exactree.model.wording import display_width, printable
from exactree.table.question import format_value

MISSING = "missing"  # how a missing value is written


@dataclass(frozen=True, slots=True)
class Change:
    """One column that changes.

    Parameters
    ----------
    column : str
        Its name.
    old, new : object
        Its value before and after the change; None if missing.
    cost : float
        The cost of the change.

    Examples
    --------
    >>> print(Change("age", 30, 41, 1.5))
    age: 30 -> 41
    """

    column: str
    old: Any
    new: Any
    cost: float

    def __str__(self) -> str:
        return f"{printable(self.column)}: {value_text(self.old)} -> {value_text(self.new)}"


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """A changed row for which the model predicts another label.

    Parameters
    ----------
    label : object
        The predicted label.
    changes : tuple of Change
        The columns that change.
    cost : float
        The cost of all changes.
    row : dict
        The whole row after the changes; None where a value is missing.
    leaf : LeafFacts
        The leaf where it ends.
    proved : bool
        Whether it is proved that no feasible row of its leaf is nearer; in hybrid trees, no feasible row of any leaf.
    bound : float or None, default=None
        If that is not proved, a lower bound on the cost, if one is known.

    Examples
    --------
    >>> leaf = LeafFacts(node=2, label="yes", rows=4, accuracy=1.0, interval=(0.51, 1.0))
    >>> print(Counterfactual("yes", (Change("age", 30, 41, 1.5),), 1.5, {"age": 41}, leaf, proved=True))
    yes: cost 1.5, 1 change; leaf 2: 4 rows, 100.0 % right (51.0 to 100.0 %)
      age  30 -> 41
    """

    label: Any
    changes: tuple[Change, ...]
    cost: float
    row: dict[str, Any]
    leaf: LeafFacts
    proved: bool
    bound: float | None = None

    @property
    def n_changes(self) -> int:
        """Number of columns that change."""
        return len(self.changes)

    def __str__(self) -> str:
        what = f"{self.n_changes} change{'s' * (self.n_changes != 1)}"
        none = "" if self.bound is None else f": none costs less than {self.bound:.6g}"
        proof = "" if self.proved else f" (not proved to be the nearest{none})"
        head = f"{label_text(self.label)}: cost {self.cost:.6g}, {what}{proof}; leaf {self.leaf.node}: {self.leaf}"
        width = max((display_width(printable(change.column)) for change in self.changes), default=0)
        lines = [
            f"  {printable(c.column)}{' ' * (width - display_width(printable(c.column)))}  "
            f"{value_text(c.old)} -> {value_text(c.new)}"
            for c in self.changes
        ]
        return "\n".join([head, *lines])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "label": self.label,
            "cost": self.cost,
            "n_changes": self.n_changes,
            "changes": [{"column": c.column, "old": c.old, "new": c.new, "cost": c.cost} for c in self.changes],
            "row": dict(self.row),
            "leaf": self.leaf.to_dict(),
            "proved": self.proved,
            "bound": self.bound,
        }


@dataclass(frozen=True, slots=True)
class Relaxation:
    """The constraint whose relaxation makes an infeasible problem feasible at the least cost.

    Parameters
    ----------
    limit : Limit
        The constraint.
    answer : Counterfactual
        The nearest counterfactual without it.

    Examples
    --------
    >>> leaf = LeafFacts(node=2, label="yes", rows=4, accuracy=1.0, interval=(0.51, 1.0))
    >>> answer = Counterfactual("yes", (Change("age", 30, 41, 1.5),), 1.5, {"age": 41}, leaf, proved=True)
    >>> print(Relaxation(Limit("fixed", "age"), answer))
    without the limit that age is fixed: yes: cost 1.5, 1 change; leaf 2: 4 rows, 100.0 % right (51.0 to 100.0 %)
      age  30 -> 41
    """

    limit: Limit
    answer: Counterfactual

    def __str__(self) -> str:
        return f"without the limit that {self.limit}: {self.answer}"


@dataclass(frozen=True, slots=True)
class Counterfactuals(Sequence[Counterfactual]):
    """The nearest rows with a target label, cheapest first; empty if there are none.

    A sequence: ``len(found)``, ``found[0]`` and loops work as for a list.

    Parameters
    ----------
    row : dict
        The row as it is.
    source : LeafFacts
        The leaf where it ends now.
    wanted : tuple
        The target labels.
    answers : tuple of Counterfactual
        The counterfactuals.
    relax : Relaxation or None, default=None
        If there are none: the single constraint whose relaxation is cheapest, if relaxing one suffices.
    bound : float or None, default=None
        If time ran out before the search was complete: a lower bound on the cost of further counterfactuals.

    Examples
    --------
    >>> leaf = LeafFacts(node=1, label="no", rows=5, accuracy=1.0, interval=(0.566, 1.0))
    >>> found = Counterfactuals({"age": 30}, leaf, wanted=("yes",), answers=())
    >>> len(found), found.label, found.target_labels, found.already
    (0, 'no', ('yes',), False)
    >>> print(found)
    now no; leaf 1: 5 rows, 100.0 % right (56.6 to 100.0 %)
    no change within these limits leads to yes
    """

    row: dict[str, Any]
    source: LeafFacts
    wanted: tuple[Any, ...]
    answers: tuple[Counterfactual, ...]
    relax: Relaxation | None = None
    bound: float | None = None

    @property
    def label(self) -> Any:
        """The label that the model predicts now."""
        return self.source.label

    @property
    def target_labels(self) -> tuple[Any, ...]:
        """The target labels: ``wanted``, by the usual word."""
        return self.wanted

    @property
    def already(self) -> bool:
        """Whether the row has a target label as it is."""
        return self.label in self.wanted

    def __len__(self) -> int:
        return len(self.answers)

    def __iter__(self) -> Iterator[Counterfactual]:
        return iter(self.answers)

    @overload
    def __getitem__(self, at: int) -> Counterfactual: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Counterfactual, ...]: ...
    def __getitem__(self, at: int | slice) -> Counterfactual | tuple[Counterfactual, ...]:
        return self.answers[at]

    def __str__(self) -> str:
        now = f"now {label_text(self.label)}; leaf {self.source.node}: {self.source}"
        wanted = " or ".join(map(label_text, self.wanted)) or "another label"
        if self.already:
            return f"{now}\nnothing has to change: the target is {wanted}"
        if self.answers:
            return "\n".join([now, *(_numbered(at, answer) for at, answer in enumerate(self.answers, start=1))])
        if self.bound is not None:
            return f"{now}\nno change that leads to {wanted} was found in time; none costs less than {self.bound:.6g}"
        none = f"{now}\nno change within these limits leads to {wanted}"
        return none if self.relax is None else f"{none}\n{self.relax}"

    def to_frame(self) -> dict[str, list[Any]]:
        """Return the answers as columns, for ``pandas.DataFrame`` or ``polars.DataFrame``.

        There is one list per column of the table, with the values after the changes, and lists ``label``, ``cost``,
        ``n_changes``, ``accuracy``, ``rows`` and ``proved``; for diagrams ``path_accuracy`` and ``path_rows`` as well.
        A name that a column has already gets an underscore.
        """
        frame = {name: _of_one_type([answer.row[name] for answer in self.answers]) for name in self.row}
        more = {
            "label": [answer.label for answer in self.answers],
            "cost": [answer.cost for answer in self.answers],
            "n_changes": [answer.n_changes for answer in self.answers],
            "accuracy": [answer.leaf.accuracy for answer in self.answers],
            "rows": [answer.leaf.rows for answer in self.answers],
            "proved": [answer.proved for answer in self.answers],
        }
        paths = [answer.leaf.path for answer in self.answers]
        if any(path is not None for path in paths):
            more["path_accuracy"] = [None if path is None else path.accuracy for path in paths]
            more["path_rows"] = [None if path is None else path.rows for path in paths]
        for name, values in more.items():
            while name in frame:
                name += "_"
            frame[name] = values
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        relax = None
        if self.relax is not None:
            relax = {"limit": str(self.relax.limit), "kind": self.relax.limit.kind, **self.relax.answer.to_dict()}
        return {
            "label": self.label,
            "wanted": list(self.wanted),
            "already": self.already,
            "row": dict(self.row),
            "leaf": self.source.to_dict(),
            "answers": [answer.to_dict() for answer in self.answers],
            "relax": relax,
            "bound": self.bound,
        }


def _of_one_type(values: list[Any]) -> list[Any]:
    """Return integers as floats if there are floats among them: not every data frame takes both."""
    if not any(type(value) is float for value in values):
        return values
    return [float(value) if type(value) is int else value for value in values]


def _numbered(at: int, answer: Counterfactual) -> str:
    return f"{at}. " + str(answer).replace("\n", "\n ")


def value_text(value: Any) -> str:
    """Return a value as text.

    Examples
    --------
    >>> value_text(None), value_text(40.0), value_text("red")
    ('missing', '40', 'red')
    """
    return MISSING if value is None else printable(format_value(value))
