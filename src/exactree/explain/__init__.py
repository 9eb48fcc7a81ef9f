"""Stage 6. Why a model says what it says, what would make it say something else, and how far to trust it."""

from exactree.explain.answer import Change, Counterfactual, Counterfactuals, Relaxation
from exactree.explain.counterfactuals import counterfactuals
from exactree.explain.facts import LeafFacts, leaf_facts, wilson
from exactree.explain.freedom import Limit
from exactree.explain.rules import AtLeast, Rises

__all__ = [
    "AtLeast",
    "Change",
    "Counterfactual",
    "Counterfactuals",
    "LeafFacts",
    "Limit",
    "Relaxation",
    "Rises",
    "counterfactuals",
    "leaf_facts",
    "wilson",
]
