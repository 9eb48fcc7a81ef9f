"""The MIP of ODD against every diagram of tiny tables, beside the paper's numbers, and its starts."""

from dataclasses import replace

import numpy as np
import pytest

from exactree import ODD, NotProvedWarning, OptimalDiagramClassifier
from exactree.encode import encode
from exactree.errors import Infeasible, InputError, Unsupported
from exactree.mip import Mip, installed
from exactree.problem import (
    SKELETONS,
    DiagramLimits,
    DiagramProblem,
    FalseNegatives,
    accuracy,
)
from exactree.problem.diagram import _lightest_end
from exactree.solve import Budget, Status
from exactree.solve.brute_force.diagrams import ExhaustiveDiagram
from exactree.solve.formulations.odd import solver
from exactree.solve.formulations.odd.costs import diagram_mip_costs
from exactree.solve.formulations.odd.flow_model import OddFlowModel
from exactree.solve.formulations.odd.model import OddModel
from exactree.solve.formulations.odd.oblique_model import ObliqueOddModel
from exactree.solve.registry import solve_diagram
from exactree.solve.trees.linear_combinations import oblique_columns
from exactree.solve.trees.ranked_diagram import PASS, diagram_from_graph, diagram_to_graph
from exactree.solve.trees.ranked_tree import RankedNode
from exactree.solve.trees.skeleton import Skeleton, placed
from exactree.table import Table
from exactree.testing.diagram_problems import (
    WEIGHED,
    constrained_diagram_problem,
    light_sides_problem,
    weighed_diagram_problem,
)

BITS = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
PARITY = [sum(row) % 2 for row in BITS]


def parity(widths=(1, 2, 2), **limits):
    data = encode(Table.of(BITS), PARITY)
    return DiagramProblem(data, accuracy(data), DiagramLimits(widths, **limits))


@pytest.mark.each("seed", range(70))
def test_equal_to_every_diagram_of_tiny_tables(seed):
    problem = constrained_diagram_problem(seed)
    found = ODD(warm_start=seed % 2 == 0).solve(problem, Budget())
    assert found.status is Status.OPTIMAL
    assert found.cost == pytest.approx(ExhaustiveDiagram().solve(problem, Budget()).cost)
    assert found.bound == pytest.approx(found.cost)


@pytest.mark.each("seed", range(200, 230))
def test_flows_are_equal_to_every_diagram_too(seed):
    problem = constrained_diagram_problem(seed)
    found = ODD(form="flow").solve(problem, Budget())
    assert found.status is Status.OPTIMAL
    assert found.cost == pytest.approx(ExhaustiveDiagram().solve(problem, Budget()).cost)


@pytest.mark.parametrize("form", ["paper", "flow"])
@pytest.mark.each("seed", [*range(0, 30, 2), *WEIGHED])
def test_equal_to_every_diagram_where_sides_that_end_are_weighed(seed, form):
    for problem in (weighed_diagram_problem(seed), light_sides_problem(seed)):
        found = ODD(form=form, warm_start=seed % 4 == 0).solve(problem, Budget())
        assert found.status is Status.OPTIMAL
        assert found.cost == pytest.approx(ExhaustiveDiagram().solve(problem, Budget()).cost)


def test_sums_are_weighed_too():
    """One of four rows is too light to end by itself."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    for share, cost in ((0.25, 0.0), (0.3, 1.0)):
        line = OptimalDiagramClassifier((1,), multivariate=True, min_weight_fraction_leaf=share, solver=ODD())
        assert (line.fit(X, y).cost_, line.status_) == (cost, "optimal")


def test_sizes_of_the_rows_for_weights():
    problem = parity((1, 2, 4), min_weight_fraction_leaf=0.3)
    program = OddModel(Mip(), problem, diagram_mip_costs(problem)).mip.program()
    last = 2 * 7 * 2  # sides of seven nodes to two leaves
    assert program.all_integer
    assert (program.families["taken_by"], program.families["heavy"]) == (8 * last, last)
    assert "heavy" not in OddModel(Mip(), parity(), diagram_mip_costs(parity())).mip.program().families


@pytest.mark.parametrize(
    ("widths", "tree", "errors", "nodes", "objective"),
    [
        ((1, 2, 2), False, 0, 4, 0.1),
        ((1, 2, 2), True, 2, 3, 0.325),
        ((1, 2, 4), False, 0, 4, 0.4 / 6),
        ((1, 2, 4), True, 0, 6, 0.1),
    ],
)
def test_parity_of_three_bits_by_the_mip_alone(widths, tree, errors, nodes, objective):
    # HiGHS takes 10 s for the second and the fourth; without CP-SAT only the other two are proved here.
    if tree and "cp-sat" not in installed():
        pytest.skip("CP-SAT is not installed")
    diagram = OptimalDiagramClassifier(widths, tree=tree, solver=ODD(warm_start=False), time_limit=None)
    diagram.fit(BITS, PARITY)
    assert (diagram.status_, diagram.n_nodes_ - 1) == ("optimal", nodes)
    assert diagram.objective_ == pytest.approx(objective)
    assert np.count_nonzero(diagram.predict(BITS) != PARITY) == errors
    assert "start_cost" not in diagram.solution_.counters or diagram.solution_.counters["starts"] == 0


# CP-SAT takes whole numbers only.
CAPABLE = [(name, lines) for name in installed() for lines in (False, True) if (name, lines) != ("cp-sat", True)]


@pytest.mark.each(("backend", "multivariate"), CAPABLE)
def test_every_back_end_proves_exclusive_or(backend, multivariate):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    diagram = OptimalDiagramClassifier((1, 2), multivariate=multivariate, solver=ODD(backend=backend)).fit(X, y)
    assert (diagram.status_, diagram.n_nodes_, diagram.objective_) == (
        "optimal",
        2 if multivariate else 3,
        0.05 if multivariate else 0.1,
    )


@pytest.mark.each(("name", "inner"), [("I", 42), ("II", 42), ("III", 35), ("IV", 26)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sides_of_the_paper_s_skeletons(name, inner, n_classes):
    skeleton = Skeleton(SKELETONS[name], n_classes)
    assert skeleton.n_arcs == inner + 15 * n_classes
    assert [len(layer) for layer in skeleton.layers] == list(SKELETONS[name])


@pytest.mark.each("name", SKELETONS)
@pytest.mark.parametrize("tree", [False, True])
def test_sizes_of_the_program(name, tree):
    rng = np.random.default_rng(0)
    X, n_classes, widths = rng.permutation(20)[:, None] + np.arange(3) * 20.0, 3, SKELETONS[name]
    data = encode(Table.of(X), np.arange(20) % 3)
    problem = DiagramProblem(data, accuracy(data), DiagramLimits(widths, tree=tree, max_nodes=7, min_samples_node=2))
    program = OddModel(Mip(), problem, diagram_mip_costs(problem)).mip.program()
    n, d, depth, n_nodes = 20, 3, len(widths), sum(widths)
    sides = 2 * Skeleton(widths, n_classes).n_arcs
    # The paper's numbers, but for questions: two binaries for each node and column, one for each way to count.
    assert program.n_binaries == sides + n * depth + 2 * n_nodes * d
    assert program.n_columns - program.n_binaries == n_nodes + n * n_classes + 2 * n * n_nodes + n * sides + n_nodes
    assert program.all_integer
    questions = {f"{name}_{v}": n for v in range(n_nodes) for name in ("below", "above")}
    assert program.families == {
        "arrives": n * n_nodes,
        "goes_on": 2 * n * n_nodes,
        "along": n * sides,
        "ends_in": n * n_classes,
        "two_sides": 2 * n_nodes,
        "led_to": n_nodes - 1,
        "two_targets": sides // 2,
        **({"one_parent": n_nodes - 1} if tree else {}),
        "most_nodes": 1,
        "minus_first": sides // 2,
        "more_parents": sum(width - 1 for width in widths[1:]),
        "enough": n_nodes - 1,
        "one_question": n_nodes,
        "cut_high": n_nodes,
        "turns_minus": n * depth,
        "turns_plus": n * depth,
        **questions,
    }


def random_diagram(rng, widths, n_columns, n_classes):
    """A diagram of any shape within the widths: sides that meet, nodes that pass, two sides to one place."""
    n_nodes, nodes, first = sum(widths), [], 0
    for layer, width in enumerate(widths):
        after = range(first + width, first + width + (widths[layer + 1] if layer + 1 < len(widths) else 0))
        targets = [*after, *after, *range(n_nodes, n_nodes + n_classes)]  # more often a node than a leaf
        for _ in range(width):
            rank = PASS if rng.random() < 0.2 else int(rng.integers(0, 3))
            nodes.append(RankedNode(int(rng.integers(n_columns)), rank, *map(int, rng.choice(targets, 2)), 0))
        first += width
    return [*nodes, *(RankedNode(-1, 0, -1, -1, label) for label in range(n_classes))]


def test_sizes_of_the_mip_of_flows():
    problem = parity((1, 2, 4))
    program = OddFlowModel(Mip(), problem, diagram_mip_costs(problem)).mip.program()
    sides = 2 * Skeleton((1, 2, 4), 2).n_arcs
    assert program.n_binaries == sides + 7 * 4  # three questions, and one that passes all rows on
    assert program.all_integer
    assert "minus_first" not in program.families
    assert {program.families[f"{name}_{v}"] for v in range(7) for name in ("below", "above")} == {8}


@pytest.mark.parametrize("form", ["paper", "oblique", "flow"])
@pytest.mark.each("seed", range(25))
def test_every_start_satisfies_the_mip_and_is_read_back(seed, form):
    rng = np.random.default_rng(seed)
    widths, n_classes = [(1,), (1, 2, 2), (1, 2, 4), (1, 2, 3, 3), (1, 1, 2)][seed % 5], 2 + seed % 2
    X = np.r_[rng.integers(0, 4, (18, 3)), [[0] * 3, [1] * 3, [2] * 3, [3] * 3]].astype(float)
    data = encode(Table.of(X), np.arange(22) % n_classes)
    problem = DiagramProblem(data, accuracy(data), DiagramLimits(widths, multivariate=form == "oblique"))
    nodes = random_diagram(rng, widths, 3, n_classes)
    graph = diagram_to_graph(problem, nodes)
    share = min(_lightest_end(graph, data) / 22, 0.5)  # as much as the diagram can keep
    problem = replace(problem, limits=replace(problem.limits, min_weight_fraction_leaf=share))
    costs = diagram_mip_costs(problem)
    model = (OddFlowModel if form == "flow" else OddModel)(Mip(), problem, costs)
    if form == "oblique":
        model = ObliqueOddModel(Mip(), problem, costs, oblique_columns=oblique_columns(data), margin=0.001)
    assert "taken" in model.mip.blocks
    model.set_start(placed(nodes, model.skeleton))
    program = model.mip.program()
    assert program.violation(program.start) <= 1e-9
    assert costs.to_cost(program.objective(program.start)) == pytest.approx(problem.cost(graph))
    back = diagram_to_graph(problem, model.read_solution(program.start).nodes)
    assert back.predict(data.table).tolist() == graph.predict(data.table).tolist()
    assert problem.cost(back) <= problem.cost(graph) + 1e-9
    assert problem.violations(back) == []


def test_a_diagram_that_does_not_fit_has_no_place():
    nodes = random_diagram(np.random.default_rng(1), (1, 2, 2), 3, 2)
    assert placed(nodes, Skeleton((1, 2, 2), 2)) is not None
    asks = [RankedNode(0, 0, 1, 2, 0), RankedNode(1, 0, 3, 4, 0), RankedNode(2, 0, 4, 3, 0)]
    leaves = [RankedNode(-1, 0, -1, -1, 0), RankedNode(-1, 0, -1, -1, 1)]
    assert placed([*asks, *leaves], Skeleton((1, 1, 1), 2)) is None
    assert placed([*asks, *leaves], Skeleton((1,), 2)) is None
    skips = [RankedNode(0, 0, 1, 2, 0), RankedNode(1, 0, 2, 3, 0), RankedNode(2, 0, 4, 3, 0)]
    assert placed([*skips, *leaves], Skeleton((1, 2, 2), 2)) is None


def test_a_lone_leaf_and_a_given_diagram_are_starts():
    problem = parity()
    best = solve_diagram(problem, "exhaustive").model
    found = ODD(warm_start=False).solve(problem, Budget(), start=best)
    assert found.counters["start_cost"] == pytest.approx(0.8)
    found = ODD(warm_start=False).solve(problem, Budget(seconds=0.0))
    assert (found.status, found.model.n_nodes, found.cost) == (Status.TIME_LIMIT, 1, 4.0)
    assert diagram_from_graph(problem, best) is not None


@pytest.mark.parametrize("backend", installed())
def test_back_ends_say_whether_they_take_the_start(backend):
    problem = parity()
    best = solve_diagram(problem, "exhaustive").model
    found = ODD(backend=backend).solve(problem, Budget(seconds=2), start=best)
    assert found.counters["start_accepted"] == 1.0
    assert found.counters["start_nodes"] == 5
    assert found.cost == pytest.approx(0.8)


def test_cuts_lie_in_the_middle_of_what_they_part():
    X, y = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]], [0, 0, 1, 1, 0, 0]
    diagram = OptimalDiagramClassifier((1, 1), ccp_alpha=0.0, solver=ODD(warm_start=False)).fit(X, y)
    assert diagram.cost_ == 0
    assert sorted(diagram.diagram_.threshold[:2].tolist()) == [1.5, 10.5]


def test_cuts_lie_in_the_middle_of_the_gap_of_the_rows_at_the_node():
    # Where x0 = 0 there are x1 = 0 and 6 only; other rows have values between them.
    X = [[0, 0], [0, 6], [1, 0], [1, 2], [1, 4], [1, 6]]
    for form in ("paper", "flow"):
        diagram = OptimalDiagramClassifier((1, 1), ccp_alpha=0.0, solver=ODD(form=form, warm_start=False))
        graph = diagram.fit(X, [0, 1, 2, 2, 2, 2]).diagram_
        assert (diagram.cost_, graph.threshold[:2].tolist()) == (0, [0.5, 3.0])


def test_equal_rows_count_one_by_one():
    # Without the last column's copies no node but the root would have two rows.
    X = [[0, 0], [0, 0], [0, 1], [1, 0], [1, 1], [1, 1], [1, 1]]
    y = [0, 0, 1, 1, 0, 0, 0]
    for least in (2, 3, 4, 5):
        limits = {"ccp_alpha": 0.01, "min_samples_node": least}
        one, every = (
            OptimalDiagramClassifier((1, 2), solver=solver, **limits).fit(X, y) for solver in ("odd", "exhaustive")
        )
        assert (one.cost_, one.status_) == (pytest.approx(every.cost_), "optimal")


def test_no_errors_or_nothing_to_ask_needs_no_program():
    diagram = OptimalDiagramClassifier((1, 2), solver="odd").fit([[0], [1]], [0, 1])
    assert (diagram.status_, diagram.cost_) == ("optimal", 0)
    assert "binaries" not in diagram.solution_.counters
    for X, y in (([[1], [1], [1]], [0, 1, 1]), ([[1], [2]], [0, 0])):
        diagram = OptimalDiagramClassifier((1, 2), solver="odd").fit(X, y)
        assert (diagram.status_, diagram.n_nodes_) == ("optimal", 0)


def _with_fixed_questions(most: int) -> DiagramProblem:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3)).round(1)
    data = encode(Table.of(X), ((X[:, 0] + X[:, 1] > 0) ^ (X[:, 2] > 0.3)).astype(int))
    constraints = tuple(FalseNegatives(most, positive=1).limits(data))
    return DiagramProblem(data, accuracy(data), DiagramLimits((1, 2, 2), ccp_alpha=0.02), constraints)


def test_the_search_bounds_a_problem_with_constraints():
    held = _with_fixed_questions(0)
    free = solve_diagram(replace(held, constraints=()), "search")
    found = ODD().solve(held, Budget(seconds=3.0))
    assert free.status is Status.OPTIMAL
    assert free.cost <= found.bound + 1e-9
    assert found.bound <= found.cost


def test_a_diagram_of_the_search_that_satisfies_the_constraints_is_the_best():
    held = _with_fixed_questions(60)
    found = ODD().solve(held, Budget())
    assert found.status is Status.OPTIMAL
    assert "binaries" not in found.counters  # no program was needed
    assert found.cost == solve_diagram(replace(held, constraints=()), "search").cost


def test_without_constraints_the_mip_proves_by_itself(monkeypatch):
    monkeypatch.setattr(solver.DiagramSearch, "solve", None)
    assert ODD().solve(replace(_with_fixed_questions(0), constraints=()), Budget(seconds=1.0)).counters["binaries"] > 0


def test_time_memory_gap_and_ctrl_c():
    rng = np.random.default_rng(0)
    data = encode(Table.of(rng.integers(0, 9, (60, 4)).astype(float)), rng.integers(0, 2, 60))
    problem = DiagramProblem(data, accuracy(data), DiagramLimits(SKELETONS["I"]))
    found = ODD().solve(problem, Budget(seconds=0.3))
    assert found.status is Status.TIME_LIMIT
    assert found.bound < found.cost
    assert ODD(start_seconds=0).solve(problem, Budget(memory=1)).status is Status.MEMORY_LIMIT
    seen = []

    def callback(progress):
        seen.append(progress)
        if len(seen) == 2:
            raise KeyboardInterrupt

    found = ODD(backend="highs").solve(parity(tree=True), Budget(), callback=callback)
    assert (found.status, len(seen)) == (Status.INTERRUPTED, 3)  # it is told the end as well
    assert (np.diff(found.history[:, 1]) <= 0).all()


@pytest.mark.parametrize("form", ["paper", "flow"])
def test_a_mip_that_is_too_large_is_not_written(monkeypatch, form):
    problem = parity((1, 2, 4))
    built = ODD(form=form, warm_start=False).solve(problem, Budget()).counters["entries"]
    run = solver._Run(ODD(form=form), problem, None)
    assert built / 2 < run._n_entries(diagram_mip_costs(problem)) < 2 * built
    monkeypatch.setattr(solver, "MOST_ENTRIES", 100)
    found = ODD(form=form).solve(problem, Budget())
    assert (found.status, "binaries" in found.counters) == (Status.ENDED, False)
    assert "entries, more than the limit of 100" in found.reason


def test_the_time_of_a_mip_that_is_too_large_goes_to_the_heuristic(monkeypatch):
    monkeypatch.setattr(solver, "MOST_ENTRIES", 100)
    rng = np.random.default_rng(0)
    model = OptimalDiagramClassifier(SKELETONS["I"], ccp_alpha=0.01, solver=ODD(start_seconds=0.0))
    with pytest.warns(NotProvedWarning, match=r"Not proved optimal: the MIP would have about [\d,]+ entries"):
        model.fit(rng.random((40, 3)), rng.integers(0, 2, 40))
    assert model.status_ == "ended"
    assert model.solution_.counters["starts"] == solver.MOST_STARTS


def test_a_gap_that_is_near_enough():
    found = ODD(backend="highs").solve(parity(tree=True), Budget(seconds=20, gap=0.8))
    assert found.status is Status.GAP_REACHED
    assert 0.01 < found.gap <= 0.8


@pytest.mark.each(
    "wrong", [{"start_seconds": "a"}, {"margin": "a"}, {"margin": True}, {"seed": "x"}, {"seed": 2**40}, {"seed": -1}]
)
def test_wrong_kinds_of_parameters(wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(InputError, match=f"{name} must .*; got {value!r}"):
        ODD(**wrong)


@pytest.mark.parametrize("name", ["backend", "form", "start_seconds", "margin"])
def test_wrong_parameters(name):
    wrong = {"backend": "cplex", "form": "tree", "start_seconds": -1.0, "margin": 0.0}
    words = {
        "backend": "Unknown backend 'cplex'; choose one of auto, highs",
        "form": r"form must be 'paper' or 'flow'; got 'tree'\.",
        "start_seconds": r"start_seconds must be 0 or more, or None; got -1\.0\.",
        "margin": r"margin must lie in 0\.0001\.\.1, as back ends round; got 0\.0\.",
    }
    with pytest.raises(InputError, match=words[name]):
        ODD(**{name: wrong[name]})


def test_sums_take_all_thresholds_only():
    diagram = OptimalDiagramClassifier((1,), multivariate=True, thresholds="quantiles(2)", solver="odd")
    with pytest.raises(
        Unsupported, match=r"combines values linearly, so it takes thresholds='all' only, not 'quantiles\(2\)'"
    ):
        diagram.fit(np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1])


def test_flows_take_no_sums():
    diagram = OptimalDiagramClassifier((1,), multivariate=True, solver=ODD(form="flow"))
    with pytest.raises(Unsupported, match=r"ODD\(form='flow'\) lists all questions; .* Use form='paper'\."):
        diagram.fit(np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1])


def test_constraints_that_no_diagram_satisfies():
    X, y = [[0], [1], [2]], [0, 1, 2]
    rules = [FalseNegatives(0, positive=k) for k in (0, 1, 2)]
    for X, widths in (([[0], [1], [2]], (1,)), ([[1], [1], [1]], (1, 2))):
        diagram = OptimalDiagramClassifier(widths, constraints=rules, solver="odd")
        with pytest.raises(Infeasible, match="satisfies all constraints"):
            diagram.fit(X, y)
