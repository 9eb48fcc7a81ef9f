"""Two distributions: exactree has no benchmarks in it, and exactree-bench has all it needs."""

import tomllib
from importlib import import_module
from pathlib import Path

import exactree_bench
import pytest

import exactree

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def projects():
    """The pyproject.toml of exactree and of exactree-bench."""
    return [tomllib.loads((ROOT / path / "pyproject.toml").read_text("utf-8")) for path in (".", "benchmarks")]


def test_exactree_mentions_its_benchmarks_in_one_command_only():
    package = Path(exactree.__file__).parent
    found = [path for path in package.rglob("*.py") if "exactree_bench" in path.read_text("utf-8")]
    assert [path.relative_to(package).as_posix() for path in found] == ["cli/bench.py"]


def test_the_wheel_and_the_source_archive_of_exactree_have_no_benchmarks(projects):
    build = projects[0]["tool"]["scikit-build"]
    assert build["wheel"]["packages"] == ["src/exactree"]
    excluded = build["sdist"]["exclude"]
    assert "benchmarks" in excluded
    assert not (ROOT / "src" / "exactree_bench").exists()


def test_the_command_exists(projects):
    module, name = projects[1]["project"]["scripts"]["exactree-bench"].split(":")
    assert callable(getattr(import_module(module), name))


def test_the_package_is_typed():
    assert (Path(exactree_bench.__file__).parent / "py.typed").is_file()


def test_files_per_folder():
    package = Path(exactree_bench.__file__).parent
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        names = [path.stem for path in folder.glob("*.py")]
        assert len(names) <= 25, folder
        assert not any(name.startswith(f"{folder.name}_") for name in names), folder
