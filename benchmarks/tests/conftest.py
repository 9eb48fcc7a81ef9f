"""Two tiny tables, contestants that misbehave on purpose, and a watch that takes notes."""

import os
from pathlib import Path

import numpy as np
import pytest
from exactree_bench.datasets.case import Case
from exactree_bench.runner.job import Entry, Match


def write(path, X, y):
    names = [f"f{j}" for j in range(X.shape[1])] + ["class"]
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join([",".join(names), *lines]) + "\n")


@pytest.fixture
def tables(tmp_path):
    """A folder with an exclusive or, which depth 2 gets right, and coin tosses, which it does not."""
    folder = tmp_path / "tables"
    folder.mkdir()
    bits = np.random.default_rng(0).integers(0, 2, (40, 5))
    write(folder / "xor.csv", bits, bits[:, 0] ^ bits[:, 1])
    write(folder / "coins.csv", bits[:, :4], bits[:, 4])
    return folder


@pytest.fixture
def ledger_path(tmp_path):
    return tmp_path / "runs.csv"


class Notes:
    """A watch that remembers what it was told."""

    def __init__(self):
        self.total, self.started, self.known, self.left_out = 0, [], [], []

    def begin(self, total):
        self.total += total

    def start(self, job):
        self.started.append((job.case.name, job.contestant, job.repeat))

    def done(self, job, outcome, *, known):
        if known:
            self.known.append((job.case.name, job.contestant, job.repeat))
        elif outcome is None:
            self.left_out.append((job.case.name, job.contestant, job.repeat))


@pytest.fixture
def notes():
    return Notes()


@pytest.fixture
def match():
    """Make a match on one of the tables."""

    def make(name="xor", *, contestants=("exactree",), depth=2, seconds=20.0, repeats=1, memory=None, version="1"):
        entries = tuple(Entry(contestant, version) for contestant in contestants)
        return Match(Case(name, f"{name}.csv"), depth, entries, seconds, memory, repeats)

    return make


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Put a worker of one's own in the place of exactree's: the text is the body of its main program."""

    def install(body):
        package = tmp_path / "stand_in.py"
        package.write_text("import json, os, sys, time\njob = json.loads(sys.stdin.readline())\n" + body)
        monkeypatch.setattr("exactree_bench.runner.process.worker_process.WORKER", [str(package)])
        return Path(package)

    return install


@pytest.fixture
def peer(tmp_path, monkeypatch):
    """Put a module in the place of a peer's package, for every process that is started after this."""
    folder = tmp_path / "packages"
    folder.mkdir()
    inherited = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *([inherited] if inherited else [])]))
    return (folder / "pydl85.py").write_text
