"""Estimates the width of texts without the font, and truncates them to fit."""

import unicodedata

from exactree.model.wording import ELLIPSIS

FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"

# Widths in Arial as parts of the font size, rounded up; what is not listed is as wide as a capital.
_WIDTHS = {
    **dict.fromkeys("ijl'|", 0.23),
    **dict.fromkeys(" .,:;!/\\ftI[]", 0.29),
    **dict.fromkeys('r-()`{}"', 0.37),
    **dict.fromkeys("cksvxyzJ^*", 0.51),
    **dict.fromkeys("abdeghnopquL0123456789_$?#", 0.57),
    **dict.fromkeys("<=>+~FTZ", 0.62),
    **dict.fromkeys("mMw%W@…", 0.95),
}
_CAPITAL, _WIDE = 0.75, 1.05
_RESERVE = 1.05  # other sans-serif fonts run a little wider than Arial
_BOLD = 1.07


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return an upper estimate of the width of a text.

    Examples
    --------
    >>> text_width("ill", 10) < text_width("WWW", 10)
    True
    """
    return sum(_glyph(c) for c in text) * size * _RESERVE * (_BOLD if bold else 1.0)


def truncate_text(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """Truncate a text so that it fits, with an ellipsis.

    Examples
    --------
    >>> truncate_text("hippopotamus", 10, 40)
    'hippo…'
    """
    if text_width(text, size, bold=bold) <= room:
        return text
    while text and text_width(text + ELLIPSIS, size, bold=bold) > room:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def wrap_text(text: str, size: float, room: float, *, n_lines: int, bold: bool = False) -> list[str]:
    """Break a text into lines between words; the last line is truncated.

    Examples
    --------
    >>> wrap_text("one two three four", 10, 50, n_lines=2)
    ['one two', 'three four']
    """
    lines: list[str] = []
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and (len(lines) == n_lines or text_width(joined, size, bold=bold) <= room):
            lines[-1] = joined
        else:
            lines.append(word)
    return [truncate_text(line, size, room, bold=bold) for line in lines]


def _glyph(character: str) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE
    return _WIDTHS.get(character, _CAPITAL)
