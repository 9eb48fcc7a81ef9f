"""A table with text, numbers, codes and empty cells, in a folder of its own."""

from pathlib import Path

import pytest

PEOPLE = """\
id,age,colour,zip,city,w,churn
1,30,red,10,Paris,1,no
2,,blue,20,Rome,1,yes
3,41,,10,Paris,2,no
4,52,red,30,,1,yes
5,28,green,20,Rome,1,no
6,61,blue,30,"Oslo, N",1,yes
7,NA,red,10,Rome,1,no
8,45,green,30,Paris,3,yes
"""


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory is a folder that holds people.csv."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path
