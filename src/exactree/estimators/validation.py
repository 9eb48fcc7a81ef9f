"""New rows for a fitted estimator: checked as scikit-learn does, typed as they were in training."""

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from exactree.table import Schema, Table


def validate_table(estimator: BaseEstimator, X: Any, schema: Schema) -> Table:
    """Read a table for an estimator that was fitted on one of this schema.

    Examples
    --------
    >>> fitted = BaseEstimator()
    >>> fitted.n_features_in_ = 1
    >>> validate_table(fitted, [["red"], ["green"]], Table.of([["red"], ["blue"]]).schema).columns[0].values
    array([ 1, -2], dtype=int32)
    """
    table = Table.of(X)
    if not table.named or _names_are_seen(X):  # else the names are checked below
        validate_data(estimator, X, reset=False, skip_check_array=True)
    return table.conform(schema, model=type(estimator).__name__)


def _names_are_seen(X: Any) -> bool:
    """Whether scikit-learn reads the names of such a frame: not of our own, and before 1.9 not of polars 2."""
    probe = BaseEstimator()
    validate_data(probe, X, skip_check_array=True)
    return hasattr(probe, "feature_names_in_")
