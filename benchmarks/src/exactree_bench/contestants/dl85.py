"""DL8.5 as published (Aglin, Nijssen and Schaus 2020), on exactree's kernel, in the four variants of the paper."""

from typing import Any

from exactree_bench.contestants import common
from exactree_bench.contestants.interface import Contestant

# The paper's names: data order, gain ascending, gain descending, no partial solutions in the cache.
SETTINGS: dict[str, dict[str, Any]] = {
    "DL8.5 d.o.": {"order": "data"},
    "DL8.5 asc": {"order": "gain-ascending"},
    "DL8.5 desc": {"order": "gain"},
    "DL8.5 n.p.s.": {"order": "data", "cache_partial": False},
}


def variant(name: str) -> Contestant:
    """Return one of the variants by the paper's name."""
    settings = SETTINGS[name]
    make = common.tree(lambda: common.solver_class("DL85")(**settings))
    return Contestant(name, common.version, make, common.fit_result)


VARIANTS = tuple(map(variant, SETTINGS))
