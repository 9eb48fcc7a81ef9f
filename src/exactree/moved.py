"""Modules by the names that they had in version 0.1.0, so that its pickles load.

A pickle names the module of each class in it. Only classes that users can have pickled are listed: solvers with
options, which are parameters of estimators, and results of explanations.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "exactree.estimators.hybrid_report": "exactree.estimators.hybrid.report",
    "exactree.estimators.leaf_columns": "exactree.estimators.hybrid.leaf_columns",
    "exactree.estimators.leaf_models": "exactree.estimators.hybrid.leaf_models",
    "exactree.explain.answer": "exactree.explain.counterfactual.result",
    "exactree.explain.freedom": "exactree.explain.counterfactual.actionability",
    "exactree.explain.rules": "exactree.explain.counterfactual.rules",
    "exactree.solve.binoct": "exactree.solve.formulations.binoct",
    "exactree.solve.construct": "exactree.solve.diagram_heuristic",
    "exactree.solve.diagram_search": "exactree.solve.search",
    "exactree.solve.exhaustive": "exactree.solve.brute_force",
    "exactree.solve.exhaustive_diagram": "exactree.solve.brute_force",
    "exactree.solve.flow_oct": "exactree.solve.formulations.flow_oct",
    "exactree.solve.oct": "exactree.solve.formulations.oct",
    "exactree.solve.odd": "exactree.solve.formulations.odd",
    "exactree.solve.xct": "exactree.solve.formulations.xct",
}


class MovedModules(MetaPathFinder, Loader):
    """Finds a module of version 0.1.0 where it is now."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Answer for the names of version 0.1.0 only."""
        return ModuleSpec(fullname, self) if fullname in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of today in the place of the one that was asked for."""
        sys.modules[module.__name__] = import_module(MOVED[module.__name__])
