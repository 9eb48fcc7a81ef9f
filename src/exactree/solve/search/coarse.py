"""Fewer thresholds: a quick first search, whose trees are trees over all thresholds as well."""

from dataclasses import dataclass

import numpy as np

from exactree.arrays import Int32s, UInt32s

Nodes = Int32s  # (n_nodes, 5)


@dataclass(frozen=True, slots=True, eq=False)
class CoarseRanks:
    """Fewer thresholds: the ranks of each column after which there is a cut.

    Examples
    --------
    >>> coarse = CoarseRanks.of(np.arange(8, dtype=np.uint32)[None, :], 4)
    >>> coarse.cuts[0].tolist(), coarse.ranks(np.arange(8, dtype=np.uint32)[None, :]).tolist()
    ([1, 3, 5], [[0, 0, 1, 1, 2, 2, 3, 3]])
    """

    cuts: list[UInt32s]

    @classmethod
    def of(cls, ranks: UInt32s, n_ranks: int) -> "CoarseRanks":
        """Keep cuts at quantiles, so that no column has more than so many ranks."""
        shares = np.arange(1, n_ranks) / n_ranks
        cuts = []
        for column in ranks:
            last = int(column.max())
            few = np.arange(last) if last < n_ranks else np.unique(np.quantile(column, shares, method="lower"))
            cuts.append(few[few < last].astype(np.uint32))
        return cls(cuts)

    def ranks(self, ranks: UInt32s) -> UInt32s:
        """Ranks among the cuts that are kept."""
        return np.array([np.searchsorted(few, column) for few, column in zip(self.cuts, ranks, strict=True)], np.uint32)

    def refined(self, nodes: Nodes) -> Nodes:
        """Return a tree with the ranks that it stands for."""
        refined = nodes.copy()
        for node in refined:
            if node[0] >= 0:
                node[1] = self.cuts[node[0]][node[1]]
        return refined
