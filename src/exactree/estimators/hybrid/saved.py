"""A hybrid tree as a file: a ZIP archive of the tree as JSON, and of the hybrid as a pickle.

.. code-block:: text

    exactree-hybrid.json  format, version, checksums of the other two, versions of Python and packages, the report
    tree.json             the tree, as :func:`exactree.save` writes it, with what was proved of it
    hybrid.pickle         the fitted hybrid, with the models of its leaves

The first two are data and are read without running anything. A pickle says what is called when it is read, so it is
read last, and unless it is ``trusted``, with the classes of a few packages only. That keeps a file from calling what it
likes; it is no proof that these classes cannot be misused. Read files from people you trust.
"""

import hashlib
import json
import os
import pickle
import platform
import secrets
import zipfile
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from exactree.errors import FormatError, InputError
from exactree.estimators.hybrid.classifier import HybridTreeClassifier
from exactree.estimators.hybrid.known_classes import KnownClasses
from exactree.estimators.hybrid.report import HybridReport, LeafScore
from exactree.model import About, Graph, dumps, loads, loads_about

FORMAT, VERSION = "exactree-hybrid", 1
HEAD, TREE, MODELS = "exactree-hybrid.json", "tree.json", "hybrid.pickle"
PACKAGES = ("scikit-learn", "numpy", "xgboost")  # whose versions a file tells
WRITTEN = (1980, 1, 1, 0, 0, 0)  # the time of all entries, so that equal models are equal files


@dataclass(frozen=True, slots=True, eq=False)
class SavedHybrid:
    """What a file says of a hybrid before its models are read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from exactree import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> hybrid = HybridTreeClassifier(OptimalTreeClassifier(1), LogisticRegression(max_iter=1000)).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     save_hybrid(hybrid, Path(folder, "hybrid.zip"))
    ...     saved = read_hybrid(Path(folder, "hybrid.zip"))
    >>> saved.graph.n_leaves, len(saved.report.leaves), saved.about
    (2, 2, None)
    """

    path: Path
    graph: Graph
    about: About | None
    report: HybridReport
    versions: dict[str, str]  # of Python and packages
    pickled: bytes

    def differences(self) -> list[str]:
        """Packages whose version is another one here: scikit-learn promises nothing about its pickles then."""
        here = _versions()
        return [
            f"{name} {was} (here {here.get(name, 'none')})"
            for name, was in self.versions.items()
            if here.get(name) != was
        ]

    def models(self, *, trusted: bool = False) -> HybridTreeClassifier:
        """Read the hybrid with its models; ``trusted`` lets the file name any class and function."""
        try:
            found = pickle.loads(self.pickled) if trusted else KnownClasses(self.path, self.pickled).load()
        except (pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError, TypeError) as error:
            raise FormatError(
                f"The leaf models of {self.path} cannot be read here: {error}. They were saved with "
                f"{', '.join(f'{name} {number}' for name, number in self.versions.items())}."
            ) from error
        if not isinstance(found, HybridTreeClassifier) or not self.graph.same_as(found.tree_):
            raise FormatError(f"{self.path} is no saved hybrid: its models belong to another tree.")
        return found


def save_hybrid(hybrid: HybridTreeClassifier, path: str | os.PathLike[str], about: About | None = None) -> None:
    """Write a fitted hybrid to a file, atomically: after a failure the file is unchanged.

    Parameters
    ----------
    hybrid : HybridTreeClassifier
        The fitted hybrid.
    path : path
        The file, a ZIP archive.
    about : About or None, default=None
        What was proved of the tree.

    Examples
    --------
    >>> save_hybrid(HybridTreeClassifier(), "hybrid.zip")
    Traceback (most recent call last):
    exactree.errors.InputError: The hybrid is not fitted. Call fit before saving it.
    """
    if not hasattr(hybrid, "leaf_models_"):
        raise InputError("The hybrid is not fitted. Call fit before saving it.")
    tree, models = dumps(hybrid.tree_, about).encode("ascii"), pickle.dumps(hybrid)
    leaves = [
        {name: value for name, value in asdict(leaf).items() if name != "label"} for leaf in hybrid.report_.leaves
    ]
    head = {
        "format": FORMAT,
        "version": VERSION,
        "sha256": {TREE: hashlib.sha256(tree).hexdigest(), MODELS: hashlib.sha256(models).hexdigest()},
        "versions": _versions(),
        "leaves": leaves,
    }
    target = Path(path).resolve()
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with zipfile.ZipFile(draft, "x", zipfile.ZIP_DEFLATED) as archive:
            for name, content in ((HEAD, json.dumps(head, indent=1).encode("ascii")), (TREE, tree), (MODELS, models)):
                archive.writestr(zipfile.ZipInfo(name, WRITTEN), content, zipfile.ZIP_DEFLATED)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def load_hybrid(path: str | os.PathLike[str], *, trusted: bool = False) -> HybridTreeClassifier:
    """Read a hybrid that :func:`save_hybrid` or ``exactree hybrid -o`` wrote.

    Reading models means reading a pickle, which can run code: read files from people you trust.

    Parameters
    ----------
    path : path
        The file.
    trusted : bool, default=False
        Whether the file may name any class and function, not only those of exactree, scikit-learn, XGBoost and NumPy.
        Leaf models of other packages, and functions of your own in pipelines, need it.

    Returns
    -------
    HybridTreeClassifier
        The fitted hybrid.

    Raises
    ------
    FormatError
        If the file is no saved hybrid, was changed, or names classes that are not known.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from exactree import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> hybrid = HybridTreeClassifier(OptimalTreeClassifier(1), LogisticRegression(max_iter=1000)).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     save_hybrid(hybrid, Path(folder, "hybrid.zip"))
    ...     same = load_hybrid(Path(folder, "hybrid.zip"))
    >>> bool((same.predict(X) == hybrid.predict(X)).all())
    True
    """
    return read_hybrid(path).models(trusted=trusted)


def looks_like_hybrid(path: Path) -> bool:
    """Whether a file is a ZIP archive with the head of a saved hybrid."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return HEAD in archive.namelist()


def read_hybrid(path: str | os.PathLike[str]) -> SavedHybrid:
    """Read what a file says of a hybrid; its models are read later, and nothing is run."""
    source = Path(path)
    if source.is_file() and not looks_like_hybrid(source):
        raise FormatError(
            f"{source} is no hybrid that exactree saved; save_hybrid and 'exactree hybrid -o' write them."
        )
    try:
        with zipfile.ZipFile(source) as archive:
            head, tree, models = json.loads(archive.read(HEAD)), archive.read(TREE), archive.read(MODELS)
        return _read(source, head, tree, models)
    except (zipfile.BadZipFile, IndexError, KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise FormatError(f"{source} is no saved hybrid, or parts of it are missing: {error}.") from error


def _read(source: Path, head: Any, tree: bytes, models: bytes) -> SavedHybrid:
    if head["format"] != FORMAT:
        raise FormatError(f'{source} is no saved hybrid: it does not say "format": "{FORMAT}".')
    if head["version"] > VERSION:
        raise FormatError(
            f"{source} was saved in version {head['version']} of the format, and this release reads version {VERSION}. "
            f"Upgrade exactree to read it."
        )
    for name, content in ((TREE, tree), (MODELS, models)):
        if head["sha256"][name] != hashlib.sha256(content).hexdigest():
            raise FormatError(f"{source} was changed after it was saved: {name} does not match its checksum.")
    text = tree.decode("ascii")
    graph = loads(text)
    labels = graph.classes[graph.label].tolist()
    leaves = tuple(LeafScore(**leaf, label=labels[leaf["node"]]) for leaf in head["leaves"])
    return SavedHybrid(source, graph, loads_about(text), HybridReport(leaves), head["versions"], models)


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for name in ("exactree", *PACKAGES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
