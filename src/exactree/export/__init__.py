"""Stage 7. Other forms of a model, one file each."""

from exactree.export.text import to_text

__all__ = ["to_text"]
