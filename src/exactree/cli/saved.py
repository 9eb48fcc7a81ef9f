"""MODEL on the command line -> the saved graph, and what was proved of it as text and JSON."""

from pathlib import Path
from typing import Any

from exactree.cli.report import finite
from exactree.datasets.files import existing
from exactree.model import About, Graph, load, load_about
from exactree.solve.interface import relative_gap
from exactree.solve.verdict import not_proved, over_sample, proved

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


def read(text: str) -> tuple[Graph, About | None]:
    """Read a model that ``exactree fit -o`` wrote; one that was saved in Python may say nothing about itself."""
    path = existing(Path(text), (".json",))
    return load(path), load_about(path)


def verdict(about: About, noun: str = "tree") -> str:
    """Say what was proved, and if nothing was, how far from the best the tree can be.

    Examples
    --------
    >>> verdict(About("class", "optimal", 10.0, 10.0, "all", "0.1.0"))
    'proved optimal: no allowed tree costs less than 10.'
    >>> verdict(About("class", "time_limit", 10.0, 8.0, "all", "0.1.0"))
    'not proved (stopped by the time limit): cost 10, lower bound 8, gap 20.0 %.'
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
    standing = not_proved(about.objective, about.cost, about.lower_bound, among)
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
