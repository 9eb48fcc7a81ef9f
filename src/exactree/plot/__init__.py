"""Stage 8. Pictures of a model."""

from exactree.plot.svg import save_svg, to_svg

__all__ = ["save_svg", "to_svg"]
