"""Tables to try things on: exact generators, scikit-learn's own, any folder of CSV files, OpenML by number."""

from exactree.datasets.dataset import Dataset
from exactree.datasets.files import folder
from exactree.datasets.load import load, load_openml, names

__all__ = ["Dataset", "folder", "load", "load_openml", "names"]
