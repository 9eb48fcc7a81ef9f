"""Stage 5. The model that solving returns: a decision graph (a tree, or a diagram with shared nodes)."""

from exactree.model.about import About
from exactree.model.fragmentation import Fragmentation, NodeShare, fragmentation
from exactree.model.graph import Graph, check_is_graph
from exactree.model.node import Node
from exactree.model.saved import dumps, load, load_about, loads, save
from exactree.model.simplify import simplified, simplify
from exactree.model.walk import Path, Step, paths, walk

__all__ = [
    "About",
    "Fragmentation",
    "Graph",
    "Node",
    "NodeShare",
    "Path",
    "Step",
    "check_is_graph",
    "dumps",
    "fragmentation",
    "load",
    "load_about",
    "loads",
    "paths",
    "save",
    "simplified",
    "simplify",
    "walk",
]
