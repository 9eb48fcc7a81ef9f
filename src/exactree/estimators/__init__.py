"""The scikit-learn face: it runs the stages in order and holds no algorithm."""

from importlib import import_module
from typing import Any

from exactree.estimators.blocking import blocking_rows
from exactree.estimators.diagram import OptimalDiagramClassifier
from exactree.estimators.fairness_front import FairnessFront, FairnessPoint, fairness_front
from exactree.estimators.front import FrontPoint, ParetoFront, pareto_front
from exactree.estimators.graph_classifier import NotProvedWarning
from exactree.estimators.tree import OptimalTreeClassifier

__all__ = [
    "FairnessFront",
    "FairnessPoint",
    "FrontPoint",
    "HybridTreeClassifier",
    "NotProvedWarning",
    "OptimalDiagramClassifier",
    "OptimalTreeClassifier",
    "ParetoFront",
    "blocking_rows",
    "fairness_front",
    "load_hybrid",
    "pareto_front",
    "save_hybrid",
]

# Loaded when first used: they bring much of scikit-learn that a tree does not need.
_HYBRID = {"HybridTreeClassifier": "classifier", "load_hybrid": "saved", "save_hybrid": "saved"}


def __getattr__(name: str) -> Any:
    if name not in _HYBRID:
        raise AttributeError(f"module 'exactree.estimators' has no attribute {name!r}")
    return getattr(import_module(f"exactree.estimators.hybrid.{_HYBRID[name]}"), name)
