"""The nearest row of a leaf region for which a tree ensemble predicts a target label."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from exactree.arrays import Bools
from exactree.explain.boosting.box_search import BoxSearch, Grid
from exactree.explain.boosting.cells import ColumnCells, cells_of
from exactree.explain.boosting.ensemble import Ensemble
from exactree.explain.counterfactual.action import Action
from exactree.explain.counterfactual.leaf_regions import LeafRegion, values_of
from exactree.explain.counterfactual.ranking import Candidate, Row
from exactree.explain.counterfactual.repair import Repair
from exactree.explain.network.leaf_solver import LeafResult, least_cost


@dataclass(slots=True, eq=False)
class RegionCells:
    """The cells of all leaf regions, which are the same for all rows."""

    repair: Repair
    ensembles: Mapping[int, Ensemble]  # by leaf
    found: dict[int, dict[int, ColumnCells]] = field(default_factory=dict)  # by the identity of a region

    def of(self, region: LeafRegion) -> dict[int, ColumnCells]:
        """Return the cells of a region by column."""
        if id(region) not in self.found:
            ensemble = self.ensembles[region.node]
            columns = {*ensemble.columns, *region.values}
            columns |= {feature.column for feature in ensemble.features if not ensemble.takes_missing}
            values = {j: values_of(self.repair.graph, region, j) for j in sorted(columns)}
            self.found[id(region)] = cells_of(ensemble, values)
        return self.found[id(region)]


@dataclass(slots=True, eq=False)
class EnsembleSolver:
    """Solves leaf regions of one row; a search that was left is continued where it stopped."""

    cells: RegionCells
    predicted_label: Callable[[Candidate], int | None]  # None if the changed row ends in another leaf
    searches: dict[int, BoxSearch] = field(default_factory=dict)

    def can_predict(self, node: int, wanted: Bools) -> bool:
        """Whether the model of a leaf knows a target label."""
        return bool(wanted[self.cells.ensembles[node].labels].any())

    def lower_bound(self, region: LeafRegion, row: Row) -> float:
        """Return a lower bound on the cost of moving a row into a region; inf if that is infeasible."""
        action_sets = self.cells.repair.action_sets
        return sum((least_cost(action_sets[j], values, row(j)) for j, values in region.values.items()), start=0.0)

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
        """Find the nearest cell of a region with a target label that changes no excluded set of columns as a whole."""
        search = self.searches.get(id(region))
        if search is None:
            search = self.searches[id(region)] = self._search(region, row, wanted)
            search.start()
        found = search.next(excluded, limit, until, deadline)
        if found is None:
            return LeafResult(None, search.bound, search.doubtful)
        actions, label = found
        candidate = Candidate(region, actions, accuracy=-1.0, label=label)
        return LeafResult(candidate, candidate.cost, search.doubtful)

    def _search(self, region: LeafRegion, row: Row, wanted: Bools) -> BoxSearch:
        repair, ensemble = self.cells.repair, self.cells.ensembles[region.node]
        cells = self.cells.of(region)

        def action(j: int, number: int) -> Action | None:
            inside = row(j) in cells[j].cells[number]
            return repair.action_sets[j].cheapest((cells[j].cells if inside else cells[j].targets)[number], row(j))

        grid = Grid.of(ensemble, cells, action)
        targets = wanted[ensemble.labels]

        def accepts(actions: dict[int, Action]) -> int | None:
            candidate = Candidate(region, actions, accuracy=-1.0)
            label = self.predicted_label(candidate) if repair.is_feasible(candidate, row) else None
            return label if label is not None and wanted[label] else None

        coupled = bool(region.oblique or repair.rules)
        return BoxSearch(grid, np.flatnonzero(targets), np.flatnonzero(~targets), accepts, coupled)
