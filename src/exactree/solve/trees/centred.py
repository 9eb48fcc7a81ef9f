"""Thresholds in the middle of the gap between the rows that they split, chosen in ranks before a graph is built.

A solver sees rows by rank. Where no row of a node lies between two cuts, both cuts split its rows alike. New rows may
lie there: half of the gap for each side is what CART gives them.
"""

import numpy as np

from exactree.arrays import Ints
from exactree.encode import RankedColumn


def centred(column: RankedColumn, rank: int, points: Ints) -> int:
    """Return the rank of the cut that splits some points as ``rank`` does, and is as far from both sides as there is.

    That is ``rank`` itself if all points are on one side, or if only a cut next to missing values lies in the middle.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> column = encode(Table.of([[0.0], [1.0], [2.0], [4.0]]), list("aabb")).columns[0]
    >>> centred(column, 0, np.array([0, 1, 2, 3])), centred(column, 0, np.array([0, 3])), column.cuts.tolist()
    (0, 2, [0.5, 1.5, 3.0])
    """
    ranks = column.ranks[points]
    is_yes = ranks <= rank
    if is_yes.all() or not is_yes.any():
        return rank
    middle = column.between(int(ranks[is_yes].max()), int(ranks[~is_yes].min()))
    return rank if middle == rank or np.isinf(column.cut(middle)) else middle
