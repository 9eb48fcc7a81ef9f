"""Training rows of every decision path of a diagram, where one leaf is the end of many paths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class PathCounts:
    """Training rows and weights of the decision paths that at least one training row took.

    A path is the nodes from the root to a leaf. There are never more of them than training rows.

    Parameters
    ----------
    nodes : sequence of tuples of int
        The nodes of each path, the root first and the leaf last.
    rows : array of int64, shape (n_paths,)
        Training rows that took each path.
    weight : array of float64, shape (n_paths, n_classes)
        Training weight of each class on each path.

    Examples
    --------
    >>> counts = PathCounts([(0, 1), (0, 2)], np.array([3, 1]), np.array([[3.0, 0.0], [0.0, 1.0]]))
    >>> counts.number((0, 2)), counts.number((0, 1, 2))
    (1, None)
    """

    nodes: tuple[tuple[int, ...], ...]
    rows: Ints
    weight: Floats
    _numbers: dict[tuple[int, ...], int] = field(repr=False)

    def __init__(self, nodes: Sequence[tuple[int, ...]], rows: Any, weight: Any) -> None:
        object.__setattr__(self, "nodes", tuple(tuple(path) for path in nodes))
        object.__setattr__(self, "rows", np.array(rows, dtype=np.int64))
        object.__setattr__(self, "weight", np.array(weight, dtype=np.float64))
        object.__setattr__(self, "_numbers", {path: at for at, path in enumerate(self.nodes)})
        for array in (self.rows, self.weight):
            array.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return PathCounts, (self.nodes, self.rows, self.weight)

    def number(self, nodes: Sequence[int]) -> int | None:
        """Return the number of a path; None if no training row took it."""
        return self._numbers.get(tuple(nodes))

    def same_as(self, other: "PathCounts | None") -> bool:
        """Whether two counts agree in every path."""
        return (
            other is not None
            and self.nodes == other.nodes
            and np.array_equal(self.rows, other.rows)
            and np.array_equal(self.weight, other.weight)
        )

    def merged(self, new_node: Mapping[int, int]) -> "PathCounts":
        """Return the counts after some nodes were merged, and those without a new number removed."""
        places: dict[tuple[int, ...], list[int]] = {}
        for at, path in enumerate(self.nodes):
            places.setdefault(tuple(new_node[node] for node in path if node in new_node), []).append(at)
        rows = [int(self.rows[at].sum()) for at in places.values()]
        weight = [self.weight[at].sum(axis=0) for at in places.values()]
        return PathCounts(list(places), rows, np.reshape(weight, (len(rows), self.weight.shape[1])))


def check_path_counts(counts: PathCounts, yes: Any, no: Any, rows: Ints, n_classes: int) -> None:
    """Check that counts are of decision paths of a graph, and add up to the rows of its leaves.

    Examples
    --------
    >>> none = np.array([-1])
    >>> check_path_counts(PathCounts([(0,)], [3], [[3.0]]), none, none, np.array([4]), n_classes=1)
    Traceback (most recent call last):
    ...
    exactree.errors.InputError: The paths to leaf 0 have 3 rows, but the leaf has 4.
    """
    shape = (len(counts.nodes), n_classes)
    if counts.rows.shape != shape[:1] or counts.weight.shape != shape:
        raise InputError(f"There are {shape[0]} paths, but rows and weights of {counts.rows.shape[0]} paths.")
    if not (np.isfinite(counts.weight) & (counts.weight >= 0)).all() or (counts.rows < 1).any():
        raise InputError("Every path must have finite weights, none below zero, and at least one row.")
    if len(set(counts.nodes)) < len(counts.nodes):
        raise InputError("The paths of a graph must differ from each other.")
    total = np.zeros(len(rows), dtype=np.int64)
    for path, n_rows in zip(counts.nodes, counts.rows.tolist(), strict=True):
        _check_path(path, yes, no)
        total[path[-1]] += n_rows
    for leaf in np.flatnonzero((total != rows) & (np.asarray(yes) < 0))[:1].tolist():
        raise InputError(f"The paths to leaf {leaf} have {total[leaf]} rows, but the leaf has {rows[leaf]}.")


def _check_path(path: tuple[int, ...], yes: Any, no: Any) -> None:
    n_nodes = len(yes)
    starts = bool(path) and path[0] == 0 and all(0 <= node < n_nodes for node in path)
    if not starts or yes[path[-1]] >= 0 or any(child not in (yes[node], no[node]) for node, child in pairwise(path)):
        raise InputError(f"{path} is no decision path of the graph, from the root to a leaf.")
