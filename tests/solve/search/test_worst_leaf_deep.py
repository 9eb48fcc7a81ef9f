"""The worst leaf in trees of three and four levels, tested against all rectangles of two columns."""

from functools import cache

import numpy as np
import pytest

from exactree.encode import encode
from exactree.problem import Limits, Problem, leaf_accuracy, leaf_confidence
from exactree.solve import Budget, Search, Status
from exactree.table import Table


def random_problem(seed, depth):
    rng = np.random.default_rng(seed)
    n, width = int(rng.integers(60, 200)), int(rng.integers(4, 7))
    X = rng.integers(0, width, size=(n, 2)).astype(float)
    board = rng.integers(0, 2 + seed % 2, size=(width, width))
    chosen = board[X[:, 0].astype(int), X[:, 1].astype(int)]
    y = np.where(rng.random(n) < 0.35, rng.integers(0, 2 + seed % 2, size=n), chosen)
    data = encode(Table.of(X), y)
    objective = (leaf_accuracy if seed % 3 else leaf_confidence)(data)
    return Problem(data, objective, Limits(depth, min_samples_leaf=int(rng.integers(1, 14))))


def best_by_rectangles(problem):
    """Worth of the worst leaf, leaves and wrong answers of the best tree: every set of rows is a rectangle of ranks."""
    data, least = problem.data, problem.limits.min_samples_leaf
    widths = [column.n_ranks for column in data.columns]
    counts = np.zeros((*widths, data.n_classes))
    np.add.at(counts, (*data.ranks.astype(int), data.point_labels), data.point_weights)

    @cache
    def front(low, high, depth):
        here = counts[tuple(slice(a, b) for a, b in zip(low, high, strict=True))].sum(axis=(0, 1))
        if here.sum() < least:
            return ()
        label = np.array([here.argmax()], dtype=np.int32)
        worth = float(problem.objective.leaf_scores(here[None, :], label)[0])
        found = {(worth, 1, float(here.sum() - here.max()))}
        for axis in (0, 1) if depth else ():
            for cut in range(low[axis] + 1, high[axis]):
                inner = tuple(cut if at == axis else end for at, end in enumerate(high))
                outer = tuple(cut if at == axis else end for at, end in enumerate(low))
                found |= {
                    (min(yes[0], no[0]), yes[1] + no[1], yes[2] + no[2])
                    for yes in front(low, inner, depth - 1)
                    for no in front(outer, high, depth - 1)
                }
        return undominated(found)

    everything = front((0, 0), tuple(widths), problem.limits.max_depth)
    return min((1 - worth, leaves, wrong) for worth, leaves, wrong in everything)


def undominated(found):
    kept = []
    for worth, leaves, wrong in sorted(found, key=lambda each: (-each[0], each[1], each[2])):
        if not any(n <= leaves and w <= wrong for _, n, w in kept):
            kept.append((worth, leaves, wrong))
    return tuple(kept)


@pytest.mark.parametrize("depth", [3, 4])
@pytest.mark.each("seed", range(60))
def test_deep_trees_equal_the_best_of_all_rectangles(seed, depth):
    problem = random_problem(seed, depth)
    found = Search().solve(problem, Budget())
    assert found.status is Status.OPTIMAL
    assert problem.order(found.model) == pytest.approx(best_by_rectangles(problem), abs=1e-9)
