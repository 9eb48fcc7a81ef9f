"""exactree's own search, the default solver: whole, and without one of its parts."""

from exactree.solve.search.trees import PARTS
from exactree_bench.contestants import kernel
from exactree_bench.contestants.interface import Contestant

SEARCH = Contestant("exactree", kernel.version, kernel.tree(lambda: "search"), kernel.finding)


def lacking(part: str) -> Contestant:
    """Return the search without a part."""
    make = kernel.tree(lambda: kernel.solver_class("Search")(without=(part,)))
    return Contestant(f"without {part}", kernel.version, make, kernel.finding)


WITHOUT = tuple(map(lacking, PARTS))
