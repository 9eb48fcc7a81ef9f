"""Column generation over decision paths (Firat et al. 2020), on exactree's MIP layer, as it comes.

What it proves is over the questions it has sampled, node by node.
"""

from exactree.bench.contestants import kernel
from exactree.bench.contestants.interface import Contestant

NAME = "CGH"
CGH = Contestant(
    NAME,
    kernel.version,
    kernel.tree(lambda: kernel.solver_class("ColumnGeneration")()),
    kernel.finding,
    proves_all=False,
)
