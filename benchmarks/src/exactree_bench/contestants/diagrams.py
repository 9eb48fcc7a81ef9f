"""Optimal diagrams by exactree's solvers, over the diagrams that a job's layers describe."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from exactree import OptimalDiagramClassifier
from exactree.model import Graph, Node
from exactree.problem import SKELETONS
from exactree.solve.registry import DIAGRAM_SOLVERS
from exactree.table import ColumnType, Kind, Schema, Test
from exactree_bench.contestants import common
from exactree_bench.contestants.interface import Contestant, FitResult, NotAvailable, Rows
from exactree_bench.runner.job import FitConfig, Layers

WARM_UP = Layers("", 0.0)  # an exclusive or needs two layers and nodes without a penalty
WARM_UP_SECONDS = 2.0


def maker(solver: str) -> Callable[[FitConfig], OptimalDiagramClassifier]:
    """Return a factory of estimators with a solver given by name."""

    def make(config: FitConfig) -> OptimalDiagramClassifier:
        if solver not in DIAGRAM_SOLVERS:
            raise NotAvailable(f"exactree has no solver {solver!r} for diagrams in this version")
        layers = config.layers or WARM_UP
        return OptimalDiagramClassifier(
            SKELETONS.get(layers.skeleton, (1, 2)),
            ccp_alpha=layers.alpha,
            tree=layers.tree,
            multivariate=layers.multivariate,
            min_samples_node=layers.least or 1,
            solver=solver,
            time_limit=config.seconds if config.layers else min(config.seconds, WARM_UP_SECONDS),
            memory_limit=None if config.memory is None else int(common.SHARE_OF_MEMORY * config.memory),
            n_jobs=config.threads,
        )

    return make


def fit_result(estimator: OptimalDiagramClassifier) -> FitResult:
    """Read cost and bound; both include the penalty of nodes, so they are not errors."""
    counters = {name: float(value) for name, value in estimator.solution_.counters.items()}
    figures = {"cost": estimator.cost_, "bound": estimator.lower_bound_, "nodes": float(estimator.n_nodes_)}
    return FitResult(estimator.is_optimal_, counters=counters | figures)


def extra_counters(estimator: OptimalDiagramClassifier, train: Rows, test: Rows | None) -> Mapping[str, float]:
    """Record the structure of the diagram: :func:`rebuild_graph` makes a graph of it."""
    graph = estimator.diagram_
    arrays = {"yes": graph.yes, "no": graph.no, "rows": graph.rows, "label": graph.label}
    return {f"{name}{at}": float(values[at]) for at in range(graph.n_nodes) for name, values in arrays.items()}


def rebuild_graph(counters: Mapping[str, float]) -> Graph:
    """Make a graph of a recorded structure; its questions are not recorded.

    Examples
    --------
    >>> recorded = {"yes0": 1, "no0": 1, "rows0": 4, "label0": 0, "yes1": -1, "no1": -1, "rows1": 4, "label1": 2}
    >>> rebuild_graph(recorded).rows.tolist()
    [4, 4]
    """
    n_nodes = sum(name.startswith("yes") for name in counters)
    n_classes = 1 + max(int(counters[f"label{at}"]) for at in range(n_nodes))
    nodes = []
    for at in range(n_nodes):
        yes, no, rows, label = (int(counters[f"{name}{at}"]) for name in ("yes", "no", "rows", "label"))
        node = Node(label, (0.0,) * n_classes, rows)
        nodes.append(node if yes < 0 else replace(node, test=Test.AT_MOST, column=0, threshold=0.0, yes=yes, no=no))
    return Graph.of_nodes(Schema((ColumnType("x", Kind.NUMBER),), named=False), list(range(n_classes)), nodes)


STARTS = Contestant("diagram starts", common.version, maker("construct"), fit_result, extra_counters)
CONTESTANTS = (
    Contestant("ODD", common.version, maker("odd"), fit_result, extra_counters),
    Contestant("diagram search", common.version, maker("search"), fit_result, extra_counters),
    STARTS,
)
