"""The faults that ``make faults`` plants are still there to be planted."""

import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
FAULTS = tomllib.loads((HERE / "faults.toml").read_text(encoding="utf-8"))["fault"]


@pytest.mark.each("fault", FAULTS)
def test_text_stands_once_in_its_file(fault):
    source = (HERE.parents[1] / fault["file"]).read_text(encoding="utf-8")
    assert source.count(fault["old"]) == 1
    assert fault["old"] != fault["new"]
