"""The compiled kernel. Import its names from here, not from the extension module ``_native``.

Arrays cross the boundary as views of fixed types, without conversion; values out of range raise ``ValueError``.
"""

from exactree.kernel._native import (
    FEW_RANKS,
    LEAF_COST_UNIT,
    ChosenTree,
    ConstructedDiagrams,
    FrontOutcome,
    FrontPoint,
    Outcome,
    PathRows,
    PricedPaths,
    apply,
    construct_diagrams,
    dl85,
    grow,
    number_rows,
    pair_splits,
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
    "ChosenTree",
    "ConstructedDiagrams",
    "FrontOutcome",
    "FrontPoint",
    "Outcome",
    "PathRows",
    "PricedPaths",
    "apply",
    "construct_diagrams",
    "dl85",
    "grow",
    "number_rows",
    "pair_splits",
    "rank_two_values",
    "search",
    "search_diagram",
    "search_front",
    "search_leaves",
    "take_rows",
]
