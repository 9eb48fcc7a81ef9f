"""exactree's own search, the default solver."""

from exactree.bench.contestants import kernel
from exactree.bench.contestants.interface import Contestant

SEARCH = Contestant("exactree", kernel.version, kernel.tree(lambda: "search"), kernel.finding)
