"""MODEL on the command line -> the saved graph, and what was proved of it as text and JSON."""

import sys
import zipfile
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactree.cli.report import finite
from exactree.datasets.files import existing
from exactree.errors import FormatError, InputError
from exactree.model import About, Graph, load, load_about
from exactree.solve.interface import relative_gap
from exactree.solve.verdict import not_proved, over_sample, proved
from exactree.table import Frame, Table

if TYPE_CHECKING:
    from exactree.estimators.hybrid.saved import SavedHybrid

STOPPED_BY = {
    "time_limit": "stopped by the time limit",
    "memory_limit": "stopped by the memory limit",
    "interrupted": "interrupted",
    "gap_reached": "stopped as near to the best as was asked for",
    "ended": "the solver finished without a proof",
}

KEYS = (
    *("status", "proved", "cost", "lower_bound", "gap", "target", "thresholds", "scope"),
    *("sample", "sample_lower_bound"),
)


@dataclass(frozen=True, slots=True, eq=False)
class SavedModel:
    """A tree or diagram, with models in its leaves or without."""

    graph: Graph
    about: About | None  # one that was saved in Python may say nothing about itself
    hybrid: Any = None  # with the models of the leaves

    @property
    def explained(self) -> Any:
        """What explanations read."""
        return self.graph if self.hybrid is None else self.hybrid

    def predict(self, rows: Frame) -> NDArray[Any]:
        """Label of each row."""
        if self.hybrid is None:
            return np.asarray(self.graph.classes[self.graph.predict(Table.of(rows))])
        return np.asarray(self.hybrid.predict(rows))

    def predict_proba(self, rows: Frame) -> NDArray[Any]:
        """Probability of each class, (n_rows, n_classes)."""
        if self.hybrid is None:
            return np.asarray(self.graph.predict_proba(Table.of(rows)))
        if not hasattr(self.hybrid, "predict_proba"):
            raise InputError("--proba: the models in the leaves give no probabilities. Leave it out.")
        return np.asarray(self.hybrid.predict_proba(rows))


def read(options: Namespace) -> SavedModel:
    """Read the model that a command line names, which ``exactree fit -o`` or ``exactree hybrid -o`` wrote."""
    path = model_file(options.model)
    if not zipfile.is_zipfile(path):
        return SavedModel(load(path), load_about(path))
    saved = read_hybrid(path)
    if changed := saved.differences():
        sys.stderr.write(f"note: the models in the leaves were fitted with {', '.join(changed)}.\n")
    hybrid = saved.models(trusted=options.trust)
    if hybrid.reads_raw_rows_:
        raise InputError(
            f"The models in the leaves of {path} read rows of your own table, as a pipeline does, and not those of a "
            f"file. Use them in Python: exactree.load_hybrid({str(path)!r}, trusted=...)."
        )
    return SavedModel(saved.graph, saved.about, hybrid)


def read_hybrid(path: Path) -> "SavedHybrid":
    """Read what a file says of a hybrid, without its models."""
    from exactree.estimators.hybrid.saved import read_hybrid

    return read_hybrid(path)


def model_file(text: str) -> Path:
    """Find the file of a model; a pickle is refused, for reading one runs whatever is in it."""
    path = existing(Path(text), (".json", ".zip"))
    with path.open("rb") as file:
        start = file.read(2)
    if start[:1] == b"\x80" and start[1:] <= b"\x05":
        raise FormatError(
            f"{path} is a pickle of Python. Reading one runs whatever is in it, so no command does. If you trust it, "
            f"read it in Python with pickle.load, and write it again with exactree.save or exactree.save_hybrid."
        )
    return path


def verdict(about: About, noun: str = "tree") -> str:
    """Say what was proved, and if nothing was, how far from the best the tree can be.

    Examples
    --------
    >>> verdict(About("class", "optimal", 10.0, 10.0, "all", "0.1.0"))
    'proved optimal: no allowed tree costs less than 10.'
    >>> verdict(About("class", "time_limit", 10.0, 8.0, "all", "0.1.0"))
    'not proved (stopped by the time limit): no allowed tree costs less than 8; this one costs 10, gap 20.0 %.'
    >>> sampled = {"sample": "with questions sampled for each branch", "sample_lower_bound": 10.0}
    >>> verdict(About("class", "optimal_over_sample", 10.0, 4.0, "all", "0.2.0", **sampled)).partition(":")[0]
    'optimal over a sample only'
    >>> verdict(About("class", "optimal", 0.088, 0.088, "all", "0.1.0", "leaf_accuracy"))
    'proved optimal: in no allowed tree is the worst leaf more than 91.2 % right.'
    """
    among = "" if about.thresholds == "all" else f" among those with thresholds {about.thresholds}"
    among += "" if about.scope is None else f" {about.scope}"
    if about.status == "optimal":
        return f"proved optimal: {proved(about.objective, about.cost, among, noun)}."
    gap = f"{100 * relative_gap(about.cost, about.lower_bound):.1f} %"
    if about.status == "optimal_over_sample":
        standing = over_sample(about.cost, about.lower_bound, among, f" {about.sample}", noun)
        return f"optimal over a sample only: {standing}, gap {gap}."
    kind = about.kind or f"allowed {noun}"
    standing = not_proved(about.objective, about.cost, about.lower_bound, among, kind, about.unit or "")
    return f"not proved ({STOPPED_BY[about.status]}): {standing}, gap {gap}."


def as_json(about: About | None) -> dict[str, Any]:
    """Write the same for machines; null where a model says nothing.

    Examples
    --------
    >>> as_json(About("class", "optimal", 10.0, 10.0, "all", "0.1.0"))["proved"]
    True
    """
    if about is None:
        return dict.fromkeys(KEYS)
    return {
        "status": about.status,
        "proved": about.status == "optimal",
        "cost": about.cost,
        "lower_bound": finite(about.lower_bound),
        "gap": finite(relative_gap(about.cost, about.lower_bound)),
        "target": about.target,
        "thresholds": about.thresholds,
        "scope": about.scope,
        "sample": about.sample,
        "sample_lower_bound": None if about.sample_lower_bound is None else finite(about.sample_lower_bound),
    }


def noun(graph: Graph, about: About | None) -> str:
    """Return what a model is called: as it was asked for, and a diagram in any case if paths meet again."""
    asked = "tree" if about is None else about.noun
    return asked if graph.is_tree else "diagram"
