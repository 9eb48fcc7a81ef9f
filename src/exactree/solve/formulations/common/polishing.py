"""Polishing: improve a tree a few questions at a time, with all others fixed, by the formulation of the whole tree.

MIPs of three questions are solved in seconds where those of seven and fifteen are not. First the subtrees of the
lowest two levels are optimised, each as a small MIP over the rows that reach it; then the questions above them one by
one, in the whole MIP with all others fixed; and again, until nothing changes. On one thread no back end gets as far in
a minute: on the first split of pima at depth 3 CP-SAT improves CART's 74 errors to 71, and polishing to 63 in 20
seconds. Three questions at once further up take as long as the whole MIP, and found less.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from exactree.arrays import Ints
from exactree.encode import subset_of
from exactree.encode.thresholds import ClassChanges
from exactree.problem import Problem
from exactree.solve.interface import Solution
from exactree.solve.trees.complete_tree import NO_QUESTION, Shape, embedded
from exactree.solve.trees.ranked_tree import RankedNode, from_graph, reached, relabelled, to_graph

LEVELS = 2  # of the subtrees that are optimised together
MAX_SECONDS = 60.0  # for one MIP

Nodes = list[RankedNode]


@dataclass(frozen=True, slots=True)
class Polish:
    """Improves a tree; ``left`` returns the seconds left for all steps."""

    problem: Problem
    shape: Shape
    solve_subproblem: Callable[[Problem, float], Solution]
    solve_branch: Callable[[Nodes, int, float], Nodes]  # tree, the branch that may change, seconds
    left: Callable[[], float]
    tried: set[object] = field(default_factory=set)

    @property
    def applies(self) -> bool:
        """Whether it can be used; constraints and a limit on leaves concern the whole tree."""
        limited = self.problem.constraints or self.problem.limits.most_leaves < self.shape.n_leaves
        return not limited and self.shape.depth > LEVELS

    def improve(self, nodes: Nodes) -> Iterator[Nodes]:
        """Yield a sequence of better trees."""
        if not self.applies:
            return
        changed = True
        while changed:
            changed = False
            for nodes in self._improve_once(nodes):  # noqa: B020, each better than the one before
                changed = True
                yield nodes
        for height in range(LEVELS + 1, self.shape.depth):
            for nodes in self._improve_subtrees(nodes, height):  # noqa: B020
                yield nodes

    def _improve_once(self, nodes: Nodes) -> Iterator[Nodes]:
        for nodes in self._improve_subtrees(nodes, LEVELS):  # noqa: B020
            yield nodes
        for branch in reversed(range(self._n_upper_branches)):
            key = (branch, tuple(nodes))
            if self.left() <= 0 or key in self.tried or embedded(nodes, self.shape).column[branch] == NO_QUESTION:
                continue
            self.tried.add(key)
            changed = self.solve_branch(nodes, branch, min(MAX_SECONDS, self.left() / (branch + 1)))
            if is_better(self.problem, changed, nodes):
                nodes = changed
                yield nodes

    @property
    def _n_upper_branches(self) -> int:
        """Number of branches above the subtrees."""
        return int(2 ** (self.shape.depth - LEVELS) - 1)

    def _improve_subtrees(self, nodes: Nodes, height: int) -> Iterator[Nodes]:
        """Optimise each subtree of some height."""
        waiting = list(_paths(nodes, self.shape.depth - height))
        while waiting and self.left() > 0:
            node = _node_at(nodes, waiting.pop(0))
            points = reached(self.problem.data, nodes)[node]
            subproblem = _subproblem(self.problem, points, height)
            if subproblem is None or (height, points.tobytes()) in self.tried:
                continue
            self.tried.add((height, points.tobytes()))
            share = self.left() / (len(waiting) + 1 + self._n_upper_branches)
            below = from_graph(self.problem, self.solve_subproblem(subproblem, min(MAX_SECONDS, share)).model)
            if below is not None:
                changed = _with_subtree(nodes, node, [RankedNode(*row) for row in below.tolist()])
                if is_better(self.problem, changed := relabelled(self.problem, changed), nodes):
                    nodes = changed
                    yield nodes


def _paths(nodes: Sequence[RankedNode], level: int) -> Iterator[tuple[bool, ...]]:
    """Paths to the nodes of a level, as answers; they stay valid when subtrees below change."""

    def below(node: int, path: tuple[bool, ...]) -> Iterator[tuple[bool, ...]]:
        if len(path) == level:
            yield path
        elif nodes[node].column >= 0:
            yield from below(nodes[node].yes, (*path, True))
            yield from below(nodes[node].no, (*path, False))

    return below(0, ())


def _node_at(nodes: Sequence[RankedNode], path: tuple[bool, ...]) -> int:
    node = 0
    for yes in path:
        node = nodes[node].yes if yes else nodes[node].no
    return node


def _subproblem(problem: Problem, points: Ints, depth: int) -> Problem | None:
    """Return the problem of a subtree; ``None`` if no question can help."""
    data, limits = problem.data, problem.limits
    weight = float(data.point_weights[points].sum())
    if len(np.unique(data.point_labels[points])) < 2:
        return None
    part = subset_of(data, points, ClassChanges())
    share = problem.total_weight / weight  # prices and least weights are relative to the total weight
    if not part.columns or limits.min_weight_fraction_leaf * share > 1 / 2:
        return None
    least, price = limits.min_weight_fraction_leaf * share, limits.ccp_alpha * share
    within = replace(limits, max_depth=depth, min_weight_fraction_leaf=least, ccp_alpha=price)
    return replace(problem, data=part, limits=within)


def _with_subtree(nodes: Sequence[RankedNode], place: int, part: Sequence[RankedNode]) -> list[RankedNode]:
    """Return the tree with another subtree at a node, root first."""
    written: list[RankedNode] = []

    def write(source: Sequence[RankedNode], at: int) -> int:
        if source is nodes and at == place:
            source, at = part, 0
        number, node = len(written), source[at]
        written.append(node)
        if node.column >= 0:
            yes, no = write(source, node.yes), write(source, node.no)
            written[number] = node._replace(yes=yes, no=no)
        return number

    write(nodes, 0)
    return written


def is_better(problem: Problem, nodes: Sequence[RankedNode], than: Sequence[RankedNode]) -> bool:
    """Whether a tree is feasible and costs less than another."""
    ours, theirs = to_graph(problem, nodes), to_graph(problem, than)
    return not problem.violations(ours) and problem.cost(ours) < problem.cost(theirs) - problem.tolerance
