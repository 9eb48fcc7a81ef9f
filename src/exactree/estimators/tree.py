"""Optimal classification trees for scikit-learn users."""

import sys
from functools import partial
from typing import Any, ClassVar

from exactree.estimators.encoding import encoded, tree_growth
from exactree.estimators.fit_run import FitRun
from exactree.estimators.graph_classifier import GraphClassifier
from exactree.estimators.parameters import (
    is_worst_leaf,
    listed,
    read_constraints,
    read_limits,
    read_objective,
    read_seed,
)
from exactree.estimators.progress import ProgressLines
from exactree.estimators.sklearn_callbacks import FitTask, with_callbacks
from exactree.problem import Problem
from exactree.solve import Callback, solve


class OptimalTreeClassifier(GraphClassifier):
    """Classification tree of lowest cost among all trees within the limits, with a proof.

    Tables come as they are: numbers are not binned, strings and categories not encoded by hand, missing values
    not filled in. Every threshold between two neighbouring values is tried.

    Parameters
    ----------
    max_depth : int or None, default=3
        Most questions on any path; 0 allows a single leaf only. ``None`` is no limit: then a price of leaves
        (``ccp_alpha``) or ``max_leaf_nodes`` keeps the search finite. Without either the best tree separates all rows
        that questions can separate, and a proof is only found where the search meets such a tree.
    max_leaf_nodes : int or None, default=None
        Most leaves.
    min_samples_leaf : int, float or None, default=None
        Fewest training rows in a leaf; a float is a share of the rows. ``None`` is 1, or for worst-leaf objectives
        50 and no more than a tenth of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight in a leaf.
    ccp_alpha : float, default=0.0
        Price of a leaf as a share of the total weight: cost = weighted errors + ccp_alpha * total weight * leaves.
    objective : {"accuracy", "balanced_accuracy", "leaf_accuracy", "leaf_confidence"} or Objective, default="accuracy"
        What to minimise: weighted errors; errors that count in proportion to one over their class's weight; the share
        of wrong answers in the worst leaf; or the most it may be, with some confidence (Wilson's interval), so that
        small leaves must be better. For the last two, the worst-leaf objectives, ties are broken by the fewest leaves
        and then by the fewest errors.
    confidence : float, default=0.95
        For ``"leaf_confidence"``.
    cost_matrix : array of shape (n_classes, n_classes) or dict, default=None
        Cost of answering column ``j`` when class ``i`` is true, classes sorted; or ``{(true, answer): cost}``.
    class_weight : dict or "balanced", default=None
        Weight of each class, multiplied into the weight of its rows.
    constraints : sequence of FalseNegatives, Fairness and LeafAccuracy, default=()
        Limits on the answers, and on every leaf. The search supports all of them, solvers ``"binoct"`` and ``"oct"``
        all without a price, ``"column-generation"`` those on the answers. A leaf may then have another label than most
        of its rows. If no tree satisfies all of them, ``fit`` raises :class:`~exactree.errors.Infeasible`.
    categorical_features : "from_dtype", list of names or indices, or mask, default="from_dtype"
        Columns of numbers that are categories.
    thresholds : str or Thresholds, default="all"
        ``"all"`` midpoints; ``"class-changes"``, ``"quantiles(k)"`` or ``"sampled"`` keep fewer, and the proof is then
        over those. Sampled ones are what CART asks for, of this depth and on samples of the rows; they take up to a
        third of the time.
    solver : str or Solver, default="auto"
        A key of :data:`exactree.solve.SOLVERS`, with hyphens or underscores, a solver object, or ``"auto"``, which is
        the search.
    time_limit : float or None, default=60.0
        Seconds for reading, encoding and search together; ``None`` means until proved.
    memory_limit : int, str or None, default=None
        Bytes, or a text such as ``"4GB"``.
    max_gap : float, default=0.0
        Stop once (cost - bound) / cost is at most this.
    n_jobs : int, default=1
        Threads; -1 is one per core. A tree that is proved is the same with any number of threads, unless several cost
        nothing that can be avoided.
    warm_start : bool, default=False
        Whether a further ``fit`` starts from the tree of the last one.
    random_state : int, RandomState or None, default=None
        Seeds what is drawn at random: the primal heuristic of the search, the MIP back ends of ``"binoct"``,
        ``"oct"``, ``"flow-oct"`` and ``"xct"``, column generation, and sampled thresholds. None is always the same
        seed. A solver object whose ``seed`` is not 0 keeps it. ``"dl8"``, ``"dl85"`` and ``"exhaustive"`` need none.
    verbose : int, default=0
        1 writes a line of progress to standard error every second.

    Attributes
    ----------
    tree_ : Graph
        The tree.
    status_ : str
        What was proved, or what ended the fit. ``"optimal"``: no allowed tree costs less. ``"optimal_over_sample"``:
        none costs less of those that the solver restricted itself to, such as column generation with its sampled
        questions. ``"gap_reached"``: a better tree may exist, within ``max_gap``. ``"time_limit"``,
        ``"memory_limit"``, ``"interrupted"``: stopped before a proof. ``"ended"``: the solver finished without a proof,
        as a heuristic does, or a MIP that is too large to be written or whose costs are below its tolerance.
    is_optimal_ : bool
        Whether the tree is proved to be the best of all allowed ones.
    cost_, lower_bound_, gap_ : float
        Cost of the tree, what no allowed tree can go below, and (cost - bound) / cost.
    scope_ : str
        Which trees the parameters allow, in words: those that ``"optimal"`` and ``lower_bound_`` speak of.
    sample_lower_bound_ : float or None
        What no tree can go below of those that the solver restricted itself to; None if it left no tree out.
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

    _fitted: ClassVar[str] = "tree_"
    _noun: ClassVar[str] = "tree"

    def __init__(
        self,
        max_depth: int | None = 3,
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

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        sensitive_features: Any = None,
        *,
        callback: Callback | None = None,
    ) -> "OptimalTreeClassifier":
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
        callback : callable, default=None
            Called with a :class:`~exactree.Progress` whenever there is news, several times a second in most solvers.
            If it returns True, the fit stops: the best tree is kept, ``status_`` is ``"interrupted"`` and a
            :class:`~exactree.NotProvedWarning` is issued. An exception that it raises ends the fit and leaves the
            estimator as it was.

        Returns
        -------
        OptimalTreeClassifier
            The estimator itself.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> reports = []
        >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y, callback=reports.append)
        >>> reports[0].stage, reports[-1].stage, reports[-1].cost, reports[-1].gap
        ('reading', 'search', 6.0, 0.0)
        """
        task = FitTask(self, X, y, sample_weight)
        lines = ProgressLines(sys.stderr, worst_leaf=is_worst_leaf(self.objective)) if self.verbose else None
        run = FitRun(callback, lines, task.callback)
        parameters, seed = vars(self), read_seed(self.random_state)
        data = encoded(
            parameters,
            X,
            y,
            sample_weight,
            run=run,
            growth=lambda: tree_growth(parameters, run, seed),
            may_stop=not listed(self.constraints),  # a leaf may break them
        )
        limits, constraints = (
            read_limits(parameters, data.n_rows),
            read_constraints(parameters, data, sensitive_features, run.seconds),
        )
        problem = Problem(data, read_objective(parameters, data), limits, constraints)
        start = self.tree_ if self.warm_start and hasattr(self, "tree_") else None
        solution = self._solve(run, partial(solve, problem, self.solver, start=start, seed=seed))
        self._keep(problem, solution)
        task.end()
        self._warn(solution)
        return self
