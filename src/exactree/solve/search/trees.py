"""Exact search in the native kernel: branch and bound over sets of rows, with a cache.

What is proved: no tree within the limits costs less, over all questions of the encoded data. The search tries shallow
trees first and keeps an incumbent and a valid lower bound at any moment. If it ends early, its tree costs no more than
the one that CART's rule grows.

What crosses the boundary, once per fit: the rows as ranks, labels, gains, bases and sizes (``gains.py``); the points as
ranks, labels, weights and sizes, for the greedy tree; limits and budget as numbers; the tree to start from, as rows of
(column, rank, yes, no, label). The kernel returns a tree of the same form, cost, bound, status, history and counters.
Arrays are read in place. The kernel itself chooses the engine and grows the greedy tree.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from exactree import kernel
from exactree.errors import InputError, Unsupported
from exactree.model import Graph
from exactree.names import canonical
from exactree.problem import Problem
from exactree.solve.callback import later
from exactree.solve.gains import Gains, gains_of
from exactree.solve.interface import Budget, Callback, Capabilities, Solution, Status
from exactree.solve.search.constrained import search_constrained
from exactree.solve.search.kernel_run import Nodes, run_kernel
from exactree.solve.search.leaf_limits import search_leaf_limits
from exactree.solve.search.sampled_start import SampledStart
from exactree.solve.search.worst_leaf import search_worst_leaf
from exactree.solve.trees.ranked_tree import RankedNode, from_graph, nodes_of, to_graph

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
    "anytime",
    "partition",
)


def search_nodes(problem: Problem, budget: Budget, start: Sequence[RankedNode]) -> list[RankedNode]:
    """Return the nodes of the best tree that is found, over all columns of the problem, also those made of others."""
    given = np.array(start, dtype=np.int32).reshape(-1, 5)
    outcome = Search().run(problem, gains_of(problem), budget, given, None)
    if outcome.status == Status.INTERRUPTED.value:
        raise KeyboardInterrupt
    return nodes_of(outcome.nodes)


@dataclass(frozen=True, slots=True)
class Search:
    """Exact, anytime, multi-class; the default.

    ``engine`` is how sets of rows are stored: ``"bits"`` for few questions, ``"ranks"`` for all else; ``"auto"``
    chooses. ``"portable-bits"`` and ``"portable-ranks"`` use no vector instructions of the processor.
    ``without`` switches off parts of the search, to measure them: the optimum is the same. Merging, subtraction,
    differences and scatter are parts of the search on bit sets, hints and slack of the search on ranks. ``"anytime"``
    is the primal heuristic before and beside the proof, ``"partition"`` the lower bound from disjoint sets of rows;
    ``seed`` is that of their random choices, and of the rows of a large table that are searched first.
    """

    name: ClassVar[str] = "search"
    handles: ClassVar[Capabilities] = Capabilities(
        proves=True,
        any_depth=True,
        worst_leaf=True,
        constraints=True,
        soft_limits=True,
        leaf_limits=True,
        leaf_prices=True,
    )
    engine: str = "auto"
    without: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "engine", canonical(self.engine, ENGINES))
        object.__setattr__(self, "without", tuple(canonical(part, PARTS) for part in self.without))
        if self.engine not in ENGINES:
            raise InputError(f"Unknown engine {self.engine!r}; choose one of {', '.join(ENGINES)}.")
        for part in self.without:
            if part not in PARTS:
                raise InputError(f"Unknown part {part!r} of the search; choose from {', '.join(PARTS)}.")

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Run the kernel; it releases the GIL and reacts to Ctrl-C."""
        if problem.objective.is_worst_leaf:
            return search_worst_leaf(problem, budget, callback)
        if problem.on_answers or problem.soft:
            return search_constrained(problem, budget, start, callback)
        if problem.on_leaves or problem.priced_on_leaves:
            return search_leaf_limits(problem, budget, start, callback, self.solve)
        given = None if start is None else from_graph(problem, start)
        sampled = SampledStart(problem, budget, self.seed, callback)
        if given is None and sampled.is_worthwhile:
            given = sampled.grow()
        gains = gains_of(problem)
        before = sampled.seconds()
        left = replace(budget, seconds=0.0) if sampled.interrupted else budget.after(before)
        outcome = self.run(problem, gains, left, given, later(callback, before))
        status = Status(outcome.status)
        if sampled.interrupted and status is Status.TIME_LIMIT:
            status = Status.INTERRUPTED
        history = outcome.history
        history[:, 0] += before
        history[:, 1:] = (history[:, 1:] + gains.offset) / gains.scale
        return Solution.checked(
            problem,
            to_graph(problem, nodes_of(outcome.nodes)),
            status=status,
            claimed=gains.cost(outcome.cost),
            bound=gains.cost(outcome.bound),
            history=history,
            counters=outcome.counters,
        )

    def run(
        self, problem: Problem, gains: Gains, budget: Budget, start: Nodes | None, callback: Callback | None
    ) -> kernel.Outcome:
        """Run the kernel, and return its tree in ranks."""
        try:
            return run_kernel(
                problem, gains, budget, start, callback, engine=self.engine, without=self.without, seed=self.seed
            )
        except ValueError as refused:
            raise Unsupported(f"Search(engine={self.engine!r}) cannot take this problem: {refused}.") from None
