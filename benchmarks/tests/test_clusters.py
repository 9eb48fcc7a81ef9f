"""Fits through joblib: outcomes, lost tasks, Ctrl-C and resuming. dask and ray have their own files."""

import threading

import pytest
from exactree_bench.runner.cluster import dispatch
from exactree_bench.runner.cluster.remote_fit import RemoteFit, cancel_fits
from exactree_bench.runner.outcome import Status

from exactree.errors import InputError


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_ctrl_c_kills_running_fits_and_keeps_finished_ones(backend, check_ctrl_c):
    check_ctrl_c(backend)


class Lossy:
    """A client whose cluster loses every second task; it records its calls."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.running, self.most, self.cancelled, self.closed, self.n = set(), 0, [], False, 0

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
        return [(handle - 1, '{"status": "proved", "errors": 1}')]

    def cancel(self, handles, token):
        self.cancelled += handles

    def close(self):
        self.closed = True


@pytest.mark.parametrize("workers", [1, 2])
def test_jobs_that_a_cluster_loses_are_failed_jobs(tables, match, monkeypatch, workers):
    lossy = Lossy(0.01)
    monkeypatch.setattr(dispatch, "connect", lambda name, workers: lossy)
    jobs = list(match("xor", repeats=5).jobs())
    found = dict(dispatch.run_jobs(jobs, tables, "ray", workers))
    assert set(found) == set(jobs)
    assert (lossy.most, lossy.cancelled, lossy.closed) == (workers, [], True)
    assert [found[job].status for job in jobs[1::2]] == [Status.PROVED] * 2
    lost = [outcome.reason for outcome in found.values() if outcome.status is Status.FAILED]
    assert lost == ["lost by the cluster: RuntimeError: the machine is gone"] * 3


@pytest.mark.parametrize("taken", [0, 1, 3])
def test_a_cluster_that_rejects_tasks_ends_the_run(tables, match, monkeypatch, taken):
    lossy = Lossy(0.01)
    submit = lossy.submit

    def refuse(task, done):
        if lossy.n >= taken:
            raise OSError("the scheduler is gone")
        return submit(task, done)

    lossy.submit = refuse
    monkeypatch.setattr(dispatch, "connect", lambda name, workers: lossy)
    jobs = list(match("xor", repeats=9).jobs())
    with pytest.raises(InputError, match=r"The cluster accepts no more fits \(the scheduler is gone\)\. Finished"):
        list(dispatch.run_jobs(jobs, tables, "dask", 2))
    assert lossy.closed


@pytest.mark.filterwarnings("error")  # joblib would warn of cancelled tasks
def test_closing_the_generator_cancels_running_tasks(tables, match, monkeypatch):
    lossy = Lossy(0.3)
    monkeypatch.setattr(dispatch, "connect", lambda name, workers: lossy)
    outcomes = dispatch.run_jobs(list(match("xor", repeats=9).jobs()), tables, "dask", 3)
    next(outcomes)
    outcomes.close()
    assert (set(lossy.cancelled), lossy.closed) == ({2, 3, 4}, True)


def test_a_cancelled_run_starts_no_more_fits(tables, match, fake_worker):
    fake_worker("print('started')\nprint(json.dumps({'status': 'proved'}))\n")
    cancel_fits("cancelled")
    job = next(match().jobs()).to_json()
    assert "the run was cancelled" in RemoteFit(7, str(tables), job, "cancelled")()[1]
    index, outcome = RemoteFit(7, str(tables), job, "another")()
    assert (index, '"proved"' in outcome) == (7, True)
