"""Decision trees and diagrams that are proved to be the best of their kind.

Reading order follows the data: ``table`` -> ``encode`` -> ``problem`` -> ``solve`` -> ``model`` -> ``explain``,
``export``, ``plot``; ``estimators`` runs them in order.

Names are loaded when first used, so that ``import exactree`` is quick.
"""

import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

from exactree.moved import MovedModules

sys.meta_path.append(MovedModules())

__version__ = version("exactree")

_HOMES = {
    "BinOCT": "exactree.solve",
    "CartSampling": "exactree.encode",
    "ColumnGeneration": "exactree.solve",
    "DL8": "exactree.solve",
    "DL85": "exactree.solve",
    "DiagramSearch": "exactree.solve",
    "Exhaustive": "exactree.solve",
    "Fairness": "exactree.problem",
    "FalseNegatives": "exactree.problem",
    "FlowOCT": "exactree.solve",
    "HybridTreeClassifier": "exactree.estimators",
    "LeafAccuracy": "exactree.problem",
    "NotProvedWarning": "exactree.estimators",
    "OCT": "exactree.solve",
    "ODD": "exactree.solve",
    "OptimalDiagramClassifier": "exactree.estimators",
    "OptimalTreeClassifier": "exactree.estimators",
    "Progress": "exactree.solve",
    "Search": "exactree.solve",
    "XCT": "exactree.solve",
    "blocking_rows": "exactree.estimators",
    "fairness_front": "exactree.estimators",
    "load": "exactree.model",
    "load_hybrid": "exactree.estimators",
    "pareto_front": "exactree.estimators",
    "save": "exactree.model",
    "save_hybrid": "exactree.estimators",
}

_MODULES = (
    "datasets",
    "encode",
    "errors",
    "estimators",
    "explain",
    "export",
    "mip",
    "model",
    "plot",
    "problem",
    "solve",
    "table",
    "testing",
)

__all__ = [
    "DL8",
    "DL85",
    "OCT",
    "ODD",
    "XCT",
    "BinOCT",
    "CartSampling",
    "ColumnGeneration",
    "DiagramSearch",
    "Exhaustive",
    "Fairness",
    "FalseNegatives",
    "FlowOCT",
    "HybridTreeClassifier",
    "LeafAccuracy",
    "NotProvedWarning",
    "OptimalDiagramClassifier",
    "OptimalTreeClassifier",
    "Progress",
    "Search",
    "blocking_rows",
    "fairness_front",
    "load",
    "load_hybrid",
    "pareto_front",
    "save",
    "save_hybrid",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"exactree.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'exactree' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
