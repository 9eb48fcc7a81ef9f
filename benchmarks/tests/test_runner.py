"""The runner: real fits in worker processes, resuming, killing, and workers that die."""

import json
import sys
import threading

import pytest
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.process import worker_process
from exactree_bench.runner.results import Results
from exactree_bench.runner.run_log import RunLog
from exactree_bench.runner.runner import Runner

FIT = "print('started')\nprint(json.dumps({'status': 'proved', 'errors': 0, 'wall': 0.1}))\n"


def test_two_tables_are_fitted_in_worker_processes(tables, run_log_path, progress, match):
    matches = [match("xor"), match("coins")]
    run_log = RunLog(run_log_path)
    Runner(tables, run_log, progress).run(matches, workers=2)
    results = Results(matches, run_log)
    xor, coins = results.get("xor", 2, "exactree"), results.get("coins", 2, "exactree")
    assert (xor.status, xor.errors, xor.claimed, xor.bound) == (Status.PROVED, 0, 0.0, 0.0)
    assert coins.proved
    assert 0 < coins.errors == coins.claimed == coins.bound
    assert coins.cpu > 0
    assert coins.wall > 0
    assert coins.memory is None or coins.memory >= 0
    assert coins.measured
    assert coins.counters
    assert progress.total == 2
    assert len(run_log_path.read_text().splitlines()) == 3


def test_a_second_run_skips_finished_jobs(tables, run_log_path, progress, match, fake_worker):
    fake_worker(FIT)
    Runner(tables, RunLog(run_log_path), progress).run([match("xor")])
    assert progress.started == [("xor", "exactree", 0)]
    Runner(tables, RunLog(run_log_path), progress).run([match("xor"), match("xor", seconds=21.0)])
    assert progress.known == [("xor", "exactree", 0)]
    assert len(progress.started) == 2, "another limit is another job"


def test_a_new_version_is_run_again(tables, run_log_path, progress, match, fake_worker):
    fake_worker(FIT)
    for version in ("1", "1", "2"):
        Runner(tables, RunLog(run_log_path), progress).run([match("xor", version=version)])
    assert (len(progress.started), len(progress.known)) == (2, 1)


def test_fresh_discards_finished_jobs(tables, run_log_path, progress, match, fake_worker):
    fake_worker(FIT)
    Runner(tables, RunLog(run_log_path), progress).run([match("xor")])
    run_log = RunLog(run_log_path, fresh=True)
    assert run_log.get(next(match("xor").jobs())) is None
    assert not run_log_path.exists()


def test_a_fit_that_does_not_stop_is_killed(tables, run_log_path, progress, match, fake_worker, monkeypatch):
    fake_worker("print('started', flush=True)\ntime.sleep(3600)\n")
    monkeypatch.setattr(worker_process, "GRACE", 0.2)
    planned, run_log = match(seconds=0.1, repeats=3), RunLog(run_log_path)
    Runner(tables, run_log, progress).run([planned])
    assert Results([planned], run_log).get("xor", 2, "exactree").status is Status.KILLED
    assert len(progress.started) == 1, "what does not stop is not repeated"
    assert len(progress.left_out) == 2


def test_long_runs_are_not_repeated(tables, run_log_path, progress, match, fake_worker):
    answers = {1: Outcome(Status.PROVED, errors=1, wall=9.0).to_json(), 2: Outcome(Status.PROVED, wall=0.1).to_json()}
    fake_worker(f"answers = {answers!r}\nprint('started')\nprint(answers[1 if job['case']['name'] == 'xor' else 2])\n")
    Runner(tables, RunLog(run_log_path), progress).run([match("xor", repeats=3), match("coins", repeats=3)])
    assert [name for name, _, _ in progress.started] == ["xor", "coins", "coins", "coins"]


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ("sys.exit(7)", Status.FAILED, "ended with code 7"),
        pytest.param(
            "os.abort()",
            Status.FAILED,
            "ended by SIGABRT",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to end by"),
        ),
        ("sys.stderr.write('std::bad_alloc')\nsys.exit(1)", Status.MEMORY, "the memory limit was reached"),
    ],
)
def test_a_worker_that_dies_is_one_failed_job(tables, run_log_path, progress, match, fake_worker, body, status, reason):
    fake_worker(body)
    outcome = Runner(tables, RunLog(run_log_path), progress).fit(next(match().jobs()))
    assert outcome.status is status
    assert outcome.reason.startswith(reason)


def test_stopping_kills_running_jobs_and_logs_nothing(tables, run_log_path, progress, match, fake_worker):
    fake_worker("print('started', flush=True)\ntime.sleep(3600)\n")
    runner = Runner(tables, RunLog(run_log_path), progress)
    progress.start = lambda job: threading.Timer(0.2, runner.stop).start()
    runner.run([match("xor"), match("coins")])
    assert not run_log_path.exists()


def test_a_contestant_that_cannot_be_imported(tables, run_log_path, progress, match, peer):
    peer("raise ImportError('made for another Python')\n")
    outcome = Runner(tables, RunLog(run_log_path), progress).fit(next(match(contestants=["pydl8.5"]).jobs()))
    assert outcome == Outcome(Status.MISSING, reason="cannot import pydl85: ImportError: made for another Python")


def test_a_fit_over_its_memory_limit_is_one_outcome(tables, run_log_path, progress, match, peer):
    peer(
        "class DL85Classifier:\n"
        "    def __init__(self, **options):\n"
        "        pass\n"
        "    def fit(self, X, y):\n"
        "        self.X, self.y = X, y\n"
        "        self.held = bytearray(2 * 10**9) if len(X) == 40 else None\n"
        "        return self\n"
        "    def predict(self, X):\n"
        "        return self.y\n"
    )
    outcome = Runner(tables, RunLog(run_log_path), progress).fit(
        next(match(contestants=["pydl8.5"], memory=10**9).jobs())
    )
    if outcome.status is Status.FAILED:
        pytest.skip("memory cannot be limited on this system")
    assert outcome.status is Status.MEMORY


def test_an_incomplete_line_is_run_again(tables, run_log_path, match):
    planned = match("xor", repeats=2)
    first, second = planned.jobs()
    run_log = RunLog(run_log_path)
    for job in (first, second):
        run_log.add(job, Outcome(Status.PROVED, errors=3, counters={"nodes": 7.0}, reason='said "no", twice'))
    run_log_path.write_text(run_log_path.read_text()[:-60])
    truncated = RunLog(run_log_path)
    assert truncated.get(first) == run_log.get(first)
    assert truncated.get(second) is None
    truncated.add(second, Outcome(Status.STOPPED))
    again = RunLog(run_log_path)
    assert again.get(first) == run_log.get(first)
    assert again.get(second) == Outcome(Status.STOPPED)


def test_failures_are_retried_when_resumed(run_log_path, match):
    job = next(match().jobs())
    run_log = RunLog(run_log_path)
    run_log.add(job, Outcome(Status.FAILED, reason="no luck"))
    assert run_log.get(job) is not None
    assert RunLog(run_log_path).get(job) is None


def test_jobs_survive_serialization(match):
    job = next(match(memory=10**9).jobs())
    assert type(job).from_json(job.to_json()) == job
    assert json.loads(job.to_json())["case"]["encoding"] == "numbers as they are"
