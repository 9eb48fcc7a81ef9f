"""The MIP of a single node against all linear separations of tiny tables, and models that it polishes."""

from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog

from exactree.encode import encode
from exactree.mip import MipOptions
from exactree.problem import DiagramLimits, DiagramProblem, Limits, Problem, accuracy
from exactree.solve import Budget
from exactree.solve.oblique import Diagrams, ObliqueModel, Trees
from exactree.solve.oblique.flow import Flow, reached_from
from exactree.solve.oblique.local_search import ObliqueSearch
from exactree.solve.oblique.node_mip import Floor, NodeMip
from exactree.solve.search import DiagramSearch, Search
from exactree.solve.trees.linear_combinations import ScaledSplit
from exactree.solve.trees.ranked_diagram import diagram_from_graph, in_order
from exactree.solve.trees.ranked_tree import from_graph, nodes_of
from exactree.table import Table

MARGIN = 0.001


def gap_of(x, yes):
    """The widest gap between two sides by a linear combination whose absolute coefficients add up to 1."""
    n = x.shape[1]
    if n == 1:
        return max(x[~yes].min() - x[yes].max(), x[yes].min() - x[~yes].max())
    up, down = x[yes], x[~yes]
    # columns: positive and negative parts, threshold, gap
    rows = [[*row, *-row, -1.0, 1.0] for row in up] + [[*-row, *row, 1.0, 0.0] for row in down]
    size = [[*np.ones(2 * n), 0.0, 0.0]]
    bounds = [(0, 1)] * (2 * n) + [(-1, 1), (0, None)]
    found = linprog([0.0] * (2 * n + 1) + [-1.0], rows + size, [0.0] * len(rows) + [1.0], bounds=bounds)
    return -found.fun if found.status == 0 else 0.0


@cache
def separable(values, yes, most):
    """Fewest columns of a linear combination that parts the rows, None if none does."""
    x, yes = np.array(values), np.array(yes)
    for size in range(1, (most or x.shape[1]) + 1):
        if any(gap_of(x[:, list(columns)], yes) >= MARGIN for columns in combinations(range(x.shape[1]), size)):
            return size
    return None


def separations(x, most=None):
    """Every division of the rows by a linear combination, with the fewest columns that it takes."""
    rows, place = np.unique(x, axis=0, return_inverse=True)
    for sides in product((False, True), repeat=len(rows) - 1):
        if any(sides):
            size = separable(tuple(map(tuple, rows.tolist())), (False, *sides), most)
            yes = np.array((False, *sides))[place.reshape(-1)]
            if size is not None:
                yield yes, size
                yield ~yes, size


@pytest.mark.each("seed", range(12))
def test_the_mip_of_a_node_finds_the_best_of_all_separations(seed):
    rng = np.random.default_rng(seed)
    n_columns, most = (2, None) if seed % 3 == 0 else (3, 2 + seed % 2)
    x = np.unique(rng.integers(0, 3, (6, n_columns)) / 2, axis=0)
    change = rng.choice([-3.0, -1.0, 1.0, 2.0], len(x)) if seed % 2 else rng.normal(size=len(x))
    price = (0.0, 0.4)[seed // 3 % 2]
    sizes = rng.integers(1, 4, len(x)).astype(float)
    floors = [Floor(sizes, np.zeros(len(x)), 3.0), Floor(sizes * (x[:, 0] > 0), sizes, 4.0)] if seed % 4 > 1 else []
    allowed = [
        change[yes].sum() + price * (size - 1)
        for yes, size in separations(x, most)
        if all(f.if_yes[yes].sum() + f.if_no[~yes].sum() >= f.least for f in floors)
    ]
    found = NodeMip(x, change, floors, most, price, MARGIN).solve(None, MipOptions())
    assert found.proved
    assert found.cost == pytest.approx(min(allowed))
    assert found.bound <= found.cost
    assert found.bound == pytest.approx(found.cost, abs=1e-4)
    assert gap_of(x[:, list(found.columns)], found.yes) >= MARGIN - 1e-5


def test_sides_keep_the_margin():
    x = np.array([[0.0, 0.0], [0.4995, 0.5], [0.5, 0.5], [1.0, 1.0]])
    change = np.array([-1.0, -1.0, 1.0, 1.0])
    wide, narrow = (NodeMip(x, change, margin=margin).solve(None, MipOptions()) for margin in (0.001, 0.0002))
    assert (wide.cost, wide.proved) == (-1.0, True)
    assert (narrow.cost, narrow.yes.tolist()) == (-2.0, [True, True, False, False])


def test_no_split_within_the_limits():
    x, change = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([-1.0, 1.0])
    found = NodeMip(x, change, [Floor(np.ones(2), np.zeros(2), 2.0)]).solve(None, MipOptions())
    assert (found.yes, found.cost, found.proved) == (None, np.inf, True)


def test_without_time_there_is_a_bound_and_the_start():
    rng = np.random.default_rng(0)
    x, change = rng.random((80, 3)), rng.choice([-1.0, 1.0], 80)
    sums = np.sort(x[:, 0])
    start = ScaledSplit(np.array([1.0, 0.0, 0.0]), sums[40], sums[40] - sums[39])
    found = NodeMip(x, change, margin=1e-4).solve(start, MipOptions(seconds=0.5))
    assert found.bound <= found.cost
    assert found.cost <= change[x[:, 0] < sums[40]].sum()


def search_of(problem):
    """A local search, and the best univariate model as its start."""
    if isinstance(problem, DiagramProblem):
        kind, nodes = Diagrams(), diagram_from_graph(problem, DiagramSearch().solve(problem, Budget()).model)
    else:
        start, kind = Search().solve(problem, Budget()).model, Trees()
        nodes = nodes_of(from_graph(problem, start))
        nodes = [n._replace(label=int(k)) for n, k in zip(nodes, start.label, strict=True)]
    search = ObliqueSearch(problem, kind, 0, lambda: 60.0, lambda _: None, lambda: None, MARGIN, lambda: 60.0)
    return search, ObliqueModel(in_order(nodes))


def keeps_sizes(problem, flow, at, sides, fewest):
    """Whether all nodes and leaves below a node, which stay as they are, get enough rows."""
    points, node = flow.here[at], flow.nodes[at]
    yes = np.zeros(problem.data.n_points, dtype=bool)
    yes[np.flatnonzero(points)] = sides
    both = (reached_from(flow.nodes, flow.yes, node.yes) & yes) | (reached_from(flow.nodes, flow.yes, node.no) & ~yes)
    here = (both & points) | (flow.here & ~points)
    here[at] = points
    answers = flow.yes.copy()
    answers[at] = yes
    counts, weights = problem.data.point_counts, problem.data.point_weights
    for i, asked in enumerate(flow.nodes):
        if asked.column < 0:
            continue
        below = (
            reached_from(flow.nodes, flow.yes, node.yes)[i].any()
            or reached_from(flow.nodes, flow.yes, node.no)[i].any()
        )
        if i != at and not below:
            continue
        if i not in (0, at) and counts[here[i]].sum() < fewest.node:
            return False
        for side, takes in ((asked.yes, answers[i]), (asked.no, ~answers[i])):
            if flow.nodes[side].column >= 0 or (i != at and not (flow.here[i] & takes).any()):
                continue
            if counts[here[i] & takes].sum() < fewest.leaf or weights[here[i] & takes].sum() < fewest.leaf_weight:
                return False
    return True


def assert_no_node_has_a_better_split(problem, search, model):
    """Try all linear separations of the rows of each node."""
    flow, x = Flow.of(problem, search.costs, model), search.usable.scaled
    fewest = search.kind.fewest(problem)
    for at, node in enumerate(model.nodes):
        if node.column < 0:
            continue
        points = np.flatnonzero(flow.here[at])
        change = (flow.below[node.yes] - flow.below[node.no])[points]
        terms = model.terms(problem.data, search.usable, node)
        now = change[flow.yes[at, points]].sum() + problem.column_price * (len(terms) - 1)
        for yes, size in separations(x[points], problem.limits.max_split_columns):
            if change[yes].sum() + problem.column_price * (size - 1) < now - 1e-6:
                assert not keeps_sizes(problem, flow, at, yes, fewest), (at, yes)


@pytest.mark.each("seed", range(12))
def test_a_polished_tree_has_no_node_with_a_better_split(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (7, 2 + seed % 2)).astype(float), rng.integers(0, 2 + seed % 2, 7)
    data = encode(Table.of(X), y, sample_weight=rng.integers(1, 3, 7).astype(float))
    limits = Limits(
        1 + seed % 2, min_samples_leaf=1 + seed % 3, max_split_columns=2, column_price=(0.0, 0.03)[seed % 4 == 3]
    )
    problem = Problem(data, accuracy(data), limits)
    search, start = search_of(problem)
    polished = search.polished(start, search.cost(start))
    assert search.cost(polished) <= search.cost(start)
    assert search.polish.n_proved == search.polish.n_solved
    assert_no_node_has_a_better_split(problem, search, polished)


@pytest.mark.each("seed", range(8))
def test_a_polished_diagram_has_no_node_with_a_better_split(seed):
    rng = np.random.default_rng(seed + 50)
    X, y = rng.integers(0, 4, (7, 2)).astype(float), rng.integers(0, 2, 7)
    data = encode(Table.of(X), y)
    limits = DiagramLimits(
        (1, 2, 2), 0.05, min_samples_node=1 + seed % 4, min_weight_fraction_leaf=(0.0, 0.2)[seed % 2]
    )
    problem = DiagramProblem(data, accuracy(data), limits)
    search, start = search_of(problem)
    polished = search.polished(start, search.cost(start))
    assert search.cost(polished) <= search.cost(start)
    assert_no_node_has_a_better_split(problem, search, polished)


def test_polishing_finds_a_plane_of_three_columns():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3))
    y = (X @ [1.0, 2.0, -1.5] > 0.1).astype(int)
    data = encode(Table.of(X), y)
    problem = Problem(data, accuracy(data), Limits(1))
    search, start = search_of(problem)
    assert search.cost(start) > 0
    assert search.cost(search.polished(start, search.cost(start))) == 0.0
