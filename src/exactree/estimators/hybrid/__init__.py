"""Hybrid trees: a model in each leaf of an optimal tree that needs one."""

from exactree.estimators.hybrid.classifier import HybridTreeClassifier
from exactree.estimators.hybrid.report import HybridReport, LeafScore

__all__ = ["HybridReport", "HybridTreeClassifier", "LeafScore"]
