"""The suite on fairness, on a tiny table."""

import numpy as np
import pytest
from exactree_bench.contestants import fair
from exactree_bench.datasets.case import Case
from exactree_bench.datasets.notions import NOTIONS
from exactree_bench.datasets.sensitive import Sensitive, grouped_questions
from exactree_bench.runner.job import FitConfig, Job
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.suites import SUITES, Settings, run_suite
from exactree_bench.suites.fair import report, tables

from exactree.errors import InputError
from exactree.table import Frame

OURS = ("fair search", "fair BinOCT")


def people():
    """Rows whose sex is related to the class, so that the best tree without the constraint is unfair."""
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 60)
    job = np.where(rng.random(60) < 0.8, sex, 1 - sex)
    wrong = rng.random(60) < 0.15
    return np.column_stack([sex, job, rng.integers(0, 4, 60), rng.integers(0, 2, 60), job ^ wrong])


CASE = Case("people", "people.csv", "1", split=0, train=2 / 3, test=1.0, sensitive=Sensitive("sex", 1))


@pytest.fixture
def settings(tmp_path, monkeypatch, in_process):
    lines = ["sex,job,age,city,class", *(",".join(map(str, row)) for row in people().tolist())]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(tables, "CASES", (CASE,))
    return Settings(tmp_path, tmp_path / "out", seconds=20.0, depths=(2,), sets=("people",), contestants=OURS)


def test_search_and_mip_agree_under_all_notions(settings, progress):
    found = run_suite(SUITES["fair"], settings, progress)
    *sections, summary = found.sections
    assert [section.title for section in sections] == [f"Depth 2, {notion}" for notion in NOTIONS]
    for section, notion in zip(sections, NOTIONS.values(), strict=True):
        search, mip = section.records
        assert (search["proved"], mip["proved"]) == (True, True)
        assert search["errors"] == mip["errors"] == search["bound"]
        assert max(search["train_violation"], mip["train_violation"]) <= notion.limit + 1e-9
        assert (search["train_rows"], search["test_rows"], search["questions"]) == (40, 20, 5)
    assert [row[:6] for row in summary.rows] == [("2", name, "5", "5", "5", "0") for name in OURS]
    assert (found.contradictions, found.unreached) == ((), ())


def test_mips_take_part_where_the_user_chose(settings):
    suite = SUITES["fair"]
    everybody = Settings(settings.data, settings.output)
    assert {entry.contestant for match in suite.plan(everybody, None) for entry in match.entries} == {
        "fair search",
        "fair STreeD",
    }
    chosen = Settings(settings.data, settings.output, sets=("people",), depths=(2,))
    first = suite.plan(chosen, None)[0]
    assert (first.notion, first.part) == ("demographic parity", "demographic parity")
    assert {entry.contestant for entry in first.entries} == {contestant.name for contestant in fair.CONTESTANTS}


def test_a_job_keeps_groups_and_notion():
    job = Job(CASE, "fair search", "1", FitConfig(2, 1.0, notion="four fifths"))
    assert Job.from_json(job.to_json()) == job


def test_questions_of_numbers_levels_and_empty_cells():
    frame = Frame(
        ("sex", "age", "code", "city"),
        [["f", "m", "female"], [1.0, None, 3.0], [1.0, 2.0, 3.0], ["Oslo", None, "Oslo"]],
    )
    X = grouped_questions(frame, Sensitive("sex", "f", nominal=("code",)))
    np.testing.assert_array_equal(X, [[1, 1, 1, 0, 0, 1], [0, 0, 0, 1, 0, 0], [1, 0, 0, 0, 1, 1]])
    many = Frame(("sex", "age"), [[0.0, 1.0] * 50, list(range(100))])
    X = grouped_questions(many, Sensitive("sex", 1, quantiles=3))
    assert X.sum(axis=0).tolist() == [50, 25, 50, 75]


def test_an_unknown_sensitive_column():
    with pytest.raises(InputError, match=r"^The table has no column 'race'\. It has: sex\.$"):
        grouped_questions(Frame(("sex",), [["f", "m"]]), Sensitive("race", "x"))


GROUP, LABELS = np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 1, 0, 1, 1, 1])
ANSWERS = np.array([0, 1, 1, 1, 0, 0, 0, 1])  # rates of group 0: 3/4, 1/2 and 1; of group 1: 1/4, 0 and 1/3


@pytest.mark.parametrize(
    ("notion", "violation", "excess"),
    [
        ("demographic parity", 1 / 2, 0.45),
        ("equal opportunity", 2 / 3, 2 / 3 - 0.05),
        ("predictive equality", 1 / 2, 0.45),
        ("equalized odds", 2 / 3, 2 / 3 - 0.05),
        ("four fifths", 2 / 3, 0.8 * 3 / 4 - 1 / 4),
    ],
)
def test_violations(notion, violation, excess):
    assert NOTIONS[notion].violation(GROUP, LABELS, ANSWERS) == pytest.approx(violation)
    assert NOTIONS[notion].excess(GROUP, LABELS, ANSWERS) == pytest.approx(excess)


def run(errors, *, proved=True, excess=0.0, cpu=1.0, bound=None):
    return Outcome(Status.PROVED if proved else Status.STOPPED, errors, None, bound, cpu, counters={"excess": excess})


def problem(**runs):
    names = {"search": "fair search", "streed": "fair STreeD", "cgh": "fair CGH"}
    return report.Problem("a", 2, "four fifths", tuple((names[name], found) for name, found in runs.items()))


def test_a_violated_constraint_and_refuted_proofs_are_contradictions():
    assert problem(search=run(5), streed=run(5)).contradictions() == []
    assert problem(search=run(5), cgh=run(7)).contradictions() == []  # proved over a sample of questions
    where = "a, depth 2, four fifths: "
    assert problem(search=run(5), streed=run(4, excess=0.1)).contradictions() == [
        where + "fair STreeD violates the constraint by 0.100000"
    ]
    assert problem(search=run(5), streed=run(4)).contradictions() == [
        where + "fair search proves 5 errors, but fair STreeD finds 4"
    ]
    assert problem(search=run(6, proved=False, bound=5.0), streed=run(4)).contradictions() == [
        where + "fair search states that no tree has under 5 errors, but fair STreeD finds 4"
    ]


def test_a_late_or_missing_proof_and_a_worse_tree_are_reported():
    where = "a, depth 2, four fifths: "
    assert problem(search=run(5)).unreached() == []
    assert problem(search=run(5, cpu=11.0)).unreached() == [where + "proved in 11.0 CPU seconds, target 10"]
    assert problem(search=run(5, proved=False), streed=run(4)).unreached() == [
        where + "the search makes 5 errors, another tree 4",
        where + "not proved",
    ]
    assert problem(streed=run(4)).unreached() == []


def test_a_notion_without_runs_has_no_table():
    found = [problem(search=run(5)), report.Problem("a", 3, "four fifths", ())]
    assert [section.title for section in report.sections(found)] == ["Depth 2, four fifths"]


def test_the_summary_compares_with_the_search():
    found = [
        problem(search=run(5, cpu=1.0), streed=run(5, cpu=4.0)),
        problem(search=run(5), streed=run(6, proved=False)),
    ]
    assert report.summary(found).rows == (
        ("2", "fair search", "2", "2", "2", "0", "0", "1.00"),
        ("2", "fair STreeD", "2", "1", "1", "1", "0", "4.00"),
    )
