"""Fits on real clusters of dask and ray: outcomes, Ctrl-C, resuming, and words about what is missing."""

import json
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import psutil
import pytest
from exactree_bench import backend, crew
from exactree_bench.elsewhere import Fit, end_fits
from exactree_bench.ledger import Ledger
from exactree_bench.outcome import Ending
from exactree_bench.results import Results
from exactree_bench.runner import Runner

from exactree.errors import InputError

PACKAGES = {"dask": "distributed", "ray": "ray"}
pytestmark = pytest.mark.filterwarnings("ignore")  # of foreign packages, which tell of their own future

# In the place of a peer: it fits the 16 rows of the warm-up, and has something else in mind with more.
PEER = """
import os, time
class DL85Classifier:
    def __init__(self, **options):
        pass
    def fit(self, X, y):
        self.y = y
        if len(X) > 16:
            {deed}
        return self
    def predict(self, X):
        return self.y
"""
# It writes down who it is, and sleeps.
SLEEP = """
            with open({path!r} + "~", "w") as file:
                file.write(str(os.getpid()))
            os.replace({path!r} + "~", {path!r})
            time.sleep(600)
"""
KILL = "import psutil; psutil.Process(os.getppid()).kill()"  # the worker of the cluster that started it


@pytest.fixture(params=["loky", "threading", "dask", "dask elsewhere", "ray"])
def spreader(request, monkeypatch, tmp_path):
    """The name of a back end whose package is installed; dask also as a scheduler and a worker of their own."""
    name = request.param.split()[0]
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name], reason=f"{name} is not installed: pip install '{crew.PACKAGES[name]}'")
    for variable in (crew.DASK_ADDRESS, crew.RAY_ADDRESS):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # before any process of a cluster starts
    if request.param != "dask elsewhere":
        yield name
        return
    with scheduler(tmp_path) as address, process("dask_worker", address, "--nthreads", "2", "--no-dashboard"):
        monkeypatch.setenv(crew.DASK_ADDRESS, address)
        yield name


@contextmanager
def process(module, *arguments):
    """One process of a cluster, which is ended however the test does."""
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as started:
        try:
            yield
        finally:
            started.terminate()


@contextmanager
def scheduler(folder):
    """A scheduler at any free port, and its address."""
    file = folder / "scheduler.json"
    with process("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file):
        until(file.exists)
        yield json.loads(file.read_text())["address"]


def until(holds, seconds=180.0):
    """Wait for something; a busy machine may take long."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_alive(pid):
    return psutil.pid_exists(pid)


def test_ctrl_c_ends_what_runs_and_keeps_what_is_finished(
    spreader, tables, ledger_path, notes, match, tmp_path, monkeypatch
):
    asleep = tmp_path / "asleep"
    (tmp_path / "pydl85.py").write_text(PEER.format(deed=SLEEP.format(path=str(asleep))))
    games = [match("xor"), match("coins", contestants=["pydl8.5"])]
    done = notes.done

    def interrupt(job, outcome, *, known):
        done(job, outcome, known=known)
        until(asleep.exists)
        raise KeyboardInterrupt

    notes.done = interrupt
    with pytest.raises(KeyboardInterrupt):
        Runner(tables, Ledger(ledger_path), notes, spreader).run(games, workers=2)
    pid = int(asleep.read_text())
    until(lambda: not is_alive(pid))
    ledger = Ledger(ledger_path)
    xor, coins = (Results(games, ledger).get(*key) for key in (("xor", 2, "exactree"), ("coins", 2, "pydl8.5")))
    assert (xor.ending, xor.errors, coins) == (Ending.PROVED, 0, None)

    notes.done = done
    monkeypatch.setattr(backend, "crew_of", None)  # nothing is left to run, so that no cluster is needed
    Runner(tables, ledger, notes, spreader).run(games[:1], workers=2)
    assert notes.known == [("xor", "exactree", 0)]


@pytest.mark.parametrize("spreader", ["dask", "ray"], indirect=True)
def test_a_fit_that_takes_its_worker_with_it_is_a_failed_fit(spreader, tables, match, tmp_path):
    (tmp_path / "pydl85.py").write_text(PEER.format(deed=KILL))
    jobs = [*match("coins", contestants=["pydl8.5"]).jobs(), *match("xor").jobs()]
    found = dict(backend.spread(jobs, tables, spreader, 2))
    assert [found[job].ending for job in jobs] == [Ending.FAILED, Ending.PROVED]
    assert re.search("the cluster lost it: (KilledWorker|WorkerCrashedError)", found[jobs[0]].reason)


def test_a_scheduler_that_does_not_answer(monkeypatch, tables, match):
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'dask[distributed]'")
    monkeypatch.setenv(crew.DASK_ADDRESS, "tcp://127.0.0.1:9")
    monkeypatch.setattr(crew, "CONNECT_SECONDS", 1.0)
    with pytest.raises(InputError, match=r"DASK_SCHEDULER_ADDRESS names 'tcp://127\.0\.0\.1:9', where no scheduler"):
        next(backend.spread(list(match().jobs()), tables, "dask", 1))


def test_a_scheduler_without_workers(monkeypatch, tables, match, tmp_path):
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'dask[distributed]'")
    monkeypatch.setattr(crew, "WORKERS_SECONDS", 0.2)
    with scheduler(tmp_path) as address:
        monkeypatch.setenv(crew.DASK_ADDRESS, address)
        with pytest.raises(InputError, match=r"has no workers\. Start some with 'dask worker tcp://.* --nthreads 1'"):
            next(backend.spread(list(match().jobs()), tables, "dask", 1))


def test_a_cluster_of_ray_that_does_not_answer(monkeypatch, tables, match):
    pytest.importorskip("ray", reason="ray is not installed: pip install 'ray'")
    monkeypatch.setenv(crew.RAY_ADDRESS, "127.0.0.1:9")
    with pytest.raises(InputError, match=r"RAY_ADDRESS names '127\.0\.0\.1:9', where no cluster answers"):
        next(backend.spread(list(match().jobs()), tables, "ray", 1))


class Lossy:
    """A crew that loses every second task, and takes note of what it is asked to do."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.running, self.most, self.ended, self.closed, self.n = set(), 0, [], False, 0

    def submit(self, task, done):
        self.n += 1
        self.running.add(self.n)
        self.most = max(self.most, len(self.running))
        threading.Timer(self.seconds * self.n, done, [self.n]).start()
        return self.n

    def result(self, handle):
        self.running.remove(handle)
        if handle % 2:
            raise RuntimeError("the machine\nis gone")
        return [(handle - 1, '{"ending": "proved", "errors": 1}')]

    def stop(self, handles, token):
        self.ended += handles

    def close(self):
        self.closed = True


@pytest.mark.parametrize("workers", [1, 2])
def test_jobs_that_a_cluster_loses_are_failed_jobs(tables, match, monkeypatch, workers):
    lossy = Lossy(0.01)
    monkeypatch.setattr(backend, "crew_of", lambda name, workers: lossy)
    jobs = list(match("xor", repeats=5).jobs())
    found = dict(backend.spread(jobs, tables, "ray", workers))
    assert set(found) == set(jobs)
    assert (lossy.most, lossy.ended, lossy.closed) == (workers, [], True)
    assert [found[job].ending for job in jobs[1::2]] == [Ending.PROVED] * 2
    lost = [outcome.reason for outcome in found.values() if outcome.ending is Ending.FAILED]
    assert lost == ["the cluster lost it: RuntimeError: the machine is gone"] * 3


@pytest.mark.parametrize("taken", [0, 1, 3])
def test_a_cluster_that_takes_no_more_ends_the_run(tables, match, monkeypatch, taken):
    lossy = Lossy(0.01)
    submit = lossy.submit

    def refuse(task, done):
        if lossy.n >= taken:
            raise OSError("the scheduler is gone")
        return submit(task, done)

    lossy.submit = refuse
    monkeypatch.setattr(backend, "crew_of", lambda name, workers: lossy)
    jobs = list(match("xor", repeats=9).jobs())
    with pytest.raises(InputError, match=r"The cluster takes no more fits \(the scheduler is gone\)\. Those"):
        list(backend.spread(jobs, tables, "dask", 2))
    assert lossy.closed


@pytest.mark.filterwarnings("error")  # whoever stops knows that tasks are cancelled
def test_whoever_stops_listening_ends_what_runs(tables, match, monkeypatch):
    lossy = Lossy(0.3)
    monkeypatch.setattr(backend, "crew_of", lambda name, workers: lossy)
    outcomes = backend.spread(list(match("xor", repeats=9).jobs()), tables, "dask", 3)
    next(outcomes)
    outcomes.close()
    assert (set(lossy.ended), lossy.closed) == ({2, 3, 4}, True)


def test_a_run_that_was_stopped_starts_no_more_fits(tables, match):
    end_fits("stopped")
    job = next(match().jobs()).to_json()
    assert "the run was stopped" in Fit(7, str(tables), job, "stopped")()[1]
    at, told = Fit(7, str(tables), job, "another")()
    assert (at, '"proved"' in told) == (7, True)
