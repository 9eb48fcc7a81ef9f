"""A fitted tree as a notebook shows it."""

from html import escape

from exactree.plot import to_svg
from exactree.solve import Solution, Status


def notebook_page(parameters: str, solution: Solution) -> str:
    """Return a fragment of HTML: what was asked, what was proved, and the picture."""
    if solution.status is Status.OPTIMAL:
        proved = f"proved optimal: no allowed tree{solution.scope} costs less than {solution.cost:g}"
    else:
        proved = f"cost {solution.cost:g}, bound {solution.bound:g}, gap {solution.gap:.1%} ({solution.status.value})"
    return (
        f'<div class="exactree"><p><code>{escape(parameters)}</code><br>{escape(proved)}</p>'
        f"{to_svg(solution.model)}</div>"
    )
