"""The native branch and bound: trees, worst leaf, Pareto front, diagrams."""

from exactree.solve.search.diagrams import DiagramSearch
from exactree.solve.search.trees import Search

__all__ = ["DiagramSearch", "Search"]
