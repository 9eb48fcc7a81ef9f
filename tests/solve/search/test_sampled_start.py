"""The first tree of a large table, from samples of its rows; here tables are large from 50 points on."""

from functools import partial

import numpy as np
import pytest

from exactree.encode import encode, subset_of
from exactree.encode.thresholds import All
from exactree.problem import Limits, Objective, Problem, accuracy, balanced_accuracy
from exactree.solve import Budget, Search, Status, solve
from exactree.solve.gains import gains_of
from exactree.solve.search import trees
from exactree.solve.search.kernel_run import run_kernel
from exactree.solve.search.sampled_start import SampledStart, SampleSizes
from exactree.solve.trees.ranked_tree import nodes_of, reached, relabelled, to_graph
from exactree.table import Table

SMALL = SampleSizes(large=50, first=60, below=30)


def random_problem(seed, n_rows=200):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n_rows, 4)), 1 + seed % 3)
    if seed % 4 == 1:
        X[rng.random(X.shape) < 0.1] = np.nan
    y = (X[:, 0] * X[:, 1] > 0).astype(int) ^ (rng.random(n_rows) < 0.2)
    weights = rng.integers(1, 4, n_rows) / 2 if seed % 3 == 0 else None
    data = encode(Table.of(X), y, sample_weight=weights)
    objective = balanced_accuracy(data) if seed % 5 == 0 else accuracy(data)
    limits = [
        Limits(2),
        Limits(3, min_samples_leaf=7),
        Limits(5),
        Limits(4, max_leaf_nodes=5),
        Limits(4, ccp_alpha=0.02),
        Limits(6, min_weight_fraction_leaf=0.05),
    ]
    return Problem(data, objective, limits[seed % len(limits)])


def start_of(problem, **options):
    return SampledStart(problem, Budget(**options), seed=3, sizes=SMALL)


@pytest.mark.each("seed", range(60))
def test_the_tree_asks_what_can_be_asked_within_the_depth(seed):
    problem = random_problem(seed)
    nodes = nodes_of(start_of(problem).grow())
    assert len(nodes) > 1
    depth = [0] * len(nodes)
    for at, node in enumerate(nodes):
        if node.column < 0:
            continue
        assert at < node.yes < len(nodes)
        assert at < node.no < len(nodes)
        assert 0 <= node.rank < problem.data.columns[node.column].n_ranks - 1
        depth[node.yes] = depth[node.no] = depth[at] + 1
    assert max(depth) <= problem.limits.max_depth
    points = reached(problem.data, nodes)
    leaves = np.concatenate([at for node, at in zip(nodes, points, strict=True) if node.column < 0])
    assert sorted(leaves.tolist()) == list(range(problem.data.n_points))


@pytest.mark.each("seed", range(30))
def test_the_optimum_is_the_same_with_and_without_a_sample(seed, monkeypatch):
    problem = random_problem(seed, n_rows=90)
    problem = Problem(problem.data, problem.objective, Limits(2, ccp_alpha=problem.limits.ccp_alpha))
    without = Search().solve(problem, Budget())
    monkeypatch.setattr(trees, "SampledStart", partial(SampledStart, sizes=SMALL))
    found = Search().solve(problem, Budget())
    assert found.status is Status.OPTIMAL
    assert found.cost == pytest.approx(without.cost)


@pytest.mark.each("seed", range(12))
def test_a_sample_of_all_points_gives_the_best_tree(seed):
    problem = random_problem(seed, n_rows=80)
    data = problem.data
    if seed % 2:  # cuts are then written as thresholds, not as the values on both their sides
        data = subset_of(data, np.arange(data.n_points), All())
    problem = Problem(data, problem.objective, Limits(2, ccp_alpha=problem.limits.ccp_alpha))
    start = SampledStart(problem, Budget(), sizes=SampleSizes(large=10, first=80))
    model = to_graph(problem, relabelled(problem, nodes_of(start.grow())))
    assert problem.cost(model) == pytest.approx(Search().solve(problem, Budget()).cost)


def test_limits_shrink_with_the_sample():
    problem = random_problem(3)
    limits = Limits(5, min_samples_leaf=20, min_weight_fraction_leaf=0.1, ccp_alpha=0.02)
    problem = Problem(problem.data, problem.objective, limits)
    sample = subset_of(problem.data, np.arange(0, problem.data.n_points, 4), All())
    shrunk = start_of(problem)._limits(sample, 3, 0.25)
    assert (shrunk.max_depth, shrunk.min_samples_leaf) == (3, 5)
    sampled = Problem(sample, problem.objective, shrunk)
    assert sampled.leaf_price == pytest.approx(0.25 * problem.leaf_price)
    assert sampled.min_leaf_weight == pytest.approx(0.25 * problem.min_leaf_weight)
    assert start_of(problem)._limits(sample, 3, 2.0) is None  # no two leaves are so heavy


def test_a_seed_gives_one_tree():
    problem = random_problem(2, n_rows=500)
    one, again = start_of(problem).grow(), start_of(problem).grow()
    np.testing.assert_array_equal(one, again)
    others = [SampledStart(problem, Budget(), seed=seed, sizes=SMALL).grow().tolist() for seed in range(4)]
    assert any(other != one.tolist() for other in others)


def test_only_large_tables_with_time_are_sampled():
    problem = random_problem(2)
    assert start_of(problem).is_worthwhile
    assert start_of(problem, seconds=1.0).is_worthwhile
    assert not start_of(problem, seconds=0.0).is_worthwhile
    assert not SampledStart(problem, Budget()).is_worthwhile
    assert not start_of(Problem(problem.data, problem.objective, Limits(1))).is_worthwhile


def test_one_sample_comes_below_each_leaf_of_the_first():
    problem = random_problem(2, n_rows=2000)
    start = start_of(problem)
    nodes = nodes_of(start.grow())
    assert 2 < start._drawn <= 1 + 2**3
    shallow = Problem(problem.data, problem.objective, Limits(3))
    assert len(nodes) > len(start_of(shallow).grow())
    below = run_kernel(problem, gains_of(problem), Budget(seconds=0.0), start.grow(), None)
    assert below.cost <= run_kernel(problem, gains_of(problem), Budget(seconds=0.0), None, None).cost


def test_the_first_tree_starts_the_search(monkeypatch):
    problem = random_problem(2, n_rows=1000)
    monkeypatch.setattr(trees, "SampledStart", partial(SampledStart, sizes=SMALL))
    given = []

    def run(*args, **options):
        given.append(args[3])
        return run_kernel(*args, **options)

    monkeypatch.setattr(trees, "run_kernel", run)
    model = Search().solve(problem, Budget(seconds=5.0)).model
    Search().solve(problem, Budget(seconds=0.0), start=model)
    assert given[0] is not None
    assert len(given[0]) > 1
    assert len(given[1]) == model.n_nodes  # the caller's tree needs no sample


class Stopwatch:
    """A callback that asks to stop at the first report of a stage."""

    def __init__(self, stage):
        self.stage, self.stages = stage, []

    def __call__(self, progress):
        self.stages.append((progress.stage, progress.cost))
        return progress.stage == self.stage


def test_a_callback_stops_the_sample(monkeypatch):
    rng = np.random.default_rng(0)
    data = encode(Table.of(rng.normal(size=(3000, 10))), rng.integers(0, 2, 3000))
    problem = Problem(data, accuracy(data), Limits(4))
    sizes = SampleSizes(large=50, first=2900, below=30)
    monkeypatch.setattr(trees, "SampledStart", partial(SampledStart, sizes=sizes))
    follow = Stopwatch("sample")
    found = solve(problem, budget=Budget(seconds=600.0), callback=follow)
    assert found.status is Status.INTERRUPTED
    assert follow.stages[-1] == ("sample", float("inf"))
    assert found.model.n_leaves > 1
    assert found.bound <= found.cost


def test_costs_of_any_kind_are_sampled():
    problem = random_problem(2)
    costs = Objective("costs", np.array([[0.0, 5.0], [1.0, 0.0]]))
    assert len(start_of(Problem(problem.data, costs, Limits(3))).grow()) > 1
