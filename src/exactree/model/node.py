"""One node of a graph as a record, to build, rewrite and save graphs."""

import math
from dataclasses import dataclass

from exactree.table import Test


@dataclass(frozen=True, slots=True)
class Node:
    """A leaf if ``test`` is left out, else a branch; the fields are those of :class:`Graph`.

    Parameters
    ----------
    label : int
        Index into the classes.
    weight : tuple of float
        Training weight of each class.
    rows : int
        Training rows.
    test : Test, default=Test.LEAF
        The kind of split.
    column : int, default=-1
        Index into the columns.
    threshold : float, default=nan
        As in :class:`Graph`.
    code : int, default=0
        As in :class:`Graph`.
    missing_yes : bool, default=False
        Whether missing values take the yes side.
    yes, no : int, default=-1
        The children.
    factors : tuple of (int, float)
        Columns and coefficients of an oblique split.

    Examples
    --------
    >>> Node(label=1, weight=(2.0, 3.0), rows=5).is_leaf
    True
    """

    label: int
    weight: tuple[float, ...]
    rows: int
    test: Test = Test.LEAF
    column: int = -1
    threshold: float = math.nan
    code: int = 0
    missing_yes: bool = False
    yes: int = -1
    no: int = -1
    factors: tuple[tuple[int, float], ...] = ()

    @property
    def is_leaf(self) -> bool:
        """Whether the node is a leaf."""
        return self.test == Test.LEAF
