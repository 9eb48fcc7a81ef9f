"""Tables that are made, as large as one likes: numbers without ties, or rare words; simple answers with noise."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

NAME, WORDS = "generated", "generated words"  # stand for the file
NOISE = 0.15  # share of wrong labels
LEAST_COLUMNS = 3
RARE, TELLING = 0.03, 8  # share of ones, and columns that matter


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


def rare_words(n_rows: int, n_columns: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return (X, y): 0/1, three in a hundred are 1; class 1 with one of the first eight words, but for now and then.

    Examples
    --------
    >>> X, y = rare_words(1000, 200)
    >>> X.shape, round(float(X.mean()), 2)
    ((1000, 200), 0.03)
    """
    rng = np.random.default_rng(seed)
    X = (rng.random((n_rows, n_columns)) < RARE).astype(np.int32)
    return X, (X[:, :TELLING].any(axis=1) ^ (rng.random(n_rows) < NOISE)).astype(np.int32)


MAKERS: Mapping[str, Callable[[int, int], tuple[NDArray[Any], NDArray[np.int32]]]] = {
    NAME: noisy_tree,
    WORDS: rare_words,
}
