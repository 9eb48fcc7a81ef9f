"""A least accuracy of every leaf, hard and soft: tested against trying everything, in fractions."""

from fractions import Fraction

import numpy as np
import pytest

from exactree import OCT, BinOCT, Exhaustive, LeafAccuracy, OptimalDiagramClassifier, OptimalTreeClassifier
from exactree.encode import encode
from exactree.errors import Infeasible, InputError, Unsupported
from exactree.mip import Mip, installed
from exactree.problem import Limits, Problem, accuracy, cost_sensitive, leaf_accuracy
from exactree.solve import Budget, Status, refusal, solve
from exactree.solve.formulations.binoct.model import BinOctModel
from exactree.solve.formulations.oct.model import OctModel
from exactree.solve.mip_runs.costs import mip_costs
from exactree.solve.mip_runs.warm_starts import find_warm_start, pruned
from exactree.solve.trees.complete_tree import Shape, embedded
from exactree.solve.trees.ranked_tree import RankedNode, to_graph
from exactree.table import Table

SIX = ([[0.0], [0.2], [0.4], [0.6], [0.8], [1.0]], [0, 0, 1, 1, 0, 0])
SHARES = (0.5, 0.6, 2 / 3, 0.75, 0.8, 0.9, 1.0)
SOFT = ((3, None), (4, 1), (4, 2), (5, 0), (2, 1), (100, 2))
KINDS = pytest.mark.parametrize("kind", [OCT, BinOCT], ids=lambda kind: kind.name)


def problem_of(X, y, limits, *constraints, costs=None, **options):
    data = encode(Table.of(X), y, **options)
    objective = accuracy(data) if costs is None else cost_sensitive(data, costs)
    return Problem(data, objective, limits, tuple(limit for c in constraints for limit in c.limits(data)))


def table_of(seed):
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(5, 11)), int(rng.integers(1, 3)), int(rng.integers(2, 4))
    return rng.integers(0, 4, size=(n, p)).astype(float), rng.integers(0, k, size=n), rng


def random_problem(seed, soft=False, weights="whole"):
    X, y, rng = table_of(seed)
    whole = rng.integers(1, 4, size=len(y))
    given = {"whole": (None, whole, whole / 10)[seed % 3], "float": rng.random(len(y)) + 0.1}[weights]
    small, errors = SOFT[seed % len(SOFT)] if soft else (None, None)
    wanted = LeafAccuracy(SHARES[seed % len(SHARES)], small=small, errors=errors)
    limits = Limits(
        int(rng.integers(1, 3)),
        max_leaf_nodes=3 if seed % 7 == 1 else None,
        min_samples_leaf=int(rng.integers(1, 3)),
        ccp_alpha=0.05 * (seed % 2),
    )
    return problem_of(X, y, limits, wanted, sample_weight=given), wanted


def by_hand(problem, wanted):
    """Lowest cost of all trees, with leaves judged in fractions by what the constraint says; infinite if none is."""
    data, limits = problem.data, problem.limits
    share = Fraction(wanted.at_least).limit_denominator(1000)
    small = 0 if wanted.small is None else wanted.small
    errors = small * (1 - share) if wanted.errors is None else wanted.errors
    weights = [Fraction(weight).limit_denominator(1000) for weight in data.sample_weights]

    def leaf(rows):
        total, best = sum(weights[i] for i in rows), np.inf
        for k in range(data.n_classes):
            wrong = sum(weights[i] for i in rows if data.labels[i] != k)
            if wrong <= (errors if total < small else (1 - share) * total):
                best = min(best, sum(data.weights[i] for i in rows if data.labels[i] != k) + problem.leaf_price)
        return best

    def tree(rows, depth, leaves):
        best = leaf(rows)
        if depth == 0 or leaves == 1:
            return best
        for column in data.columns:
            for rank in range(column.n_ranks - 1):
                yes = [i for i in rows if column.ranks[data.point_of[i]] <= rank]
                no = [i for i in rows if column.ranks[data.point_of[i]] > rank]
                if min(len(yes), len(no)) >= limits.min_samples_leaf:
                    for share_of in range(1, leaves):
                        best = min(best, tree(yes, depth - 1, share_of) + tree(no, depth - 1, leaves - share_of))
        return best

    return tree(list(range(data.n_rows)), limits.max_depth, limits.most_leaves)


def cost_of(solver, problem):
    """What the solver proves; infinite if it proves that there is no tree."""
    try:
        found = solver.solve(problem, Budget(seconds=60))
    except Infeasible:
        return np.inf
    assert found.status is Status.OPTIMAL
    assert problem.violations(found.model) == []
    return found.cost


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.each("seed", range(60))
def test_trying_everything_agrees_with_fractions(seed, soft):
    problem, wanted = random_problem(seed, soft)
    assert problem.on_leaves[0].whole
    assert cost_of(Exhaustive(), problem) == pytest.approx(by_hand(problem, wanted))


@KINDS
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.each("seed", range(60))
def test_as_good_as_trying_everything(seed, soft, kind):
    problem, _ = random_problem(seed, soft)
    found = cost_of(kind(backend="highs"), problem)
    assert found == pytest.approx(cost_of(Exhaustive(), problem), abs=1e-6)


@KINDS
@pytest.mark.parametrize("backend", [name for name in installed() if name not in ("highs", "gurobi")])
@pytest.mark.each("seed", range(12))
def test_on_other_back_ends(seed, backend, kind):
    problem, _ = random_problem(seed, soft=seed % 2 == 1)
    found = cost_of(kind(backend=backend), problem)
    assert found == pytest.approx(cost_of(Exhaustive(), problem), abs=1e-6)


@KINDS
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.each("seed", range(20))
def test_weights_that_are_not_whole(seed, soft, kind):
    problem, _ = random_problem(seed, soft, weights="float")
    assert not problem.on_leaves[0].whole
    found = cost_of(kind(backend="highs"), problem)
    assert found == pytest.approx(cost_of(Exhaustive(), problem), abs=1e-5)


def test_both_cases_occur():
    costs = [cost_of(Exhaustive(), random_problem(seed, soft)[0]) for seed in range(60) for soft in (False, True)]
    assert 20 < np.isinf(costs).sum() < 100


@KINDS
@pytest.mark.parametrize("merge_rows", [True, False])
def test_rows_that_are_not_merged(kind, merge_rows):
    X, y = [[0.0]] * 5 + [[1.0]] * 5, [0, 0, 0, 0, 1, 1, 1, 1, 0, 0]
    for share, cost in ((0.6, 3), (0.61, np.inf)):
        problem = problem_of(X, y, Limits(1), LeafAccuracy(share), sample_weight=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
        assert cost_of(kind(backend="highs", merge_rows=merge_rows), problem) == cost


@KINDS
@pytest.mark.parametrize("backend", [name for name in installed() if name != "gurobi"])
@pytest.mark.parametrize(("right", "of", "share"), [(4, 5, 0.8), (2, 3, 2 / 3), (9, 10, 1 - 0.1), (7, 25, 0.28)])
def test_a_share_that_is_just_met(kind, backend, right, of, share):
    # More classes than two, so that 7 right of 25 are the most of any.
    y = [0] * right + [1 + i % 9 for i in range(of - right)]
    just, beyond = (problem_of([[1.0]] * of, y, Limits(1), LeafAccuracy(q)) for q in (share, share + 1e-9))
    assert cost_of(kind(backend=backend), just) == of - right
    assert cost_of(kind(backend=backend), beyond) == np.inf
    X = np.r_[np.zeros(of), np.ones(3)][:, None]  # the same with a question to ask
    just, beyond = (problem_of(X, [*y, 1, 1, 1], Limits(1), LeafAccuracy(q)) for q in (share, share + 1e-9))
    assert cost_of(kind(backend=backend), just) == of - right
    assert cost_of(kind(backend=backend), beyond) == cost_of(Exhaustive(), beyond) > of - right


def test_what_is_allowed_of_a_leaf():
    amounts = np.array([[4.0, 1.0], [8.0, 2.0], [3.0, 1.0], [1.0, 2.0], [15.0, 5.0]])
    data = encode(Table.of(np.zeros((20, 1))), [0, 1] * 10)
    hard = next(LeafAccuracy(0.8).limits(data))
    assert hard.allows(amounts)[:, 0].tolist() == [True, True, False, False, False]
    soft = next(LeafAccuracy(0.8, small=10).limits(data))  # two errors in less than ten rows
    assert soft.allows(amounts).tolist() == [
        [True, False],
        [True, False],
        [True, False],
        [True, True],
        [False, False],
    ]
    strict = next(LeafAccuracy(0.8, small=10, errors=0).limits(data))
    assert strict.allows(amounts)[:, 0].tolist() == [False, True, False, False, False]


def test_sums_of_columns():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    problem = problem_of(X, y, Limits(1), LeafAccuracy(1.0))
    assert cost_of(OCT(backend="highs"), problem) == np.inf
    assert cost_of(OCT(backend="highs", multivariate=True), problem) == 0


@KINDS
def test_a_leaf_that_neither_half_of_is_good_enough(kind):
    # Three of four are right; wherever they are cut, one side is right less often.
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 0]
    assert cost_of(kind(backend="highs"), problem_of(X, y, Limits(1), LeafAccuracy(0.75))) == 1
    assert cost_of(kind(backend="highs"), problem_of(X, y, Limits(1), LeafAccuracy(0.76))) == np.inf


@KINDS
@pytest.mark.parametrize(("small", "cost"), [(4, np.inf), (4.5, 2), (5, 2)])
def test_a_leaf_as_large_as_the_limit_is_not_small(kind, small, cost):
    # Four rows, half of them wrong, and three that are right: allowed only if four rows are few.
    X, y = [[0.0]] * 4 + [[1.0]] * 3, [0, 0, 1, 1] + [1] * 3
    problem = problem_of(X, y, Limits(1), LeafAccuracy(0.9, small=small, errors=2))
    assert cost_of(kind(backend="highs"), problem) == cost == cost_of(Exhaustive(), problem)


def test_class_weights_say_what_mistakes_cost_not_how_many_rows_there_are():
    X, y = np.zeros((5, 1)), [0, 0, 0, 1, 1]
    problem = problem_of(X, y, Limits(1), LeafAccuracy(0.6), class_weight={0: 1.0, 1: 10.0})
    # The cheap answer is class 1, which three of five rows are not: only class 0 may be predicted.
    found = solve(problem, "oct")
    assert (found.cost, found.model.label[0]) == (20.0, 0)
    assert cost_of(Exhaustive(), problem) == 20.0


@KINDS
@pytest.mark.each("seed", range(10))
def test_costs_that_depend_on_the_mistake(kind, seed):
    X, y, rng = table_of(seed)
    costs = rng.integers(0, 6, size=(len(np.unique(y)),) * 2)
    problem = problem_of(X, y, Limits(2), LeafAccuracy(0.6), costs=costs)
    assert cost_of(kind(backend="highs"), problem) == pytest.approx(cost_of(Exhaustive(), problem))


# Two leaves of five rows, three of them right: each has its two errors, together they would have four of ten.
TWINS = np.repeat([[0.0], [1.0]], 5, axis=0), [0, 0, 0, 1, 1] * 2


@pytest.mark.parametrize("solver", [Exhaustive(), OCT(backend="highs"), BinOCT(backend="highs")], ids=lambda s: s.name)
def test_small_leaves_that_answer_alike_stay_apart(solver):
    problem = problem_of(*TWINS, Limits(1), LeafAccuracy(0.8, small=10))
    found = solver.solve(problem, Budget())
    assert (found.cost, found.model.n_leaves, problem.violations(found.model)) == (4, 2, [])
    assert solver.solve(problem_of(*TWINS, Limits(1), LeafAccuracy(0.6, small=10)), Budget()).model.n_leaves == 1


def test_a_model_that_breaks_it_is_named():
    tree = OptimalTreeClassifier(max_depth=0).fit(*SIX).tree_
    hard = problem_of(*SIX, Limits(1), LeafAccuracy(0.8))
    assert hard.violations(tree) == ["too large: share of wrong answers in a leaf (at most 0.2)"]
    soft = problem_of(*SIX, Limits(1), LeafAccuracy(0.8, small=7, errors=1))
    assert soft.violations(tree) == [
        "too large: share of wrong answers in a leaf (at most 0.2, or 1 rows in leaves of less than 7)"
    ]
    assert problem_of(*SIX, Limits(1), LeafAccuracy(0.8, small=7, errors=2)).violations(tree) == []


@pytest.mark.parametrize("solver", ["oct", "binoct"])
def test_no_tree_is_allowed(solver):
    with pytest.raises(Infeasible, match=r"No tree within the limits .* Allow more .*: share of wrong .* \(at most 0"):
        OptimalTreeClassifier(1, constraints=[LeafAccuracy(0.9)], solver=solver).fit(*SIX)
    with pytest.raises(Infeasible, match=r"No single label satisfies all constraints, and there is no question"):
        OptimalTreeClassifier(1, constraints=[LeafAccuracy(0.9)], solver=solver).fit([[1]] * 2, [0, 1])
    with pytest.raises(Infeasible, match=r"No tree within the limits satisfies all constraints: share of wrong"):
        OptimalTreeClassifier(1, constraints=[LeafAccuracy(0.9)], solver="exhaustive").fit(*SIX)


def test_who_takes_it():
    problem = problem_of(*SIX, Limits(1), LeafAccuracy(0.6))
    for name in ("dl85", "flow-oct"):
        with pytest.raises(Unsupported, match=r"support constraints on each leaf, .*Able: search, binoct, oct"):
            solve(problem, name)
    assert solve(problem).cost == solve(problem, "search").cost == 2
    worst = Problem(problem.data, leaf_accuracy(problem.data), problem.limits, problem.constraints)
    assert refusal(Exhaustive(), worst) == "worst-leaf objectives allow no further constraints on each leaf"
    with pytest.raises(Unsupported, match=r"Able: none"):
        solve(worst)


@pytest.mark.parametrize("name", ["oct", "binoct", "dl85"])
def test_mips_take_no_price(name):
    problem = problem_of(*SIX, Limits(1), LeafAccuracy(0.6, price=0.1))
    with pytest.raises(Unsupported, match=r"does not support a price on leaves, such as on the share of wrong answers"):
        solve(problem, name)


def test_leaves_that_are_not_good_enough_pay():
    problem = problem_of(*SIX, Limits(2), LeafAccuracy(0.7, price=0.25), LeafAccuracy(0.6, price=1.0))
    leaf = OptimalTreeClassifier(max_depth=0).fit(*SIX).tree_
    assert problem.cost(leaf) == 2 + 0.25 * 6
    assert problem.violations(leaf) == []
    assert problem.tolerance < 1e-3
    assert cost_of(Exhaustive(), problem) == 0
    assert cost_of(Exhaustive(), Problem(problem.data, problem.objective, Limits(1), problem.constraints)) == 3.5


def test_diagrams_do_not_take_it():
    with pytest.raises(Unsupported, match=r"Diagrams support no limit on each leaf, such as the share of wrong"):
        OptimalDiagramClassifier(constraints=[LeafAccuracy(0.6)]).fit(*SIX)


WRONG = [
    (LeafAccuracy(1.2), r"LeafAccuracy\(at_least=1\.2\) must lie in 0\.\.1: it is a share of rows"),
    (LeafAccuracy("most"), r"LeafAccuracy\(at_least='most'\) must lie in 0\.\.1"),
    (LeafAccuracy(0.8, small=-1), r"LeafAccuracy\(small=-1\) must be a number of rows, 0 or more, or None"),
    (LeafAccuracy(0.8, small=3, errors=float("nan")), r"LeafAccuracy\(errors=nan\) must be a number of rows"),
    (
        LeafAccuracy(0.8, price=-1),
        r"LeafAccuracy\(price=-1\) must lie in 0\.\.1e\+09: it is a share of all weight",
    ),
    (LeafAccuracy(0.8, errors=3), r"LeafAccuracy\(errors=3\) is for small leaves; say below how many .* small=20"),
]


@pytest.mark.each(("constraint", "message"), WRONG)
def test_wrong_constraints(constraint, message):
    with pytest.raises(InputError, match=message):
        problem_of(*SIX, Limits(1), constraint)


# CART parts the last two rows from the others, of which 7 of 10 are right. The other cut leaves 6 of 8 and 3 of 4; one
# leaf for all would be right 7 times of 12.
MIXED = [[0.0]] * 8 + [[1.0]] * 2 + [[2.0]] * 2, [0] * 6 + [1] * 2 + [1, 0] + [1, 1]


@KINDS
@pytest.mark.parametrize(("share", "leaves"), [(0.7, 2), (0.75, None)])
def test_a_start_that_breaks_it_is_left_out(kind, share, leaves):
    problem = problem_of(*MIXED, Limits(1), LeafAccuracy(share))
    nodes = find_warm_start(problem, Budget(), "cart", None).nodes
    assert (None if nodes is None else to_graph(problem, nodes).n_leaves) == leaves
    assert cost_of(kind(backend="highs"), problem) == 3


@pytest.mark.each("seed", range(40))
def test_a_pruned_tree_is_allowed_and_keeps_the_rest(seed):
    problem, _ = random_problem(seed)
    grown = find_warm_start(Problem(problem.data, problem.objective, problem.limits), Budget(), "search", None).nodes
    nodes = pruned(problem, grown)
    if nodes is None:
        assert not problem.allowed_answers(np.arange(problem.data.n_points)).any()
        return
    assert problem.violations(to_graph(problem, nodes)) == []
    if not problem.violations(to_graph(problem, grown)):
        assert problem.cost(to_graph(problem, nodes)) <= problem.cost(to_graph(problem, grown)) + 1e-9


def test_a_branch_with_a_bad_leaf_becomes_the_leaf_it_was():
    # Of the lower branch one leaf is 1 of 2 right, the other 2 of 2; as one leaf 3 of 4 are.
    X, y = [[0.0]] * 4 + [[1.0]] * 2 + [[2.0]] * 2, [0] * 4 + [1, 0] + [1, 1]
    problem = problem_of(X, y, Limits(2), LeafAccuracy(0.7))
    grown = [RankedNode(0, 0, 1, 2, 0), RankedNode(-1, -1, -1, -1, 0), RankedNode(0, 1, 3, 4, 0)]
    grown += [RankedNode(-1, -1, -1, -1, 0), RankedNode(-1, -1, -1, -1, 1)]
    nodes = pruned(problem, grown)
    assert [node.column for node in nodes] == [0, -1, -1]
    assert [node.label for node in nodes[1:]] == [0, 1]


def test_the_search_for_the_worst_leaf_finds_a_start():
    # The best tree without the constraint has a leaf that is half wrong; cut back, nothing is left of it.
    for seed in range(200):
        X, y, _ = table_of(seed)
        problem = problem_of(X, y, Limits(2), LeafAccuracy(0.75))
        if np.isinf(cost_of(Exhaustive(), problem)):
            continue
        if find_warm_start(problem, Budget(), "cart", None).nodes is None:
            assert find_warm_start(problem, Budget(), "search", None).nodes is not None
            return
    raise AssertionError("no table where CART's tree is of no use")


@pytest.mark.each("seed", range(30))
@pytest.mark.parametrize("soft", [False, True])
def test_a_start_fits_the_programs(seed, soft):
    problem, _ = random_problem(seed, soft)
    nodes = find_warm_start(problem, Budget(), "search", None).nodes
    if nodes is None or not problem.data.columns:
        return
    shape = Shape(problem.limits.max_depth)
    for model in (
        OctModel(Mip(), problem, mip_costs(problem), shape),
        BinOctModel(Mip(), problem, mip_costs(problem), shape, strengthen=True, score=False),
    ):
        model.set_start(embedded(nodes, shape))
        program = model.mip.program()
        assert np.isfinite(program.start).all()
        assert program.violation(program.start) <= 1e-9


def test_families():
    for small, more in ((None, {}), (3, {"leaf_0_is_large": 4, "leaf_0_is_small": 4})):
        problem = problem_of(*SIX, Limits(2), LeafAccuracy(0.8, small=small))
        families = OctModel(Mip(), problem, mip_costs(problem), Shape(2)).mip.program().families
        errors = {"leaf_0_0_errors": 4, "leaf_0_1_errors": 4} if small else {}
        wanted = {"leaf_0_0_share": 4, "leaf_0_1_share": 4} | errors | more
        assert {name: rows for name, rows in families.items() if name.startswith("leaf_")} == wanted


def test_a_stopped_run_says_so():
    problem = problem_of(*SIX, Limits(2), LeafAccuracy(1.0))
    with pytest.raises(InputError, match=r"No tree that satisfies all constraints was found in time") as refused:
        OCT(warm_start=None).solve(problem, Budget(seconds=0.0))
    assert not isinstance(refused.value, Infeasible)
