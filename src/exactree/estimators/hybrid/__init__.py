"""Hybrid trees: a model in each leaf of an optimal tree that needs one."""

from exactree.estimators.hybrid.classifier import HybridTreeClassifier
from exactree.estimators.hybrid.report import HybridReport, LeafScore
from exactree.estimators.hybrid.saved import load_hybrid, save_hybrid

__all__ = ["HybridReport", "HybridTreeClassifier", "LeafScore", "load_hybrid", "save_hybrid"]
