"""Tables that are made, as large as one likes: numbers without ties, and the answers of a small tree with noise."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

NAME = "generated"  # stands for the file
NOISE = 0.15  # share of wrong labels
LEAST_COLUMNS = 3


def noisy_tree(n_rows: int, n_columns: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return (X, y): uniform numbers, and a tree of depth three on the first three columns that errs now and then.

    Examples
    --------
    >>> X, y = noisy_tree(1000, 4)
    >>> X.shape, len(np.unique(X)), np.bincount(y)
    ((1000, 4), 4000, array([635, 365]))
    """
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, max(LEAST_COLUMNS, n_columns)))
    a, b, c = X[:, 0], X[:, 1], X[:, 2]
    y = np.where(a < 0.4, np.where(b < 0.6, c < 0.3, c > 0.7), np.where(c < 0.5, b < 0.2, b > 0.5))
    return X, (y ^ (rng.random(n_rows) < NOISE)).astype(np.int32)
