"""Pieces of SVG: boxes, texts, tooltips and numbers, escaped and rounded in one place."""

from xml.sax.saxutils import escape

INK, FAINT = "#1b2733", "#55626f"


def box(
    x: float, y: float, width: float, height: float, *, fill: str, rounded: float = 0, frame: str | None = None
) -> str:
    """Return a rectangle.

    Examples
    --------
    >>> box(0, 0, 10, 5.5, fill="#ffffff")
    '<rect width="10" height="5.5" fill="#ffffff"/>'
    """
    corner = "".join(f' {name}="{number(value)}"' for name, value in (("x", x), ("y", y)) if value)
    size = f' width="{number(width)}" height="{number(height)}"'
    look = (f' rx="{number(rounded)}"' if rounded else "") + f' fill="{fill}"'
    line = f' stroke="{frame}" stroke-width="1.2"' if frame else ""
    return f"<rect{corner}{size}{look}{line}/>"


def text(
    words: str, x: float, y: float, *, size: float, colour: str = INK, bold: bool = False, anchor: str = "middle"
) -> str:
    """Return one line of text; ``anchor`` says whether x is its start, middle or end.

    Examples
    --------
    >>> text("a < b", 1, 2, size=11)
    '<text x="1" y="2" font-size="11" text-anchor="middle" fill="#1b2733">a &lt; b</text>'
    """
    weight = ' font-weight="600"' if bold else ""
    place = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}"{weight}>{escape(words)}</text>'


def tooltip(words: str) -> str:
    """Return what shows when the pointer rests on the group this stands in."""
    return f"<title>{escape(words)}</title>"


def number(value: float) -> str:
    """Write a coordinate with no more digits than a screen shows.

    Examples
    --------
    >>> number(1.0), number(1 / 3), number(-0.001)
    ('1', '0.33', '0')
    """
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
