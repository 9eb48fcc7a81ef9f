"""BinOCT (Verwer and Zhang 2019)."""

from exactree.solve.formulations.binoct.solver import BinOCT

__all__ = ["BinOCT"]
