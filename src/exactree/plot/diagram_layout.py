"""Layered layout of a diagram: one layer per depth, few crossings, straight edges.

The steps are those of Sugiyama, Tagawa and Toda (1981): an edge that spans several layers gets a narrow dummy vertex on
each of them, layers are sorted by the barycentre of their neighbours, then boxes move towards their neighbours without
passing each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from exactree.arrays import Floats
from exactree.model import Graph, walk
from exactree.plot.layout import Layout, Size, level_tops

_DUMMY_WIDTH = 14.0  # width kept free for an edge that passes a layer
_SWEEPS = 12  # orders hardly change after a few; each costs one pass over the edges
_MOVES = 40  # positions converge geometrically; after 40 moves changes are below a pixel
_STRAIGHT = 8.0  # weight of edges between dummies, relative to others: long edges become straighter


@dataclass(slots=True)
class _Layered:
    layers: list[list[int]]  # vertices of each layer, left to right; those beyond the nodes are dummies
    edges: list[tuple[int, int, bool]]  # upper vertex, lower vertex, answer
    chains: dict[tuple[int, bool], list[int]]  # (parent, answer) -> dummies of the edge, from top to bottom
    widths: list[float]


def diagram_layout(graph: Graph, sizes: Sequence[Size], *, gap_x: float, gap_y: float) -> Layout:
    """Place the boxes of a diagram and the points that its long edges pass."""
    drawing = _layered(graph, sizes)
    _order(drawing)
    x = _places(drawing, gap_x)
    depths = graph.depths.tolist()
    y, height = level_tops(depths, sizes, gap_y)
    middle = {
        d: y[n] + max(sizes[m].height for m in range(graph.n_nodes) if depths[m] == d) / 2 for n, d in enumerate(depths)
    }
    left = min(x[v] - drawing.widths[v] / 2 for layer in drawing.layers for v in layer)
    right = max(x[v] + drawing.widths[v] / 2 for layer in drawing.layers for v in layer)
    via = {
        (node, side): [(float(x[v] - left), middle[depths[node] + i]) for i, v in enumerate(chain, start=1)]
        for (node, side), chain in drawing.chains.items()
    }
    return Layout(tuple(float(v - left) for v in x[: graph.n_nodes]), y, Size(float(right - left), height), via)


def _layered(graph: Graph, sizes: Sequence[Size]) -> _Layered:
    depths = graph.depths.tolist()
    drawing = _Layered([[] for _ in range(max(depths) + 1)], [], {}, [size.width for size in sizes])
    for step in walk(graph):
        if step.first:
            drawing.layers[depths[step.node]].append(step.node)
        if step.parent is None or step.side is None:
            continue
        above, chain = step.parent, []
        for depth in range(depths[step.parent] + 1, depths[step.node]):
            dummy = len(drawing.widths)
            drawing.widths.append(_DUMMY_WIDTH)
            drawing.layers[depth].append(dummy)
            drawing.edges.append((above, dummy, step.side))
            chain.append(dummy)
            above = dummy
        drawing.edges.append((above, step.node, step.side))
        drawing.chains[step.parent, step.side] = chain
    return drawing


def _order(drawing: _Layered) -> None:
    """Sort each layer by the barycentre of its neighbours, downwards and upwards in turn; keep the best order found."""
    best, fewest = [list(layer) for layer in drawing.layers], _crossings(drawing)
    for sweep in range(_SWEEPS):
        layers = drawing.layers if sweep % 2 == 0 else drawing.layers[::-1]
        for fixed, moved in pairwise(layers):
            place = {v: i for i, v in enumerate(fixed)}
            seen: dict[int, list[float]] = {v: [] for v in moved}
            for upper, lower, side in drawing.edges:
                # The yes side belongs a little to the left of its parent, the no side to the right.
                lean = -0.25 if side else 0.25
                if upper in place and lower in seen:
                    seen[lower].append(place[upper] + lean)
                elif lower in place and upper in seen:
                    seen[upper].append(place[lower] - lean)
            rank = {v: float(np.mean(seen[v])) if seen[v] else float(i) for i, v in enumerate(moved)}
            moved.sort(key=rank.__getitem__)
        crossings = _crossings(drawing)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in drawing.layers], crossings
    drawing.layers = best


def _crossings(drawing: _Layered) -> int:
    place = {v: (depth, i) for depth, layer in enumerate(drawing.layers) for i, v in enumerate(layer)}
    by_layer: list[list[tuple[int, int]]] = [[] for _ in drawing.layers]
    for upper, lower, _ in drawing.edges:
        by_layer[place[upper][0]].append((place[upper][1], place[lower][1]))
    return sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for edges in by_layer for i, a in enumerate(edges) for b in edges[:i])


def _places(drawing: _Layered, gap_x: float) -> Floats:
    """Centre of each vertex: the weighted mean of its neighbours, as far as the order and the gaps allow."""
    x = np.zeros(len(drawing.widths))
    dummies = {v for chain in drawing.chains.values() for v in chain}
    neighbours: list[list[int]] = [[] for _ in drawing.widths]
    pulls: list[list[float]] = [[] for _ in drawing.widths]
    for upper, lower, _ in drawing.edges:
        pull = _STRAIGHT if upper in dummies and lower in dummies else 1.0
        for one, other in ((upper, lower), (lower, upper)):
            neighbours[one].append(other)
            pulls[one].append(pull)
    for move in range(_MOVES):
        for layer in drawing.layers if move % 2 == 0 else drawing.layers[::-1]:
            wanted = np.array(
                [np.average(x[neighbours[v]], weights=pulls[v]) if neighbours[v] and move else 0.0 for v in layer]
            )
            half = np.array([drawing.widths[v] / 2 for v in layer])
            apart = np.concatenate([[0.0], np.cumsum(half[:-1] + half[1:] + gap_x)])
            x[layer] = _ascending(wanted - apart) + apart
    return x


def _ascending(wanted: Floats) -> Floats:
    """Return the ascending numbers nearest to given ones (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []  # mean and count
    for value in wanted.tolist():
        mean, count = value, 1
        while pools and pools[-1][0] > mean:
            other, n = pools.pop()
            mean, count = (mean * count + other * n) / (count + n), count + n
        pools.append((mean, count))
    return np.concatenate([np.full(count, mean) for mean, count in pools])
