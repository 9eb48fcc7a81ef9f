"""Stage 6. Explanations: decision paths, counterfactuals, and the accuracy of leaves with confidence intervals."""

from typing import Any

from exactree.explain.blocking import BlockingRows
from exactree.explain.counterfactual.actionability import Limit
from exactree.explain.counterfactual.progress import CounterfactualProgress
from exactree.explain.counterfactual.result import Change, Counterfactual, Counterfactuals, Relaxation
from exactree.explain.counterfactual.result_table import CounterfactualTable
from exactree.explain.counterfactual.rules import AtLeast, Rises
from exactree.explain.fragmentation import fragmentation
from exactree.explain.leaf_facts import LeafFacts, PathFacts, leaf_facts, wilson
from exactree.explain.leaf_report import LeafLine, LeafReport, PathLine, leaf_report
from exactree.explain.query import counterfactuals
from exactree.explain.trace import Trace, TraceStep, trace

__all__ = [
    "AtLeast",
    "BlockingRows",
    "Change",
    "Counterfactual",
    "CounterfactualProgress",
    "CounterfactualTable",
    "Counterfactuals",
    "LeafFacts",
    "LeafLine",
    "LeafReport",
    "Limit",
    "PathFacts",
    "PathLine",
    "Relaxation",
    "Rises",
    "Trace",
    "TraceStep",
    "counterfactuals",
    "fragmentation",
    "leaf_facts",
    "leaf_report",
    "trace",
    "wilson",
]


def __getattr__(name: str) -> Any:
    if name in ("blocking_rows", "pareto_front"):
        raise AttributeError(
            f"module 'exactree.explain' has no attribute {name!r}: it fits trees of its own, so it belongs to the "
            f"estimators; use exactree.{name}."
        )
    raise AttributeError(f"module 'exactree.explain' has no attribute {name!r}")
