"""Single cells of a table: whether there is a value, and when two of them mean the same."""

from typing import Any


def is_missing(value: Any) -> bool:
    """Whether a cell has no value: None or NaN.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing(0), is_missing("")
    (True, True, False, False)
    """
    return value is None or bool(value != value)


def key(value: Any) -> float | str:
    """What two cells share that mean the same: the number, or else the text.

    Examples
    --------
    >>> key("1"), key(1), key(1.0), key("x"), key(True), key("True")
    (1.0, 1.0, 1.0, 'x', 'true', 'true')
    """
    text = str(value)
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        return float(text)
    except ValueError:
        return text
