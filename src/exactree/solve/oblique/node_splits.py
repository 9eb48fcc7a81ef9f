"""Linear splits of one node, with all other nodes fixed.

A row that reaches the node costs something if it goes yes, and something if it goes no. The native sweep finds the best
split of each pair of columns, over all directions where there are few rows. A pair may be a linear combination and a
column: that is how combinations grow, and how one coefficient of them is changed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from exactree import kernel
from exactree.arrays import Floats, Int32s, Ints
from exactree.model.oblique import linear_combination
from exactree.solve.oblique.combinations import Terms, with_direction
from exactree.solve.trees.linear_combinations import ObliqueColumns

BEAM = 4  # linear combinations of each size that are extended by one more column
GOOD_COLUMNS = 8  # all pairs of the columns whose own splits are the best
MOST_PAIRS = 60  # those, and others by chance
MOST_ROWS = 1500  # of a node: from larger ones as many are drawn
ALL_DIRECTIONS = 400  # rows up to which all directions are tried
N_ANGLES = 32
SLICE = 0.1  # seconds of a call of the kernel, which does not look for Ctrl-C


@dataclass(frozen=True, slots=True, eq=False)
class NodeSplits:
    """Finds linear splits; ``left`` returns the seconds left."""

    columns: ObliqueColumns
    scaled: Floats  # (n_oblique, n_points), values from 0 to 1
    counts: Ints  # (n_points,) rows of each
    most_columns: int  # of a linear combination
    column_price: float  # of each column but the first
    min_count: int  # fewest rows on each side
    random: np.random.Generator
    left: Callable[[], float]

    def best(self, points: Ints, change: Floats, given: Terms | None) -> list[Terms]:
        """Return good linear combinations, the best first; ``change`` is what yes costs more than no."""
        points, change = self._relevant(points, change)
        if len(points) < 2:
            return []
        rows = _Rows(np.ascontiguousarray(self.scaled[:, points]), points, change, self.counts[points])
        found = self._of_pairs(rows)
        if given is not None:
            found |= self._extended(rows, [given])
        beam = self._cheapest(found, BEAM)
        for size in range(3, self.most_columns + 1):
            longer = self._extended(rows, [terms for terms in beam if len(terms) == size - 1])
            if not longer:
                break
            found |= longer
            beam = self._cheapest(longer, BEAM)
        return self._cheapest(found, 2 * BEAM)

    def _relevant(self, points: Ints, change: Floats) -> tuple[Ints, Floats]:
        """Leave out points that cost the same on both sides, and draw some where there are many."""
        if self.min_count <= 1:
            points, change = points[change != 0], change[change != 0]
        if len(points) > MOST_ROWS:
            drawn = np.sort(self.random.choice(len(points), MOST_ROWS, replace=False))
            points, change = points[drawn], change[drawn]
        return points, change

    def _cheapest(self, found: dict[Terms, float], most: int) -> list[Terms]:
        price = self.column_price
        return sorted(found, key=lambda terms: (found[terms] + price * (len(terms) - 1), len(terms), terms))[:most]

    def _of_pairs(self, rows: "_Rows") -> dict[Terms, float]:
        sources, span = self.columns.sources, self.columns.span.tolist()
        if self.most_columns < 2:
            return {}
        found = dict[Terms, float]()
        pairs = self._pairs(rows)
        for (a, b), (change, low, high) in zip(
            pairs, self._swept(rows, rows.values, pairs), strict=False
        ):  # time may run out
            if np.isfinite(change):
                terms = with_direction(((sources[a], 1.0),), span[a], sources[b], span[b], low, high)
                found[terms] = min(change, found.get(terms, np.inf))
        return found

    def _pairs(self, rows: "_Rows") -> list[tuple[int, int]]:
        """All pairs where there are few columns; or those of the best columns, and some by chance."""
        n_columns = len(self.columns.sources)
        pairs = list(combinations(range(n_columns), 2))
        if len(pairs) <= MOST_PAIRS:
            return pairs
        good = sorted(np.argsort(rows.changes_of_columns(), kind="stable")[:GOOD_COLUMNS].tolist())
        chosen = list(combinations(good, 2))
        drawn = self.random.choice(len(pairs), MOST_PAIRS - len(chosen), replace=False)
        return chosen + [pairs[i] for i in drawn.tolist() if pairs[i] not in set(chosen)]

    def _extended(self, rows: "_Rows", given: Sequence[Terms]) -> dict[Terms, float]:
        """The best splits by linear combinations with one more column, or another coefficient of one they have."""
        sources, found = self.columns.sources, dict[Terms, float]()
        for terms in given:
            mine = {j for j, _ in terms}
            others = [k for k, j in enumerate(sources) if j in mine or len(terms) < self.most_columns]
            sums = linear_combination(terms, self.columns.values, self.scaled.shape[1])
            span = float(np.ptp(sums))
            if not others or not 0 < span < np.inf:
                continue
            values = np.vstack([((sums - sums.min()) / span)[rows.points][None, :], rows.values])
            pairs = [(0, 1 + k) for k in others]
            for k, (change, low, high) in zip(others, self._swept(rows, values, pairs), strict=False):
                if np.isfinite(change):
                    longer = with_direction(terms, span, sources[k], float(self.columns.span[k]), low, high)
                    found[longer] = min(change, found.get(longer, np.inf))
        return {terms: change for terms, change in found.items() if terms}

    def _swept(
        self, rows: "_Rows", values: Floats, pairs: list[tuple[int, int]]
    ) -> Iterator[tuple[float, float, float]]:
        """Sweep pair after pair, in calls that are short enough for Ctrl-C and the time limit."""
        given = np.array(pairs, dtype=np.int32).reshape(-1, 2)
        while len(given) and (left := self.left()) > 0:
            done = self._sweep(values, rows, given, min(SLICE, left))
            done = done[~np.isnan(done[:, 0])]
            yield from ((change, low, high) for change, low, high in done.tolist())
            given = given[len(done) :]

    def _sweep(self, values: Floats, rows: "_Rows", pairs: Int32s, seconds: float) -> Floats:
        done: Floats = kernel.pair_splits(
            values,
            rows.change,
            rows.counts,
            np.ascontiguousarray(pairs),
            min_count=self.min_count,
            most_rows=ALL_DIRECTIONS,
            n_angles=N_ANGLES,
            seconds=seconds,
        )
        return done


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows that reach a node."""

    values: Floats  # (n_columns, n_rows), scaled
    points: Ints
    change: Floats
    counts: Ints

    def changes_of_columns(self) -> Floats:
        """Change of cost by the best univariate split of each column; equal values are not kept together."""
        order = np.argsort(self.values, axis=1, kind="stable")
        sums = np.cumsum(self.change[order], axis=1)
        return np.asarray(np.minimum(sums.min(axis=1), sums[:, -1] - sums.max(axis=1)))
