"""Diagrams that are built: always allowed, never below the optimum, and often there."""

import signal
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits

from exactree import FalseNegatives, NotProvedWarning, OptimalDiagramClassifier
from exactree.encode import encode
from exactree.errors import Infeasible, InputError
from exactree.problem import DiagramLimits, DiagramProblem, Objective, accuracy
from exactree.problem.diagram import n_asking
from exactree.solve import Budget, Status
from exactree.solve.brute_force.diagrams import ExhaustiveDiagram
from exactree.solve.diagram_heuristic.construction import construct_diagrams, improve_diagram
from exactree.solve.diagram_heuristic.solver import DiagramHeuristic
from exactree.solve.gains import unavoidable_cost
from exactree.solve.search.diagrams import DiagramSearch
from exactree.solve.trees.ranked_diagram import diagram_to_graph, reached_in_diagram
from exactree.solve.trees.ranked_tree import RankedNode
from exactree.table import Table

WIDTHS = ((1,), (1, 2), (1, 1, 2), (1, 2, 2), (1, 2, 1), (1, 1, 1))


def random_problem(rng, n_rows, *, widths=None):
    """A problem with any mixture of weights, costs and limits."""
    n_classes = int(rng.integers(2, 4))
    table = Table.of(rng.integers(0, rng.integers(2, 5), (n_rows, rng.integers(1, 4))).astype(float))
    weights = (None, rng.integers(1, 4, n_rows).astype(float), rng.random(n_rows) + 0.1)[rng.integers(3)]
    data = encode(table, rng.integers(0, n_classes, n_rows), sample_weight=weights)
    any_costs = Objective("costs", rng.random((data.n_classes, data.n_classes)) * (1 - np.eye(data.n_classes)))
    limits = DiagramLimits(
        widths or WIDTHS[rng.integers(len(WIDTHS))],
        ccp_alpha=float(rng.choice([0.0, 0.05, 0.1, 0.5])),
        max_nodes=None if rng.random() < 0.5 else int(rng.integers(1, 6)),
        min_samples_node=1 if rng.random() < 0.5 else int(rng.integers(2, 5)),
        tree=bool(rng.random() < 0.3),
    )
    return DiagramProblem(data, accuracy(data) if rng.random() < 0.6 else any_costs, limits, seed=int(rng.integers(9)))


def weighed(rng, problem):
    """The same problem, half the time with a least weight of sides that end."""
    share = float(rng.choice([0.0, 0.0, 0.0, 0.05, 0.2, 0.4]))
    return replace(problem, limits=replace(problem.limits, min_weight_fraction_leaf=share))


def check_allowed(problem, nodes, cost):
    """The diagram keeps the limits, costs what is said, and every row ends at one leaf."""
    model = diagram_to_graph(problem, nodes)
    assert problem.violations(model) == []
    assert problem.cost(model) == pytest.approx(cost, abs=problem.tolerance)
    reached = reached_in_diagram(problem, nodes)
    at_leaves = np.concatenate([at for node, at in zip(nodes, reached, strict=True) if node.column < 0])
    assert sorted(at_leaves.tolist()) == list(range(problem.data.n_points))
    return model


def test_diagrams_keep_all_limits():
    rng = np.random.default_rng(1)
    wide = ((1, 2, 4, 8), (1, 2, 4, 4, 4), (1, 2, 3, 3, 3, 3), (1, 2, 2, 2, 2, 2, 2, 2), (1, 1, 1, 2))
    for trial in range(300):
        problem = weighed(rng, random_problem(rng, int(rng.integers(1, 60)), widths=wide[trial % len(wide)]))
        found = construct_diagrams(problem, None, starts=8)
        check_allowed(problem, found.nodes, found.cost)
        assert found.cost >= unavoidable_cost(problem) - problem.tolerance


def test_tiny_problems_are_solved_but_for_few():
    """Counted where a lone leaf is not the best already: how many are solved, and what share of the gain is reached."""
    rng = np.random.default_rng(2)
    solved, gained, possible = [], 0.0, 0.0
    for _ in range(150):
        problem = random_problem(rng, int(rng.integers(2, 8)))
        best = ExhaustiveDiagram().solve(problem, Budget()).cost if problem.data.columns else unavoidable_cost(problem)
        found, leaf = (
            construct_diagrams(problem, None, starts=200).cost,
            construct_diagrams(problem, None, starts=0).cost,
        )
        assert best - problem.tolerance <= found <= leaf + problem.tolerance
        if leaf > best + problem.tolerance:
            solved.append(found <= best + problem.tolerance)
            gained, possible = gained + leaf - found, possible + leaf - best
    assert len(solved) > 100
    assert np.mean(solved) >= 0.97
    assert gained >= 0.99 * possible


def random_nodes(rng, problem):
    """Any diagram that fits into the layers: any questions, and sides to anywhere in the next layer."""
    data, widths = problem.data, problem.limits.widths
    first = np.concatenate([[0], np.cumsum(widths)])
    nodes = []
    for layer in range(len(widths)):
        below = list(range(first[layer + 1], first[layer + 2])) if layer + 2 < len(first) else []
        targets = [*below, *(int(first[-1]) + k for k in range(data.n_classes))]
        for _ in range(widths[layer]):
            column = int(rng.integers(len(data.columns)))
            yes, no = (int(t) for t in rng.choice(targets, 2, replace=len(targets) < 2))
            nodes.append(RankedNode(column, int(rng.integers(data.columns[column].n_ranks - 1)), yes, no, 0))
    return [*nodes, *(RankedNode(-1, 0, -1, -1, k) for k in range(data.n_classes))]


def test_local_search_never_makes_a_diagram_dearer():
    rng, n_cheaper = np.random.default_rng(3), 0
    for _ in range(200):
        problem = weighed(rng, random_problem(rng, int(rng.integers(5, 60)), widths=(1, 2, 3, 2)))
        if not problem.data.columns:
            continue
        nodes = random_nodes(rng, problem)
        model = diagram_to_graph(problem, nodes)
        if problem.violations(model):
            continue
        found = improve_diagram(problem, nodes)
        check_allowed(problem, found, cost := problem.cost(diagram_to_graph(problem, found)))
        assert cost <= problem.cost(model) + problem.tolerance
        n_cheaper += cost < problem.cost(model) - problem.tolerance
    assert n_cheaper > 50


BITS = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]


def parity(widths=(1, 2, 2), *, alpha=0.1, y=None, **limits):
    data = encode(Table.of(BITS), [sum(row) % 2 for row in BITS] if y is None else y)
    return DiagramProblem(data, accuracy(data), DiagramLimits(widths, ccp_alpha=alpha, **limits))


def parity_nodes():
    sides, columns = [(1, 2), (3, 4), (4, 3), (5, 6), (6, 5)], [0, 1, 1, 2, 2]
    asks = [RankedNode(c, 0, yes, no, 0) for c, (yes, no) in zip(columns, sides, strict=True)]
    return [*asks, RankedNode(-1, 0, -1, -1, 0), RankedNode(-1, 0, -1, -1, 1)]


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (3, {"column": 1}),  # a question
        (2, {"yes": 3, "no": 4}),  # both sides of a node
        (1, {"no": 6}),  # one side, to a leaf
        (0, {"column": 1}),  # the root's question
    ],
)
def test_local_search_mends_one_mistake(place, change):
    nodes = parity_nodes()
    nodes[place] = nodes[place]._replace(**change)
    problem = parity()
    assert problem.cost(diagram_to_graph(problem, nodes)) > 0.8
    assert problem.cost(diagram_to_graph(problem, improve_diagram(problem, nodes))) == pytest.approx(0.8)


def test_local_search_drops_nodes_that_are_not_worth_their_price():
    problem = parity(y=[0, 0, 0, 0, 1, 1, 1, 1], alpha=0.5)
    found = improve_diagram(problem, parity_nodes())
    assert n_asking(diagram_to_graph(problem, found)) == 1
    dear = parity(alpha=1.0, y=[0, 0, 0, 0, 0, 0, 0, 1])
    assert n_asking(diagram_to_graph(dear, improve_diagram(dear, parity_nodes()))) <= 1


def test_local_search_keeps_a_node_that_is_worth_its_price():
    problem = parity((1, 2), y=[int(a and b) for a, b, _ in BITS], alpha=0.375)  # a node costs 1.5, and saves 2
    leaves = [RankedNode(-1, 0, -1, -1, 0), RankedNode(-1, 0, -1, -1, 1)]
    nodes = [RankedNode(0, 0, 2, 1, 0), RankedNode(2, 0, 2, 3, 0), *leaves]
    assert problem.cost(diagram_to_graph(problem, improve_diagram(problem, nodes))) == 1.5


def test_parity_is_found_by_chance():
    assert construct_diagrams(parity(), None, starts=200).cost == pytest.approx(0.8)
    assert construct_diagrams(parity((1, 2, 4), tree=True), None, starts=200).cost == pytest.approx(0.8)


def test_the_same_seed_gives_the_same_diagram():
    rng = np.random.default_rng(5)
    data = encode(Table.of(rng.random((300, 8))), rng.integers(0, 3, 300))
    problems = [DiagramProblem(data, accuracy(data), DiagramLimits((1, 2, 4)), seed=seed) for seed in (4, 4, 5)]
    first, second, other = (construct_diagrams(problem, None, starts=5).nodes for problem in problems)
    assert first == second != other


def test_more_starts_are_never_worse():
    rng = np.random.default_rng(6)
    data = encode(Table.of(rng.random((200, 6))), rng.integers(0, 2, 200))
    problem = DiagramProblem(data, accuracy(data), DiagramLimits((1, 2, 4, 4)))
    costs = [construct_diagrams(problem, None, starts=starts).cost for starts in (1, 10, 100)]
    assert sorted(costs, reverse=True) == costs
    assert costs[-1] < costs[0]


def test_a_given_diagram_competes():
    problem = parity((1, 2, 2, 2))
    assert construct_diagrams(problem, 0.0, given=parity_nodes()).cost <= problem.cost(
        diagram_to_graph(problem, parity_nodes())
    )


def test_no_time_gives_a_lone_leaf():
    found = construct_diagrams(parity(), 0.0)
    assert (found.starts, found.cost, len(found.nodes)) == (0, 4, 1)


def test_constraints_are_held():
    rng = np.random.default_rng(7)
    X, y = rng.integers(0, 4, (60, 3)).astype(float), rng.integers(0, 2, 60)
    data = encode(Table.of(X), y)
    limits = tuple(FalseNegatives(at_most=2).limits(data))
    problem = DiagramProblem(data, accuracy(data), DiagramLimits((1, 2, 2)), limits)
    found = construct_diagrams(problem, None, starts=50)
    check_allowed(problem, found.nodes, found.cost)
    free = construct_diagrams(DiagramProblem(data, accuracy(data), DiagramLimits((1, 2, 2))), None, starts=50)
    assert free.cost < found.cost
    contrary = (*limits, *FalseNegatives(at_most=0, positive=0).limits(data))
    problem = DiagramProblem(data, accuracy(data), DiagramLimits((1,)), contrary)
    assert construct_diagrams(problem, None, starts=5).nodes is None
    with pytest.raises(Infeasible, match="No diagram satisfies all constraints, whatever it asks"):
        DiagramHeuristic(starts=5).solve(problem, Budget())
    data = encode(Table.of(rng.random((60, 3))), y)  # every row can be told apart, but not by one question
    contrary = [limit for k in (0, 1) for limit in FalseNegatives(at_most=0, positive=k).limits(data)]
    problem = DiagramProblem(data, accuracy(data), DiagramLimits((1,)), tuple(contrary))
    with pytest.raises(InputError, match="None of the 5 diagrams built satisfies all constraints"):
        DiagramHeuristic(starts=5).solve(problem, Budget())


def test_the_solver_claims_a_proof_only_where_the_cost_cannot_be_avoided():
    y = [0, 1, 1, 0, 1, 0, 0, 1]
    solution = DiagramHeuristic(starts=100).solve(parity(alpha=0.0, y=y), Budget())
    assert (solution.status, solution.cost, solution.bound) == (Status.OPTIMAL, 0, 0)
    assert solution.counters["starts"] <= 100
    assert solution.counters["start_cost"] == 0
    with pytest.warns(NotProvedWarning):
        found = OptimalDiagramClassifier((1, 2), solver="construct").fit(BITS, y)
    assert found.lower_bound_ == 0 < found.cost_
    data = encode(Table.of([[0], [0], [1]]), [0, 1, 1])
    mixed = DiagramProblem(data, accuracy(data), DiagramLimits((1,)))
    assert DiagramHeuristic().solve(mixed, Budget()).status is Status.OPTIMAL
    for wrong in (0, True, 1.0):
        with pytest.raises(InputError, match="starts must be an integer"):
            DiagramHeuristic(starts=wrong)


def test_the_solver_says_whether_time_or_its_starts_ended_it():
    problem = parity((1, 2))  # two questions cannot tell the parity of three bits
    assert DiagramHeuristic(starts=3).solve(problem, Budget()).status is Status.ENDED
    assert DiagramHeuristic(starts=3).solve(problem, Budget(seconds=0.0)).status is Status.TIME_LIMIT


def test_without_columns_there_is_one_leaf():
    data = encode(Table.of([[1.0], [1.0], [1.0]]), [0, 1, 1])
    found = construct_diagrams(DiagramProblem(data, accuracy(data), DiagramLimits((1, 2))), None)
    assert (found.cost, found.starts) == (1, 0)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timer")
def test_ctrl_c_keeps_the_best():
    def interrupt(*_):
        raise KeyboardInterrupt

    rng = np.random.default_rng(8)
    data = encode(Table.of(rng.random((500, 10))), rng.integers(0, 2, 500))
    problem = DiagramProblem(data, accuracy(data), DiagramLimits((1, 2, 4), ccp_alpha=0.0))
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        found = construct_diagrams(problem, None, starts=10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert found.interrupted
    check_allowed(problem, found.nodes, found.cost)


@pytest.mark.each("seed", range(30))
def test_a_single_question_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (20, 3))
    data = encode(Table.of(X), rng.integers(0, 3, 20))
    problem = DiagramProblem(data, accuracy(data), DiagramLimits((1,)))
    assert construct_diagrams(problem, None, starts=20).cost == DiagramSearch().solve(problem, Budget()).cost


@pytest.mark.parametrize("widths", [(1, 2, 4, 4), (1, 2, 3, 3, 3)])
def test_diagrams_cost_no_more_than_trees_of_as_many_starts(widths):
    digits = load_digits()
    data = encode(Table.of(digits.data), digits.target)
    of_diagram, of_tree = (
        construct_diagrams(
            DiagramProblem(data, accuracy(data), DiagramLimits(widths, ccp_alpha=0.01, tree=tree)), None, starts=60
        ).cost
        for tree in (False, True)
    )
    assert of_diagram <= of_tree
