"""The nearest rows that a model answers otherwise, found exactly."""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.errors import InputError, SolverBug
from exactree.explain.answer import Change, Counterfactual, Counterfactuals, Relaxation
from exactree.explain.candidates import Candidate, Key, Ranking, accuracies, cheapest_first
from exactree.explain.facts import leaf_facts, plain_label
from exactree.explain.freedom import LEAF_LIMITS, Freedom, Limit, read_freedom, read_leaf_limits
from exactree.explain.movers import asked_columns, movers
from exactree.explain.rows import Rows, graph_of, read_rows, table_of
from exactree.explain.settling import Settler
from exactree.model import Graph
from exactree.table import Kind, Table


def counterfactuals(
    model: Any,
    row: Any,
    want: Any = None,
    *,
    k: int = 3,
    costs: Any = None,
    fixed: Any = (),
    only_up: Any = (),
    only_down: Any = (),
    ranges: Mapping[str, Any] | None = None,
    rules: Any = (),
    min_accuracy: float | None = None,
    min_support: int | None = None,
    data: Any = None,
) -> Any:
    """Find the smallest changes of a row that make the model say something else.

    For every leaf with a wanted label the nearest row that ends there is found exactly, column by column; a diagram has
    one such box for each way to a leaf. Where weighted sums or rules tie columns to each other, a small mixed-integer
    program finds it. Of answers whose changed columns contain those of a cheaper one only the cheaper is kept. Every
    answer is predicted again before it is handed out.

    Parameters
    ----------
    model : fitted estimator or Graph
        The tree or diagram.
    row : row or table
        One row as a list, dict, Series or table of one row; or a table, which gives a list of results.
    want : label or list of labels, default=None
        What the model shall say; None: anything but what it says now.
    k : int, default=3
        How many answers at most.
    costs : "mad", "changes" or dict, default=None
        What changes cost. ``"mad"``: distance over the median absolute deviation in ``data``; levels of categories cost
        the more the rarer they are. ``"changes"``: 1 per column. A dict: price per unit, per step of an ordered
        category, or per change of a category. None: ``"mad"`` if there is ``data``, else ``"changes"``. To become
        missing, or to get a value that was missing, costs like a change of a category.
    fixed, only_up, only_down : lists of column names
        Columns that may not change, not go down, not go up. A missing value may be filled in unless it is fixed.
    ranges : dict
        What columns may change to: ``{"age": (18, 70), "job": ["clerk", "nurse"]}``. To stay as it is, is always
        allowed.
    rules : list of Rises and AtLeast
        Relations between columns that must hold after the change.
    min_accuracy, min_support : float and int, default=None
        What the leaf where an answer ends must have: the share of its training rows that is right, and their number,
        as the answers show them.
    data : table, default=None
        Rows such as those the model was fitted to. With them, numbers change to values that were observed; without, to
        thresholds and numbers just above them, whole ones where all thresholds lie between whole numbers. Columns that
        sums or rules tie to others may change to any number.

    Returns
    -------
    Counterfactuals, or a list of them
        Empty if there is no such change; then it says which limit is in the way.

    Examples
    --------
    >>> from exactree.model import Node
    >>> from exactree.table import ColumnType, Schema, Test
    >>> schema = Schema((ColumnType("age", Kind.NUMBER),), named=True)
    >>> nodes = [
    ...     Node(0, (5, 4), 9, test=Test.AT_MOST, column=0, threshold=40.5, yes=1, no=2),
    ...     Node(0, (5, 0), 5), Node(1, (0, 4), 4),
    ... ]
    >>> print(counterfactuals(Graph.of_nodes(schema, ["no", "yes"], nodes), {"age": 30})[0])
    yes: cost 1, 1 change; leaf 2: 4 rows, 100.0 % right (51.0 to 100.0 %)
      age  30 -> 41
    """
    graph = graph_of(model)
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise InputError(f"k must be a whole number, 1 or more; got {k!r}.")
    rows = read_rows(graph, row, model)
    freedom = read_freedom(graph.schema, fixed, only_up, only_down, {} if ranges is None else ranges, rules)
    freedom = read_leaf_limits(freedom, min_accuracy, min_support)
    background = None if data is None else table_of(data).conform(graph.schema)
    finder = Finder(graph, rows, wanted_labels(graph, want), costs, background)
    results = finder.results(freedom, k)
    return results[0] if rows.single else results


def wanted_labels(graph: Graph, want: Any) -> NDArray[np.bool_] | None:
    """Return which labels are wanted; None: all but the one that a row has."""
    if want is None:
        return None
    labels = graph.classes.tolist()
    several = isinstance(want, (list, tuple, set, frozenset, np.ndarray))
    mask = np.zeros(len(labels), dtype=np.bool_)
    for label in list(want) if several else [want]:
        if label not in labels:
            raise InputError(f"want is {label!r}, but the model's labels are: {', '.join(map(repr, labels))}.")
        mask[labels.index(label)] = True
    if not mask.any():
        raise InputError("want is an empty list. Name a label, or leave it out for any other than now.")
    return mask


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
        wanted = [self._wanted(int(self.graph.label[leaf])) for leaf in leaves]
        open_rows = [at for at, leaf in enumerate(leaves) if not wanted[at][self.graph.label[leaf]]]
        found = dict(zip(open_rows, self._found(freedom, open_rows, wanted, k), strict=True))
        stuck = [at for at in open_rows if not found[at]]
        relaxed = self._relaxed(freedom, stuck, wanted)
        return [
            Counterfactuals(
                row=self._row(at, {}),
                source=leaf_facts(self.graph, int(leaf)),
                wanted=tuple(plain_label(self.graph, int(label)) for label in np.flatnonzero(wanted[at])),
                answers=tuple(self._answer(at, candidate) for candidate in found.get(at, [])),
                relax=relaxed.get(at),
            )
            for at, leaf in enumerate(leaves)
        ]

    def _wanted(self, now: int) -> NDArray[np.bool_]:
        return self.want if self.want is not None else np.arange(self.graph.n_classes) != now

    def _found(
        self, freedom: Freedom, at: Sequence[int], wanted: Sequence[NDArray[np.bool_]], k: int
    ) -> list[list[Candidate]]:
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
            row, leaves = self._reader(number), wanted[number][self.graph.label] & trusted
            kept: list[Candidate] = []
            if ranking is not None:
                source = ranking.candidates(place, row, leaves)
            else:
                source = cheapest_first(self.graph, moving, row, leaves, _beaten_by(kept), tied=tied)
            collect(source, partial(settler.settle, row=row), k, kept)
            found.append(kept)
        self._predict_again(at, found, wanted)
        return found

    def _reader(self, at: int) -> Callable[[int], Any]:
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
        said = {wanted[at].tobytes() for at in stuck}
        leaves = self.graph.label[self.graph.leaves]
        if not any(np.frombuffer(mask, dtype=np.bool_)[leaves].any() for mask in said):
            return {}
        for limit in freedom.limits if stuck else []:
            if not self._matters(limit):
                continue
            for at, some in zip(stuck, self._found(freedom.without(limit), stuck, wanted, 1), strict=True):
                if some and (at not in best or some[0].key < best[at][0]):
                    best[at] = (some[0].key, limit, some[0])
        return {at: Relaxation(limit, self._answer(at, candidate)) for at, (_, limit, candidate) in best.items()}

    def _matters(self, limit: Limit) -> bool:
        """Whether giving up a limit could help, and what it allows then has a price."""
        if limit.kind == "rules" or limit.kind in LEAF_LIMITS:
            return True
        names = {self.graph.schema.columns[j].name for j in asked_columns(self.graph)}
        priced = limit.kind != "fixed" or not isinstance(self.costs, Mapping) or limit.about in self.costs
        return limit.about in names and priced

    def _answer(self, at: int, candidate: Candidate) -> Counterfactual:
        leaf = leaf_facts(self.graph, candidate.box.node)
        columns = self.graph.schema.columns
        moves = sorted(candidate.moves.items())
        row = self._row(at, {j: move.value for j, move in moves})
        changes = tuple(
            Change(columns[j].name, self.rows.given_value(j, at), row[columns[j].name], move.cost) for j, move in moves
        )
        return Counterfactual(leaf.label, changes, candidate.cost, row, leaf, candidate.proved)

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
    source: Iterator[Candidate], settle: Callable[[Candidate], Candidate | None], k: int, kept: list[Candidate]
) -> None:
    """Put the ``k`` cheapest candidates of a sorted stream into ``kept``, those left out that another one beats.

    Settling can only make a candidate dearer, so one that is settled waits until all others cost at least as much.
    """
    waiting: list[tuple[Key, int, Candidate]] = []
    beaten = _beaten_by(kept)

    def keep_up_to(key: Key | None) -> None:
        while waiting and len(kept) < k and (key is None or waiting[0][0] <= key):
            candidate = heapq.heappop(waiting)[-1]
            if not beaten(set(candidate.moves)):
                kept.append(candidate)

    for turn, candidate in enumerate(source):
        keep_up_to(candidate.key)
        if len(kept) >= k:
            return
        settled = None if beaten(set(candidate.moves)) else settle(candidate)
        if settled is not None:
            heapq.heappush(waiting, (settled.key, turn, settled))
    keep_up_to(None)


def _beaten_by(kept: list[Candidate]) -> Callable[[set[int]], bool]:
    return lambda changes: any(candidate.moves.keys() <= changes for candidate in kept)
