"""MIP formulations of trees: BinOCT without and with a warm start from CART, OCT and FlowOCT, by MIP solver."""

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
    """Return a factory of solvers; one whose MIP solver is not installed raises an error when it is made."""
    return lambda: common.solver_class(solver)(**options)


def contestant(name: str, backend: str | None = None) -> Contestant:
    """Return a contestant; its name ends with the MIP solver unless that is left to exactree."""
    solver, options = SOLVERS[name]
    chosen = {} if backend is None else {"backend": backend}
    full = name if backend is None else f"{name} {backend}"
    return Contestant(full, common.version, common.tree(maker(solver, options | chosen)), common.fit_result)


CONTESTANTS = (
    *(contestant(name, backend) for name in SOLVERS for backend in (None, *BACKENDS)),
    Contestant("OCT-H", common.version, common.tree(maker("OCT", {"multivariate": True})), common.fit_result),
)
