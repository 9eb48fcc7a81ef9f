"""Fits on a real ray cluster."""

import pytest
from exactree_bench.runner.cluster import client, dispatch
from exactree_bench.runner.outcome import Status

from exactree.errors import InputError

pytest.importorskip("ray", reason="needs ray")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("no_cluster")]  # deprecations inside ray


def test_ctrl_c(check_ctrl_c):
    check_ctrl_c("ray")


def test_a_fit_that_kills_its_worker_is_a_failed_fit(tables, match, kill_parent):
    jobs = [*match("coins", contestants=["pydl8.5"]).jobs(), *match("xor").jobs()]
    found = dict(dispatch.run_jobs(jobs, tables, "ray", 2))
    assert [found[job].status for job in jobs] == [Status.FAILED, Status.PROVED]
    assert "lost by the cluster: WorkerCrashedError" in found[jobs[0]].reason


def test_a_cluster_that_does_not_respond(monkeypatch, tables, match):
    monkeypatch.setenv(client.RAY_ADDRESS, "127.0.0.1:9")
    with pytest.raises(InputError, match=r"RAY_ADDRESS names '127\.0\.0\.1:9', but no cluster responds"):
        next(dispatch.run_jobs(list(match().jobs()), tables, "ray", 1))
