"""Problems small enough to solve by trying everything, with the awkward corners among them by name."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from exactree.arrays import Floats
from exactree.encode import encode
from exactree.problem import Limits, Objective, Problem, accuracy, balanced_accuracy, cost_sensitive
from exactree.table import Table

Named = tuple[str, Problem]


@cache
def tiny_problems() -> tuple[Named, ...]:
    """List (name, problem): corners first, then random tables for each objective, limit and kind of column.

    The same objects at every call, so that each has to be solved by trying everything only once.
    """
    return tuple(_tiny_problems())


def _tiny_problems() -> Iterator[Named]:
    yield from _corners()
    yield from _words()
    for seed in range(60):
        yield f"random-{seed}", _random(seed, depth=seed % 5)
    for seed in range(40):
        yield f"binary-{seed}", _binary(seed)
    for seed in range(30):
        yield f"integer-weights-{seed}", _random(100 + seed, depth=1 + seed % 3, weights="integer")
    for seed in range(3):
        yield f"heavy-{seed}", _heavy(seed)
    for seed in range(30):
        yield f"float-weights-{seed}", _random(200 + seed, depth=1 + seed % 3, weights="float")
    for seed in range(30):
        yield f"missing-{seed}", _random(300 + seed, depth=1 + seed % 3, missing=True)
    for seed in range(20):
        yield f"categories-{seed}", _categories(seed)
    yield from _limited()
    yield from _many_cuts()
    yield from _objectives()
    for seed in range(32):
        yield f"few-points-{seed}", _few_points(seed)


def large_problem() -> Problem:
    """Too large for any exact solver to finish in no time."""
    rng = np.random.default_rng(0)
    data = encode(Table.of(rng.random((400, 6))), rng.integers(0, 2, size=400))
    return Problem(data, accuracy(data), Limits(4))


def _problem(X: Any, y: Any, limits: Limits, **options: Any) -> Problem:
    data = encode(Table.of(X), y, **options)
    return Problem(data, accuracy(data), limits)


def _corners() -> Iterator[Named]:
    yield "no-question", _problem([[1.0], [1.0]], ["a", "b"], Limits(1))
    yield "one-class", _problem([[1.0], [2.0]], ["a", "a"], Limits(2))
    yield "one-row", _problem([[1.0]], ["a"], Limits(3))
    xor = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    for depth in range(4):
        yield f"exclusive-or-depth-{depth}", _problem(xor, [0, 1, 1, 0], Limits(depth))
    yield "opposite-twins", _problem([[1.0]] * 4 + [[2.0]] * 3, [0, 1, 0, 1, 0, 1, 1], Limits(2))
    # Three leaves are one too few: those rows of which as many are of either class stay together.
    yield "tied-leaf", _problem([*xor, *xor[2:]], [1, 0, 0, 1, 0, 1], Limits(2, max_leaf_nodes=3))
    yield "all-tied", _problem([[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1], Limits(2))
    # The trap of a least leaf size: more rows can make a split legal and the tree cheaper.
    yield "twins-make-legal", _problem([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1], Limits(2, min_samples_leaf=2))
    yield "one-short-of-legal", _problem([[0.0], [1.0], [1.0]], [0, 1, 1], Limits(2, min_samples_leaf=2))
    # A cut that only helps once another has been made: filtered thresholds (class changes) would lose it.
    rows = [(7, 1, 0), (2, 1, 0), (0, 1, 0), (1, 0, 1), (3, 2, 0), (8, 2, 1), (6, 2, 1), (4, 0, 0), (5, 2, 1)]
    nine = np.array(rows, dtype=float)
    yield "class-changes-lose", _problem(nine[:, :2], nine[:, 2].astype(int), Limits(2))


def _words() -> Iterator[Named]:
    """Row counts around a machine word, two classes and three."""
    for n_rows in (63, 64, 65, 127, 128, 129):
        for n_classes in (2, 3):
            rng = np.random.default_rng(n_rows * n_classes)
            X = rng.integers(0, 5, size=(n_rows, 3)).astype(float)
            # Only the last row tells: losing a row at a word's end changes the optimum.
            X[-1] = 9.0
            y = rng.integers(0, n_classes, size=n_rows)
            yield f"{n_rows}-rows-{n_classes}-classes", _problem(X, y, Limits(2))


def _heavy(seed: int) -> Problem:
    """Heavy rows, most of one class and no two alike: sums over a few of them no longer fit into a byte."""
    rng = np.random.default_rng(seed)
    X = rng.permutation(128)[:60, None] >> np.arange(7) & 1
    return _problem(X.astype(float), rng.random(60) < 0.9, Limits(3), sample_weight=rng.integers(12, 16, size=60))


def _cells(rng: np.random.Generator, n_rows: int, n_columns: int, n_values: int) -> Floats:
    return rng.integers(0, n_values, size=(n_rows, n_columns)).astype(float)


def _random(
    seed: int, *, depth: int, weights: str = "", missing: bool = False, limits: Limits | None = None
) -> Problem:
    """Random cells and labels, with duplicates and contradictions; sizes shrink as the depth grows."""
    rng = np.random.default_rng(seed)
    n_columns, n_values = ((2, 6), (3, 6), (3, 4), (2, 4), (2, 3))[depth]
    n_rows = int(rng.integers(4, 40))
    X = _cells(rng, n_rows, n_columns, n_values)
    X[:, 0] = np.sqrt(X[:, 0]) * 1e-3  # not whole numbers
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
        X[0] = 1.0  # no column without a value
        X = X[:, : max(1, n_columns - 1)]
    y = rng.integers(0, 2 + seed % 3, size=n_rows)
    options: dict[str, Any] = {}
    if weights == "integer":
        options["sample_weight"] = rng.integers(0, 4, size=n_rows) + (np.arange(n_rows) == 0)
    if weights == "float":
        options["sample_weight"] = rng.random(n_rows) + 1e-3
    return _problem(X, y, limits or Limits(depth), **options)


def _binary(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    depth = 2 + seed % 3
    n_rows = int(rng.integers(10, 90))
    X = rng.integers(0, 2, size=(n_rows, (8, 6, 4)[depth - 2])).astype(float)
    return _problem(X, rng.integers(0, 2 + seed % 2, size=n_rows), Limits(depth))


def _few_points(seed: int) -> Problem:
    """So few points that every formulation proves quickly; with weights, and prices and limits of leaves."""
    rng = np.random.default_rng(seed)
    depth = 1 + seed % 2
    n_points = (9, 5)[depth - 1] - 1
    points = rng.integers(0, 3, size=(n_points, 2)).astype(float)
    copied = np.r_[np.arange(n_points), rng.integers(0, n_points, size=6)]
    X, y = points[copied], rng.integers(0, 2 + seed % 3 // 2, size=n_points)[copied]
    y[-1] = (y[-1] + 1) % 2  # rows that contradict each other
    weights = (None, None, rng.integers(1, 4, size=len(X)), rng.random(len(X)) + 0.1)[seed // 2 % 4]
    limits = Limits(depth, ccp_alpha=0.05 * (seed % 3 == 0), max_leaf_nodes=3 if seed % 4 == 3 else None)
    problem = _problem(X, y, limits, sample_weight=weights)
    return Problem(problem.data, balanced_accuracy(problem.data), limits) if seed % 5 == 4 else problem


def _categories(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(6, 30))
    colour = rng.choice(["red", "green", "blue"], size=n_rows).astype(object)
    if seed % 2:
        colour[rng.random(n_rows) < 0.3] = None
        colour[0] = "red"
    size = rng.integers(0, 3, size=n_rows).astype(object)
    X = np.column_stack([colour, size])
    return _problem(X, rng.choice(["yes", "no"], size=n_rows), Limits(1 + seed % 3))


def _limited() -> Iterator[Named]:
    """Limits on leaves and leaf sizes, prices of leaves, and all of them together."""
    for seed in range(20):
        limits = Limits(2 + seed % 2, max_leaf_nodes=2 + seed % 4)
        yield f"max-leaves-{seed}", _random(400 + seed, depth=limits.deepest, limits=limits)
    for seed in range(8):
        limits = Limits(4, max_leaf_nodes=3 + seed % 4)
        yield f"max-leaves-deep-{seed}", _random(450 + seed, depth=4, limits=limits)
    for seed in range(30):
        limits = Limits(1 + seed % 3, min_samples_leaf=2 + seed % 5)
        yield f"min-leaf-{seed}", _random(500 + seed, depth=limits.deepest, limits=limits)
    for seed in range(30):
        limits = Limits(1 + seed % 3, ccp_alpha=(0.01, 0.05, 0.1, 1 / 3)[seed % 4])
        yield f"leaf-price-{seed}", _random(600 + seed, depth=limits.deepest, limits=limits)
    for seed in range(15):
        limits = Limits(1 + seed % 3, min_weight_fraction_leaf=(0.05, 0.2, 0.31)[seed % 3])
        kind = ("integer", "float")[seed % 2]
        yield f"min-weight-{seed}", _random(550 + seed, depth=limits.deepest, limits=limits, weights=kind)
    for seed in range(20):
        limits = Limits(3, max_leaf_nodes=3 + seed % 4, min_samples_leaf=1 + seed % 3, ccp_alpha=0.02 * (seed % 3))
        kind = ("", "integer", "float")[seed % 3]
        yield f"all-limits-{seed}", _random(700 + seed, depth=3, limits=limits, weights=kind)


# Found by planting faults: with fewer values these bounds are never tight enough for an error of one to show.
MANY_CUTS = (31, 33, 51, 64, 79, 89)  # bounds between solved cuts
BESIDE_SOLVED = (1, 56)  # cuts next to solved ones
SMALL_LEAVES = (2,)  # the trap of a least leaf size, at depth two
SMALL_LEAVES_WIDE = (10, 348)  # the same between many cuts
SMALL_LEAVES_DEEP = (21, 56, 84, 120, 206)  # the same in the nodes below
SMALL_LEAVES_DEEPER = (93, 104, 109)
PRICES_DEEP = (66,)
PRICES_MAJORITY = (3, 31)  # a pure leaf on one side, a gain of less than a leaf's price
LAST_ROWS = (88, 189)  # the cost of all rows as a bound near the end of a column
ALIKE = (33, 58, 128, 229)  # bounds between columns of numbers, with and without a limit on leaves
BINARY_LEAVES = (9, 24, 72, 144, 472, 517, 562)  # bounds between yes/no columns, budgets of the sides, shares of leaves
SMALL_LEAVES_RARE = (362, 1152)  # columns that leave too little here, and not where there are more rows
OPPOSITE = (168, 218, 220)  # columns that are nearly the opposite of others


def _many_cuts() -> Iterator[Named]:
    """A column of many values, where most cuts are never tried but bounded by their neighbours."""
    for seed in MANY_CUTS:
        yield f"many-cuts-{seed}", _two_columns(seed, (10, 30), (12, 3), Limits(3))
    for seed in BESIDE_SOLVED:
        yield f"beside-solved-{seed}", _two_columns(seed, (15, 35), (12, 3), Limits(3), n_classes=2)
    for seed in SMALL_LEAVES:
        limits = Limits(2, min_samples_leaf=2 + seed % 5)
        yield f"small-leaves-{seed}", _two_columns(seed, (8, 40), (8, 8), limits)
    for seed in SMALL_LEAVES_WIDE:
        limits = Limits(2, min_samples_leaf=3 + seed % 6)
        yield f"small-leaves-wide-{seed}", _two_columns(seed, (16, 50), (14, 3), limits)
    for seed in SMALL_LEAVES_DEEP:
        limits = Limits(3, min_samples_leaf=3 + seed % 4)
        yield f"small-leaves-deep-{seed}", _two_columns(seed, (16, 40), (10, 4), limits)
    for seed in SMALL_LEAVES_DEEPER:
        limits = Limits(4, min_samples_leaf=2 + seed % 3)
        yield f"small-leaves-deeper-{seed}", _two_columns(seed, (12, 30), (8, 3), limits)
    for seed in BINARY_LEAVES:
        yield f"binary-leaves-{seed}", _binary_leaves(seed)
    for seed in SMALL_LEAVES_RARE:
        yield f"small-leaves-rare-{seed}", _rare(seed)
    for seed in OPPOSITE:
        yield f"opposite-{seed}", _opposite(seed)
    for seed in PRICES_DEEP:
        yield f"prices-deep-{seed}", _two_columns(seed, (10, 30), (8, 4), Limits(3, ccp_alpha=0.02), n_classes=2)
    for seed in PRICES_MAJORITY:
        yield f"prices-majority-{seed}", _majority(seed)
    for seed in LAST_ROWS:
        yield f"last-rows-{seed}", _last_rows(seed)
    for seed in ALIKE:
        yield f"alike-{seed}", _alike(seed)


def _majority(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(int(rng.integers(12, 40)), 5)).astype(float)
    return _problem(X, X.sum(axis=1) > 3, Limits(3, ccp_alpha=(0.01, 0.02, 0.03, 0.05, 0.08)[seed % 5]))


def _last_rows(seed: int) -> Problem:
    """An exclusive or, but for the last rows of another column; five leaves, and some noise."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(12, 40))
    a, b, c = rng.integers(0, 2, size=n_rows), rng.integers(0, 2, size=n_rows), rng.permutation(n_rows)
    y = ((a ^ b) | (c >= n_rows - 2 - seed % 3)) ^ (rng.random(n_rows) < 0.1)
    return _problem(np.column_stack([a, b, c]).astype(float), y, Limits(3, max_leaf_nodes=5))


def _alike(seed: int) -> Problem:
    """Two columns that order the rows nearly alike, so that the cuts of one say much of those of the other."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(10, 16))
    place = rng.permutation(n_rows)
    beside = np.argsort(np.argsort(place + rng.normal(0, 1 + seed % 4, n_rows)))
    y = (place // (3 + seed % 3) % 2) ^ (rng.random(n_rows) < 0.2)
    limits = Limits(3, max_leaf_nodes=5 + seed % 3) if seed % 2 else Limits(3)
    return _problem(np.column_stack([place, beside]).astype(float), y, limits)


def _binary_leaves(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(20, 60))
    X = rng.integers(0, 2, size=(n_rows, 5)).astype(float)
    return _problem(X, rng.integers(0, 2, size=n_rows), Limits(4, max_leaf_nodes=4 + seed % 9))


def _rare(seed: int) -> Problem:
    """Columns of which some hardly ever say yes, a weighted sum of them as label, and noise."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(30, 80))
    often = rng.choice([0.08, 0.15, 0.3, 0.5], size=6)
    X = (rng.random((n_rows, 6)) < often).astype(float)
    y = (X @ rng.integers(-2, 3, size=6) > 0) ^ (rng.random(n_rows) < 0.15)
    return _problem(X, y, Limits(4, min_samples_leaf=3 + seed % 9))


def _opposite(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(20, 60))
    some = rng.integers(0, 2, size=(n_rows, 5))
    X = np.column_stack([some, 1 - (some ^ (rng.random((n_rows, 5)) < 0.06))]).astype(float)
    a, b, c, d, _ = some.T
    return _problem(X, (a & b | c & d) ^ (rng.random(n_rows) < 0.25), Limits(3))


def _two_columns(
    seed: int, n_rows: tuple[int, int], n_values: tuple[int, int], limits: Limits, n_classes: int | None = None
) -> Problem:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(*n_rows))
    X = np.column_stack([rng.integers(0, values, size=n) for values in n_values]).astype(float)
    return _problem(X, rng.integers(0, n_classes or 2 + seed % 2, size=n), limits)


def _objectives() -> Iterator[Named]:
    for seed in range(15):
        plain = _random(800 + seed, depth=1 + seed % 3)
        yield f"balanced-{seed}", Problem(plain.data, balanced_accuracy(plain.data), plain.limits)
    for seed in range(30):
        plain = _random(900 + seed, depth=1 + seed % 3, limits=Limits(1 + seed % 3, ccp_alpha=0.02 * (seed % 2)))
        yield f"cost-matrix-{seed}", Problem(plain.data, _any_costs(seed, plain), plain.limits)


def _any_costs(seed: int, plain: Problem) -> Objective:
    rng = np.random.default_rng(seed)
    k = plain.data.n_classes
    whole = rng.integers(0, 6, size=(k, k)).astype(float)
    if seed % 3 == 0:
        whole += rng.random((k, k))
    if seed % 3 != 1:
        np.fill_diagonal(whole, 0.0)
    return cost_sensitive(plain.data, whole)
