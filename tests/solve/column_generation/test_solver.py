"""Column generation over decision paths: toys with known relaxations, restricted problems solved by four methods."""

from math import inf

import numpy as np
import pytest

from exactree import CartSampling, ColumnGeneration, FalseNegatives
from exactree.encode import Splits, encode
from exactree.errors import Infeasible
from exactree.mip import MipOptions
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Search, Status
from exactree.solve.column_generation import integer_master, solver
from exactree.solve.column_generation.branching import child_restrictions, isolate_tree
from exactree.solve.column_generation.loop import GenerationLoop
from exactree.solve.column_generation.master import Duals, Master
from exactree.solve.column_generation.paths import path_table
from exactree.solve.column_generation.pricing import ExactPricing, Restriction, all_paths, lagrangian_bound
from exactree.solve.column_generation.published_pricing import MilpPricing, RandomPricing, reduced_costs
from exactree.solve.column_generation.splits import splits_of
from exactree.solve.run_state import RunState
from exactree.table import Table

GRID = [[i, j] for i in range(3) for j in range(3)]
TOYS = {  # rows, labels; right answers of the relaxation without (3), with it, and of the best tree; all at depth two
    "exclusive-or": ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], 4, 4, 4),
    "checkerboard": (GRID, [(i + j) % 2 for i, j in GRID], 8, 6, 6),
    "cross": (GRID, [int(1 in cell) for cell in GRID], 10, 7, 7),
    "binoct": ([[i] for i in range(9)], list("+++--+-++"), 10, 8, 8),
    "gap": ([[0, 2], [2, 1], [2, 2], [1, 0], [2, 0]], [1, 1, 0, 1, 0], 6, 4.5, 4),
}
ENDS = ("auto", "ilp", "branch-and-price", "recursion")


def over_its_questions(found):
    """What is proved over the questions that were searched: the status and the bound."""
    if found.sample_bound is None:
        return found.status, found.bound
    assert found.bound < found.cost  # else nothing that was left out could be better
    return (Status.OPTIMAL if found.status is Status.OPTIMAL_OVER_SAMPLE else found.status), found.sample_bound


def problem_of(X, y, limits, **options):
    data = encode(Table.of(np.array(X, dtype=float)), y, **options)
    return Problem(data, accuracy(data), limits)


def toy(name):
    X, y, *_ = TOYS[name]
    return problem_of(X, y, Limits(2))


def table_for(problem, splits=None):
    depth = problem.limits.max_depth
    splits = splits or splits_of(problem, depth, "all", RunState(problem, Budget(), None))
    return path_table(problem, depth, splits.nodes)


def full_master(table, *, prefix=False, rows=True):
    master = Master(table, prefix=prefix)
    master.add(all_paths(table, RunState(table.problem, Budget(), None)))
    if rows:
        master.add_rows(np.arange(table.n_signatures))
    return master


def random_problem(seed, *, classes=None, limits=None):
    """A tiny table, and a few random questions for each branch."""
    rng = np.random.default_rng(seed)
    depth = 2 + seed % 3
    X = rng.integers(0, 5, (int(rng.integers(8, 40)), 3)).astype(float)
    y = rng.integers(0, classes or 2 + seed % 3, len(X))
    problem = problem_of(X, y, limits or Limits(depth))
    data = problem.data
    questions = np.array([(f, r) for f, column in enumerate(data.columns) for r in range(column.n_ranks - 1)])
    most = (6, 4, 3)[depth - 2]
    nodes = [rng.choice(questions, int(rng.integers(1, most + 1)), replace=False) for _ in range(2**depth - 1)]
    return problem, Splits(depth, tuple(nodes))


def by_hand(problem, splits):
    """The least cost of a tree of the questions at hand: try them all, as slowly and plainly as can be."""
    data = problem.data

    def best(node, points):
        if node >= len(splits.nodes):
            return problem.objective.leaf_costs(data.class_weight(points)).min()
        sides = (data.columns[f].ranks[points] <= r for f, r in splits.nodes[node].tolist())
        return min(best(2 * node + 1, points[yes]) + best(2 * node + 2, points[~yes]) for yes in sides)

    return best(0, np.arange(data.n_points))


@pytest.mark.parametrize("finish", ENDS)
@pytest.mark.each("name", TOYS)
def test_toys(name, finish):
    found = ColumnGeneration(sampling="all", finish=finish).solve(toy(name), Budget())
    wrong = len(TOYS[name][1]) - TOYS[name][-1]
    assert (found.status, found.cost, found.scope) == (Status.OPTIMAL, wrong, "")


@pytest.mark.each("name", TOYS)
def test_relaxations_of_toys(name):
    table, (_, y, without, with_rows, best) = table_for(toy(name)), TOYS[name]
    for rows, right in ((False, without), (True, with_rows)):
        value = table.fixed + full_master(table, rows=rows).solve(MipOptions()).objective
        assert len(y) - value == pytest.approx(right)
    by_prefix = table.fixed + full_master(table, prefix=True, rows=False).solve(MipOptions()).objective
    assert len(y) - by_prefix == pytest.approx(best)


@pytest.mark.each("name", TOYS)
def test_lazy_rows_reach_the_same_relaxation(name):
    options = {"sampling": "all", "finish": "none", "smoothing": 0.0}
    lazy, whole = (ColumnGeneration(**options, rows=rows).solve(toy(name), Budget()) for rows in ("lazy", "all"))
    assert lazy.counters.get("relaxation") == pytest.approx(whole.counters.get("relaxation"))


def test_link_duals_of_a_choice_sum_to_zero():
    for seed in range(10):
        problem, splits = random_problem(seed)
        table = table_for(problem, splits)
        master = full_master(table)
        solution = master.solve(MipOptions())
        above = table.branches_above(np.arange(table.shape.n_leaves, dtype=np.int32))
        raw = np.zeros(table.n_choices)
        for leaf, branches in enumerate(above):
            for level, branch in enumerate(branches.tolist()):
                first = master.first_link[leaf, level]
                n_choices = table.begin[branch + 1] - table.begin[branch]
                raw[table.begin[branch] : table.begin[branch + 1]] += solution.duals[first : first + n_choices]
        assert raw == pytest.approx(0.0, abs=1e-7)
        assert master.duals(solution).link.sum(axis=0) == pytest.approx(0.0, abs=1e-12)


def test_the_lagrangian_bound_holds_for_any_prices():
    rng = np.random.default_rng(0)
    for seed in range(20):
        problem, splits = random_problem(seed)
        table = table_for(problem, splits)
        master = full_master(table)
        solution = master.solve(MipOptions())
        duals, pricing = master.duals(solution), ExactPricing(table, RunState(problem, Budget(), None))
        unknown = np.full(table.shape.n_leaves, inf)
        least = pricing.price(duals, Restriction.unrestricted(table), unknown).least
        assert lagrangian_bound(table, duals, least) == pytest.approx(solution.objective)
        for _ in range(3):
            leaf = duals.leaf + rng.normal(0, 1, len(duals.leaf))
            other = Duals(leaf, duals.link * rng.random(), duals.row * rng.random(len(duals.row)), duals.side)
            least = pricing.price(other, Restriction.unrestricted(table), unknown).least
            assert lagrangian_bound(table, other, least) <= solution.objective + 1e-6


def test_the_bound_of_every_iteration_holds():
    for seed in range(10):
        problem, splits = random_problem(seed)
        options = {"sampling": splits, "finish": "none", "warm_start": None}
        found = ColumnGeneration(**options).solve(problem, Budget())
        best = by_hand(problem, splits)
        assert [moment.iteration for moment in found.trace] == list(range(1, len(found.trace) + 1))
        assert all(moment.bound <= best + 1e-6 <= moment.best + 2e-6 for moment in found.trace)
        assert found.bound <= best


@pytest.mark.each("seed", range(102))
def test_all_methods_reach_the_restricted_optimum(seed):
    problem, splits = random_problem(seed)
    best = by_hand(problem, splits)
    for finish in ENDS:
        found = ColumnGeneration(sampling=splits, finish=finish, warm_start=None).solve(problem, Budget())
        assert (*over_its_questions(found), found.cost) == (Status.OPTIMAL, best, best)
        assert (found.scope, found.sample) in (("", " with questions sampled for each branch"), ("", ""))


@pytest.mark.each("seed", [137, 197, 268, 383])
def test_few_trees_are_tried_before_any_program(seed, monkeypatch):
    """Of these the relaxation leaves a gap, so that there is something left to do after it."""
    problem, splits = random_problem(seed)
    best = by_hand(problem, splits)

    def solved(finish):
        found = ColumnGeneration(sampling=splits, finish=finish, warm_start=None).solve(problem, Budget())
        assert (*over_its_questions(found), found.cost) == (Status.OPTIMAL, best, best)
        return [name in found.counters for name in ("visits", "relaxation_solved", "program_columns")]

    assert (solved("auto"), solved("ilp")) == ([True, False, False], [False, True, True])
    monkeypatch.setattr(solver, "FEW", 1.0)
    assert solved("auto") == [False, True, True]


def test_where_the_mip_proves_nothing_it_is_branched(monkeypatch):
    monkeypatch.setattr(integer_master, "MOST_ENUMERATED", 1)
    found = []
    for seed in range(20):
        problem, splits = random_problem(seed, limits=Limits(2 + seed % 3, max_leaf_nodes=3))
        options = {"sampling": splits, "warm_start": None}
        found.append(ColumnGeneration(**options).solve(problem, Budget()))
        branched = ColumnGeneration(**options, finish="branch-and-price").solve(problem, Budget())
        assert (*over_its_questions(found[-1]), found[-1].cost) == (Status.OPTIMAL, branched.cost, branched.cost)
    assert any("fields" in solution.counters for solution in found)


@pytest.mark.each("finish", ENDS)
@pytest.mark.parametrize("unit", [1e-12, 1e-7, 1e7])
def test_proofs_do_not_depend_on_the_unit_of_weights(unit, finish):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y, weights = rng.random((60, 3)), rng.integers(0, 2, 60), rng.random(60)
        solver = ColumnGeneration(sampling=CartSampling(trees=50), finish=finish)
        costs = []
        for scale in (1.0, unit):
            found = solver.solve(problem_of(X, y, Limits(2), sample_weight=weights * scale), Budget())
            assert over_its_questions(found)[0] is Status.OPTIMAL
            costs.append(found.cost / scale)
        assert costs[1] == pytest.approx(costs[0], rel=1e-6)


@pytest.mark.parametrize("finish", ["auto", "none", "branch-and-price"])
def test_large_whole_weights_are_proved_to_the_last_unit(finish):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, (2000, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] + 20 * rng.normal(size=2000) > 20).astype(int)
    problem = problem_of(X, y, Limits(2), sample_weight=rng.integers(1, 10**5, 2000))
    found = ColumnGeneration(sampling=CartSampling(trees=50), finish=finish).solve(problem, Budget())
    assert over_its_questions(found) == (Status.OPTIMAL, found.cost)
    assert found.cost > 1e7


def test_branching_excludes_trees_that_break_a_constraint():
    """A tree that violates a limit by little, with a share of the artificial column, is integral but infeasible."""
    X = np.repeat([[0.0], [1.0]], 500, axis=0)
    y = np.concatenate([np.arange(500) < 100, np.arange(500) < 400]).astype(int)
    data = encode(Table.of(X), y)
    limits = [limit for k in (0, 1) for limit in FalseNegatives(99, positive=k).limits(data)]
    problem = Problem(data, accuracy(data), Limits(1), tuple(limits))
    with pytest.raises(Infeasible, match="No tree"):
        ColumnGeneration(sampling="all", finish="branch-and-price", warm_start=None).solve(problem, Budget())


@pytest.mark.parametrize("constrained", [False, True])
def test_excluding_trees_finds_every_tree_once(constrained):
    data = encode(Table.of([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0], [1.0, 0.0]]), [0, 1, 0, 1])
    limits = tuple(FalseNegatives(0).limits(data)) if constrained else ()
    table = table_for(Problem(data, accuracy(data), Limits(1), limits))
    master = Master(table)
    run = GenerationLoop(table, master, ExactPricing(table, state := RunState(table.problem, Budget(), None)), state)
    rng, seen = np.random.default_rng(0), []

    def part(restriction):
        rho, labels = rng.random(table.n_choices), rng.random((2, 2))
        for half in (parts := isolate_tree(run, rho, labels, restriction)):
            part(half)
        if not parts:
            seen.append((*np.flatnonzero(restriction.open), *np.flatnonzero(restriction.labels)))

    part(Restriction.unrestricted(table))
    assert len(seen) == len(set(seen)) == table.n_choices * (4 if constrained else 1) > 2
    assert state.model is not None


@pytest.mark.each("seed", [2, 8, 10, 11])
def test_where_leaves_are_limited_the_mip_is_solved(seed):
    problem, splits = random_problem(seed, limits=Limits(2 + seed % 3, max_leaf_nodes=3))
    options = {"sampling": splits, "warm_start": None}
    found = ColumnGeneration(**options).solve(problem, Budget())
    branched = ColumnGeneration(**options, finish="branch-and-price").solve(problem, Budget())
    assert "program_columns" in found.counters
    assert (found.status, found.cost) == (branched.status, branched.cost)


def test_relaxations_by_prefix_are_whole():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        depth = 2 + seed % 10 // 9  # one in ten of depth three
        X = rng.integers(0, 4 - depth // 3, (int(rng.integers(5, 12)), 2)).astype(float)
        table = table_for(problem_of(X, rng.integers(0, 2, len(X)), Limits(depth)))
        value = table.fixed + full_master(table, prefix=True, rows=False).solve(MipOptions()).objective
        assert value == pytest.approx(Search().solve(table.problem, Budget()).cost)


def random_duals(table, rng):
    """Prices of any kind that rows (2), (3) and (4) may have."""
    link = rng.normal(0, 1, (table.shape.n_leaves, table.n_choices))
    leaf, row = rng.normal(0, 1, table.shape.n_leaves), -rng.random(table.n_signatures) * rng.integers(0, 2)
    return Duals(leaf, link, row, -rng.random(len(table.at_most)))


LIMITS = (Limits(2), Limits(2, min_samples_leaf=4), Limits(2, ccp_alpha=0.05), Limits(2, max_leaf_nodes=3))


@pytest.mark.parametrize("limits", LIMITS, ids=["free", "sizes", "prices", "leaves"])
def test_search_and_mips_price_alike(limits):
    for seed in range(0, 9, 3):
        problem, splits = random_problem(seed, limits=limits)
        table, rng = table_for(problem, splits), np.random.default_rng(seed)
        duals, state = random_duals(table, rng), RunState(problem, Budget(), None)
        restriction = Restriction.unrestricted(table)
        restriction.open[rng.random(table.n_choices) < 0.2] = False
        restriction.open[table.begin[:-1]] = True
        unknown = np.full(table.shape.n_leaves, inf)
        exact = ExactPricing(table, state, most=10**6, below=inf).price(duals, restriction, unknown)
        assert exact.complete
        assert restriction.allows(exact.paths).all()
        quick = ExactPricing(table, state, most=1).price(
            duals, restriction, unknown
        )  # passes over what cannot be cheapest
        assert quick.least == pytest.approx(exact.least)
        reduced = reduced_costs(table, duals, exact.paths)
        for leaf in range(table.shape.n_leaves):
            assert reduced[exact.paths.leaf == leaf].min() == pytest.approx(exact.least[leaf])
        assert MilpPricing(table, state).price(duals, restriction, unknown).least == pytest.approx(
            exact.least, abs=1e-5
        )
        drawn = RandomPricing(table, rng).price(duals, restriction, unknown).paths
        assert drawn.n > 0
        assert (reduced_costs(table, duals, drawn) >= exact.least[drawn.leaf] - 1e-9).all()


def test_a_short_list_has_the_cheapest():
    problem, splits = random_problem(4)
    table = table_for(problem, splits)
    duals, state = random_duals(table, np.random.default_rng(0)), RunState(problem, Budget(), None)
    unknown = np.full(table.shape.n_leaves, inf)
    every = ExactPricing(table, state, most=10**6, below=inf).price(duals, Restriction.unrestricted(table), unknown)
    few = ExactPricing(table, state, most=2, below=inf).price(duals, Restriction.unrestricted(table), unknown)
    assert every.complete
    assert not few.complete
    for leaf in range(table.shape.n_leaves):
        costs = np.sort(reduced_costs(table, duals, every.paths.take(every.paths.leaf == leaf)))
        kept = reduced_costs(table, duals, few.paths.take(few.paths.leaf == leaf))
        assert kept == pytest.approx(costs[:2])


@pytest.mark.parametrize("pricing", ["milp", "heuristic"])
def test_published_pricing(pricing):
    for seed in (0, 3):
        problem, splits = random_problem(seed)
        options = {"sampling": splits, "pricing": pricing, "warm_start": None}
        found = ColumnGeneration(**options, finish="ilp").solve(problem, Budget())
        again = ColumnGeneration(**options, finish="ilp").solve(problem, Budget())
        assert found.model.same_as(again.model)
        best = by_hand(problem, splits)
        assert found.bound <= best <= found.cost
        if pricing == "milp":
            assert (*over_its_questions(found), found.cost) == (Status.OPTIMAL, best, best)
        else:
            assert over_its_questions(found)[0] in (Status.ENDED, Status.OPTIMAL)


def test_prefixes_and_all_rows_find_the_same_tree_cost():
    for seed in range(0, 12, 2):
        problem, splits = random_problem(seed)
        best = by_hand(problem, splits)
        for options in ({"consistency": "prefix"}, {"rows": "all"}, {"smoothing": 0.0}, {"smoothing": 0.9}):
            found = ColumnGeneration(sampling=splits, warm_start=None, **options).solve(problem, Budget())
            assert (*over_its_questions(found), found.cost) == (Status.OPTIMAL, best, best)


def test_rows_that_no_question_separates_are_merged():
    rng = np.random.default_rng(0)
    X = rng.random((5000, 3))
    problem = problem_of(X, X[:, 0] > 0.5, Limits(2))
    splits = Splits(2, tuple(np.array([[0, 2500], [1, 100 + node]]) for node in range(3)))
    found = ColumnGeneration(sampling=splits).solve(problem, Budget())
    assert found.counters["signatures"] <= 2 * 4
    assert found.status is Status.OPTIMAL


def test_columns_are_dropped_and_come_back():
    problem, splits = random_problem(5)
    table = table_for(problem, splits)
    master = full_master(table)
    before, n_paths = master.solve(MipOptions()), master.paths.n
    master.remove_unused(before)
    after = master.solve(MipOptions())
    assert master.paths.n < n_paths
    assert after.objective == pytest.approx(before.objective)
    gone = n_paths - master.paths.n
    assert master.add(all_paths(table, RunState(problem, Budget(), None))) == gone


def test_parting_leaves_no_tree_out():
    problem, splits = random_problem(4)
    table = table_for(problem, splits)
    rng, restriction = np.random.default_rng(0), Restriction.unrestricted(table)
    rho = rng.random(table.n_choices)
    labels = np.zeros((table.shape.n_leaves, table.cost.shape[1]))
    one, other = child_restrictions(table, rho, labels, restriction)
    assert (one.open | other.open).all()
    closed = np.flatnonzero(one.open != other.open)
    assert set(closed.tolist()) == set(range(table.begin[1]))  # all choices of the root, and of no other branch
    assert child_restrictions(table, np.zeros(table.n_choices), labels, restriction) == []
    labels[1, :2] = 0.5
    one, other = child_restrictions(table, np.zeros(table.n_choices), labels, restriction)
    assert (one.labels | other.labels).all()
    assert not (one.labels & other.labels)[1].any()
