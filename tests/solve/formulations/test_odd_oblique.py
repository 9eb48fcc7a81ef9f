"""ODD with oblique splits against every split of a few points by lines, and beside one column at a time."""

import numpy as np
import pandas as pd
import pytest

from exactree import ODD, Fairness, OptimalDiagramClassifier
from exactree.encode import encode
from exactree.errors import Unsupported
from exactree.mip import Mip, MipOptions, MipStatus, installed, solve
from exactree.problem import DiagramLimits, DiagramProblem, accuracy
from exactree.solve import Budget, Status
from exactree.solve.formulations.odd.costs import diagram_mip_costs
from exactree.solve.formulations.odd.oblique_model import ObliqueOddModel
from exactree.solve.registry import diagram_solver_for, solve_diagram
from exactree.solve.trees.linear_combinations import oblique_columns
from exactree.table import Table, Test


def problem_of(X, y, widths, **limits):
    data = encode(Table.of(X), y)
    return DiagramProblem(data, accuracy(data), DiagramLimits(widths, multivariate=True, **limits))


def points_of(seed, n_rows, n_classes=2, high=4):
    rng = np.random.default_rng(seed)
    return rng.integers(0, high, (n_rows, 2)).astype(float), rng.integers(0, n_classes, n_rows)


def line_sides(points):
    """Every set of points below a line: between two directions in which points line up their order does not change."""
    lined_up = [np.arctan2(*(b - a)[::-1]) + np.pi / 2 for a in points for b in points if (a != b).any()]
    angles = np.unique(np.round(np.mod(lined_up, 2 * np.pi), 12))
    found = set()
    for angle in (angles + np.roll(angles, -1) + 2 * np.pi * (np.roll(angles, -1) < angles)) / 2:
        along = np.round(points @ [np.cos(angle), np.sin(angle)], 9)
        found |= {tuple((along <= limit).tolist()) for limit in np.unique(along)[:-1]}
    return found


def best_by_lines(X, y, widths, alpha):
    """Cheapest diagram of at most two layers by trying all lines: it is a tree, as a root has two sides."""
    price = alpha * len(y) / max(sum(widths) - 1, 1)

    def best(rows, layer, free):
        """Costs with 0, 1, .. nodes for these rows, at most ``free`` of them in each layer below."""
        counts = np.bincount(y[rows], minlength=2)
        found = [float(counts.sum() - counts.max())]
        if layer < len(widths) and free:
            for side in line_sides(X[rows]):
                mask = np.array(side)
                counts = [np.bincount(y[part], minlength=2) for part in (rows[mask], rows[~mask])]
                found.append(sum(float(c.sum() - c.max()) for c in counts) + price)
        return found

    lowest = best(np.arange(len(y)), 0, 0)[0]
    for side in line_sides(X):
        yes, no = np.flatnonzero(side), np.flatnonzero(~np.array(side))
        width = widths[1] if len(widths) > 1 else 0
        for free in [(a, b) for a in (0, 1) for b in (0, 1) if a + b <= width]:
            lowest = min(lowest, min(best(yes, 1, free[0])) + min(best(no, 1, free[1])))
    return lowest


@pytest.mark.each("seed", range(10))
@pytest.mark.parametrize("widths", [(1,), (1, 1), (1, 2)])
def test_lines_by_trying_all(seed, widths):
    X, y = points_of(seed, 8 if len(widths) == 1 else 6, high=3 + seed % 2)
    if len(np.unique(y)) < 2:
        y[0] = 1 - y[0]
    problem = problem_of(X, y, widths, ccp_alpha=0.1 * (seed % 3))
    found = ODD().solve(problem, Budget())
    assert found.status is Status.OPTIMAL
    assert found.cost == pytest.approx(best_by_lines(X, y, widths, 0.1 * (seed % 3)))
    one_column = DiagramProblem(problem.data, problem.objective, DiagramLimits(widths, problem.limits.ccp_alpha))
    assert found.cost <= ODD().solve(one_column, Budget()).cost + 1e-9


def test_highs_does_not_lose_a_line_to_its_cutoff():
    # Told nothing of columns that are whole anyway, HiGHS 1.15 calls this program infeasible in its presolve: the row
    # of the cutoff bounds the use of the second node by 0.85.
    X, y = points_of(5, 6)
    problem = problem_of(X, y, (1, 1), ccp_alpha=0.2)
    costs = diagram_mip_costs(problem)
    model = ObliqueOddModel(Mip(), problem, costs, oblique_columns=oblique_columns(problem.data), margin=0.001)
    answer = solve(model.mip.program(), backend="highs", options=MipOptions(cutoff=5.1))
    assert (answer.status, answer.objective) == (MipStatus.OPTIMAL, 0.0)


def test_a_diagonal_is_one_question():
    X, y = [[0.0, 2.0], [1.0, 1.0], [2.0, 0.0], [1.0, 3.0], [2.0, 2.0], [3.0, 1.0]], [0, 0, 0, 1, 1, 1]
    diagram = OptimalDiagramClassifier((1, 2), multivariate=True).fit(X, y)
    assert (diagram.cost_, diagram.status_, diagram.n_nodes_) == (0.0, "optimal", 1)
    assert diagram.diagram_.test[0] == Test.LINEAR
    assert str(diagram).splitlines()[0] == "x0 + x1 <= 3"
    assert diagram.solution_.scope == " whose oblique splits keep a margin of 0.001"


def test_trees_of_sums():
    X = [[a, b] for a in (0, 1, 2) for b in (0, 1, 2)]
    y = [int(a + b == 2) for a, b in X]
    diagram = OptimalDiagramClassifier((1, 2), multivariate=True, tree=True, ccp_alpha=0.01).fit(X, y)
    assert (diagram.n_nodes_, diagram.predict(X).tolist(), diagram.status_) == (2, y, "optimal")


def test_nodes_are_the_better_for_meeting_again():
    # Sums of three bits take the place of the five nodes that one column at a time needs for their parity.
    X = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    y = [sum(row) % 2 for row in X]
    diagram = OptimalDiagramClassifier((1, 1, 1), multivariate=True, time_limit=30).fit(X, y)
    assert diagram.predict(X).tolist() == y
    assert diagram.n_nodes_ == 3


def test_constraints_hold_with_sums():
    X, y = points_of(3, 8)
    groups = np.arange(8) % 2
    free = OptimalDiagramClassifier((1,), multivariate=True).fit(X, y)
    rule = Fairness("demographic_parity", ratio=0.9, groups=groups)
    fair = OptimalDiagramClassifier((1,), multivariate=True, fairness=rule).fit(X, y)
    best = 8
    for side in [*line_sides(X), (True,) * 8]:
        for answers in (np.array(side) * 1, 1 - np.array(side)):
            rates = [answers[groups == g].mean() for g in (0, 1)]
            if min(rates) >= 0.9 * max(rates) - 1e-9:
                best = min(best, int((answers != y).sum()))
    assert (fair.cost_, fair.status_) == (best, "optimal")
    assert free.cost_ <= fair.cost_


def test_categories_are_asked_about_one_at_a_time():
    frame = pd.DataFrame({"kind": list("aabbcc"), "u": [0.0, 1, 2, 0, 1, 2], "v": [2.0, 1, 0, 0, 2, 1]})
    y = [0, 1, 0, 1, 1, 0]
    sums = OptimalDiagramClassifier((1, 2), multivariate=True, time_limit=20).fit(frame, y)
    assert sums.cost_ <= OptimalDiagramClassifier((1, 2)).fit(frame, y).cost_
    assert all(j in (1, 2) for at in range(sums.diagram_.n_nodes) for j, _ in sums.diagram_.sum_at(at))


def test_who_takes_sums_and_constraints():
    problem = problem_of([[0.0, 1.0], [1.0, 0.0]], [0, 1], (1,))
    assert diagram_solver_for(problem, "auto").name == "odd"
    with pytest.raises(Unsupported, match=r"'exhaustive' cannot .* \(multivariate=True\)\. Able: odd"):
        solve_diagram(problem, "exhaustive")


@pytest.mark.skipif("cp-sat" not in installed(), reason="CP-SAT is not installed")
def test_cp_sat_takes_integers_only():
    with pytest.raises(Unsupported, match=r"backend='cp-sat' cannot take this MIP"):
        ODD(backend="cp-sat").solve(problem_of(*points_of(0, 8), (1,)), Budget())
