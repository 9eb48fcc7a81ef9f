"""The search for diagrams against trying everything, and how it ends."""

import signal

import numpy as np
import pytest

from exactree import DiagramSearch, OptimalDiagramClassifier
from exactree.encode import encode
from exactree.errors import InputError
from exactree.problem import DiagramLimits, DiagramProblem, Limits, Problem, accuracy
from exactree.solve import Budget, Search, Status
from exactree.solve.diagram_heuristic.construction import Construction
from exactree.solve.registry import diagram_solver_for, solve_diagram
from exactree.solve.trees.ranked_tree import RankedNode
from exactree.table import Table
from exactree.testing.diagram_problems import (
    company_problem,
    light_sides_problem,
    mixed_diagram_problem,
    weighed_diagram_problem,
)

BITS = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
PARITY = [sum(row) % 2 for row in BITS]


@pytest.mark.each("part", range(11))
def test_equals_trying_everything(part):
    for seed in range(part, 440, 11):
        problem = mixed_diagram_problem(seed)
        best = solve_diagram(problem, "exhaustive")
        solver = DiagramSearch(beam=seed % 2 * 4, reach=seed % 3, starts=0)  # built diagrams are often the best
        found = solver.solve(problem, Budget())
        assert found.status is Status.OPTIMAL
        assert found.cost == pytest.approx(best.cost, abs=1e-9), (seed, problem.limits)


@pytest.mark.each("gaps", [[np.nan, 0.0], ["red", None], [True, None]])
@pytest.mark.parametrize("tree", [False, True])
def test_rows_that_lack_values_pass_a_node_together(gaps, tree):
    X = np.array([[gaps[at]] for at in (1, 1, 0, 0, 0, 1)], dtype=object)
    model = OptimalDiagramClassifier((1, 1, 2, 2), ccp_alpha=0, tree=tree).fit(X, [1, 0, 1, 1, 0, 0])
    assert (model.status_, model.cost_) == ("optimal", 2.0)


@pytest.mark.parametrize("part", range(4))
def test_equals_trying_everything_where_sides_that_end_are_weighed(part):
    for seed in range(part, 240, 4):
        for problem in (weighed_diagram_problem(seed), light_sides_problem(seed) if seed % 3 == 0 else None):
            if problem is None or not problem.data.columns:
                continue
            best = solve_diagram(problem, "exhaustive")
            found = DiagramSearch(beam=seed % 2 * 4, reach=seed % 3, starts=0).solve(problem, Budget())
            assert found.status is Status.OPTIMAL
            assert found.cost == pytest.approx(best.cost, abs=1e-9), (seed, problem.limits)


@pytest.mark.each("seed", [45, 70])
def test_rows_that_could_end_are_company_for_others(seed):
    """Here the best diagram sends rows on that are all of one class, or another node would have too few."""
    problem = company_problem(seed)
    found = DiagramSearch(beam=0, starts=0).solve(problem, Budget())
    assert found.cost == solve_diagram(problem, "exhaustive").cost == 0


@pytest.mark.parametrize(
    ("widths", "tree", "errors", "nodes", "objective"),
    [
        ((1, 2, 2), False, 0, 4, 0.1),
        ((1, 2, 2), True, 2, 3, 0.325),
        ((1, 2, 4), False, 0, 4, 0.4 / 6),
        ((1, 2, 4), True, 0, 6, 0.1),
    ],
)
def test_parity_of_three_bits(widths, tree, errors, nodes, objective):
    found = OptimalDiagramClassifier(widths, tree=tree, solver=DiagramSearch(beam=0, starts=0)).fit(BITS, PARITY)
    assert found.status_ == "optimal"
    assert found.objective_ == pytest.approx(objective)
    assert found.n_nodes_ - 1 == nodes
    assert np.count_nonzero(found.predict(BITS) != PARITY) == errors


def coins(n_rows, n_columns, widths, seed=0, n_values=6, **limits):
    """Tossed coins."""
    rng = np.random.default_rng(seed)
    data = encode(Table.of(rng.integers(0, n_values, (n_rows, n_columns)).astype(float)), rng.integers(0, 2, n_rows))
    return DiagramProblem(data, accuracy(data), DiagramLimits(widths, **limits))


@pytest.mark.each("seed", range(4))
def test_a_tree_in_layers_wide_enough_is_the_best_tree(seed):
    problem = coins(60, 4, (1, 2, 4), seed, ccp_alpha=0.0, tree=True)
    trees = Problem(problem.data, problem.objective, Limits(3))
    found = DiagramSearch().solve(problem, Budget())
    assert found.status is Status.OPTIMAL
    assert found.cost == Search().solve(trees, Budget()).cost
    # A diagram may share nodes in the layers of a tree, which it need not, and more layers need no more errors.
    assert DiagramSearch().solve(coins(60, 4, (1, 2, 4), seed, ccp_alpha=0.0), Budget()).cost == found.cost
    assert DiagramSearch().solve(coins(60, 4, (1, 2, 4, 1), seed, ccp_alpha=0.0), Budget()).cost <= found.cost


@pytest.mark.each("seed", range(4))
def test_two_nodes_in_a_chain_are_the_best_tree_of_three_leaves(seed):
    problem = coins(40, 3, (1, 1), seed, n_values=1000, ccp_alpha=0.0)
    trees = Problem(problem.data, problem.objective, Limits(2, max_leaf_nodes=3))
    found = DiagramSearch(beam=0, starts=0).solve(problem, Budget())
    assert found.status is Status.OPTIMAL
    assert found.cost == Search().solve(trees, Budget()).cost


def test_auto_takes_it_unless_there_are_sums():
    assert diagram_solver_for(coins(6, 2, (1, 2)), "auto").name == "search"
    assert diagram_solver_for(coins(6, 2, (1, 2), multivariate=True), "auto").name == "odd"


@pytest.fixture(scope="module")
def hard_and_best():
    """A problem that takes a second, and its best diagram."""
    problem = coins(70, 5, (1, 2, 3, 3), n_values=20, ccp_alpha=0.4)
    return problem, DiagramSearch().solve(problem, Budget())


@pytest.mark.parametrize("looks", [1, 2, 5, 20])
def test_the_bound_holds_whenever_the_search_ends(looks, hard_and_best):
    problem, best = hard_and_best
    assert best.status is Status.OPTIMAL
    seen = []

    def stop(progress):
        seen.append(progress)
        if len(seen) == looks:
            raise KeyboardInterrupt

    found = DiagramSearch(starts=1).solve(problem, Budget(), callback=stop)
    assert found.status in (Status.INTERRUPTED, Status.OPTIMAL)
    assert found.bound <= best.cost <= found.cost == problem.cost(found.model)
    assert all(progress.bound <= best.cost + 1e-9 <= progress.cost + 2e-9 for progress in seen)
    assert np.all(np.diff(found.history[:, 1]) <= 0)
    assert np.all(np.diff(found.history[:, 2]) >= 0)


def test_starved_of_time_it_returns_an_allowed_diagram():
    problem = coins(300, 8, (1, 2, 4, 4), n_values=50, max_nodes=5, min_samples_node=20, tree=True)
    found = DiagramSearch().solve(problem, Budget(seconds=0.0))
    assert found.status is Status.TIME_LIMIT
    assert 0 <= found.bound < found.cost
    assert problem.violations(found.model) == []


def test_skeletons_of_many_layers_end_in_time():
    """There are more allocations of nodes to 40 layers than memory could list."""
    found = DiagramSearch(starts=10).solve(coins(100, 3, (1, *[2] * 40), ccp_alpha=0.01), Budget(seconds=1.0))
    assert found.status is Status.TIME_LIMIT
    assert 0 < found.bound < found.cost


def test_starved_of_memory_it_returns_an_allowed_diagram():
    found = DiagramSearch().solve(coins(60, 4, (1, 2, 2)), Budget(memory=1000))
    assert found.status is Status.MEMORY_LIMIT
    assert found.bound < found.cost


def test_little_memory_costs_time_not_exactness():
    problem = coins(40, 4, (1, 2, 2, 2))
    roomy, tight = (DiagramSearch().solve(problem, Budget(memory=memory)) for memory in (10**8, 6 * 10**5))
    assert roomy.status is tight.status is Status.OPTIMAL
    assert roomy.cost == tight.cost
    assert tight.counters["cache_entries"] < roomy.counters["cache_entries"], "the limit must be one that is felt"


def test_every_run_is_the_same():
    problem = coins(50, 4, (1, 2, 2, 2))
    first, again = (DiagramSearch().solve(problem, Budget()) for _ in range(2))
    assert first.model.same_as(again.model)
    np.testing.assert_array_equal(first.history[:, 1:], again.history[:, 1:])
    assert {k: v for k, v in first.counters.items() if k != "start_seconds"} == {
        k: v for k, v in again.counters.items() if k != "start_seconds"
    }


def test_a_gap_is_enough():
    problem = coins(80, 6, (1, 2, 4, 4), n_values=20)
    found = DiagramSearch().solve(problem, Budget(gap=0.9))
    assert found.status is Status.GAP_REACHED
    assert found.gap <= 0.9


@pytest.mark.each("seed", range(3))
def test_a_tree_of_heavy_leaves_is_the_best_tree_of_such_leaves(seed):
    problem = coins(50, 3, (1, 2, 4), seed, ccp_alpha=0.0, tree=True, min_weight_fraction_leaf=0.15)
    trees = Problem(problem.data, problem.objective, Limits(3, min_weight_fraction_leaf=0.15))
    found = DiagramSearch(starts=0).solve(problem, Budget())
    assert found.status is Status.OPTIMAL
    assert found.cost == Search().solve(trees, Budget()).cost


def test_a_given_diagram_with_light_sides_is_dropped():
    free, held = (coins(50, 4, (1, 2, 2), min_weight_fraction_leaf=share) for share in (0.0, 0.2))
    light = DiagramSearch().solve(free, Budget()).model
    assert held.violations(light) != []
    found = DiagramSearch(starts=20).solve(held, Budget(seconds=0.5), start=light)
    assert held.violations(found.model) == []
    assert found.counters["start_nodes"] > 0, "the construction is not given up with it"


def test_it_starts_from_a_given_diagram():
    problem = coins(50, 4, (1, 2, 2))
    best = DiagramSearch().solve(problem, Budget())
    given = DiagramSearch(starts=0).solve(problem, Budget(seconds=0.0), start=best.model)
    assert given.cost == best.cost
    assert given.counters["start_cost"] == pytest.approx(best.cost)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timer")
def test_interrupt_keeps_the_best_diagram():
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)

    def arm(progress):
        if not signal.getitimer(signal.ITIMER_REAL)[0]:
            signal.setitimer(signal.ITIMER_REAL, 0.05)

    problem = coins(500, 8, (1, 2, 4, 8), n_values=100)
    try:
        found = DiagramSearch(starts=5).solve(problem, Budget(), callback=arm)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert found.status is Status.INTERRUPTED
    assert found.bound < found.cost


def test_interrupt_of_the_construction_ends_the_search_as_well(monkeypatch):
    built = Construction([RankedNode(-1, 0, -1, -1, 0)], 30.0, 1, 0.0, interrupted=True)
    monkeypatch.setattr("exactree.solve.search.diagrams.construct_diagrams", lambda *_, **__: built)
    found = DiagramSearch().solve(coins(60, 4, (1, 2, 2)), Budget())
    assert found.status is Status.INTERRUPTED
    assert found.model.n_nodes == 1


def test_integers_of_numpy_are_integers():
    solver = DiagramSearch(beam=np.int64(2), starts=np.int32(3))
    assert solver == DiagramSearch(beam=2, starts=3)
    assert OptimalDiagramClassifier((1, 2, 2), solver=solver).fit(BITS, PARITY).is_optimal_


@pytest.mark.parametrize("wrong", [{"beam": -1}, {"reach": 1.5}, {"effort": True}, {"starts": "many"}])
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(InputError, match=f"{next(iter(wrong))} must be an integer"):
        DiagramSearch(**wrong)
