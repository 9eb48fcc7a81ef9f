"""Search for counterfactuals of some rows; if a row has none, for the constraint whose relaxation is cheapest."""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from typing import Any

import numpy as np

from exactree.arrays import Bools, Int32s
from exactree.errors import SolverBug
from exactree.explain.counterfactual.actionability import LEAF_LIMITS, Actionability, Limit
from exactree.explain.counterfactual.column_actions import build_action_sets, columns_in_splits
from exactree.explain.counterfactual.leaf_regions import LeafRegion, leaf_regions, path_regions
from exactree.explain.counterfactual.ranking import Candidate, Key, RegionRanking, best_first, node_accuracies
from exactree.explain.counterfactual.repair import Repair
from exactree.explain.counterfactual.result import Change, Counterfactual, Counterfactuals, Relaxation
from exactree.explain.leaf_facts import LeafFacts, leaf_facts, plain_label
from exactree.explain.rows import QueryRows
from exactree.model import Graph
from exactree.table import CATEGORICAL_KINDS, Kind, Table


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Candidates for a row, cheapest first."""

    candidates: list[Candidate]
    bound: float | None = None  # if the search ended early: lower bound on the cost of any further one


@dataclass(frozen=True, slots=True, eq=False)
class CounterfactualSearch:
    """Counterfactuals of some rows of a tree or diagram, under any actionability."""

    graph: Graph
    rows: QueryRows
    want: Bools | None
    costs: Any
    data: Table | None

    def results(self, actionability: Actionability, k: int) -> list[Counterfactuals]:
        """Return the counterfactuals of every row, with a relaxation where the problem is infeasible."""
        leaves = self.graph.apply(self.rows.table)
        now = self.current_labels(leaves)
        wanted = [self._target_labels(label) for label in now]
        open_rows = [at for at, label in enumerate(now) if not wanted[at][label]]
        found = dict(zip(open_rows, self.search(actionability, open_rows, wanted, k), strict=True))
        infeasible = [at for at in open_rows if not found[at].candidates and found[at].bound is None]
        relaxed = self._relaxed(actionability, infeasible, wanted)
        nothing = SearchResult([])
        return [
            Counterfactuals(
                row=self._row(at, {}),
                source=self.leaf_facts(int(leaf), now[at], self.rows.table.take([at])),
                wanted=tuple(plain_label(self.graph, int(label)) for label in np.flatnonzero(wanted[at])),
                answers=tuple(self._answer(at, candidate) for candidate in found.get(at, nothing).candidates),
                relax=relaxed.get(at),
                bound=found.get(at, nothing).bound,
            )
            for at, leaf in enumerate(leaves)
        ]

    def current_labels(self, leaves: Int32s) -> list[int]:
        """Return the label that the model predicts for each row, given its leaf."""
        return [int(self.graph.label[leaf]) for leaf in leaves]

    def leaf_facts(self, leaf: int, label: int, row: Table) -> LeafFacts:
        """Return the training statistics of a leaf, and of the decision path of a row that ends there."""
        if self.graph.is_tree:
            return leaf_facts(self.graph, leaf)
        return leaf_facts(self.graph, leaf, nodes=sorted(self.graph.decision_path(row).indices.tolist()))

    def possible_labels(self) -> Bools:
        """Return which labels some leaf predicts."""
        return np.isin(np.arange(self.graph.n_classes), self.graph.label[self.graph.leaves])

    def columns_read(self) -> set[int]:
        """Return the columns that the model reads."""
        return columns_in_splits(self.graph)

    def _target_labels(self, now: int) -> Bools:
        return self.want if self.want is not None else np.arange(self.graph.n_classes) != now

    def search(
        self, actionability: Actionability, at: Sequence[int], wanted: Sequence[Bools], k: int
    ) -> list[SearchResult]:
        """Return the cheapest candidates for some rows, each of them checked by predicting it."""
        if not at:
            return []
        action_sets = build_action_sets(self.graph, actionability, self.costs, self.data)
        repair = Repair(self.graph, action_sets, actionability.rules)
        regions = self._regions(actionability)
        ranking = (
            None
            if regions is None
            else RegionRanking.of(self.graph, action_sets, self.rows.table.take(list(at)), regions)
        )
        coupled = self.graph.is_linear or bool(actionability.rules)
        feasible = np.ones(self.graph.n_nodes, dtype=np.bool_)
        if self.graph.is_tree or regions is None:  # else the regions are of feasible paths
            feasible = actionability.feasible_leaves(node_accuracies(self.graph), self.graph.rows)
        found = []
        for place, number in enumerate(at):
            row, leaves = self.row_values(number), wanted[number][self.graph.label] & feasible
            kept: list[Candidate] = []
            if ranking is not None:
                source = ranking.candidates(place, row, leaves)
            else:
                source = best_first(self.graph, action_sets, row, leaves, _dominated_by(kept), coupled=coupled)
            collect(source, partial(repair.apply, row=row), k, kept, coupled=coupled)
            found.append(kept)
        self._check_predictions(at, found, wanted)
        return [SearchResult(kept) for kept in found]

    def _regions(self, actionability: Actionability) -> list[LeafRegion] | None:
        """Return the regions where counterfactuals may end; None for a diagram, which can have too many of them.

        In a diagram with counted paths, limits on rows and accuracy are limits on the decision path.
        """
        paths = self.graph.paths
        if self.graph.is_tree:
            return leaf_regions(self.graph)
        if paths is None or (actionability.min_accuracy is None and not actionability.min_support):
            return None
        label = self.graph.label[[nodes[-1] for nodes in paths.nodes]]
        total = paths.weight.sum(axis=1)
        right = paths.weight[np.arange(len(label)), label]
        accuracy = np.divide(right, total, out=np.full(len(total), -1.0), where=total > 0)
        feasible = actionability.feasible_leaves(accuracy, paths.rows)
        chosen = [nodes for nodes, good in zip(paths.nodes, feasible.tolist(), strict=True) if good]
        return [region for nodes in chosen for region in path_regions(self.graph, nodes)]

    def row_values(self, at: int) -> Callable[[int], Any]:
        """Return a function from the number of a column to a row's value."""
        return lambda column: self.rows.value(column, at)

    def _check_predictions(
        self, at: Sequence[int], found: Sequence[Sequence[Candidate]], wanted: Sequence[Bools]
    ) -> None:
        pairs = [(number, candidate) for number, some in zip(at, found, strict=True) for candidate in some]
        if not pairs:
            return
        labels = self.graph.predict(self._changed_table(pairs))
        for label, (number, _) in zip(labels, pairs, strict=True):
            if not wanted[number][label]:
                raise SolverBug(f"A counterfactual of row {number} is predicted {self.graph.classes[label]!r}.")

    def _changed_table(self, pairs: Sequence[tuple[int, Candidate]]) -> Table:
        """Return rows after the changes of candidates."""
        table = self.rows.table.take([number for number, _ in pairs])
        columns = list(table.columns)
        for j in sorted({j for _, candidate in pairs for j in candidate.actions}):
            values = columns[j].values.copy()
            for place, (_, candidate) in enumerate(pairs):
                if j in candidate.actions:
                    values[place] = candidate.actions[j].value
            columns[j] = replace(columns[j], raw=values)
        return Table(tuple(columns), table.n_rows, table.named)

    def _relaxed(
        self, actionability: Actionability, infeasible: Sequence[int], wanted: Sequence[Bools]
    ) -> dict[int, Relaxation]:
        """Relax each constraint on its own; return the cheapest relaxation for each infeasible row."""
        best: dict[int, tuple[Key, Limit, Candidate]] = {}
        possible_labels = self.possible_labels()
        if not any((wanted[at] & possible_labels).any() for at in infeasible):
            return {}
        for limit in actionability.limits if infeasible else []:
            if not self._can_help(limit):
                continue
            for at, some in zip(
                infeasible, self.search(actionability.without(limit), infeasible, wanted, 1), strict=True
            ):
                first = some.candidates[0] if some.candidates else None
                if first is not None and (at not in best or first.key < best[at][0]):
                    best[at] = (first.key, limit, first)
        return {at: Relaxation(limit, self._answer(at, candidate)) for at, (_, limit, candidate) in best.items()}

    def _can_help(self, limit: Limit) -> bool:
        """Whether relaxing a constraint can make the problem feasible, and the changes it then allows have a cost."""
        if limit.kind == "rules" or limit.kind in LEAF_LIMITS:
            return True
        names = {self.graph.schema.columns[j].name for j in self.columns_read()}
        priced = limit.kind != "fixed" or not isinstance(self.costs, Mapping) or limit.about in self.costs
        return limit.about in names and priced

    def _answer(self, at: int, candidate: Candidate) -> Counterfactual:
        node = candidate.region.node
        label = int(self.graph.label[node]) if candidate.label is None else candidate.label
        leaf = self.leaf_facts(node, label, self._changed_table([(at, candidate)]))
        columns = self.graph.schema.columns
        actions = sorted(candidate.actions.items())
        row = self.changed_row(at, candidate)
        changes = tuple(
            Change(columns[j].name, self.rows.given_value(j, at), row[columns[j].name], action.cost)
            for j, action in actions
        )
        return Counterfactual(leaf.label, changes, candidate.cost, row, leaf, candidate.proved, candidate.bound)

    def changed_row(self, at: int, candidate: Candidate) -> dict[str, Any]:
        """Return a row after the changes, in the caller's own units."""
        return self._row(at, {j: action.value for j, action in candidate.actions.items()})

    def _row(self, at: int, new: Mapping[int, Any]) -> dict[str, Any]:
        """Return a row in the caller's own units, with some new values."""
        return {
            column.name: self._caller_value(j, new[j], at) if j in new else self.rows.given_value(j, at)
            for j, column in enumerate(self.graph.schema.columns)
        }

    def _caller_value(self, j: int, value: Any, at: int) -> Any:
        column = self.graph.schema.columns[j]
        if column.kind in CATEGORICAL_KINDS:
            return None if value < 0 else column.levels[value]
        if isnan(value):
            return None
        if column.kind is Kind.BOOLEAN:
            return bool(value)
        old = self.rows.given_value(j, at)
        integer = float(value).is_integer() and not isinstance(old, float)
        return int(value) if integer else value


def collect(
    source: Iterator[Candidate],
    repair: Callable[[Candidate], Candidate | None],
    k: int,
    kept: list[Candidate],
    *,
    coupled: bool,
) -> None:
    """Put the ``k`` cheapest candidates of a sorted stream into ``kept``, without those that another one dominates.

    If columns are coupled, repair can raise the cost of a candidate, or lower it, as repaired candidates may take
    values that were never observed; so all of them are repaired before the first is kept.
    """
    queue: list[tuple[Key, int, Candidate]] = []
    dominated = _dominated_by(kept)

    def keep_up_to(key: Key | None) -> None:
        while queue and len(kept) < k and (key is None or queue[0][0] <= key):
            candidate = heapq.heappop(queue)[-1]
            if not dominated(set(candidate.actions)):
                kept.append(candidate)

    for turn, candidate in enumerate(source):
        if not coupled:
            keep_up_to(candidate.key)
        if len(kept) >= k:
            return
        repaired = None if dominated(set(candidate.actions)) else repair(candidate)
        if repaired is not None:
            heapq.heappush(queue, (repaired.key, turn, repaired))
    keep_up_to(None)


def _dominated_by(kept: list[Candidate]) -> Callable[[set[int]], bool]:
    return lambda changes: any(candidate.actions.keys() <= changes for candidate in kept)
