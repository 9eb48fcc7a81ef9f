"""The compiled part. Nothing else in the library imports the extension directly."""

from exactree.kernel._native import (
    FEW_RANKS,
    LEAF_COST_UNIT,
    FrontOutcome,
    FrontPoint,
    Outcome,
    apply,
    dl85,
    grow,
    number_rows,
    rank_two_values,
    search,
    search_diagram,
    search_front,
    search_leaves,
    take_rows,
)

__all__ = [
    "FEW_RANKS",
    "LEAF_COST_UNIT",
    "FrontOutcome",
    "FrontPoint",
    "Outcome",
    "apply",
    "dl85",
    "grow",
    "number_rows",
    "rank_two_values",
    "search",
    "search_diagram",
    "search_front",
    "search_leaves",
    "take_rows",
]
