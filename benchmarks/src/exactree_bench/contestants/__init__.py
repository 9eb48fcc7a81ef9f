"""The contestants. A new contestant is one new file and one line here."""

from exactree_bench.contestants import (
    cart,
    column_generation,
    contree,
    diagrams,
    dl8,
    dl85,
    fair,
    fast_small_tree,
    formulations,
    gosdt,
    licketysplit,
    pydl85,
    pytrees,
    search,
    streed,
    worst_leaf,
)
from exactree_bench.contestants.interface import Contestant, FitResult, NotAvailable

__all__ = ["CONTESTANTS", "Contestant", "FitResult", "NotAvailable", "contestant_version"]

CONTESTANTS: dict[str, Contestant] = {
    contestant.name: contestant
    for contestant in (
        search.SEARCH,
        *search.WITHOUT,
        dl8.DL8,
        *dl85.VARIANTS,
        streed.STREED,
        pydl85.PYDL85,
        cart.CART,
        cart.TUNED,
        *column_generation.CONTESTANTS,
        *formulations.CONTESTANTS,
        contree.CONTREE,
        contree.UNSORTED,
        *worst_leaf.CONTESTANTS,
        *diagrams.CONTESTANTS,
        *fair.CONTESTANTS,
        licketysplit.LICKETYSPLIT,
        *pytrees.CONTESTANTS,
        fast_small_tree.FAST_SMALL_TREE,
        gosdt.GOSDT,
    )
}


def contestant_version(name: str) -> str:
    """Return the version of a contestant, or ``"none"`` if it is not installed; the worker reports the reason."""
    try:
        return CONTESTANTS[name].version()
    except NotAvailable:
        return "none"
