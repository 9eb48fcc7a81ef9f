"""Leaves with models that exactree cannot read: what is known of them is what they predict for single rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

from exactree.arrays import Bools
from exactree.explain.counterfactual.leaf_regions import LeafRegion
from exactree.explain.counterfactual.ranking import Candidate, Row
from exactree.explain.counterfactual.repair import Repair
from exactree.explain.hybrid.hybrid import Hybrid
from exactree.explain.network.leaf_solver import LeafResult, least_cost


@dataclass(slots=True, eq=False)
class OpaqueSolver:
    """Tries the nearest row of each leaf region; all others are left to the search among known rows."""

    repair: Repair
    hybrid: Hybrid
    predicted_label: Callable[[Candidate], int | None]  # None if the changed row ends in another leaf
    tried: set[int] = field(default_factory=set)  # regions, by identity

    def can_predict(self, node: int, wanted: Bools) -> bool:
        """Whether the model of a leaf knows a target label."""
        return any(wanted[label] for label in self.hybrid.possible_labels(node))

    def lower_bound(self, region: LeafRegion, row: Row) -> float:
        """Return a lower bound on the cost of moving a row into a region; inf if that is infeasible."""
        sets = self.repair.action_sets
        return sum((least_cost(sets[j], values, row(j)) for j, values in region.values.items()), start=0.0)

    def nearest(
        self,
        region: LeafRegion,
        row: Row,
        wanted: Bools,
        excluded: Sequence[frozenset[int]],
        *,
        limit: float = inf,
        until: float = inf,
        deadline: float | None = None,
    ) -> LeafResult:
        """Return the nearest row of a region if it has a target label; nothing is known of the others."""
        bound = self.lower_bound(region, row)
        if id(region) in self.tried:
            return LeafResult(None, bound)
        self.tried.add(id(region))
        candidate = nearest_point(self.repair, region, row)
        if candidate is None:
            return LeafResult(None, bound)
        label = self.predicted_label(candidate)
        if label is None or not wanted[label] or candidate.cost >= limit:
            return LeafResult(None, bound)
        return LeafResult(Candidate(region, candidate.actions, -1.0, candidate.cost <= bound, label), bound)


def nearest_point(repair: Repair, region: LeafRegion, row: Row) -> Candidate | None:
    """Return the nearest row of a region, whatever its label; None if it is infeasible."""
    actions = {}
    for j, values in region.values.items():
        action = repair.action_sets[j].cheapest(values, row(j))
        if action is None:
            return None
        if action.changes:
            actions[j] = action
    return repair.apply(Candidate(region, actions, accuracy=-1.0), row)
