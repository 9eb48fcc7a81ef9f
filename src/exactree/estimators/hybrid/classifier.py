"""Shallow optimal trees with a model in each leaf that needs one, for scikit-learn users."""

import warnings
from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d

from exactree.arrays import Floats, Int32s
from exactree.encode.weights import row_weights
from exactree.errors import InputError
from exactree.estimators.fit_run import FitRun
from exactree.estimators.graph_classifier import NotProvedWarning
from exactree.estimators.hybrid.fitting import LeafFitting
from exactree.estimators.hybrid.leaf_columns import as_numbers, reads_rows_as_they_came
from exactree.estimators.hybrid.leaf_models import (
    leaves_predict_proba,
    read_leaf_estimator,
)
from exactree.estimators.hybrid.report import HybridReport, LeafScore
from exactree.estimators.hybrid.training import (
    LEFT_OUT,
    TrainingRows,
    class_codes,
    fitted_tree,
    graph_of,
)
from exactree.estimators.parameters import read_leaf_rule
from exactree.estimators.sklearn_callbacks import CallbackSupportMixin, FitTask, with_callbacks
from exactree.estimators.validation import validate_table
from exactree.solve import Callback
from exactree.table import Table


class HybridTreeClassifier(CallbackSupportMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Optimal tree that says where a row belongs, and a model in each leaf that says what it is.

    A tree of three questions can be read by anyone and, where a leaf is pure, is all one needs. Where it is not, a
    model fitted on the rows of the leaf answers instead of the leaf's class.

    A leaf keeps the tree's class if all its rows are of one class, if it has fewer than ``min_rows`` rows, if a class
    has fewer rows there than the leaf estimator has folds (``cv``), or if the model does not win in validation;
    ``report_`` says which. A model sees the classes of its own leaf only.

    Parameters
    ----------
    tree : estimator, default=None
        ``OptimalTreeClassifier(max_depth=3)`` unless given. One that is fitted is used as it is, others are cloned
        and fitted. ``clone`` and cross-validation forget a fit, as always; scikit-learn's ``FrozenEstimator(tree)``
        keeps it.
    leaf_estimator : classifier, search over one, "xgboost" or None, default=None
        What is cloned and fitted in leaves: anything with ``fit`` and ``predict``, ``GridSearchCV`` and its kind among
        them. None is scikit-learn's ``HistGradientBoostingClassifier()``; ``"xgboost"`` needs
        ``pip install 'exactree[hybrid]'``.
    min_rows : int, default=50
        Fewest rows of positive weight for which a leaf gets a model.
    keep : {"if_better", "always"}, default="if_better"
        ``"if_better"``: a model replaces the class of its leaf only if it wins in cross-validation on the rows of the
        leaf, by the objective of the tree; this takes five more fits per leaf. Folds are of rows: a row of
        weight two is held out as one, where two rows of weight one may be parted. ``"always"``: wherever one can be
        fitted.
    prepare : "auto" or None, default="auto"
        ``"auto"`` hands the models numbers, and prepares what they cannot read: categories become one column per
        level for models without support for categories; for models that do not take missing values, these are
        replaced by the leaf's median with a column that says so, and numbers are scaled to mean 0 and deviation 1.
        What prepares them is fitted in each leaf, and is the first step of the pipeline in ``leaf_models_``. A
        ``Pipeline``, or a search over one, gets rows as they came, and so do objects that are no estimators of
        scikit-learn's kind; None hands them to any estimator like that.
    time_limit : float or None, default=None
        Seconds for the tree and the models together; the tree keeps a shorter limit of its own. Once they are over, no
        further model is fitted, and the leaves without one keep the tree's class. None: no limit but the tree's own.
    n_jobs : int or None, default=None
        Leaves to fit at once, as scikit-learn counts them. With the same ``random_state`` any number gives the same.
    random_state : int, RandomState or None, default=None
        Seeds every ``random_state`` that the tree and the leaf estimator leave open, each leaf with another number.
    verbose : int, default=0
        1 writes a line to standard error when the tree is there, and one for every model.

    Attributes
    ----------
    tree_ : Graph
        The tree.
    tree_estimator_ : estimator
        The fitted estimator it comes from.
    leaf_models_ : dict
        From the node number of each leaf to its fitted model, or None if it keeps its class.
    report_ : HybridReport
        How good tree and hybrid are on the training rows, how good models were in validation, and what sits in each
        leaf and why. Models know their own training rows well; validation, and :meth:`leaf_report` with other rows,
        show how they generalise.
    scope_ : str
        Over which trees the tree was searched, as :class:`OptimalTreeClassifier` has it. No proof speaks of the models.
    reads_raw_rows_ : bool
        Whether leaf models read rows of the caller's own table, not numbers that were prepared for them.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from exactree import OptimalTreeClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> hybrid = HybridTreeClassifier(OptimalTreeClassifier(max_depth=1), LogisticRegression()).fit(X, y)
    >>> hybrid.report_.accuracy > hybrid.report_.tree_accuracy
    True
    """

    def __init__(
        self,
        tree: Any = None,
        leaf_estimator: Any = None,
        *,
        min_rows: int = 50,
        keep: str = "if_better",
        prepare: str | None = "auto",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.tree = tree
        self.leaf_estimator = leaf_estimator
        self.min_rows = min_rows
        self.keep = keep
        self.prepare = prepare
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, callback: Callback | None = None
    ) -> "HybridTreeClassifier":
        """Find the tree unless it is fitted, then fit the models of its leaves.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Whatever the tree takes: ndarray, list of rows, sparse matrix, pandas or polars data frame.
        y : array of shape (n_rows,)
            Labels of any kind.
        sample_weight : array of shape (n_rows,), default=None
            Weights, 0 or more, for the tree and for leaf models that take them; rows of weight 0 are left out.
        callback : callable, default=None
            As in :meth:`OptimalTreeClassifier.fit`, with the tree's reports, one of stage ``"leaf validation"`` for
            every fold, and one of stage ``"leaf models"`` for every fitted model. If it returns True, no further model
            is fitted: the other leaves keep the tree's class.

        Returns
        -------
        HybridTreeClassifier
            The estimator itself.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = load_iris(return_X_y=True)
        >>> reports = []
        >>> hybrid = HybridTreeClassifier(OptimalTreeClassifier(1), LogisticRegression())
        >>> hybrid = hybrid.fit(X, y, callback=reports.append)
        >>> reports[-1].stage, reports[-1].details
        ('leaf models', '1 of 1 models')
        """
        task = FitTask(self, X, y, sample_weight)
        run = FitRun(callback, task.callback)
        (min_rows, seconds), estimator = read_leaf_rule(vars(self)), read_leaf_estimator(self.leaf_estimator)
        if self.keep not in ("if_better", "always"):
            raise InputError(f"keep must be 'if_better' or 'always'; got {self.keep!r}.")
        if self.prepare not in ("auto", None):
            raise InputError(f"prepare must be 'auto' or None; got {self.prepare!r}. For other steps use a Pipeline.")
        random = None if self.random_state is None else check_random_state(self.random_state)
        labels = column_or_1d(np.asarray(y), warn=True) if y is not None and np.asarray(y).ndim == 2 else y
        fitted = copy(self)  # so that a failure leaves this estimator as it was
        fitted._keep_tree(fitted_tree(self.tree, random, X, labels, sample_weight, run, seconds))
        fitted._as_they_came = reads_rows_as_they_came(estimator, self.prepare)
        rows = fitted._training_rows(X, labels, sample_weight)
        fitting = LeafFitting(estimator, fitted.tree_estimator_, fitted.tree_, rows, fitted._as_they_came, random)
        found = fitting.run(
            run,
            min_rows,
            self.n_jobs,
            validate=self.keep == "if_better",
            verbose=bool(self.verbose),
            time_limit=seconds,
        )
        fitted.leaf_models_, fitted.report_ = found.models, found.report
        self.__dict__ = fitted.__dict__
        task.end()
        if found.n_missed:
            why = "The callback stopped the fit" if run.stopped else f"time_limit={seconds:g} was over"
            warnings.warn(
                f"{why} before {found.n_missed} of the leaf models were fitted; those leaves keep the tree's class.",
                NotProvedWarning,
                stacklevel=3,
            )
        return self

    @property
    def reads_raw_rows_(self) -> bool:
        """Whether leaf models read rows of the caller's own table; else numbers, with levels as codes."""
        return bool(self._as_they_came)

    @property
    def scope_(self) -> str:
        """Over which trees the tree was searched, in words."""
        check_is_fitted(self, "leaf_models_")
        return str(self.tree_estimator_.scope_)

    def _keep_tree(self, estimator: Any) -> None:
        self.tree_estimator_ = estimator
        self.tree_ = graph_of(estimator)
        self.classes_ = estimator.classes_
        self.n_features_in_ = estimator.n_features_in_
        if hasattr(estimator, "feature_names_in_"):
            self.feature_names_in_ = estimator.feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _training_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        table = validate_table(self, X, self.tree_.schema)
        weights = row_weights(sample_weight, table.n_rows)
        leaf = np.where(weights > 0, self.tree_.apply(table), LEFT_OUT)
        codes = class_codes(y, self.classes_, table.n_rows)
        return TrainingRows(self._columns(X, table), leaf, codes, None if sample_weight is None else weights)

    def _columns(self, X: Any, table: Table) -> Any:
        return X if self._as_they_came else as_numbers(table)

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of each row: that of its leaf's model, or of the leaf.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = load_iris(return_X_y=True)
        >>> hybrid = HybridTreeClassifier(OptimalTreeClassifier(1), LogisticRegression(max_iter=1000)).fit(X, y)
        >>> hybrid.predict(X[[0, 60, 120]])
        array([0, 1, 2])
        """
        table = self._table(X)
        leaf = self.tree_.apply(table)
        labels = np.array(self.classes_[self.tree_.label[leaf]])
        for model, rows, columns in self._modelled(X, table, leaf):
            labels[rows] = model.predict(columns)
        return labels

    @available_if(leaves_predict_proba)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: what the leaf's model says, or the shares of training rows in the leaf.

        A model gives classes that its leaf did not have in training the probability 0.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = load_iris(return_X_y=True)
        >>> hybrid = HybridTreeClassifier(OptimalTreeClassifier(1), LogisticRegression(max_iter=1000)).fit(X, y)
        >>> hybrid.predict_proba(X[:1])
        array([[1., 0., 0.]])
        """
        table = self._table(X)
        leaf = self.tree_.apply(table)
        shares: Floats = self.tree_.shares[leaf]
        index = {label: code for code, label in enumerate(self.classes_.tolist())}
        for model, rows, columns in self._modelled(X, table, leaf):
            known = np.array([index[label] for label in np.asarray(model.classes_).tolist()], dtype=np.intp)
            shares[rows] = 0.0
            shares[np.ix_(rows, known)] = model.predict_proba(columns)
        return shares

    def apply(self, X: Any) -> Int32s:
        """Node number of the leaf each row ends in.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = load_iris(return_X_y=True)
        >>> hybrid = HybridTreeClassifier(OptimalTreeClassifier(1), LogisticRegression(max_iter=1000)).fit(X, y)
        >>> hybrid.apply(X[[0, 60, 120]])
        array([1, 2, 2], dtype=int32)
        """
        table = self._table(X)
        return np.asarray(self.tree_.apply(table))

    def decision_path(self, X: Any) -> Any:
        """Sparse (n_rows, n_nodes) indicator of the nodes each row passes.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = load_iris(return_X_y=True)
        >>> hybrid = HybridTreeClassifier(OptimalTreeClassifier(1), LogisticRegression(max_iter=1000)).fit(X, y)
        >>> hybrid.decision_path(X[:1]).toarray()
        array([[1, 1, 0]])
        """
        table = self._table(X)
        return self.tree_.decision_path(table)

    def leaf_report(self, X: Any, y: Any) -> HybridReport:
        """Compare tree and hybrid on labelled rows, leaf by leaf and as a whole.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> hybrid = HybridTreeClassifier(OptimalTreeClassifier(max_depth=1), keep="always").fit(X, y)
        >>> print(hybrid.leaf_report(X[::2], y[::2]))
        leaf  class  rows     tree   hybrid  what sits there
           1  0        25  100.0 %  100.0 %  the class: all its rows are 0
           2  1        50   50.0 %  100.0 %  HistGradientBoostingClassifier, fitted on 100 rows of 2 classes
        tree    66.7 % right, worst leaf 50.0 %
        hybrid  100.0 % right, worst leaf 100.0 %
        """
        labels, leaf, answers = column_or_1d(np.asarray(y)), self.apply(X), self.predict(X)
        if len(labels) != len(leaf):
            raise InputError(f"X has {len(leaf)} rows but y has {len(labels)} labels. Give one label per row.")
        tree_right = self.classes_[self.tree_.label[leaf]] == labels
        right = answers == labels
        return HybridReport(
            tuple(
                LeafScore(
                    trained.node,
                    trained.label,
                    rows=int(np.count_nonzero(leaf == trained.node)),
                    tree_right=int(np.count_nonzero(tree_right & (leaf == trained.node))),
                    right=int(np.count_nonzero(right & (leaf == trained.node))),
                    model=trained.model,
                    why=trained.why,
                )
                for trained in self.report_.leaves
            )
        )

    def _table(self, X: Any) -> Table:
        check_is_fitted(self, "leaf_models_")
        return validate_table(self, X, self.tree_.schema)

    def _modelled(self, X: Any, table: Table, leaf: Int32s) -> Iterator[tuple[Any, NDArray[np.intp], Any]]:
        """Every model that is asked, the rows it is asked about, and what it reads of them."""
        columns = self._columns(X, table)
        for node, model in self.leaf_models_.items():
            rows = np.flatnonzero(leaf == node)
            if model is not None and len(rows):
                yield model, rows, _safe_indexing(columns, rows)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"keep": "always", "time_limit": None} | state)  # pickles of version 0.1.0 lack both

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
