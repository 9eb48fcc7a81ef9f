"""Exact search in the native kernel: branch and bound over sets of rows, with a cache.

What is proved: no tree within the limits costs less, over all questions of the encoded data. The search starts from a
greedy tree (CART's rule), tries shallow trees first, and keeps the best tree and a valid lower bound at any moment.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree import kernel
from exactree.errors import InputError, Unsupported
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.callback import memory_for, native_callback
from exactree.solve.gains import LARGEST_SUM, Gains, gains_of, shape_of, sizes_of
from exactree.solve.interface import Budget, Callback, Capabilities, Solution, Status
from exactree.solve.search.worst_leaf import search_worst_leaf
from exactree.solve.trees.ranked_tree import RankedNode, from_graph, relabelled, to_graph

ENGINES = ("auto", "bits", "portable-bits", "ranks", "portable-ranks")
PARTS = (
    "similarity",
    "look-ahead",
    "cache",
    "merging",
    "subtraction",
    "differences",
    "scatter",
    "deepening",
    "local-search",
    "hints",
    "slack",
)
# For bit sets, as in the kernel: questions in all, or per column with two classes and with more.
MOST_QUESTIONS, FEW_QUESTIONS, FEW_CUTS, FEW_CUTS_OF_CLASSES = 1500, 100, 4, 16
# On the CP4IM sets the search finds better trees sooner without a greedy one below so much work; beyond it most proofs
# take 0.2 to 4 s.
QUICK_WORK, MOST_LEVELS = 1e9, 30
# At depth two a search of so many cells, over ranks or bits, takes less than 0.2 s; a greedy tree takes a tenth to a
# quarter of that and saves nothing.
QUICK_CELLS = 2**20

Nodes = NDArray[np.int32]  # (n_nodes, 5)


@dataclass(frozen=True, slots=True)
class Search:
    """Exact, anytime, multi-class; the default.

    ``engine`` is how sets of rows are kept: ``"bits"`` for few questions, ``"ranks"`` for all else, ``"auto"`` chooses.
    ``"portable-bits"`` and ``"portable-ranks"`` do without the vector instructions of the processor at hand.
    ``without`` leaves parts of the search out, to measure what they are worth: the optimum is the same. Merging,
    subtraction, differences and scatter are parts of the search on bit sets, hints and slack of that over ranks.
    """

    name: ClassVar[str] = "search"
    handles: ClassVar[Capabilities] = Capabilities(proves=True, worst_leaf=True)
    engine: str = "auto"
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise InputError(f"Unknown engine {self.engine!r}; choose one of {', '.join(ENGINES)}.")
        for part in self.without:
            if part not in PARTS:
                raise InputError(f"Unknown part {part!r} of the search; choose from {', '.join(PARTS)}.")

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Run the kernel; it releases the GIL and answers Ctrl-C."""
        if problem.objective.is_worst_leaf:
            return search_worst_leaf(problem, budget, callback, _greedy)
        gains = gains_of(problem)
        given = None if start is None else from_graph(problem, start)
        # A greedy tree to start from costs more than it saves where the proof is quick; there it only makes sure that a
        # search that ends early does not return less than CART would.
        greedy = None if _quick(problem) else _greedy(problem)
        outcome = self._run(problem, gains, budget, _better(problem, given, greedy), callback)
        history, found = outcome.history, outcome
        if outcome.status != Status.OPTIMAL.value and greedy is None:
            fallback = self._run(problem, gains, replace(budget, seconds=0.0), _greedy(problem), None)
            if fallback.cost < outcome.cost:
                found = fallback
                history = np.vstack([history, [history[-1, 0], fallback.cost, min(fallback.cost, outcome.bound)]])
        history[:, 1:] = (history[:, 1:] + gains.offset) / gains.scale
        return Solution.checked(
            problem,
            to_graph(problem, [RankedNode(*node) for node in found.nodes.tolist()]),
            status=Status.OPTIMAL if found.cost <= outcome.bound else Status(outcome.status),
            claimed=gains.cost(found.cost),
            bound=gains.cost(outcome.bound),
            history=history,
            counters=outcome.counters,
        )

    def _run(
        self, problem: Problem, gains: Gains, budget: Budget, start: Nodes | None, callback: Callback | None
    ) -> kernel.Outcome:
        max_depth, max_leaves = shape_of(problem)
        try:
            return kernel.search(
                gains.ranks,
                gains.labels,
                gains.gains,
                gains.bases,
                gains.sizes,
                n_classes=problem.data.n_classes,
                max_depth=max_depth,
                max_leaves=max_leaves,
                min_rows=problem.limits.min_samples_leaf,
                min_weight=gains.min_weight,
                leaf_price=gains.price,
                offset=gains.offset,
                seconds=budget.seconds,
                memory=memory_for(budget.memory),
                gap=budget.gap,
                start=start,
                callback=native_callback(callback, gains.cost),
                engine=self.engine,
                threads=budget.threads,
                without=list(self.without),
            )
        except ValueError as refused:
            raise Unsupported(f"Search(engine={self.engine!r}) cannot take this problem: {refused}.") from None


def _quick(problem: Problem) -> bool:
    """Whether the proof is: depth two and not much data, or bit sets (few questions, leaves of any weight)."""
    data = problem.data
    max_depth, max_leaves = shape_of(problem)
    # Sums over pairs of questions, once for all rows and question above them.
    levels = max(0, min(max_depth, max_leaves - 1) - 2)
    if levels == 0 and data.ranks.size <= QUICK_CELLS:
        return True
    if len(data.point_labels) * float(data.n_questions) ** min(levels, MOST_LEVELS) > QUICK_WORK:
        return False
    cuts = FEW_CUTS if data.n_classes <= 2 else FEW_CUTS_OF_CLASSES
    few = data.n_questions <= min(MOST_QUESTIONS, max(FEW_QUESTIONS, cuts * len(data.columns)))
    return few and problem.limits.min_weight_fraction_leaf == 0


def _better(problem: Problem, given: Nodes | None, greedy: Nodes | None) -> Nodes | None:
    """Of two trees to start from the cheaper one, whatever their labels: the kernel chooses these anew."""
    if given is None or greedy is None:
        return greedy if given is None else given
    ours, grown = (
        to_graph(problem, relabelled(problem, [RankedNode(*node) for node in nodes.tolist()]))
        for nodes in (given, greedy)
    )
    # A tree beyond the limits would be pruned, and cost more than it does now.
    return greedy if problem.violations(ours) or problem.cost(grown) < problem.cost(ours) else given


def _greedy(problem: Problem) -> Nodes:
    """Nodes of a tree grown as CART grows it."""
    data = problem.data
    max_depth, max_leaves = shape_of(problem)
    weights = data.point_weights * problem.objective.matrix.max(axis=1)[data.point_labels]
    # Whole numbers stay as they are; others only rank splits by impurity, so forty bits in all are plenty.
    keep = np.array_equal(weights, np.rint(weights)) and weights.sum() < LARGEST_SUM
    whole = weights if keep else np.rint(weights * (2.0**40 / max(weights.sum(), np.finfo(float).tiny)))
    sizes, min_weight = sizes_of(problem)
    grown = kernel.grow(
        data.ranks,
        data.point_labels,
        whole.astype(np.int64),
        sizes,
        n_classes=data.n_classes,
        max_depth=max_depth,
        max_leaves=max_leaves,
        min_rows=problem.limits.min_samples_leaf,
        min_weight=min_weight,
    )
    return np.array(grown.nodes)
