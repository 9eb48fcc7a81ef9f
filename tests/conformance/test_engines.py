"""Every way the search keeps its rows finds the same optimum; the faster ones refuse what they are not made for."""

import re

import numpy as np
import pytest

from exactree.encode import encode
from exactree.errors import InputError, Unsupported
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Search, Status
from exactree.solve.search.trees import PARTS
from exactree.table import Table
from exactree.testing import CHECKS, tiny_problems
from exactree.testing.conformance import finds_the_optimum

PROBLEMS = dict(tiny_problems())
FOR_BITS = "bit sets are for leaves of any weight and at most 1500 questions, fewer with more than 16 classes."


def for_bits(problem):
    return problem.limits.min_weight_fraction_leaf == 0


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("engine", ["ranks", "bits", "portable-bits"])
def test_engine(engine, name):
    problem = PROBLEMS[name]
    if engine != "ranks" and not for_bits(problem):
        reason = f"Search(engine={engine!r}) cannot take this problem: {FOR_BITS}"
        with pytest.raises(Unsupported, match=re.escape(reason)):
            Search(engine=engine).solve(problem, Budget())
        return
    for check in CHECKS:
        check(Search(engine=engine), problem)


@pytest.mark.parametrize("name", [name for name, problem in PROBLEMS.items() if for_bits(problem)])
def test_vector_instructions_change_nothing(name):
    fast, portable = (Search(engine).solve(PROBLEMS[name], Budget()) for engine in ("bits", "portable-bits"))
    assert fast.model.same_as(portable.model)
    assert fast.counters == portable.counters


@pytest.mark.parametrize("name", PROBLEMS)
def test_vector_instructions_change_nothing_for_ranks(name):
    fast, portable = (Search(engine).solve(PROBLEMS[name], Budget()) for engine in ("ranks", "portable-ranks"))
    assert fast.model.same_as(portable.model)
    assert fast.counters == portable.counters


def test_problems_for_bit_sets_have_many_classes():
    deep = [p for p in PROBLEMS.values() if for_bits(p) and p.limits.max_depth >= 3]
    assert sum(p.data.n_classes > 2 for p in deep) >= 20


def test_wide_gains_take_the_wide_loops():
    problems = [p for name, p in PROBLEMS.items() if name.startswith("float-weights") and for_bits(p)]
    assert problems
    assert all(Search("bits").solve(p, Budget()).status is Status.OPTIMAL for p in problems)


@pytest.mark.parametrize("seed", [235, 441, 1629])
def test_bounds_between_sets_count_a_group_once(seed):
    # Many labels in few groups: were each row of a group counted, the best first question would be given up.
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (60, 6 + seed % 3)).astype(float)
    data = encode(Table.of(X), rng.integers(0, 3 + seed % 2, 60))
    problem = Problem(data, accuracy(data), Limits(3))
    assert Search("bits").solve(problem, Budget()).cost == Search("ranks").solve(problem, Budget()).cost


@pytest.mark.parametrize(("n_questions", "n_classes"), [(1501, 2), (600, 101)])
def test_too_many_sums_are_refused(n_questions, n_classes):
    values = np.arange(n_questions + 1.0)
    data = encode(Table.of(values[:, None]), values.astype(int) % n_classes)
    problem = Problem(data, accuracy(data), Limits(1))
    with pytest.raises(Unsupported, match=re.escape(FOR_BITS)):
        Search("bits").solve(problem, Budget())
    assert Search().solve(problem, Budget()).status is Status.OPTIMAL


def test_unknown_engine():
    expected = r"Unknown engine 'fast'; choose one of auto, bits, portable-bits, ranks, portable-ranks\."
    with pytest.raises(InputError, match=expected):
        Search("fast")


DEEP = [name for name, problem in PROBLEMS.items() if problem.limits.max_depth >= 3]


@pytest.mark.parametrize(
    ("engine", "name"),
    [("ranks", name) for name in DEEP] + [("bits", name) for name in DEEP if for_bits(PROBLEMS[name])],
)
def test_threads_change_nothing(engine, name):
    one, three = (Search(engine).solve(PROBLEMS[name], Budget(threads=threads)) for threads in (1, 3))
    assert one.status is three.status is Status.OPTIMAL
    assert one.model.same_as(three.model)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("engine", ["bits", "ranks"])
def test_every_part_can_be_left_out(engine, part):
    for problem in PROBLEMS.values():
        if engine == "ranks" or for_bits(problem):
            finds_the_optimum(Search(engine, without=(part,)), problem)


def test_unknown_part():
    with pytest.raises(InputError, match=r"Unknown part 'luck' of the search; choose from similarity, look-ahead"):
        Search(without=("luck",))
