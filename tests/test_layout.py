"""The layout of the project: private names, sizes of folders and files."""

import ast
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*(ROOT / "src" / "exactree").rglob("*.py"), *(ROOT / "benchmarks" / "src").rglob("*.py")])
OURS = ("exactree", "exactree_bench")
SOURCE_FILES = {".py", ".pyi", ".cpp", ".hpp", ".inl", ".md"}
MOST_FILES, MOST_LINES = 25, 400


def is_private(name):
    return name.startswith("_") and not name.endswith("__")


def is_ours(module):
    return module.split(".")[0] in OURS


def modules_of(tree):
    """Names that modules of ours are bound to: ``import exactree.x as y``, ``from exactree import y``."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name.split(".")[0] for alias in node.names if is_ours(alias.name)}
        elif isinstance(node, ast.ImportFrom) and is_ours(node.module or ""):
            found |= {alias.asname or alias.name for alias in node.names if is_module(node.module, alias.name)}
    return found


def is_module(package, name):
    home = "src" if package.split(".")[0] == "exactree" else "benchmarks/src"
    place = ROOT / home / package.replace(".", "/") / name
    return place.is_dir() or place.with_suffix(".py").is_file()


def outside(package, module):
    """Whether a module has a private part, as ``exactree.kernel._native`` has, of a package that is not this one."""
    parts = module.split(".")
    homes = [".".join(parts[:at]) for at, part in enumerate(parts) if is_private(part)]
    return not all(f"{package}.".startswith(f"{home}.") for home in homes)


def private_reads(source, package="elsewhere"):
    """Lines of a module in ``package`` that read a private name of another module, with the name."""
    tree = ast.parse(source)
    modules, found = modules_of(tree), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names if outside(package, alias.name)]
        elif isinstance(node, ast.ImportFrom) and is_ours(node.module or ""):
            names = [alias.name for alias in node.names if is_private(alias.name)]
            found += [(node.lineno, name) for name in ([node.module] if outside(package, node.module) else names)]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            found += [(node.lineno, node.attr)] if is_private(node.attr) else []
    return found


EXAMPLES = [
    ("from exactree.solve.brute_force.trees import _front", [(1, "_front")]),
    ("from exactree.solve import registry\nregistry._known", [(2, "_known")]),
    ("import exactree.cli as cli\ncli._main()", [(2, "_main")]),
    ("import numpy as np\nnp._core", []),
    ("from exactree.solve import Search\nSearch._run", []),
    ("from exactree import __version__", []),
    ("from exactree.kernel._native import search", [(1, "exactree.kernel._native")]),
]


@pytest.mark.each(("source", "expected"), EXAMPLES)
def test_private_reads_are_found(source, expected):
    assert private_reads(source) == expected


def test_a_package_may_import_its_own_private_modules():
    assert private_reads("from exactree.kernel._native import search", "exactree.kernel") == []


@pytest.mark.each("path", SOURCES)
def test_no_module_reads_private_names_of_another(path):
    home = ROOT / "src" if ROOT / "src" in path.parents else ROOT / "benchmarks" / "src"
    package = ".".join(path.parent.relative_to(home).parts)
    assert private_reads(path.read_text(), package) == []


@pytest.mark.parametrize("top", ["src", "native", "benchmarks/src"])
def test_folders_have_at_most_25_files_and_files_at_most_400_lines(top):
    files = [path for path in (ROOT / top).rglob("*") if path.suffix in SOURCE_FILES and path.parent.name != "tests"]
    assert len(files) > 20
    folders = Counter(path.parent.relative_to(ROOT) for path in files)
    assert {str(folder): n for folder, n in folders.items() if n > MOST_FILES} == {}
    lines = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: n for name, n in lines.items() if n > MOST_LINES} == {}


def test_no_file_name_begins_with_the_name_of_its_folder():
    files = [*SOURCES, *(ROOT / "native").rglob("*.cpp"), *(ROOT / "native").rglob("*.hpp")]
    assert [str(path.relative_to(ROOT)) for path in files if path.stem.startswith(f"{path.parent.name}_")] == []
