"""The interfaces of tree solvers and of diagram solvers, and what a solver must return."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from math import inf
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from exactree.arrays import Floats
from exactree.errors import SolverBug
from exactree.model import Graph
from exactree.problem import DiagramProblem, Limits, Problem, Scored

AMONG = " among those with thresholds "  # begins a scope that is a matter of thresholds
BETWEEN_CLASSES = " with thresholds between different classes only"  # a sample, of some solvers


class Status(Enum):
    """What was proved, and if nothing was, what ended the search."""

    OPTIMAL = "optimal"  # no allowed model costs less
    OPTIMAL_OVER_SAMPLE = "optimal_over_sample"  # no model costs less of those that the solver restricted itself to
    GAP_REACHED = "gap_reached"  # a better model may exist, but not by more than the gap asked for
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    INTERRUPTED = "interrupted"
    ENDED = "ended"  # the solver finished without a proof


@dataclass(frozen=True, slots=True)
class Budget:
    """What a solver may spend. ``None`` means no limit."""

    seconds: float | None = None
    memory: int | None = None  # bytes that the solver may allocate
    threads: int = 1
    gap: float = 0.0  # stop once (cost - bound) / cost is at most this

    def after(self, seconds: float) -> "Budget":
        """Return what is left after so many seconds.

        Examples
        --------
        >>> Budget(seconds=5.0).after(2.0).seconds, Budget(seconds=5.0).after(9.0).seconds, Budget().after(9.0).seconds
        (3.0, 0.0, None)
        """
        return self if self.seconds is None else replace(self, seconds=max(0.0, self.seconds - seconds))


@dataclass(frozen=True, slots=True)
class Progress:
    """One progress report: ``bound <= best possible cost <= cost``.

    Parameters
    ----------
    seconds : float
        Since the fit began; in a report of a solver that is called directly, since the solver began.
    cost : float
        Cost of the incumbent, the best model so far; infinite before there is one.
    bound : float
        Lower bound on the cost of all allowed models.
    details : str, default=""
        What else the solver reports, such as the iteration of column generation.
    stage : str, default=""
        What the fit is doing, such as ``"reading"``, ``"encoding"``, ``"greedy"``, ``"search depth 3"``,
        ``"improve"``, ``"MIP"`` or ``"pricing"``.

    Examples
    --------
    >>> progress = Progress(seconds=1.5, cost=40.0, bound=30.0, stage="search")
    >>> progress.gap, progress.stage
    (0.25, 'search')
    """

    seconds: float
    cost: float
    bound: float
    details: str = ""
    stage: str = ""

    @property
    def gap(self) -> float:
        """Share of the cost that a better model might still save; infinite before there is a model."""
        return inf if self.cost == inf else relative_gap(self.cost, self.bound)


Callback = Callable[[Progress], Any]  # True asks the solver to stop; anything else is ignored


class Round(NamedTuple):
    """State of column generation after an iteration, or at the end, in the user's units.

    What is not known is infinite: at the end there is no relaxation.
    """

    seconds: float  # since the run began
    iteration: int
    columns: int  # paths in the master problem
    relaxed: float  # cost of the relaxation over these
    bound: float  # Lagrangian bound of this iteration; in a branch of a search, on the trees of that branch
    best: float  # cost of the best tree known
    proved: float  # best bound so far on all trees of the sampled questions, rounded up where costs are integers
    is_root: bool  # whether the relaxation is that of all these trees, not of a branch of a search


def relative_gap(cost: float, bound: float) -> float:
    """Share of the cost that a better model might still save.

    Examples
    --------
    >>> relative_gap(10.0, 8.0), relative_gap(0.0, 0.0)
    (0.2, 0.0)
    """
    return 0.0 if cost <= bound else (cost - bound) / cost


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A model together with what is known about it: ``bound <= best possible cost <= cost``."""

    status: Status
    model: Graph
    cost: float
    bound: float
    history: Floats = field(default_factory=lambda: np.empty((0, 3)))  # rows of seconds, cost, bound
    counters: Mapping[str, float] = field(default_factory=dict)
    scope: str = ""  # which trees the caller allowed, if not all: " among those with thresholds ..."
    objective: str | None = None  # name of what was minimised, if it is known
    reason: str = ""  # why a solver ended, where the status alone does not say it
    trace: tuple[Round, ...] = ()  # of column generation, iteration by iteration
    sample: str = ""  # which of the allowed trees the solver restricted itself to, if not all: " with thresholds ..."
    sample_bound: float | None = None  # lower bound over these; None if the solver left no tree out
    kind: str = "allowed tree"  # the models that were allowed, in a sentence: "tree of depth 6"
    unit: str = ""  # "errors" if the cost is the number of wrong answers

    @property
    def gap(self) -> float:
        """Share of the cost that a better model might still save."""
        return relative_gap(self.cost, self.bound)

    @classmethod
    def checked(
        cls,
        problem: Scored,
        model: Graph,
        *,
        status: Status,
        claimed: float,
        bound: float,
        history: Floats | None = None,
        counters: Mapping[str, float] | None = None,
    ) -> "Solution":
        """Build a solution after re-scoring its model on the data.

        Raises
        ------
        SolverBug
            If the model breaks a limit, costs more than was claimed, or less than was proved possible.
        """
        leaf = model.apply(problem.data.table)
        cost, noise = problem.cost(model, leaf), problem.tolerance
        if broken := problem.violations(model, leaf):
            raise SolverBug(f"The solver returned a model that is not allowed: {'; '.join(broken)}.")
        if cost > claimed + noise or (status is Status.OPTIMAL and cost < claimed - noise):
            raise SolverBug(f"The solver claimed cost {claimed:g} but its model costs {cost:g} on the same rows.")
        if bound > cost + noise:
            raise SolverBug(f"The solver's lower bound {bound:g} exceeds the cost {cost:g} of its own model.")
        if status is Status.OPTIMAL and bound < cost - noise:
            raise SolverBug(f"The solver claims a proof, but its bound {bound:g} is below the cost {cost:g}.")
        bound = cost if status is Status.OPTIMAL else min(bound, cost)
        return cls(
            status,
            model,
            cost,
            bound,
            np.empty((0, 3)) if history is None else history,
            dict(counters or {}),
            scope_of(problem),
            problem.objective.name,
            kind=kind_of(problem),
            unit=unit_of(problem),
        )

    def over_sample(self, sample: str, bound: float, gap: float = 0.0) -> "Solution":
        """Return what is known over all allowed models, where the solver restricted itself to some of them.

        Parameters
        ----------
        sample : str
            Which they are, to follow "no allowed tree".
        bound : float
            A lower bound over all allowed models; the one of this solution holds over some of them.
        gap : float, default=0.0
            The gap asked for.
        """
        bound = min(bound, self.cost)
        history = self.history.copy()
        history[:, 2] = np.minimum(history[:, 2], bound)
        known = replace(self, bound=bound, history=history, sample=sample, sample_bound=self.bound)
        if bound >= self.cost:  # no tree that was left out is better
            return replace(known, status=Status.OPTIMAL, sample="", sample_bound=None, reason="")
        if self.status is Status.OPTIMAL:
            return replace(known, status=Status.OPTIMAL_OVER_SAMPLE)
        if self.status is Status.GAP_REACHED and known.gap > gap:
            return replace(known, status=Status.ENDED, reason=f"the gap is reached only over trees{sample}")
        return known


def scope_of(problem: Scored) -> str:
    """Return which models the caller allowed by a policy for thresholds, as text; empty if they are all."""
    data = problem.data
    return "" if data.complete else f"{AMONG}{data.thresholds}"


def kind_of(problem: Scored) -> str:
    """Name the models that are allowed in a few words: by their depth, if that is the only limit."""
    if not isinstance(problem, Problem):
        return "allowed diagram"
    limits = problem.limits
    by_depth = not problem.constraints and limits == Limits(limits.max_depth, ccp_alpha=limits.ccp_alpha)
    depth = "any depth" if limits.max_depth is None else f"depth {limits.max_depth}"
    return f"tree of {depth}" if by_depth else "allowed tree"


def unit_of(problem: Scored) -> str:
    """Return "errors" if the cost is the number of rows that get a wrong answer."""
    if not isinstance(problem, Problem) or problem.objective.name != "accuracy":
        return ""
    if problem.leaf_price or problem.column_price or problem.soft or problem.priced_on_leaves:
        return ""
    return "errors" if bool((problem.data.weights == 1).all()) else ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a solver supports, as data, so that documentation and refusals read the same table."""

    proves: bool  # whether it can prove optimality
    most_leaves_scored: float = float("inf")  # refuses problems that would take more work than this
    most_questions: float = float("inf")  # refuses problems with more questions
    leaf_limit: bool = True  # whether it supports max_leaf_nodes
    leaf_sizes: bool = True  # whether it supports a least size of leaves
    any_costs: bool = True  # whether the cost of an error may depend on the wrong label
    deepest: float = float("inf")  # refuses trees deeper than this
    any_depth: bool = False  # needs no limit of depth
    constraints: bool = False  # whether it supports constraints on the answers
    soft_limits: bool = False  # whether it supports constraints with a price
    leaf_limits: bool = False  # whether it supports constraints on each leaf
    leaf_prices: bool = False  # whether it supports those that a leaf may break at a price
    sums: bool = True  # whether it supports objectives that are sums over rows, as most are
    worst_leaf: bool = False  # whether it supports worst-leaf objectives
    confidence: bool = True  # whether it supports the worst-leaf objective by a confidence bound on accuracy
    tiny: float = float("inf")  # points times leaves up to which it proves within a second: for tests of solvers


class Solver(Protocol):
    """Solves a :class:`~exactree.problem.Problem`."""

    name: ClassVar[str]
    handles: ClassVar[Capabilities]

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Return the best model found within the budget."""
        ...


@dataclass(frozen=True, slots=True)
class DiagramCapabilities:
    """What a solver of diagrams supports, as data."""

    proves: bool  # whether it can prove optimality
    constraints: bool = False  # whether it supports constraints on the answers
    soft_limits: bool = False  # whether it supports such constraints whose violation has a price
    multivariate: bool = False  # whether it supports oblique splits
    most_points: float = float("inf")  # refuses problems with more points
    most_depth: float = float("inf")  # refuses problems with more layers


class DiagramSolver(Protocol):
    """Solves a :class:`~exactree.problem.DiagramProblem`."""

    name: ClassVar[str]
    handles: ClassVar[DiagramCapabilities]

    def solve(
        self, problem: DiagramProblem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Return the best diagram found within the budget."""
        ...
