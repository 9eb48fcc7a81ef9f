"""What estimators of trees and of diagrams share: reading tables, predicting, showing what they found."""

import warnings
from dataclasses import replace
from math import inf
from time import monotonic
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, column_or_1d

from exactree.encode import Encoded, Growth, TableThresholds, encode, policy
from exactree.errors import InputError
from exactree.estimators.conformed import conformed
from exactree.estimators.importances import importances
from exactree.estimators.notebook import notebook_page
from exactree.estimators.parameters import read_budget
from exactree.export import to_text
from exactree.model import Fragmentation, Graph, fragmentation
from exactree.solve import Budget, Callback, Progress, Solution, Status
from exactree.solve.verdict import WORST_LEAF, not_proved
from exactree.table import Table

SAMPLING_SHARE = 1 / 3  # of the time, for thresholds that are sampled


class NotProvedWarning(ConvergenceWarning):  # type: ignore[misc]
    """The search ended before its proof; the best found is kept, and the message tells how far off it may be."""


class GraphClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator that finds a graph and predicts by it."""

    _fitted: ClassVar[str]  # attribute that holds the graph
    _noun: ClassVar[str]  # what the graph is called in messages

    def _encode(self, X: Any, y: Any, sample_weight: Any, callback: Callback | None = None) -> Encoded:
        if y is None:
            raise InputError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None: "
                "give one label per row."
            )
        table = Table.of(X, categorical_features=self.categorical_features)
        # As scikit-learn's validate_data would, which does not see the names of all tables, and looks for them longer.
        self.n_features_in_ = len(table.columns)
        if table.named:
            self.feature_names_in_ = np.array([column.name for column in table.columns], dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        labels = column_or_1d(np.asarray(y), warn=True) if np.asarray(y).ndim == 2 else y
        return encode(
            table,
            labels,
            sample_weight=sample_weight,
            class_weight=self.class_weight,
            thresholds=self.thresholds,
            growth=self._growth(callback),
        )

    def _growth(self, callback: Callback | None) -> Growth | None:
        """What thresholds are told of the graph to be, if they depend on it; no graph is known yet."""
        if not isinstance(policy(self.thresholds), TableThresholds):
            return None
        budget = read_budget(vars(self))
        seconds = None if budget.seconds is None else SAMPLING_SHARE * budget.seconds
        growth = Growth(self._most_questions(), budget.threads, seconds)
        if callback is None:
            return growth
        began = monotonic()
        return replace(growth, tell=lambda words: callback(Progress(monotonic() - began, inf, 0.0, words)))

    def _most_questions(self) -> int:
        """Most questions on a path."""
        raise NotImplementedError

    def _budget(self, spent: float) -> Budget:
        """What the solver may spend, after so many seconds on encoding; these count if thresholds were sampled."""
        budget = read_budget(vars(self))
        if budget.seconds is None or not isinstance(policy(self.thresholds), TableThresholds):
            return budget
        return replace(budget, seconds=max(0.0, budget.seconds - spent))

    def _keep(self, solution: Solution) -> None:
        self.solution_ = solution
        setattr(self, self._fitted, solution.model)
        self.status_ = solution.status.value
        self.is_optimal_ = solution.status is Status.OPTIMAL
        self.cost_, self.lower_bound_, self.gap_ = solution.cost, solution.bound, solution.gap
        self.history_ = solution.history
        self.n_leaves_, self.depth_ = solution.model.n_leaves, solution.model.depth

    def _warn(self, solution: Solution) -> None:
        if solution.status in (Status.OPTIMAL, Status.GAP_REACHED):
            return
        ended = {
            Status.TIME_LIMIT: "time_limit was reached",
            Status.MEMORY_LIMIT: "memory_limit is too small",
            Status.ENDED: "the solver has done all it does",
        }
        which = f"{self._noun}{solution.scope}"
        standing = f"it costs {solution.cost:g}, and no {which} can cost less than {solution.bound:g}"
        if solution.objective in WORST_LEAF:
            standing = not_proved(solution.objective, solution.cost, solution.bound)
        warnings.warn(
            f"Not proved optimal: {solution.reason or ended.get(solution.status, 'the search was interrupted')}. "
            f"The best {self._noun} found is kept; {standing} (gap {solution.gap:.1%}).",
            NotProvedWarning,
            stacklevel=4,
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of each row."""
        labels = self._graph().predict(self._table(X))
        return np.asarray(self.classes_[labels])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of each class, by weight, among the training rows of the leaf each row ends in."""
        return self._graph().predict_proba(self._table(X))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Node number of the leaf each row ends in."""
        return self._graph().apply(self._table(X))

    def decision_path(self, X: Any) -> Any:
        """Sparse (n_rows, n_nodes) indicator of the nodes each row passes."""
        return self._graph().decision_path(self._table(X))

    def get_depth(self) -> int:
        """Most questions on any path of what was fitted."""
        return self._graph().depth

    def get_n_leaves(self) -> int:
        """Leaves of what was fitted."""
        return self._graph().n_leaves

    def to_text(self) -> str:
        """Write it as text, with rows, class and accuracy per leaf."""
        return to_text(self._graph())

    def fragmentation(self, X: Any = None) -> Fragmentation:
        """Share of rows at every node that asks, layer by layer: of the rows of ``X`` or, without, of those fitted to.

        ``print`` shows it as a table; :func:`exactree.plot.save_fragmentation` draws it.
        """
        return fragmentation(self._graph(), None if X is None else self._table(X))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the fall of Gini impurity over the branches."""
        return importances(self._graph())

    def _graph(self) -> Graph:
        check_is_fitted(self, self._fitted)
        graph: Graph = getattr(self, self._fitted)
        return graph

    def _table(self, X: Any) -> Table:
        return conformed(self, X, self._graph().schema)

    def __str__(self) -> str:
        return self.to_text() if hasattr(self, self._fitted) else repr(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if not hasattr(self, self._fitted):
            return super()._repr_mimebundle_(**kwargs)
        return {"text/plain": str(self), "text/html": notebook_page(repr(self), self.solution_, self._noun)}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
