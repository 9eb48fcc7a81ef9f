"""exactree fit: what it prints, what it writes, how it ends, what it says when something is wrong."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import exactree
from exactree.cli import main, training
from exactree.model import About, load, load_about

COLUMNS = "The columns are: 'id', 'age', 'colour', 'zip', 'city', 'w', 'churn'."


def fit(*arguments: str) -> int:
    return main(["fit", *arguments])


def error_of(capsys: pytest.CaptureFixture[str]) -> str:
    """The one message of a failed command; nothing else was printed."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("exactree: error: ")
    assert err.count("\n") == 1
    return err.removeprefix("exactree: error: ").rstrip("\n")


def test_text_and_missing_cells_as_they_are(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit("people.csv", "--target", "churn", "--drop", "id,zip,w", "--max-depth", "2") == 0
    out, err = capsys.readouterr()
    assert err == ""
    tree, verdict, summary = out.rstrip("\n").rsplit("\n", 2)
    assert tree.splitlines() == [
        "age <= 43 or missing",
        "├─ yes: colour is blue",
        "│       ├─ yes: yes   1 row    100.0 % right",
        "│       └─ no:  no    4 rows   100.0 % right",
        "└─ no:  yes           3 rows   100.0 % right",
    ]
    assert verdict == "proved optimal: no allowed tree costs less than 0."
    assert summary.startswith("training accuracy 100.00 % (8 of 8 rows), 3 leaves, depth 2, ")


def test_files_are_written_and_named(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit("people.csv", "--target", "churn", "-o", "model.json", "--svg", "tree.svg") == 0
    assert capsys.readouterr().out.endswith("wrote model.json\nwrote tree.svg\n")
    assert load("model.json").classes.tolist() == ["no", "yes"]
    assert ElementTree.parse("tree.svg").getroot().tag.endswith("svg")


def test_json_is_one_object(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit("people.csv", "--target", "churn", "--max-depth", "0", "--json", "-o", "model.json") == 0
    result = json.loads(capsys.readouterr().out)
    assert 0 < result.pop("seconds") < 60
    assert result == {
        "status": "optimal",
        "proved": True,
        "cost": 4.0,
        "lower_bound": 4.0,
        "gap": 0.0,
        "n_leaves": 1,
        "depth": 0,
        "accuracy": 0.5,
        "n_rows": 8,
        "target": "churn",
        "thresholds": "all",
        "scope": None,
        "sample": None,
        "sample_lower_bound": None,
        "tree": "no   8 rows    50.0 % right",
        "allowed": "trees of depth 0 at most; all questions about 6 columns",
        "constraints": [],
        "reason": "",
        "paths": {"model": "model.json", "svg": None},
    }


def test_quiet_prints_nothing(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit("people.csv", "--target", "churn", "--quiet", "--progress", "-o", "model.json") == 0
    assert capsys.readouterr() == ("", "")
    assert Path("model.json").is_file()


def test_progress_goes_to_stderr(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit("people.csv", "--target", "churn", "--progress") == 0
    header, *_, last = capsys.readouterr().err.splitlines()
    assert header.split() == ["seconds", "cost", "bound", "gap"]
    assert last.split()[1:] == ["0", "0", "0.0", "%"]


def test_a_data_set_by_name_needs_no_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert fit("monks-1", "--max-depth", "3") == 0
    assert "proved optimal: no allowed tree costs less than 48.\n" in capsys.readouterr().out


def test_a_limit_that_ends_the_search_is_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert fit("digits", "--max-depth", "5", "--time-limit", "0.2", "--json") == 3
    result = json.loads(capsys.readouterr().out)
    assert (result["status"], result["proved"]) == ("time_limit", False)
    assert result["lower_bound"] < result["cost"]
    assert result["gap"] > 0


def test_not_proved_reports_cost_bound_and_gap(capsys: pytest.CaptureFixture[str]) -> None:
    assert fit("digits", "--max-depth", "5", "--time-limit", "0.2") == 3
    out = capsys.readouterr().out
    assert "not proved (stopped by the time limit): " in out
    assert " errors" in out
    assert "proved optimal" not in out


def test_fewer_thresholds_are_part_of_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert fit("iris", "--max-depth", "1", "--thresholds", "quantiles(3)") == 0
    assert (
        "proved optimal: no allowed tree among those with thresholds quantiles(3) costs less than 50."
        in capsys.readouterr().out
    )


def test_thresholds_of_sampled_trees(capsys: pytest.CaptureFixture[str]) -> None:
    assert fit("iris", "--max-depth", "1", "--thresholds", "sampled(20)") == 0
    verdict = "proved optimal: no allowed tree among those with thresholds sampled(20) costs less than 50."
    assert verdict in capsys.readouterr().out


def test_a_proof_over_a_sample_is_not_called_optimal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(tmp_path / "model.json")
    command = ("breast-cancer", "--max-depth", "2", "--solver", "column-generation", "-o", model)
    assert fit(*command) == 3
    said = (
        "optimal over a sample only: no tree with questions sampled for each branch costs less than 23; lower bound "
        "over all allowed trees 0, gap 100.0 %."
    )
    assert said in capsys.readouterr().out
    assert main(["show", model]) == 0
    assert said in capsys.readouterr().out
    assert main(["show", model, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["status"], found["proved"], found["lower_bound"]) == ("optimal_over_sample", False, 0.0)
    assert (found["sample"], found["sample_lower_bound"]) == ("with questions sampled for each branch", 23.0)


def result_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert fit(*arguments, "--json") == 0
    result: dict[str, object] = json.loads(capsys.readouterr().out)
    return result


def test_parameters_reach_the_search(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = ("people.csv", "--target", "churn", "--drop", "id")
    assert result_of(capsys, *base, "--max-leaf-nodes", "2")["n_leaves"] == 2
    assert result_of(capsys, *base, "--min-samples-leaf", "5")["n_leaves"] == 1
    assert result_of(capsys, *base, "--min-samples-leaf", "0.6")["n_leaves"] == 1
    assert result_of(capsys, *base, "--min-weight-fraction-leaf", "0.4")["n_leaves"] == 2
    # three leaves and no error
    assert result_of(capsys, *base, "--ccp-alpha", "0.1")["cost"] == pytest.approx(3 * 0.1 * 8)
    assert result_of(capsys, *base, "--solver", "exhaustive", "--max-depth", "1")["cost"] == 1
    assert result_of(capsys, *base, "--time-limit", "none", "--memory-limit", "1GB", "--seed", "3")["cost"] == 0


def test_weights_and_class_weights(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = ("people.csv", "--target", "churn", "--drop", "id", "--max-depth", "0")
    assert result_of(capsys, *base, "--weights", "w")["cost"] == 5  # no: 1 + 2 + 1 + 1, yes: 1 + 1 + 1 + 3
    assert result_of(capsys, *base, "--class-weight", "yes=10,no=2")["cost"] == 8
    assert result_of(capsys, *base, "--class-weight", "balanced")["cost"] == 4
    assert result_of(capsys, *base, "--objective", "balanced_accuracy")["cost"] == 4


def test_codes_can_be_declared_categories(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    others = "id,age,colour,city,w"
    tree = result_of(capsys, "people.csv", "--target", "churn", "--drop", others, "--categorical", "zip")["tree"]
    assert "zip is 10" in str(tree)
    assert "<=" not in str(tree)


def test_other_texts_for_missing(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("people.csv").read_text()
    Path("marked.csv").write_text(text.replace("NA", "?"))
    fit(
        "marked.csv",
        "--target",
        "churn",
        "--drop",
        "id,colour,zip,city,w",
        "--missing",
        "?,unknown",
        "--max-depth",
        "1",
    )
    assert "age <= 43 or missing" in capsys.readouterr().out


def test_tables_of_other_kinds(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("people.csv").read_text().replace('"Oslo, N"', "Oslo")
    Path("people.tsv").write_text(text.replace(",", "\t"))
    Path("semicolon.csv").write_text(text.replace(",", ";"))
    assert fit("people.tsv", "--target", "churn") == 0
    assert fit("semicolon.csv", "--target", "churn", "--delimiter", ";") == 0
    capsys.readouterr()
    assert fit("semicolon.csv", "--target", "churn") == 2
    assert error_of(capsys).endswith(
        "'id;age;colour;zip;city;w;churn'. Say so: delimiter=';' in Python, --delimiter ';' on the command line."
    )


def test_a_tab_can_be_spelled(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("tabs.csv").write_text("age\tclass\n30\tno\n40\tyes\n")
    assert fit("tabs.csv", "--delimiter", "\\t") == 0
    assert fit("tabs.csv", "--delimiter", "tab") == 0
    capsys.readouterr()
    assert fit("tabs.csv") == 2
    assert error_of(capsys).endswith(r"Say so: delimiter='\t' in Python, --delimiter '\t' on the command line.")


def test_a_column_without_a_name_is_used_only_if_it_gets_one(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("indexed.csv").write_text(",age,class\n0,30,no\n1,40,yes\n")
    assert fit("indexed.csv") == 2
    assert error_of(capsys) == (
        "Column 1 of indexed.csv has no name, as when pandas writes its row numbers. "
        "Leave it out with --drop '' or give it a name in the first line."
    )
    assert fit("indexed.csv", "--drop", "") == 0
    assert capsys.readouterr().out.startswith("age <= 35\n")


def test_a_note_on_text_that_names_the_row(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("named.csv").write_text("name,class\nAnn,no\nBob,yes\nCem,no\n")
    assert fit("named.csv") == 0
    note = "note: the tree asks about 'name', which differs in every row. If it only names the row, use --drop.\n"
    assert capsys.readouterr().err == note
    assert fit("named.csv", "-q") == 0
    assert capsys.readouterr().err == ""


def test_a_note_on_numbers_that_a_mark_made_text(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("marked.csv").write_text("age,class\n30,no\n?,no\n30,no\n40,yes\n40,yes\n?,no\n")
    assert fit("marked.csv") == 0
    out, err = capsys.readouterr()
    assert out.startswith("age is 40\n")
    assert err == "note: 'age' is taken as text because of '?'. If that means missing, use --missing 'NA,?'.\n"
    assert fit("marked.csv", "--missing", "NA,?") == 0
    out, err = capsys.readouterr()
    assert out.startswith("age <= 35 or missing\n")
    assert err == ""


def test_the_saved_model_says_what_was_proved(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit("people.csv", "--target", "churn", "--max-depth", "0", "-q", "-o", "model.json") == 0
    assert load_about("model.json") == About("churn", "optimal", 4.0, 4.0, "all", exactree.__version__)
    assert fit("iris", "--max-depth", "1", "--thresholds", "quantiles", "-q", "-o", "model.json") == 0
    assert load_about("model.json") == About("class", "optimal", 50.0, 50.0, "quantiles(10)", exactree.__version__)
    assert fit("digits", "--max-depth", "5", "--time-limit", "0.2", "-q", "-o", "model.json") == 3
    about = load_about("model.json")
    assert about is not None
    assert about.status == "time_limit"
    assert about.lower_bound < about.cost


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["people.csv"], f"Which column is to be predicted? Say it with --target NAME. {COLUMNS}"),
        (
            ["people.csv", "--target", "Churn"],
            f"--target names 'Churn', but there is no such column. Did you mean 'churn'? {COLUMNS}",
        ),
        (
            ["people.csv", "--target", "churn", "--weights", "weight"],
            f"--weights names 'weight', but there is no such column. {COLUMNS}",
        ),
        (
            ["people.csv", "--target", "churn", "--drop", "id,color"],
            f"--drop names 'color', but there is no such column. Did you mean 'colour'? {COLUMNS}",
        ),
        (
            ["people.csv", "--target", "churn", "--categorical", "zap"],
            f"--categorical names 'zap', but there is no such column. Did you mean 'zip'? {COLUMNS}",
        ),
        (
            ["people.csv", "--target", "churn", "--drop", "churn"],
            "'churn' is the column to predict, so it can be neither dropped nor the weights.",
        ),
        (
            ["people.csv", "--target", "churn", "--drop", "id,age,colour,zip,city,w"],
            "No column is left to ask about: people.csv has 'id', 'age', 'colour', 'zip', 'city', 'w', 'churn'.",
        ),
        (
            ["people.csv", "--target", "age"],
            "The target column 'age' is empty in 2 rows, first in row 1, counting from 0 below the header. "
            "Every row needs a label: remove those rows.",
        ),
        (
            ["people.csv", "--target", "churn", "--weights", "city"],
            "--weights names 'city', which holds 'Paris'. Weights are numbers; name another column.",
        ),
        (["header.csv"], "'header.csv' has names of columns, but no rows below them."),
        (
            ["people.csv", "--target", "churn", "--svg", "tree.png"],
            "--svg writes SVG, but 'tree.png' does not end in .svg. Name it 'tree.svg'.",
        ),
        (
            ["people.csv", "--target", "churn", "--class-weight", "maybe=2"],
            "--class-weight names 'maybe', which is not a label. The labels are: no, yes.",
        ),
        (["peple.csv", "--target", "churn"], "There is no file 'peple.csv'. Did you mean 'people.csv'?"),
        (["zzz.parquet"], "There is no file 'zzz.parquet'. This folder has: people.csv."),
        (["nowhere/people.csv"], "There is no folder 'nowhere', so no file 'nowhere/people.csv'. Check the path."),
        (["./"], "'.' is a folder. Name a file in it: people.csv."),
        (
            ["people"],
            "There is no data set named 'people', and no such file. Did you mean 'people.csv'? "
            "See all names with exactree.datasets.names() or the command 'exactree datasets'.",
        ),
        (
            ["people.csv", "--target", "churn", "-o", "nowhere/model.json"],
            "--output: there is no folder 'nowhere'. Create it first or choose another.",
        ),
        (["people.csv", "--target", "churn", "--svg", "."], "--svg: '.' is a folder. Name a file in it."),
        (["people.csv", "--target", "churn", "--max-depth", "-1"], "max_depth must be 0 or more; got -1."),
        (
            ["people.csv", "--target", "churn", "--solver", "magic"],
            "Unknown solver 'magic'; choose one of auto, binoct, column-generation, dl8, dl85, "
            "exhaustive, flow-oct, oct, search, xct.",
        ),
    ],
)
def test_errors_say_what_to_do(
    arguments: list[str], message: str, people: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "header.csv" in arguments:
        Path("header.csv").write_text("age,class\n")
    assert fit(*arguments) == 2
    assert error_of(capsys) == message


def test_a_file_that_may_not_be_written(
    people: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)  # as root everything may be written
    assert fit("people.csv", "--target", "churn", "-o", "model.json") == 2
    assert error_of(capsys) == (
        "--output: 'model.json' may not be written. Choose another file or change its permissions."
    )


def test_the_verdict_speaks_of_the_worst_leaf(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where it decides: on stdout, in the file, in the lines of progress, and as a number for machines."""
    asked = ["balance-scale", "--max-depth", "2", "--objective", "leaf_accuracy"]
    assert fit(*asked, "--progress", "-o", "model.json") == 0
    out, err = capsys.readouterr()
    about = load_about("model.json")
    assert about is not None
    cost = about.cost
    expected = f"proved optimal: in no allowed tree is the worst leaf more than {100 * (1 - cost):.6g} % right.\n"
    assert expected in out
    assert "costs less" not in out
    assert err.splitlines()[0].split() == ["seconds", "worst", "leaf", "at", "most", "gap"]
    assert f"{100 * (1 - cost):.6g} %" in err.splitlines()[-1]
    assert main(["show", "model.json"]) == 0
    assert expected in capsys.readouterr().out
    assert fit(*asked, "--json", "-q") == 0
    assert json.loads(capsys.readouterr().out)["cost"] == cost


def test_the_time_limit_includes_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    now, limits = [50.0], []
    real_read, real_fit = training.read_task, training.fit

    def slow(options):  # type: ignore[no-untyped-def]
        now[0] += 12.0
        return real_read(options)

    def record(estimator, *args):  # type: ignore[no-untyped-def]
        limits.append(estimator.time_limit)
        return real_fit(estimator, *args)

    monkeypatch.setattr(training, "read_task", slow)
    monkeypatch.setattr(training, "fit", record)
    monkeypatch.setattr("exactree.cli.fit.time.monotonic", lambda: now[0])
    for typed in ("60", "5", "none"):
        main(["fit", "monks-1", "--max-depth", "1", "--quiet", "--time-limit", typed])
    assert limits == [48.0, 0.0, None]


@pytest.mark.parametrize("seed", [[], ["--seed", "3"]])
def test_the_seed_reaches_the_estimator(seed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = []
    real = training.fit

    def record(estimator, *args):  # type: ignore[no-untyped-def]
        seeds.append(estimator.random_state)
        return real(estimator, *args)

    monkeypatch.setattr(training, "fit", record)
    assert main(["fit", "monks-1", "--max-depth", "1", "--quiet", *seed]) == 0
    assert seeds == [int(seed[1]) if seed else None]


def test_another_seed_samples_other_thresholds(capsys: pytest.CaptureFixture[str]) -> None:
    for seed in ("1", "2"):
        main(["fit", "breast-cancer", "--max-depth", "2", "--thresholds", "sampled(9)", "--json", "--seed", seed])
    names = [json.loads(line)["thresholds"] for line in capsys.readouterr().out.splitlines()]
    assert len(set(names)) == 2
    assert all(name.startswith("sampled(trees=9, seed=") for name in names)


def test_names_with_underscores(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["fit", "monks-1", "--max-depth", "2", "--quiet"]
    assert main([*arguments, "--solver", "flow_oct", "--thresholds", "class_changes", "--max-gap", "1"]) in (0, 3)
    assert main([*arguments, "--objective", "leaf-accuracy", "--progress"]) == 0
    assert main([*arguments, "--solver", "flow oct"]) == 2
    assert "choose one of auto, binoct, column-generation, dl8, dl85, exhaustive, flow-oct" in capsys.readouterr().err
