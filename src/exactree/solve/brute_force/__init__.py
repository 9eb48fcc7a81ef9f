"""Enumeration of all trees and all diagrams of tiny problems: the reference of all other solvers' tests."""

from exactree.solve.brute_force.diagrams import ExhaustiveDiagram
from exactree.solve.brute_force.trees import Exhaustive

__all__ = ["Exhaustive", "ExhaustiveDiagram"]
