"""XCT: the accuracy of the worst leaf as a MIP."""

from exactree.solve.formulations.xct.solver import XCT

__all__ = ["XCT"]
