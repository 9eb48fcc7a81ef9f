"""The three MONK's problems (Thrun et al. 1991): robots described by six attributes, all 432 of them, without noise.

The attributes a1 to a6 take 3, 3, 2, 3, 4 and 2 values, coded from 1. A robot belongs to class 1 if

* MONK 1: a1 = a2 or a5 = 1;
* MONK 2: exactly two of the six attributes have their first value;
* MONK 3: (a5 = 3 and a4 = 1) or (a5 is not 4 and a2 is not 3).

The UCI test parts are these tables. The UCI training parts are samples of them; that of MONK 3 has six labels flipped.
"""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Ints
from exactree.datasets.dataset import Dataset
from exactree.table import Frame

DOMAIN_SIZES = (3, 3, 2, 3, 4, 2)
SOURCE = "S. Thrun et al., The MONK's Problems, CMU-CS-91-197, 1991; UCI Machine Learning Repository"


def monks_1() -> Dataset:
    """Build MONK 1, which needs a comparison of two attributes.

    Examples
    --------
    >>> data = monks_1()
    >>> data.n_rows, int(data.y.sum())
    (432, 216)
    """
    cases = _cases()
    label = (cases[:, 0] == cases[:, 1]) | (cases[:, 4] == 1)
    return _dataset("monks-1", cases, label, "Class 1 if a1 = a2 or a5 = 1.")


def monks_2() -> Dataset:
    """Build MONK 2, in which all attributes matter alike: hard for trees.

    Examples
    --------
    >>> int(monks_2().y.sum())
    142
    """
    cases = _cases()
    label = (cases == 1).sum(axis=1) == 2
    return _dataset("monks-2", cases, label, "Class 1 if exactly two attributes have the value 1.")


def monks_3() -> Dataset:
    """Build MONK 3.

    Examples
    --------
    >>> int(monks_3().y.sum())
    228
    """
    cases = _cases()
    label = (cases[:, 4] == 3) & (cases[:, 3] == 1) | (cases[:, 4] != 4) & (cases[:, 1] != 3)
    return _dataset("monks-3", cases, label, "Class 1 if a5 = 3 and a4 = 1, or a5 < 4 and a2 < 3.")


def _cases() -> Ints:
    return np.array(list(product(*(range(1, size + 1) for size in DOMAIN_SIZES))), dtype=np.int64)


def _dataset(name: str, cases: Ints, label: NDArray[Any], description: str) -> Dataset:
    names = tuple(f"a{j + 1}" for j in range(len(DOMAIN_SIZES)))
    return Dataset(name, Frame(names, list(cases.T)), label.astype(np.int64), "class", description, SOURCE)
