"""Names that users may write with hyphens or underscores."""

from collections.abc import Iterable


def canonical(name: str, known: Iterable[str]) -> str:
    """Return the known name that ``name`` stands for, or ``name`` itself if there is none.

    Parameters
    ----------
    name : str
        What the user wrote; ``-`` and ``_`` mean the same.
    known : iterable of str
        Names in their canonical form.

    Returns
    -------
    str
        One of ``known``, or ``name``.

    Examples
    --------
    >>> canonical("column_generation", ["search", "column-generation"])
    'column-generation'
    >>> canonical("leaf-accuracy", ["accuracy", "leaf_accuracy"])
    'leaf_accuracy'
    >>> canonical("genetic_search", ["search"])
    'genetic_search'
    """
    if not isinstance(name, str):  # left to the caller's message
        return name
    wanted = name.replace("_", "-")
    return next((each for each in known if each.replace("_", "-") == wanted), name)
