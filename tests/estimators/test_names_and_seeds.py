"""Names with hyphens or underscores, and what random_state reaches."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from exactree import (
    DL85,
    BinOCT,
    ColumnGeneration,
    Fairness,
    OptimalDiagramClassifier,
    OptimalTreeClassifier,
    Search,
    pareto_front,
)
from exactree.encode import CartSampling, policy
from exactree.errors import InputError
from exactree.estimators import diagram as diagram_module
from exactree.estimators import tree as tree_module
from exactree.estimators.parameters import read_seed
from exactree.solve import DIAGRAM_SOLVERS, SOLVERS, Budget, Capabilities, Solution, diagram_solver_for, solver_named
from exactree.solve.registry import seeded

X, Y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]


@pytest.mark.each("name", SOLVERS)
def test_solvers(name):
    assert solver_named(name.replace("-", "_")) is solver_named(name.replace("_", "-")) is SOLVERS[name]


def test_solvers_by_another_spelling_solve():
    assert OptimalTreeClassifier(2, solver="flow_oct").fit(X, Y).cost_ == 0.0


def test_objectives():
    tree = OptimalTreeClassifier(1, objective="leaf-accuracy", min_samples_leaf=1).fit([[0], [1], [2]], [0, 0, 1])
    assert (tree.solution_.objective, tree.cost_) == ("leaf_accuracy", 0.0)
    assert OptimalTreeClassifier(1, objective="balanced-accuracy").fit(X, Y).solution_.objective == "balanced_accuracy"
    assert pareto_front(X, Y, objective="leaf-accuracy", max_depth=1).objective == "leaf_accuracy"


def test_worst_leaf_defaults_do_not_depend_on_the_spelling():
    rows, labels = np.arange(100.0)[:, None], np.arange(100) % 2
    trees = [OptimalTreeClassifier(2, objective=name).fit(rows, labels) for name in ("leaf_accuracy", "leaf-accuracy")]
    assert trees[0].tree_.rows.tolist() == trees[1].tree_.rows.tolist()
    assert min(trees[1].tree_.rows[trees[1].tree_.leaves]) >= 10


def test_thresholds_and_measures():
    assert policy("class_changes") == policy("class-changes")
    fair = Fairness("demographic-parity", at_most=0.5, groups="x1")
    assert OptimalTreeClassifier(2, constraints=[fair]).fit(X, Y).is_optimal_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "column generation"}, "choose one of auto, binoct, column-generation, dl8,"),
        ({"objective": "leaf accuracy"}, "choose one of accuracy, balanced_accuracy, leaf_accuracy, leaf_confidence,"),
        ({"thresholds": "class changes"}, "Expected one of 'all', 'class-changes', 'quantiles', 'sampled',"),
    ],
)
def test_messages_name_the_canonical_form(options, message):
    with pytest.raises(InputError, match=message):
        OptimalTreeClassifier(2, **options).fit(X, Y)


@dataclass(frozen=True)
class Recorder:
    """Keeps the seeds that it was run with, and solves by search."""

    name: ClassVar[str] = "recorder"
    handles: ClassVar[Capabilities] = Search.handles
    seen: ClassVar[list[int]] = []
    seed: int = 0

    def solve(self, problem: Any, budget: Budget, *, start: Any = None, callback: Any = None) -> Solution:
        self.seen.append(self.seed)
        return Search().solve(problem, budget)


def test_random_state_reaches_the_solver():
    Recorder.seen.clear()
    for solver in (Recorder(), Recorder(seed=8)):
        OptimalTreeClassifier(1, solver=solver, random_state=5).fit(X, Y)
    OptimalTreeClassifier(1, solver=Recorder()).fit(X, Y)
    OptimalTreeClassifier(1, solver=Recorder(), random_state=np.random.RandomState(5)).fit(X, Y)
    assert Recorder.seen == [read_seed(5), 8, 0, read_seed(5)]


@pytest.mark.each("name", [name for name in SOLVERS if hasattr(SOLVERS[name], "seed")])
def test_every_solver_with_a_seed_gets_it(name):
    assert seeded(SOLVERS[name], 7).seed == 7
    assert SOLVERS[name].seed == 0


def test_these_solvers_use_chance():
    assert {name for name in SOLVERS if hasattr(SOLVERS[name], "seed")} == {
        "binoct",
        "oct",
        "flow-oct",
        "xct",
        "column-generation",
        "search",
    }
    assert {name for name in DIAGRAM_SOLVERS if hasattr(DIAGRAM_SOLVERS[name], "seed")} == {"odd"}
    assert seeded(ColumnGeneration(), 7).sampling == CartSampling(seed=7)
    assert seeded(ColumnGeneration(sampling=CartSampling(seed=2)), 7).sampling == CartSampling(seed=2)
    assert seeded(ColumnGeneration(sampling="all"), 7).sampling == "all"


@pytest.mark.parametrize("module", [tree_module, diagram_module], ids=["tree", "diagram"])
def test_named_solvers_are_seeded_too(module, monkeypatch):
    name = "solve" if module is tree_module else "solve_diagram"
    real, seeds = getattr(module, name), []

    def record(*args, seed, **more):
        seeds.append(seed)
        return real(*args, seed=seed, **more)

    monkeypatch.setattr(module, name, record)
    kind = OptimalTreeClassifier if module is tree_module else OptimalDiagramClassifier
    kind(random_state=3).fit(X, Y)
    kind().fit(X, Y)
    assert seeds == [read_seed(3), None]


def test_sampled_thresholds_follow_the_seed():
    rows, labels = load_breast_cancer(return_X_y=True)
    one, same, other = (
        OptimalTreeClassifier(2, thresholds="sampled(20)", random_state=seed).fit(rows, labels) for seed in (1, 1, 2)
    )
    none, zero = (
        OptimalTreeClassifier(2, thresholds=thresholds).fit(rows, labels)
        for thresholds in ("sampled(20)", policy("sampled(20)"))
    )
    assert (
        one.solution_.scope
        == same.solution_.scope
        == f" among those with thresholds sampled(trees=20, seed={read_seed(1)})"
    )
    assert other.solution_.scope != one.solution_.scope
    assert none.solution_.scope == zero.solution_.scope == " among those with thresholds sampled(20)"
    own = replace(policy("sampled(20)"), sampling=CartSampling(trees=20, seed=4))
    kept = OptimalTreeClassifier(2, thresholds=own, random_state=1).fit(rows, labels)
    assert kept.solution_.scope == " among those with thresholds sampled(trees=20, seed=4)"


def test_a_wrong_random_state_is_refused():
    with pytest.raises(ValueError, match="cannot be used to seed"):
        OptimalTreeClassifier(random_state="luck").fit(X, Y)


def test_binoct_runs_with_a_seed():
    tree = OptimalTreeClassifier(2, solver=BinOCT(warm_start=None), random_state=11).fit(X, Y)
    assert tree.cost_ == 0.0


def test_diagram_solvers_by_another_spelling():
    assert OptimalDiagramClassifier((1, 2), solver="odd").fit(X, Y).is_optimal_
    with pytest.raises(InputError, match="choose one of auto, construct, exhaustive, odd, search"):
        diagram_solver_for(None, "od d")


def test_back_ends_by_another_spelling():
    pytest.importorskip("ortools")
    tree = OptimalTreeClassifier(2, solver=BinOCT(backend="cp_sat", warm_start=None)).fit(X, Y)
    assert tree.solution_.counters["backend_cp-sat"] == 1
    with pytest.raises(InputError, match=r"^Unknown backend 'cp sat'; choose one of auto, highs, cp-sat,"):
        BinOCT(backend="cp sat")


def test_options_of_solvers_by_another_spelling():
    assert DL85(order="gain_ascending") == DL85(order="gain-ascending")
    assert Search(engine="portable_bits", without=("look_ahead",)) == Search("portable-bits", ("look-ahead",))
    assert ColumnGeneration(finish="branch_and_price").finish == "branch-and-price"
    with pytest.raises(InputError, match="choose one of data, gain, gain-ascending"):
        DL85(order="gain ascending")
