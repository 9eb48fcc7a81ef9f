"""A small tree of loans over every kind of column, and random graphs over tables of few values."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from exactree.model import Graph, Node
from exactree.table import Column, ColumnType, Kind, Schema, Table, Test

BIG = 2**53  # neighbours of this differ as integers, not as floats
LEVELS = ("blue", "green", "red")
STEPS = ("low", "middle", "high")


def at_most(column: int, threshold: float, yes: int, no: int, **more: Any) -> Node:
    return Node(0, (6.0, 4.0), 10, Test.AT_MOST, column, threshold, yes=yes, no=no, **more)


def leaf(label: int, right: int = 4, wrong: int = 0) -> Node:
    weight = (float(right), float(wrong)) if label == 0 else (float(wrong), float(right))
    return Node(label, weight, right + wrong)


LOANS = Schema(
    (
        ColumnType("age", Kind.NUMBER),
        ColumnType("income", Kind.NUMBER),
        ColumnType("job", Kind.CATEGORY, ("clerk", "nurse", "pilot")),
        ColumnType("school", Kind.ORDERED, ("none", "college", "master")),
        ColumnType("debts", Kind.BOOLEAN),
    ),
    named=True,
)


@pytest.fixture(scope="session")
def loans() -> Graph:
    """Good are those over 40 without debts, pilots, and whoever has a master and an income over 2.45."""
    nodes = [
        at_most(0, 40.5, 1, 2),  # age
        Node(0, (5.0, 1.0), 6, Test.IS_LEVEL, 2, code=2, yes=3, no=4),  # young: pilot?
        at_most(4, 0.5, 5, 6),  # old: no debts?
        leaf(1, right=3),
        at_most(3, 1.0, 7, 8),  # at most college?
        leaf(1, right=9, wrong=1),
        leaf(0, right=5),
        leaf(0, right=12, wrong=3),
        at_most(1, 2.45, 9, 10),  # income
        leaf(0, right=2),
        leaf(1, right=6, wrong=2),
    ]
    return Graph.of_nodes(LOANS, np.array(["bad", "good"]), nodes)


@pytest.fixture
def young() -> dict[str, Any]:
    return {"age": 30, "income": 2.0, "job": "clerk", "school": "none", "debts": False}


@dataclass(frozen=True)
class Case:
    """A random graph over few columns, and a table that holds every value of each of them."""

    graph: Graph
    table: Table
    values: tuple[tuple[Any, ...], ...]  # by column: what rows may hold, as the model reads it; missing last, if at all


KINDS = (Kind.NUMBER, Kind.INTEGER, Kind.BOOLEAN, Kind.CATEGORY, Kind.ORDERED)


def random_schema(rng: np.random.Generator) -> Schema:
    kinds = [KINDS[int(i)] for i in rng.integers(0, len(KINDS), int(rng.integers(2, 5)))]
    levels = {Kind.CATEGORY: LEVELS, Kind.ORDERED: STEPS}
    return Schema(tuple(ColumnType(f"c{j}", kind, levels.get(kind, ())) for j, kind in enumerate(kinds)), named=True)


def random_values(rng: np.random.Generator, kind: Kind) -> tuple[Any, ...]:
    if kind is Kind.INTEGER:
        return tuple(BIG + int(i) for i in np.unique([-9, *rng.integers(-8, 9, 3)]))
    if kind is Kind.BOOLEAN:
        return (0.0, 1.0)
    if kind is Kind.NUMBER:
        scale = float(rng.choice([1.0, 0.3]))
        return tuple((np.unique([-3, *rng.integers(-2, 6, 3)]) * scale).tolist())
    return (0, 1, 2)


def random_question(rng: np.random.Generator, schema: Schema, values: Any, yes: int, no: int) -> Node:
    j = int(rng.integers(len(schema.columns)))
    kind, here = schema.columns[j].kind, values[j]
    missing_yes = bool(rng.random() < 0.5)
    node = Node(0, (0.0,) * 3, 0, Test.AT_MOST, j, missing_yes=missing_yes, yes=yes, no=no)
    if rng.random() < 0.1 and kind is not Kind.INTEGER:
        return replace(node, test=Test.IS_MISSING)
    if kind is Kind.CATEGORY:
        return replace(node, test=Test.IS_LEVEL, code=int(rng.integers(3)))
    at = int(rng.integers(len(here) - 1))
    if kind is Kind.INTEGER:
        return replace(node, code=here[at])
    # Columns are cut either at values or between them, so that a value lies between any two cuts.
    between = here[at] if j % 2 else (here[at] + here[at + 1]) / 2
    return replace(node, threshold=float(rng.choice([between, np.inf, -np.inf], p=[0.9, 0.05, 0.05])))


def random_nodes(rng: np.random.Generator, schema: Schema, values: Any, *, tree: bool) -> list[Node]:
    def some_leaf() -> Node:
        weight = rng.integers(0, 5, 3).astype(float)
        return Node(int(rng.integers(3)), tuple(weight.tolist()), int(weight.sum()))

    n_branches = int(rng.integers(1, 8))
    if tree:
        nodes = [some_leaf()]
        for _ in range(n_branches):
            at = int(rng.choice([i for i, node in enumerate(nodes) if node.is_leaf]))
            nodes[at] = random_question(rng, schema, values, len(nodes), len(nodes) + 1)
            nodes += [some_leaf(), some_leaf()]
        return nodes
    size = n_branches + 3
    nodes = [random_question(rng, schema, values, *rng.integers(i + 1, size, 2).tolist()) for i in range(n_branches)]
    nodes += [some_leaf() for _ in range(3)]
    kept = {0}
    for i, node in enumerate(nodes):
        if i in kept and not node.is_leaf:
            kept |= {node.yes, node.no}
    number = {node: i for i, node in enumerate(sorted(kept))}
    found = [nodes[i] for i in sorted(kept)]
    return [n if n.is_leaf else replace(n, yes=number[n.yes], no=number[n.no]) for n in found]


def as_table(schema: Schema, rows: Any) -> Table:
    """Rows of values as the model reads them -> a table."""
    dtypes = {Kind.INTEGER: np.int64, Kind.CATEGORY: np.int32, Kind.ORDERED: np.int32}
    columns = tuple(
        Column(c.name, c.kind, np.array([row[j] for row in rows], dtype=dtypes.get(c.kind, np.float64)), c.levels)
        for j, c in enumerate(schema.columns)
    )
    return Table(columns, len(rows), named=True)


def random_case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    schema = random_schema(rng)
    seen = np.array([c.kind is not Kind.INTEGER and rng.random() < 0.5 for c in schema.columns])
    present = [random_values(rng, column.kind) for column in schema.columns]
    nodes = random_nodes(rng, schema, present, tree=bool(seed % 2))
    graph = Graph.of_nodes(schema, np.array(["a", "b", "c"]), nodes, seen)
    absent = {Kind.CATEGORY: -1, Kind.ORDERED: -1}
    values = tuple(
        (*here, absent.get(c.kind, np.nan)) if gone else here
        for here, c, gone in zip(present, schema.columns, seen, strict=True)
    )
    n_rows = max(map(len, values)) + 6
    columns = [[*here, *(here[i] for i in rng.integers(0, len(here), n_rows - len(here)))] for here in values]
    return Case(graph, as_table(schema, list(zip(*columns, strict=True))), values)


@pytest.fixture(scope="session")
def case() -> Callable[[int], Case]:
    """Make a random graph; odd seeds give trees, even ones diagrams."""
    return random_case


@pytest.fixture(scope="session")
def make_table() -> Callable[[Schema, Any], Table]:
    return as_table
