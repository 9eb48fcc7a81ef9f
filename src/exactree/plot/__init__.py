"""Stage 8. Pictures of a model, or of a choice between models."""

from exactree.plot.curve import Dot, curve_svg
from exactree.plot.fragmentation import fragmentation_svg, save_fragmentation
from exactree.plot.svg import save_svg, to_svg

__all__ = ["Dot", "curve_svg", "fragmentation_svg", "save_fragmentation", "save_svg", "to_svg"]
