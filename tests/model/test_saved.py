import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree.errors import FormatError, InputError
from exactree.model import About, Graph, Node, dumps, load, load_about, loads, save
from exactree.model.about import STATUSES
from exactree.solve import Status
from exactree.table import ColumnType, Kind, Schema, Spread, Test

SCHEMA = Schema(
    (ColumnType("x", Kind.NUMBER), ColumnType("colour", Kind.CATEGORY, ("blue", "red"))),
    named=True,
)
NODES = [
    Node(0, (3.0, 2.0), 5, test=Test.AT_MOST, column=0, threshold=0.1 + 0.2, missing_yes=True, yes=1, no=2),
    Node(0, (3.0, 0.0), 3),
    Node(1, (0.0, 2.0), 2, test=Test.IS_LEVEL, column=1, code=1, yes=3, no=4),
    Node(1, (0.0, 1.0), 1),
    Node(0, (0.0, 1.0), 1),
]
GRAPH = Graph.of_nodes(SCHEMA, np.array(["a", "b"]), NODES, np.array([True, False]))

numpy_numbers = st.one_of(
    st.integers(-128, 127).map(np.int8),
    st.integers(-(2**63), 2**63 - 1).map(np.int64),
    st.integers(0, 2**64 - 1).map(np.uint64),
    st.floats(width=32, allow_nan=False).map(np.float32),
    st.floats(allow_nan=False).map(np.float64),
    st.booleans().map(np.bool_),
    st.integers(-(2**40), 2**40).map(lambda n: np.datetime64(n, "s")),
)
words = st.text(st.characters(exclude_characters="\0"))  # NumPy drops these at the end of a text
levels = st.one_of(
    st.text(), words.map(np.str_), st.integers(), st.floats(allow_nan=False), st.booleans(), numpy_numbers
)
class_arrays = st.one_of(
    st.lists(st.text(st.characters(exclude_characters="\0")), min_size=3, max_size=3).map(
        lambda v: np.array(v, dtype=str)
    ),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=3).map(np.array),
    st.lists(st.floats(allow_nan=False), min_size=3, max_size=3).map(np.array),
    st.lists(st.booleans(), min_size=3, max_size=3).map(np.array),
    st.lists(levels, min_size=3, max_size=3).map(lambda v: np.fromiter(v, dtype=object, count=3)),
    st.lists(st.integers(0, 99), min_size=3, max_size=3).map(lambda v: np.array(v, dtype="datetime64[D]")),
)


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), classes=class_arrays, first=st.lists(levels, min_size=3, max_size=3), name=st.text())
def test_what_is_saved_comes_back_with_its_types(case, seed, classes, first, name):
    graph = case(seed, n_rows=20).graph
    columns = [replace(c, name=name, levels=tuple(first)) if c.levels else c for c in graph.schema.columns]
    graph = Graph.of_nodes(Schema(tuple(columns), named=bool(seed % 2)), classes, graph.nodes(), graph.missing_seen)
    back = loads(dumps(graph))
    assert back.same_as(graph)
    assert repr(back.schema) == repr(graph.schema)
    assert repr(back.classes.tolist()) == repr(graph.classes.tolist())
    assert [type(label) for label in back.classes] == [type(label) for label in graph.classes]


@settings(deadline=None, max_examples=60)
@given(threshold=st.floats(allow_nan=False), weight=st.floats(0, allow_infinity=False), rows=st.integers(0, 2**63 - 1))
def test_every_float_comes_back_exactly(threshold, weight, rows):
    node = replace(NODES[0], threshold=threshold, weight=(weight, 0.0), rows=rows)
    graph = Graph.of_nodes(SCHEMA, np.array(["a", "b"]), [node, *NODES[1:]])
    back = loads(dumps(graph))
    assert back.same_as(graph)
    assert np.signbit(back.threshold[0]) == np.signbit(threshold)


def test_files_are_strict_json_and_come_back(tmp_path):
    path = tmp_path / "model.json"
    save(GRAPH, path)
    assert load(path).same_as(GRAPH)
    assert load(str(path)).same_as(GRAPH)
    file = json.loads(path.read_text(encoding="ascii"), parse_constant=pytest.fail)
    assert (file["format"], file["version"]) == ("exactree-graph", 1)
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


def test_a_file_may_be_formatted_anew(tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(json.loads(dumps(GRAPH)), indent=4, sort_keys=True))
    assert load(path).same_as(GRAPH)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    save(GRAPH, path)
    before = path.read_bytes()

    def full(_):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="disk full"):
        save(Graph.leaf(SCHEMA, ["a"], 0, [1.0], 1), path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


def test_what_cannot_be_saved_says_so(tmp_path):
    schema = Schema((ColumnType("when", Kind.CATEGORY, (complex(1, 2),)),), named=True)
    with pytest.raises(InputError, match=r"A level of column 'when' is \(1\+2j\), of type complex, which cannot be s"):
        save(Graph.leaf(schema, ["a"], 0, [1.0], 1), tmp_path / "model.json")
    with pytest.raises(InputError, match=r"A class is of type complex128, which cannot be saved"):
        dumps(Graph.leaf(SCHEMA, np.array([1j]), 0, [1.0], 1))
    assert list(tmp_path.iterdir()) == []


def changed(change, graph=GRAPH):
    """The text of a saved graph after a change to its content, with the checksum made to match."""
    file = json.loads(dumps(graph))
    change(file["content"])
    canonical = json.dumps(file["content"], sort_keys=True, separators=(",", ":"))
    file["sha256"] = hashlib.sha256(canonical.encode("ascii")).hexdigest()
    return json.dumps(file)


def put(*way, value):
    def change(content):
        for key in way[:-1]:
            content = content[key]
        content[way[-1]] = value

    return change


def drop(*way):
    def change(content):
        for key in way[:-1]:
            content = content[key]
        del content[way[-1]]

    return change


@pytest.mark.each(
    ("change", "message"),
    [
        (put("nodes", 0, "threshold", value="abc"), r"^content\.nodes\[0\]\.threshold must be a number; got 'abc'\.$"),
        (put("nodes", 0, "threshold", value=True), r"content\.nodes\[0\]\.threshold must be a number; got True"),
        (put("nodes", 0, "yes", value=1.0), r"content\.nodes\[0\]\.yes must be an integer; got 1\.0"),
        (put("nodes", 0, "yes", value=0), r"content\.nodes is no graph: Node 0 has the child 0; children must come"),
        (put("nodes", 2, "no", value=0), r"content\.nodes is no graph: Node 2 has the child 0; children must come"),
        (put("nodes", 0, "yes", value=99), r"content\.nodes is no graph: Node 0 has the child 99"),
        (put("nodes", 0, "yes", value=2**40), r"content\.nodes\[0\]\.yes must be an integer of 32 bits"),
        (put("nodes", 0, "column", value=7), r"content\.nodes is no graph: Node 0 asks column 7, but the schema has 2"),
        (put("nodes", 0, "test", value="leaf"), r"nodes\[0\]\.test must be one of at_most, is_level, is_missing; got"),
        (put("nodes", 0, "missing_yes", value=1), r"content\.nodes\[0\]\.missing_yes must be true or false; got 1"),
        (put("nodes", 0, "extra", value=1), r"content\.nodes\[0\] has 'extra', which this version of the format"),
        (put("nodes", 1, "yes", value=1), r"content\.nodes\[1\] has 'yes', which this version of the format"),
        (put("nodes", 1, "weight", value=[1.0]), r"content\.nodes is no graph: Node 1 has 1 weights, but there are 2"),
        (put("nodes", 1, "weight", value=[1.0, -1.0]), r"content\.nodes is no graph: Node 1 must have finite weights"),
        (put("nodes", 1, "weight", value=[10**400, 1]), r"content\.nodes\[1\]\.weight\[0\] must be an integer of 1024"),
        (put("nodes", 1, "rows", value=None), r"content\.nodes\[1\]\.rows must be an integer; got None"),
        (put("nodes", 1, "label", value=2), r"content\.nodes is no graph: Node 1 has label 2"),
        (put("nodes", value={}), r"content\.nodes must be a list; got \{\}"),
        (put("nodes", value=[]), r"content\.nodes is no graph: A graph needs at least one node"),
        (put("nodes", 1, value=5), r"content\.nodes\[1\] must be an object; got 5"),
        (drop("nodes", 0, "column"), r"^content\.nodes\[0\]\.column is missing\.$"),
        (drop("nodes", 0, "threshold"), r"Node 0 compares column 'x' with a threshold that is not a number"),
        (drop("schema"), r"^content\.schema is missing\.$"),
        (put("schema", "columns", 0, "kind", value="cat"), r"columns\[0\]\.kind must be one of number, integer"),
        (put("schema", "columns", 1, "levels", value=["a"]), r"levels\[0\] must be an object of one key"),
        (put("schema", "columns", 1, "levels", 0, value={"os": 1}), r"levels\[0\] has the type 'os', which this ver"),
        (put("schema", "columns", 1, "levels", 0, value={"int8": 300}), r"levels\[0\]\.int8 must be an integer that f"),
        (put("missing_seen", value=[True]), r"content\.missing_seen must have one entry per column; got 1 for 2"),
        (put("classes", "type", value="V8"), r"content\.classes\.type must be one of str, bool"),
        (put("classes", "values", 0, value={"int64": 1}), r"content\.classes\.values\[0\] must be of type str"),
    ],
)
def test_a_tampered_file_names_the_field(change, message):
    with pytest.raises(FormatError, match=message):
        loads(changed(change))


STEPS = ColumnType("size", Kind.ORDERED, ("s", "m"), Spread(7, 2, 0.1 + 0.2))
MEASURED = Graph.of_nodes(
    Schema(
        (
            replace(SCHEMA.columns[0], spread=Spread(7, 3, 1e-300)),
            replace(SCHEMA.columns[1], spread=Spread(7, 2, counts=(5, 0))),
            STEPS,
        ),
        named=True,
    ),
    GRAPH.classes,
    NODES,
)


def test_spreads_are_kept():
    back = loads(dumps(MEASURED))
    assert back.same_as(MEASURED)
    assert [column.spread for column in back.schema.columns] == [column.spread for column in MEASURED.schema.columns]
    assert json.loads(dumps(MEASURED))["version"] == 3
    assert dumps(back) == dumps(MEASURED)


def test_columns_of_one_graph_may_have_spreads_or_not():
    some = Schema((SCHEMA.columns[0], MEASURED.schema.columns[1]), named=True)
    back = loads(dumps(Graph.of_nodes(some, GRAPH.classes, NODES)))
    assert [column.spread for column in back.schema.columns] == [None, Spread(7, 2, counts=(5, 0))]


def at_spread(number, *way):
    return ("schema", "columns", number, "spread", *way)


@pytest.mark.each(
    ("change", "message"),
    [
        (put(*at_spread(0), value=1.5), r"^content\.schema\.columns\[0\]\.spread must be an object; got 1\.5\.$"),
        (put(*at_spread(0), value=None), r"columns\[0\]\.spread must be an object; got None"),
        (put(*at_spread(0, "step"), value="wide"), r"columns\[0\]\.spread\.step must be a number; got 'wide'"),
        (put(*at_spread(0, "step"), value="inf"), r"columns\[0\]\.spread\.step must be a number; got 'inf'"),
        (
            put(*at_spread(0, "step"), value=0),
            r"columns\[0\]\.spread contradicts itself: step is 0\.0\. Expected a fin",
        ),
        (put(*at_spread(2, "step"), value=-1.0), r"columns\[2\]\.spread contradicts itself: step is -1\.0"),
        (put(*at_spread(0, "rows"), value=7.0), r"columns\[0\]\.spread\.rows must be an integer; got 7\.0"),
        (put(*at_spread(0, "rows"), value=0), r"columns\[0\]\.spread contradicts itself: missing is 3 of 0 rows"),
        (put(*at_spread(0, "missing"), value=8), r"columns\[0\]\.spread contradicts itself: missing is 8 of 7 rows"),
        (put(*at_spread(0, "missing"), value=-1), r"columns\[0\]\.spread contradicts itself: missing is -1 of 7 rows"),
        (put(*at_spread(0, "counts"), value=[]), r"columns\[0\]\.spread has 'counts', which this version"),
        (put(*at_spread(1, "step"), value=1.0), r"columns\[1\]\.spread has 'step', which this version"),
        (put(*at_spread(1, "counts"), value=[5]), r"spread\.counts must have one entry per level; got 1 for 2"),
        (put(*at_spread(1, "counts"), value=[5, 1]), r"columns\[1\]\.spread contradicts itself: counts do not add up"),
        (put(*at_spread(1, "counts"), value=[5, 0.5]), r"spread\.counts\[1\] must be an integer; got 0\.5"),
        (drop(*at_spread(0, "missing")), r"^content\.schema\.columns\[0\]\.spread\.missing is missing\.$"),
        (drop(*at_spread(0, "step")), r"^content\.schema\.columns\[0\]\.spread\.step is missing\.$"),
        (drop(*at_spread(1, "counts")), r"^content\.schema\.columns\[1\]\.spread\.counts is missing\.$"),
    ],
)
def test_a_tampered_spread_names_the_field(change, message):
    with pytest.raises(FormatError, match=message):
        loads(changed(change, MEASURED))


def test_older_versions_know_no_spreads():
    for version in (1, 2):
        text = dumps(MEASURED).replace('"version": 3', f'"version": {version}')
        with pytest.raises(
            FormatError, match=r"columns\[0\] has 'spread', which this version of the format does not know"
        ):
            loads(text)


def test_a_file_of_the_first_version_still_loads():
    """The file was written before there were spreads; graphs without are still written like this."""
    path = Path(__file__).with_name("version-1.json")
    graph = load(path)
    assert graph.same_as(GRAPH)
    assert [column.spread for column in graph.schema.columns] == [None, None]
    assert dumps(GRAPH) == path.read_text()


def test_a_changed_threshold_is_noticed():
    text = dumps(GRAPH)
    assert "0.30000000000000004" in text
    with pytest.raises(FormatError, match=r"changed after it was saved: its content does not match its checksum"):
        loads(text.replace("0.30000000000000004", "0.4"))


def test_a_newer_format_says_to_upgrade():
    text = dumps(GRAPH).replace('"version": 1', '"version": 5')
    message = r"saved in version 5 of the format, and this release reads version 4\. Upgrade exactree to read it\."
    with pytest.raises(FormatError, match=message):
        loads(text)
    with pytest.raises(FormatError, match=r"says version 0 of the format; versions start at 1"):
        loads(dumps(GRAPH).replace('"version": 1', '"version": 0'))


@pytest.mark.each("part", np.linspace(0, 0.99, 12).tolist())
def test_a_truncated_file_says_where_it_ends(tmp_path, part):
    path = tmp_path / "model.json"
    text = dumps(GRAPH)
    path.write_text(text[: int(len(text) * part)])
    with pytest.raises(FormatError, match=r"model\.json: .*its end is missing: no JSON at line \d+, column \d+"):
        load(path)


@pytest.mark.each(
    ("text", "message"),
    [
        ("[1, 2]", r'no saved model: it does not say "format": "exactree-graph"'),
        ('{"format": "other"}', r'no saved model: it does not say "format": "exactree-graph"'),
        ('{"format": "exactree-graph"}', r"^version is missing\.$"),
        ('{"format": "exactree-graph", "version": "1"}', r"^version must be an integer; got '1'\.$"),
        ('{"format": "exactree-graph", "version": 1}', r"^content is missing\.$"),
        ('{"format": "exactree-graph", "version": 1, "run": 1}', r"^the file has 'run', which this version"),
        ('{"a": NaN}', r"no saved model: NaN is no JSON"),
        ("[" * 100_000, r"no saved model"),
        ("1" * 5000, r"no saved model: Exceeds the limit"),
    ],
)
def test_other_files_are_refused(text, message):
    with pytest.raises(FormatError, match=message):
        loads(text)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "model.pickle"
    path.write_bytes(b"\x80\x04\x95")
    with pytest.raises(FormatError, match=r"model\.pickle is not text, so it is no saved model: byte 0 is not UTF-8"):
        load(path)


def test_a_huge_threshold_is_not_taken_for_infinity():
    with pytest.raises(FormatError, match=r"threshold must be a finite number; got inf"):
        loads(dumps(GRAPH).replace("0.30000000000000004", "1e999"))


ABOUT = About("churn", "time_limit", cost=12.5, lower_bound=10.0, thresholds="quantiles(5)", exactree="0.1.0")


def rewritten(text, **fields):
    """The text of a file with other fields in ``about`` and a checksum to match."""
    document = json.loads(text)
    about = document["content"]["about"] | fields
    document["content"]["about"] = {key: value for key, value in about.items() if value != "left out"}
    canonical = json.dumps(document["content"], sort_keys=True, separators=(",", ":"))
    document["sha256"] = hashlib.sha256(canonical.encode()).hexdigest()
    return json.dumps(document)


@pytest.mark.each(
    "about",
    [
        ABOUT,
        replace(ABOUT, target=None),
        replace(ABOUT, target='größer, "x"', cost=0.1 + 0.2, lower_bound=-np.inf),
        replace(ABOUT, status="optimal", lower_bound=ABOUT.cost),
        replace(ABOUT, objective="leaf_accuracy", cost=0.25, lower_bound=0.125),
        replace(ABOUT, scope="whose oblique splits keep a margin of 0.001", noun="diagram"),
        replace(ABOUT, sample="with questions sampled for each branch", sample_lower_bound=-np.inf),
        replace(ABOUT, status="optimal_over_sample", sample="with some questions", sample_lower_bound=12.5),
    ],
)
def test_what_was_proved_is_kept(tmp_path, about):
    path = tmp_path / "model.json"
    save(GRAPH, path, about)
    assert load_about(path) == about
    assert load(path).same_as(GRAPH)


def test_a_file_may_say_nothing_about_its_graph(tmp_path):
    path = tmp_path / "model.json"
    save(GRAPH, path)
    assert load_about(path) is None
    assert "about" not in path.read_text()


def test_what_was_proved_cannot_be_changed(tmp_path):
    path = tmp_path / "model.json"
    save(GRAPH, path, ABOUT)
    path.write_text(path.read_text().replace("12.5", "11.5"))
    for read in (load, load_about):
        with pytest.raises(FormatError, match=r"model\.json: The model was changed after it was saved"):
            read(path)


@pytest.mark.each(
    ("fields", "message"),
    [
        (
            {"status": "best"},
            r"^content\.about\.status must be one of optimal, optimal_over_sample, gap_reached, .*; got 'best'\.$",
        ),
        ({"target": 5}, r"^content\.about\.target must be a string; got 5\.$"),
        ({"cost": "12"}, r"^content\.about\.cost must be a number; got '12'\.$"),
        ({"cost": "inf"}, r"^content\.about\.cost must be a number; got 'inf'\.$"),
        ({"lower_bound": True}, r"^content\.about\.lower_bound must be a number; got True\.$"),
        ({"thresholds": None}, r"^content\.about\.thresholds must be a string; got None\.$"),
        ({"exactree": "left out"}, r"^content\.about\.exactree is missing\.$"),
        ({"seconds": 3}, r"^content\.about has 'seconds', which this version of the format does not know\.$"),
        ({"lower_bound": 13}, r"^content\.about contradicts itself: cost is 12\.5 and lower_bound 13\.0\."),
        ({"status": "optimal"}, r"^content\.about contradicts itself: status is 'optimal', but lower_bound 10\.0 is"),
    ],
)
def test_a_wrong_field_about_the_graph_is_named(fields, message):
    with pytest.raises(FormatError, match=message):
        loads(rewritten(dumps(GRAPH, ABOUT), **fields))


def test_about_must_be_an_object():
    document = json.loads(dumps(GRAPH, ABOUT))
    document["content"]["about"] = ["optimal"]
    with pytest.raises(FormatError, match=r"^content\.about must be an object; got \['optimal'\]\.$"):
        loads(json.dumps(document))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"status": "best"},
            r"status is 'best'\. Expected one of optimal, optimal_over_sample, gap_reached, time_limit",
        ),
        ({"cost": np.nan}, r"cost is nan and lower_bound 10\.0\. Expected a finite cost and a bound that is not above"),
        ({"lower_bound": np.nan}, r"cost is 12\.5 and lower_bound nan"),
        ({"status": "optimal"}, r"Expected a bound equal to the cost"),
        ({"sample": "some"}, r"sample is 'some' and sample_lower_bound None\. Expected both, or neither"),
        (
            {"status": "optimal_over_sample", "sample": "some", "sample_lower_bound": 3.0},
            r"status is 'optimal_over_sample', but sample_lower_bound is 3\.0 and the cost 12\.5",
        ),
    ],
)
def test_a_claim_that_contradicts_itself_is_refused(fields, message):
    with pytest.raises(InputError, match=message):
        replace(ABOUT, **fields)


def test_every_status_of_a_solution_can_be_saved():
    assert set(STATUSES) == {status.value for status in Status}
