"""The runner: real fits in processes, resuming, killing, and workers that die."""

import json
import os
import sys
import threading

import pytest
from exactree_bench import conversation
from exactree_bench.ledger import Ledger
from exactree_bench.outcome import Ending, Outcome
from exactree_bench.results import Results
from exactree_bench.runner import Runner


def test_two_tables_are_fitted_in_processes_of_their_own(tables, ledger_path, notes, match):
    matches = [match("xor", repeats=2), match("coins")]
    ledger = Ledger(ledger_path)
    Runner(tables, ledger, notes).run(matches, workers=2)
    results = Results(matches, ledger)
    xor, coins = results.get("xor", 2, "exactree"), results.get("coins", 2, "exactree")
    assert (xor.ending, xor.errors, xor.claimed, xor.bound) == (Ending.PROVED, 0, 0.0, 0.0)
    assert coins.proved
    assert 0 < coins.errors == coins.claimed == coins.bound
    assert coins.cpu > 0
    assert coins.wall > 0
    assert coins.memory is None or coins.memory >= 0
    assert coins.measured
    assert coins.counters
    assert notes.total == 3
    assert len(ledger_path.read_text().splitlines()) == 4


def test_a_second_run_skips_what_is_finished(tables, ledger_path, notes, match):
    Runner(tables, Ledger(ledger_path), notes).run([match("xor")])
    assert notes.started == [("xor", "exactree", 0)]
    Runner(tables, Ledger(ledger_path), notes).run([match("xor"), match("xor", seconds=21.0)])
    assert notes.known == [("xor", "exactree", 0)]
    assert len(notes.started) == 2, "another limit is another job"


def test_a_new_version_is_run_again(tables, ledger_path, notes, match):
    for version in ("1", "1", "2"):
        Runner(tables, Ledger(ledger_path), notes).run([match("xor", version=version)])
    assert (len(notes.started), len(notes.known)) == (2, 1)


def test_fresh_forgets(tables, ledger_path, notes, match):
    Runner(tables, Ledger(ledger_path), notes).run([match("xor")])
    ledger = Ledger(ledger_path, fresh=True)
    assert ledger.get(next(match("xor").jobs())) is None
    assert not ledger_path.exists()


def test_a_fit_that_does_not_stop_is_killed(tables, ledger_path, notes, match, stand_in, monkeypatch):
    stand_in("print('begun', flush=True)\ntime.sleep(3600)\n")
    monkeypatch.setattr(conversation, "GRACE", 0.2)
    game, ledger = match(seconds=0.1, repeats=3), Ledger(ledger_path)
    Runner(tables, ledger, notes).run([game])
    assert Results([game], ledger).get("xor", 2, "exactree").ending is Ending.KILLED
    assert len(notes.started) == 1, "what does not stop is not repeated"
    assert len(notes.left_out) == 2


def test_long_runs_are_not_repeated(tables, ledger_path, notes, match, stand_in):
    answers = {1: Outcome(Ending.PROVED, errors=1, wall=9.0).to_json(), 2: Outcome(Ending.PROVED, wall=0.1).to_json()}
    stand_in(f"answers = {answers!r}\nprint('begun')\nprint(answers[1 if job['case']['name'] == 'xor' else 2])\n")
    Runner(tables, Ledger(ledger_path), notes).run([match("xor", repeats=3), match("coins", repeats=3)])
    assert [name for name, _, _ in notes.started] == ["xor", "coins", "coins", "coins"]


@pytest.mark.parametrize(
    ("body", "ending", "reason"),
    [
        ("sys.exit(7)", Ending.FAILED, "ended with code 7"),
        pytest.param(
            "os.abort()",
            Ending.FAILED,
            "ended by SIGABRT",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to end by"),
        ),
        ("sys.stderr.write('std::bad_alloc')\nsys.exit(1)", Ending.MEMORY, "the memory limit was reached"),
    ],
)
def test_a_worker_that_dies_is_one_failed_job(tables, ledger_path, notes, match, stand_in, body, ending, reason):
    stand_in(body)
    outcome = Runner(tables, Ledger(ledger_path), notes).fit(next(match().jobs()))
    assert outcome.ending is ending
    assert outcome.reason.startswith(reason)


def test_stopping_kills_what_runs_and_writes_nothing(tables, ledger_path, notes, match, stand_in):
    stand_in("print('begun', flush=True)\ntime.sleep(3600)\n")  # nobody waits that long
    runner = Runner(tables, Ledger(ledger_path), notes)
    threading.Timer(1.0, runner.stop).start()
    runner.run([match("xor"), match("coins")])
    assert not ledger_path.exists()


def test_an_absent_contestant_says_why(tables, ledger_path, notes, match, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tables), prepend=os.pathsep)
    (tables / "pydl85.py").write_text("raise ImportError('made for another Python')\n")
    outcome = Runner(tables, Ledger(ledger_path), notes).fit(next(match(contestants=["pydl8.5"]).jobs()))
    assert outcome == Outcome(Ending.MISSING, reason="cannot import pydl85: ImportError: made for another Python")


def test_a_fit_over_its_memory_limit_is_one_outcome(tables, ledger_path, notes, match, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tables), prepend=os.pathsep)
    (tables / "pydl85.py").write_text(
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
    outcome = Runner(tables, Ledger(ledger_path), notes).fit(next(match(contestants=["pydl8.5"], memory=10**9).jobs()))
    if outcome.ending is Ending.FAILED:
        pytest.skip("memory cannot be limited on this system")
    assert outcome.ending is Ending.MEMORY


def test_a_torn_line_is_run_again(tables, ledger_path, match):
    game = match("xor", repeats=2)
    first, second = game.jobs()
    ledger = Ledger(ledger_path)
    for job in (first, second):
        ledger.add(job, Outcome(Ending.PROVED, errors=3, counters={"nodes": 7.0}, reason='said "no", twice'))
    ledger_path.write_text(ledger_path.read_text()[:-60])
    torn = Ledger(ledger_path)
    assert torn.get(first) == ledger.get(first)
    assert torn.get(second) is None
    torn.add(second, Outcome(Ending.STOPPED))
    again = Ledger(ledger_path)
    assert again.get(first) == ledger.get(first)
    assert again.get(second) == Outcome(Ending.STOPPED)


def test_failures_are_tried_again_when_resumed(ledger_path, match):
    job = next(match().jobs())
    ledger = Ledger(ledger_path)
    ledger.add(job, Outcome(Ending.FAILED, reason="no luck"))
    assert ledger.get(job) is not None
    assert Ledger(ledger_path).get(job) is None


def test_jobs_survive_the_way_to_the_worker(match):
    job = next(match(memory=10**9).jobs())
    assert type(job).from_json(job.to_json()) == job
    assert json.loads(job.to_json())["case"]["encoding"] == "numbers as they are"
