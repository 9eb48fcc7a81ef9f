"""Random graphs over every kind of column, and tables to run through them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from exactree.model import Graph, Node
from exactree.table import Column, ColumnType, Kind, Schema, Table, Test

SCHEMA = Schema(
    (
        ColumnType("number", Kind.NUMBER),
        ColumnType("integer", Kind.INTEGER),
        ColumnType("boolean", Kind.BOOLEAN),
        ColumnType("category", Kind.CATEGORY, ("blue", "green", "red")),
        ColumnType("ordered", Kind.ORDERED, ("low", "middle", "high")),
    ),
    named=True,
)
BIG = 2**53  # neighbours of this differ as integers, not as floats


@dataclass(frozen=True)
class Case:
    graph: Graph
    table: Table


def random_table(rng: np.random.Generator, n_rows: int) -> Table:
    def some(missing: Any, values: Any) -> Any:
        return np.where(rng.random(n_rows) < 0.15, missing, values)

    values = [
        some(np.nan, rng.integers(0, 4, n_rows).astype(float)),
        BIG + rng.integers(0, 4, n_rows),
        some(np.nan, rng.integers(0, 2, n_rows).astype(float)),
        rng.integers(-2, 3, n_rows).astype(np.int32),
        rng.integers(-2, 3, n_rows).astype(np.int32),
    ]
    columns = tuple(Column(t.name, t.kind, v, t.levels) for t, v in zip(SCHEMA.columns, values, strict=True))
    return Table(columns, n_rows, named=True)


def random_branch(rng: np.random.Generator, yes: int, no: int) -> Node:
    column = int(rng.integers(len(SCHEMA.columns)))
    kind = SCHEMA.columns[column].kind
    test = Test.IS_LEVEL if kind is Kind.CATEGORY else Test.AT_MOST
    if rng.random() < 0.15:
        test = Test.IS_MISSING
    code, threshold = 0, np.nan
    if test == Test.IS_LEVEL:
        code = int(rng.integers(3))
    elif test == Test.AT_MOST and kind is Kind.INTEGER:
        code = BIG + int(rng.integers(3))
    elif test == Test.AT_MOST:
        threshold = float(rng.choice([-np.inf, 0.0, 0.5, 1.0, 1.5, 2.5, np.inf]))
    missing_yes = bool(rng.random() < 0.5)
    if rng.random() < 0.2:
        factors = ((0, float(rng.choice([1.0, -0.3]))), (2, float(rng.choice([0.5, -2.0]))))
        threshold = float(rng.choice([-0.5, 0.5, 1.5]))
        return Node(0, (0.0,) * 3, 0, Test.LINEAR, -1, threshold, 0, missing_yes, yes, no, factors)
    return Node(0, (0.0,) * 3, 0, test, column, threshold, code, missing_yes, yes, no)


def random_tree(rng: np.random.Generator, n_branches: int) -> list[Node]:
    nodes = [Node(int(rng.integers(3)), (0.0,) * 3, 0)]
    for _ in range(n_branches):
        leaf = int(rng.choice([i for i, node in enumerate(nodes) if node.is_leaf]))
        nodes[leaf] = random_branch(rng, len(nodes), len(nodes) + 1)
        nodes += [Node(int(rng.integers(3)), (0.0,) * 3, 0) for _ in range(2)]
    return nodes


def random_diagram(rng: np.random.Generator, n_branches: int) -> list[Node]:
    """Each branch leads to any later nodes; those nothing leads to are left out."""
    n_nodes = n_branches + 4
    nodes = [random_branch(rng, *rng.integers(i + 1, n_nodes, 2).tolist()) for i in range(n_branches)]
    nodes += [Node(int(rng.integers(3)), (0.0,) * 3, 0) for _ in range(4)]
    kept = {0}
    for i, node in enumerate(nodes):
        if i in kept and not node.is_leaf:
            kept |= {node.yes, node.no}
    number = {node: i for i, node in enumerate(sorted(kept))}
    found = [nodes[i] for i in sorted(kept)]
    return [n if n.is_leaf else replace(n, yes=number[n.yes], no=number[n.no]) for n in found]


def counted(graph: Graph, table: Table, labels: np.ndarray) -> Graph:
    """The same graph with weights and rows of this table."""
    passed = graph.decision_path(table).toarray()
    weight = passed.T.astype(float) @ np.eye(3)[labels]
    rows = passed.sum(axis=0).astype(np.int64)
    nodes = [
        replace(node, weight=tuple(w.tolist()), rows=int(r))
        for node, w, r in zip(graph.nodes(), weight, rows, strict=True)
    ]
    return Graph.of_nodes(graph.schema, graph.classes, nodes, graph.missing_seen)


def random_case(seed: int, n_rows: int = 60) -> Case:
    rng = np.random.default_rng(seed)
    table = random_table(rng, n_rows)
    make = random_tree if seed % 2 else random_diagram
    nodes = make(rng, int(rng.integers(0, 9)))
    graph = Graph.of_nodes(SCHEMA, np.array(["a", "b", "c"]), nodes, np.array([True, False, True, True, True]))
    return Case(counted(graph, table, rng.integers(0, 3, n_rows)), table)


@pytest.fixture(scope="session")
def case() -> Callable[..., Case]:
    """Make a random graph and the table its counts come from; odd seeds give trees, even ones diagrams."""
    return random_case


@pytest.fixture(scope="session")
def recount() -> Callable[[Graph, Table, np.ndarray], Graph]:
    return counted
