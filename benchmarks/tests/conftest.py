"""Two tiny tables, workers and peers that misbehave on purpose, and a progress callback that records its calls."""

import io
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from exactree_bench.datasets.case import Case
from exactree_bench.runner.cluster import client, dispatch
from exactree_bench.runner.job import Entry, Match
from exactree_bench.runner.outcome import Status
from exactree_bench.runner.process import worker
from exactree_bench.runner.results import Results
from exactree_bench.runner.run_log import RunLog
from exactree_bench.runner.runner import Runner


def write(path, X, y):
    names = [f"f{j}" for j in range(X.shape[1])] + ["class"]
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join([",".join(names), *lines]) + "\n")


@pytest.fixture
def tables(tmp_path):
    """A folder with an exclusive or, which a tree of depth 2 fits exactly, and random labels, which it does not."""
    folder = tmp_path / "tables"
    folder.mkdir()
    bits = np.random.default_rng(0).integers(0, 2, (40, 5))
    write(folder / "xor.csv", bits, bits[:, 0] ^ bits[:, 1])
    write(folder / "coins.csv", bits[:, :4], bits[:, 4])
    return folder


@pytest.fixture
def run_log_path(tmp_path):
    return tmp_path / "runs.csv"


class RecordingProgress:
    """A progress callback that records its calls."""

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
def progress():
    return RecordingProgress()


@pytest.fixture
def match():
    """Make a match on one of the tables."""

    def make(name="xor", *, contestants=("exactree",), depth=2, seconds=20.0, repeats=1, memory=None, version="1"):
        entries = tuple(Entry(contestant, version) for contestant in contestants)
        return Match(Case(name, f"{name}.csv"), depth, entries, seconds, memory, repeats)

    return make


@pytest.fixture
def fake_worker(tmp_path, monkeypatch):
    """Replace the worker by a script: the text is its body, after it has read the job."""

    def install(body):
        package = tmp_path / "fake_worker.py"
        package.write_text("import json, os, sys, time\njob = json.loads(sys.stdin.readline())\n" + body)
        monkeypatch.setattr("exactree_bench.runner.process.worker_process.WORKER", [str(package)])
        return Path(package)

    return install


@pytest.fixture
def peer(tmp_path, monkeypatch):
    """Replace the package pydl85 by a module with this text, in all processes started after this."""
    folder = tmp_path / "packages"
    folder.mkdir()
    inherited = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *([inherited] if inherited else [])]))
    return (folder / "pydl85.py").write_text


@pytest.fixture
def in_process(monkeypatch):
    """Fit in this process, without a memory limit: a worker process takes a second to start, and has its own tests."""

    def fit(self, job):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as a worker does
            return worker.run(job, self.folder, io.StringIO())

    monkeypatch.setattr(worker, "limit_memory", lambda more: None)
    monkeypatch.setattr(Runner, "fit", fit)


# A peer that fits the 16 rows of the warm-up, and runs the statements with more.
PEER = """
import os, time
class DL85Classifier:
    def __init__(self, **options):
        pass
    def fit(self, X, y):
        self.y = y
        if len(X) > 16:
            {statements}
        return self
    def predict(self, X):
        return self.y
"""
SLEEP = """
            with open({path!r} + "~", "w") as file:
                file.write(str(os.getpid()))
            os.replace({path!r} + "~", {path!r})
            time.sleep(600)
"""


@pytest.fixture
def no_cluster(monkeypatch):
    """Unset the addresses of clusters."""
    for variable in (client.DASK_ADDRESS, client.RAY_ADDRESS):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def kill_parent(peer):
    """A peer whose fit kills the process that started it, such as the worker of a cluster."""
    peer(PEER.format(statements="os.kill(os.getppid(), 9)"))


@pytest.fixture
def until():
    """Wait for a condition; a busy machine may take long."""

    def wait(holds, seconds=180.0):
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end
            time.sleep(0.02)

    return wait


@pytest.fixture
def check_ctrl_c(tables, run_log_path, progress, match, tmp_path, monkeypatch, peer, until):
    """Interrupt a run on a backend while one fit sleeps: the fit is killed, finished fits are kept and not repeated."""
    asleep = tmp_path / "asleep"
    peer(PEER.format(statements=SLEEP.format(path=str(asleep))))
    matches = [match("xor"), match("coins", contestants=["pydl8.5"])]
    done = progress.done

    def interrupt(job, outcome, *, known):
        done(job, outcome, known=known)
        until(asleep.exists)
        raise KeyboardInterrupt

    def check(backend):
        progress.done = interrupt
        with pytest.raises(KeyboardInterrupt):
            Runner(tables, RunLog(run_log_path), progress, backend).run(matches, workers=2)
        pid = int(asleep.read_text())
        until(lambda: not is_alive(pid))
        run_log = RunLog(run_log_path)
        results = Results(matches, run_log)
        xor, coins = results.get("xor", 2, "exactree"), results.get("coins", 2, "pydl8.5")
        assert (xor.status, xor.errors, coins) == (Status.PROVED, 0, None)
        progress.done = done
        monkeypatch.setattr(dispatch, "connect", None)  # nothing is left to run, so no cluster is needed
        Runner(tables, run_log, progress, backend).run(matches[:1], workers=2)
        assert progress.known == [("xor", "exactree", 0)]

    return check


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
