"""Local search for trees and diagrams with oblique splits."""

from exactree.solve.oblique.beside import better_of_both, takes_both
from exactree.solve.oblique.flow import ObliqueModel
from exactree.solve.oblique.kinds import Diagrams, Trees, as_tree
from exactree.solve.oblique.run import improve_with_oblique_splits

__all__ = [
    "Diagrams",
    "ObliqueModel",
    "Trees",
    "as_tree",
    "better_of_both",
    "improve_with_oblique_splits",
    "takes_both",
]
