"""OCT-H against every split of a few points by lines, and beside trees that ask about one column at a time."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest

from exactree import OCT, Fairness, OptimalTreeClassifier
from exactree.encode import encode
from exactree.errors import InputError, Unsupported
from exactree.mip import Mip, installed
from exactree.model import dumps, loads
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Search, Status
from exactree.solve.formulations.oct.oblique_model import ObliqueOctModel
from exactree.solve.mip_runs.costs import mip_costs
from exactree.solve.mip_runs.warm_starts import find_warm_start
from exactree.solve.trees.complete_tree import Shape, embedded
from exactree.solve.trees.linear_combinations import between, oblique_columns, widest
from exactree.table import Table, Test


def problem_of(X, y, depth, weights=None, **limits):
    data = encode(Table.of(X), y, sample_weight=weights)
    return Problem(data, accuracy(data), Limits(depth, **limits))


def points_of(seed, n_rows, n_classes=2, high=4):
    rng = np.random.default_rng(seed)
    return rng.integers(0, high, (n_rows, 2)).astype(float), rng.integers(0, n_classes, n_rows)


def line_sides(points):
    """Every set of points on one side of a line, as masks: between two directions in which points line up, the order
    of their projections does not change."""
    lined_up = [np.arctan2(*(b - a)[::-1]) + np.pi / 2 for a in points for b in points if (a != b).any()]
    angles = np.unique(np.round(np.mod(lined_up, 2 * np.pi), 12))
    found = set()
    for angle in (angles + np.roll(angles, -1) + 2 * np.pi * (np.roll(angles, -1) < angles)) / 2:
        along = np.round(points @ [np.cos(angle), np.sin(angle)], 9)
        for limit in np.unique(along)[:-1]:
            found.add(tuple((along <= limit).tolist()))
    return found


def best_by_lines(X, y, depth, leaf_price=0.0, weights=None, least=1):
    """Cheapest tree of questions about lines, by trying all."""
    weights = np.ones(len(y)) if weights is None else weights

    @cache
    def best(rows, left):
        at = list(rows)
        by_class = np.bincount(y[at], weights=weights[at])
        leaf = by_class.sum() - by_class.max() + leaf_price if len(at) >= least else np.inf
        if left == 0 or len(at) < 2:
            return leaf
        for side in line_sides(X[at]):
            yes = tuple(r for r, here in zip(at, side, strict=True) if here)
            no = tuple(r for r in at if r not in yes)
            leaf = min(leaf, best(yes, left - 1) + best(no, left - 1))
        return leaf

    return best(tuple(range(len(y))), depth)


def test_lines_around_a_triangle_and_a_square():
    triangle = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert len(line_sides(triangle)) == 6  # every set but none and all
    square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert len(line_sides(square)) == 14 - 2  # not the two diagonals


@pytest.mark.each("seed", range(8))
def test_one_line_by_trying_all(seed):
    X, y = points_of(seed, 8, n_classes=2 + seed % 2)
    found = OCT(multivariate=True).solve(problem_of(X, y, 1), Budget())
    assert (found.status, found.cost) == (Status.OPTIMAL, best_by_lines(X, y, 1))


@pytest.mark.each("seed", range(4))
def test_trees_of_lines_by_trying_all(seed):
    X, y = points_of(seed + 20, 7, n_classes=3, high=3)
    found = OCT(multivariate=True).solve(problem_of(X, y, 2), Budget())
    assert (found.status, found.cost) == (Status.OPTIMAL, best_by_lines(X, y, 2))


def test_lines_have_the_same_price_as_other_questions():
    X, y = points_of(3, 8)
    for price in (0.05, 0.12, 0.3):
        found = OCT(multivariate=True).solve(problem_of(X, y, 2, ccp_alpha=price), Budget())
        assert found.cost == pytest.approx(best_by_lines(X, y, 2, leaf_price=8 * price))


@pytest.mark.each("seed", range(3))
def test_weights_and_least_sizes_of_leaves(seed):
    X, y = points_of(seed + 40, 8)
    weights = np.random.default_rng(seed).integers(1, 6, 8).astype(float)
    for least in (1, 3):
        found = OCT(multivariate=True).solve(problem_of(X, y, 2, weights, min_samples_leaf=least), Budget())
        assert (found.status, found.cost) == (Status.OPTIMAL, best_by_lines(X, y, 2, weights=weights, least=least))


@pytest.mark.each("seed", range(3))
def test_constraints_by_trying_all_lines(seed):
    X, y = points_of(seed + 60, 8)
    free = problem_of(X, y, 1)
    limits = tuple(Fairness("demographic_parity", 0.3, groups=np.arange(8) % 2).limits(free.data))
    best = np.inf
    for side in [*line_sides(X), (True,) * 8]:
        for said in product((0, 1), repeat=2):
            answers = np.where(side, *said)
            if all(limit.excess(answers) <= 1e-9 for limit in limits):
                best = min(best, float((answers != y).sum()))
    found = OCT(multivariate=True).solve(replace(free, constraints=limits), Budget())
    assert (found.status, found.cost) == (Status.OPTIMAL, best)


@pytest.mark.parametrize("backend", [name for name in installed() if name != "cp-sat"])
def test_every_back_end_that_takes_fractions(backend):
    X, y = points_of(5, 8)
    found = OCT(multivariate=True, backend=backend).solve(problem_of(X, y, 1), Budget())
    assert (found.status, found.cost) == (Status.OPTIMAL, best_by_lines(X, y, 1))


@pytest.mark.each("seed", range(4))
def test_never_worse_than_one_column_at_a_time(seed):
    # Neighbouring values far nearer than the margin: questions about one column need none.
    X, y = points_of(seed, 12, high=5)
    X = X**9 + 1e-7 * X
    problem = problem_of(X, y, 2)
    found = OCT(multivariate=True, margin=0.01).solve(problem, Budget(seconds=20))
    assert found.cost <= Search().solve(problem, Budget()).cost


def test_no_time_at_all_still_gives_a_tree_and_an_honest_bound():
    X, y = points_of(0, 30, high=9)
    found = OCT(multivariate=True).solve(problem_of(X, y, 2), Budget(seconds=0.0))
    assert (found.status, found.bound <= found.cost) == (Status.TIME_LIMIT, True)


def test_the_search_gives_no_bound_on_sums():
    # Without sums no tree of depth 1 is right, with constraints the search's bound would be taken over.
    X, y = [[0.0, 2.0], [1.0, 1.0], [2.0, 0.0], [1.0, 3.0], [2.0, 2.0], [3.0, 1.0]], [0, 0, 0, 1, 1, 1]
    fair = Fairness("demographic_parity", 1.0, groups="x0")
    for warm_start in ("cart", "search"):
        solver = OCT(multivariate=True, warm_start=warm_start)
        tree = OptimalTreeClassifier(max_depth=1, solver=solver, constraints=[fair]).fit(X, y)
        assert (tree.cost_, tree.status_) == (0.0, "optimal")


def test_a_tree_in_the_user_s_units_is_saved_and_read_and_answers_alike():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"income": rng.integers(10, 90, 14) * 1000.0, "age": rng.integers(18, 70, 14)})
    y = np.where(frame["income"] / 1000 + frame["age"] > 85, "yes", "no")
    tree = OptimalTreeClassifier(max_depth=1, solver=OCT(multivariate=True)).fit(frame, y)
    assert (tree.cost_, tree.predict(frame).tolist()) == (0.0, y.tolist())
    assert tree.tree_.is_linear
    first = str(tree).splitlines()[0]
    assert "income" in first
    assert "age" in first
    back = loads(dumps(tree.tree_))
    assert back.predict(Table.of(frame)).tolist() == tree.tree_.predict(Table.of(frame)).tolist()
    assert tree.solution_.scope == " whose oblique splits keep a margin of 0.001"
    assert tree.feature_importances_.tolist() == [0.5, 0.5]
    assert tree.decision_path(frame).shape == (14, 3)


def test_categories_and_missing_values_are_asked_about_one_at_a_time():
    frame = pd.DataFrame(
        {
            "kind": ["a", "a", "a", "b", "b", "b", "c", "c"],
            "gap": [1.0, None, 2.0, 3.0, None, 1.0, 2.0, 3.0],
            "u": [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0],
            "v": [1.0, 3.0, 0.0, 2.0, 2.0, 0.0, 3.0, 1.0],
        }
    )
    y = [0, 1, 0, 0, 1, 1, 1, 0]
    tree = OptimalTreeClassifier(max_depth=2, solver=OCT(multivariate=True), time_limit=20).fit(frame, y)
    assert tree.cost_ <= OptimalTreeClassifier(max_depth=2).fit(frame, y).cost_
    assert [frame.columns[j] for j in oblique_columns(encode(Table.of(frame), y)).sources] == ["u", "v"]
    assert all(j in (2, 3) for node in range(tree.tree_.n_nodes) for j, _ in tree.tree_.sum_at(node))


def test_one_column_of_numbers_is_plain_oct():
    found = OCT(multivariate=True).solve(problem_of([[0.0], [1.0], [2.0]], [0, 1, 0], 2), Budget())
    assert found.cost == 0
    assert not found.model.is_linear


def test_a_start_satisfies_every_row():
    X, y = points_of(7, 20)
    problem = problem_of(X, y, 2)
    model = ObliqueOctModel(
        Mip(), problem, mip_costs(problem), Shape(2), oblique_columns=oblique_columns(problem.data), margin=0.001
    )
    start = find_warm_start(problem, Budget(), "search", None).nodes
    model.set_start(embedded(start, model.shape))
    program = model.mip.program()
    assert program.violation(program.start) < 1e-9
    assert program.objective(program.start) == Search().solve(problem, Budget()).cost


def test_families_beyond_those_of_oct():
    X, y = points_of(7, 20)
    problem = problem_of(X, y, 2)
    model = ObliqueOctModel(
        Mip(), problem, mip_costs(problem), Shape(2), oblique_columns=oblique_columns(problem.data), margin=0.001
    )
    families = model.mip.program().families
    n_points = problem.data.n_points
    assert {name: families[name] for name in ("coefficients", "threshold_high", "threshold_low")} == dict.fromkeys(
        ("coefficients", "threshold_high", "threshold_low"), 3
    )
    assert sum(rows for name, rows in families.items() if name.startswith("oblique_")) == 2 * 3 * n_points


def test_the_widest_gap():
    apart = widest(np.array([[0.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 1.0]]))
    assert apart == pytest.approx([1.0, 0.0])
    mixed = widest(np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert mixed.tolist() == [0.0, 0.0]


def test_factors_keep_the_digits_that_they_need():
    X = [[0.0, -0.1], [1000.0, 346.9], [0.0, 0.1], [1000.0, 347.1]]
    yes = np.array([True, True, False, False])
    made = oblique_columns(encode(Table.of(X), [0, 0, 1, 1])).separating_split(yes, ~yes)
    assert made.ranks.tolist() == [0, 0, 1, 1]
    assert dict(made.factors)[0] in (-0.347, 0.347)
    assert abs(dict(made.factors)[1]) == 1


@pytest.mark.parametrize(("low", "high"), [(1.0, np.nextafter(1.0, 2.0)), (-1e-300, 1e-300), (-7.3, -7.1)])
def test_a_cut_lies_between(low, high):
    assert low <= between(low, high) < high


def test_sums_of_far_away_values_are_left_out():
    # Seconds since 1970 would lose the digits that tell them apart.
    data = encode(Table.of([[1.7e18, 0.0, 1.0], [1.7e18 + 512, 1.0, 3.0]]), [0, 1])
    assert oblique_columns(data).sources == (1, 2)


def test_fewer_thresholds_are_refused():
    tree = OptimalTreeClassifier(solver=OCT(multivariate=True), thresholds="quantiles(2)", max_depth=1)
    with pytest.raises(
        Unsupported, match=r"combines values linearly, so it takes thresholds='all' only, not 'quantiles\(2\)'"
    ):
        tree.fit(np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("margin", [0.0, 1e-5, 2.0, float("nan")])
def test_margins(margin):
    with pytest.raises(InputError, match=r"margin must lie in 0\.0001\.\.1, as back ends round; got"):
        OCT(multivariate=True, margin=margin)


@pytest.mark.skipif("cp-sat" not in installed(), reason="CP-SAT is not installed")
def test_cp_sat_takes_integers_only():
    with pytest.raises(Unsupported, match=r"backend='cp-sat' cannot take this MIP"):
        OCT(multivariate=True, backend="cp-sat", warm_start=None).solve(problem_of(*points_of(0, 8), 1), Budget())


def test_a_line_is_asked_about_as_such():
    tree = OptimalTreeClassifier(max_depth=1, solver=OCT(multivariate=True)).fit(
        [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    )
    assert tree.tree_.test[0] == Test.LINEAR
    assert str(tree).splitlines()[0] == "x0 + x1 <= 1.5"
