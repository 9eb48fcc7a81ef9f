"""Share of rows at each node: as numbers, and as a picture with models side by side."""

import re
import xml.etree.ElementTree as ET

import pytest

from exactree import OptimalDiagramClassifier, OptimalTreeClassifier
from exactree.errors import InputError
from exactree.explain import fragmentation
from exactree.model import Graph
from exactree.plot import fragmentation_svg, save_fragmentation
from exactree.table import Schema

SVG = "{http://www.w3.org/2000/svg}"
BITS = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
PARITY = [sum(row) % 2 for row in BITS]
LEAF = Graph.leaf(Schema((), named=False), ["no", "yes"], 1, [3.0, 4.0], 7)


@pytest.fixture(scope="module")
def models():
    tree = OptimalTreeClassifier(3).fit(BITS, PARITY)
    return {"tree": tree, "diagram": OptimalDiagramClassifier((1, 2, 2), solver="exhaustive").fit(BITS, PARITY)}


def test_a_diagram_keeps_more_rows_together_than_a_tree(models):
    tree, diagram = (models[name].fragmentation() for name in ("tree", "diagram"))
    assert [[node.rows for node in layer] for layer in tree.layers] == [[8], [4, 4], [2, 2, 2, 2]]
    assert [[node.rows for node in layer] for layer in diagram.layers] == [[8], [4, 4], [4, 4]]
    assert (tree.least, diagram.least) == (0.25, 0.5)
    assert tree.mean == pytest.approx((2 * 0.5 + 4 * 0.25) / 6)
    assert diagram.mean == 0.5


def test_rows_of_another_table_are_counted(models):
    rows = [row for row in BITS if row[0] == 0] * 3
    found = models["diagram"].fragmentation(rows)
    assert found.n_rows == 12
    assert sorted(node.rows for node in found.layers[1]) == [0, 12]
    assert found.least == 0
    # A row is at one node of each layer, or in a leaf.
    assert all(sum(node.rows for node in layer) <= 12 for layer in found.layers)
    assert fragmentation(models["diagram"], rows) == found
    assert fragmentation(models["diagram"].diagram_) == models["diagram"].fragmentation()


def test_numbers_as_text_and_for_machines(models):
    found = models["diagram"].fragmentation()
    assert str(found).splitlines()[1] == "layer 1    4 (50.0 %)    4 (50.0 %)"
    assert str(found).endswith("fewest 50.0 % of 8 rows; below the root 50.0 % on average")
    shown = found.to_dict()
    assert (shown["n_rows"], shown["least"], len(shown["nodes"])) == (8, 0.5, 5)
    assert shown["nodes"][0] == {"node": 0, "layer": 0, "rows": 8, "share": 1.0}


def test_a_lone_leaf_has_no_node_that_asks():
    found = fragmentation(LEAF)
    assert (found.nodes, found.layers, found.least, found.mean) == ((), (), 1.0, 1.0)
    assert str(found) == "no branch: all 7 rows are in one leaf"


def test_no_rows_have_no_shares():
    with pytest.raises(InputError, match="There are no rows"):
        fragmentation(Graph.leaf(Schema((), named=False), ["no", "yes"], 1, [0.0, 0.0], 0))


def test_the_picture_has_every_node_once_and_its_share(models, tmp_path):
    save_fragmentation(models, tmp_path / "f.svg", title="Parity & <more>")
    text = (tmp_path / "f.svg").read_text()
    root = ET.fromstring(text)
    assert not re.search(r"href|<script|<style|url\(|\bid=", text)
    panels = root.findall(f"{SVG}g")
    assert len(panels) == 2
    n_nodes = [len(panel.find(f"{SVG}g").findall(f"{SVG}g")) for panel in panels]
    assert n_nodes == [models["tree"].tree_.n_nodes, models["diagram"].diagram_.n_nodes]
    words = [words.text for words in panels[1].iter(f"{SVG}text")]
    assert sorted(word for word in words if re.fullmatch(r"\d+ %", word)) == ["100 %", *["50 %"] * 4]
    assert "5 branches; fewest rows 50.0 %, below the root 50.0 % on average" in words
    width = float(root.get("width"))
    assert all(float(box.get("x", "0")) + float(box.get("width")) <= width for box in root.iter(f"{SVG}rect"))


def test_the_picture_can_count_other_rows(models):
    shown = fragmentation_svg(models, [BITS[0]])
    assert "0 of 1 rows, 0.0 %" in shown
    assert "1 of 1 rows, 100.0 %" in shown


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "models is empty. Give at least one"),
        ([OptimalDiagramClassifier()], "models is a list. Name each model, such as {'diagram': diagram}."),
        ({"a": OptimalDiagramClassifier()}, "A model is a OptimalDiagramClassifier. Expected a fitted estimator"),
    ],
)
def test_wrong_models(wrong, message):
    with pytest.raises(InputError, match=re.escape(message)):
        fragmentation_svg(wrong)
