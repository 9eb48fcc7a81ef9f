"""Hybrid trees as files: what comes back, what a file may name, and what is refused before anything is run."""

import io
import json
import pickle
import zipfile
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from exactree import HybridTreeClassifier, OptimalTreeClassifier, load_hybrid, save_hybrid
from exactree.errors import FormatError, InputError
from exactree.estimators.hybrid.known_classes import KnownClasses
from exactree.estimators.hybrid.saved import HEAD, MODELS, TREE, read_hybrid

MODELS_IN_LEAVES = {
    "boosting": HistGradientBoostingClassifier(max_iter=5),
    "older boosting": GradientBoostingClassifier(n_estimators=3),
    "forest": RandomForestClassifier(n_estimators=3),
    "extra trees": ExtraTreesClassifier(n_estimators=3),
    "tree": DecisionTreeClassifier(max_depth=2),
    "linear": LogisticRegression(),
    "descent": SGDClassifier(),
    "network": MLPClassifier(hidden_layer_sizes=(3,), max_iter=20),
    "network that stops early": MLPClassifier(hidden_layer_sizes=(3,), max_iter=20, early_stopping=True),
    "kernel": SVC(),
    "linear kernel": LinearSVC(),
    "neighbours": KNeighborsClassifier(),
    "Bayes": GaussianNB(),
    "search": GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
}


@pytest.fixture(autouse=True)
def _quietly(recwarn):
    """Networks of this size do not converge."""


def rows():
    X, y = make_classification(200, n_features=5, flip_y=0.2, random_state=0)
    return X, np.array(["no", "yes"])[y]


def fitted(leaf_estimator=None, **options):
    tree = OptimalTreeClassifier(max_depth=1, **options)
    model = LogisticRegression() if leaf_estimator is None else leaf_estimator
    return HybridTreeClassifier(tree, model, keep="always", random_state=0).fit(*rows())


def rewritten(path: Path, **parts: bytes) -> None:
    """Write an archive again with some parts replaced, and the checksums that belong to them."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(content[HEAD])
    names = {"models": MODELS, "tree": TREE}
    for part, new in parts.items():
        content[names[part]] = new
        head["sha256"][names[part]] = sha256(new).hexdigest()
    content[HEAD] = json.dumps(head).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)


@pytest.mark.parametrize("name", MODELS_IN_LEAVES)
def test_a_hybrid_comes_back(name, tmp_path):
    hybrid = fitted(MODELS_IN_LEAVES[name])
    assert any(model is not None for model in hybrid.leaf_models_.values())
    save_hybrid(hybrid, tmp_path / "hybrid.zip")
    X, _ = rows()
    same = load_hybrid(tmp_path / "hybrid.zip")
    assert (same.predict(X) == hybrid.predict(X)).all()
    assert same.scope_ == hybrid.scope_ == hybrid.tree_estimator_.scope_
    assert str(same.report_) == str(hybrid.report_)


@pytest.mark.parametrize("model", [LogisticRegression(), None], ids=["linear", "boosting, the default"])
def test_categories_and_empty_cells(model, tmp_path):
    X, y = rows()
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["kind"] = pd.Categorical(np.where(X[:, 1] > 0, "up", "down"))
    frame.loc[::7, "a"] = np.nan
    hybrid = HybridTreeClassifier(OptimalTreeClassifier(max_depth=1), model, keep="always").fit(frame, y)
    save_hybrid(hybrid, tmp_path / "hybrid.zip")
    assert (load_hybrid(tmp_path / "hybrid.zip").predict(frame) == hybrid.predict(frame)).all()


def test_encoders_in_a_pipeline_of_the_user(tmp_path):
    X, y = rows()
    frame = pd.DataFrame({"x": X[:, 0], "kind": np.where(X[:, 1] > 0, "up", "down")})
    columns = make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough")
    model = make_pipeline(columns, LogisticRegression())
    hybrid = HybridTreeClassifier(OptimalTreeClassifier(max_depth=1), model, keep="always").fit(frame, y)
    save_hybrid(hybrid, tmp_path / "hybrid.zip")
    assert (load_hybrid(tmp_path / "hybrid.zip").predict(frame) == hybrid.predict(frame)).all()


def test_what_is_known_without_reading_models(tmp_path):
    hybrid = fitted()
    save_hybrid(hybrid, tmp_path / "hybrid.zip")
    rewritten(tmp_path / "hybrid.zip", models=b"no pickle at all")
    saved = read_hybrid(tmp_path / "hybrid.zip")
    assert saved.graph.same_as(hybrid.tree_)
    assert str(saved.report) == str(hybrid.report_)
    assert saved.differences() == []
    with pytest.raises(FormatError, match=r"leaf models of .* cannot be read here"):
        saved.models()


def test_equal_models_are_equal_files(tmp_path):
    hybrid = fitted()
    for name in ("a.zip", "b.zip"):
        save_hybrid(hybrid, tmp_path / name)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def touched(path):
    """Stand for harm: it leaves a file behind."""
    Path(path).touch()


class Harm:
    def __init__(self, called, *arguments):
        self.reduced = called, arguments

    def __reduce__(self):
        return self.reduced


@pytest.mark.parametrize("called", [touched, open, exec, np.load, np.memmap, io.FileIO, pickle.loads])
def test_a_file_does_not_choose_what_is_called(called, tmp_path):
    save_hybrid(fitted(), tmp_path / "hybrid.zip")
    rewritten(tmp_path / "hybrid.zip", models=pickle.dumps(Harm(called, str(tmp_path / "harm"), "w")))
    with pytest.raises(FormatError, match="which is no class of exactree, scikit-learn, XGBoost or NumPy"):
        load_hybrid(tmp_path / "hybrid.zip")
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize(
    "named",
    [
        ("sklearn.utils.validation", "warnings.warn"),  # through what a module imported
        ("sklearn.utils.validation", "joblib"),
        ("sklearn.datasets", "load_files"),
        ("sklearn.utils.validation", "check_is_fitted"),
        ("sklearn.base", "clone"),
        ("functools", "reduce"),
        ("exactree.mip.process.solver_process", "SolverProcess"),
        ("exactree.estimators.hybrid.saved", "Path"),
        ("builtins", "eval"),
        ("builtins", "getattr"),
        ("os", "system"),
        ("numpy", "fromfile"),
        ("copyreg", "add_extension"),
    ],
)
def test_names_that_are_refused(named):
    with pytest.raises(FormatError, match="which is no class"):
        KnownClasses(Path("hybrid.zip"), b"").find_class(*named)


def test_functions_of_the_user_need_trust(tmp_path):
    hybrid = fitted(make_pipeline(FunctionTransformer(np.abs), LogisticRegression()))
    save_hybrid(hybrid, tmp_path / "hybrid.zip")
    with pytest.raises(FormatError, match=r"names numpy\S*\.\S+, which is no class .* trusted=True"):
        load_hybrid(tmp_path / "hybrid.zip")
    X, _ = rows()
    assert (load_hybrid(tmp_path / "hybrid.zip", trusted=True).predict(X) == hybrid.predict(X)).all()


def test_a_file_that_was_changed(tmp_path):
    path = tmp_path / "hybrid.zip"
    save_hybrid(fitted(), path)
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text.replace(b"optimal", b"OPTIMAL") if name == MODELS else text)
    with pytest.raises(FormatError, match=r"was changed after it was saved: hybrid.pickle does not match its checksum"):
        load_hybrid(path)


def test_models_of_another_tree(tmp_path):
    path = tmp_path / "hybrid.zip"
    save_hybrid(fitted(), path)
    other = HybridTreeClassifier(OptimalTreeClassifier(max_depth=0), LogisticRegression(), keep="always").fit(*rows())
    rewritten(path, models=pickle.dumps(other))
    with pytest.raises(FormatError, match="its models belong to another tree"):
        load_hybrid(path)


def test_files_that_are_no_hybrids(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n")
    with pytest.raises(FormatError, match="is no hybrid that exactree saved"):
        load_hybrid(table)
    archive = tmp_path / "other.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("readme.txt", "hello")
    with pytest.raises(FormatError, match="is no hybrid that exactree saved"):
        load_hybrid(archive)
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr(HEAD, "{}")
    with pytest.raises(FormatError, match="parts of it are missing"):
        load_hybrid(archive)
    with pytest.raises(FileNotFoundError):
        load_hybrid(tmp_path / "none.zip")


def test_a_newer_format(tmp_path):
    path = tmp_path / "hybrid.zip"
    save_hybrid(fitted(), path)
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    content[HEAD] = content[HEAD].replace(b'"version": 1', b'"version": 9')
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    with pytest.raises(FormatError, match="was saved in version 9 of the format"):
        load_hybrid(path)


def test_a_hybrid_that_is_not_fitted(tmp_path):
    with pytest.raises(InputError, match="The hybrid is not fitted"):
        save_hybrid(HybridTreeClassifier(), tmp_path / "hybrid.zip")
    assert list(tmp_path.iterdir()) == []
