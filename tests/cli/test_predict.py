"""exactree predict: answers for other rows, by column name."""

import json
from pathlib import Path

import pytest

from exactree.cli import main
from exactree.model import load, save

ANSWERS = ["no", "yes", "no", "yes", "no", "yes", "no", "yes"]  # those of people.csv


@pytest.fixture
def model(people: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A model of people.csv that makes no error."""
    assert main(["fit", "people.csv", "--target", "churn", "--drop", "id,w", "-o", "model.json", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    return "model.json"


def predict(*arguments: str) -> int:
    return main(["predict", *arguments])


def test_answers_under_the_name_of_the_target(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert predict(model, "people.csv") == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == ["churn", *ANSWERS]
    assert err == "note: the model does not use 'id', 'w'.\naccuracy 100.00 % (8 of 8 rows)\n"


def test_another_target_can_be_named(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.csv").write_text("city,zip,colour,age,left\nRome,10,red,,no\nRome,10,red,,yes\n")
    assert predict(model, "new.csv", "--target", "left") == 0
    assert capsys.readouterr() == ("left\nno\nno\n", "accuracy 50.00 % (1 of 2 rows)\n")


def test_a_model_that_does_not_name_its_target(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    save(load(model), "plain.json")
    Path("new.csv").write_text("city,zip,colour,age\nRome,10,red,\n")
    assert predict("plain.json", "new.csv") == 0
    assert capsys.readouterr() == ("prediction\nno\n", "")
    Path("new.csv").write_text("city,zip,colour,age,class\nRome,10,red,,no\n")
    assert predict("plain.json", "new.csv") == 0
    assert capsys.readouterr() == ("class\nno\n", "accuracy 100.00 % (1 of 1 row)\n")


def test_answers_without_a_target(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.csv").write_text("city,zip,colour,age\nRome,10,red,\nLima,10,blue,99\n")  # other order, an unknown city
    assert predict(model, "new.csv") == 0
    assert capsys.readouterr() == ("churn\nno\nyes\n", "")


def test_probabilities_have_one_column_per_class(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.csv").write_text("age,colour,zip,city\n30,red,10,Rome\n")
    assert predict(model, "new.csv", "--proba") == 0
    assert capsys.readouterr().out == "churn,probability no,probability yes\nno,1.0,0.0\n"


def test_to_a_file(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert predict(model, "people.csv", "-o", "answers.csv") == 0
    assert capsys.readouterr().out == ""
    assert Path("answers.csv").read_text().splitlines() == ["churn", *ANSWERS]


def test_json(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.csv").write_text("age,colour,zip,city,churn\n30,red,10,Rome,yes\n")
    assert predict(model, "new.csv", "--target", "churn", "--proba", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "classes": ["no", "yes"],
        "predictions": ["no"],
        "probabilities": [[1.0, 0.0]],
        "n_rows": 1,
        "accuracy": 0.0,
    }
    Path("new.csv").write_text("age,colour,zip,city\n30,red,10,Rome\n")
    assert predict(model, "new.csv", "--json", "-o", "answers.json") == 0
    assert json.loads(Path("answers.json").read_text()) == {
        "classes": ["no", "yes"],
        "predictions": ["no"],
        "n_rows": 1,
        "accuracy": None,
    }


def test_rows_without_a_label_are_not_counted(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.csv").write_text("age,colour,zip,city,churn\n30,red,10,Rome,no\n30,red,10,Rome,\n")
    assert predict(model, "new.csv", "--target", "churn") == 0
    assert capsys.readouterr().err == "accuracy 100.00 % (1 of 1 row; 1 row without a label left out)\n"
    Path("new.csv").write_text("age,colour,zip,city,churn\n30,red,10,Rome,\n")
    assert predict(model, "new.csv", "--target", "churn") == 0
    assert capsys.readouterr().err == ""


def test_the_column_class_is_the_target_unless_said_otherwise(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "monks-1", "-q", "-o", "monks.json"]) == 0
    assert predict("monks.json", "monks-1") == 0
    out, err = capsys.readouterr()
    assert out.startswith("class\n1\n")
    assert err == "accuracy 88.89 % (384 of 432 rows)\n"


def test_texts_that_look_like_numbers_are_found_again(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cabin and label were text when the model was fitted; the later files hold only those that look like numbers."""
    Path("cabins.csv").write_text("cabin,deck\n1,7\n2,7\n3,up\nX,up\n1,7\n3,up\n")
    assert main(["fit", "cabins.csv", "--target", "deck", "-q", "-o", "cabins.json"]) == 0
    Path("new.csv").write_text("cabin,deck\n3,7\n1,7\n2,7\n")
    assert predict("cabins.json", "new.csv") == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == ["deck", "up", "7", "7"]
    assert err == "accuracy 66.67 % (2 of 3 rows)\n"
    Path("truths.csv").write_text("cabin,deck\ntrue,a\nfalse,b\nmaybe,b\n")
    assert main(["fit", "truths.csv", "--target", "deck", "-q", "-o", "truths.json"]) == 0
    Path("new.csv").write_text("cabin\nfalse\ntrue\n")
    assert predict("truths.json", "new.csv") == 0
    assert capsys.readouterr().out == "deck\nb\na\n"


@pytest.mark.each(
    ("text", "arguments", "message"),
    [
        (
            "age,color,zip,city\n30,red,10,Rome\n",
            ["model.json", "new.csv"],
            "The table lacks the column 'colour', on which the model was fitted. Did you mean 'color'? "
            "Its columns are: 'age', 'color', 'zip', 'city'.",
        ),
        (
            "age,colour,zip,city\nold,red,10,Rome\n",
            ["model.json", "new.csv"],
            "Column 'age' held numbers when the model was fitted; now it holds categories, such as 'old'. "
            "Convert the column to numbers.",
        ),
        ("age\n1\n", ["mode.json", "new.csv"], "There is no file 'mode.json'. Did you mean 'model.json'?"),
        ("age\n1\n", ["model.json", "news.csv"], "There is no file 'news.csv'. Did you mean 'new.csv'?"),
        (
            "age\n1\n",
            ["model.json", "new.csv", "--target", "age"],
            "--target names 'age', but that is a column the model asks about.",
        ),
        (
            "age\n1\n",
            ["new.csv", "new.csv"],
            "new.csv: This is no saved model, or its end is missing: no JSON at line 1, column 1 (Expecting value).",
        ),
        (
            "age\n1\n",
            ["model.json", "new.csv", "-o", "nowhere/out.csv"],
            "--output: there is no folder 'nowhere'. Create it first or choose another.",
        ),
    ],
)
def test_errors_say_what_to_do(
    text: str, arguments: list[str], message: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("new.csv").write_text(text)
    assert predict(*arguments) == 2
    assert capsys.readouterr() == ("", f"exactree: error: {message}\n")


def test_texts_that_are_the_same_number(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("twins.csv").write_text("cabin,deck\n1,a\n1.0,b\nX,b\n")
    assert main(["fit", "twins.csv", "--target", "deck", "-q", "-o", "twins.json"]) == 0
    Path("new.csv").write_text("cabin\n1\n1.0\n")
    assert predict("twins.json", "new.csv") == 0
    assert capsys.readouterr() == ("deck\na\nb\n", "")


def test_labels_that_are_the_same_number(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("twins.csv").write_text("size,class\n1,1\n2,1.0\n3,X\n")
    assert main(["fit", "twins.csv", "-q", "-o", "twins.json"]) == 0
    Path("new.csv").write_text("size,class\n1,1\n2,1\n")
    assert predict("twins.json", "new.csv") == 0
    assert capsys.readouterr() == ("class\n1\n1.0\n", "accuracy 50.00 % (1 of 2 rows)\n")


def test_labels_that_were_numbers(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One label that is no number makes the column text; the others still count as what they are."""
    Path("sizes.csv").write_text("size,class\n1,0\n2,1\n")
    assert main(["fit", "sizes.csv", "-q", "-o", "sizes.json"]) == 0
    Path("new.csv").write_text("size,class\n1,0\n2,1\n2,unknown\n")
    assert predict("sizes.json", "new.csv") == 0
    assert capsys.readouterr().err == "accuracy 66.67 % (2 of 3 rows)\n"
