"""The compiled part. Nothing else in the library imports the extension directly."""

from exactree.kernel._native import (
    FEW_RANKS,
    LEAF_COST_UNIT,
    FrontOutcome,
    FrontPoint,
    Outcome,
    Started,
    apply,
    dl85,
    grow,
    number_rows,
    rank_two_values,
    search,
    search_front,
    search_leaves,
    start_diagram,
    take_rows,
)

__all__ = [
    "FEW_RANKS",
    "LEAF_COST_UNIT",
    "FrontOutcome",
    "FrontPoint",
    "Outcome",
    "Started",
    "apply",
    "dl85",
    "grow",
    "number_rows",
    "rank_two_values",
    "search",
    "search_front",
    "search_leaves",
    "start_diagram",
    "take_rows",
]
