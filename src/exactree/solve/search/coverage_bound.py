"""The coverage bound: what the leaf that holds a row can score at most, in any tree.

A leaf at the end of d questions is a box of at most d conditions. So the worst leaf of a tree scores no more than the
best box around any one row, and the row for which that is least bounds all trees.

A box restricts a column to its low or high end (one condition) or to an interval (two). For each choice of columns and
of conditions on them, sums over all boxes follow from cumulative sums over ranks, and the best box around each place
from running maxima.
"""

from collections.abc import Iterator
from itertools import combinations, product
from math import prod

import numpy as np

from exactree.arrays import Floats
from exactree.problem import RESOLUTION, Problem

MOST_CELLS = 2e8  # boxes times classes: about 20 s

Sums = Floats  # (n_classes + 1, ...): weight of each class, then rows, by rank or by box
Choice = tuple[tuple[int, ...], tuple[int, ...]]  # columns with an interval, columns with one end


def coverage_bounds(problem: Problem) -> Floats | None:
    """Worth of the best box around each point, (n_points,); None if there are too many boxes to enumerate."""
    data = problem.data
    depth = min(problem.limits.deepest, problem.limits.most_leaves - 1)
    n_ranks = [column.n_ranks for column in data.columns]
    cells = 0.0
    for intervals, ends in _choices(len(n_ranks), depth):
        cells += prod(n_ranks[c] ** 2 for c in intervals) * prod(2 * n_ranks[c] for c in ends) * data.n_classes
        if cells > MOST_CELLS:
            return None
    weight = data.class_weight(np.arange(data.n_points))[None, :]
    all_rows = problem.objective.leaf_scores(weight, weight.argmax(axis=1).astype(np.int32))  # whatever its size
    best = np.full(data.n_points, all_rows[0])
    for choice in _choices(len(n_ranks), depth):
        np.maximum(best, _around(problem, choice), out=best)
    return best


def _choices(n_columns: int, n_conditions: int) -> Iterator[Choice]:
    """Choices of columns, without those whose boxes another choice contains."""
    for n_intervals in range(n_conditions // 2 + 1):
        n_ends = min(n_conditions - 2 * n_intervals, n_columns - n_intervals)
        spare = n_conditions - 2 * n_intervals - n_ends
        if n_ends < 0 or n_intervals + n_ends == 0 or (spare > 0 and n_ends > 0):
            continue  # with a condition to spare, one of the ends may as well be an interval
        for intervals in combinations(range(n_columns), n_intervals):
            others = [c for c in range(n_columns) if c not in intervals]
            for ends in combinations(others, n_ends):
                yield intervals, ends


def _around(problem: Problem, choice: Choice) -> Floats:
    """Worth of the best box around each point with an interval or one end of these columns."""
    (intervals, ends), ranks = choice, problem.data.ranks
    sums = _sums(problem, (*intervals, *ends))
    for i in range(len(intervals)):
        sums = _by_interval(sums, 1 + 2 * i)
    first = 1 + 2 * len(intervals)  # axis of the first end
    lasts = [problem.data.columns[c].n_ranks - 1 for c in ends]
    best = np.full(problem.data.n_points, -np.inf)
    for high in product((False, True), repeat=len(ends)):
        boxes = np.flip(sums, tuple(first + i for i, flipped in enumerate(high) if flipped))
        for i in range(len(ends)):
            boxes = boxes.cumsum(axis=first + i)
        score = _scores(problem, boxes)
        for i in range(len(intervals)):
            score = np.maximum.accumulate(score, axis=2 * i)  # the interval begins at the rank or before it
            score = _upwards(score, 2 * i + 1)  # and ends there or behind it
        for i in range(len(ends)):
            score = _upwards(score, first - 1 + i)
        at = [ranks[c] for c in intervals for _ in range(2)]
        at += [last - ranks[c] if flipped else ranks[c] for c, last, flipped in zip(ends, lasts, high, strict=True)]
        np.maximum(best, score[tuple(at)], out=best)
    return best


def _sums(problem: Problem, columns: tuple[int, ...]) -> Sums:
    """Weight of each class and rows, by rank in each of these columns."""
    data = problem.data
    shape = tuple(data.columns[c].n_ranks for c in columns)
    place = np.ravel_multi_index(tuple(data.ranks[c] for c in columns), shape)
    n = prod(shape)
    by_class = np.bincount(data.point_labels * n + place, weights=data.point_weights, minlength=data.n_classes * n)
    rows = np.bincount(place, weights=data.point_counts, minlength=n)
    return np.concatenate([by_class, rows]).reshape(data.n_classes + 1, *shape)


def _by_interval(sums: Sums, axis: int) -> Sums:
    """Replace the axis of a rank by two, first and last rank of an interval; zero where the last precedes the first."""
    up_to = sums.cumsum(axis=axis)
    n = sums.shape[axis]
    before = np.concatenate([np.zeros_like(up_to.take([0], axis)), up_to.take(range(n - 1), axis)], axis=axis)
    both = np.expand_dims(up_to, axis) - np.expand_dims(before, axis + 1)
    ahead = np.tri(n, dtype=np.float64).T.reshape([n if a in (axis, axis + 1) else 1 for a in range(both.ndim)])
    return np.asarray(both * ahead)


def _scores(problem: Problem, boxes: Sums) -> Floats:
    """Worth of each box as a leaf; minus infinity if it is too small."""
    weight, rows = boxes[:-1].reshape(problem.data.n_classes, -1), boxes[-1].ravel()
    least = problem.min_leaf_weight * (1 - RESOLUTION)
    large = np.flatnonzero((rows >= problem.limits.min_samples_leaf - 0.5) & (weight.sum(axis=0) >= least))
    score = np.full(len(rows), -np.inf)
    leaves = weight[:, large].T
    score[large] = problem.objective.leaf_scores(leaves, leaves.argmax(axis=1).astype(np.int32))
    return score.reshape(boxes.shape[1:])


def _upwards(score: Floats, axis: int) -> Floats:
    """Running maximum from the end of an axis."""
    return np.flip(np.maximum.accumulate(np.flip(score, axis), axis=axis), axis)
