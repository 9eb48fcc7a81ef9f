"""Decision diagrams without a proof, at once: constructed layer by layer and improved by local search."""

from exactree.solve.diagram_heuristic.solver import DiagramStart

__all__ = ["DiagramStart"]
