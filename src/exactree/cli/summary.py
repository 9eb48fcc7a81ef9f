"""What ``exactree fit`` reports of a fitted model: text, JSON, files, notes."""

from argparse import Namespace
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from exactree import __version__
from exactree.cli import report, saved
from exactree.cli.options.constraints import Kept, kept
from exactree.cli.training import Estimator, Task
from exactree.encode import policy
from exactree.estimators import OptimalTreeClassifier
from exactree.export import to_text
from exactree.model import About, Graph, save
from exactree.plot import save_svg
from exactree.solve.interface import AMONG
from exactree.solve.verdict import WORST_LEAF


def about_fit(estimator: Estimator, target: str, noun: str = "tree") -> About:
    """Return what a file says about a fitted model."""
    solution = estimator.solution_
    scope = solution.scope
    kept = scope.removeprefix(AMONG) if scope.startswith(AMONG) else str(policy(estimator.thresholds))
    return About(
        target=target,
        status=estimator.status_,
        cost=estimator.cost_,
        lower_bound=estimator.lower_bound_,
        thresholds=kept,
        exactree=__version__,
        objective=solution.objective if solution.objective in WORST_LEAF else None,
        scope=None if not scope or scope.startswith(AMONG) else scope.strip(),
        noun=noun,
        sample=solution.sample.strip() or None,
        sample_lower_bound=solution.sample_bound,
        # Only where the verdict says so: files of proved trees stay as they were, for older releases.
        kind=None if estimator.status_ == "optimal" else solution.kind,
        unit=None if estimator.status_ == "optimal" else solution.unit or None,
    )


class Summary:
    """A fitted estimator together with what it was fitted to, how, and in how many seconds."""

    def __init__(self, estimator: Estimator, task: Task, options: Namespace, seconds: float) -> None:
        self.estimator, self.task, self.options, self.seconds = estimator, task, options, seconds
        self.noun = "tree" if isinstance(estimator, OptimalTreeClassifier) else "diagram"
        self.graph: Graph = estimator.tree_ if isinstance(estimator, OptimalTreeClassifier) else estimator.diagram_

    @cached_property
    def answers(self) -> NDArray[Any]:
        """The answers to the training rows."""
        return self.estimator.predict(self.task.X)

    @cached_property
    def right(self) -> int:
        """How many training rows get their label."""
        return int((self.answers == self.task.y).sum())

    @cached_property
    def kept(self) -> list[Kept]:
        """What the answers to the training rows make of the constraints."""
        return kept(self.task.constraints, self.task.y, self.answers, self.task.weights)

    @cached_property
    def about(self) -> About:
        """What a file says about the model."""
        return about_fit(self.estimator, self.task.target, self.noun)

    def save(self) -> None:
        """Write the files that were asked for."""
        if self.options.output is not None:
            save(self.graph, self.options.output, self.about)
        if self.options.svg is not None:
            save_svg(self.graph, self.options.svg)

    def note_on_names(self) -> str:
        """Point at text that differs in every row: a name or a number of the row says nothing about other rows."""
        graph = self.graph
        n_rows, asked = graph.rows[0], {node.column for node in graph.nodes() if not node.is_leaf}
        columns = graph.schema.columns
        names = [column.name for j, column in enumerate(columns) if j in asked and len(column.levels) == n_rows]
        if not names:
            return ""
        asks = f"the {self.noun} asks about {', '.join(map(repr, names))}, which differs in every row"
        return f"note: {asks}. If it only names the row, use --drop.\n"

    def as_text(self) -> str:
        """Write the tree or diagram, the verdict and the accuracy for people."""
        graph, n_rows = self.graph, len(self.task.y)
        asking = [] if graph.is_tree else [report.counted(graph.n_nodes - graph.n_leaves, "question")]
        size = ", ".join([*asking, report.counted(graph.n_leaves, "leaf", "leaves"), f"depth {graph.depth}"])
        accuracy = f"training accuracy {100 * self.right / n_rows:.2f} % ({self.right} of {n_rows} rows)"
        lines = [
            to_text(graph),
            "",
            saved.verdict(self.about, self.noun),
            *([f"why: {self.estimator.solution_.reason}"] if self.estimator.solution_.reason else []),
            *map(str, self.kept),
            f"{accuracy}, {size}, {self.seconds:.2f} s",
            *([] if graph.is_tree else [f"rows at each node that asks:\n{self.estimator.fragmentation()}"]),
            *(f"wrote {path}" for path in (self.options.output, self.options.svg) if path is not None),
        ]
        return "\n".join(lines) + "\n"

    def as_json(self) -> dict[str, Any]:
        """Write the same for machines."""
        graph = self.graph
        content = {
            **saved.as_json(self.about),
            "n_leaves": graph.n_leaves,
            "depth": graph.depth,
            "seconds": round(self.seconds, 6),
            "accuracy": self.right / len(self.task.y),
            "n_rows": len(self.task.y),
            "tree": to_text(graph),
            "reason": self.estimator.solution_.reason,
            "allowed": self.estimator.scope_,
            "constraints": [
                {"name": each.name, "reached": each.reached, "limit": each.limit, "at_least": each.at_least}
                for each in self.kept
            ],
            "paths": {"model": self.options.output, "svg": self.options.svg},
        }
        return content if self.noun == "tree" else content | {"fragmentation": self.estimator.fragmentation().to_dict()}
