"""Heuristic for decision diagrams: construction layer by layer, and local search."""

from exactree.solve.diagram_heuristic.solver import DiagramHeuristic

__all__ = ["DiagramHeuristic"]

DiagramStart = DiagramHeuristic  # its name in pickles of version 0.1.0
