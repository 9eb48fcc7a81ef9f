"""A data frame of one numeric type -> one two-dimensional array, which is read as quickly as the user's own array."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMERIC = "iufb"  # kinds of NumPy types that a column of numbers or truth values may have
POLARS = {
    "Boolean": np.bool_,
    "Float32": np.float32,
    "Float64": np.float64,
    "Int8": np.int8,
    "Int16": np.int16,
    "Int32": np.int32,
    "Int64": np.int64,
    "UInt8": np.uint8,
    "UInt16": np.uint16,
    "UInt32": np.uint32,
    "UInt64": np.uint64,
}


def array_of_numbers(X: Any) -> NDArray[Any] | None:
    """Return the values of a pandas or polars frame whose columns all have one NumPy type of numbers.

    ``None`` for any other frame, such as one with missing integers, and for what is no frame. Column by column,
    812 rows of 93 columns took 6 ms instead of 0.2 ms.

    Examples
    --------
    >>> import pandas as pd
    >>> array_of_numbers(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))
    array([[1, 3],
           [2, 4]])
    >>> array_of_numbers(pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})) is None
    True
    """
    # Libraries that are not loaded cannot have made X, and loading them would take long.
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and type(X) is getattr(pandas, "DataFrame", None):
        return _of_pandas(X)
    if polars is not None and type(X) is getattr(polars, "DataFrame", None):
        return _of_polars(X)
    return None


def _of_pandas(X: Any) -> NDArray[Any] | None:
    kinds = set(X.dtypes.to_numpy())
    kind = kinds.pop() if len(kinds) == 1 else None
    if not isinstance(kind, np.dtype) or kind.kind not in NUMERIC:
        return None
    return np.asarray(X.to_numpy())


def _of_polars(X: Any) -> NDArray[Any] | None:
    kinds = set(X.dtypes)
    kind = kinds.pop() if len(kinds) == 1 else None
    # Not is_numeric(), which is true of decimals and of integers of 128 bits as well.
    if kind is None or str(kind) not in POLARS:
        return None
    array = np.asarray(X.to_numpy())
    return array if array.dtype == POLARS[str(kind)] else None  # another type where values are missing
