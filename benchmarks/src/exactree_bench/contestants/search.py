"""exactree's own search, the default solver: whole, and without one of its parts."""

from exactree.solve.search.trees import PARTS
from exactree_bench.contestants import common
from exactree_bench.contestants.interface import Contestant

SEARCH = Contestant("exactree", common.version, common.tree(lambda: "search"), common.finding)


def lacking(part: str) -> Contestant:
    """Return the search without a part."""
    make = common.tree(lambda: common.solver_class("Search")(without=(part,)))
    return Contestant(f"without {part}", common.version, make, common.finding)


WITHOUT = tuple(map(lacking, PARTS))
