"""Sentences that state what was proved: costs and bounds, or for worst-leaf objectives the accuracy of that leaf."""

from math import isfinite

WORST_LEAF = {  # objectives whose cost is 1 less the score of the worst leaf, and how sentences name that leaf
    "leaf_accuracy": "the worst leaf",
    "leaf_confidence": "the worst leaf, at the confidence asked for,",
}


def score_text(cost: float) -> str:
    """Format the score of the worst leaf; a dash before there is a tree.

    Examples
    --------
    >>> score_text(0.088), score_text(1 / 3), score_text(float("inf")), score_text(float("-inf"))
    ('91.2 %', '66.6667 %', '-', '100 %')
    """
    if cost > 1:  # no tree yet
        return "-"
    return f"{100 * (1 - max(cost, 0.0)):.6g} %"


def proved(objective: str | None, cost: float, scope: str = "", noun: str = "tree") -> str:
    """State that no allowed tree (or other ``noun``) is better; ``scope`` restricts which those are, if not all.

    Examples
    --------
    >>> proved(None, 10.0)
    'no allowed tree costs less than 10'
    >>> proved("leaf_accuracy", 0.088)
    'in no allowed tree is the worst leaf more than 91.2 % right'
    """
    if objective in WORST_LEAF:
        return f"in no allowed tree{scope} is {WORST_LEAF[objective]} more than {score_text(cost)} right"
    return f"no allowed {noun}{scope} costs less than {cost:.6g}"


def over_sample(cost: float, bound: float, scope: str, sample: str, noun: str = "tree") -> str:
    """State that no tree of those that the solver restricted itself to is better, and what is known of all.

    Examples
    --------
    >>> over_sample(10.0, 4.0, "", " with questions sampled for each branch")
    'no tree with questions sampled for each branch costs less than 10; lower bound over all allowed trees 4'
    """
    below = f"{bound:.6g}" if isfinite(bound) else "-"
    return f"no {noun}{scope}{sample} costs less than {cost:.6g}; lower bound over all allowed {noun}s{scope} {below}"


def not_proved(objective: str | None, cost: float, bound: float, scope: str = "") -> str:
    """State how good a tree is, and how good any tree can be at most.

    Examples
    --------
    >>> not_proved("leaf_accuracy", 0.15, 0.1)
    'the worst leaf is 85 % right, and in no allowed tree more than 90 %'
    >>> not_proved(None, 10.0, 8.0)
    'cost 10, lower bound 8'
    """
    if objective in WORST_LEAF:
        at_most = f"in no allowed tree{scope} more than {score_text(bound)}"
        return f"{WORST_LEAF[objective]} is {score_text(cost)} right, and {at_most}"
    below = f"{bound:.6g}" if isfinite(bound) else "-"
    return f"cost {cost:.6g}, lower bound {below}{scope}"
