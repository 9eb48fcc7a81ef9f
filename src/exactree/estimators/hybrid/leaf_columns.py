"""How the models in the leaves of a hybrid tree see its rows: as numbers they can read, or just as they came.

Most models take numbers only. A typed table becomes an array of them, column by column: numbers and truth values as
they are, levels as their codes, NaN where a value is missing or a level unknown. What a model cannot read of that is
prepared, leaf by leaf:

===================================  ==============  ================================  =========================
model                                categories      missing values                    numbers
===================================  ==============  ================================  =========================
says which columns are categories    as codes        as they are                       as they are
takes missing values only            one column per  as they are                       as they are
                                     level
neither (most others)                one column per  the leaf's median, and a column   mean 0, deviation 1
                                     level           that says where it stands
a pipeline, or no estimator of       all as in the caller's own table
scikit-learn's kind
===================================  ==============  ================================  =========================
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags

from exactree.arrays import Floats
from exactree.table import CATEGORICAL_KINDS, Kind, Schema, Table

MOST_LEVELS = 100  # columns that one category may become; rarer levels share the last


class CodedLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Hands a classifier the labels as 0, 1, ... and translates its answers back: XGBoost takes no others.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = CodedLabels(DecisionTreeClassifier()).fit([[1.0], [2.0]], ["no", "yes"])
    >>> model.estimator_.classes_.tolist(), model.predict([[2.0]]).tolist()
    ([0, 1], ['yes'])
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, **options: Any) -> "CodedLabels":
        """Fit a clone of the classifier; ``options`` are those of its own ``fit``."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.estimator_ = clone(self.estimator, safe=False).fit(X, codes, **options)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of each row."""
        return np.asarray(self.classes_[np.asarray(self.estimator_.predict(X), dtype=np.intp)])

    def predict_proba(self, X: Any) -> Floats:
        """Share of each class in ``classes_``."""
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)


def innermost(estimator: Any) -> tuple[Any, str]:
    """Return the model inside searches and other wrappers, and what its parameters begin with from outside.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> innermost(GridSearchCV(LogisticRegression(), {"C": [1, 2]}))
    (LogisticRegression(), 'estimator__')
    """
    prefix = ""
    while hasattr(getattr(estimator, "estimator", None), "fit"):
        estimator, prefix = estimator.estimator, prefix + "estimator__"
    return estimator, prefix


def reads_rows_as_they_came(estimator: Any, prepare: str | None) -> bool:
    """Whether the leaf models get rows of the caller's own table.

    That is so if the caller says it, if a pipeline prepares them, and for what is no estimator of scikit-learn's kind:
    it does not say what it reads.
    """
    inner = innermost(estimator)[0]
    return prepare is None or isinstance(inner, Pipeline) or not hasattr(inner, "__sklearn_tags__")


def as_numbers(table: Table) -> Floats:
    """Return a typed table as an array, (n_rows, n_columns): levels as codes, NaN where there is no known value.

    Examples
    --------
    >>> as_numbers(Table.of([[1.5, "red"], [None, "blue"]]))
    array([[1.5, 1. ],
           [nan, 0. ]])
    """
    numbers = np.empty((table.n_rows, len(table.columns)))
    for j, column in enumerate(table.columns):
        numbers[:, j] = column.values
        if column.kind in CATEGORICAL_KINDS:
            numbers[numbers[:, j] < 0, j] = np.nan  # a missing and an unknown level alike
    return numbers


def able_to_read(estimator: Any, schema: Schema) -> tuple[ColumnTransformer | None, Any]:
    """Return what prepares the numbers of a table, if anything must, and a clone of the estimator that takes the rest.

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> able_to_read(HistGradientBoostingClassifier(), Table.of([["red", 1.5], ["blue", 2.5]]).schema)
    (None, HistGradientBoostingClassifier(categorical_features=[0]))
    """
    inner, prefix = innermost(estimator)
    model = clone(estimator, safe=False)
    categories = [j for j, column in enumerate(schema.columns) if column.kind is Kind.CATEGORY]
    if is_xgboost(inner):
        if categories:
            types = ["c" if j in categories else "q" for j in range(len(schema.columns))]
            model.set_params(**{f"{prefix}enable_categorical": True, f"{prefix}feature_types": types})
        return None, CodedLabels(model)
    takes_missing = bool(get_tags(inner).input_tags.allow_nan)
    parameters = inner.get_params(deep=False)
    if takes_missing and "categorical_features" in parameters:
        if categories and parameters["categorical_features"] == "from_dtype":  # else the caller has chosen
            # Gradient boosting has no more bins than this for levels; codes of more are numbers to it.
            few = [j for j in categories if len(schema.columns[j].levels) <= parameters.get("max_bins", np.inf)]
            model.set_params(**{f"{prefix}categorical_features": few or None})
        return None, model
    if takes_missing and not categories:
        return None, model
    return _preparation(categories, len(schema.columns), takes_missing=takes_missing), model


def is_xgboost(estimator: Any) -> bool:
    """Whether an estimator is XGBoost's; recognised by its name, so that it need not be loaded."""
    return type(estimator).__module__.partition(".")[0] == "xgboost"


def _preparation(categories: list[int], n_columns: int, *, takes_missing: bool) -> ColumnTransformer:
    others = [j for j in range(n_columns) if j not in categories]
    # A column may be empty in one leaf; it is kept, as zeros, so that all models see the same columns.
    filled = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    numbers = "passthrough" if takes_missing else make_pipeline(filled, StandardScaler())
    levels = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_LEVELS, sparse_output=False)
    return ColumnTransformer([("numbers", numbers, others), ("categories", levels, categories)])
