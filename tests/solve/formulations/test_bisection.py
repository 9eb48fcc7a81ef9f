"""XCT by bisection: tested against enumeration, and against back ends that run out of time, round, or are stopped."""

from fractions import Fraction

import numpy as np
import pytest

from exactree import XCT, OptimalTreeClassifier
from exactree.encode import encode
from exactree.errors import Unsupported
from exactree.mip import MipResult, MipStatus, backend_for, installed
from exactree.problem import Limits, Problem, leaf_accuracy
from exactree.solve import Budget, Exhaustive, Status
from exactree.solve.formulations.common.run import RunOptions
from exactree.solve.formulations.xct import bisection
from exactree.solve.formulations.xct.bisection import Bisection, PossibleAccuracies, StepOutcome
from exactree.table import Table

SIX = ([[0.0], [0.2], [0.4], [0.6], [0.8], [1.0]], [0, 0, 1, 1, 0, 0])
SLOW = RunOptions("highs", None)
BACKENDS = [name for name in installed() if name != "gurobi"]


def problem_of(X, y, limits, **options):
    data = encode(Table.of(X), y, **options)
    return Problem(data, leaf_accuracy(data), limits)


def random_problem(seed, weights="whole"):
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(5, 12)), int(rng.integers(1, 3)), int(rng.integers(2, 4))
    X, y = rng.integers(0, 4, size=(n, p)).astype(float), rng.integers(0, k, size=n)
    whole = rng.integers(1, 4, size=n)
    options = {"sample_weight": (None, whole, whole / 10)[seed % 3]}
    if seed % 4 == 3:
        options["class_weight"] = "balanced"
    if weights == "float":
        options = {"sample_weight": rng.random(n) + 0.1}
    limits = Limits(int(rng.integers(1, 3)), min_samples_leaf=int(rng.integers(1, 4)))
    return problem_of(X, y, limits, **options)


def worst_leaf(problem):
    return 1 - Exhaustive().solve(problem, Budget()).cost


def agrees(problem, backend):
    found = XCT("halving", backend=backend).solve(problem, Budget(seconds=60))
    assert found.status is Status.OPTIMAL
    assert 1 - found.cost == pytest.approx(worst_leaf(problem), abs=1e-6)
    assert (np.diff(found.history[:, 1]) <= 0).all()
    assert (np.diff(found.history[:, 2]) >= 0).all()
    assert (found.history[:, 2] <= found.cost + 1e-9).all()
    return found


@pytest.mark.each("seed", range(60))
def test_as_good_as_trying_everything(seed):
    agrees(random_problem(seed), "highs")


@pytest.mark.parametrize("backend", [name for name in BACKENDS if name != "highs"])
@pytest.mark.each("seed", range(12))
def test_on_other_back_ends(seed, backend):
    agrees(random_problem(seed), backend)


@pytest.mark.each("seed", range(20))
def test_weights_that_are_not_whole_are_finished_by_the_program(seed):
    found = agrees(random_problem(seed, weights="float"), "highs")
    assert found.counters["steps_unanswered"] == 0


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.each(("depth", "least", "worth"), [(1, 1, 4 / 6), (2, 1, 1.0), (2, 2, 1.0), (2, 3, 4 / 6)])
def test_six_points(depth, least, worth, backend):
    found = XCT("halving", backend=backend).solve(problem_of(*SIX, Limits(depth, min_samples_leaf=least)), Budget())
    assert 1 - found.cost == pytest.approx(worth, abs=1e-9)


def test_the_last_fraction_but_one_is_not_taken_for_the_last():
    # 13 of 14 are 0.9286, 14 of 15 are 0.9333: the best tree has the latter, and no share lies between it and the next.
    X = np.r_[np.zeros(15), np.ones(16)][:, None]
    problem = problem_of(X, [0] * 14 + [1] + [1] * 15 + [0], Limits(1))
    found = XCT("halving", backend="highs").solve(problem, Budget())
    assert Fraction(1 - found.cost).limit_denominator(31) == Fraction(14, 15)
    assert found.status is Status.OPTIMAL


def test_values_of_the_worst_leaf():
    six, any_share = PossibleAccuracies(6), PossibleAccuracies(None)
    assert six.nearest(2 / 3 + 1e-12) == Fraction(2, 3)
    assert [six.beyond(Fraction(2, 3)), six.below(Fraction(1))] == [Fraction(3, 4), Fraction(5, 6)]
    assert six.middle(Fraction(4, 5), Fraction(5, 6)) == Fraction(5, 6)
    assert any_share.middle(Fraction(1, 2), Fraction(1)) == Fraction(3, 4)


@pytest.mark.each("seed", range(20))
def test_what_is_possible_at_most(seed):
    problem = random_problem(seed, weights=("whole", "float")[seed % 2])
    assert worst_leaf(problem) <= float(bisection._possible_accuracies(problem)[1]) + 1e-9


class Oracle(Bisection):
    """Knows what the best worst leaf is worth, and shows no tree better than it is asked for."""

    best = Fraction(0)

    def step(self, share, *, all_time):
        if share > self.best:
            return StepOutcome.REFUTED, None
        self.state.cost = 1.0 - float(share)
        return StepOutcome.FOUND, None


@pytest.mark.parametrize("units", [6, 13])
def test_every_value_is_found_by_bisection(units):
    X = np.arange(units)[:, None]  # all different: the mean may be 1
    problem = problem_of(X, np.arange(units) % 2, Limits(2))
    for best in sorted({Fraction(a, b) for b in range(1, units + 1) for a in range(b // 2, b + 1)}):
        oracle = Oracle(problem, Budget(), SLOW, None)
        oracle.state.cost, oracle.best = 1.0, best
        assert oracle.run() is Status.OPTIMAL
        assert (oracle.low, oracle.high) == (best, best)


class Tired:
    """A back end that has no time for some of the questions; it notes how much it was given."""

    name = "tired"

    def __init__(self, answers):
        self.answers, self.seconds = answers, []

    def solve(self, program, options, callback=None):
        self.seconds.append(options.seconds)
        if not self.answers(len(self.seconds)):
            return MipResult(MipStatus.TIME_LIMIT, None, np.inf, 0.0)
        return backend_for(program, "highs").solve(program, options, callback)


def tired(monkeypatch, answers):
    backend = Tired(answers)
    monkeypatch.setattr(bisection, "backend_for", lambda program, name: backend)
    return backend


@pytest.mark.each("seed", range(20))
def test_no_answer_is_not_taken_for_a_proof(seed, monkeypatch):
    problem = random_problem(seed)
    highest = bisection._possible_accuracies(problem)[1]
    tired(monkeypatch, lambda step: False)
    found = XCT("halving").solve(problem, Budget())
    if found.status is Status.OPTIMAL:  # the start is as good as can be
        assert found.counters["steps_unanswered"] == 0
        return
    assert found.status is Status.TIME_LIMIT
    assert found.counters["steps_refuted"] == 0 < found.counters["steps_unanswered"]
    assert 1 - found.bound == pytest.approx(float(highest))


@pytest.mark.parametrize("period", [2, 3])
@pytest.mark.each("seed", range(40))
def test_a_bound_holds_whatever_was_not_answered(seed, period, monkeypatch):
    problem = random_problem(seed)
    tired(monkeypatch, lambda step: (step + seed) % period)
    found = XCT("halving").solve(problem, Budget())
    best = 1 - worst_leaf(problem)
    assert found.bound <= best + 1e-9 <= found.cost + 2e-9
    assert (found.status is Status.OPTIMAL) == (found.bound == found.cost)


def test_time_is_divided_among_the_steps(monkeypatch):
    backend = tired(monkeypatch, lambda step: False)
    XCT("halving").solve(problem_of(*SIX, Limits(1)), Budget(seconds=1000.0))
    *steps, last = backend.seconds
    assert len(steps) > 1
    assert max(steps) < 200  # 0.001 of a third is reached after nine halvings
    assert last > 900  # of which nobody took any


def test_the_time_limit_keeps_the_best_tree():
    problem = problem_of(*SIX, Limits(1))
    found = XCT("halving").solve(problem, Budget(seconds=0.0))
    assert (found.status, found.bound) == (Status.TIME_LIMIT, 0.0)
    assert 1 - found.cost == pytest.approx(4 / 6)


def stopped(problem, **options):
    return XCT("halving").solve(problem, Budget(seconds=0.0), **options)


def test_a_start_is_kept():
    problem = next(p for p in map(random_problem, range(100)) if stopped(p).cost > 1 - worst_leaf(p) + 1e-6)
    best = Exhaustive().solve(problem, Budget())
    found = stopped(problem, start=best.model)
    assert found.cost == best.cost < stopped(problem).cost


@pytest.mark.parametrize("after", [1, 2, 3])
def test_ctrl_c_keeps_the_best_tree(after):
    rng = np.random.default_rng(3)
    problem = problem_of(rng.random((14, 2)), rng.integers(0, 2, 14), Limits(2, min_samples_leaf=2))
    seen = []

    def stop(progress):
        seen.append(progress)
        if len(seen) == after:
            raise KeyboardInterrupt

    found = XCT("halving", backend="highs").solve(problem, Budget(), callback=stop)
    assert found.status is Status.INTERRUPTED
    assert problem.violations(found.model) == []
    assert found.bound <= 1 - worst_leaf(problem) + 1e-9
    assert found.cost == pytest.approx(min(progress.cost for progress in seen))


class Short:
    """A back end that takes the first tree it is shown for one that is good enough."""

    name = "short"

    def __init__(self):
        self.values = None

    def solve(self, program, options, callback=None):
        answer = backend_for(program, "highs").solve(program, options, callback)
        if self.values is None and answer.values is not None:
            self.values = answer.values
        if self.values is not None and answer.values is None:
            return MipResult(MipStatus.GAP_REACHED, self.values, 1.0, 0.0)
        return answer


@pytest.mark.each("seed", range(12))
def test_a_back_end_that_rounds_does_not_go_on_for_ever(seed, monkeypatch):
    problem, short = random_problem(seed), Short()
    monkeypatch.setattr(bisection, "backend_for", lambda program, name: short)
    found = XCT("halving").solve(problem, Budget())
    assert found.status is Status.OPTIMAL
    assert 1 - found.cost == pytest.approx(worst_leaf(problem), abs=1e-6)


def test_a_gap_is_enough():
    # Half is found, three quarters are refuted: no tree saves more than half of the cost.
    oracle = Oracle(problem_of(np.arange(13)[:, None], np.arange(13) % 2, Limits(2)), Budget(gap=0.5), SLOW, None)
    oracle.state.cost, oracle.best = 1.0, Fraction(7, 13)
    assert oracle.run() is Status.GAP_REACHED
    assert (oracle.low, oracle.high) == (Fraction(1, 2), Fraction(8, 11))
    assert oracle.counters == {"steps_found": 1, "steps_refuted": 1, "steps_unanswered": 0}


def test_cp_sat_takes_whole_weights_only():
    if "cp-sat" not in installed():
        pytest.skip("ortools is not installed")
    with pytest.raises(Unsupported, match="backend='cp-sat' cannot take this MIP"):
        XCT("halving", backend="cp-sat").solve(random_problem(2, weights="float"), Budget())


def test_nothing_to_ask():
    found = XCT("halving").solve(problem_of([[1.0]] * 3, [0, 0, 1], Limits(2)), Budget())
    assert (found.status, found.model.n_leaves) == (Status.OPTIMAL, 1)


def test_what_is_known_at_first():
    problem = problem_of([[0.0], [0.0], [1.0], [1.0]], [0, 1, 1, 1], Limits(1))
    begun = Bisection(problem, Budget(), SLOW, None)
    assert (begun.values, begun.high) == (PossibleAccuracies(4), Fraction(3, 4))


def test_through_the_estimator():
    tree = OptimalTreeClassifier(2, objective="leaf_accuracy", min_samples_leaf=2, solver=XCT("halving")).fit(*SIX)
    assert (tree.status_, tree.cost_) == ("optimal", 0.0)
