"""ODD: optimal decision diagrams as a MIP (Florio et al. 2023)."""

from exactree.solve.formulations.odd.solver import ODD

__all__ = ["ODD"]
