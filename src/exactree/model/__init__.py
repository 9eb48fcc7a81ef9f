"""Stage 5. The model that solving returns: a decision graph (a tree, or a diagram with shared nodes)."""

from exactree.model.about import About
from exactree.model.decision_paths import paths_taken, with_path_counts
from exactree.model.fragmentation import Fragmentation, NodeShare, fragmentation
from exactree.model.given import check_is_graph, given_graph
from exactree.model.graph import Graph
from exactree.model.node import Node
from exactree.model.path_counts import PathCounts
from exactree.model.saved import dumps, load, load_about, loads, loads_about, save
from exactree.model.simplify import simplified, simplify
from exactree.model.walk import Path, Step, paths, walk

__all__ = [
    "About",
    "Fragmentation",
    "Graph",
    "Node",
    "NodeShare",
    "Path",
    "PathCounts",
    "Step",
    "check_is_graph",
    "dumps",
    "fragmentation",
    "given_graph",
    "load",
    "load_about",
    "loads",
    "loads_about",
    "paths",
    "paths_taken",
    "save",
    "simplified",
    "simplify",
    "walk",
    "with_path_counts",
]
