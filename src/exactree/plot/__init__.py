"""Stage 8. SVG plots of models, of trade-offs between models, and of the bounds of a run."""

from exactree.plot.bounds import Moment, bounds_svg
from exactree.plot.curve import Dot, curve_svg
from exactree.plot.fragmentation import fragmentation_svg, save_fragmentation
from exactree.plot.svg import save_svg, to_svg

__all__ = [
    "Dot",
    "Moment",
    "bounds_svg",
    "curve_svg",
    "fragmentation_svg",
    "save_fragmentation",
    "save_svg",
    "to_svg",
]
