"""Questions about rows, asked within different limits: answers, and the limit to give up where there is none."""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.errors import SolverBug
from exactree.explain.counterfactual.actionability import LEAF_LIMITS, Freedom, Limit
from exactree.explain.counterfactual.column_actions import asked_columns, movers
from exactree.explain.counterfactual.ranking import Candidate, Key, Ranking, accuracies, cheapest_first
from exactree.explain.counterfactual.repair import Settler
from exactree.explain.counterfactual.result import Change, Counterfactual, Counterfactuals, Relaxation
from exactree.explain.facts import LeafFacts, leaf_facts, plain_label
from exactree.explain.rows import Rows
from exactree.model import Graph
from exactree.table import Kind, Table


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates for a row, cheapest first."""

    candidates: list[Candidate]
    bound: float | None = None  # if the search ended early: what no further one can cost less than


@dataclass(frozen=True, slots=True, eq=False)
class Finder:
    """One question about some rows, to be asked within different limits."""

    graph: Graph
    rows: Rows
    want: NDArray[np.bool_] | None
    costs: Any
    data: Table | None

    def results(self, freedom: Freedom, k: int) -> list[Counterfactuals]:
        """Answer for every row, and look for a limit to give up where there is no answer."""
        leaves = self.graph.apply(self.rows.table)
        now = self.now(leaves)
        wanted = [self._wanted(label) for label in now]
        open_rows = [at for at, label in enumerate(now) if not wanted[at][label]]
        found = dict(zip(open_rows, self.found(freedom, open_rows, wanted, k), strict=True))
        stuck = [at for at in open_rows if not found[at].candidates and found[at].bound is None]
        relaxed = self._relaxed(freedom, stuck, wanted)
        nothing = Found([])
        return [
            Counterfactuals(
                row=self._row(at, {}),
                source=self.facts(int(leaf), now[at]),
                wanted=tuple(plain_label(self.graph, int(label)) for label in np.flatnonzero(wanted[at])),
                answers=tuple(self._answer(at, candidate) for candidate in found.get(at, nothing).candidates),
                relax=relaxed.get(at),
                bound=found.get(at, nothing).bound,
            )
            for at, leaf in enumerate(leaves)
        ]

    def now(self, leaves: NDArray[np.int32]) -> list[int]:
        """Return what the model says of each row, given its leaf."""
        return [int(self.graph.label[leaf]) for leaf in leaves]

    def facts(self, leaf: int, label: int) -> LeafFacts:
        """Return what is known of a leaf that says a label."""
        return leaf_facts(self.graph, leaf)

    def can_say(self) -> NDArray[np.bool_]:
        """Return which labels the model can say at all."""
        return np.isin(np.arange(self.graph.n_classes), self.graph.label[self.graph.leaves])

    def used(self) -> set[int]:
        """Return the columns on which answers depend."""
        return asked_columns(self.graph)

    def _wanted(self, now: int) -> NDArray[np.bool_]:
        return self.want if self.want is not None else np.arange(self.graph.n_classes) != now

    def found(self, freedom: Freedom, at: Sequence[int], wanted: Sequence[NDArray[np.bool_]], k: int) -> list[Found]:
        """Return the best candidates for some rows, each of them predicted again."""
        if not at:
            return []
        moving = movers(self.graph, freedom, self.costs, self.data)
        settler = Settler(self.graph, moving, freedom.rules)
        ranking = Ranking.of(self.graph, moving, self.rows.table.take(list(at))) if self.graph.is_tree else None
        tied = self.graph.is_linear or bool(freedom.rules)
        trusted = freedom.trusted(accuracies(self.graph), self.graph.rows)
        found = []
        for place, number in enumerate(at):
            row, leaves = self.reader(number), wanted[number][self.graph.label] & trusted
            kept: list[Candidate] = []
            if ranking is not None:
                source = ranking.candidates(place, row, leaves)
            else:
                source = cheapest_first(self.graph, moving, row, leaves, _beaten_by(kept), tied=tied)
            collect(source, partial(settler.settle, row=row), k, kept, tied=tied)
            found.append(kept)
        self._predict_again(at, found, wanted)
        return [Found(kept) for kept in found]

    def reader(self, at: int) -> Callable[[int], Any]:
        """Return a function from the number of a column to a row's value."""
        return lambda column: self.rows.value(column, at)

    def _predict_again(
        self, at: Sequence[int], found: Sequence[Sequence[Candidate]], wanted: Sequence[NDArray[np.bool_]]
    ) -> None:
        pairs = [(number, candidate) for number, some in zip(at, found, strict=True) for candidate in some]
        if not pairs:
            return
        table = self.rows.table.take([number for number, _ in pairs])
        columns = list(table.columns)
        for j in sorted({j for _, candidate in pairs for j in candidate.moves}):
            values = columns[j].values.copy()
            for place, (_, candidate) in enumerate(pairs):
                if j in candidate.moves:
                    values[place] = candidate.moves[j].value
            columns[j] = replace(columns[j], raw=values)
        labels = self.graph.predict(Table(tuple(columns), table.n_rows, table.named))
        for label, (number, _) in zip(labels, pairs, strict=True):
            if not wanted[number][label]:
                raise SolverBug(f"A counterfactual of row {number} is predicted {self.graph.classes[label]!r} itself.")

    def _relaxed(
        self, freedom: Freedom, stuck: Sequence[int], wanted: Sequence[NDArray[np.bool_]]
    ) -> dict[int, Relaxation]:
        """Give up each limit on its own; return the cheapest that helps for each row that is stuck."""
        best: dict[int, tuple[Key, Limit, Candidate]] = {}
        can_say = self.can_say()
        if not any((wanted[at] & can_say).any() for at in stuck):
            return {}
        for limit in freedom.limits if stuck else []:
            if not self._matters(limit):
                continue
            for at, some in zip(stuck, self.found(freedom.without(limit), stuck, wanted, 1), strict=True):
                first = some.candidates[0] if some.candidates else None
                if first is not None and (at not in best or first.key < best[at][0]):
                    best[at] = (first.key, limit, first)
        return {at: Relaxation(limit, self._answer(at, candidate)) for at, (_, limit, candidate) in best.items()}

    def _matters(self, limit: Limit) -> bool:
        """Whether giving up a limit could help, and what it allows then has a price."""
        if limit.kind == "rules" or limit.kind in LEAF_LIMITS:
            return True
        names = {self.graph.schema.columns[j].name for j in self.used()}
        priced = limit.kind != "fixed" or not isinstance(self.costs, Mapping) or limit.about in self.costs
        return limit.about in names and priced

    def _answer(self, at: int, candidate: Candidate) -> Counterfactual:
        node = candidate.box.node
        leaf = self.facts(node, int(self.graph.label[node]) if candidate.label is None else candidate.label)
        columns = self.graph.schema.columns
        moves = sorted(candidate.moves.items())
        row = self.changed_row(at, candidate)
        changes = tuple(
            Change(columns[j].name, self.rows.given_value(j, at), row[columns[j].name], move.cost) for j, move in moves
        )
        return Counterfactual(leaf.label, changes, candidate.cost, row, leaf, candidate.proved, candidate.bound)

    def changed_row(self, at: int, candidate: Candidate) -> dict[str, Any]:
        """Return a row after the changes, in the caller's own units."""
        return self._row(at, {j: move.value for j, move in candidate.moves.items()})

    def _row(self, at: int, new: Mapping[int, Any]) -> dict[str, Any]:
        """Return a row in the caller's own units, with some new values."""
        return {
            column.name: self._own(j, new[j], at) if j in new else self.rows.given_value(j, at)
            for j, column in enumerate(self.graph.schema.columns)
        }

    def _own(self, j: int, value: Any, at: int) -> Any:
        column = self.graph.schema.columns[j]
        if column.kind in (Kind.CATEGORY, Kind.ORDERED):
            return None if value < 0 else column.levels[value]
        if isnan(value):
            return None
        if column.kind is Kind.BOOLEAN:
            return bool(value)
        old = self.rows.given_value(j, at)
        whole = float(value).is_integer() and not isinstance(old, float)
        return int(value) if whole else value


def collect(
    source: Iterator[Candidate],
    settle: Callable[[Candidate], Candidate | None],
    k: int,
    kept: list[Candidate],
    *,
    tied: bool,
) -> None:
    """Put the ``k`` cheapest candidates of a sorted stream into ``kept``, those left out that another one beats.

    Where columns are tied to each other, a candidate may become dearer when it is settled, or cheaper, as it may then
    take values that nobody observed; so all of them are settled before the first is kept.
    """
    waiting: list[tuple[Key, int, Candidate]] = []
    beaten = _beaten_by(kept)

    def keep_up_to(key: Key | None) -> None:
        while waiting and len(kept) < k and (key is None or waiting[0][0] <= key):
            candidate = heapq.heappop(waiting)[-1]
            if not beaten(set(candidate.moves)):
                kept.append(candidate)

    for turn, candidate in enumerate(source):
        if not tied:
            keep_up_to(candidate.key)
        if len(kept) >= k:
            return
        settled = None if beaten(set(candidate.moves)) else settle(candidate)
        if settled is not None:
            heapq.heappush(waiting, (settled.key, turn, settled))
    keep_up_to(None)


def _beaten_by(kept: list[Candidate]) -> Callable[[set[int]], bool]:
    return lambda changes: any(candidate.moves.keys() <= changes for candidate in kept)
