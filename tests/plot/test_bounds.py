import re
import xml.etree.ElementTree as ET

import pytest

from exactree.plot import Moment, bounds_svg

SVG = "{http://www.w3.org/2000/svg}"
INFINITE = float("inf")
RUN = [
    Moment(0.1, 1, 60, 40.0, -30.0, 30.0),
    Moment(0.2, 2, 90, 25.0, 10.0, 30.0),
    Moment(0.4, 3, 120, 22.0, 4.0, 24.0),
    Moment(0.5, 4, 125, 20.0, 20.0, 20.0),
]


def drawn(rows, **options):
    return ET.fromstring(bounds_svg(rows, **options))


def lines(picture):
    """Heights of the three staircases, below the top of the frame: bound, tree, relaxation."""
    paths = [path.get("d") for path in picture.iter(f"{SVG}path") if path.get("stroke-width") == "2.2"]
    return [[float(y) for y in re.findall(r"(?:V|M[\d.]+ )([\d.]+)", path)] for path in paths]


def test_the_tree_and_the_relaxation_fall_and_the_best_bound_rises():
    bound, tree, relaxed = lines(drawn(RUN))
    assert len(tree) == len(relaxed) == 4
    assert tree == sorted(tree)  # lower on the screen
    assert relaxed == sorted(relaxed)
    assert len(bound) == 3  # below zero nothing is known
    assert bound == sorted(bound, reverse=True)
    assert bound[1] == bound[0]  # a worse bound does not undo a better one
    assert bound[-1] == relaxed[-1] == tree[-1]


def test_what_lies_outside_is_drawn_along_the_edge():
    _, tree, relaxed = lines(drawn(RUN))
    assert 0 <= relaxed[0] < tree[0]
    dots = [float(mark.get("cy")) for mark in drawn(RUN).iter(f"{SVG}circle")]
    assert dots[0] == 360
    assert all(0 <= y <= 360 for y in dots)


def test_iterations_and_columns_are_shown():
    picture = drawn(RUN, title="pima, depth 3")
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    assert "pima, depth 3" in texts
    assert "4 iterations, 125 columns" in texts
    titles = [title.text for title in picture.iter(f"{SVG}title")]
    assert titles[1] == "iteration 2, 90 columns: relaxation 25, bound 10"


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [Moment(0.0, 1, 5, INFINITE, -INFINITE, INFINITE)],
        [Moment(0.0, 1, 5, 0.0, 0.0, 0.0)],
        [Moment(3.0, 1, 5, 7.5, float("nan"), 8.0)],
    ],
)
def test_little_is_known(rows):
    picture = drawn(rows)
    assert len(list(picture.iter(f"{SVG}text"))) > 5


def test_many_iterations_have_fewer_dots():
    rows = [Moment(i / 100, i, i, 10.0 - i / 1000, i / 1000, 12.0) for i in range(5000)]
    assert 200 < len(list(drawn(rows).iter(f"{SVG}circle"))) <= 400


def test_bounds_of_branches_are_no_part_of_the_lines():
    root = Moment(0.1, 1, 60, 18.0, 17.0, 20.0, 17.0, True)
    below = [Moment(0.2, 2, 70, 25.0, 24.0, 20.0, 17.0, False), Moment(0.3, 3, 80, 20.0, 20.0, 20.0, 20.0, False)]
    bound, tree, relaxed = lines(drawn([root, *below]))
    assert bound[0] == bound[1] > tree[0]  # lower on the screen
    assert bound[-1] == tree[-1]
    assert len(relaxed) == 1
    assert len(list(drawn([root, *below]).iter(f"{SVG}circle"))) == 1
