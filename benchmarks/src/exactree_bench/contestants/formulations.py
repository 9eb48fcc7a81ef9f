"""Tree programs on exactree's MIP layer: BinOCT without and with a start from CART, OCT and FlowOCT, by back end."""

from collections.abc import Callable
from typing import Any

from exactree_bench.contestants import common
from exactree_bench.contestants.interface import Contestant

BACKENDS = ("highs", "cp-sat", "scip")
SOLVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "BinOCT": ("BinOCT", {"warm_start": None}),
    "BinOCT*": ("BinOCT", {"warm_start": "cart"}),
    "OCT": ("OCT", {"warm_start": "cart"}),
    "FlowOCT": ("FlowOCT", {"warm_start": "cart"}),
}


def maker(solver: str, options: dict[str, Any]) -> Callable[[], Any]:
    """Return what makes a solver; one whose back end is not installed refuses when it is made."""
    return lambda: common.solver_class(solver)(**options)


def program(name: str, backend: str | None = None) -> Contestant:
    """Return a contestant; its name tells the back end if that is not chosen by itself."""
    solver, options = SOLVERS[name]
    chosen = {} if backend is None else {"backend": backend}
    full = name if backend is None else f"{name} {backend}"
    return Contestant(full, common.version, common.tree(maker(solver, options | chosen)), common.finding)


PROGRAMS = tuple(program(name, backend) for name in SOLVERS for backend in (None, *BACKENDS))
