import re
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest

from exactree import OptimalDiagramClassifier
from exactree.model import Graph, Node
from exactree.plot import save_svg, to_svg
from exactree.plot.card import cards
from exactree.plot.diagram_layout import diagram_layout
from exactree.plot.edges import row_bounds
from exactree.plot.layout import sideways_layout, tree_layout
from exactree.plot.palette import class_colour, contrast, text_colour
from exactree.plot.typeset import text_width
from exactree.table import ColumnType, Kind, Schema, Test

SVG = "{http://www.w3.org/2000/svg}"
LONG = 'a name that goes on and on without regard for those who have to draw it, & <tags> "too"'
SCHEMA = Schema((ColumnType("x", Kind.NUMBER), ColumnType(LONG, Kind.CATEGORY, ("red", LONG))), named=True)


def tree(depth, n_classes=3, *, seed=0, names=None):
    """A random tree, complete down to a depth."""
    rng = np.random.default_rng(seed)
    nodes = []

    def grow(left):
        here = len(nodes)
        nodes.append(None)
        if left == 0:
            weight = rng.integers(0, 9, n_classes).astype(float)
            nodes[here] = Node(int(weight.argmax()), tuple(weight), int(weight.sum()))
        else:
            yes, no = grow(left - 1), grow(left - 1)
            weight = np.add(nodes[yes].weight, nodes[no].weight)
            column = int(rng.integers(2))
            asks = {"test": Test.IS_LEVEL, "code": 1} if column else {"test": Test.AT_MOST, "threshold": rng.random()}
            nodes[here] = Node(0, tuple(weight), int(weight.sum()), column=column, yes=yes, no=no, **asks)
        return here

    grow(depth)
    return Graph.of_nodes(SCHEMA, np.array(names or [f"class {i}" for i in range(n_classes)]), nodes)


def diagram(n_branches, *, seed=0):
    """Branch i leads to two of the next four nodes, one of them the next, so that all are reached; made-up counts."""
    rng = np.random.default_rng(seed)
    n_nodes = n_branches + 3
    nodes = []
    for i in range(n_branches):
        ends = [i + 1, min(i + int(rng.integers(1, 5)), n_nodes - 1)]
        rng.shuffle(ends)
        nodes.append(Node(0, (4.0, 4.0), 8, test=Test.AT_MOST, column=0, threshold=float(i), yes=ends[0], no=ends[1]))
    last = Node(0, (4.0, 4.0), 8, test=Test.AT_MOST, column=0, threshold=0.5, yes=n_branches + 1, no=n_branches + 2)
    nodes += [last, Node(0, (4.0, 1.0), 5), Node(1, (0.0, 3.0), 3)]
    return Graph.of_nodes(SCHEMA, np.array(["a", "b"]), nodes)


GRAPHS = {
    "leaf": Graph.leaf(SCHEMA, ["no", "yes"], 1, [3.0, 4.0], 7),
    "unseen leaf": Graph.leaf(SCHEMA, ["no", "yes"], 1, [0.0, 0.0], 0),
    "stump": tree(1),
    "depth 3": tree(3),
    "depth 6": tree(6),
    "26 classes": tree(4, 26),
    "long names": tree(3, 2, names=[LONG, LONG + "!"]),
    "odd names": tree(2, 3, names=["<&>\"'", "a\x00b\nc\x1b", "]]>"]),
    "diagram": diagram(6),
    "large diagram": diagram(20, seed=3),
}


@pytest.mark.each("name", GRAPHS)
def test_pictures_are_xml_without_links_and_hold_every_node(name):
    graph = GRAPHS[name]
    text = to_svg(graph, title=f"{LONG} \x07")
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert not re.search(r"href|<script|<style|url\(|\bid=", text)
    drawing = root.findall(f"{SVG}g")[-1]
    assert len(drawing.findall(f"{SVG}g")) == graph.n_nodes
    assert len(drawing.findall(f"{SVG}path")) == 2 * (graph.n_nodes - graph.n_leaves)
    assert root.find(f"{SVG}rect").get("fill") == "#ffffff"


@pytest.mark.each("name", GRAPHS)
def test_no_text_is_wider_than_its_box_or_outside_the_picture(name):
    graph = GRAPHS[name]
    for card in cards(graph):
        assert all(text_width(head, 13, bold=True) <= card.size.width for head in card.heads)
        assert sum(text_width(count, 11) for count in card.counts) <= card.size.width
    root = ET.fromstring(to_svg(graph, title=LONG))
    width = float(root.get("width"))
    for words in root.iter(f"{SVG}text"):
        if words.get("text-anchor") == "start" and words in list(root):
            wide = text_width(words.text, float(words.get("font-size")), bold=words.get("font-weight") is not None)
            assert float(words.get("x")) + wide <= width


@pytest.mark.parametrize("place", [tree_layout, sideways_layout, diagram_layout])
@pytest.mark.each("name", GRAPHS)
def test_boxes_do_not_overlap(name, place):
    graph = GRAPHS[name]
    if place is not diagram_layout and not graph.is_tree:
        place = diagram_layout
    sizes = [card.size for card in cards(graph)]
    layout = place(graph, sizes, gap_x=20, gap_y=30)
    placed = zip(layout.x, layout.y, sizes, strict=True)
    boxes = [(x - s.width / 2, x + s.width / 2, y, y + s.height) for x, y, s in placed]
    assert min(box[0] for box in boxes) >= -1e-6
    assert min(box[2] for box in boxes) >= -1e-6
    assert max(box[1] for box in boxes) <= layout.size.width + 1e-6
    assert max(box[3] for box in boxes) <= layout.size.height + 1e-6
    for a, b in combinations(boxes, 2):
        assert a[1] <= b[0] + 1e-6 or b[1] <= a[0] + 1e-6 or a[3] <= b[2] + 1e-6 or b[3] <= a[2] + 1e-6


def test_yes_is_left_in_a_tree_and_above_in_one_drawn_sideways():
    graph = GRAPHS["depth 3"]
    sizes = [card.size for card in cards(graph)]
    down = tree_layout(graph, sizes, gap_x=20, gap_y=30)
    right = sideways_layout(graph, sizes, gap_x=20, gap_y=30)
    for node in np.flatnonzero(graph.test):
        assert down.x[graph.yes[node]] < down.x[node] < down.x[graph.no[node]]
        assert right.y[graph.yes[node]] < right.y[graph.no[node]]


def test_a_wide_tree_is_drawn_sideways():
    root = ET.fromstring(to_svg(GRAPHS["depth 6"]))
    assert float(root.get("width")) < 2600
    assert float(root.get("height")) > float(root.get("width"))


def test_long_names_are_cut_and_whole_in_the_tooltip():
    root = ET.fromstring(to_svg(GRAPHS["long names"]))
    shown = [words.text for words in root.iter(f"{SVG}text")]
    assert not any(LONG in words for words in shown)
    assert any(words.endswith("…") for words in shown)
    assert any(LONG in title.text for title in root.iter(f"{SVG}title"))


def test_size_depends_on_nodes_not_on_rows():
    few, many = (Graph.leaf(SCHEMA, ["no", "yes"], 1, [n, n], 2 * n) for n in (10, 10**9))
    assert abs(len(to_svg(few)) - len(to_svg(many))) < 100


def test_no_row_takes_the_other_edge_of_a_node_that_passes_all_on():
    """Node 3 has two parents, and the rows of one of them show how many come from the other."""
    bits = [(a, b, c, d) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)]
    y = [c ^ d if a == 0 or b == 1 else 2 for a, b, c, d in bits]
    model = OptimalDiagramClassifier("IV").fit(bits, y)
    graph, paths = model.diagram_, model.decision_path(bits).toarray().astype(bool)
    most = row_bounds(graph)
    asking = np.flatnonzero(graph.test)
    for node, side in ((node, side) for node in asking for side in (0, 1)):
        child = (graph.yes, graph.no)[side][node]
        assert most[node, side] >= (paths[:, node] & paths[:, child]).sum() > 0 or most[node, side] == 0
    assert (most[asking] == 0).sum() == 1


def test_edges_of_a_tree_have_the_rows_of_their_ends():
    graph = tree(5, seed=4)
    asking = np.flatnonzero(graph.test)
    assert (
        row_bounds(graph)[asking].tolist()
        == np.column_stack([graph.rows[graph.yes], graph.rows[graph.no]])[asking].tolist()
    )


def test_edges_are_as_thick_as_their_share_and_dashed_without_rows():
    nodes = [
        Node(0, (9.0, 1.0), 10, test=Test.AT_MOST, column=0, threshold=0.5, yes=1, no=2),
        Node(0, (9.0, 1.0), 10),
        Node(1, (0.0, 0.0), 0),
    ]
    root = ET.fromstring(to_svg(Graph.of_nodes(SCHEMA, np.array(["a", "b"]), nodes)))
    yes, no = root.findall(f"{SVG}g")[-1].findall(f"{SVG}path")
    assert (yes.get("stroke-width"), yes.get("stroke-dasharray")) == ("9", None)
    assert (no.get("stroke-width"), no.get("stroke-dasharray")) == ("1.4", "4 4")


def test_width_scales_the_picture():
    natural, scaled = (ET.fromstring(to_svg(GRAPHS["stump"], width=width)) for width in (None, 100))
    assert scaled.get("width") == "100"
    assert scaled.get("viewBox") == natural.get("viewBox")
    ratio = float(natural.get("height")) / float(natural.get("width"))
    assert float(scaled.get("height")) == pytest.approx(100 * ratio, abs=0.01)


def test_save_writes_the_same_text(tmp_path):
    path = tmp_path / "tree.svg"
    save_svg(GRAPHS["stump"], path, title="Größe ≤ 5")
    assert path.read_text(encoding="utf-8") == to_svg(GRAPHS["stump"], title="Größe ≤ 5")


def test_colours_are_distinct_and_their_text_stands_out():
    colours = [class_colour(i) for i in range(30)]
    assert len(set(colours)) == 30
    assert min(contrast(colour, text_colour(colour)) for colour in colours) >= 4.5


def test_the_decision_path_of_a_row_is_set_off():
    graph = tree(2)
    nodes = [0, int(graph.no[0]), int(graph.yes[graph.no[0]])]
    text = to_svg(graph, decision_path=nodes)
    assert text == to_svg(graph, way=nodes)  # the name in version 0.1.0
    plain, shown = ET.fromstring(to_svg(graph)), ET.fromstring(text)
    dark = [path for path in shown.iter(f"{SVG}path") if path.get("stroke") == "#1b2733"]
    framed = [rect for rect in shown.iter(f"{SVG}rect") if rect.get("stroke") == "#1b2733"]
    assert (len(dark), len(framed)) == (2, 3)
    assert not [mark for mark in plain.iter() if mark.get("stroke") == "#1b2733"]
