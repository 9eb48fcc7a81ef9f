"""DL8 as published (Nijssen and Fromont 2007), on exactree's kernel."""

from exactree_bench.contestants import common
from exactree_bench.contestants.interface import Contestant

DL8 = Contestant("DL8", common.version, common.tree(lambda: common.solver_class("DL8")()), common.fit_result)
