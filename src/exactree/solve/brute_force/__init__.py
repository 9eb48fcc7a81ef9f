"""All trees and all diagrams of tiny problems: what every other solver is tested against."""

from exactree.solve.brute_force.diagrams import ExhaustiveDiagram
from exactree.solve.brute_force.trees import Exhaustive

__all__ = ["Exhaustive", "ExhaustiveDiagram"]
