"""The balance scale: which way does it tip?"""

from itertools import product

import numpy as np

from exactree.datasets.dataset import Dataset
from exactree.table import Frame

COLUMNS = ("left-weight", "left-distance", "right-weight", "right-distance")


def balance_scale() -> Dataset:
    """Build all 625 cases: two weights and two distances from 1 to 5; the larger product of weight and distance wins.

    Examples
    --------
    >>> data = balance_scale()
    >>> [(side, int((data.y == side).sum())) for side in data.classes]
    [('B', 49), ('L', 288), ('R', 288)]
    """
    cases = np.array(list(product(range(1, 6), repeat=4)), dtype=np.int64)
    tip = np.sign(cases[:, 0] * cases[:, 1] - cases[:, 2] * cases[:, 3])
    return Dataset(
        name="balance-scale",
        X=Frame(COLUMNS, list(cases.T)),
        y=np.array(["R", "B", "L"])[tip + 1],
        target="class",
        description="Does a scale tip left, right or not at all?",
        source="R. Siegler, Three Aspects of Cognitive Development, 1976; UCI Machine Learning Repository",
    )
