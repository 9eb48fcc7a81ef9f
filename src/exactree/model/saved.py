"""A graph as a JSON file: readable by eye, by any language, and by later releases; loading never runs code.

.. code-block:: text

    {"format": "exactree-graph", "version": 1, "sha256": "...",
     "content": {"about": {...}, "schema": {...}, "classes": {...}, "missing_seen": [...], "nodes": [...]}}

``about`` says what was proved of the graph and is optional; so are the spreads of columns in training, in the schema,
and ``paths``, the training rows of every decision path of a diagram.
The checksum is over the canonical form of the content (sorted keys, no spaces), so that a file may be reformatted but
not changed. The JSON is strict: NaN is left out, infinities are the strings "inf" and "-inf".
"""

import hashlib
import json
import os
import secrets
from pathlib import Path
from typing import Any

import numpy as np

from exactree.errors import FormatError, InputError
from exactree.model.about import About, about_from_json, about_to_json, number_to_json
from exactree.model.given import given_graph
from exactree.model.graph import Graph
from exactree.model.json_reader import JsonReader
from exactree.model.node import Node
from exactree.model.path_counts import PathCounts
from exactree.model.tagged import tag, tag_array, untag, untag_array
from exactree.table import ColumnType, Kind, Schema, Spread, Test

FORMAT = "exactree-graph"
VERSION = 4
# A graph is written in the lowest version that holds all of it, for releases that know no others.
FIRST_WITH_OBLIQUE_SPLITS = 2
FIRST_WITH_SPREADS = 3
FIRST_WITH_PATHS = 4


def save(graph: Any, path: str | os.PathLike[str], about: About | None = None) -> None:
    """Write a graph to a JSON file, atomically: after a failure the file is unchanged.

    Parameters
    ----------
    graph : Graph or fitted estimator
        The tree or diagram.
    path : path
        The file.
    about : About or None, default=None
        What was proved of the graph.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> graph = Graph.leaf(Schema((), named=False), ["a", "b"], 0, [2.0, 1.0], 3)
    >>> with TemporaryDirectory() as folder:
    ...     save(graph, Path(folder, "model.json"))
    ...     load(Path(folder, "model.json")).same_as(graph)
    True
    """
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
    """Read a graph from a JSON file.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Graph
        The tree or diagram.

    Raises
    ------
    FormatError
        If the file is not a valid model; the message names the place.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save(Graph.leaf(Schema((), named=False), ["a", "b"], 0, [2.0, 1.0], 3), Path(folder, "model.json"))
    ...     load(Path(folder, "model.json")).n_nodes
    1
    """
    return _load(path)[0]


def load_about(path: str | os.PathLike[str]) -> About | None:
    """Read what was proved of the graph in a JSON file.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    About or None
        None if the file does not say. Invalid files raise as in :func:`load`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save(Graph.leaf(Schema((), named=False), ["a", "b"], 0, [2.0, 1.0], 3), Path(folder, "model.json"))
    ...     load_about(Path(folder, "model.json")) is None
    True
    """
    return _load(path)[1]


def _load(path: str | os.PathLike[str]) -> tuple[Graph, About | None]:
    source = Path(path)
    try:
        return _read(source.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise FormatError(f"{source} is not text, so it is no saved model: byte {error.start} is not UTF-8.") from error
    except FormatError as error:
        raise FormatError(f"{source}: {error}") from error


def dumps(graph: Any, about: About | None = None) -> str:
    """Return a graph as JSON text.

    Parameters
    ----------
    graph : Graph or fitted estimator
        The tree or diagram.
    about : About or None, default=None
        What was proved of the graph.

    Returns
    -------
    str
        The contents of a file that :func:`load` reads.

    Examples
    --------
    >>> graph = Graph.leaf(Schema((), named=False), ["a", "b"], 0, [2.0, 1.0], 3)
    >>> loads(dumps(graph)).same_as(graph)
    True
    """
    graph = given_graph(graph)
    content = ({} if about is None else {"about": about_to_json(about)}) | _graph_to_json(graph)
    head = {"format": FORMAT, "version": _version(graph), "sha256": _checksum(content)}
    nodes = ",\n".join("  " + json.dumps(node, allow_nan=False) for node in content.pop("nodes"))
    lines = [f" {json.dumps(key)}: {json.dumps(value, allow_nan=False)},\n" for key, value in content.items()]
    return f'{json.dumps(head)[:-1]}, "content": {{\n{"".join(lines)} "nodes": [\n{nodes}\n ]}}}}\n'


def _version(graph: Graph) -> int:
    if graph.paths is not None:
        return FIRST_WITH_PATHS
    if any(column.spread is not None for column in graph.schema.columns):
        return FIRST_WITH_SPREADS
    return FIRST_WITH_OBLIQUE_SPLITS if graph.is_linear else 1


def loads(text: str) -> Graph:
    """Read a graph from JSON text.

    Parameters
    ----------
    text : str
        What :func:`dumps` returned.

    Returns
    -------
    Graph
        The tree or diagram. Invalid text raises as in :func:`load`.

    Examples
    --------
    >>> loads(dumps(Graph.leaf(Schema((), named=False), ["a", "b"], 0, [2.0, 1.0], 3))).n_nodes
    1
    """
    return _read(text)[0]


def loads_about(text: str) -> About | None:
    """Read what was proved of the graph in JSON text.

    Parameters
    ----------
    text : str
        What :func:`dumps` returned.

    Returns
    -------
    About or None
        None if the text does not say. Invalid text raises as in :func:`load`.

    Examples
    --------
    >>> loads_about(dumps(Graph.leaf(Schema((), named=False), ["a", "b"], 0, [2.0, 1.0], 3))) is None
    True
    """
    return _read(text)[1]


def _read(text: str) -> tuple[Graph, About | None]:
    root = JsonReader(_parse(text), "the file")
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
    root.reject_unknown_keys("format", "version", "sha256", "content")
    content = root.get("content")
    graph = _graph_from_json(content, version)
    about = about_from_json(content.get("about")) if content.has("about") else None
    if root.get("sha256").string() != _checksum(content.value):
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


def _graph_to_json(graph: Graph) -> dict[str, Any]:
    columns = graph.schema.columns
    return {
        "schema": {"named": bool(graph.schema.named), "columns": [_column_to_json(column) for column in columns]},
        "classes": tag_array(graph.classes, "A class"),
        "missing_seen": graph.missing_seen.tolist(),
        **({} if graph.paths is None else {"paths": _paths_to_json(graph.paths)}),
        "nodes": [_node_to_json(node) for node in graph.nodes()],
    }


def _column_to_json(column: ColumnType) -> dict[str, Any]:
    out: dict[str, Any] = {
        "name": column.name,
        "kind": column.kind.value,
        "levels": [tag(level, f"A level of column {column.name!r}") for level in column.levels],
    }
    if column.spread is None:
        return out
    varied = {"counts": list(column.spread.counts)} if column.spread.step is None else {"step": column.spread.step}
    return out | {"spread": {"rows": column.spread.rows, "missing": column.spread.missing} | varied}


def _node_to_json(node: Node) -> dict[str, Any]:
    """Return a node as a JSON object, without unused fields."""
    out: dict[str, Any] = {"label": node.label, "weight": list(node.weight), "rows": node.rows}
    if node.is_leaf:
        return out
    asks: dict[str, Any] = {"test": node.test.name.lower(), "column": node.column}
    if node.factors:
        asks["factors"] = [list(term) for term in node.factors]
    if not np.isnan(node.threshold):
        asks["threshold"] = number_to_json(node.threshold)
    if node.code != 0:
        asks["code"] = node.code
    return asks | {"missing_yes": node.missing_yes, "yes": node.yes, "no": node.no} | out


def _paths_to_json(paths: PathCounts) -> list[dict[str, Any]]:
    each = zip(paths.nodes, paths.rows.tolist(), paths.weight.tolist(), strict=True)
    return [{"nodes": list(nodes), "rows": rows, "weight": weight} for nodes, rows, weight in each]


def _paths_from_json(reader: JsonReader, n_classes: int) -> PathCounts:
    nodes, rows, weight = [], [], []
    for path in reader.items():
        path.reject_unknown_keys("nodes", "rows", "weight")
        nodes.append(tuple(node.integer(bits=32) for node in path.get("nodes").items()))
        rows.append(path.get("rows").integer(bits=64))
        weight.append([w.number() for w in path.get("weight").items()])
        if len(weight[-1]) != n_classes:
            where = path.get("weight").where
            raise FormatError(f"{where} must have one entry per class; got {len(weight[-1])} for {n_classes}.")
    return PathCounts(nodes, rows, np.reshape(np.array(weight, dtype=np.float64), (len(rows), n_classes)))


def _graph_from_json(content: JsonReader, version: int) -> Graph:
    counts = ("paths",) if version >= FIRST_WITH_PATHS else ()
    content.reject_unknown_keys("about", "schema", "classes", "missing_seen", "nodes", *counts)
    schema = _schema_from_json(content.get("schema"), version)
    classes = untag_array(content.get("classes"))
    nodes = [_node_from_json(node, version) for node in content.get("nodes").items()]
    seen = content.get("missing_seen")
    flags = [flag.boolean() for flag in seen.items()]
    if len(flags) != len(schema.columns):
        raise FormatError(f"{seen.where} must have one entry per column; got {len(flags)} for {len(schema.columns)}.")
    paths = _paths_from_json(content.get("paths"), len(classes)) if content.has("paths") else None
    try:
        return Graph.of_nodes(schema, classes, nodes, np.array(flags, dtype=np.bool_), paths)
    except InputError as error:
        raise FormatError(f"{content.get('nodes').where} is no graph: {error}") from error


def _schema_from_json(reader: JsonReader, version: int) -> Schema:
    reader.reject_unknown_keys("named", "columns")
    spreads = ("spread",) if version >= FIRST_WITH_SPREADS else ()
    columns = []
    for column in reader.get("columns").items():
        column.reject_unknown_keys("name", "kind", "levels", *spreads)
        kind = Kind(column.get("kind").one_of([kind.value for kind in Kind]))
        levels = tuple(untag(level) for level in column.get("levels").items())
        spread = _spread_from_json(column.get("spread"), kind, len(levels)) if column.has("spread") else None
        columns.append(ColumnType(column.get("name").string(), kind, levels, spread))
    return Schema(tuple(columns), reader.get("named").boolean())


def _spread_from_json(reader: JsonReader, kind: Kind, n_levels: int) -> Spread:
    category = kind is Kind.CATEGORY
    reader.reject_unknown_keys("rows", "missing", "counts" if category else "step")
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


def _node_from_json(reader: JsonReader, version: int) -> Node:
    weight = tuple(w.number() for w in reader.get("weight").items())
    label, rows = reader.get("label").integer(bits=32), reader.get("rows").integer(bits=64)
    if not reader.has("test"):
        reader.reject_unknown_keys("label", "weight", "rows")
        return Node(label, weight, rows)
    sums = ("factors",) if version >= FIRST_WITH_OBLIQUE_SPLITS else ()
    reader.reject_unknown_keys(
        "test", "column", "threshold", "code", "missing_yes", "yes", "no", "label", "weight", "rows", *sums
    )
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
        missing_yes=reader.get("missing_yes").boolean(),
        yes=reader.get("yes").integer(bits=32),
        no=reader.get("no").integer(bits=32),
        factors=tuple(_term_from_json(term) for term in reader.get("factors").items()) if reader.has("factors") else (),
    )


def _term_from_json(reader: JsonReader) -> tuple[int, float]:
    term = reader.items()
    if len(term) != 2:
        raise FormatError(f"{reader.where} must be a column and a coefficient; got {len(term)} entries.")
    return term[0].integer(bits=32), term[1].number()
