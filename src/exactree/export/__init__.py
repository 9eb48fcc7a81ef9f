"""Stage 7. Models in other formats, one file each."""

from exactree.export.text import to_text

__all__ = ["to_text"]
