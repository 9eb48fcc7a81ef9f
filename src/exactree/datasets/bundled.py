"""The classification tables that come with scikit-learn, without the help of pandas.

The only file here that imports scikit-learn at the top; it is itself imported when one of its tables is asked for.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from exactree.datasets.dataset import Dataset
from exactree.table import Frame

SOURCE = "scikit-learn"


def iris() -> Dataset:
    """Load Fisher's irises.

    Examples
    --------
    >>> iris().classes
    ['setosa', 'versicolor', 'virginica']
    """
    return _named("iris", load_iris, "Three kinds of iris by the size of petals and sepals.")


def wine() -> Dataset:
    """Load the wine recognition table.

    Examples
    --------
    >>> wine().n_rows
    178
    """
    return _named("wine", load_wine, "Three cultivars of wine by chemical analysis.")


def breast_cancer() -> Dataset:
    """Load the diagnostic Wisconsin breast cancer table.

    Examples
    --------
    >>> breast_cancer().classes
    ['benign', 'malignant']
    """
    return _named("breast-cancer", load_breast_cancer, "Benign or malignant, by measured cell nuclei.")


def digits() -> Dataset:
    """Load the small handwritten digits; labels are the numbers 0 to 9.

    Examples
    --------
    >>> digits().n_columns
    64
    """
    return _named("digits", load_digits, "Handwritten digits as 8 by 8 grey values from 0 to 16.")


def _named(name: str, read: Callable[[], Any], description: str) -> Dataset:
    bunch = read()
    frame = Frame(tuple(map(str, bunch.feature_names)), list(np.ascontiguousarray(bunch.data.T)))
    labels = np.asarray(bunch.target_names)[bunch.target]
    return Dataset(name, frame, labels, "class", description, SOURCE)
