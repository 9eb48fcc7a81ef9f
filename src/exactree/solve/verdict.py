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


def not_proved(
    objective: str | None, cost: float, bound: float, scope: str = "", kind: str = "allowed tree", unit: str = ""
) -> str:
    """State how good any tree can be at most, and how good this one is.

    ``kind`` names the trees that are allowed; with the unit ``"errors"`` costs count wrong answers.

    Examples
    --------
    >>> not_proved("leaf_accuracy", 0.15, 0.1)
    'the worst leaf is 85 % right, and in no allowed tree more than 90 %'
    >>> not_proved(None, 10.0, 8.5)
    'no allowed tree costs less than 8.5; this one costs 10'
    >>> not_proved("accuracy", 101.0, 71.0, kind="tree of depth 6", unit="errors")
    'no tree of depth 6 makes fewer than 71 errors; this one makes 101'
    >>> not_proved(None, 1.0, 0.0, unit="errors")
    'this tree makes 1 error, and nothing better is ruled out'
    """
    if objective in WORST_LEAF:
        at_most = f"in no allowed tree{scope} more than {score_text(bound)}"
        return f"{WORST_LEAF[objective]} is {score_text(cost)} right, and {at_most}"
    if not isfinite(bound) or bound <= 0:
        noun = kind.removeprefix("allowed ").split(" ")[0]
        amount = f"makes {_errors(cost)}" if unit == "errors" else f"costs {cost:.6g}"
        return f"this {noun} {amount}, and nothing better is ruled out{scope}"
    if unit == "errors":
        return f"no {kind}{scope} makes fewer than {_errors(bound)}; this one makes {cost:.10g}"
    return f"no {kind}{scope} costs less than {bound:.6g}; this one costs {cost:.6g}"


def _errors(count: float) -> str:
    return f"{count:.10g} error{'' if count == 1 else 's'}"
