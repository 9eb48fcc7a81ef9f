"""One version, written in several files."""

import re
import tomllib
from pathlib import Path

import pytest

import exactree

ROOT = Path(__file__).parents[1]


def project(path):
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize("path", ["pyproject.toml", "benchmarks/pyproject.toml"])
def test_distributions_have_the_version_of_the_package(path):
    assert project(path)["version"] == exactree.__version__


def test_benchmarks_need_this_version():
    assert f"exactree =={exactree.__version__}" in project("benchmarks/pyproject.toml")["dependencies"]


def test_citation_and_changelog_name_the_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {exactree.__version__}" in citation
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert exactree.__version__ in headings
