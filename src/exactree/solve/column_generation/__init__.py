"""CGH: trees by column generation over decision paths (Firat et al. 2020)."""

from exactree.solve.column_generation.solver import ColumnGeneration

__all__ = ["ColumnGeneration"]
