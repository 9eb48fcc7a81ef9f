"""The suites of diagrams: preprocessing, counts, selection, contradictions, and backends."""

import csv
import os
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from exactree_bench.contestants import NotAvailable, diagrams
from exactree_bench.datasets.case import Case
from exactree_bench.datasets.preprocessing import Preprocessing, preprocess
from exactree_bench.published.odd import CELLS_1, SETS, TREE
from exactree_bench.runner.job import FitConfig, Job, Layers, Match
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.results import Results
from exactree_bench.runner.run_log import RunLog
from exactree_bench.runner.runner import Runner
from exactree_bench.suites import SUITES, Settings, run_suite
from exactree_bench.suites.odd.accuracy import chosen, paired
from exactree_bench.suites.odd.plan import Run, chosen_sets, disagreements, grid
from exactree_bench.suites.odd.table1 import counts, shares

from exactree import OptimalDiagramClassifier
from exactree.cli import main
from exactree.errors import InputError
from exactree.table import Frame

FOLDER = os.environ.get("EXACTREE_DATA")
with_tables = pytest.mark.skipif(not FOLDER, reason="set EXACTREE_DATA to the folder of benchmark tables")
II, I_TREE = Layers("II", 0.1), Layers("I", 0.1, tree=True)


def run(cost, *, bound=0.0, start=None, layers=II, solver="ODD", nodes=3, right=(0.5, 0.5), name="iris"):
    """A made-up run; ``right`` are the accuracies on validation and test rows."""
    counters = {"cost": cost, "bound": bound, "nodes": nodes} | ({} if start is None else {"start_cost": start})
    for part, share in zip(("validation", "test"), right, strict=True):
        counters |= {f"{part}_rows": 100, f"{part}_errors": 100 * (1 - share)}
    status = Status.PROVED if bound == cost else Status.STOPPED
    return Run(name, 1, layers, solver, Outcome(status, errors=1, wall=1.0, counters=counters))


@with_tables
@pytest.mark.parametrize("name", ["heart-cleveland", "hepatitis", "indian-liver", "mammographic", "teaching-assistant"])
def test_sets_have_the_size_of_the_paper(name):
    case = SETS[name].case(name, 1)
    parts = [case.load(Path(FOLDER)), case.load_validation(Path(FOLDER)), case.load_test(Path(FOLDER))]
    y = np.concatenate([labels for _, labels in parts])
    assert (len(y), parts[0][0].shape[1], len(set(y.tolist()))) == (
        SETS[name].rows,
        SETS[name].columns,
        SETS[name].classes,
    )


@with_tables
@pytest.mark.parametrize(("name", "largest"), [("monks1", 278), ("spect", 212)])
def test_the_true_class_is_the_class(name, largest):
    case = replace(SETS[name].case(name, 1), split=None)
    X, y = case.load(Path(FOLDER))
    assert np.bincount(y).max() == largest
    assert X.shape == (SETS[name].rows, SETS[name].columns)


def test_there_are_54_sets_of_the_stated_range():
    assert len(SETS) == 54
    assert (min(s.rows for s in SETS.values()), max(s.rows for s in SETS.values())) == (47, 6435)
    assert (min(s.columns for s in SETS.values()), max(s.columns for s in SETS.values())) == (2, 484)


def test_rows_with_imputed_means_are_dropped():
    frame = Frame(("a", "b"), [[1.0, 2.0, 1.5, 1.5], ["u", "v", "u", "v"]])
    X, rows = preprocess(frame, Preprocessing(filled=True))
    assert (X.tolist(), rows.tolist()) == ([[1.0, 0.0], [2.0, 1.0]], [0, 1])
    original = Frame(("a",), [[None, 2.0, 1.5, 1.5]])
    X, rows = preprocess(frame, Preprocessing(dropped=("b",), complete="original.csv"), original)
    assert (X.tolist(), rows.tolist()) == ([[2.0], [1.5], [1.5]], [1, 2, 3])
    with pytest.raises(InputError, match=r"The table has 4 rows, but 'original\.csv' has 2"):
        preprocess(frame, Preprocessing(complete="original.csv"), original[:2])


def test_rows_are_split_in_the_order_of_pythons_shuffle(tables):
    case = Case("xor/1", "xor.csv", split=3, validation=0.25, preprocessing=Preprocessing())
    X, _ = replace(case, split=None).load(tables)
    order = list(range(40))
    random.Random(3).shuffle(order)
    parts = [case.load(tables)[0], case.load_validation(tables)[0], case.load_test(tables)[0]]
    assert [len(part) for part in parts] == [20, 10, 10]
    np.testing.assert_array_equal(np.concatenate(parts), X[order])


def test_a_job_with_layers_and_preprocessing_survives_serialization():
    case = SETS["cylinder-bands"].case("cylinder-bands", 2)
    match = replace(Match(case, 5, (), 60.0, part=II.label), layers=replace(II, least=0.05))
    job = Job(case, "ODD", "1", FitConfig(5, 60.0, layers=match.layers), part=match.part)
    assert Job.from_json(job.to_json()) == job


def test_table_1_counts_proofs_before_improvements():
    found = [run(3.0, bound=3.0, start=4.0), run(3.0, start=4.0), run(3.0, start=3.0), run(2.0, bound=2.0, start=2.0)]
    counted = counts(found)
    assert {name: counted[name] for name in ("runs", "proved", "improved", "same", "better than step 1")} == {
        "runs": 4,
        "proved": 2,
        "improved": 1,
        "same": 1,
        "better than step 1": 2,
    }
    assert shares(counts([run(3.0, bound=3.0), run(3.0)])) == ("2", "1 (50 %)", "-", "-", "-")
    assert sum(cell.proved for cell in CELLS_1.values()) == 4356
    assert CELLS_1[TREE, 0.01].improved == 30


def test_contradictions_are_found():
    assert disagreements([run(3.0, bound=3.0), run(3.0, solver="diagram search")]) == []
    assert disagreements([run(3.0, bound=3.0), run(2.5, solver="diagram search")]) == [
        "iris/1 II 0.1 univariate: ODD has the lower bound 3, but diagram search costs 2.5"
    ]
    assert disagreements([run(3.0, start=2.0)]) == [
        "iris/1 II 0.1 univariate, ODD: costs 3, but its warm start costs 2"
    ]
    tree, diagram = run(2.0, layers=I_TREE), run(3.0, bound=3.0, layers=replace(I_TREE, tree=False))
    assert disagreements([tree, diagram]) == ["iris/1 I 0.1 univariate: ODD has the lower bound 3, but a tree costs 2"]
    # The other way round nothing is wrong: a diagram may well be cheaper than every tree.
    assert disagreements([replace(tree, outcome=run(3.0, bound=3.0).outcome), run(2.0, layers=diagram.layers)]) == []


def test_models_are_selected_on_validation_rows():
    good, small = run(3.0, right=(0.9, 0.1), nodes=5), run(9.0, right=(0.9, 0.2), nodes=2, layers=Layers("IV", 0.5))
    assert chosen([good, small, run(1.0, right=(0.8, 1.0), layers=Layers("I", 0.5))]) is small
    # Of two solvers of one problem the cheaper diagram counts, however it does on the validation rows.
    cheaper = run(2.0, right=(0.7, 0.3), solver="diagram search")
    assert chosen([good, cheaper]) is cheaper
    pair = paired([good, run(2.0, bound=2.0, layers=I_TREE)])[0]
    assert (pair.tree.layers, pair.solved) == (I_TREE, False)
    assert paired([run(3.0, bound=3.0), run(2.0, bound=2.0, layers=I_TREE)])[0].solved
    assert not paired([run(3.0, bound=3.0, nodes=1), run(2.0, bound=2.0, layers=I_TREE)])[0].solved


def test_selection_of_runs(tmp_path):
    settings = Settings(tmp_path, tmp_path)
    n_runs = len(grid(settings)) * len(chosen_sets(settings)) * 5
    assert n_runs * 2 == 13_500, "for both kinds of questions"
    assert len(grid(replace(settings, splits=("univariate", "multivariate")))) == 50
    few = replace(settings, sets=("smallest2", "wine"), alphas=(0.5,), skeletons=("tree", "IV"))
    assert chosen_sets(few) == ["soybean-small", "echocardiogram", "wine"]
    assert grid(few) == [Layers("I", 0.5, tree=True), Layers("IV", 0.5)]
    for wrong, message in (
        ({"sets": ("iriss",)}, "--sets names 'iriss', which is not in this suite. Did you mean 'iris'?"),
        ({"skeletons": ("V",)}, "--skeletons names 'V'. Expected some of I, II, III, IV, tree."),
        ({"splits": ("both",)}, "--splits names 'both'. Expected some of univariate, multivariate."),
    ):
        with pytest.raises(InputError) as error:
            SUITES["odd-table1"].plan(replace(settings, **wrong), Results([], RunLog(tmp_path / "none.csv")))
        assert str(error.value) == message


def test_structures_are_recorded_and_rebuilt():
    X = [[a, b] for a in (0, 1) for b in (0, 1)]
    estimator = diagrams.maker("exhaustive")(FitConfig(2, 5.0)).fit(X, [0, 1, 1, 0])
    assert isinstance(estimator, OptimalDiagramClassifier)
    result = diagrams.fit_result(estimator)
    assert (result.proved, result.claimed, result.counters["cost"], result.counters["nodes"]) == (True, None, 0.0, 3.0)
    again = diagrams.rebuild_graph(diagrams.extra_counters(estimator, (X, [0, 1, 1, 0]), None))
    for name in ("yes", "no", "rows", "label"):
        np.testing.assert_array_equal(getattr(again, name), getattr(estimator.diagram_, name))
    with pytest.raises(NotAvailable, match="has no solver 'magic' for diagrams"):
        diagrams.maker("magic")(FitConfig(2, 5.0))
    config = FitConfig(5, 7.0, memory=10**9, layers=replace(II, least=0.2, multivariate=True))
    asked = diagrams.maker("exhaustive")(config).get_params()
    assert (asked["widths"], asked["min_samples_node"], asked["time_limit"]) == ((1, 2, 4, 4, 4), 0.2, 7.0)
    assert asked["multivariate"]


ANSWER = """
import random
case, layers = job["case"], job["config"]["layers"]
rng = random.Random(f"{case['name']} {job['part']}")
cost = rng.randrange(20, 40)
proved = rng.random() < 0.5
counters = {"cost": cost, "bound": cost if proved else 0, "nodes": 3, "start_cost": cost + rng.randrange(2)}
counters |= {"validation_rows": 10, "validation_errors": rng.randrange(5)}
counters |= {"test_rows": 10, "test_errors": rng.randrange(5)}
shape = [(1, 2, 20, 0), (2, 3, 12, 0), (3, 4, 15, 1), (-1, -1, 9, 0), (-1, -1, 11, 1)]
for at, node in enumerate(shape):
    counters |= {f"{name}{at}": value for name, value in zip(("yes", "no", "rows", "label"), node)}
print("started", flush=True)
print(json.dumps({"status": "proved" if proved else "time limit", "errors": 1, "wall": 0.1, "counters": counters}))
"""


@pytest.mark.parametrize("suite", ["odd-table1", "odd-table2", "odd-accuracy"])
def test_a_suite_reports_and_resumes(suite, tmp_path, fake_worker, progress):
    fake_worker(ANSWER)
    (tmp_path / "uci").mkdir()
    for name in ("iris", "wine"):
        (tmp_path / "uci" / f"{name}.csv.gz").touch()  # only looked for: the worker is a stand-in
    settings = Settings(
        tmp_path, tmp_path / "out", jobs=4, sets=("iris", "wine"), seeds=(1,), alphas=(0.1,), skeletons=("I", "tree")
    )
    report = run_suite(SUITES[suite], settings, progress)
    expected = {"odd-table1": 2 * 2 * 2, "odd-accuracy": 2 * 2 * 2, "odd-table2": 5 * 2 * 2}[suite]
    assert (len(progress.started), progress.known) == (expected, [])
    assert all(len(section.header) == len(row) for section in report.sections for row in section.rows)
    assert all(section.rows for section in report.sections)
    assert report.unreached == ()
    again = run_suite(SUITES[suite], settings, progress)
    assert (len(progress.started), len(progress.known)) == (expected, expected)
    assert again.sections == report.sections
    if suite == "odd-accuracy":
        assert (tmp_path / "out" / "odd-fragmentation-univariate.svg").is_file()


def test_a_missing_solver_is_reported(tmp_path, fake_worker, progress):
    fake_worker("print('started')\nprint(json.dumps({'status': 'not available', 'reason': 'no such solver'}))\n")
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci" / "iris.csv.gz").touch()
    settings = Settings(tmp_path, tmp_path, sets=("iris",), seeds=(1,), alphas=(0.1,), skeletons=("I",))
    with pytest.raises(InputError, match=r"Nothing ran .* no contestant is available \(.*ODD: no such solver"):
        run_suite(SUITES["odd-table1"], settings, progress)


def test_joblib_runs_fits_and_repeats_short_ones(tables, run_log_path, progress, match, fake_worker):
    fake_worker(
        "wall = {'xor': 0.1, 'coins': 9.0}[job['case']['name']]\n"
        "print('started')\nprint(json.dumps({'status': 'proved', 'errors': 0, 'wall': wall}))\n"
    )
    matches = [match("xor", repeats=2), match("coins", repeats=2)]
    Runner(tables, RunLog(run_log_path), progress, "threading").run(matches, workers=2)
    with run_log_path.open(newline="") as file:
        rows = [(row["set"], row["repeat"], row["status"]) for row in csv.DictReader(file)]
    assert sorted(rows) == [("coins", "0", "proved"), ("xor", "0", "proved"), ("xor", "1", "proved")]
    assert progress.left_out == [("coins", "exactree", 1)]
    Runner(tables, RunLog(run_log_path), progress, "threading").run(matches, workers=2)
    assert len(progress.known) == 3


def test_remote_workers_that_die_are_failed_jobs(tables, run_log_path, progress, match, fake_worker):
    fake_worker("sys.exit(7)")
    Runner(tables, RunLog(run_log_path), progress, "threading").run([match("xor")])
    assert "failed" in run_log_path.read_text()
    assert "ended with code 7" in run_log_path.read_text()


def test_unknown_and_missing_backends(tables, run_log_path, progress, monkeypatch):
    with pytest.raises(InputError, match=r"--backend is 'slurm'\. Expected one of loky, threading, dask, ray\."):
        Runner(tables, RunLog(run_log_path), progress, "slurm")

    def absent(name):
        raise ModuleNotFoundError(f"No module named {name.split('.')[0]!r}")

    monkeypatch.setattr("exactree_bench.runner.cluster.client.importlib.import_module", absent)
    for name, package in (("dask", r"dask\[distributed\]"), ("ray", "ray")):
        with pytest.raises(InputError, match=f"--backend {name} needs a package: pip install '{package}'"):
            Runner(tables, RunLog(run_log_path), progress, name)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["dl85-table2", "--seeds", "1"],
            "--seeds does not apply to the suite 'dl85-table2', only to cgh-table3, odd-table1, odd-",
        ),
        (["xct", "--alphas", "0.1"], "--alphas does not apply to the suite 'xct'"),
        (["xct", "--skeletons", "I"], "--skeletons does not apply to the suite 'xct'"),
        (["odd-table1", "--depths", "2"], "--depths does not apply to the suite 'odd-table1'"),
        (["odd-table1", "--sets", "smallest1", "--backend", "slurm"], "--backend is 'slurm'. Expected one of loky"),
    ],
)
def test_options_of_other_suites_are_refused(tables, arguments, message, capsys):
    assert main(["bench", *arguments, "--data", str(tables), "-o", str(tables / "out")]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong",
    [
        ["--seeds", "one"],
        ["--seeds", "3-1"],
        ["--seeds", "-1"],
        ["--alphas", "-1"],
        ["--alphas", "a"],
        ["--alphas", "inf"],
    ],
)
def test_lists_of_numbers_are_checked(wrong, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["bench", "odd-table1", *wrong])
    assert "such as" in capsys.readouterr().err


def test_starts_per_second(tmp_path):
    settings = Settings(tmp_path, tmp_path, repeats=1, sets=("0/1 columns",))
    suite = SUITES["odd-starts"]
    matches = suite.plan(settings, None)
    assert [match.layers.skeleton for match in matches] == ["I", "II", "III", "IV"]
    run_log = RunLog(tmp_path / "runs.csv", fresh=True)
    for match in matches:
        for job in match.jobs():
            cpu = 2.0 if job.config.layers.skeleton == "I" else 10.0
            run_log.add(job, Outcome(Status.STOPPED, errors=1, cpu=cpu, wall=cpu, counters={"starts": 1000.0}))
    report = suite.report(settings, Results(matches, run_log))
    assert report.sections[0].rows[0] == ("0/1 columns", "I", "1000", "2.00", "500")
    assert report.unreached[0] == "0/1 columns, skeleton II: 100 diagrams per second"
    assert len(report.unreached) == 3
