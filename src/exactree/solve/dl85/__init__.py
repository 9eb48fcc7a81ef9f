"""DL8 and DL8.5 as published."""

from exactree.solve.dl85.solver import DL8, DL85

__all__ = ["DL8", "DL85"]
