"""Exact search in the native kernel: branch and bound over sets of rows, with a cache.

What is proved: no tree within the limits costs less, over all questions of the encoded data. The search starts from a
greedy tree (CART's rule), tries shallow trees first, and keeps the best tree and a valid lower bound at any moment.
"""

import os
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree import kernel
from exactree.errors import InputError, Unsupported
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.gains import LARGEST_SUM, Gains, gains_of, shape_of, sizes_of
from exactree.solve.interface import Budget, Capabilities, Progress, Solution, Status, Watch
from exactree.solve.ranked_tree import RankedNode, from_graph, to_graph

ENGINES = ("auto", "bits", "portable-bits", "ranks")
PARTS = ("similarity", "look-ahead", "cache", "merging", "subtraction", "deepening")
MEMORY_SHARE = 0.5  # of the machine's memory, for the cache when no limit is given; a full cache only costs speed


@dataclass(frozen=True, slots=True)
class Search:
    """Exact, anytime, multi-class; the default.

    ``engine`` is how sets of rows are kept: ``"bits"`` for two classes and few questions, ``"ranks"`` for all else,
    ``"auto"`` chooses. ``"portable-bits"`` does without the vector instructions of the processor at hand.
    ``without`` leaves parts of the search on bit sets out, to measure what they are worth: the optimum is the same.
    """

    name: ClassVar[str] = "search"
    handles: ClassVar[Capabilities] = Capabilities(proves=True)
    engine: str = "auto"
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise InputError(f"Unknown engine {self.engine!r}; choose one of {', '.join(ENGINES)}.")
        for part in self.without:
            if part not in PARTS:
                raise InputError(f"Unknown part {part!r} of the search; choose from {', '.join(PARTS)}.")

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, watch: Watch | None = None
    ) -> Solution:
        """Run the kernel; it releases the GIL and answers Ctrl-C."""
        gains = gains_of(problem)
        max_depth, max_leaves = shape_of(problem)
        try:
            outcome = kernel.search(
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
                leaf_price=gains.leaf_price,
                offset=gains.offset,
                seconds=budget.seconds,
                memory=_machine_memory() if budget.memory is None else budget.memory,
                gap=budget.gap,
                start=_start_nodes(problem, start),
                watch=_watcher(watch, gains),
                engine=self.engine,
                threads=budget.threads,
                without=list(self.without),
            )
        except ValueError as refused:
            raise Unsupported(f"Search(engine={self.engine!r}) cannot take this problem: {refused}.") from None
        history = outcome.history
        history[:, 1:] = (history[:, 1:] + gains.offset) / gains.scale
        return Solution.checked(
            problem,
            to_graph(problem, [RankedNode(*map(int, node)) for node in outcome.nodes]),
            status=Status(outcome.status),
            claimed=gains.cost(outcome.cost),
            bound=gains.cost(outcome.bound),
            history=history,
            counters=outcome.counters,
        )


def _start_nodes(problem: Problem, start: Graph | None) -> NDArray[np.int32]:
    """Nodes of the caller's tree if it can be used here and is better, else of a greedy tree."""
    greedy = _greedy(problem)
    given = None if start is None else from_graph(problem, start)
    if given is None:
        return greedy
    costs = [problem.cost(to_graph(problem, [RankedNode(*map(int, n)) for n in nodes])) for nodes in (given, greedy)]
    return given if costs[0] <= costs[1] else greedy


def _greedy(problem: Problem) -> NDArray[np.int32]:
    data = problem.data
    max_depth, max_leaves = shape_of(problem)
    weights = data.point_weights * problem.objective.matrix.max(axis=1)[data.point_labels]
    # Whole numbers stay as they are; others only rank splits by impurity, so forty bits in all are plenty.
    keep = np.array_equal(weights, np.rint(weights)) and weights.sum() < LARGEST_SUM
    whole = weights if keep else np.rint(weights * (2.0**40 / max(weights.sum(), np.finfo(float).tiny)))
    sizes, min_weight = sizes_of(problem)
    ranks = np.array([column.ranks for column in data.columns], dtype=np.uint32).reshape(-1, data.n_points)
    return np.array(
        kernel.grow(
            ranks,
            data.point_labels,
            whole.astype(np.int64),
            sizes,
            n_classes=data.n_classes,
            max_depth=max_depth,
            max_leaves=max_leaves,
            min_rows=problem.limits.min_samples_leaf,
            min_weight=min_weight,
        ).nodes
    )


def _watcher(watch: Watch | None, gains: Gains) -> object:
    if watch is None:
        return None

    def tell(seconds: float, cost: int, bound: int) -> None:
        watch(Progress(seconds, gains.cost(cost), gains.cost(bound)))

    return tell


def _machine_memory() -> int:
    """Half of the machine's memory, in bytes."""
    try:
        return int(MEMORY_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return 2**32
