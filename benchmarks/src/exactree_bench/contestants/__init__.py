"""Who takes part. A new contestant is one new file and one line here."""

from exactree_bench.contestants import (
    cart,
    column_generation,
    contree,
    diagrams,
    dl8,
    dl85,
    formulations,
    pydl85,
    search,
    streed,
    worst_leaf,
)
from exactree_bench.contestants.interface import Contestant, Finding, NotAvailable

__all__ = ["CONTESTANTS", "Contestant", "Finding", "NotAvailable", "entry_version"]

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
        *column_generation.ENTRANTS,
        *formulations.PROGRAMS,
        contree.CONTREE,
        contree.UNSORTED,
        *worst_leaf.ENTRANTS,
        *diagrams.ENTRANTS,
    )
}


def entry_version(name: str) -> str:
    """Version of a contestant, or ``"none"`` where it is not installed: the worker then tells why."""
    try:
        return CONTESTANTS[name].version()
    except NotAvailable:
        return "none"
