"""Counterfactuals of several rows, as a table."""

from typing import Any

from exactree.explain.counterfactual.result import Counterfactual, Counterfactuals
from exactree.explain.leaf_facts import label_text
from exactree.model.wording import display_width, truncated

_HEAD = ("row", "now", "then", "cost", "changes")
_ROOM = 24  # places for a label; a longer one is cut
_NUMBERS = ("row", "cost")


class CounterfactualTable(list[Counterfactuals]):
    """The counterfactuals of several rows: a list that prints as a table, with a line for each counterfactual.

    A cost with ``<=`` is that of a counterfactual that is not proved to be the nearest.

    Parameters
    ----------
    iterable : iterable of Counterfactuals
        The results of the rows.

    Examples
    --------
    >>> from exactree.explain import Change, LeafFacts
    >>> here, there = (LeafFacts(node, label, 5, 1.0, (0.566, 1.0)) for node, label in ((1, "no"), (2, "yes")))
    >>> answer = Counterfactual("yes", (Change("age", 30, 41, 1.5),), 1.5, {"age": 41}, there, proved=True)
    >>> found = Counterfactuals({"age": 30}, here, ("yes",), (answer,))
    >>> print(CounterfactualTable([found, Counterfactuals({"age": 50}, there, ("yes",), ())]))
    row  now  then  cost  changes
      0  no   yes    1.5  age: 30 -> 41
      1  yes              nothing has to change
    """

    def __str__(self) -> str:
        lines = [_HEAD, *(line for at, found in enumerate(self) for line in _lines(at, found))]
        widths = [max(display_width(line[place]) for line in lines) for place in range(len(_HEAD) - 1)]
        return "\n".join(_padded(line, widths) for line in lines)

    def to_frame(self) -> dict[str, list[Any]]:
        """Return all counterfactuals as columns, for a data frame: those of every row, and ``row`` in front."""
        frames = [(at, found.to_frame()) for at, found in enumerate(self)]
        names = list(dict.fromkeys(name for _, frame in frames for name in frame))
        number = "row"
        while number in names:
            number += "_"
        columns: dict[str, list[Any]] = {number: [at for at, frame in frames for _ in next(iter(frame.values()), [])]}
        for name in names:
            columns[name] = [
                value for _, frame in frames for value in frame.get(name, [None] * len(next(iter(frame.values()), [])))
            ]
        return columns


def _lines(at: int, found: Counterfactuals) -> list[tuple[str, ...]]:
    now = truncated(label_text(found.label), _ROOM)
    if not len(found):
        if found.already:
            return [(str(at), now, "", "", "nothing has to change")]
        if found.bound is not None:
            return [(str(at), now, "", f">= {found.bound:.4g}", "none found in time")]
        why = "" if found.relax is None else f"; possible without the limit that {found.relax.limit}"
        return [(str(at), now, "", "", f"none within these limits{why}")]
    return [(str(at), now, *_cells(answer)) for answer in found]


def _cells(answer: Counterfactual) -> tuple[str, str, str]:
    cost = f"{'' if answer.proved else '<= '}{answer.cost:.4g}"
    return truncated(label_text(answer.label), _ROOM), cost, "; ".join(map(str, answer.changes))


def _padded(line: tuple[str, ...], widths: list[int]) -> str:
    parts = []
    for text, width, name in zip(line, widths, _HEAD, strict=False):
        room = " " * (width - display_width(text))
        parts.append(room + text if name in _NUMBERS else text + room)
    return "  ".join([*parts, line[-1]])
