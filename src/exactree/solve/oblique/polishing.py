"""Better splits of single nodes by a MIP, with all other nodes fixed; the nodes with the most to gain first.

For each node, all univariate splits are tried, then the MIP in ``node_mip`` looks for a linear one, from the split that
the node has on, in a slice of the time. Where it ends with a proof, no linear split of the node that keeps the margin
makes the model cheaper. It runs when the local search has ended: before, it costs more than it gains. Nodes that too
many rows reach have no MIP; where there are many columns, it has the best of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from exactree.arrays import Bools, Floats, Ints
from exactree.mip import MipOptions
from exactree.model.oblique import linear_combination
from exactree.problem import RESOLUTION
from exactree.solve.oblique.combinations import Split, Terms, best_cut
from exactree.solve.oblique.flow import Flow, ObliqueModel, reached_from
from exactree.solve.oblique.kinds import Fewest
from exactree.solve.oblique.node_mip import Floor, NodeMip, NodeOptimum
from exactree.solve.trees.linear_combinations import ObliqueColumns, ScaledSplit

MOST_POINTS = 20_000  # of a node, before equal ones are merged
MOST_ROWS = 300  # of a node's MIP: with more of them it seldom finds anything in its time
MOST_ENTRIES = 3000  # rows times columns
SHARE, SECONDS = 0.3, 2.0  # of the time left, and at most, for one MIP


class NodeChange(NamedTuple):
    """A node that may get another split."""

    at: int
    split: Split


class _Node(NamedTuple):
    """A node whose rows could cost less."""

    gain: float  # at most
    at: int
    points: Ints
    change: Floats  # what yes costs more than no
    yes: Bools  # the side that each point takes
    now: float  # sum of what those add that go yes, and the price of columns


@dataclass(slots=True, eq=False)
class Polish:
    """Finds better splits of nodes; ``left`` returns the seconds left, ``report`` may raise KeyboardInterrupt."""

    problem: Any  # Problem or DiagramProblem
    usable: ObliqueColumns
    scaled: Floats  # (n_points, n_oblique)
    fewest: Fewest
    most_columns: int
    margin: float
    seed: int
    left: Callable[[], float]
    report: Callable[[], None]
    n_solved: int = 0
    n_proved: int = 0
    n_better: int = 0  # splits that made the model cheaper
    done: set[tuple[bytes, ...]] = field(default_factory=set)

    @property
    def counters(self) -> dict[str, float]:
        """How many MIPs were solved, how many of them with a proof, and how many splits made the model cheaper."""
        return {
            "node_mips": float(self.n_solved),
            "node_mips_proved": float(self.n_proved),
            "node_mips_better": float(self.n_better),
        }

    def better(self, model: ObliqueModel, flow: Flow) -> Iterator[NodeChange]:
        """Yield splits that make a model cheaper, if they are allowed; each node with the same rows has one MIP."""
        for node in sorted(self._nodes(model, flow), key=lambda node: -node.gain):
            if self.left() <= 0:
                return
            self.report()
            floors = self._floors(flow, node)
            key = (node.points.tobytes(), node.change.tobytes(), *(f.tobytes() for floor in floors for f in floor[:2]))
            if key in self.done:
                continue
            self.done.add(key)
            splits = [best_cut(column, node.points, node.change) for column in self.problem.data.columns]
            best = min((s for s in splits if s is not None), key=lambda split: split.change, default=None)
            if best is not None and best.change < node.now - self.problem.tolerance:
                yield NodeChange(node.at, best)
            if (linear := self._linear(model, node, floors)) is not None:
                yield NodeChange(node.at, linear)

    def _nodes(self, model: ObliqueModel, flow: Flow) -> Iterator[_Node]:
        for at, asked in enumerate(model.nodes):
            if asked.column < 0 or asked.yes == asked.no:
                continue
            points = np.flatnonzero(flow.here[at])
            change = (flow.below[asked.yes] - flow.below[asked.no])[points]
            yes = flow.yes[at, points]
            now = float(change[yes].sum()) + self._price(model.terms(self.problem.data, self.usable, asked))
            gain = now - float(np.minimum(change, 0.0).sum())
            if gain > self.problem.tolerance:
                yield _Node(gain, at, points, change, yes, now)

    def _linear(self, model: ObliqueModel, node: _Node, floors: Sequence["_Floor"]) -> Split | None:
        """Return the linear split that the MIP finds, if it is better and the MIP is not too large."""
        rows = _Rows.of(self.scaled, node, every=bool(floors))
        if rows is None or len(rows.change) > MOST_ROWS:
            return None
        terms = model.terms(self.problem.data, self.usable, model.nodes[node.at])
        columns = self._columns(rows, terms)
        if len(columns) < 2:
            return None
        mip = NodeMip(
            np.ascontiguousarray(rows.x[:, columns]),
            rows.change,
            [Floor(rows.summed(f.if_yes), rows.summed(f.if_no), f.least) for f in floors],
            min(self.most_columns, len(columns)),
            float(self.problem.column_price),
            self.margin,
        )
        found = self._solved(mip, node, self._start(node, terms, columns))
        self.n_proved += found.proved and len(columns) == np.count_nonzero(np.ptp(rows.x, axis=0))
        if found.yes is None or found.cost >= node.now - self.problem.tolerance:
            return None
        return self._split(rows, found, columns)

    def _solved(self, mip: NodeMip, node: _Node, start: ScaledSplit | None) -> NodeOptimum:
        options = MipOptions(seconds=min(SECONDS, SHARE * self.left()), seed=self.seed, cutoff=node.now)
        self.n_solved += 1
        return mip.solve(start, options, lambda _: self.report())

    def _split(self, rows: "_Rows", found: NodeOptimum, columns: Ints) -> Split | None:
        """Return the linear combination of a solution as a column with one cut."""
        assert found.yes is not None
        yes, no = (self._mask(rows.points[side[rows.row_of]]) for side in (found.yes, ~found.yes))
        sources = [self.usable.sources[columns[j]] for j in found.columns]
        column = self.usable.of(sources).separating_split(yes, no)
        return None if column is None else Split(found.cost, column, 0, turned=False)

    def _columns(self, rows: "_Rows", terms: Terms | None) -> Ints:
        """Columns of the MIP, by place: all that vary; of too many the best ones, and those of the present split."""
        varies = np.ptp(rows.x, axis=0) > 0
        found = np.flatnonzero(varies)
        most = max(MOST_ENTRIES // len(rows.change), self.most_columns)
        if len(found) <= most:
            return found
        order = np.argsort(rows.x[:, found], axis=0, kind="stable")
        sums = np.cumsum(rows.change[order], axis=0)
        reached = np.minimum(sums.min(axis=0), sums[-1] - sums.max(axis=0))
        asked = {j for j, _ in terms or ()}
        given = np.array([self.usable.sources[k] in asked for k in found])
        first = np.lexsort((reached, ~given))[:most]
        return np.sort(found[first])

    def _start(self, node: _Node, terms: Terms | None, columns: Ints) -> ScaledSplit | None:
        """Return the present split as a warm start, if the MIP has its columns."""
        sources = [self.usable.sources[k] for k in columns]
        if terms is None or not {j for j, _ in terms} <= set(sources):
            return None
        relevant = node.change != 0
        yes, no = (self._mask(node.points[relevant & side]) for side in (node.yes, ~node.yes))
        if not yes.any() or not no.any():
            return None
        # A cut may send the rows of low values to no: then the combination is turned.
        sums = linear_combination(terms, self.usable.values, len(self.scaled))
        sign = 1.0 if sums[yes].max() < sums[no].min() else -1.0
        return self.usable.of(sources).scaled_split([(j, sign * factor) for j, factor in terms], yes, no)

    def _mask(self, points: Ints) -> Bools:
        found = np.zeros(len(self.scaled), dtype=np.bool_)
        found[points] = True
        return found

    def _price(self, terms: Terms | None) -> float:
        return float(self.problem.column_price) * max(len(terms or ()) - 1, 0)

    def _floors(self, flow: Flow, node: _Node) -> list["_Floor"]:
        """What has to arrive at the nodes and leaves below a node, which stay as they are."""
        if self.fewest.any_rows_do:
            return []
        asked, found = flow.nodes[node.at], list[_Floor]()
        below = [reached_from(flow.nodes, flow.yes, side) for side in (asked.yes, asked.no)]
        nowhere = np.zeros(flow.here.shape[1], dtype=np.bool_)
        for side, ways in ((asked.yes, (~nowhere, nowhere)), (asked.no, (nowhere, ~nowhere))):
            if flow.nodes[side].column < 0:
                found += self._at_leaf(node, ways, nowhere)
        others = flow.here & ~flow.here[node.at]
        for at in np.flatnonzero(below[0].any(axis=1) | below[1].any(axis=1)).tolist():
            asked = flow.nodes[at]
            if asked.column < 0:
                continue
            found += self._at_node(node, (below[0][at], below[1][at]), others[at])
            for side, takes in ((asked.yes, flow.yes[at]), (asked.no, ~flow.yes[at])):
                if flow.nodes[side].column < 0 and (flow.here[at] & takes).any():
                    found += self._at_leaf(node, (below[0][at] & takes, below[1][at] & takes), others[at] & takes)
        return found

    def _at_leaf(self, node: _Node, ways: tuple[Bools, Bools], others: Bools) -> Iterator["_Floor"]:
        data = self.problem.data
        if self.fewest.leaf > 1:
            yield _Floor.of(node.points, data.point_counts, ways, others, self.fewest.leaf)
        if self.fewest.leaf_weight > 0:
            yield _Floor.of(node.points, data.point_weights, ways, others, self.fewest.leaf_weight * (1 - RESOLUTION))

    def _at_node(self, node: _Node, ways: tuple[Bools, Bools], others: Bools) -> Iterator["_Floor"]:
        if self.fewest.node > 1:
            yield _Floor.of(node.points, self.problem.data.point_counts, ways, others, self.fewest.node)


class _Floor(NamedTuple):
    """What arrives somewhere is at least ``least``: points of a node count by the side they take."""

    if_yes: Floats  # (n_points at the node,)
    if_no: Floats
    least: float

    @classmethod
    def of(cls, points: Ints, size: Ints | Floats, ways: tuple[Bools, Bools], others: Bools, least: float) -> "_Floor":
        """Return what points add by either way, less what others bring."""
        if_yes, if_no = (np.where(way, size, 0).astype(np.float64)[points] for way in ways)
        return cls(if_yes, if_no, least - float(size[others].sum()))


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Points of a node by their values: those that no linear combination tells apart are one row."""

    x: Floats  # (n_rows, n_oblique)
    change: Floats  # (n_rows,)
    points: Ints
    row_of: Ints  # row of each point
    kept: Bools  # points of the node that are here

    @classmethod
    def of(cls, scaled: Floats, node: _Node, *, every: bool) -> "_Rows | None":
        """Leave out points that cost the same on both sides, unless all count; ``None`` if there are too many."""
        kept = (node.change != 0) | every
        if np.count_nonzero(kept) > MOST_POINTS:
            return None
        points = node.points[kept]
        x, row_of = np.unique(scaled[points], axis=0, return_inverse=True)
        row_of = row_of.reshape(-1)
        change = np.bincount(row_of, weights=node.change[kept], minlength=len(x)).astype(np.float64)
        return cls(x, change, points, row_of, kept)

    def summed(self, values: Floats) -> Floats:
        """Sum values of the node's points over each row."""
        return np.bincount(self.row_of, weights=values[self.kept], minlength=len(self.x)).astype(np.float64)
