"""OCT and OCT-H (Bertsimas and Dunn 2017)."""

from exactree.solve.formulations.oct.solver import OCT

__all__ = ["OCT"]
