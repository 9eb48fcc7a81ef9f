"""MODEL on the command line -> the saved graph."""

from pathlib import Path

from exactree.datasets.files import existing
from exactree.model import Graph, load


def read(text: str) -> Graph:
    """Read a model that ``exactree fit -o`` wrote."""
    return load(existing(Path(text), (".json",)))
