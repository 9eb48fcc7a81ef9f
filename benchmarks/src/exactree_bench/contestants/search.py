"""exactree's own search, the default solver: complete, and without one of its techniques."""

from exactree.solve.search.trees import PARTS
from exactree_bench.contestants import common
from exactree_bench.contestants.interface import Contestant

SEARCH = Contestant("exactree", common.version, common.tree(lambda: "search"), common.fit_result)


def without(part: str) -> Contestant:
    """Return the search without one technique."""
    make = common.tree(lambda: common.solver_class("Search")(without=(part,)))
    return Contestant(f"without {part}", common.version, make, common.fit_result)


WITHOUT = tuple(map(without, PARTS))
