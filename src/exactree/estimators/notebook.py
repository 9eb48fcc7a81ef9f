"""A fitted tree or diagram as a notebook shows it."""

from html import escape

from exactree.plot import to_svg
from exactree.solve import Solution, Status
from exactree.solve.verdict import WORST_LEAF, not_proved, over_sample, proved


def notebook_page(parameters: str, solution: Solution, noun: str = "tree") -> str:
    """Return a fragment of HTML: what was asked, what was proved, and the picture."""
    if solution.status is Status.OPTIMAL:
        said = f"proved optimal: {proved(solution.objective, solution.cost, solution.scope, noun)}"
    elif solution.status is Status.OPTIMAL_OVER_SAMPLE:
        standing = over_sample(solution.cost, solution.bound, solution.scope, solution.sample, noun)
        said = f"optimal over a sample only: {standing}, gap {solution.gap:.1%}"
    else:
        known = solution.objective, solution.cost, solution.bound
        standing = not_proved(*known, solution.scope, kind=solution.kind, unit=solution.unit)
        gap = "" if solution.objective in WORST_LEAF else f", gap {solution.gap:.1%}"
        said = f"{standing}{gap} ({solution.status.value})"
    return (
        f'<div class="exactree"><p><code>{escape(parameters)}</code><br>{escape(said)}</p>'
        f"{fitting(to_svg(solution.model))}</div>"
    )


def fitting(picture: str) -> str:
    """Return a picture that is never wider than the page it stands on; in a file some viewers show nothing then.

    Examples
    --------
    >>> fitting('<svg width="900"></svg>')
    '<svg style="max-width:100%;height:auto" width="900"></svg>'
    """
    return picture.replace("<svg", '<svg style="max-width:100%;height:auto"', 1)
