"""How column generation ends: budgets, Ctrl-C, what it claims, what it refuses; and the tables of the paper."""

import os
import re
import signal
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from exactree import CartSampling, ColumnGeneration, Fairness, FalseNegatives, NotProvedWarning, OptimalTreeClassifier
from exactree.encode import Sampled, Splits, encode, sampled_splits
from exactree.errors import Infeasible, InputError, Unsupported
from exactree.mip import LpSolution, MipStatus, installed
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Search, Status
from exactree.table import Table

FOLDER = os.environ.get("EXACTREE_DATA")
FEW = CartSampling(trees=30)


def noise(n_rows=400, n_columns=6, depth=3, seed=0):
    rng = np.random.default_rng(seed)
    data = encode(Table.of(rng.random((n_rows, n_columns))), rng.integers(0, 2, size=n_rows))
    return Problem(data, accuracy(data), Limits(depth))


@pytest.mark.parametrize("finish", ["ilp", "branch-and-price", "recursion", "none"])
def test_time_is_kept(finish):
    found = ColumnGeneration(sampling="all", finish=finish).solve(noise(1000, depth=4), Budget(seconds=0.3))
    assert found.status is Status.TIME_LIMIT
    assert found.bound < found.cost
    assert {"iterations", "columns"} <= set(found.counters)


def test_the_clock_is_looked_at_while_rows_are_merged(monkeypatch):
    looks = []
    monkeypatch.setattr("exactree.solve.run_state.RunState.check", lambda state: looks.append(len(looks)))
    ColumnGeneration(sampling="all", finish="recursion").solve(noise(30, 20, 1), Budget())
    assert len(looks) > 20  # once a column, at least


def test_no_time_at_all():
    found = ColumnGeneration().solve(noise(), Budget(seconds=0.0))
    assert (found.status, found.trace) == (Status.TIME_LIMIT, ())


def test_memory_is_kept(monkeypatch):
    grown = iter(range(0, 10**9, 1000))  # what the process holds, whatever earlier tests have left it
    monkeypatch.setattr("exactree.solve.run_state.resident", lambda: next(grown))
    found = ColumnGeneration(sampling=FEW, finish="ilp").solve(noise(), Budget(memory=2500))
    assert found.status is Status.MEMORY_LIMIT


def test_a_gap_is_enough():
    solver = ColumnGeneration(sampling="all", finish="branch-and-price")
    found = solver.solve(noise(30, 2, 2), Budget(gap=0.5))
    assert found.status in (Status.GAP_REACHED, Status.OPTIMAL)
    assert found.gap <= 0.5


def test_a_gap_over_sampled_questions_is_not_the_gap_asked_for():
    found = ColumnGeneration(sampling=FEW, finish="branch-and-price").solve(noise(100, 3, 2), Budget(gap=0.9))
    assert found.status is Status.ENDED
    assert found.reason == "the gap is reached only over trees with questions sampled for each branch"
    assert found.gap > 0.9
    assert (found.cost - found.sample_bound) / found.cost <= 0.9


def test_a_watch_may_interrupt():
    seen = []

    def callback(now):
        seen.append(now)
        if now.details.startswith("iteration 3,"):
            raise KeyboardInterrupt

    found = ColumnGeneration(sampling=FEW, finish="ilp").solve(noise(), Budget(seconds=60), callback=callback)
    assert found.status is Status.INTERRUPTED
    assert len(found.trace) >= 1
    assert found.counters["iterations"] == 3
    assert found.counters["columns"] > 0
    assert found.counters["relaxation"] == found.trace[-1].relaxed
    assert all(now.bound <= now.cost for now in seen)


def test_what_the_watch_is_told(monkeypatch):
    monkeypatch.setattr("exactree.solve.column_generation.splits.PAUSE", 0.0)
    problem, seen = noise(100, 3, 2), []
    both = [limit for label in (0, 1) for limit in FalseNegatives(20, label).limits(problem.data)]
    held = Problem(problem.data, problem.objective, Limits(2), tuple(both))
    found = ColumnGeneration(sampling=FEW, warm_start=None).solve(held, Budget(), callback=seen.append)
    told = [now.details for now in seen]
    assert "sampling questions, 30 of 30 trees" in told
    first = found.trace[0]
    words = f"iteration 1, {first.columns} columns, relaxation {first.relaxed:.6g}, Lagrangian bound {first.bound:.6g}"
    assert words in told
    assert not np.isfinite(seen[0].cost)  # no tree yet, but something is shown
    assert np.isfinite(found.history).all()


def test_sampling_may_be_interrupted(monkeypatch):
    monkeypatch.setattr("exactree.solve.column_generation.splits.PAUSE", 0.0)

    def callback(now):
        if now.details.startswith("sampling"):
            raise KeyboardInterrupt

    for threads in (1, 2):
        found = ColumnGeneration().solve(noise(), Budget(threads=threads), callback=callback)
        assert found.status is Status.INTERRUPTED
        assert (found.counters["iterations"], found.counters["columns"]) == (0, 0)


def test_another_error_of_the_watch_comes_through():
    def callback(now):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ColumnGeneration(sampling=FEW).solve(noise(), Budget(), callback=callback)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals for threads here")
@pytest.mark.parametrize("finish", ["branch-and-price", "recursion"])
def test_control_c_keeps_the_best_tree(finish):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
    problem = noise(2000, depth=4)
    main = threading.main_thread().ident
    timer = threading.Timer(0.5, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    try:
        found = ColumnGeneration(sampling="all", finish=finish).solve(problem, Budget(seconds=60))
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert found.status is Status.INTERRUPTED


def test_never_worse_than_cart():
    for seed in range(4):
        problem = noise(100, 3, 2, seed)
        cart = Search().solve(problem, Budget(seconds=0.0)).cost
        for pricing in ("exact", "heuristic"):
            found = ColumnGeneration(sampling=FEW, pricing=pricing).solve(problem, Budget(seconds=30))
            assert found.cost <= cart


ONLY_CART = CartSampling(trees=0)
SIZES = [{"min_samples_leaf": 12}, {"min_samples_leaf": 0.15}, {"min_weight_fraction_leaf": 0.2}]


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")  # proved over a sample
@pytest.mark.parametrize("limits", SIZES, ids=["rows", "share", "weight"])
@pytest.mark.parametrize(
    "options",
    [{"solver": ColumnGeneration(sampling=ONLY_CART, warm_start=None)}, {"thresholds": Sampled(ONLY_CART)}],
    ids=["column-generation", "search"],
)
def test_never_worse_than_cart_with_leaves_of_some_size(options, limits):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, weights = rng.normal(size=(60, 3)), rng.integers(1, 4, 60)
        y = (X[:, 0] * X[:, 1] + rng.normal(0, 0.5, 60) > 0).astype(int)
        cart = DecisionTreeClassifier(max_depth=3, random_state=0, **limits).fit(X, y, sample_weight=weights)
        tree = OptimalTreeClassifier(3, **options, **limits).fit(X, y, sample_weight=weights)
        assert tree.cost_ <= weights[cart.predict(X) != y].sum()


def test_the_same_every_time_and_with_any_number_of_threads():
    problem = noise(100, 3, 2)
    for options in ({}, {"finish": "branch-and-price"}, {"pricing": "heuristic"}):
        solver = ColumnGeneration(sampling=FEW, **options)
        one, again, two = (solver.solve(problem, Budget(threads=threads)) for threads in (1, 1, 2))
        assert one.model.same_as(again.model)
        assert one.model.same_as(two.model)
        assert [moment[1:] for moment in one.trace] == [moment[1:] for moment in again.trace]


def test_a_start_from_outside_is_kept():
    problem = noise(100, 3, 2)
    best = Search().solve(problem, Budget())
    found = ColumnGeneration(sampling=CartSampling(trees=0), finish="none").solve(problem, Budget(), start=best.model)
    assert found.cost == best.cost
    assert found.history[0, 1] == best.cost


def test_what_is_claimed_and_warned_of():
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 4)), rng.integers(0, 2, 200)
    sampled = " with questions sampled for each branch"
    tree = OptimalTreeClassifier(max_depth=2, solver=ColumnGeneration(sampling=FEW), thresholds="quantiles(50)")
    which = f" among those with thresholds quantiles(50){sampled}"
    with pytest.warns(
        NotProvedWarning, match=rf"^Optimal over a sample only: no tree{re.escape(which)} costs less than"
    ):
        tree.fit(X, y)
    assert (tree.status_, tree.is_optimal_, tree.solution_.sample) == ("optimal_over_sample", False, sampled)
    assert tree.sample_lower_bound_ == tree.cost_ > tree.lower_bound_
    assert tree.history_[-1, 2] == tree.lower_bound_
    best = OptimalTreeClassifier(max_depth=2, thresholds="quantiles(50)").fit(X, y)
    assert tree.lower_bound_ <= best.cost_ <= tree.cost_
    assert (
        tree.scope_
        == best.scope_
        == ("trees of depth 2 at most; questions about 4 columns with thresholds quantiles(50)")
    )
    assert best.sample_lower_bound_ is None
    assert f"no tree{which} costs less than" in tree._repr_mimebundle_()["text/html"]
    fewer = ColumnGeneration(sampling="class-changes").solve(noise(60, 2, 2), Budget())
    assert fewer.sample == " with thresholds between different classes only"
    tree.set_params(solver=ColumnGeneration(sampling=FEW, pricing="heuristic", finish="none", warm_start=None))
    with pytest.warns(NotProvedWarning, match="finished without a proof.* (fewer than|costs less than|ruled out)"):
        tree.fit(X, y)
    assert tree.status_ == "ended"


def test_reports_are_bounds_over_all_trees():
    problem, seen = noise(100, 3, 2), []
    best = Search().solve(problem, Budget()).cost
    found = ColumnGeneration(sampling=FEW, finish="branch-and-price").solve(problem, Budget(), callback=seen.append)
    assert found.sample_bound == found.cost > best
    assert max(now.bound for now in seen) <= best
    assert (found.history[:, 2] <= best).all()


def test_a_sample_of_all_questions_proves_over_all_trees():
    problem = noise(30, 2, 1)
    questions = [[column, rank] for column in range(2) for rank in range(problem.data.columns[column].n_ranks - 1)]
    found = ColumnGeneration(sampling=Splits(1, (questions,))).solve(problem, Budget())
    assert (found.status, found.sample, found.sample_bound) == (Status.OPTIMAL, "", None)
    assert found.cost == Search().solve(problem, Budget()).cost
    fewer = ColumnGeneration(sampling=Splits(1, (questions[:-1],))).solve(problem, Budget())
    assert (fewer.status, fewer.sample_bound) == (Status.OPTIMAL_OVER_SAMPLE, fewer.cost)


def test_a_sample_cut_short_is_told(monkeypatch):
    clock = iter(np.arange(0.0, 1e6, 0.05).tolist())
    monkeypatch.setattr("exactree.encode.sampling.monotonic", lambda: next(clock))
    found = ColumnGeneration().solve(noise(100, 3, 2), Budget(seconds=3.0))
    assert found.status is Status.OPTIMAL_OVER_SAMPLE
    trees = int(found.counters["sampled_trees"])
    assert 0 < trees < 25
    assert found.sample == f" with questions sampled for each branch ({trees} of 300 trees)"
    again = ColumnGeneration(sampling=FEW).solve(noise(100, 3, 2), Budget())
    assert (again.counters["sampled_trees"], "trees" in again.sample) == (30, False)


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")  # proved over a sample
def test_widely_spread_weights():
    rng = np.random.default_rng(28)
    X, y, spread = rng.random((60, 3)), rng.integers(0, 2, 60), int(rng.integers(4, 9))
    weights = np.exp(rng.normal(0, spread, 60))
    tree = OptimalTreeClassifier(2, solver=ColumnGeneration(pricing="heuristic"))
    tree.fit(X, y, sample_weight=weights)  # HiGHS 1.15 is lost in one of the relaxations
    assert tree.solution_.counters["iterations"] > 0


def test_where_a_relaxation_cannot_be_solved_the_best_tree_is_kept(monkeypatch):
    nothing = np.empty(0)
    lost = LpSolution(MipStatus.NUMERICAL_ERROR, np.inf, nothing, nothing, nothing, 0)
    monkeypatch.setattr("exactree.solve.column_generation.master.Master.solve", lambda master, options: lost)
    found = ColumnGeneration(sampling=FEW, finish="ilp").solve(noise(), Budget())
    assert found.status is Status.ENDED
    assert found.cost <= Search().solve(noise(), Budget(seconds=0.0)).cost


def test_the_trace_has_what_a_picture_needs():
    found = ColumnGeneration(sampling=FEW, finish="ilp").solve(noise(150, 4, 2), Budget())
    seconds, iterations, columns, relaxed, bound, best, proved, is_root = map(np.array, zip(*found.trace, strict=True))
    assert (np.diff(seconds) >= 0).all()
    assert (np.diff(iterations) == 1).all()
    assert (columns > 0).all()
    assert (np.diff(best) <= 0).all()
    assert (bound <= found.cost + 1e-6).all()
    assert (np.diff(proved) >= 0).all()
    assert is_root.all()
    assert np.isfinite(relaxed).all()


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")  # proved over a sample
def test_the_trace_of_branching_keeps_bounds_of_branches_apart():
    rng = np.random.default_rng(0)
    X, y, groups = rng.random((60, 3)), rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    fair = Fairness("demographic_parity", at_most=0.05, groups=groups)
    solver = ColumnGeneration(sampling=FEW, finish="branch-and-price")
    found = OptimalTreeClassifier(max_depth=3, solver=solver, constraints=[fair]).fit(X, y).solution_
    assert (found.status, found.sample_bound) == (Status.OPTIMAL_OVER_SAMPLE, found.cost)
    assert [now.is_root for now in found.trace] == sorted((now.is_root for now in found.trace), reverse=True)
    assert not found.trace[-1].is_root
    *rounds, last = found.trace
    assert max(now.bound for now in rounds) > max(now.proved for now in rounds)
    assert max(now.proved for now in rounds) <= found.cost
    # What is proved in the end has a moment of its own.
    assert (last.iteration, last.best, last.proved, last.bound) == (rounds[-1].iteration, 9.0, 9.0, -np.inf)
    assert last.seconds >= rounds[-1].seconds


WRONG = [
    ({"sampling": "some"}, r"CartSampling\(\.\.\.\), Splits\(\.\.\.\), 'class-changes' or 'all'; got 'some'\."),
    ({"pricing": "cheap"}, r"pricing must be one of exact, heuristic, milp; got 'cheap'\."),
    ({"rows": "few"}, r"rows must be one of lazy, all; got 'few'\."),
    ({"finish": "never"}, r"finish must be one of auto, ilp, branch-and-price, recursion, none; got 'never'\."),
    ({"consistency": "leaf"}, r"consistency must be one of node, prefix; got 'leaf'\."),
    ({"smoothing": 1.0}, r"smoothing must be a number from 0 to less than 1; got 1\.0\."),
    ({"warm_start": "luck"}, r"warm_start must be 'cart', 'search' or None; got 'luck'\."),
    ({"backend": "abacus"}, r"Unknown backend 'abacus'"),
    ({"sampling": np.array(["all", "all"])}, r"sampling must be CartSampling\(\.\.\.\), Splits"),
    ({"pricing": np.array(["exact", "milp"])}, r"pricing must be one of exact, heuristic, milp; got array"),
    ({"warm_start": np.array(["cart", "cart"])}, r"warm_start must be 'cart', 'search' or None; got array"),
    ({"backend": np.array(["highs", "highs"])}, r"Unknown backend array"),
    ({"smoothing": True}, r"smoothing must be a number from 0 to less than 1; got True\."),
    ({"seed": -1}, r"seed must be an integer from 0 to 2147483647; got -1\."),
    ({"seed": "a"}, r"seed must be an integer from 0 to 2147483647; got 'a'\."),
    ({"seed": 1.5}, r"seed must be an integer from 0 to 2147483647; got 1\.5\."),
    ({"pricing": "heuristic", "finish": "branch-and-price"}, r"finish='branch-and-price' would not end\. Use pricing="),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_wrong_options(options, message):
    with pytest.raises(InputError, match=message):
        ColumnGeneration(**options)


def test_numbers_of_numpy_are_numbers():
    solver = ColumnGeneration(
        smoothing=np.float32(0.5), seed=np.int64(3), sampling=CartSampling(trees=5, share=[0.9, 0.5])
    )
    assert solver.sampling == CartSampling(trees=5, share=(0.9, 0.5))
    assert solver.solve(noise(60, 2, 2), Budget()).status is Status.OPTIMAL_OVER_SAMPLE


ONE, NONE = np.array([[0, 1]]), np.empty((0, 2), dtype=np.int64)
BAD_SPLITS = [
    (Splits("2", (ONE,) * 3), r"The depth of splits must be an integer, 1 or more; got '2'\."),
    (Splits(2, ()), r"Splits of depth 2 have a list of questions for each of 3 nodes.*; got 0 lists\."),
    (Splits(2, (ONE,) * 2), r"for each of 3 nodes, children of node j at 2j \+ 1 and 2j \+ 2; got 2 lists\."),
    (
        Splits(2, (ONE, ONE + 0.5, ONE)),
        r"of node 1 must be integers of shape \(n, 2\).*got float64",
    ),
    (Splits(2, (ONE, ONE, ONE[0])), r"of node 2 must be integers of shape \(n, 2\).*got int64 of shape \(2,\)"),
    (
        Splits(2, (ONE, ONE, -ONE)),
        r"The splits have the question \(0, -1\), which the data does not have: its columns are 0 to",
    ),
    (Splits(2, None), r"for each of 3 nodes.*; got None\."),
    (Splits(2, (ONE, None, None)), r"of node 1 must be integers of shape \(n, 2\).*got object of shape \(\)"),
    (Splits(2, ([[0, 0], [1]], NONE, NONE)), r"of node 0 must be integers of shape \(n, 2\)"),
    (Splits(2, (NONE, ONE, ONE)), r"questions for node 1, but none for node 0 above it.*leave out the nodes below"),
]


@pytest.mark.parametrize(("splits", "message"), BAD_SPLITS)
def test_splits_that_are_none(splits, message):
    with pytest.raises(InputError, match=message):
        ColumnGeneration(sampling=splits).solve(noise(60, 2, 2), Budget())


def test_splits_as_lists_and_with_leaves_above():
    lists = Splits(2, ([[0, 20], [1, 30]], [[1, 10]], []))
    arrays = Splits(2, (np.array(lists.nodes[0]), np.array(lists.nodes[1]), NONE))
    one, other = (ColumnGeneration(sampling=splits).solve(noise(60, 2, 2), Budget()) for splits in (lists, arrays))
    assert one.status is other.status is Status.OPTIMAL_OVER_SAMPLE
    assert one.cost == other.cost


def test_what_is_refused():
    data = noise().data
    shallow = sampled_splits(data, 2, FEW)
    with pytest.raises(InputError, match=r"The splits are for depth 2, but trees of depth 3 are requested\."):
        ColumnGeneration(sampling=shallow).solve(noise(), Budget())
    strange = Splits(3, (np.array([[0, 9999]]),) * 7)
    with pytest.raises(InputError, match=r"The splits have the question \(0, 9999\), which the data does not have"):
        ColumnGeneration(sampling=strange).solve(noise(), Budget())
    held = Problem(data, accuracy(data), Limits(2), tuple(FalseNegatives(5, 1).limits(data)))
    with pytest.raises(InputError, match=r"finish='recursion'\) takes no constraints and no limit on leaves"):
        ColumnGeneration(sampling=FEW, finish="recursion").solve(held, Budget())
    with pytest.raises(Unsupported, match=r"would have \d+ consistency rows, more than 1000000\. Sample"):
        ColumnGeneration(sampling="all", consistency="prefix").solve(noise(), Budget())
    with pytest.raises(Unsupported, match=r"consistency='prefix' lists all paths, and a leaf has more than"):
        ColumnGeneration(sampling="all", consistency="prefix").solve(noise(60, 5, 2), Budget())


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")  # proved over a sample
@pytest.mark.skipif("cp-sat" not in installed(), reason="CP-SAT is not installed")
def test_cp_sat_takes_constraints_in_integers_and_refuses_others_at_once():
    rng = np.random.default_rng(1)
    X, y = rng.random((80, 3)), rng.integers(0, 2, 80)
    weights = rng.integers(1, 4, 80)
    costs = []
    for backend in ("cp-sat", "highs"):
        solver = ColumnGeneration(sampling=FEW, backend=backend, finish="ilp")
        tree = OptimalTreeClassifier(2, constraints=[FalseNegatives(at_most=2)], solver=solver)
        costs.append(tree.fit(X, y, sample_weight=weights).cost_)
        assert tree.solution_.counters["program_columns"] > 0
    assert costs[0] == costs[1]
    seen = []
    data = encode(Table.of(X), y, sample_weight=weights * rng.random(80))  # parts of no common unit
    held = Problem(data, accuracy(data), Limits(2), tuple(FalseNegatives(2, 1).limits(data)))
    with pytest.raises(Unsupported, match=r"backend='cp-sat' cannot take this MIP"):
        ColumnGeneration(sampling=FEW, backend="cp-sat").solve(held, Budget(), callback=seen.append)
    assert not any(now.details.startswith("iteration") for now in seen)


@pytest.mark.skipif(not FOLDER, reason="EXACTREE_DATA does not name the folder of the papers' tables")
@pytest.mark.parametrize(("depth", "published"), [(2, 78.8), (3, 81.2)])
def test_pima_as_published(depth, published):
    shares = []
    for number in range(5):
        frame = pd.read_csv(Path(FOLDER) / "splits" / "pima-indians-diabetes" / f"train{number}.csv.gz")
        data = encode(Table.of(frame.drop(columns="class")), frame["class"])
        problem = Problem(data, accuracy(data), Limits(depth))
        found = ColumnGeneration(finish="recursion").solve(problem, Budget())
        assert found.status is Status.OPTIMAL_OVER_SAMPLE
        shares.append(1 - found.cost / len(frame))
    assert 100 * np.mean(shares) == pytest.approx(published, abs=0.5)  # other samples of rows, other questions


@pytest.mark.parametrize("finish", ["auto", "ilp"])
def test_deep_trees(finish):
    rng = np.random.default_rng(0)
    solver = ColumnGeneration(sampling=CartSampling(trees=5), finish=finish)
    tree = OptimalTreeClassifier(10, solver=solver).fit(rng.random((60, 3)), rng.integers(0, 2, 60))
    assert (tree.status_, tree.cost_) == ("optimal", 0)


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")  # proved over a sample
@pytest.mark.parametrize("depth", [13, 20, 39])
def test_trees_deeper_than_lists_are_no_worse_than_cart(depth):
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2  # CART cuts off a row at a time
    cart = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    missed = (cart.predict(X) != y).sum()
    tree = OptimalTreeClassifier(depth, solver=ColumnGeneration(sampling=CartSampling(trees=5))).fit(X, y)
    assert tree.cost_ <= missed
    assert tree.cost_ == (tree.predict(X) != y).sum()
    proved = tree.cost_ == 0  # no deeper tree can be better
    assert (tree.status_, tree.solution_.sample.endswith("of depth 12 at most")) == (
        ("optimal", False) if proved else ("optimal_over_sample", True)
    )


def test_no_tree_of_the_lists_is_not_no_tree_at_all():
    X, y = np.vstack([np.zeros(13), np.eye(13)]), np.array([1] + [0] * 13)  # takes 13 questions on one path
    no_error = [FalseNegatives(at_most=0, positive=1), FalseNegatives(at_most=0, positive=0)]
    solver = ColumnGeneration(sampling=CartSampling(trees=5), warm_start=None, finish="ilp")
    which = "with questions sampled for each branch, of depth 12 at most"
    with pytest.raises(InputError, match=f"{which} satisfies all constraints; one with other questions may") as error:
        OptimalTreeClassifier(13, solver=solver, constraints=no_error, time_limit=30).fit(X, y)
    assert not isinstance(error.value, Infeasible)
    tree = OptimalTreeClassifier(13, solver=replace(solver, warm_start="cart"), constraints=no_error, time_limit=30)
    assert tree.fit(X, y).cost_ == 0
