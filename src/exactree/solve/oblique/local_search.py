"""Local search for models with linear splits, from a univariate tree or diagram on.

One step changes one node, with all others fixed: the native sweep finds linear splits that lower the cost of the rows
that reach it. It also tries other leaves at the sides of the node that end, and puts new nodes in place of leaves. The
linear combinations that it finds are kept as columns, over which the search for trees, or the construction heuristic
for diagrams, looks for a better model as over any other columns. When no step helps any more, one node gets another
split by chance, and all is tried from there; the best model is kept.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, product
from math import inf
from typing import Any

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.encode import RankedColumn
from exactree.model import Graph
from exactree.solve.oblique.combinations import Split, Terms, best_cut, ranked_combination
from exactree.solve.oblique.flow import Flow, ObliqueModel
from exactree.solve.oblique.kinds import Kind, Nodes
from exactree.solve.oblique.node_splits import NodeSplits
from exactree.solve.oblique.polishing import Polish
from exactree.solve.trees.linear_combinations import ObliqueColumns, oblique_columns
from exactree.solve.trees.ranked_diagram import in_order
from exactree.solve.trees.ranked_tree import RankedNode, with_columns
from exactree.table import Test

MOST_KNOWN = 80  # linear combinations that are kept as columns, the latest
MOST_KICKS = 60  # changes by chance in a row without a better model
MOST_LABELS = 3  # likely labels that are tried at the two sides of a node
REBUILD_SHARE, REBUILD_SECONDS = 0.15, 3.0  # of the time left, and at most, for a model over all known columns
DRAWN = 6  # of the best splits of a node, one by chance


@dataclass(slots=True, eq=False)
class ObliqueSearch:
    """A run of the local search; ``left`` returns the seconds left, ``offer`` receives each better model."""

    problem: Any  # Problem or DiagramProblem, as its kind
    kind: Kind[Any]
    seed: int
    left: Callable[[], float]
    offer: Callable[[Graph], None]
    report: Callable[[], None]  # after every step; may raise KeyboardInterrupt
    margin: float  # of the splits that the MIP finds
    polish_left: Callable[[], float]  # seconds left for the MIP of single nodes, more than ``left``
    best: ObliqueModel = field(init=False)
    known: dict[Terms, RankedColumn] = field(default_factory=dict)
    steps: int = 0
    usable: ObliqueColumns = field(init=False)
    single: dict[int, RankedColumn] = field(init=False)  # columns of the data, by column of the table
    splits: NodeSplits = field(init=False)
    random: np.random.Generator = field(init=False)
    costs: Floats = field(init=False)  # (n_points, n_classes), of each label
    polish: Polish = field(init=False)

    def __post_init__(self) -> None:
        data, limits = self.problem.data, self.problem.limits
        self.usable = oblique_columns(data)
        mine = [c for c in data.columns if c.test is Test.AT_MOST and c.source in self.usable.sources]
        self.single = {column.source: column for column in mine}
        self.random = np.random.default_rng(self.seed)
        self.costs = data.point_weights[:, None] * self.problem.objective.matrix[data.point_labels]
        most = len(self.usable.sources)
        most = most if limits.max_split_columns is None else min(limits.max_split_columns, most)
        scaled, fewest = self.usable.scaled, self.kind.fewest(self.problem)
        self.splits = NodeSplits(
            self.usable,
            np.ascontiguousarray(scaled.T),
            data.point_counts,
            most,
            self.problem.column_price,
            fewest.leaf,
            self.random,
            self.left,
        )
        self.polish = Polish(
            self.problem, self.usable, scaled, fewest, most, self.margin, self.seed, self.polish_left, self.report
        )

    def improve(self, nodes: Nodes) -> None:
        """Look for better models, from a given one on; ``best`` is the best so far.

        The MIP of single nodes has its turn when the search ends, and if it helps, the search goes on from there.
        """
        self.best = ObliqueModel(in_order(nodes))
        cost, before = self.cost(self.best), inf
        while cost < before - self.problem.tolerance:
            before = self._searched(cost)
            polished = self.polished(self.best, before)
            cost = self.cost(polished)
            if cost < before - self.problem.tolerance:
                self.best = polished
                self.offer(self.graph(polished))

    def _searched(self, cost: float) -> float:
        """Improve the best model of that cost by steps and changes by chance, and return its cost."""
        current, kicks = self.best, 0
        while self.left() > 0 and kicks <= MOST_KICKS:
            current = self._descended(current)
            now = self.cost(current)
            if now < cost - self.problem.tolerance:
                self.best, cost, kicks = current, now, 0
                self.offer(self.graph(current))
            elif now <= cost:  # another of the same cost leads elsewhere
                self.best = current
            kicks += 1
            current = self._kicked(self.best)
        return cost

    def graph(self, model: ObliqueModel) -> Graph:
        """Return the graph of a model."""
        return self.kind.graph(with_columns(self.problem, model.columns), model.nodes)

    def cost(self, model: ObliqueModel) -> float:
        """Cost of a model, infinite if it is not allowed."""
        graph = self.graph(model)
        leaf = graph.apply(self.problem.data.table)
        return inf if self.problem.violations(graph, leaf) else float(self.problem.cost(graph, leaf))

    def _descended(self, model: ObliqueModel) -> ObliqueModel:
        """Take steps until none helps."""
        cost, helped = self.cost(model), True
        while helped and self.left() > 0:
            helped = False
            for step in (self._changed_nodes, self._rebuilt):
                better, lower = step(model, cost)
                if lower < cost - self.problem.tolerance:
                    model, cost, helped = better, lower, True
        return model

    def _changed_nodes(self, model: ObliqueModel, cost: float) -> tuple[ObliqueModel, float]:
        """Change node after node, each for the better."""
        waiting = self.random.permutation(sum(node.column >= 0 for node in model.nodes)).tolist()
        while waiting and self.left() > 0:
            self.report()
            at = waiting.pop()
            if at >= len(model.nodes) or model.nodes[at].column < 0:
                continue
            for changed in (*self._with_other_splits(model, at), *self._with_new_nodes(model, at)):
                if (now := self.cost(changed)) < cost - self.problem.tolerance:
                    model, cost = changed, now
                    break
        return model, cost

    def _rebuilt(self, model: ObliqueModel, cost: float) -> tuple[ObliqueModel, float]:
        """Search over all linear combinations that are known."""
        columns = tuple({column.factors: column for column in (*model.columns, *self.known.values())}.values())
        place = {column.factors: len(self.problem.data.columns) + i for i, column in enumerate(columns)}
        nodes = [self._renamed(model, node, place) for node in model.nodes]
        self.steps += 1
        left = self.left()
        seconds = REBUILD_SECONDS if left == inf else min(REBUILD_SECONDS, REBUILD_SHARE * left)
        wide = with_columns(self.problem, columns)
        found = self.kind.rebuilt(wide, nodes, seconds, self.seed + self.steps)
        rebuilt = self._compact(ObliqueModel(found, columns))
        return rebuilt, self.cost(rebuilt)

    def polished(self, model: ObliqueModel, cost: float) -> ObliqueModel:
        """Let the MIP look for better splits of single nodes, until none is found."""
        helped = True
        while helped and self.polish.left() > 0:
            helped = False
            for at, split in self.polish.better(model, Flow.of(self.problem, self.costs, model)):
                changed = self._with_split(model, at, self._kept(split), model.nodes[at].yes, model.nodes[at].no)
                if (now := self.cost(changed)) < cost - self.problem.tolerance:
                    model, cost, helped = changed, now, True
                    self.polish.n_better += 1
                    break
        return model

    def _kept(self, split: Split) -> Split:
        """Keep the linear combination of a split as a column with all its cuts."""
        terms, cut = split.column.factors, float(split.column.cut(split.rank))
        if not terms or (column := self._column(terms)) is None:
            return split
        turned = len(terms) == 1 and terms[0][1] < 0  # of a single column, which is asked itself
        rank = int(np.searchsorted(column.below, -cut if turned else cut, side="right")) - 1
        return split._replace(column=column, rank=rank, turned=turned)

    def _renamed(self, model: ObliqueModel, node: RankedNode, place: dict[Terms, int]) -> RankedNode:
        """Return a node with the new number of its column."""
        further = node.column - len(self.problem.data.columns)
        return node if further < 0 else node._replace(column=place[model.columns[further].factors])

    def _compact(self, model: ObliqueModel) -> ObliqueModel:
        """Leave out redundant nodes and columns that no node asks."""
        wide = with_columns(self.problem, model.columns)
        nodes, base = self.kind.tidied(wide, model.nodes), len(self.problem.data.columns)
        asked = sorted({node.column - base for node in nodes if node.column >= base})
        columns = tuple(model.columns[i] for i in asked)
        place = {column.factors: base + i for i, column in enumerate(columns)}
        return ObliqueModel([self._renamed(model, node, place) for node in nodes], columns)

    def _with_other_splits(self, model: ObliqueModel, at: int) -> Iterator[ObliqueModel]:
        """Yield the model with better splits of a node, for each choice of leaves where its sides end."""
        node, flow = model.nodes[at], Flow.of(self.problem, self.costs, model)
        points = np.flatnonzero(flow.here[at])
        given = self._terms(model, node)
        likely = self._likely_labels(points)
        ends = [
            [(side, flow.below[side])] if model.nodes[side].column >= 0 else [(~k, self.costs[:, k]) for k in likely]
            for side in (node.yes, node.no)
        ]
        before = np.where(flow.yes[at], flow.below[node.yes], flow.below[node.no])[points].sum()
        done = set[frozenset[int]]()
        for (yes, if_yes), (no, if_no) in product(*ends):
            if yes == no or frozenset((yes, no)) in done:
                continue
            done.add(frozenset((yes, no)))
            if np.minimum(if_yes, if_no)[points].sum() >= before + self._price_at(model, node) - self.problem.tolerance:
                continue  # no split helps
            change, otherwise = (if_yes - if_no)[points], float(if_no[points].sum())
            for split in self._best_splits(points, change, given)[:1]:
                if split.change + otherwise + self._price(split.column) < before + self._price_at(model, node):
                    yield self._with_split(model, at, split, yes, no)

    def _with_new_nodes(self, model: ObliqueModel, at: int) -> Iterator[ObliqueModel]:
        """Yield the model with a node in place of a leaf at one side."""
        flow, node = Flow.of(self.problem, self.costs, model), model.nodes[at]
        price = self.kind.node_price(self.problem)
        for side, takes in ((node.yes, flow.yes[at]), (node.no, ~flow.yes[at])):
            points = np.flatnonzero(flow.here[at] & takes)
            before = float(flow.below[side][points].sum())
            if model.nodes[side].column >= 0 or before <= price:
                continue
            likely = self._likely_labels(points)
            for yes, no in combinations(sorted(likely), 2):
                if self.costs[points][:, [yes, no]].min(axis=1).sum() + price >= before - self.problem.tolerance:
                    continue
                change, otherwise = (self.costs[:, yes] - self.costs[:, no])[points], self.costs[points, no].sum()
                for split in self._best_splits(points, change, None)[:1]:
                    if split.change + otherwise + price + self._price(split.column) < before:
                        yield self._with_node(model, at, side == node.yes and takes is flow.yes[at], split, yes, no)

    def _kicked(self, model: ObliqueModel) -> ObliqueModel:
        """Give one node another split by chance."""
        asking = [i for i, node in enumerate(model.nodes) if node.column >= 0]
        if not asking:
            return model
        at = int(self.random.choice(asking))
        node, flow = model.nodes[at], Flow.of(self.problem, self.costs, model)
        points = np.flatnonzero(flow.here[at])
        change = (flow.below[node.yes] - flow.below[node.no])[points]
        if self.random.random() < 0.5:  # any other questions than those that the nodes below want
            change = change * self.random.choice((0.0, 1.0), len(points))
        found = self._best_splits(points, change, self._terms(model, node))[:DRAWN]
        if not found:
            return model
        split = found[int(self.random.integers(len(found)))]
        return self._with_split(model, at, split, node.yes, node.no)

    def _best_splits(self, points: Ints, change: Floats, given: Terms | None) -> list[Split]:
        """Return the best splits of some points, with the linear combinations as columns, and keep these."""
        found = []
        for terms in self.splits.best(points, change, given):
            column = self._column(terms)
            if column is None:
                continue
            if (split := best_cut(column, points, change)) is not None:
                found.append(split)
        for terms in list(self.known)[:-MOST_KNOWN]:
            del self.known[terms]
        return sorted(found, key=lambda split: split.change + self._price(split.column))

    def _column(self, terms: Terms) -> RankedColumn | None:
        """Return a linear combination as a column, and keep it; that of a single column is this column."""
        if len(terms) == 1:
            return self.single[terms[0][0]]
        column = self.known.pop(terms, None) or ranked_combination(
            terms, self.usable.values, self.problem.data.n_points
        )
        if column is not None:
            self.known[terms] = column
        return column

    def _asked(self, model: ObliqueModel, split: Split, sides: tuple[int, int]) -> tuple[RankedNode, ObliqueModel]:
        """Return a node with a split, and the model with its column."""
        data, (yes, no) = self.problem.data, sides[::-1] if split.turned else sides
        if split.column.test is not Test.LINEAR:
            return RankedNode(data.columns.index(split.column), split.rank, yes, no, 0), model
        number = len(data.columns) + len(model.columns)
        return RankedNode(number, split.rank, yes, no, 0), model._replace(columns=(*model.columns, split.column))

    def _with_split(self, model: ObliqueModel, at: int, split: Split, yes: int, no: int) -> ObliqueModel:
        """Return the model with another split of a node; a side below 0 is the leaf of label ``~side``."""
        nodes = list(model.nodes)
        sides = self._side(nodes, yes), self._side(nodes, no)
        nodes[at], model = self._asked(model, split, sides)
        return self._compact(model._replace(nodes=in_order(nodes)))

    def _with_node(self, model: ObliqueModel, at: int, on_yes: bool, split: Split, yes: int, no: int) -> ObliqueModel:
        """Return the model with a new node at one side of another, and two leaves below it."""
        nodes = list(model.nodes)
        sides = self._side(nodes, ~yes), self._side(nodes, ~no)
        below, model = self._asked(model, split, sides)
        nodes.append(below)
        nodes[at] = nodes[at]._replace(**{"yes" if on_yes else "no": len(nodes) - 1})
        return self._compact(model._replace(nodes=in_order(nodes)))

    @staticmethod
    def _side(nodes: Nodes, side: int) -> int:
        if side >= 0:
            return side
        nodes.append(RankedNode(-1, 0, -1, -1, ~side))
        return len(nodes) - 1

    def _likely_labels(self, points: Ints) -> list[int]:
        """Return the labels that cost the least for some points."""
        order = np.argsort(self.costs[points].sum(axis=0), kind="stable")
        return [int(k) for k in order[:MOST_LABELS]]

    def _terms(self, model: ObliqueModel, node: RankedNode) -> Terms | None:
        return model.terms(self.problem.data, self.usable, node)

    def _price(self, column: RankedColumn) -> float:
        return float(self.problem.column_price) * max(len(column.factors) - 1, 0)

    def _price_at(self, model: ObliqueModel, node: RankedNode) -> float:
        return float(self.problem.column_price) * max(len(self._terms(model, node) or ()) - 1, 0)
