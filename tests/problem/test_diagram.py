"""What a diagram costs, and which are allowed."""

import numpy as np
import pytest

from exactree import OptimalDiagramClassifier
from exactree.encode import encode
from exactree.errors import InputError, Unsupported
from exactree.problem import SKELETONS, DiagramLimits, DiagramProblem, accuracy
from exactree.solve.registry import solve_diagram
from exactree.solve.trees.ranked_diagram import PASS, diagram_from_graph, diagram_to_graph, in_order, tidied
from exactree.solve.trees.ranked_tree import RankedNode
from exactree.table import Table

BITS = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
PARITY = [sum(row) % 2 for row in BITS]


def problem(widths=(1, 2, 2), **limits):
    data = encode(Table.of(BITS), PARITY)
    return DiagramProblem(data, accuracy(data), DiagramLimits(widths, **limits))


def three_classes():
    data = encode(Table.of(BITS), [sum(row) % 3 for row in BITS])
    return DiagramProblem(data, accuracy(data), DiagramLimits((1, 2, 2)))


def parity_nodes():
    """Parity of three bits: five questions, then the leaves of 0 and 1."""
    sides = [(1, 2), (3, 4), (4, 3), (5, 6), (6, 5)]
    columns = [0, 1, 1, 2, 2]
    asks = [RankedNode(c, 0, yes, no, 0) for c, (yes, no) in zip(columns, sides, strict=True)]
    return [*asks, RankedNode(-1, 0, -1, -1, 0), RankedNode(-1, 0, -1, -1, 1)]


@pytest.mark.parametrize(
    ("widths", "tree", "errors", "nodes", "objective"),
    [((1, 2, 2), False, 0, 4, 0.1), ((1, 2, 2), True, 2, 3, 0.325), ((1, 2, 4), False, 0, 4, 0.4 / 6)],
)
def test_parity_of_three_bits(widths, tree, errors, nodes, objective):
    found = OptimalDiagramClassifier(widths, tree=tree, solver="exhaustive").fit(BITS, PARITY)
    assert found.objective_ == pytest.approx(objective)
    assert found.n_nodes_ - 1 == nodes
    assert np.count_nonzero(found.predict(BITS) != PARITY) == errors


def test_cost_is_mistakes_and_the_price_of_all_nodes_but_the_root():
    graph = diagram_to_graph(problem(), parity_nodes())
    assert problem().cost(graph) == pytest.approx(0.1 * 8)
    assert problem(ccp_alpha=0.0).cost(graph) == 0
    assert problem((1, 2, 4)).cost(graph) == pytest.approx(0.1 * 8 * 4 / 6)
    assert problem().violations(graph) == []
    assert graph.rows.tolist() == [8, 4, 4, 4, 4, 4, 4]


@pytest.mark.each(
    ("limits", "words"),
    [
        ({"widths": (1, 2)}, "its depth is 3, the limit is 2"),
        ({"widths": (1, 2, 1)}, "layer 2 has 2 nodes, the limit is 1"),
        ({"max_nodes": 4}, "5 nodes ask, the limit is 4"),
        ({"tree": True}, "a node has two parents, expected a tree"),
        ({"min_samples_node": 5}, "a node has 4 rows, the limit is 5"),
        ({"min_weight_fraction_leaf": 0.26}, "a side that ends has weight 2, the limit is 2.08"),
    ],
)
def test_what_is_not_allowed_is_told(limits, words):
    assert problem(**limits).violations(diagram_to_graph(problem(), parity_nodes()))[0:1] == [words]


LEAVES = [RankedNode(-1, 0, -1, -1, 0), RankedNode(-1, 0, -1, -1, 1)]


def test_sides_that_end_are_weighed_one_by_one_whatever_leaf_they_go_to():
    # Sides of two rows and of one go to leaf 0, sides of four rows and of one to leaf 1.
    nodes = [RankedNode(0, 0, 1, 4, 0), RankedNode(1, 0, 2, 3, 0), RankedNode(2, 0, 3, 4, 0), *LEAVES]
    graph = diagram_to_graph(problem(), nodes)
    assert graph.rows.tolist() == [8, 4, 2, 3, 5]
    for share, wanted in ((0.125, []), (0.13, ["a side that ends has weight 1, the limit is 1.04"])):
        assert problem(min_weight_fraction_leaf=share).violations(graph) == wanted


def test_only_sides_that_rows_take_are_weighed():
    # The second node passes all its rows on: its other side ends, and nobody goes there.
    nodes = [RankedNode(0, 0, 1, 3, 0), RankedNode(0, PASS, 3, 2, 0), RankedNode(1, 0, 3, 4, 0), *LEAVES]
    graph = diagram_to_graph(problem(), nodes)
    assert problem(min_weight_fraction_leaf=0.25).violations(graph) == []
    assert problem(min_weight_fraction_leaf=0.26).violations(graph) != []
    # A diagram that asks nothing is always allowed, and so is a node whose sides go to one leaf: it asks nothing.
    assert problem(min_weight_fraction_leaf=0.5).violations(diagram_to_graph(problem(), LEAVES[:1])) == []
    alike = [RankedNode(0, 0, 1, 2, 0), RankedNode(1, 0, 2, 2, 0), *LEAVES]
    assert problem(min_weight_fraction_leaf=0.5).violations(diagram_to_graph(problem(), alike)) == []


def test_weights_that_sum_up_to_the_limit_but_for_rounding_are_enough():
    weights = [0.1, 0.1, 0.1, 0.7]  # 0.1 + 0.1 + 0.1 is not 0.3
    data = encode(Table.of([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 0, 1], sample_weight=weights)
    for share, enough in ((0.3, True), (0.30001, False)):
        asked = DiagramProblem(data, accuracy(data), DiagramLimits((1,), min_weight_fraction_leaf=share))
        assert asked.may_end(np.arange(3)) is enough
        for solver in ("search", "odd", "exhaustive"):
            assert solve_diagram(asked, solver).cost == pytest.approx(0.0 if enough else 0.3)


def test_a_node_stays_that_brings_light_sides_together():
    # Rows with equal first bits weigh 1, the others 3. Two sides of weight 2 each meet at the last node, which ends.
    data = encode(Table.of(BITS), PARITY, sample_weight=[1 if a == b else 3 for a, b, _ in BITS])
    nodes = [RankedNode(0, 0, 1, 2, 0), RankedNode(1, 0, 3, 5, 0), RankedNode(1, 0, 4, 3, 0)]
    nodes += [RankedNode(0, PASS, 5, 4, 0), *LEAVES]
    for share, n_nodes in ((0.0, 4), (0.125, 4), (0.13, 6), (0.25, 6)):
        limits = DiagramLimits((1, 2, 1), min_weight_fraction_leaf=share)
        weighed = DiagramProblem(data, accuracy(data), limits)
        tidy = tidied(weighed, nodes)
        assert len(tidy) == n_nodes
        assert weighed.violations(diagram_to_graph(weighed, tidy)) == []


def test_a_side_must_not_skip_a_layer():
    nodes = parity_nodes()
    nodes[0] = nodes[0]._replace(no=4)
    assert "node 0 skips a layer" in problem().violations(diagram_to_graph(problem(), nodes))


def test_a_node_that_passes_rows_on_is_written_as_a_question_all_answer_alike():
    leaves = [RankedNode(-1, 0, -1, -1, 0), RankedNode(-1, 0, -1, -1, 1)]
    nodes = [RankedNode(0, 0, 1, 2, 0), RankedNode(0, PASS, 5, 3, 0), RankedNode(1, 0, 3, 4, 0)]
    nodes += [RankedNode(2, 0, 5, 6, 0), RankedNode(2, 0, 6, 5, 0), *leaves]
    graph = diagram_to_graph(problem(), nodes)
    assert problem().violations(graph) == []
    assert graph.rows.tolist() == [8, 4, 4, 6, 2, 4, 4]
    again = diagram_to_graph(problem(), diagram_from_graph(problem(), graph))
    np.testing.assert_array_equal(again.predict(Table.of(BITS)), graph.predict(Table.of(BITS)))
    # Where no question is answered alike by all, one asks for a missing value, which none has.
    nodes = [RankedNode(0, PASS, 2, 1, 0), RankedNode(0, 0, 2, 3, 0), *leaves]
    graph = diagram_to_graph(problem(), nodes)
    assert graph.predict(Table.of(BITS)).tolist() == [row[0] for row in BITS]
    assert diagram_from_graph(problem(), graph)[0].rank == PASS


def test_needless_nodes_go():
    leaves = [RankedNode(-1, 0, -1, -1, 0), RankedNode(-1, 0, -1, -1, 1)]
    nodes = [RankedNode(0, 0, 1, 2, 0), RankedNode(1, 0, 3, 3, 0), RankedNode(1, 0, 3, 4, 0), *leaves]
    assert [node.column for node in tidied(problem(), nodes)] == [0, 1, -1, -1]
    nodes[2] = RankedNode(0, 0, 4, 3, 0)  # all rows here answer no
    assert tidied(problem(), nodes) == [leaves[0]]
    # A side that nobody takes goes to a leaf that some row reaches.
    passing = [RankedNode(0, 0, 1, 3, 0), RankedNode(0, PASS, 4, 2, 0), RankedNode(1, 0, 3, 4, 0), *leaves]
    three = [*passing[:1], passing[1]._replace(yes=5), *passing[2:], RankedNode(-1, 0, -1, -1, 2)]
    assert tidied(problem(), passing) == passing
    assert len(tidied(three_classes(), three)) == 5
    unreached = [RankedNode(0, 0, 2, 3, 0), RankedNode(1, 0, 2, 3, 0), *leaves]
    assert [node.column for node in in_order(unreached)] == [0, -1, -1]


def test_skeletons_have_fifteen_nodes():
    assert {DiagramLimits(widths).n_nodes for widths in SKELETONS.values()} == {15}


@pytest.mark.each(
    ("wrong", "words"),
    [
        ({"widths": (2, 2)}, "must begin with 1"),
        ({"widths": (1, 3)}, "3 at layer 1"),
        ({"widths": "V"}, "Expected one of I, II, III, IV"),
        ({"widths": 3}, "must name a skeleton"),
        ({"max_nodes": 0}, "max_nodes must be 1 or more"),
        ({"min_samples_node": 1.5}, "min_samples_node must be a number of rows or a share"),
        ({"min_weight_fraction_leaf": 0.6}, r"min_weight_fraction_leaf must lie in 0\.\.0\.5; got 0\.6\."),
        ({"min_weight_fraction_leaf": -0.1}, "min_weight_fraction_leaf must be a finite number, 0 or more; got -0.1"),
        ({"tree": "yes"}, "tree must be True or False"),
        ({"ccp_alpha": -1}, "ccp_alpha must be"),
        ({"objective": "leaf_accuracy"}, "diagrams have no worst-leaf objectives"),
        ({"solver": "nobody"}, "Unknown solver 'nobody'"),
        ({"solver": 3}, "such as ODD"),
    ],
)
def test_wrong_parameters_are_told(wrong, words):
    with pytest.raises((InputError, Unsupported), match=words):
        OptimalDiagramClassifier(**({"widths": (1, 2)} | wrong)).fit(BITS, PARITY)


@pytest.mark.parametrize("solver", ["search", "odd", "construct", "exhaustive"])
def test_without_anything_to_ask_the_cheapest_answer_is_best(solver):
    found = OptimalDiagramClassifier((1, 2), solver=solver).fit([[1.0], [1.0], [1.0]], [0, 1, 1])
    assert (found.status_, found.cost_, found.n_nodes_) == ("optimal", 1.0, 0)
