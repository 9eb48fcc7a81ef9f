"""Optimal decision diagrams for scikit-learn users."""

import sys
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np

from exactree.encode import Encoded
from exactree.errors import InputError
from exactree.estimators.encoding import encoded, growth_of
from exactree.estimators.fit_run import FitRun
from exactree.estimators.graph_classifier import GraphClassifier
from exactree.estimators.parameters import (
    listed,
    number,
    only_on_answers,
    read_constraints,
    read_objective,
    read_seed,
    rows_or_share,
    whole,
)
from exactree.estimators.progress import ProgressLines
from exactree.estimators.sklearn_callbacks import FitTask, with_callbacks
from exactree.problem import SKELETONS, DiagramLimits, DiagramProblem, Fairness
from exactree.problem.diagram import n_asking
from exactree.solve import Callback, Solution
from exactree.solve.registry import solve_diagram

OBJECTIVES = ("accuracy", "balanced_accuracy")


class OptimalDiagramClassifier(GraphClassifier):
    """Decision diagram of lowest cost among all diagrams within the limits, with a proof.

    A diagram is a tree whose branches may meet again: rows with different decision paths share the questions from there
    on. So it has fewer nodes than a tree with the same predictions, and more rows at each of them.

    Parameters
    ----------
    widths : {"I", "II", "III", "IV"} or sequence of int, default="II"
        Most nodes that ask in each layer, the root's first. The names stand for the paper's skeletons of 15 nodes:
        (1, 2, 4, 8), (1, 2, 4, 4, 4), (1, 2, 3, 3, 3, 3) and (1, 2, 2, 2, 2, 2, 2, 2).
    multivariate : bool, default=False
        Whether a node may ask about a linear combination of columns (oblique split).
    max_split_columns : int or None, default=3
        Most columns of an oblique split; None is no limit.
    column_price : float, default=0.0
        Price of each column of an oblique split but the first, as a share of the total weight.
    ccp_alpha : float, default=0.1
        Price of all nodes but the root together, as a share of the total weight: cost = weighted errors +
        ccp_alpha * total weight * (nodes that ask - 1) / (nodes of the skeleton - 1).
    tree : bool, default=False
        Whether to look for a tree: no node with two parents.
    min_samples_node : int or float, default=1
        Fewest training rows at every node that asks but the root; a float is a share of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight on every side of a node that ends in a leaf, 0 to 0.5. A side that no training
        row takes, or a diagram that asks nothing, may have less.
    max_nodes : int or None, default=None
        Most nodes that ask, the root among them.
    fairness : Fairness, sequence of Fairness, or None, default=None
        Limits on how differently groups of rows may be answered.
    constraints : sequence of FalseNegatives and Fairness, default=()
        Further limits on the answers. If no diagram satisfies all, ``fit`` raises
        :class:`~exactree.errors.Infeasible`.
    objective : {"accuracy", "balanced_accuracy"} or Objective, default="accuracy"
        What mistakes cost: the same for all rows, or in proportion to one over the weight of their class.
    cost_matrix : array of shape (n_classes, n_classes) or dict, default=None
        Cost of answering column ``j`` when class ``i`` is true, classes sorted; or ``{(true, answer): cost}``.
    class_weight : dict or "balanced", default=None
        Weight of each class, multiplied into the weight of its rows.
    categorical_features : "from_dtype", list of names or indices, or mask, default="from_dtype"
        Columns of numbers that are categories.
    thresholds : str or Thresholds, default="all"
        As in :class:`~exactree.OptimalTreeClassifier`.
    solver : str or solver, default="auto"
        A key of :data:`exactree.solve.DIAGRAM_SOLVERS`, with hyphens or underscores, or a solver object.
    time_limit : float or None, default=60.0
        Seconds for reading, encoding and search together; ``None`` means until proved.
    memory_limit : int, str or None, default=None
        Bytes, or a text such as ``"4GB"``.
    max_gap : float, default=0.0
        Stop once (cost - bound) / cost is at most this.
    n_jobs : int, default=1
        Threads; -1 is one per core. MIP back ends use them; the search for diagrams has one thread.
    warm_start : bool, default=False
        Whether a further ``fit`` starts from the diagram of the last one.
    random_state : int, RandomState or None, default=None
        Seeds the heuristic that the solvers start from, the MIP back end of ``"odd"`` and sampled thresholds. None is
        always the same seed. A solver object whose ``seed`` is not 0 keeps it.
    verbose : int, default=0
        1 writes a line of progress to standard error every second.

    Attributes
    ----------
    diagram_ : Graph
        The diagram; ``n_nodes_`` nodes of it ask.
    status_, is_optimal_, cost_, lower_bound_, gap_, scope_, sample_lower_bound_, history_, solution_
        As in :class:`~exactree.OptimalTreeClassifier`.
    objective_ : float
        Cost as a share of the total weight: what the paper minimises.
    classes_, n_features_in_, feature_names_in_, n_leaves_, depth_, feature_importances_
        As in scikit-learn.

    Examples
    --------
    >>> X = [[a, b] for a in (0, 1) for b in (0, 1)]
    >>> diagram = OptimalDiagramClassifier(widths=(1, 2)).fit(X, [0, 1, 1, 0])
    >>> diagram.predict(X).tolist(), diagram.status_
    ([0, 1, 1, 0], 'optimal')
    """

    _fitted: ClassVar[str] = "diagram_"
    _noun: ClassVar[str] = "diagram"

    def __init__(
        self,
        widths: Any = "II",
        *,
        multivariate: bool = False,
        max_split_columns: int | None = 3,
        column_price: float = 0.0,
        ccp_alpha: float = 0.1,
        tree: bool = False,
        min_samples_node: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_nodes: int | None = None,
        fairness: Any = None,
        constraints: Any = (),
        objective: Any = "accuracy",
        cost_matrix: Any = None,
        class_weight: Any = None,
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
        self.widths = widths
        self.multivariate = multivariate
        self.max_split_columns = max_split_columns
        self.column_price = column_price
        self.ccp_alpha = ccp_alpha
        self.tree = tree
        self.min_samples_node = min_samples_node
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_nodes = max_nodes
        self.fairness = fairness
        self.constraints = constraints
        self.objective = objective
        self.cost_matrix = cost_matrix
        self.class_weight = class_weight
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
    ) -> "OptimalDiagramClassifier":
        """Find the diagram. Attributes ending in ``_`` exist only from here on.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            ndarray, list of rows, sparse matrix, pandas or polars data frame.
        y : array of shape (n_rows,)
            Labels of any kind.
        sample_weight : array of shape (n_rows,), default=None
            Weights, 0 or more; rows of weight 0 are left out altogether.
        sensitive_features : array of shape (n_rows,) or (n_rows, n), default=None
            The group of each row, for ``Fairness`` without groups of its own.
        callback : callable, default=None
            As in :meth:`OptimalTreeClassifier.fit`.

        Returns
        -------
        OptimalDiagramClassifier
            The estimator itself.

        Examples
        --------
        >>> X = [[a, b] for a in (0, 1) for b in (0, 1)]
        >>> reports = []
        >>> diagram = OptimalDiagramClassifier(widths=(1, 2)).fit(X, [0, 1, 1, 0], callback=reports.append)
        >>> reports[-1].cost == reports[-1].bound == diagram.cost_
        True
        """
        task = FitTask(self, X, y, sample_weight)
        run = FitRun(callback, ProgressLines(sys.stderr) if self.verbose else None, task.callback)
        parameters, seed = vars(self), read_seed(self.random_state)
        data = encoded(
            parameters,
            X,
            y,
            sample_weight,
            run=run,
            growth=lambda: growth_of(parameters, run, len(read_widths(self.widths)), seed),
            estimator=type(self).__name__,
        )
        problem = self._problem(data, sensitive_features, seed)
        start = self.diagram_ if self.warm_start and hasattr(self, "diagram_") else None
        solution = self._solve(run, partial(solve_diagram, problem, self.solver, start=start, seed=seed))
        self._keep(problem, solution)
        task.end()
        self._warn(solution)
        return self

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Pickles of version 0.1.0 have no such parameters.
        super().__setstate__({"max_split_columns": None, "column_price": 0.0} | state)

    def _problem(self, data: Encoded, sensitive_features: Any, seed: int | None) -> DiagramProblem:
        parameters = vars(self)
        limits = read_diagram_limits(parameters, data.n_rows)
        constraints = only_on_answers(read_constraints(_with_fairness(parameters), data, sensitive_features))
        # Solvers refuse worst-leaf objectives with a message of their own.
        objective = read_objective(parameters | {"confidence": 0.5}, data, OBJECTIVES)
        return DiagramProblem(data, objective, limits, constraints, seed or 0)

    def _keep(self, problem: Any, solution: Solution) -> None:
        super()._keep(problem, solution)
        self.n_nodes_ = n_asking(solution.model)
        self.objective_ = solution.cost / problem.total_weight


def read_diagram_limits(parameters: Mapping[str, Any], n_rows: int) -> DiagramLimits:
    """Shape of the diagram."""
    most, columns = parameters["max_nodes"], parameters["max_split_columns"]
    for name in ("multivariate", "tree"):
        if not isinstance(parameters[name], bool | np.bool_):
            raise InputError(f"{name} must be True or False; got {parameters[name]!r}.")
    return DiagramLimits(
        widths=read_widths(parameters["widths"]),
        ccp_alpha=number("ccp_alpha", parameters["ccp_alpha"], at_least=0.0),
        max_nodes=None if most is None else whole("max_nodes", most, at_least=1),
        min_samples_node=rows_or_share("min_samples_node", parameters["min_samples_node"], n_rows),
        min_weight_fraction_leaf=number(
            "min_weight_fraction_leaf", parameters["min_weight_fraction_leaf"], at_least=0.0
        ),
        tree=bool(parameters["tree"]),
        multivariate=bool(parameters["multivariate"]),
        max_split_columns=None if columns is None else whole("max_split_columns", columns, at_least=2),
        column_price=number("column_price", parameters["column_price"], at_least=0.0),
    )


def read_widths(widths: Any) -> tuple[int, ...]:
    """Nodes in each layer, from a name of the paper or from numbers.

    Examples
    --------
    >>> read_widths("II"), read_widths([1, 2])
    ((1, 2, 4, 4, 4), (1, 2))
    """
    if isinstance(widths, str):
        if widths not in SKELETONS:
            raise InputError(f"widths is {widths!r}. Expected one of {', '.join(SKELETONS)}, or numbers as (1, 2, 4).")
        return SKELETONS[widths]
    try:
        given = list(widths)
    except TypeError:
        raise InputError(f"widths must name a skeleton or be numbers such as (1, 2, 4); got {widths!r}.") from None
    return tuple(whole("each of widths", width, at_least=1) for width in given)


def _with_fairness(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return all constraints, those given as ``fairness`` among them."""
    fairness = parameters["fairness"]
    given = [] if fairness is None else fairness if isinstance(fairness, (list, tuple)) else [fairness]
    for each in given:
        if not isinstance(each, Fairness):
            raise InputError(
                f"fairness must be Fairness(...), such as Fairness('demographic_parity', ratio=0.8), or a list of "
                f"them; got {each!r}."
            )
    return {"constraints": [*listed(parameters["constraints"]), *given]}
