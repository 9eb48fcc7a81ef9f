"""Synthetic tables of any size: numbers without ties, sparse 0/1 columns, or positions of markers on a hand."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

NAME, WORDS, POSTURES = "generated", "generated words", "generated postures"  # in place of a file name
SMOOTH = "generated smooth"
STEEP = 2.0  # how fast the probability of class 1 changes
NOISE = 0.15  # share of flipped labels
LEAST_COLUMNS, CURVED_COLUMNS = 3, 6
RARE, INFORMATIVE = 0.03, 8  # share of ones, and number of informative columns
CLASSES, AXES = 5, 3  # of postures; columns per marker


def noisy_tree(n_rows: int, n_columns: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return (X, y): uniform numbers, labelled by a tree of depth three on the first three columns, with noise.

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


def smooth_odds(n_rows: int, n_columns: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return (X, y): normal numbers, with odds of class 1 that are smooth in the first six columns.

    No tree fits well, and most cuts of a column are nearly as good as their neighbours.

    Examples
    --------
    >>> X, y = smooth_odds(1000, 10)
    >>> X.shape, np.bincount(y)
    ((1000, 10), array([481, 519]))
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, max(CURVED_COLUMNS, n_columns)))
    odds = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.7 * np.abs(X[:, 3]) - 0.5 * X[:, 4] ** 2 + 0.4 * X[:, 5]
    return X, (rng.random(n_rows) < 1 / (1 + np.exp(-STEEP * odds))).astype(np.int32)


def sparse_words(n_rows: int, n_columns: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return (X, y): 0/1 with 3 % ones; class 1 if one of the first eight columns is 1, with noise.

    Examples
    --------
    >>> X, y = sparse_words(1000, 200)
    >>> X.shape, round(float(X.mean()), 2)
    ((1000, 200), 0.03)
    """
    rng = np.random.default_rng(seed)
    X = (rng.random((n_rows, n_columns)) < RARE).astype(np.int32)
    return X, (X[:, :INFORMATIVE].any(axis=1) ^ (rng.random(n_rows) < NOISE)).astype(np.int32)


def postures(n_rows: int, n_columns: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return (X, y): coordinates of markers on a hand in millimetres, three columns each, in one of five postures.

    Resembles the motion capture data of hand postures (78,095 rows, 33 columns): markers have no fixed order, later
    ones are recorded in fewer rows, and missing ones are zero.

    Examples
    --------
    >>> X, y = postures(1000, 33)
    >>> X.shape, len(np.bincount(y)), (X == 0).mean(axis=0)[[0, 32]].round(1).tolist()
    ((1000, 33), 5, [0.0, 0.9])
    """
    rng = np.random.default_rng(seed)
    n_markers = -(-n_columns // AXES)
    y = rng.integers(0, CLASSES, n_rows)
    places = rng.uniform(-100, 100, (CLASSES, n_markers, AXES))
    order = np.argsort(rng.random((n_rows, n_markers)) + 0.1 * np.arange(n_markers), axis=1)
    X = places[y[:, None], order] + rng.normal(0, 30, (n_rows, n_markers, AXES))
    fewest = min(3, n_markers)
    X[rng.integers(fewest, n_markers + 1, n_rows)[:, None] <= np.arange(n_markers)] = 0.0
    return np.ascontiguousarray(X.reshape(n_rows, -1)[:, :n_columns].round(4)), y.astype(np.int32)


MAKERS: Mapping[str, Callable[[int, int], tuple[NDArray[Any], NDArray[np.int32]]]] = {
    NAME: noisy_tree,
    SMOOTH: smooth_odds,
    WORDS: sparse_words,
    POSTURES: postures,
}
