"""The search on every tiny problem, every engine in one item; the faster ones refuse what they are not made for."""

import re
from contextlib import contextmanager

import numpy as np
import pytest

from exactree.encode import encode
from exactree.errors import InputError, Unsupported
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Search, Status
from exactree.solve.search.trees import PARTS
from exactree.table import Table
from exactree.testing import conforms, problems_for, tiny_problems, tiny_worst_leaf_problems
from exactree.testing.conformance import finds_the_optimum

PROBLEMS = dict(tiny_problems())
WORST_LEAF = dict(tiny_worst_leaf_problems())
FOR_BITS = "bit sets are for leaves of any weight and at most 1500 questions, fewer with more than 16 classes."


def for_bits(problem):
    return problem.limits.min_weight_fraction_leaf == 0


def engines_for(problem):
    return ["ranks", "bits", "portable-bits"] if for_bits(problem) else ["ranks"]


def cases():
    names = [*problems_for(Search())]
    slow = set(names) - set(names[::4])
    return [pytest.param(name, id=f"{name}/search", marks=[pytest.mark.slow] if name in slow else []) for name in names]


@pytest.mark.parametrize("name", cases())
def test_solver(name):
    if name in WORST_LEAF:  # has a search of its own
        conforms(Search(), WORST_LEAF[name])
        return
    problem = PROBLEMS[name]
    for engine in ["auto", *engines_for(problem)]:
        with naming(engine):
            conforms(Search(engine), problem)
            if problem.limits.max_depth >= 3 and engine in ("ranks", "bits"):
                threads_change_nothing(engine, problem)
    with naming("vector instructions"):
        vector_instructions_change_nothing("ranks", problem)
        if for_bits(problem):
            vector_instructions_change_nothing("bits", problem)
    for engine in engines_for(problem)[:2]:  # every part can be left out
        for part in PARTS:
            with naming(f"{engine} without {part}"):
                finds_the_optimum(Search(engine, without=(part,)), problem)


@contextmanager
def naming(what):
    """Say which engine failed, of all that one item runs."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"This was with {what}.")
        raise


def vector_instructions_change_nothing(engine, problem):
    fast, portable = (Search(engine).solve(problem, Budget()) for engine in (engine, f"portable-{engine}"))
    assert fast.model.same_as(portable.model)
    assert fast.counters == portable.counters


def threads_change_nothing(engine, problem):
    one, three = (Search(engine).solve(problem, Budget(threads=threads)) for threads in (1, 3))
    assert one.status is three.status is Status.OPTIMAL
    assert one.model.same_as(three.model)


def test_bit_sets_refuse_leaves_of_a_least_weight():
    refused = [problem for problem in PROBLEMS.values() if not for_bits(problem)]
    assert len(refused) >= 15
    for problem in refused:
        for engine in ("bits", "portable-bits"):
            reason = f"Search(engine={engine!r}) cannot take this problem: {FOR_BITS}"
            with pytest.raises(Unsupported, match=re.escape(reason)):
                Search(engine).solve(problem, Budget())


def test_problems_for_bit_sets_have_many_classes():
    deep = [p for p in PROBLEMS.values() if for_bits(p) and p.limits.max_depth >= 3]
    assert sum(p.data.n_classes > 2 for p in deep) >= 20


def test_wide_gains_take_the_wide_loops():
    problems = [p for name, p in PROBLEMS.items() if name.startswith("float-weights") and for_bits(p)]
    assert problems
    assert all(Search("bits").solve(p, Budget()).status is Status.OPTIMAL for p in problems)


@pytest.mark.each("seed", [235, 441, 1629])
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


def test_unknown_part():
    with pytest.raises(InputError, match=r"Unknown part 'luck' of the search; choose from similarity, look-ahead"):
        Search(without=("luck",))
