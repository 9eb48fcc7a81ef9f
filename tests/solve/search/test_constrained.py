"""Side constraints by exact search: Lagrangian relaxation and listing, against enumeration of all answers."""

import numpy as np
import pytest

from exactree import Fairness, FalseNegatives, LeafAccuracy, OptimalTreeClassifier, Search
from exactree.encode import encode
from exactree.errors import Infeasible, InputError, Unsupported
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Progress, Status, solve
from exactree.solve.brute_force import Exhaustive
from exactree.solve.run_state import RunState
from exactree.solve.search.constrained.amounts import GroupAmounts
from exactree.solve.search.constrained.solver import ConstrainedSearch
from exactree.table import Table
from exactree.testing.constrained_problems import constrained_problem

LIMITED = Budget(seconds=120.0)


def table(n_rows=400, n_columns=6, seed=0):
    """Numbers, labels that depend on them, and a group that does too."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).round(2)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 0.7, n_rows) > 0).astype(int)
    return X, y, (X[:, 0] + rng.normal(0, 1, n_rows) > 0).astype(int)


def cost_or_none(solver, problem):
    """Return the lowest cost; without a limit on time, since an enumeration that is stopped proves nothing."""
    try:
        return solver.solve(problem, Budget()).cost
    except Infeasible:
        return None


@pytest.mark.each("seed", range(400))
def test_agrees_with_enumeration(seed):
    problem = constrained_problem(seed)
    expected = cost_or_none(Exhaustive(), problem)
    if expected is None:
        with pytest.raises(Infeasible):
            Search().solve(problem, LIMITED)
    else:
        found = Search().solve(problem, LIMITED)
        assert found.status is Status.OPTIMAL
        assert found.cost == pytest.approx(expected, abs=max(problem.tolerance, 1e-9))


def test_random_problems_are_of_all_kinds():
    problems = [constrained_problem(seed) for seed in range(400)]
    assert sum(cost_or_none(Exhaustive(), problem) is None for problem in problems[:120]) >= 5
    assert sum(bool(problem.soft) for problem in problems) >= 40
    assert sum(bool(problem.on_leaves) for problem in problems) >= 20
    assert sum(bool(problem.priced_on_leaves) for problem in problems) >= 20


@pytest.mark.each("seed", range(12))
def test_a_stopped_search_has_a_valid_bound_and_an_allowed_tree(seed):
    problem = constrained_problem(seed + 3 * (seed % 2))
    if (best := cost_or_none(Exhaustive(), problem)) is None:
        return
    for n_calls in (1, 2, 3, 5):
        seen = []

        def stop(progress, n_calls=n_calls, seen=seen):
            seen.append(progress)
            return len(seen) >= n_calls

        found = solve(problem, "search", callback=stop)
        assert problem.violations(found.model) == []
        assert found.bound <= best + problem.tolerance
        assert found.cost >= best - problem.tolerance


def test_depth_two_agrees_with_plain_enumeration():
    """Every pair of questions and every labelling, in NumPy."""
    X, y, group = table(120, 3, seed=2)
    X = X.round(1)
    data = encode(Table.of(X), y)
    for at_most in (0.0, 0.05, 0.2):
        limits = tuple(Fairness("demographic_parity", at_most, groups=group).limits(data))
        problem = Problem(data, accuracy(data), Limits(2), limits)
        assert Search().solve(problem, LIMITED).cost == cheapest_by_enumeration(data, group, at_most)


def cheapest_by_enumeration(data, group, at_most):
    """Fewest errors of trees of depth two whose rates differ by at most so much."""
    asks = np.array(
        [column.ranks[data.point_of] <= cut for column in data.columns for cut in range(column.n_ranks - 1)]
    )
    sizes = np.bincount(group)
    one = np.stack([data.labels == 0, data.labels == 1, group == 0, group == 1]).astype(float)
    best = min((data.labels == 0).sum(), (data.labels == 1).sum())
    for root in asks:
        sides = []
        for side in (root, ~root):
            inside = one * side
            counts = (asks[:, None, :] * inside[None]).sum(axis=2)  # questions x (class 0, class 1, group 0, group 1)
            others = inside.sum(axis=1) - counts
            answers = []
            for yes in (0, 1):
                for no in (0, 1):
                    errors = counts[:, 1 - yes] + others[:, 1 - no]
                    positive = yes * counts[:, 2:] + no * others[:, 2:]
                    answers.append(np.column_stack([errors, positive]))
            sides.append(np.unique(np.concatenate(answers), axis=0))
        errors = sides[0][:, None, 0] + sides[1][None, :, 0]
        rates = (sides[0][:, None, 1:] + sides[1][None, :, 1:]) / sizes
        fits = np.abs(rates[..., 0] - rates[..., 1]) <= at_most + 1e-9
        best = min(best, errors[fits].min(initial=np.inf))
    return best


def test_auto_is_the_search_and_proves():
    X, y, group = table()
    tree = OptimalTreeClassifier(max_depth=2, constraints=[Fairness("demographic_parity", 0.05, groups=group)]).fit(
        X, y
    )
    free = OptimalTreeClassifier(max_depth=2).fit(X, y)
    predicted = tree.predict(X)
    assert tree.status_ == "optimal"
    assert tree.cost_ > free.cost_
    assert abs(predicted[group == 0].mean() - predicted[group == 1].mean()) <= 0.05 + 1e-6


def test_bounds_and_costs_of_the_history_approach_each_other():
    X, y, group = table(300)
    constraint = Fairness("equalized_odds", 0.05, groups=group)
    history = OptimalTreeClassifier(max_depth=2, constraints=[constraint]).fit(X, y).history_
    assert (np.diff(history[:, 1]) <= 0).all()
    assert (np.diff(history[:, 2]) >= 0).all()
    assert history[-1, 1] == history[-1, 2]


def test_a_price_of_nothing_is_no_constraint_and_a_high_one_is_hard():
    X, y, group = table(200, 3)
    free = OptimalTreeClassifier(max_depth=2).fit(X, y)
    hard = OptimalTreeClassifier(max_depth=2, constraints=Fairness("demographic_parity", 0.1, groups=group)).fit(X, y)
    for price, expected in ((0.0, free.cost_), (50.0, hard.cost_)):
        soft = Fairness("demographic_parity", 0.1, price=price, groups=group)
        assert OptimalTreeClassifier(max_depth=2, constraints=soft).fit(X, y).cost_ == pytest.approx(expected)


def test_the_price_is_that_of_the_largest_difference():
    X, y, group = table(200, 3)
    soft = Fairness("demographic_parity", price=0.3, groups=group)
    tree = OptimalTreeClassifier(max_depth=2, constraints=soft).fit(X, y)
    predicted = tree.predict(X)
    apart = abs(predicted[group == 0].mean() - predicted[group == 1].mean())
    assert tree.cost_ == pytest.approx((predicted != y).sum() + 0.3 * len(y) * apart)


def test_groups_may_overlap():
    X, y, group = table(200, 3)
    older = X[:, 1] > 0
    groups = {"first": group == 1, "older": older}
    tree = OptimalTreeClassifier(max_depth=2, constraints=Fairness("demographic_parity", 0.02, groups=groups)).fit(X, y)
    predicted = tree.predict(X)
    assert (group == 1)[older].any()
    assert abs(predicted[group == 1].mean() - predicted[older].mean()) <= 0.02 + 1e-6


@pytest.mark.each("name", ["shape", "values", "one"])
def test_wrong_overlapping_groups(name):
    groups, message = {
        "shape": ({"a": [True], "b": [True]}, r"groups\['a'\] has the shape \(1,\); expected one truth value for each"),
        "values": ({"a": [2] * 40, "b": [1] * 40}, r"groups\['a'\] must hold truth values"),
        "one": ({"a": [True] * 40}, r"groups has 1 entries; expected 2 to 20, since every two are compared"),
    }[name]
    X, y, _ = table(40, 3)
    with pytest.raises(InputError, match=message):
        OptimalTreeClassifier(constraints=Fairness("demographic_parity", 0.1, groups=groups)).fit(X, y)


def test_a_wrong_price_is_named():
    X, y, group = table(40, 3)
    with pytest.raises(InputError, match=r"Fairness\(price=-1\) must be a number, 0 or more, or None for no price"):
        OptimalTreeClassifier(constraints=Fairness("demographic_parity", price=-1, groups=group)).fit(X, y)


def test_mips_refuse_a_price():
    X, y, group = table(40, 3)
    soft = Fairness("demographic_parity", price=1, groups=group)
    with pytest.raises(Unsupported, match=r"'binoct' cannot .* constraints with a price, .*Able: search"):
        OptimalTreeClassifier(constraints=soft, solver="binoct").fit(X, y)


@pytest.mark.each("depth", [1, 2, 3, 4])
def test_where_no_answer_costs_anything_constraints_and_prices_decide(depth):
    """Two leaves with one label are good enough, one leaf of all rows is not."""
    X, y = [[0.0], [0.0], [0.0], [1.0], [1.0], [1.0], [1.0]], [0, 0, 1, 1, 1, 0, 0]
    rules = [FalseNegatives(0, positive=1), LeafAccuracy(0.5, price=0.1, small=4, errors=2)]
    free = {"max_depth": depth, "cost_matrix": [[0, 0], [0, 0]]}
    for constraints, cost in ((rules, 0.0), ([*rules[:1], LeafAccuracy(0.5, price=0.1)], 0.7), (rules[:1], 0.0)):
        tree = OptimalTreeClassifier(constraints=constraints, **free).fit(X, y)
        found = OptimalTreeClassifier(constraints=constraints, solver="exhaustive", **free).fit(X, y)
        assert (tree.status_, tree.cost_) == ("optimal", pytest.approx(cost))
        assert found.cost_ == pytest.approx(cost)


def test_a_price_of_nothing_where_no_answer_costs_anything():
    X, y, group = table(40, 3)
    nothing = Fairness("equalized_odds", 0.5, groups=group, price=0.0)
    free = {"max_depth": 2, "cost_matrix": [[0, 0], [0, 0]], "time_limit": None}
    assert OptimalTreeClassifier(constraints=[nothing, FalseNegatives(3)], **free).fit(X, y).cost_ == 0
    never = [nothing, FalseNegatives(0, positive=0), FalseNegatives(0, positive=1)]
    with pytest.raises(Infeasible):
        OptimalTreeClassifier(constraints=never, **free).fit(X, y)


def test_infeasible_is_proved_and_said():
    X, y, _ = table(60, 3)
    never = [FalseNegatives(0, positive=0), FalseNegatives(0, positive=1)]
    with pytest.raises(Infeasible, match=r"No tree within the limits satisfies all constraints\. Allow more of any"):
        OptimalTreeClassifier(max_depth=2, constraints=never).fit(X, y)


def test_no_time_still_gives_an_allowed_tree():
    X, y, group = table(3000, 8)
    with pytest.warns(match="time"):
        tree = OptimalTreeClassifier(
            max_depth=4, time_limit=0.0, constraints=Fairness("demographic_parity", 0.01, groups=group)
        ).fit(X, y)
    predicted = tree.predict(X)
    assert tree.status_ == "time_limit"
    assert abs(predicted[group == 0].mean() - predicted[group == 1].mean()) <= 0.01 + 1e-6


def test_the_callback_stops_a_relaxed_problem():
    X, y, group = table(2000)
    stages = []

    def watch(progress: Progress):
        stages.append(progress.stage)
        return progress.stage == "relaxation"

    fair = Fairness("equalized_odds", 0.01, groups=group)
    with pytest.warns(match="callback"):
        tree = OptimalTreeClassifier(max_depth=4, constraints=fair).fit(X, y, callback=watch)
    assert tree.status_ == "interrupted"
    assert stages.count("relaxation") == 1


def test_limits_on_leaves_and_answers_together():
    X, y, group = table(200, 3)
    rules = [Fairness("demographic_parity", 0.1, groups=group), LeafAccuracy(0.6)]
    tree = OptimalTreeClassifier(max_depth=2, constraints=rules).fit(X, y)
    right = [(y == tree.predict(X))[tree.apply(X) == leaf].mean() for leaf in np.unique(tree.apply(X))]
    assert tree.status_ == "optimal"
    assert min(right) >= 0.6


def test_two_limits_of_opposite_sign_are_one_sum():
    X, y, group = table(60, 3)
    data = encode(Table.of(X), y)
    limits = tuple(Fairness("demographic_parity", 0.1, groups=group).limits(data))
    amounts = GroupAmounts(Problem(data, accuracy(data), Limits(2), limits))
    assert (amounts.n_sums, [side.sign for side in amounts.sides]) == (1, [1, -1])


@pytest.mark.each("seed", range(150))
def test_relaxed_bounds_never_exceed_the_optimum(seed):
    problem = constrained_problem(seed)
    best = cost_or_none(Exhaustive(), problem)
    search = ConstrainedSearch(RunState(problem, LIMITED, None), problem)
    search._begin(None)
    search._raise_multipliers(search.depth)
    if best is not None and search.best is not None:  # the bound of the run itself is never above the incumbent
        assert search.best.bound <= best + max(problem.tolerance, 1e-9)


@pytest.mark.each("seed", range(30))
def test_sums_are_those_of_the_limits(seed):
    problem = constrained_problem(seed)
    amounts, rng = GroupAmounts(problem), np.random.default_rng(seed)
    label, leaf = rng.integers(amounts.n_classes, size=amounts.n_groups), rng.integers(3, size=amounts.n_groups)
    groups = np.arange(amounts.n_groups)
    sums = amounts.sums[groups, label]
    by_sum = rng.normal(size=amounts.n_sums)
    assert amounts.charges(by_sum)[groups, label] == pytest.approx(sums @ by_sum)
    for at in range(3):
        of_leaf = amounts.sums_of(leaf, 3)[at]
        assert (of_leaf == amounts.sums[leaf == at].sum(axis=0)).all()
    limits = [*problem.on_answers, *(limit for soft in problem.soft for limit in soft.limits)]
    for limit, side in zip(limits, amounts.sides, strict=True):
        reached = side.sign * sums[:, side.sum].sum() / side.unit
        assert reached == pytest.approx(limit.measure(label[amounts.group_of_row]), abs=1e-6)


def test_without_time_for_the_limits_a_leaf_or_the_start_is_returned():
    X, y, group = table(200, 3)
    data = encode(Table.of(X), y)
    limits = tuple(Fairness("demographic_parity", 0.1, groups=group).limits(data))
    problem = Problem(data, accuracy(data), Limits(2), limits)
    found = solve(problem, "search", Budget(seconds=0.0))
    assert (found.status, found.model.n_leaves) == (Status.TIME_LIMIT, 1)
    assert problem.violations(found.model) == []
    start = solve(problem, "search").model
    assert problem.cost(solve(problem, "search", Budget(seconds=0.0), start=start).model) == problem.cost(start)


def test_writing_thousands_of_limits_obeys_the_time_limit(monkeypatch):
    X, y, group = table(200, 3)
    monkeypatch.setattr("exactree.estimators.parameters.GRACE", -1.0)
    rule = Fairness("demographic_parity", 0.1, groups=group)
    with pytest.raises(InputError, match=r"time_limit=0 was over while the constraints were written, after 1 limits"):
        OptimalTreeClassifier(max_depth=1, time_limit=0, constraints=[rule]).fit(X, y)
