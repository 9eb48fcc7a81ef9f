"""Candidates of a row, cheapest first: the nearest points of leaf regions.

In a tree every leaf has one region, and its nearest point is found column by column: it has the least cost and the
fewest changes at once. The costs of all rows and regions are computed as one array. A diagram can have exponentially
many decision paths, so there paths are expanded from the root by best-first search: extending a path never lowers its
cost.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import fsum
from typing import Any

import numpy as np

from exactree.arrays import Bools, Floats
from exactree.explain.counterfactual.action import Action, ActionSet
from exactree.explain.counterfactual.leaf_regions import LeafRegion, child_region, values_of
from exactree.explain.counterfactual.value_sets import ValueSet
from exactree.model import Graph
from exactree.table import Table, Test

SAME = 1e-12  # relative: smaller differences of costs are rounding errors
Row = Callable[[int], Any]  # from the number of a column to the row's value
Key = tuple[float, int, float, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """The nearest point of a region."""

    region: LeafRegion
    actions: Mapping[int, Action]  # by column; only those that change
    accuracy: float  # of the leaf; below 0 if it is not known
    proved: bool = True  # whether no point of the region costs less
    label: int | None = None  # predicted by the model of the leaf; None: the leaf has none
    bound: float | None = None  # if not proved: lower bound on the cost

    @property
    def cost(self) -> float:
        """Cost of all changes."""
        return fsum(action.cost for action in self.actions.values())

    @property
    def key(self) -> Key:
        """Sort key: lower cost, fewer changes, higher accuracy."""
        return float(f"{self.cost:.12g}"), len(self.actions), -self.accuracy, self.region.node


@dataclass(frozen=True, slots=True, eq=False)
class RegionRanking:
    """The regions of a tree's leaves, or of some decision paths, ranked by cost for each row of a table."""

    graph: Graph
    action_sets: Mapping[int, ActionSet]
    regions: Sequence[LeafRegion]
    costs: Floats  # (n_rows, n_regions) inf where infeasible
    accuracy: Floats  # (n_nodes,)

    @classmethod
    def of(
        cls, graph: Graph, action_sets: Mapping[int, ActionSet], table: Table, regions: Sequence[LeafRegion]
    ) -> "RegionRanking":
        """Compute the costs of all rows and regions."""
        costs = np.zeros((table.n_rows, len(regions)))
        for column in sorted({column for region in regions for column in region.values}):
            wanted = [values_of(graph, region, column) for region in regions]
            number = {values: at for at, values in enumerate(dict.fromkeys(wanted))}
            costs_of_column = action_sets[column].costs(list(number), table.columns[column].values)
            costs += costs_of_column[:, [number[values] for values in wanted]]
        return cls(graph, action_sets, regions, costs, node_accuracies(graph))

    def candidates(self, at: int, row: Row, wanted: Bools) -> Iterator[Candidate]:
        """Yield the points of the target leaves (a mask over nodes) that are nearest to a row, cheapest first."""
        costs = self.costs[at]
        usable = wanted[[region.node for region in self.regions]] & np.isfinite(costs)
        order = [int(b) for b in np.argsort(costs, kind="stable") if usable[b]]
        while order:
            limit = costs[order[0]] * (1 + SAME)
            n_equal = int(np.searchsorted(costs[order], limit, side="right"))
            group = [self._candidate(self.regions[b], row) for b in order[:n_equal]]
            yield from sorted(group, key=lambda candidate: candidate.key)
            del order[:n_equal]

    def _candidate(self, region: LeafRegion, row: Row) -> Candidate:
        actions = {j: self.action_sets[j].cheapest(values, row(j)) for j, values in region.values.items()}
        changed = {j: action for j, action in actions.items() if action is not None and action.changes}
        return Candidate(region, changed, float(self.accuracy[region.node]))


def best_first(
    graph: Graph,
    action_sets: Mapping[int, ActionSet],
    row: Row,
    wanted: Bools,
    dominated: Callable[[set[int]], bool],
    *,
    coupled: bool,
) -> Iterator[Candidate]:
    """Expand the decision paths of a graph, cheapest first, to the target leaves (a mask over nodes).

    ``dominated`` says of a set of changed columns that no candidate with them is of interest any more. ``coupled`` says
    that rules or oblique splits couple columns, so that incomplete paths cannot be compared.
    """
    met = DominanceFilter(graph)
    can_reach = _can_reach(graph, wanted)
    accuracy = node_accuracies(graph)
    turn = count()
    queue: list[tuple[float, int, bool, float, int, Candidate]] = []

    def add(candidate: Candidate) -> None:
        cost, n_changes, worse, node = candidate.key
        leaf = graph.is_leaf(node)
        heapq.heappush(queue, (cost, n_changes, leaf, worse if leaf else 0.0, next(turn), candidate))

    if can_reach[0]:
        add(Candidate(LeafRegion(0), {}, float(accuracy[0])))
    while queue:
        candidate = heapq.heappop(queue)[-1]
        if dominated(set(candidate.actions)) or (not coupled and met.is_dominated(candidate)):
            continue
        if graph.is_leaf(candidate.region.node):
            yield candidate
            continue
        for yes in (True, False):
            region = child_region(graph, candidate.region, yes=yes)
            if region is not None and can_reach[region.node]:
                actions = _updated_actions(graph, action_sets, row, candidate, region)
                if actions is not None:
                    add(Candidate(region, actions, float(accuracy[region.node])))


class DominanceFilter:
    """Prunes dominated paths: of two with the same continuation, the one that changes more columns at no lower cost.

    Without it, a diagram of thirty splits would take a billion paths.
    """

    def __init__(self, graph: Graph) -> None:
        self._below: list[set[int]] = [set() for _ in range(graph.n_nodes)]  # columns that splits read from a node on
        for node in reversed(range(graph.n_nodes)):
            if not graph.is_leaf(node):
                later = self._below[graph.yes[node]] | self._below[graph.no[node]]
                self._below[node] = later | {int(graph.column[node])}
        self._met: dict[tuple[int, frozenset[tuple[int, ValueSet]]], list[set[int]]] = {}

    def is_dominated(self, candidate: Candidate) -> bool:
        """Whether an earlier, no dearer candidate has the same continuation and no other changes; else remember it."""
        region, changes = candidate.region, set(candidate.actions)
        ahead = frozenset((j, values) for j, values in region.values.items() if j in self._below[region.node])
        earlier = self._met.setdefault((region.node, ahead), [])
        if any(some <= changes for some in earlier):
            return True
        earlier.append(changes)
        return False


def _updated_actions(
    graph: Graph, action_sets: Mapping[int, ActionSet], row: Row, candidate: Candidate, region: LeafRegion
) -> Mapping[int, Action] | None:
    """Return the actions into a region one split below a candidate's; None if one is infeasible."""
    actions = dict(candidate.actions)
    node = candidate.region.node
    linear = graph.test[node] == Test.LINEAR
    for column in [j for j, _ in graph.sum_at(node)] if linear else [int(graph.column[node])]:
        if column not in region.values:
            continue
        action = action_sets[column].cheapest(region.values[column], row(column))
        if action is None:
            return None
        actions.pop(column, None)
        if action.changes:
            actions[column] = action
    return actions


def _can_reach(graph: Graph, wanted: Bools) -> list[bool]:
    """Return whether a target leaf (a mask over nodes) is a descendant of each node."""
    can_reach = [False] * graph.n_nodes
    for node in reversed(range(graph.n_nodes)):
        leaf = graph.is_leaf(node)
        can_reach[node] = bool(wanted[node]) if leaf else can_reach[graph.yes[node]] or can_reach[graph.no[node]]
    return can_reach


def node_accuracies(graph: Graph) -> Floats:
    """Return the weighted share of the node's label at each node; -1 without weight."""
    total = graph.weight.sum(axis=1)
    right = graph.weight[np.arange(graph.n_nodes), graph.label]
    return np.asarray(np.divide(right, total, out=np.full(graph.n_nodes, -1.0), where=total > 0))
