"""Rows that keep the worst leaf of any tree from being better."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.model.wording import percent

SHOWN = 10  # rows that are listed


@dataclass(frozen=True, slots=True, eq=False)
class BlockingRows:
    """For each row the best box around it, and the rows whose best box is no better than a tree's worst leaf.

    A leaf of depth d is a box of at most d conditions, so no tree's worst leaf scores more than the best box around
    any one row.

    Parameters
    ----------
    worst : float
        The score of the tree's worst leaf.
    reach : array of shape (n_rows,) or None
        The score of the best box around each row; None if not computed.
    rows : array of int
        Rows whose reach is no better than the worst leaf, ascending.
    n_conditions : int
        Largest number of conditions of a box.
    min_rows : int
        Smallest number of rows in a box.

    Examples
    --------
    >>> print(BlockingRows(0.75, np.array([0.9, 0.75, 0.8]), np.array([1]), 2, 5))
    1 row keeps the worst leaf at 75.0 %: no box of at most 2 conditions with 5 rows or more that holds it scores more
      row 1
    """

    worst: float
    reach: Floats | None
    rows: Ints
    n_conditions: int
    min_rows: int

    @property
    def bound(self) -> float | None:
        """Upper bound on the score of any tree's worst leaf, from single rows; None if not computed."""
        return None if self.reach is None else float(np.nanmin(self.reach))

    def __str__(self) -> str:
        at = f"at {percent(self.worst)}"
        if self.bound is None:
            return (
                f"which rows keep the worst leaf {at} is not computed: there are too many boxes of "
                f"{self.n_conditions} conditions; fewer thresholds or columns make fewer"
            )
        size = f"{self.min_rows} row{'s' * (self.min_rows != 1)} or more"
        box = f"box of at most {self.n_conditions} condition{'s' * (self.n_conditions != 1)} with {size}"
        if len(self.rows) == 0:
            return (
                f"no row by itself keeps the worst leaf {at}: each lies in a {box} that scores {percent(self.bound)} "
                f"or more, but such boxes need not make a tree"
            )
        one = len(self.rows) == 1
        named = ", ".join(map(str, self.rows[:SHOWN].tolist())) + ", ..." * (len(self.rows) > SHOWN)
        return (
            f"{len(self.rows):,} row{' keeps' if one else 's keep'} the worst leaf {at}: no {box} that holds "
            f"{'it' if one else 'any of them'} scores more\n  row{'s' * (not one)} {named}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "worst": self.worst,
            "bound": self.bound,
            "rows": None if self.reach is None else self.rows.tolist(),
            "n_conditions": self.n_conditions,
            "min_rows": self.min_rows,
        }
