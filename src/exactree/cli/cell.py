"""Single cells of a table: whether there is a value, and when two of them mean the same."""

import re
from typing import Any


def is_missing(value: Any) -> bool:
    """Whether a cell has no value: None or NaN.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing(0), is_missing("")
    (True, True, False, False)
    """
    return value is None or bool(value != value)


def is_number(text: str) -> bool:
    """Whether a text reads as a number; 007 does not, it is a code.

    Examples
    --------
    >>> is_number("1.5"), is_number("007"), is_number("?"), is_number("0")
    (True, False, False, True)
    """
    try:
        float(text)
    except ValueError:
        return False
    return re.match(r"[+-]?0[0-9]", text.strip()) is None


def same(label: Any, answer: Any) -> bool:
    """Whether two labels mean the same: texts as they are, anything else also across a text and a number.

    Examples
    --------
    >>> same("1", 1), same(1.0, 1), same("1.0", "1"), same("true", True)
    (True, True, False, True)
    """
    if isinstance(label, str) and isinstance(answer, str):
        return label == answer
    return _key(label) == _key(answer)


def _key(value: Any) -> float | str:
    """What two cells share that mean the same: the number, or else the text."""
    text = str(value)
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        return float(text)
    except ValueError:
        return text
