"""OCT and FlowOCT: worked examples, the broken versions of the literature and their nonsense, sizes and starts."""

import numpy as np
import pytest

from exactree import OCT, FlowOCT, OptimalTreeClassifier
from exactree.encode import encode
from exactree.errors import Unsupported
from exactree.mip import Kind, Mip, MipOptions, MipStatus, installed, solve
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import SOLVERS, Budget, Status, refusal
from exactree.solve.formulations.flow_oct.model import FlowOctModel
from exactree.solve.formulations.oct.model import OctModel
from exactree.solve.mip_runs.costs import mip_costs
from exactree.solve.mip_runs.warm_starts import find_warm_start
from exactree.solve.trees.complete_tree import Shape, embedded
from exactree.table import Table
from exactree.testing import tiny_problems

PROBLEMS = dict(tiny_problems())
SIX = ([[0.0], [0.2], [0.4], [0.6], [0.8], [1.0]], [0, 0, 1, 1, 0, 0])
MODELS = {"oct": OctModel, "flow-oct": FlowOctModel}


def problem_of(X, y, depth, **limits):
    data = encode(Table.of(X), y)
    return Problem(data, accuracy(data), Limits(depth, **limits))


def model_of(name, problem, **options):
    return MODELS[name](Mip(), problem, mip_costs(problem), Shape(problem.limits.max_depth), **options)


@pytest.fixture(params=installed())
def backend(request):
    return request.param


@pytest.fixture(params=[OCT, FlowOCT], ids=lambda kind: kind.name)
def kind(request):
    return request.param


@pytest.mark.parametrize(("depth", "errors"), [(1, 2), (2, 0)])
def test_six_points(kind, backend, depth, errors):
    found = kind(backend=backend, warm_start=None).solve(problem_of(*SIX, depth), Budget())
    assert (found.status, found.cost) == (Status.OPTIMAL, errors)


def test_a_price_of_splits(kind, backend):
    # Two splits save two errors: worth it below a price of one error a leaf, not above.
    cheap = kind(backend=backend).solve(problem_of(*SIX, 2, ccp_alpha=0.15), Budget())
    dear = kind(backend=backend).solve(problem_of(*SIX, 2, ccp_alpha=0.18), Budget())
    assert (cheap.model.n_leaves, cheap.cost) == (3, pytest.approx(3 * 0.15 * 6))
    assert (dear.model.n_leaves, dear.cost) == (1, pytest.approx(2 + 0.18 * 6))


def test_the_published_left_row_gives_nonsense():
    # A branch that does not ask lets rows choose their side: no question at all, and no error.
    problem = problem_of(*SIX, 1)
    broken = model_of("oct", problem, published=True)
    answer = solve(broken.mip.program(), backend="highs", options=MipOptions(step=1))
    assert answer.objective == 0
    assert answer.values[broken.asks].sum() == 0
    right = solve(model_of("oct", problem).mip.program(), backend="highs", options=MipOptions(step=1))
    assert right.objective == 2


def test_the_draft_s_upper_row_of_losses_contradicts_itself():
    # L <= N - N_k - n c_k and L >= N - N_k - n (1 - c_k) leave nothing for a leaf that answers k; + n c_k does.
    for sign, status in ((-1, MipStatus.INFEASIBLE), (1, MipStatus.OPTIMAL)):
        model = model_of("oct", problem_of(*SIX, 1))
        for k in range(2):
            most = float(model.highest.max())
            cost = model.costs.cost[:, k]
            terms = [(cost[None, :], model.reach.T), (sign * most, model.predicts[:, k]), (-1, model.loss)]
            model.mip.family(f"upper_{k}", terms, at_least=0)
        answer = solve(model.mip.program(), backend="highs", options=MipOptions(step=1))
        assert answer.status is status


def test_answers_must_be_whole():
    # Half of each class at every leaf: no loss at all.
    model = model_of("oct", problem_of(*SIX, 1))
    program = model.mip.program()
    program.kind[model.predicts.ravel()] = Kind.CONTINUOUS
    assert solve(program, backend="highs").objective < 1


def test_families_of_oct():
    problem = problem_of(*SIX, 2)
    n_points = problem.data.n_points
    families = model_of("oct", problem).mip.program().families
    routing = {name: rows for name, rows in families.items() if name.startswith(("left", "right"))}
    assert sum(routing.values()) == 2 * n_points * 3
    assert {name: rows for name, rows in families.items() if name not in routing} == {
        "one_column": 3,
        "cut_high": 3,
        "cut_low": 3,
        "asks_below": 2,
        "one_leaf": n_points,
        "holds_it": n_points * 4,
        "holds_some": 4,
        "one_label": 4,
        "loss_0": 4,
        "loss_1": 4,
    }


def test_families_of_flow_oct():
    problem = problem_of(*SIX, 1)
    n_points = problem.data.n_points
    assert model_of("flow-oct", problem).mip.program().families == {
        "one_way_0": 1,
        "one_way_1": 1,
        "one_way_2": 1,
        "one_label": 3,
        "kept_0": n_points,
        "to_yes_0": n_points,
        "to_no_0": n_points,
        "kept_at_leaves": 2 * n_points,
        "right": 3 * n_points,
    }


def test_the_relaxation_of_flows_is_stronger():
    rng = np.random.default_rng(1)
    problem = problem_of(rng.integers(0, 2, (30, 4)).astype(float), rng.integers(0, 2, 30), 2)
    values = {}
    for name in MODELS:
        program = model_of(name, problem).mip.program()
        program.kind[:] = Kind.CONTINUOUS
        values[name] = solve(program, backend="highs").objective
    assert values["oct"] == pytest.approx(0, abs=1e-6)
    assert values["flow-oct"] > 1


STARTS = ["random-2", "random-27", "max-leaves-3", "min-leaf-4", "leaf-price-8", "cost-matrix-4", "integer-weights-4"]


TAKEN = [(kind, name) for kind in (OCT, FlowOCT) for name in STARTS if refusal(kind(), PROBLEMS[name]) is None]


def test_what_flows_do_not_take():
    assert set(STARTS) - {name for kind, name in TAKEN if kind is FlowOCT} == {"min-leaf-4", "cost-matrix-4"}


@pytest.mark.each(("solver", "name"), TAKEN)
def test_complete_starts_satisfy_every_row(solver, name):
    problem = PROBLEMS[name]
    model = model_of(solver.name, problem)
    model.set_start(embedded(find_warm_start(problem, Budget(), "search", None).nodes, model.shape))
    program = model.mip.program()
    assert not np.isnan(program.start).any()
    assert program.violation(program.start) < 1e-9
    best = SOLVERS["exhaustive"].solve(problem, Budget()).cost
    assert model.costs.to_cost(program.objective(program.start)) == pytest.approx(best)


def test_a_start_is_where_the_back_end_begins(coins, begins_at_its_start, kind, backend):
    begins_at_its_start(model_of(kind.name, coins), coins, backend)


def test_rows_one_by_one_give_the_same(kind):
    X, y = [[0.0], [0.0], [1.0], [2.0], [3.0], [3.0]], [0, 0, 1, 0, 1, 1]
    found = [kind(merge_rows=merge).solve(problem_of(X, y, 1), Budget()) for merge in (True, False)]
    assert found[0].cost == found[1].cost == 1
    assert found[0].counters["columns"] < found[1].counters["columns"]


def test_what_flows_cannot_do():
    with pytest.raises(Unsupported, match=r"'flow-oct' cannot solve .*: it does not support a least size of leaves"):
        OptimalTreeClassifier(min_samples_leaf=2, solver="flow-oct").fit(*SIX)
    costs = [[0, 2, 1], [1, 0, 1], [1, 1, 0]]
    with pytest.raises(Unsupported, match=r"it does not support costs that depend on the wrong answer"):
        OptimalTreeClassifier(cost_matrix=costs, solver="flow-oct").fit(SIX[0], [0, 1, 2, 0, 1, 2])


def test_through_the_estimator(kind):
    tree = OptimalTreeClassifier(max_depth=2, solver=kind.name).fit(*SIX)
    assert (tree.status_, tree.cost_) == ("optimal", 0)
