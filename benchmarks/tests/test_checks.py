"""Contradictions between results."""

import pytest
from exactree_bench.runner.checks import contradictions
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.results import Results
from exactree_bench.runner.run_log import RunLog


@pytest.fixture
def results_of(run_log_path, match):
    """Results in which each named contestant had the outcome given."""

    def make(**outcomes):
        planned, run_log = match("xor", contestants=tuple(outcomes)), RunLog(run_log_path, fresh=True)
        for job in planned.jobs():
            run_log.add(job, outcomes[job.contestant])
        return Results([planned], run_log)

    return make


def proved(errors, **more):
    return Outcome(Status.PROVED, errors=errors, **more)


def stopped(errors, **more):
    return Outcome(Status.STOPPED, errors=errors, **more)


def test_equal_proofs_and_worse_trees_without_proof_agree(results_of):
    results = results_of(a=proved(5, claimed=5.0, bound=5.0), b=proved(5), c=stopped(9, bound=2.0), d=stopped(None))
    assert contradictions(results, {2: {"xor": 5}}) == []


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (proved(5), proved(6), "b proves 6 errors, but a finds 5"),
        (stopped(4), proved(5), "b proves 5 errors, but a finds 4"),
        (stopped(4), stopped(9, bound=5.0), "b states that no tree has under 5 errors, but a finds 4"),
        (stopped(4, claimed=3.0), stopped(4), "a claims 3 errors, but its tree makes 4"),
    ],
)
def test_contradictions_are_reported(results_of, a, b, text):
    assert contradictions(results_of(a=a, b=b)) == [f"xor, depth 2: {text}"]


@pytest.mark.parametrize(
    ("outcome", "said"), [(proved(6), "proves 6"), (proved(4), "proves 4"), (stopped(4), "finds 4"), (stopped(6), None)]
)
def test_known_optima(results_of, outcome, said):
    expected = [f"xor, depth 2: a {said} errors, but the optimum is known to be 5"] if said else []
    assert contradictions(results_of(a=outcome), {2: {"xor": 5}}) == expected
