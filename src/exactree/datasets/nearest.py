"""Names that are nearly the one that was typed."""

import difflib
from collections.abc import Iterable


def nearest(text: str, names: Iterable[str], *, most: int = 3) -> list[str]:
    """Names that look like ``text``, the likeliest first; upper and lower case count as the same.

    Examples
    --------
    >>> nearest("AGE", ["age", "wage", "height"])
    ['age', 'wage']
    """
    by_lower = {name.lower(): name for name in names}
    return [by_lower[lower] for lower in difflib.get_close_matches(text.lower(), by_lower, n=most)]


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Word the suggestion as a sentence after a space; nothing if no name is near.

    Examples
    --------
    >>> did_you_mean("monk-1", ["monks-1", "iris"])
    " Did you mean 'monks-1'?"
    >>> did_you_mean("wine", ["iris"])
    ''
    """
    near = nearest(text, names)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
