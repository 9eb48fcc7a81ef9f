"""A graph as a JSON file: readable by eye, by any language, and by later releases; loading never runs code.

.. code-block:: text

    {"format": "exactree-graph", "version": 1, "sha256": "...",
     "content": {"about": {...}, "schema": {...}, "classes": {...}, "missing_seen": [...], "nodes": [...]}}

``about`` says what was proved of the graph and may be left out; so may the spreads of columns in the schema, which tell
how much they varied in training. The checksum is over the canonical form of the
content (sorted keys, no spaces), so that a file may be formatted anew but not changed. The JSON is strict: NaN is left
out, infinities are the texts "inf" and "-inf".
"""

import hashlib
import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from exactree.errors import FormatError, InputError
from exactree.model.graph import Graph, check_is_graph
from exactree.model.node import Node
from exactree.model.reader import Reader
from exactree.model.tagged import tag, tag_array, untag, untag_array
from exactree.table import ColumnType, Kind, Schema, Spread, Test

FORMAT = "exactree-graph"
VERSION = 3
# A graph is written in the lowest version that holds all of it, for releases that know no others.
FIRST_WITH_SUMS = 2
FIRST_WITH_SPREADS = 3
NOUNS = ("tree", "diagram")
STATUSES = (
    "optimal",
    "gap_reached",
    "time_limit",
    "memory_limit",
    "interrupted",
    "ended",
)  # as in exactree.solve.Status


@dataclass(frozen=True, slots=True)
class About:
    """What a graph predicts, and what was proved of it when it was found.

    Examples
    --------
    >>> About("churn", "optimal", cost=3.0, lower_bound=3.0, thresholds="all", exactree="0.1.0").status
    'optimal'
    """

    target: str | None  # name of the column the graph predicts; None if the labels had no name
    status: str  # one of STATUSES
    cost: float  # of the graph on the rows it was fitted to
    lower_bound: float  # no allowed graph costs less; -inf if nothing was proved
    thresholds: str  # the policy: status and bound hold over the thresholds it keeps
    exactree: str  # version that found the graph
    objective: str | None = None  # told where the worst leaf decides; None: costs of rows were added up
    scope: str | None = None  # which graphs the proof is about, if not all: "whose sums keep a margin of 0.001"
    noun: str = "tree"  # what was asked for: a tree or a diagram, whatever shape it has

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise InputError(f"status is {self.status!r}. Expected one of {', '.join(STATUSES)}.")
        if not np.isfinite(self.cost) or not self.lower_bound <= self.cost:
            raise InputError(
                f"cost is {self.cost} and lower_bound {self.lower_bound}. "
                f"Expected a finite cost and a bound that is not above it."
            )
        if self.status == "optimal" and self.lower_bound != self.cost:
            raise InputError(
                f"status is 'optimal', but lower_bound {self.lower_bound} is below the cost {self.cost}. "
                f"What is proved optimal has a bound equal to its cost."
            )


def save(graph: Graph, path: str | os.PathLike[str], about: About | None = None) -> None:
    """Write a graph to a file. Whatever happens, the file is afterwards either the old one or complete."""
    target = Path(path).resolve()
    text = dumps(graph, about)
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("x", encoding="ascii", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def load(path: str | os.PathLike[str]) -> Graph:
    """Read a graph from a file; whatever is wrong with the file raises :class:`FormatError` and says where."""
    return _load(path)[0]


def load_about(path: str | os.PathLike[str]) -> About | None:
    """Read what a file says about its graph; None if it says nothing. Wrong files raise as in :func:`load`."""
    return _load(path)[1]


def _load(path: str | os.PathLike[str]) -> tuple[Graph, About | None]:
    source = Path(path)
    try:
        return _read(source.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise FormatError(f"{source} is not text, so it is no saved model: byte {error.start} is not UTF-8.") from error
    except FormatError as error:
        raise FormatError(f"{source}: {error}") from error


def dumps(graph: Graph, about: About | None = None) -> str:
    """Return a graph as JSON text.

    Examples
    --------
    >>> graph = Graph.leaf(Schema((), named=False), ["a", "b"], 0, [2.0, 1.0], 3)
    >>> loads(dumps(graph)).same_as(graph)
    True
    """
    check_is_graph(graph)
    content = ({} if about is None else {"about": _about_out(about)}) | _content(graph)
    head = {"format": FORMAT, "version": _version(graph), "sha256": _checksum(content)}
    nodes = ",\n".join("  " + json.dumps(node, allow_nan=False) for node in content.pop("nodes"))
    lines = [f" {json.dumps(key)}: {json.dumps(value, allow_nan=False)},\n" for key, value in content.items()]
    return f'{json.dumps(head)[:-1]}, "content": {{\n{"".join(lines)} "nodes": [\n{nodes}\n ]}}}}\n'


def _version(graph: Graph) -> int:
    if any(column.spread is not None for column in graph.schema.columns):
        return FIRST_WITH_SPREADS
    return FIRST_WITH_SUMS if graph.is_linear else 1


def loads(text: str) -> Graph:
    """Read a graph from JSON text."""
    return _read(text)[0]


def _read(text: str) -> tuple[Graph, About | None]:
    root = Reader(_parse(text), "the file")
    if not isinstance(root.value, dict) or root.value.get("format") != FORMAT:
        raise FormatError(f'This is no saved model: it does not say "format": "{FORMAT}".')
    version = root.get("version").integer()
    if version > VERSION:
        raise FormatError(
            f"The model was saved in version {version} of the format, and this release reads version {VERSION}. "
            f"Upgrade exactree to read it."
        )
    if version < 1:
        raise FormatError(f"The model says version {version} of the format; versions start at 1.")
    root.only("format", "version", "sha256", "content")
    content = root.get("content")
    graph = _graph(content, version)
    about = _about_in(content.get("about")) if content.has("about") else None
    if root.get("sha256").text() != _checksum(content.value):
        raise FormatError("The model was changed after it was saved: its content does not match its checksum.")
    return graph, about


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"This is no saved model, or its end is missing: no JSON at line {error.lineno}, column {error.colno} "
            f"({error.msg})."
        ) from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"This is no saved model: {error}.") from error


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _checksum(content: Any) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _about_out(about: About) -> dict[str, Any]:
    content = asdict(about) | {"lower_bound": _number_out(about.lower_bound)}
    usual = {"objective": None, "scope": None, "noun": "tree"}  # not written, so that older versions can read it
    return {key: value for key, value in content.items() if key not in usual or value != usual[key]}


def _about_in(reader: Reader) -> About:
    reader.only("target", "status", "cost", "lower_bound", "thresholds", "exactree", "objective", "scope", "noun")
    target, status = reader.get("target"), reader.get("status").one_of(STATUSES)
    name = None if target.value is None else target.text()
    cost, bound = reader.get("cost").number(), reader.get("lower_bound").number(infinite=True)
    thresholds, version = reader.get("thresholds").text(), reader.get("exactree").text()
    try:
        objective = reader.get("objective").text() if reader.has("objective") else None
        scope = reader.get("scope").text() if reader.has("scope") else None
        noun = reader.get("noun").one_of(NOUNS) if reader.has("noun") else "tree"
        return About(name, status, cost, bound, thresholds, version, objective, scope, noun)
    except InputError as error:
        raise FormatError(f"{reader.where} contradicts itself: {error}") from error


def _number_out(value: float) -> float | str:
    return value if np.isfinite(value) else str(value)


def _content(graph: Graph) -> dict[str, Any]:
    columns = graph.schema.columns
    return {
        "schema": {"named": bool(graph.schema.named), "columns": [_column_out(column) for column in columns]},
        "classes": tag_array(graph.classes, "A class"),
        "missing_seen": graph.missing_seen.tolist(),
        "nodes": [_node_out(node) for node in graph.nodes()],
    }


def _column_out(column: ColumnType) -> dict[str, Any]:
    out: dict[str, Any] = {
        "name": column.name,
        "kind": column.kind.value,
        "levels": [tag(level, f"A level of column {column.name!r}") for level in column.levels],
    }
    if column.spread is None:
        return out
    varied = {"counts": list(column.spread.counts)} if column.spread.step is None else {"step": column.spread.step}
    return out | {"spread": {"rows": column.spread.rows, "missing": column.spread.missing} | varied}


def _node_out(node: Node) -> dict[str, Any]:
    """Return a node as an object, with what does not count left out."""
    out: dict[str, Any] = {"label": node.label, "weight": list(node.weight), "rows": node.rows}
    if node.is_leaf:
        return out
    asks: dict[str, Any] = {"test": node.test.name.lower(), "column": node.column}
    if node.factors:
        asks["factors"] = [list(term) for term in node.factors]
    if not np.isnan(node.threshold):
        asks["threshold"] = _number_out(node.threshold)
    if node.code != 0:
        asks["code"] = node.code
    return asks | {"missing_yes": node.missing_yes, "yes": node.yes, "no": node.no} | out


def _graph(content: Reader, version: int) -> Graph:
    content.only("about", "schema", "classes", "missing_seen", "nodes")
    schema = _schema(content.get("schema"), version)
    classes = untag_array(content.get("classes"))
    nodes = [_node_in(node, version) for node in content.get("nodes").items()]
    seen = content.get("missing_seen")
    flags = [flag.truth() for flag in seen.items()]
    if len(flags) != len(schema.columns):
        raise FormatError(f"{seen.where} must have one entry per column; got {len(flags)} for {len(schema.columns)}.")
    try:
        return Graph.of_nodes(schema, classes, nodes, np.array(flags, dtype=np.bool_))
    except InputError as error:
        raise FormatError(f"{content.get('nodes').where} is no graph: {error}") from error


def _schema(reader: Reader, version: int) -> Schema:
    reader.only("named", "columns")
    spreads = ("spread",) if version >= FIRST_WITH_SPREADS else ()
    columns = []
    for column in reader.get("columns").items():
        column.only("name", "kind", "levels", *spreads)
        kind = Kind(column.get("kind").one_of([kind.value for kind in Kind]))
        levels = tuple(untag(level) for level in column.get("levels").items())
        spread = _spread_in(column.get("spread"), kind, len(levels)) if column.has("spread") else None
        columns.append(ColumnType(column.get("name").text(), kind, levels, spread))
    return Schema(tuple(columns), reader.get("named").truth())


def _spread_in(reader: Reader, kind: Kind, n_levels: int) -> Spread:
    category = kind is Kind.CATEGORY
    reader.only("rows", "missing", "counts" if category else "step")
    rows, missing = reader.get("rows").integer(bits=64), reader.get("missing").integer(bits=64)
    step = None if category else reader.get("step").number()
    counts = tuple(count.integer(bits=64) for count in reader.get("counts").items()) if category else ()
    if category and len(counts) != n_levels:
        where = reader.get("counts").where
        raise FormatError(f"{where} must have one entry per level; got {len(counts)} for {n_levels}.")
    try:
        return Spread(rows, missing, step, counts)
    except InputError as error:
        raise FormatError(f"{reader.where} contradicts itself: {error}") from error


def _node_in(reader: Reader, version: int) -> Node:
    weight = tuple(w.number() for w in reader.get("weight").items())
    label, rows = reader.get("label").integer(bits=32), reader.get("rows").integer(bits=64)
    if not reader.has("test"):
        reader.only("label", "weight", "rows")
        return Node(label, weight, rows)
    sums = ("factors",) if version >= FIRST_WITH_SUMS else ()
    reader.only("test", "column", "threshold", "code", "missing_yes", "yes", "no", "label", "weight", "rows", *sums)
    tests = [t for t in Test if t != Test.LEAF and (t != Test.LINEAR or sums)]
    test = reader.get("test").one_of([t.name.lower() for t in tests])
    return Node(
        label,
        weight,
        rows,
        test=Test[test.upper()],
        column=reader.get("column").integer(bits=32),
        threshold=reader.get("threshold").number(infinite=True) if reader.has("threshold") else float("nan"),
        code=reader.get("code").integer(bits=64) if reader.has("code") else 0,
        missing_yes=reader.get("missing_yes").truth(),
        yes=reader.get("yes").integer(bits=32),
        no=reader.get("no").integer(bits=32),
        factors=tuple(_term_in(term) for term in reader.get("factors").items()) if reader.has("factors") else (),
    )


def _term_in(reader: Reader) -> tuple[int, float]:
    term = reader.items()
    if len(term) != 2:
        raise FormatError(f"{reader.where} must be a column and a factor; got {len(term)} entries.")
    return term[0].integer(bits=32), term[1].number()
