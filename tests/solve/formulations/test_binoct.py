"""BinOCT: the worked examples, the traps of the paper, sizes, forms and options; on every back end installed."""

import os
from pathlib import Path

import numpy as np
import pytest
from exactree_bench.datasets.case import Case

from exactree import BinOCT, OptimalTreeClassifier
from exactree.encode import encode
from exactree.errors import InputError, Unsupported
from exactree.mip import Mip, installed, solve
from exactree.problem import Limits, Problem, accuracy, cost_sensitive
from exactree.solve import SOLVERS, Budget, Search, Status
from exactree.solve.formulations.binoct.model import BinOctModel, cut_intervals, decode_cut, encode_cut, n_bits
from exactree.solve.mip_runs.costs import mip_costs
from exactree.solve.mip_runs.warm_starts import find_warm_start
from exactree.solve.trees.complete_tree import Shape, embedded
from exactree.table import Table
from exactree.testing import tiny_problems

DATA = os.environ.get("EXACTREE_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="set EXACTREE_DATA to the folder of benchmark tables")
PROBLEMS = dict(tiny_problems())
EXAMPLE = ([[float(v)] for v in range(9)], list("+++--+-++"))
RANGES_EXCHANGED = ([[0.0], [1.0], [2.0], [3.0]], list("+-+-"))
ONE_SET_OF_BITS = ([[0.0], [1.0], [1.0], [2.0], [3.0]], list("++--+"))
NINE = np.array(
    [(7, 1, 0), (2, 1, 0), (0, 1, 0), (1, 0, 1), (3, 2, 0), (8, 2, 1), (6, 2, 1), (4, 0, 0), (5, 2, 1)], dtype=float
)


def problem_of(X, y, depth, **options):
    data = encode(Table.of(X), y, **options)
    return Problem(data, accuracy(data), Limits(depth))


def model_of(problem, *, strengthen=False, merge=True, score=False):
    return BinOctModel(
        Mip(),
        problem,
        mip_costs(problem, merge=merge),
        Shape(problem.limits.max_depth),
        strengthen=strengthen,
        score=score,
    )


@pytest.fixture(params=installed())
def backend(request):
    return request.param


@pytest.mark.each("n_cuts", range(1, 101))
def test_bits_and_back(n_cuts):
    width = n_bits(n_cuts)
    assert width == int(np.ceil(np.log2(n_cuts)))
    assert len(cut_intervals(n_cuts)) == n_cuts - 1
    assert [decode_cut(encode_cut(cut, n_cuts, width), n_cuts) for cut in range(n_cuts)] == list(range(n_cuts))


@pytest.mark.each("n_cuts", [2, 3, 4, 7, 8, 13])
def test_records_leave_each_row_one_side(n_cuts):
    # For every pattern of bits: a row is shut out of yes by some record or end if and only if its rank is above the
    # cut, and out of no if and only if it is not.
    width = n_bits(n_cuts)
    for pattern in range(2**width):
        bits = np.array([pattern >> d & 1 for d in range(width)], dtype=bool)
        cut = decode_cut(bits, n_cuts)
        not_yes, not_no = {n_cuts}, {0}
        for record in cut_intervals(n_cuts):
            if bits[list(record.ones)].all():
                not_yes |= set(range(record.yes_ranks[0], record.yes_ranks[1] + 1))
            if not bits[list(record.zeros)].any():
                not_no |= set(range(record.no_ranks[0], record.no_ranks[1] + 1))
        assert not_yes == set(range(cut + 1, n_cuts + 1))
        assert not_no == set(range(cut + 1))


@pytest.mark.each(("depth", "errors"), [(1, 3), (2, 1), (3, 0)])
@pytest.mark.parametrize("thresholds", ["all", "class-changes"])
def test_the_papers_example(backend, depth, errors, thresholds):
    problem = problem_of(*EXAMPLE, depth, thresholds=thresholds)
    found = BinOCT(backend=backend, warm_start=None).solve(problem, Budget())
    assert (found.status, found.cost) == (Status.OPTIMAL, errors)


@pytest.mark.parametrize(("table", "errors"), [(RANGES_EXCHANGED, 1), (ONE_SET_OF_BITS, 2)])
@pytest.mark.parametrize("form", ["error", "score"])
def test_the_slips_of_the_paper_are_not_ours(backend, table, errors, form):
    # With the ranges exchanged, or with one set of bits for both sides, these come out one error too good.
    problem = problem_of(*table, 1, thresholds="class-changes")
    found = BinOCT(backend=backend, warm_start=None, form=form).solve(problem, Budget())
    assert (found.status, found.cost) == (Status.OPTIMAL, errors)


def test_the_filter_of_thresholds_can_lose_the_best_tree(backend):
    problem = problem_of(NINE[:, :2], NINE[:, 2], 2)
    exact = BinOCT(backend=backend).solve(problem, Budget())
    filtered = BinOCT(backend=backend, thresholds="class-changes").solve(problem, Budget())
    assert (exact.cost, exact.scope) == (0, "")
    assert (exact.sample, exact.sample_bound) == ("", None)
    assert (filtered.status, filtered.cost) == (Status.OPTIMAL_OVER_SAMPLE, 1)
    assert (filtered.bound, filtered.sample_bound) == (0, 1)
    assert filtered.sample == " with thresholds between different classes only"
    assert (filtered.history[:, 2] == 0).all()
    asked = problem_of(NINE[:, :2], NINE[:, 2], 2, thresholds="class-changes")  # then it is the caller's own claim
    found = BinOCT(backend=backend, thresholds="class-changes").solve(asked, Budget())
    assert (found.status, found.cost, found.sample) == (Status.OPTIMAL, 1, "")
    assert found.scope == " among those with thresholds class-changes"


@pytest.mark.parametrize(("depth", "shape"), [(1, (7, 23, 29)), (2, (17, 45, 61)), (3, (37, 89, 125))])
def test_sizes_of_the_example(depth, shape):
    # PossibleAccuracies in a cell of the filtered thresholds are not merged: the figures count rows as they are.
    program = model_of(problem_of(*EXAMPLE, depth, thresholds="class-changes"), merge=False).mip.program()
    assert (program.n_binaries, program.n_rows, program.n_columns) == shape


def test_families_of_rows():
    problem = problem_of(NINE[:, :2], NINE[:, 2], 2)
    families = model_of(problem).mip.program().families
    cuts = [column.n_ranks - 1 for column in problem.data.columns]
    assert cuts == [8, 2]
    n_intervals = sum(cuts) - len(cuts)
    assert families == {
        "one_column": 3,
        "one_leaf": 9,
        "one_label": 4,
        "not_yes": 3 * n_intervals,
        "not_no": 3 * n_intervals,
        "ends": 3 * len(cuts),
        "error_0_1": 4,
        "error_1_0": 4,
    }


@pytest.mark.parametrize("options", [{}, {"strengthen": True}, {"merge": False}, {"score": True}])
def test_the_relaxation_says_nothing(options):
    # Every bound above 0 comes from branching, or from rows that no question parts.
    mip = model_of(problem_of(*EXAMPLE, 2), **options).mip
    program = mip.program()
    program.kind[:] = 0
    assert solve(program, backend="highs").objective == pytest.approx(0, abs=1e-6)


STARTS = ["random-2", "random-27", "max-leaves-3", "min-leaf-4", "leaf-price-8", "cost-matrix-4", "min-weight-3"]


@pytest.mark.each("name", STARTS)
@pytest.mark.parametrize("strengthen", [False, True])
def test_complete_starts_satisfy_every_row(name, strengthen):
    problem = PROBLEMS[name]
    model = model_of(problem, strengthen=strengthen)
    nodes = find_warm_start(problem, Budget(), "search", None).nodes
    model.set_start(embedded(nodes, model.shape))
    program = model.mip.program()
    assert not np.isnan(program.start).any()
    assert program.violation(program.start) < 1e-9
    best = SOLVERS["exhaustive"].solve(problem, Budget()).cost
    assert model.costs.to_cost(program.objective(program.start)) == pytest.approx(best)


def test_a_start_is_where_the_back_end_begins(coins, begins_at_its_start, backend):
    begins_at_its_start(model_of(coins, strengthen=True), coins, backend)


@pytest.mark.parametrize("warm_start", ["cart", "search", None])
def test_whatever_it_starts_from_it_ends_the_same(warm_start):
    problem = problem_of(NINE[:, :2], NINE[:, 2], 2)
    found = BinOCT(warm_start=warm_start).solve(problem, Budget())
    assert (found.cost, found.status) == (0, Status.OPTIMAL)


@pytest.mark.parametrize("merge_rows", [True, False])
@pytest.mark.parametrize("strengthen", [True, False])
@pytest.mark.parametrize("form", ["error", "score"])
def test_options_change_no_optimum(merge_rows, strengthen, form):
    solver = BinOCT(merge_rows=merge_rows, strengthen=strengthen, form=form)
    for seed in (1, 2, 6, 11, 12):
        problem = PROBLEMS[f"random-{seed}"]
        best = SOLVERS["exhaustive"].solve(problem, Budget()).cost
        assert solver.solve(problem, Budget()).cost == best


def test_the_backend_and_the_size_are_told(backend):
    found = BinOCT(backend=backend).solve(problem_of(*EXAMPLE, 1), Budget())
    assert found.counters[f"backend_{backend}"] == 1
    assert found.counters["binaries"] == 1 + 3 + 4
    assert {"rows", "columns", "entries", "build_seconds"} <= set(found.counters)


def test_through_the_estimator():
    X, y = EXAMPLE
    tree = OptimalTreeClassifier(max_depth=2, solver="binoct").fit(X, y)
    assert (tree.status_, tree.cost_) == ("optimal", 1)
    assert (tree.history_[-1, 1:] == 1).all()


WRONG = [
    ({"backend": "cplex"}, r"Unknown backend 'cplex'"),
    ({"warm_start": "forest"}, r"warm_start must be 'cart', 'search' or None; got 'forest'\."),
    ({"form": "both"}, r"form must be one of error, score; got 'both'\."),
    ({"thresholds": "all"}, r"thresholds must be 'class-changes' or None; got 'all'\."),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_wrong_options(options, message):
    with pytest.raises(InputError, match=message):
        BinOCT(**options)


def test_what_scores_cannot_count():
    data = encode(Table.of(EXAMPLE[0]), list("abcabcabc"))
    message = r"BinOCT\(form='score'\) counts correct predictions only: .* Use form='error'\."
    for problem in (
        Problem(data, accuracy(data), Limits(2, min_samples_leaf=2)),
        Problem(data, cost_sensitive(data, [[0, 2, 1], [1, 0, 1], [1, 1, 0]]), Limits(2)),
    ):
        with pytest.raises(Unsupported, match=message):
            BinOCT(form="score").solve(problem, Budget())


def test_too_deep():
    with pytest.raises(Unsupported, match=r"'binoct' cannot solve .*: it does not support trees deeper than 5 "):
        OptimalTreeClassifier(max_depth=6, solver="binoct").fit(*EXAMPLE)


def test_fractions_that_no_integer_scale_mends_go_to_highs():
    data = encode(Table.of(EXAMPLE[0]), EXAMPLE[1], sample_weight=np.sqrt(np.arange(2, 11)))
    found = BinOCT().solve(Problem(data, accuracy(data), Limits(2)), Budget())
    assert found.counters["backend_highs"] == 1
    assert found.cost == pytest.approx(
        SOLVERS["exhaustive"].solve(Problem(data, accuracy(data), Limits(2)), Budget()).cost
    )


@pytest.mark.skipif("cp-sat" not in installed(), reason="ortools is not installed")
def test_large_weights_are_counted_in_units_that_cp_sat_can_take():
    data = encode(Table.of(EXAMPLE[0]), EXAMPLE[1], sample_weight=np.full(9, 2.0**28))
    found = BinOCT(backend="cp-sat").solve(Problem(data, accuracy(data), Limits(1)), Budget())
    assert (found.status, found.cost) == (Status.OPTIMAL, 3 * 2.0**28)


@pytest.mark.each("seed", range(3))
def test_mip_and_search_agree(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (40, 3)).astype(float)
    problem = problem_of(X, (X[:, 0] > 2) ^ (X[:, 1] > 1) ^ (rng.random(40) < 0.2), 2)
    program, search = BinOCT().solve(problem, Budget()), Search().solve(problem, Budget())
    assert program.status is search.status is Status.OPTIMAL
    assert program.cost == search.cost


# Binaries, rows and columns at depth 4 on the papers' first splits, rows as they are and equal rows merged. The code of
# the paper has one bit more where the largest number of thresholds is a power of two: 15 binaries on tic-tac-toe.
SIZES = {
    "car-evaluation": ((184, 1289, 14072), (184, 1197, 12600)),
    "statlog-landsat-satellite": ((741, 65254, 36309),),
    "tic-tac-toe": ((317 - 15, 812, 8013 - 15), (317 - 15, 812, 8013 - 15)),
}


@needs_data
@pytest.mark.parametrize("name", SIZES)
def test_sizes_of_the_papers_programs(name):
    X, y = Case(name, f"splits/{name}/train0.csv.gz").load(Path(DATA))
    problem = problem_of(X, y, 4, thresholds="class-changes")
    for merge, size in zip((False, True), SIZES[name], strict=False):
        model = model_of(problem, merge=merge)
        program = model.mip.program()
        n_branches, n_leaves, n_classes = 15, 16, problem.data.n_classes
        n_cuts, n_columns, n_rows = int(model.cuts.sum()), len(model.cuts), model.costs.n_rows
        binaries = n_branches * (n_columns + model.width) + n_leaves * n_classes
        rows = n_branches + n_rows + n_leaves + n_branches * (2 * n_cuts - n_columns) + n_leaves * n_classes
        columns = binaries + n_rows * n_leaves + n_leaves * n_classes
        assert (program.n_binaries, program.n_rows, program.n_columns) == (binaries, rows, columns) == size


@pytest.mark.parametrize(
    ("budget", "status"), [(Budget(seconds=0.01), Status.TIME_LIMIT), (Budget(memory=2**20), Status.MEMORY_LIMIT)]
)
def test_a_mip_too_large_to_write_is_given_up(budget, status):
    rng = np.random.default_rng(0)
    problem = problem_of(rng.random((400, 20)), rng.integers(0, 2, 400), 4)
    found = BinOCT(warm_start=None).solve(problem, budget)
    assert found.status is status
    assert "entries" not in found.counters  # the writing did not come to an end
    assert found.model.n_leaves == 1


@pytest.mark.each("name", [f"min-leaf-{seed}" for seed in (0, 3, 6, 9, 12, 15, 18, 21)])
def test_least_leaf_sizes_without_a_start(name):
    problem = PROBLEMS[name]
    found = BinOCT(warm_start=None).solve(problem, Budget())
    assert found.cost == SOLVERS["exhaustive"].solve(problem, Budget()).cost
