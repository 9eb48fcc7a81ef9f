"""How good a hybrid tree is, leaf by leaf and as a whole, beside the tree without its models."""

import math
from dataclasses import dataclass
from typing import Any

from exactree.model.wording import display_width, percent, printable, truncated

_ROOM = 24  # places for a class; a longer name is cut
_HEAD = ("leaf", "class", "rows", "tree", "hybrid", "what sits there")


@dataclass(frozen=True, slots=True)
class LeafScore:
    """Rows in one leaf, how many of them the tree and the hybrid get right, and what sits there.

    Examples
    --------
    >>> leaf = LeafScore(3, "yes", rows=8, tree_right=6, right=7, model=None, why="8 rows, fewer than min_rows=50")
    >>> leaf.tree_accuracy, leaf.accuracy
    (0.75, 0.875)
    """

    node: int  # number of the leaf in the tree
    label: Any  # the tree's class there
    rows: int
    tree_right: int
    right: int
    model: str | None  # what was fitted; None where the class stays
    why: str  # from training
    validated: float | None = None  # share of its training rows that the model got right while they were held out

    def __setstate__(self, state: list[Any]) -> None:
        # Pickles of version 0.1.0 have no last field.
        for name, value in zip(self.__slots__, [*state, None], strict=False):
            object.__setattr__(self, name, value)

    @property
    def tree_accuracy(self) -> float:
        """Share of rows that the tree gets right; NaN without rows."""
        return self.tree_right / self.rows if self.rows else math.nan

    @property
    def accuracy(self) -> float:
        """Share of rows that the hybrid gets right; NaN without rows."""
        return self.right / self.rows if self.rows else math.nan


@dataclass(frozen=True, slots=True)
class HybridReport:
    """Scores of all leaves, ascending by node; prints as a table. Rows count alike, whatever their weights.

    Examples
    --------
    >>> small = LeafScore(1, "no", rows=4, tree_right=4, right=4, model=None, why="all its rows are 'no'")
    >>> large = LeafScore(2, "yes", rows=96, tree_right=60, right=90, model="SVC", why="fitted on 96 rows of 2 classes")
    >>> report = HybridReport((small, large))
    >>> report.tree_accuracy, report.accuracy, report.tree_leaf_accuracy, report.leaf_accuracy
    (0.64, 0.94, 0.625, 0.9375)
    >>> print(report)
    leaf  class  rows     tree   hybrid  what sits there
       1  no        4  100.0 %  100.0 %  the class: all its rows are 'no'
       2  yes      96   62.5 %   93.8 %  SVC, fitted on 96 rows of 2 classes
    tree    64.0 % right, worst leaf 62.5 %
    hybrid  94.0 % right, worst leaf 93.8 %
    """

    leaves: tuple[LeafScore, ...]

    @property
    def rows(self) -> int:
        """Rows in all leaves."""
        return sum(leaf.rows for leaf in self.leaves)

    @property
    def tree_accuracy(self) -> float:
        """Share of all rows that the tree gets right."""
        return sum(leaf.tree_right for leaf in self.leaves) / self.rows

    @property
    def accuracy(self) -> float:
        """Share of all rows that the hybrid gets right."""
        return sum(leaf.right for leaf in self.leaves) / self.rows

    @property
    def validated_accuracy(self) -> float | None:
        """Share of all rows right while models had them held out, where leaves have models; None without validation."""
        if all(leaf.validated is None for leaf in self.leaves):
            return None
        right = (leaf.right if leaf.validated is None else leaf.validated * leaf.rows for leaf in self.leaves)
        return sum(right) / self.rows

    @property
    def tree_leaf_accuracy(self) -> float:
        """Accuracy of the tree in its worst leaf with at least one row."""
        return min(leaf.tree_accuracy for leaf in self.leaves if leaf.rows)

    @property
    def leaf_accuracy(self) -> float:
        """Accuracy of the hybrid in its worst leaf with at least one row."""
        return min(leaf.accuracy for leaf in self.leaves if leaf.rows)

    def __str__(self) -> str:
        table = [_HEAD, *map(_cells, self.leaves)]
        widths = [max(display_width(line[j]) for line in table) for j in range(len(_HEAD) - 1)]
        tree = f"{percent(self.tree_accuracy)} right, worst leaf {percent(self.tree_leaf_accuracy)}"
        hybrid = f"{percent(self.accuracy)} right, worst leaf {percent(self.leaf_accuracy)}"
        if (validated := self.validated_accuracy) is not None:
            hybrid += f"; in validation {percent(validated)} right"
        return "\n".join([*(_line(line, widths) for line in table), f"tree    {tree}", f"hybrid  {hybrid}"])


def _cells(leaf: LeafScore) -> tuple[str, ...]:
    shares = [percent(share) if leaf.rows else "-" for share in (leaf.tree_accuracy, leaf.accuracy)]
    what = f"the class: {leaf.why}" if leaf.model is None else f"{leaf.model}, {leaf.why}"
    return str(leaf.node), truncated(printable(leaf.label), _ROOM), f"{leaf.rows:,}", *shares, printable(what)


def _line(line: tuple[str, ...], widths: list[int]) -> str:
    """Put cells under each other: names to the left, numbers to the right."""
    padded = []
    for text, width, name in zip(line, widths, _HEAD, strict=False):
        room = " " * (width - display_width(text))
        padded.append(text + room if name == "class" else room + text)
    return "  ".join([*padded, line[-1]])
