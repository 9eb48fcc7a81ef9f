"""What callers give as a graph: the graph itself, or the estimator that was fitted."""

from typing import Any

from exactree.errors import InputError, Unsupported
from exactree.model.graph import Graph

_FITTED = ("tree_", "diagram_")  # attributes of estimators that hold their graph


def given_graph(value: Any) -> Graph:
    """Return the graph that was given, or that of a fitted estimator.

    Parameters
    ----------
    value : Graph or fitted estimator
        What was given. An estimator with models in its leaves is refused: its graph is only a part of it.

    Returns
    -------
    Graph
        The graph.

    Examples
    --------
    >>> from exactree import OptimalTreeClassifier
    >>> tree = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], [0, 1])
    >>> given_graph(tree) is given_graph(tree.tree_) is tree.tree_
    True
    """
    if isinstance(value, Graph):
        return value
    if any(model is not None for model in getattr(value, "leaf_models_", {}).values()):
        raise Unsupported(
            f"This {type(value).__name__} has models in its leaves, which its tree alone does not include. "
            f"To take the tree alone, give its tree_."
        )
    for name in _FITTED:
        if isinstance(graph := getattr(value, name, None), Graph):
            return graph
    if not isinstance(value, type) and hasattr(value, "fit") and not any(hasattr(value, name) for name in _FITTED):
        raise InputError(f"This {type(value).__name__} is not fitted yet: call fit first.")
    raise _no_graph(value)


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
        raise _no_graph(value)


def _no_graph(value: object) -> InputError:
    return InputError(
        f"Expected a graph, such as tree.tree_ or diagram.diagram_ of a fitted estimator; got a {type(value).__name__}."
    )
