"""What callers give as a graph."""

from exactree.errors import InputError
from exactree.model.graph import Graph


def check_is_graph(value: object) -> None:
    """Reject everything but a graph, which fitted estimators have as an attribute.

    Parameters
    ----------
    value : object
        What was given as a graph.

    Examples
    --------
    >>> check_is_graph("tree")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    exactree.errors.InputError: Expected a graph, such as tree.tree_ or diagram.diagram_ of a fitted estimator; got...
    """
    if not isinstance(value, Graph):
        raise InputError(
            f"Expected a graph, such as tree.tree_ or diagram.diagram_ of a fitted estimator; got a "
            f"{type(value).__name__}."
        )
