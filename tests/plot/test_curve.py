import re
import xml.etree.ElementTree as ET

import pytest

from exactree.plot import Dot, curve_svg

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*pairs, **options):
    dots = [Dot(x, y, True, f"{x} {y}") for x, y in pairs]
    return ET.fromstring(curve_svg(dots, x="across", y="up", **options))


def marks(picture):
    return [(float(mark.get("cx")), float(mark.get("cy"))) for mark in picture.iter(f"{SVG}circle")]


def test_more_is_further_to_the_right_and_higher():
    (x0, y0), (x1, y1), (x2, y2) = marks(drawn((0.9, 0.5), (0.7, 0.8), (0.8, 0.6)))
    assert 0 < x0 < x1 < x2 < 560
    assert 0 < y0 < y1 < y2 < 360


def test_the_staircase_has_a_corner_at_each_mark():
    picture = drawn((0.7, 0.8), (0.8, 0.6), (0.9, 0.5))
    path = [path.get("d") for path in picture.iter(f"{SVG}path") if path.get("stroke-width") == "2"]
    assert len(path) == 1
    corners = re.findall(r"V([\d.]+)H([\d.]+)", path[0])
    assert [(float(x), float(y)) for y, x in corners] == marks(picture)


@pytest.mark.parametrize("pairs", [[(1.0, 1.0)], [(0.0, 0.0)], [(0.5, 0.5)], [(0.61, 0.6), (0.6102, 0.5999)]])
def test_single_and_close_values_still_have_axes(pairs):
    texts = [text.text for text in drawn(*pairs).iter(f"{SVG}text")]
    shares = [text for text in texts if text.endswith(" %")]
    assert len(shares) >= 4
    assert len(set(shares)) >= len(shares) / 2  # each tick differs from others of its axis
    assert all(0 <= float(share.removesuffix(" %")) <= 100 for share in shares)


def test_names_are_escaped_and_the_width_is_as_asked():
    picture = drawn((0.5, 0.5), title="<b> & 'c'", note="a note", width=300)
    texts = {text.text for text in picture.iter(f"{SVG}text")}
    assert {"<b> & 'c'", "a note", "across", "up"} <= texts
    assert picture.get("width") == "300"
