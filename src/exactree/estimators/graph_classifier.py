"""What estimators of trees and of diagrams share: running a solver, predicting, display."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from exactree.arrays import Floats, Int32s
from exactree.estimators.fit_run import FitRun
from exactree.estimators.importances import importances
from exactree.estimators.notebook import notebook_page
from exactree.estimators.parameters import read_budget
from exactree.estimators.sklearn_callbacks import CallbackSupportMixin
from exactree.estimators.validation import validate_table
from exactree.export import to_text
from exactree.model import Fragmentation, Graph, fragmentation, with_path_counts
from exactree.problem import DiagramProblem, Problem, scope_text
from exactree.solve import Solution, Status
from exactree.solve.verdict import not_proved, over_sample
from exactree.table import Table


class NotProvedWarning(ConvergenceWarning):  # type: ignore[misc]
    """The search ended before its proof; the best model found is kept, and the message reports cost and lower bound.

    Examples
    --------
    >>> import warnings
    >>> from sklearn.datasets import load_breast_cancer
    >>> from exactree import OptimalTreeClassifier
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", NotProvedWarning)
    ...     tree = OptimalTreeClassifier(max_depth=4, time_limit=0.0).fit(*load_breast_cancer(return_X_y=True))
    >>> tree.status_
    'time_limit'
    """


class GraphClassifier(CallbackSupportMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator that finds a graph and predicts by it."""

    _fitted: ClassVar[str]  # attribute that holds the graph
    _noun: ClassVar[str]  # what the graph is called in messages

    def _solve(self, run: FitRun, solve: Callable[..., Solution]) -> Solution:
        """Run a solver in the time that is left."""
        return solve(budget=run.left(read_budget(vars(self))), callback=run.solver_callback())

    def _keep(self, problem: Problem | DiagramProblem, solution: Solution) -> None:
        """Set all fitted attributes, once nothing can fail any more."""
        data = problem.data
        table = data.table
        # As scikit-learn's validate_data would, which does not see the names of all tables, and takes longer.
        self.n_features_in_ = len(table.columns)
        if table.named:
            self.feature_names_in_ = np.array([column.name for column in table.columns], dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.classes_ = data.classes
        # The training rows are at hand for the last time.
        model = with_path_counts(solution.model, table, data.labels, data.weights)
        solution = solution if model is solution.model else replace(solution, model=model)
        self.solution_ = solution
        setattr(self, self._fitted, solution.model)
        self.status_ = solution.status.value
        self.is_optimal_ = solution.status is Status.OPTIMAL
        self.cost_, self.lower_bound_, self.gap_ = solution.cost, solution.bound, solution.gap
        self.sample_lower_bound_ = solution.sample_bound
        self.scope_ = scope_text(problem, solution.scope)
        self.history_ = solution.history
        self.n_leaves_, self.depth_ = solution.model.n_leaves, solution.model.depth

    def _warn(self, solution: Solution) -> None:
        if solution.status in (Status.OPTIMAL, Status.GAP_REACHED):
            return
        if solution.status is Status.OPTIMAL_OVER_SAMPLE:
            standing = over_sample(solution.cost, solution.bound, solution.scope, solution.sample, self._noun)
            message = f"Optimal over a sample only: {standing} (gap {solution.gap:.1%}). solver='auto' leaves none out."
            warnings.warn(message, NotProvedWarning, stacklevel=4)
            return
        ended = {
            Status.TIME_LIMIT: "time_limit was reached",
            Status.MEMORY_LIMIT: "memory_limit is too small",
            Status.ENDED: "the solver finished without a proof",
        }
        known = solution.objective, solution.cost, solution.bound
        standing = not_proved(*known, solution.scope, kind=solution.kind, unit=solution.unit)
        warnings.warn(
            f"Not proved optimal: {solution.reason or ended.get(solution.status, 'the search was interrupted')}. "
            f"The best {self._noun} found is kept: {standing} (gap {solution.gap:.1%}).",
            NotProvedWarning,
            stacklevel=4,
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of each row.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
        >>> tree.predict([[0, 1]])
        array([1])
        """
        labels = self._graph().predict(self._table(X))
        return np.asarray(self.classes_[labels])

    def predict_proba(self, X: Any) -> Floats:
        """Share of each class, by weight, among the training rows of the leaf each row ends in.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
        >>> tree.predict_proba([[0, 1]])
        array([[0., 1.]])
        """
        return self._graph().predict_proba(self._table(X))

    def apply(self, X: Any) -> Int32s:
        """Node number of the leaf each row ends in.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
        >>> tree.apply(X)
        array([2, 3, 5, 6], dtype=int32)
        """
        return self._graph().apply(self._table(X))

    def decision_path(self, X: Any) -> Any:
        """Sparse (n_rows, n_nodes) indicator of the nodes each row passes.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
        >>> tree.decision_path([[0, 1]]).toarray()
        array([[1, 1, 0, 1, 0, 0, 0]])
        """
        return self._graph().decision_path(self._table(X))

    def get_depth(self) -> int:
        """Most questions on any path of what was fitted.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
        >>> tree.get_depth()
        2
        """
        return self._graph().depth

    def get_n_leaves(self) -> int:
        """Leaves of what was fitted.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
        >>> tree.get_n_leaves()
        4
        """
        return self._graph().n_leaves

    def to_text(self) -> str:
        """Write it as text, with rows, class and accuracy per leaf.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> print(OptimalTreeClassifier(max_depth=1).fit([[0], [1]], [0, 1]).to_text())
        x0 <= 0.5
        ├─ yes: 0   1 row    100.0 % right
        └─ no:  1   1 row    100.0 % right
        """
        return to_text(self._graph())

    def fragmentation(self, X: Any = None) -> Fragmentation:
        """Share of rows at every node that asks, layer by layer: of the rows of ``X`` or, without, of those fitted to.

        ``print`` shows it as a table; :func:`exactree.plot.save_fragmentation` draws it.

        Examples
        --------
        >>> from exactree import OptimalTreeClassifier
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
        >>> print(tree.fragmentation())
        layer 0   4 (100.0 %)
        layer 1    2 (50.0 %)    2 (50.0 %)
        fewest 50.0 % of 4 rows; below the root 50.0 % on average
        """
        return fragmentation(self._graph(), None if X is None else self._table(X))

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in the fall of Gini impurity over the branches."""
        return importances(self._graph())

    def _graph(self) -> Graph:
        check_is_fitted(self, self._fitted)
        graph: Graph = getattr(self, self._fitted)
        return graph

    def _table(self, X: Any) -> Table:
        return validate_table(self, X, self._graph().schema)

    def __str__(self) -> str:
        return self.to_text() if hasattr(self, self._fitted) else repr(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if not hasattr(self, self._fitted):
            return super()._repr_mimebundle_(**kwargs)
        return {"text/plain": str(self), "text/html": self._repr_html_inner()}

    def _repr_html_inner(self) -> str:  # what scikit-learn's _repr_html_ returns; galleries know only that one
        if not hasattr(self, self._fitted):
            page: str = super()._repr_html_inner()
            return page
        return notebook_page(repr(self), self.solution_, self._noun)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
