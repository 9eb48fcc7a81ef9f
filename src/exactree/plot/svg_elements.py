"""SVG elements: the root, rectangles, texts, tooltips and numbers, escaped and rounded in one place."""

from xml.sax.saxutils import escape, quoteattr

from exactree.model.wording import printable
from exactree.plot.typeset import FONT

INK, FAINT = "#1b2733", "#55626f"


def svg_root(name: str, total: tuple[float, float], width: float | None) -> str:
    """Return the svg_root tag of a plot: its size, displayed width, and name for screen readers."""
    scale = 1.0 if width is None else width / total[0]
    shown = f'width="{number(total[0] * scale)}" height="{number(total[1] * scale)}"'
    size = f'{shown} viewBox="0 0 {number(total[0])} {number(total[1])}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label={quoteattr(printable(name))} '
        f'font-family="{FONT}">'
    )


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


def stroke(path: str, colour: str, thick: float, *, dashes: str = "") -> str:
    """Return a line along a path, solid or dashed.

    Examples
    --------
    >>> stroke("M0 0H5", "#000000", 2)
    '<path d="M0 0H5" fill="none" stroke="#000000" stroke-width="2"/>'
    """
    broken = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{number(thick)}"{broken}/>'


def tooltip(words: str) -> str:
    """Return the tooltip of the enclosing group."""
    return f"<title>{escape(words)}</title>"


def number(value: float) -> str:
    """Return a coordinate as text, rounded to what a screen can show.

    Examples
    --------
    >>> number(1.0), number(1 / 3), number(-0.001)
    ('1', '0.33', '0')
    """
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
