"""DL8 as published (Nijssen and Fromont 2007), on exactree's kernel."""

from exactree_bench.contestants import kernel
from exactree_bench.contestants.interface import Contestant

DL8 = Contestant("DL8", kernel.version, kernel.tree(lambda: kernel.solver_class("DL8")()), kernel.finding)
