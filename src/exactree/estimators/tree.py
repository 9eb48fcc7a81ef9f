"""Optimal classification trees for scikit-learn users."""

import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from exactree.encode import Encoded, encode
from exactree.errors import InputError
from exactree.estimators.conformed import conformed
from exactree.estimators.importances import importances
from exactree.estimators.notebook import notebook_page
from exactree.estimators.parameters import read_budget, read_constraints, read_limits, read_objective
from exactree.estimators.progress import ProgressLines
from exactree.export import to_text
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve import Solution, Status, Watch, solve
from exactree.table import Table


class NotProvedWarning(ConvergenceWarning):  # type: ignore[misc]
    """The search ended before its proof; the best tree found is kept, and the message tells how far off it may be."""


class OptimalTreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classification tree of lowest cost among all trees within the limits, with a proof.

    Tables come as they are: numbers are not binned, strings and categories not encoded by hand, missing values
    not filled in. Every threshold between two neighbouring values is tried.

    Parameters
    ----------
    max_depth : int, default=3
        Most questions on any path; 0 allows a single leaf only.
    max_leaf_nodes : int or None, default=None
        Most leaves.
    min_samples_leaf : int, float or None, default=None
        Fewest training rows in a leaf; a float is a share of the rows. ``None`` is 1, or where the worst leaf decides
        50 and no more than a tenth of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight in a leaf.
    ccp_alpha : float, default=0.0
        Price of a leaf as a share of the total weight: cost = weighted errors + ccp_alpha * total weight * leaves.
    objective : {"accuracy", "balanced_accuracy", "leaf_accuracy", "leaf_confidence"} or Objective, default="accuracy"
        What to minimise: weighted errors; errors that count in proportion to one over their class's weight; the share
        of wrong answers in the worst leaf; or the most it may be, with some confidence (Wilson's interval), so that
        small leaves must be better. Where the worst leaf decides, the tree with the fewest leaves is taken of those
        with the best worst leaf, and then the one with the fewest errors.
    confidence : float, default=0.95
        For ``"leaf_confidence"``.
    cost_matrix : array of shape (n_classes, n_classes) or dict, default=None
        Cost of answering column ``j`` when class ``i`` is true, classes sorted; or ``{(true, answer): cost}``.
    class_weight : dict or "balanced", default=None
        Weight of each class, multiplied into the weight of its rows.
    constraints : sequence of FalseNegatives and Fairness, default=()
        Limits on the answers; solvers ``"binoct"`` and ``"oct"`` hold them. A leaf may then answer what most of its
        rows are not. If no tree satisfies all of them, ``fit`` raises :class:`~exactree.errors.Infeasible`.
    categorical_features : "from_dtype", list of names or indices, or mask, default="from_dtype"
        Columns of numbers that are categories.
    thresholds : str or Thresholds, default="all"
        ``"all"`` midpoints; ``"class-changes"`` or ``"quantiles(k)"`` keep fewer, and the proof is then over those.
    solver : str or Solver, default="auto"
        A key of :data:`exactree.solve.SOLVERS`, a solver object, or ``"auto"``: the search or, with constraints,
        BinOCT from the search's tree and bound.
    time_limit : float or None, default=60.0
        Seconds for the search; ``None`` means until proved.
    memory_limit : int, str or None, default=None
        Bytes, or a text such as ``"4GB"``.
    max_gap : float, default=0.0
        Stop once (cost - bound) / cost is at most this.
    n_jobs : int, default=1
        Threads; -1 is one per core. The tree is the same with any number of threads.
    warm_start : bool, default=False
        Whether a further ``fit`` starts from the tree of the last one.
    random_state : int, RandomState or None, default=None
        Nothing here is random; the parameter is there for solvers to come.
    verbose : int, default=0
        1 writes a line of progress to standard error every second.

    Attributes
    ----------
    tree_ : Graph
        The tree.
    status_ : str
        ``"optimal"``, ``"gap_reached"``, ``"time_limit"``, ``"memory_limit"`` or ``"interrupted"``.
    is_optimal_ : bool
        Whether the tree is proved to be the best.
    cost_, lower_bound_, gap_ : float
        Cost of the tree, what no tree can go below, and (cost - bound) / cost.
    history_ : ndarray of shape (n, 3)
        Seconds, cost and bound at every change.
    solution_ : Solution
        All of this as the solver returned it, with its counters.
    classes_, n_features_in_, feature_names_in_, n_leaves_, depth_, feature_importances_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=False)
    >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> tree.status_, tree.cost_
    ('optimal', 6.0)
    """

    def __init__(
        self,
        max_depth: int = 3,
        *,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int | float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        ccp_alpha: float = 0.0,
        objective: Any = "accuracy",
        confidence: float = 0.95,
        cost_matrix: Any = None,
        class_weight: Any = None,
        constraints: Any = (),
        categorical_features: Any = "from_dtype",
        thresholds: Any = "all",
        solver: Any = "auto",
        time_limit: float | None = 60.0,
        memory_limit: int | str | None = None,
        max_gap: float = 0.0,
        n_jobs: int | None = 1,
        warm_start: bool = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.ccp_alpha = ccp_alpha
        self.objective = objective
        self.confidence = confidence
        self.cost_matrix = cost_matrix
        self.class_weight = class_weight
        self.constraints = constraints
        self.categorical_features = categorical_features
        self.thresholds = thresholds
        self.solver = solver
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.max_gap = max_gap
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, sensitive_features: Any = None) -> "OptimalTreeClassifier":
        """Find the tree. Attributes ending in ``_`` exist only from here on.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            ndarray, list of rows, sparse matrix, pandas or polars data frame.
        y : array of shape (n_rows,)
            Labels of any kind.
        sample_weight : array of shape (n_rows,), default=None
            Weights, 0 or more; rows of weight 0 are left out altogether.
        sensitive_features : array of shape (n_rows,) or (n_rows, n), default=None
            The group of each row, for ``Fairness`` constraints that have no groups of their own.
        """
        lines = ProgressLines(sys.stderr) if self.verbose else None
        return self._fit(X, y, sample_weight, sensitive_features, watch=lines)

    def _fit(
        self, X: Any, y: Any, sample_weight: Any = None, sensitive_features: Any = None, watch: Watch | None = None
    ) -> "OptimalTreeClassifier":
        data = self._encode(X, y, sample_weight)
        parameters = vars(self)
        check_random_state(self.random_state)
        limits, constraints = (
            read_limits(parameters, data.n_rows),
            read_constraints(parameters, data, sensitive_features),
        )
        problem = Problem(data, read_objective(parameters, data), limits, constraints)
        start = self.tree_ if self.warm_start and hasattr(self, "tree_") else None
        solution = solve(problem, self.solver, read_budget(parameters), start=start, watch=watch)
        self.classes_ = data.classes
        self._keep(solution)
        self._warn(solution)
        return self

    def _encode(self, X: Any, y: Any, sample_weight: Any) -> Encoded:
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
            table, labels, sample_weight=sample_weight, class_weight=self.class_weight, thresholds=self.thresholds
        )

    def _keep(self, solution: Solution) -> None:
        self.solution_ = solution
        self.tree_ = solution.model
        self.status_ = solution.status.value
        self.is_optimal_ = solution.status is Status.OPTIMAL
        self.cost_, self.lower_bound_, self.gap_ = solution.cost, solution.bound, solution.gap
        self.history_ = solution.history
        self.n_leaves_, self.depth_ = self.tree_.n_leaves, self.tree_.depth

    def _warn(self, solution: Solution) -> None:
        if solution.status in (Status.OPTIMAL, Status.GAP_REACHED):
            return
        ended = {Status.TIME_LIMIT: "time_limit was reached", Status.MEMORY_LIMIT: "memory_limit is too small"}
        warnings.warn(
            f"Not proved optimal: {ended.get(solution.status, 'the search was interrupted')}. The best tree found is "
            f"kept; it costs {solution.cost:g}, and no tree can cost less than {solution.bound:g} "
            f"(gap {solution.gap:.1%}).",
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
        """Most questions on any path of the fitted tree."""
        return self._graph().depth

    def get_n_leaves(self) -> int:
        """Leaves of the fitted tree."""
        return self._graph().n_leaves

    def to_text(self) -> str:
        """Write the tree as text, with rows, class and accuracy per leaf."""
        return to_text(self._graph())

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the fall of Gini impurity over the tree's branches."""
        return importances(self._graph())

    def _graph(self) -> Graph:
        check_is_fitted(self, "tree_")
        graph: Graph = self.tree_
        return graph

    def _table(self, X: Any) -> Table:
        return conformed(self, X, self._graph().schema)

    def __str__(self) -> str:
        return self.to_text() if hasattr(self, "tree_") else repr(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if not hasattr(self, "tree_"):
            return super()._repr_mimebundle_(**kwargs)
        return {"text/plain": str(self), "text/html": notebook_page(repr(self), self.solution_)}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
