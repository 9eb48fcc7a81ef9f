"""FlowOCT (Aghaei, Gómez and Vayanos 2024)."""

from exactree.solve.formulations.flow_oct.solver import FlowOCT

__all__ = ["FlowOCT"]
