"""Fits on real dask clusters: local, and a scheduler with a worker of its own."""

import json
import subprocess
import sys
from contextlib import contextmanager

import pytest
from exactree_bench.runner.cluster import client, dispatch
from exactree_bench.runner.outcome import Status

from exactree.errors import InputError

dask = pytest.importorskip("dask", reason="needs dask")
pytest.importorskip("distributed", reason="needs dask.distributed")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("no_cluster")]  # deprecations inside dask


@contextmanager
def process(module, *arguments):
    """A process of a cluster, terminated at exit."""
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as started:
        try:
            yield
        finally:
            started.terminate()


@pytest.fixture
def scheduler(tmp_path, monkeypatch, peer, until):
    """The address of a scheduler at a free port, in the environment; processes inherit the path with the peer."""
    file = tmp_path / "scheduler.json"
    with process("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file):
        until(lambda: file.exists() and file.stat().st_size > 0)  # it is created first and written later
        address = json.loads(file.read_text())["address"]
        monkeypatch.setenv(client.DASK_ADDRESS, address)
        yield address


def test_ctrl_c_on_a_local_cluster(check_ctrl_c):
    check_ctrl_c("dask")


def test_ctrl_c_on_a_remote_cluster(check_ctrl_c, scheduler):
    with process("dask_worker", scheduler, "--nthreads", "2", "--no-dashboard", "--no-nanny"):
        check_ctrl_c("dask")


def test_a_fit_that_kills_its_worker_is_a_failed_fit(tables, match, kill_parent):
    jobs = [*match("coins", contestants=["pydl8.5"]).jobs(), *match("xor").jobs()]
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):  # do not retry on three more workers
        found = dict(dispatch.run_jobs(jobs, tables, "dask", 2))
    assert [found[job].status for job in jobs] == [Status.FAILED, Status.PROVED]
    assert "lost by the cluster: KilledWorker" in found[jobs[0]].reason


def test_a_scheduler_that_does_not_respond(monkeypatch, tables, match):
    monkeypatch.setenv(client.DASK_ADDRESS, "tcp://127.0.0.1:9")
    monkeypatch.setattr(client, "CONNECT_SECONDS", 0.2)
    with pytest.raises(InputError, match=r"DASK_SCHEDULER_ADDRESS names 'tcp://127\.0\.0\.1:9', but no scheduler"):
        next(dispatch.run_jobs(list(match().jobs()), tables, "dask", 1))


def test_a_scheduler_without_workers(monkeypatch, tables, match, scheduler):
    monkeypatch.setattr(client, "WORKERS_SECONDS", 0.2)
    with pytest.raises(InputError, match=r"has no workers\. Start some with 'dask worker tcp://.* --nthreads 1'"):
        next(dispatch.run_jobs(list(match().jobs()), tables, "dask", 1))
