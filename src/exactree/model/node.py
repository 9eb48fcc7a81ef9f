"""One node of a graph as a record: handy to write a graph down, to rewrite it, and to save it."""

import math
from dataclasses import dataclass

from exactree.table import Test


@dataclass(frozen=True, slots=True)
class Node:
    """A leaf if ``test`` is left out, else a branch; the fields mean what they mean in :class:`Graph`.

    Examples
    --------
    >>> Node(label=1, weight=(2.0, 3.0), rows=5).is_leaf
    True
    """

    label: int  # index into the classes
    weight: tuple[float, ...]  # training weight of each class
    rows: int  # training rows
    test: Test = Test.LEAF
    column: int = -1
    threshold: float = math.nan
    code: int = 0
    missing_yes: bool = False
    yes: int = -1
    no: int = -1
    factors: tuple[tuple[int, float], ...] = ()  # LINEAR: columns of the sum and what they are multiplied with

    @property
    def is_leaf(self) -> bool:
        """Whether the node asks nothing."""
        return self.test == Test.LEAF
