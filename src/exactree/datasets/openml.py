"""Tables of openml.org by their number; needs a network, or a table that was fetched before.

The only file that talks to the network. It imports scikit-learn at the top and is itself imported when asked for.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import fetch_openml

from exactree.datasets.dataset import Dataset
from exactree.errors import InputError
from exactree.table import Frame

INSTEAD = "Without a network use a table of exactree.datasets.names() or a CSV file."


def fetch(data_id: int) -> Dataset:
    """Fetch a table from OpenML; scikit-learn keeps a copy on disk, so that the second time needs no network.

    Numbers stay numbers, nominal attributes become strings, missing cells None or NaN.
    """
    bunch = _fetch(data_id)
    frame, labels = bunch.data, bunch.target
    if labels is None:
        raise InputError(f"OpenML data set {data_id} names no single target column, so there is nothing to predict.")
    return Dataset(
        name=str(bunch.details["name"]),
        X=Frame(tuple(map(str, frame.columns)), [_values(frame[column]) for column in frame.columns]),
        y=_values(labels),
        target=str(labels.name),
        description=f"OpenML data set {data_id}, version {bunch.details['version']}.",
        source=str(bunch.url),
    )


def _fetch(data_id: int) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "A network error occurred")  # our own message says it once
            # As a data frame, because in the array form scikit-learn turns categories into numbers.
            return fetch_openml(data_id=data_id, as_frame=True, n_retries=1, delay=0.2)
    except ImportError as error:
        raise InputError("Tables of OpenML need pandas: pip install pandas.") from error
    except OSError as error:  # no network, no such host, refused, timed out
        raise InputError(f"OpenML data set {data_id} could not be fetched ({error}). {INSTEAD}") from error
    except ValueError as error:  # OpenML answered, but not with a table
        raise InputError(f"OpenML data set {data_id} could not be read: {error}") from error


def _values(series: Any) -> NDArray[Any]:
    """Turn a pandas column into an array: numbers as they are, anything else as objects with None where missing."""
    if series.dtype.kind in "iuf":
        return np.asarray(series.to_numpy())
    return np.array([None if missing else value for value, missing in zip(series, series.isna(), strict=True)], object)
