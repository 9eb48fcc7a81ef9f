"""Trees made better a few questions at a time: parts of a table, what is exchanged, and that it ends in time."""

import numpy as np
import pytest

from exactree import OCT, BinOCT, FlowOCT
from exactree.encode import encode, policy, subset_of
from exactree.mip import Mip, installed
from exactree.problem import FalseNegatives, Limits, Problem, accuracy
from exactree.solve import Budget, Search, Status
from exactree.solve.formulations.binoct.model import BinOctModel
from exactree.solve.formulations.common.polishing import Polish
from exactree.solve.formulations.common.run import RunOptions, _TreeRun, _with_fixed_questions
from exactree.solve.formulations.flow_oct.model import FlowOctModel
from exactree.solve.formulations.oct.model import OctModel
from exactree.solve.mip_runs.costs import mip_costs
from exactree.solve.run_state import RunState
from exactree.solve.trees.complete_tree import Shape, embedded
from exactree.solve.trees.ranked_tree import RankedNode, relabelled, to_graph
from exactree.table import Table
from exactree.testing import tiny_problems

LARGER = [(name, problem) for name, problem in tiny_problems() if problem.data.n_points > 5 and problem.data.columns]


def checkers(depth, seed=0, n=120):
    """Two exclusive ors, one on each side of column 0."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n, 7)).astype(float)
    y = np.where(X[:, 0] > 0, X[:, 1] != X[:, 2], X[:, 3] != X[:, 4]).astype(int)
    data = encode(Table.of(X), y)
    return Problem(data, accuracy(data), Limits(depth))


def nodes_of(problem, root=0):
    """A tree that asks the right question first, and others that are of no use."""
    questions = [RankedNode(root, 0, 1, 4, 0), RankedNode(5, 0, 2, 3, 0), RankedNode(6, 0, 5, 6, 0)]
    leaf = RankedNode(-1, -1, -1, -1, 0)
    nodes = [questions[0], questions[1], leaf, leaf, questions[2], leaf, leaf]
    return relabelled(problem, nodes)


def unchanged(nodes, branch, seconds):
    return nodes


def polish_of(problem, left=lambda: 9.0, solve_branch=unchanged):
    def solve_subproblem(part, seconds):
        return Search().solve(part, Budget())

    return Polish(problem, Shape(problem.limits.max_depth), solve_subproblem, solve_branch, left)


@pytest.mark.each(("name", "problem"), LARGER)
def test_a_part_has_every_split_of_its_rows_and_no_other(name, problem):
    data = problem.data
    points = np.flatnonzero(np.random.default_rng(len(name)).random(data.n_points) < 0.6)
    if len(points) == 0:
        points = np.array([0])
    part = subset_of(data, points, policy("all"))

    def ways(columns, chosen):
        found = {}
        for column in columns:
            for rank in range(column.n_ranks - 1):
                yes = column.ranks[chosen] <= rank
                if yes.any() and not yes.all():
                    asks = (column.source, column.test, column.missing, column.level, yes.tobytes())
                    found.setdefault(asks, []).append(column.cut(rank))
        return found

    whole, ours = ways(data.columns, points), ways(part.columns, slice(None))
    assert ours.keys() == whole.keys()
    assert all(len(cuts) == 1 and cuts[0] in whole[asks] for asks, cuts in ours.items())


def test_a_part_counts_its_rows():
    data = encode(Table.of([[1.0], [1.0], [2.0], [3.0], [3.0]]), [0, 0, 1, 1, 1], sample_weight=[1, 2, 3, 4, 5])
    part = subset_of(data, np.array([0, 2]), policy("all"))
    assert (part.n_rows, part.labels.tolist(), part.point_of.tolist()) == (4, [0, 0, 1, 1], [0, 0, 1, 1])
    assert (part.point_weights.tolist(), part.kept.tolist()) == ([3, 9], [0, 1, 3, 4])
    assert part.table.n_rows == 4
    assert part.columns[0].cuts.tolist() in ([1.5], [2.5])


def test_parts_are_exchanged_until_each_is_the_best():
    problem = checkers(3)
    nodes = nodes_of(problem)
    costs = [problem.cost(to_graph(problem, nodes))]
    costs += [problem.cost(to_graph(problem, better)) for better in polish_of(problem).improve(nodes)]
    assert costs == sorted(costs, reverse=True)
    assert len(set(costs)) == len(costs) > 1
    assert costs[-1] == 0 < costs[0]


def test_prices_and_least_weights_of_a_part_are_those_of_the_whole():
    problem = checkers(3)
    limits = Limits(3, ccp_alpha=0.01, min_weight_fraction_leaf=0.05, min_samples_leaf=4)
    problem = Problem(problem.data, problem.objective, limits)
    seen = []

    def solve_subproblem(part, seconds):
        seen.append((part.leaf_price, part.min_leaf_weight))
        return Search().solve(part, Budget())

    polish = Polish(problem, Shape(3), solve_subproblem, unchanged, lambda: 9.0)
    trees = [to_graph(problem, better) for better in polish.improve(nodes_of(problem))]
    assert seen
    assert all(part == pytest.approx((problem.leaf_price, problem.min_leaf_weight)) for part in seen)
    assert all(problem.violations(tree) == [] for tree in trees)


def test_without_time_nothing_is_tried():
    problem = checkers(3)

    def refuse(*_):
        raise AssertionError("there was no time for this")

    polish = Polish(problem, Shape(3), refuse, refuse, lambda: 0.0)
    assert list(polish.improve(nodes_of(problem))) == []


def test_what_concerns_the_whole_tree_is_left_alone():
    problem = checkers(3)
    few = Problem(problem.data, problem.objective, Limits(3, max_leaf_nodes=5))
    assert not polish_of(few).applies
    assert not polish_of(Problem(problem.data, problem.objective, Limits(2))).applies
    limits = tuple(FalseNegatives(at_most=3).limits(problem.data))
    assert not polish_of(Problem(problem.data, problem.objective, problem.limits, limits)).applies
    assert polish_of(problem).applies


def test_held_questions_stay():
    problem = checkers(3)
    nodes = nodes_of(problem)
    model = BinOctModel(Mip(), problem, mip_costs(problem), Shape(3), strengthen=True, score=False)
    model.set_start(embedded(nodes, Shape(3)))
    program = model.mip.program()
    held = _with_fixed_questions(program, Shape(3), 0)
    fixed = held.low == held.high
    assert fixed[model.ask[1:]].all()
    assert fixed[model.bit[1:]].all()
    for free in (model.ask[0], model.bit[0], model.predicts, model.reach):
        assert not fixed[free].any()
    newly = fixed & (program.low != program.high)
    assert np.array_equal(held.low[newly], program.start[newly])


@pytest.mark.parametrize("backend", installed())
@pytest.mark.each("model", [BinOCT()._build, OctModel, FlowOctModel])
def test_one_question_is_exchanged_by_the_program(backend, model):
    problem = checkers(3, n=24)
    best = next(reversed(list(polish_of(problem).improve(nodes_of(problem)))))
    wrong = [best[0]._replace(column=6), *best[1:]]
    state = RunState(problem, Budget(), None)
    state.begin(to_graph(problem, wrong), 0.0)
    formulation = model(Mip(), problem, mip_costs(problem), Shape(3))
    work = _TreeRun(state, formulation, Shape(3), model, RunOptions(backend, "cart"), problem)
    assert state.cost > 0
    found = work.solve_branch(wrong, 0, 20.0)
    assert problem.cost(to_graph(problem, found)) == 0
    assert (found[0].column, found[0].rank) == (0, 0)


@pytest.mark.parametrize("solver", [BinOCT, OCT, FlowOCT])
def test_polish_can_be_left_out(solver):
    problem = checkers(3, n=24)
    plain, polished = (solver(polish=polish).solve(problem, Budget(seconds=20)) for polish in (False, True))
    best = Search().solve(problem, Budget()).cost
    for found in (plain, polished):
        assert found.cost >= best
        assert found.status is not Status.OPTIMAL or found.cost == best


def test_an_interrupt_while_parts_are_solved_ends_all():
    problem = checkers(3, n=60)
    first = to_graph(problem, nodes_of(problem))

    def interrupt(progress):
        if progress.cost < problem.cost(first):
            raise KeyboardInterrupt

    found = BinOCT().solve(problem, Budget(seconds=30), start=first, callback=interrupt)
    assert found.status is Status.INTERRUPTED
    assert found.cost < problem.cost(first)


def test_exchanged_parts_keep_the_rest():
    problem = checkers(3)
    trees = list(polish_of(problem).improve(nodes_of(problem)))
    assert trees
    assert all((better[0].column, better[0].rank) == (0, 0) for better in trees)
