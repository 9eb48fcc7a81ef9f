"""Test accuracy of diagrams and trees; skeleton and penalty selected on validation rows (Figures 2 to 4 of ODD)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from exactree.model import fragmentation
from exactree.plot import save_fragmentation
from exactree.problem.diagram import n_parents
from exactree_bench.contestants.diagrams import rebuild_graph
from exactree_bench.plots import accuracy
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Report, Section, Settings, common_notes
from exactree_bench.suites.odd.plan import Run, disagreements, failures, grid, runs, skeleton_of
from exactree_bench.suites.odd.table1 import OddTable1

SHOWN = "teaching-assistant"  # the set of Figure 4
QUESTIONS = 7  # internal nodes of both models there
LEAST_NODES = 2  # a model with fewer is trivial, as in the paper


@dataclass(frozen=True, slots=True)
class Pair:
    """The selected diagram and the selected tree of one split of a set."""

    diagram: Run
    tree: Run

    @property
    def solved(self) -> bool:
        """Whether both are proved, and neither is trivial."""
        return all(run.outcome.proved and run.nodes >= LEAST_NODES for run in (self.diagram, self.tree))


class OddAccuracy(OddTable1):
    """Accuracy of diagrams and trees, of the fits of Table 1."""

    name: ClassVar[str] = "odd-accuracy"
    about: ClassVar[str] = "test accuracy of optimal diagrams and optimal trees, with Figures 2 to 4 of ODD"

    def report(self, settings: Settings, results: Results) -> Report:
        """Select on validation rows, compare on test rows, and draw the figures."""
        layers = grid(settings)
        found = runs(settings, results, layers)
        kinds = [kind for kind in (False, True) if any(run.layers.multivariate == kind for run in found)]
        pairs = {kind: paired([run for run in found if run.layers.multivariate == kind]) for kind in kinds}
        figures = [path for kind in kinds for path in draw(pairs[kind], settings.output, multivariate=kind)]
        for kind in kinds:
            some = [run for run in found if run.layers.multivariate == kind]
            figures += draw_fragmentation(some, settings.output, multivariate=kind)
        return Report(
            sections=tuple(section for kind in kinds for section in _sections(pairs[kind], multivariate=kind)),
            contradictions=tuple(disagreements(found)),
            unreached=tuple(failures(settings, results, layers)),
            notes=(
                *common_notes(replace(settings, repeats=1), results),
                "Skeleton and penalty with the highest validation accuracy; of equal ones the fewest nodes, "
                "then the lowest cost. Accuracy in percent on the test rows. Solved: diagram and tree are both proved, "
                f"and have {LEAST_NODES} questions or more. The paper compares 18 sets that it does not name.",
            ),
            figures=tuple(figures),
        )


def paired(found: Sequence[Run]) -> list[Pair]:
    """Select the diagram and the tree of every split that has both."""
    pairs = []
    for name, seed in dict.fromkeys((run.name, run.seed) for run in found):
        here = [run for run in found if (run.name, run.seed) == (name, seed)]
        diagrams, trees = ([run for run in here if run.layers.tree == tree] for tree in (False, True))
        if diagrams and trees:
            pairs.append(Pair(chosen(diagrams), chosen(trees)))
    return pairs


def chosen(found: Sequence[Run]) -> Run:
    """Return the run with the best validation accuracy; of two solvers of one problem, the cheaper diagram counts."""
    best: dict[object, Run] = {}
    for run in found:
        known = best.get(run.layers)
        if known is None or (run.cost, not run.outcome.proved) < (known.cost, not known.outcome.proved):
            best[run.layers] = run
    return min(best.values(), key=lambda run: (-run.accuracy("validation"), run.nodes, run.cost))


def _sections(pairs: Sequence[Pair], *, multivariate: bool) -> list[Section]:
    split = "multivariate" if multivariate else "univariate"
    by_set: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_set.setdefault(pair.diagram.name, []).append(pair)
    rows, records = [], []
    for name, some in by_set.items():
        record = _record(some)
        records.append({"set": name, "split": split, **record})
        rows.append(
            (name, *_cells(record), ", ".join(dict.fromkeys(skeleton_of(pair.diagram.layers) for pair in some)))
        )
    header = (
        "set",
        "splits",
        "solved",
        "diagram",
        "tree",
        "nodes",
        "nodes of tree",
        "least share",
        "of tree",
        "chosen",
    )
    means = [("all", list(pairs)), ("solved", [pair for pair in pairs if pair.solved])]
    totals = [(name, *_cells(_record(some))) for name, some in means if some]
    return [
        Section(f"accuracy-{split}", f"Test accuracy, {split}", header, tuple(rows), tuple(records)),
        Section(
            f"means-{split}", f"Means, {split}", header[:-1], tuple(totals), tuple(_record(some) for _, some in means)
        ),
    ]


def _record(pairs: Sequence[Pair]) -> dict[str, float]:
    def mean(values: Sequence[float]) -> float:
        return float(np.mean(values)) if values else float("nan")

    return {
        "splits": len(pairs),
        "solved": sum(pair.solved for pair in pairs),
        "diagram": mean([pair.diagram.accuracy("test") for pair in pairs]),
        "tree": mean([pair.tree.accuracy("test") for pair in pairs]),
        "nodes": mean([pair.diagram.nodes for pair in pairs]),
        "tree_nodes": mean([pair.tree.nodes for pair in pairs]),
        "least": mean([_least(pair.diagram) for pair in pairs]),
        "tree_least": mean([_least(pair.tree) for pair in pairs]),
    }


def _cells(record: Mapping[str, float]) -> tuple[str, ...]:
    percents = [f"{100 * record[name]:.1f}" for name in ("diagram", "tree")]
    nodes = [f"{record[name]:.1f}" for name in ("nodes", "tree_nodes")]
    least = [f"{100 * record[name]:.1f}" for name in ("least", "tree_least")]
    return (f"{record['splits']:.0f}", f"{record['solved']:.0f}", *percents, *nodes, *least)


def _least(run: Run) -> float:
    """Return the smallest share of rows at a node."""
    return fragmentation(rebuild_graph(run.outcome.counters)).least


def draw(pairs: Sequence[Pair], folder: Path, *, multivariate: bool) -> list[Path]:
    """Draw Figures 2 and 3, and shares of rows by layer, of the solved pairs, or of all if fewer than two are."""
    split = "multivariate" if multivariate else "univariate"
    shown = [pair for pair in pairs if pair.solved]
    shown = shown if len(shown) > 1 else list(pairs)
    if not shown:
        return []
    accuracies = {
        "trees": [pair.tree.accuracy("test") for pair in shown],
        "diagrams": [pair.diagram.accuracy("test") for pair in shown],
    }
    paths = accuracy.draw(accuracies, folder / f"odd-accuracy-{split}")
    shares = {kind: [_shares(getattr(pair, kind)) for pair in shown] for kind in ("tree", "diagram")}
    paths += accuracy.draw_shares(shares, folder / f"odd-shares-{split}")
    return paths


def draw_fragmentation(found: Sequence[Run], folder: Path, *, multivariate: bool) -> list[Path]:
    """Draw Figure 4: a tree and a diagram of one set with the same size, about seven questions as in the paper.

    Prefers a diagram in which decision paths merge.
    """
    name = SHOWN if any(run.name == SHOWN for run in found) else max(found, key=lambda run: run.nodes).name
    diagrams, trees = ([run for run in found if run.name == name and run.layers.tree == tree] for tree in (False, True))
    if not diagrams or not trees:
        return []

    def distance(pair: tuple[Run, Run]) -> tuple[int, ...]:
        tree, diagram = pair
        size = abs(tree.nodes - diagram.nodes), abs(diagram.nodes - QUESTIONS)
        return (not _has_merge(diagram), *size, tree.seed, diagram.seed)

    tree, diagram = min(((a, b) for a in trees for b in diagrams if a.seed == b.seed), key=distance)
    models = {
        f"{kind}, {run.layers.label}": rebuild_graph(run.outcome.counters)
        for kind, run in (("tree", tree), ("diagram", diagram))
    }
    path = folder / f"odd-fragmentation-{'multivariate' if multivariate else 'univariate'}.svg"
    save_fragmentation(models, path, title=f"{name}: share of training rows at each node")
    return [path]


def _has_merge(run: Run) -> bool:
    """Whether an internal node has several parents."""
    graph = rebuild_graph(run.outcome.counters)
    parents = n_parents(graph)
    return any(parents[node] > 1 for node in range(graph.n_nodes) if not graph.is_leaf(node))


def _shares(run: Run) -> list[tuple[int, float]]:
    """Return layer and share of rows of each internal node."""
    return [(node.layer, node.share) for node in fragmentation(rebuild_graph(run.outcome.counters)).nodes]
