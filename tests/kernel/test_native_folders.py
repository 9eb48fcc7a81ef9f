"""The rules of native/README.md: layers, namespaces, and names that are used once."""

import re
from collections import defaultdict
from pathlib import Path

NATIVE = Path(__file__).resolve().parents[2] / "native"
FILES = sorted(path for path in NATIVE.rglob("*") if path.suffix in {".hpp", ".cpp", ".inl"})
FOLDERS = sorted({path.parent for path in FILES})
TYPE = re.compile(r"\b(?:struct|class|enum class|union)\s+(?:alignas\(\d+\)\s+)?((?:\w+(?:<\w+>)?::)*\w+)[^;(){}<>]*\{")
# Folders whose headers a folder may include, beside its own.
BELOW = {
    "core": set(),
    "ranks/simd": {"core"},
    "ranks": {"core", "ranks/simd"},
    "bits": {"core"},
    "sparse": {"core", "bits"},
    "anytime": {"core"},
    "partition": {"core"},
    "search": {"core", "ranks", "bits", "sparse", "anytime", "partition"},
    "dl85": {"core", "bits", "search"},
    "paths": {"core"},
    "worst_leaf": {"core"},
    "pareto": {"core", "worst_leaf"},
    "constrained": {"core", "ranks"},
    "leaf_limits": {"core", "ranks", "worst_leaf", "pareto"},
    "diagrams/heuristic": {"core"},
    "diagrams/exact": {"core", "ranks"},
    "diagrams/constrained": {"core", "ranks", "constrained", "diagrams/exact"},
    "oblique": {"core"},
    "table": {"core"},
}


def folder_of(path):
    return path.parent.relative_to(NATIVE).as_posix()


def text_of(path):
    return path.read_text(encoding="utf-8")


def test_includes_go_down():
    upwards = [
        f"{path.relative_to(NATIVE)} includes {included}"
        for path in FILES
        if folder_of(path) in BELOW
        for included in re.findall(r'^#include "([^"]+)"', text_of(path), flags=re.MULTILINE)
        if folder_of(NATIVE / included) not in BELOW[folder_of(path)] | {folder_of(path)}
    ]
    assert len(FILES) > 100
    assert upwards == []


def test_every_folder_has_its_layer():
    found = {folder.relative_to(NATIVE).as_posix() for folder in FOLDERS}
    tests = {folder for folder in found if folder.startswith("tests/")}
    assert found == set(BELOW) | {"bind", "tests"} | tests
    assert {folder.removeprefix("tests/") for folder in tests} <= set(BELOW)


def test_folders_are_small_and_name_no_file():
    for folder in FOLDERS:
        names = [path.name for path in folder.iterdir() if path.is_file()]
        assert 0 < len(names) <= 25, folder
        assert [name for name in names if name.startswith(folder.name)] == [], folder


def test_namespace_is_the_folder():
    for path in FILES:
        folder = folder_of(path)
        if folder not in BELOW or path.stem.endswith("_avx2"):  # those only include and define macros
            continue
        expected = "exactree" if folder == "core" else "exactree::" + folder.replace("/", "::")
        opened = re.findall(r"^namespace (exactree[\w:]*) \{", text_of(path), flags=re.MULTILINE)
        assert {name.removesuffix("::EXACTREE_ISA") for name in opened} == {expected}, path


def test_no_two_types_share_a_name():
    places = defaultdict(set)
    for path in FILES:
        if folder_of(path).split("/")[0] in {"tests", "bind"}:
            continue
        text = re.sub(r"//.*", "", text_of(path))
        for name in TYPE.findall(text):
            places[name.split("::")[-1]].add(path.relative_to(NATIVE).as_posix())
    assert len(places) > 100
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
