"""What all tests share: the marker ``each``, how items are dealt to processes, and what a run by marker left out."""

import os
from collections import Counter
from itertools import product

import pytest
from xdist.scheduler import LoadScopeScheduling

# Threads of boosting models that wait actively for each other take a hundred times as long where other programs run:
# 113 s in place of 4 s for one of scikit-learn's checks. Read when the first of them is loaded, so it comes first.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# Solvers and models start as many threads as they find processors, in each worker of a parallel run.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

collect_ignore = ["coverage/run.py", "faults/run.py", "private_copy.py"]  # programs, of which nothing is a test
# Files and folders left out by `make quick`, which has a fourth of the problems of tests/conformance for every solver.
SLOW = (
    "benchmarks/tests/",
    "tests/estimators/test_contract.py",
    "tests/estimators/test_hybrid",
    "tests/explain/test_brute_force.py",
    "tests/explain/test_hybrid",
    "tests/explain/test_tied",
    "tests/mip/test_backends.py",
    "tests/mip/test_solver_process.py",
    "tests/solve/column_generation/",
    "tests/solve/diagram_heuristic/",
    "tests/solve/dl85/",
    "tests/solve/formulations/",
    "tests/solve/oblique/",
    "tests/solve/search/test_diagrams.py",
    "tests/solve/search/test_leaf_limits.py",
    "tests/solve/search/test_start.py",
    "tests/solve/search/test_worst_leaf",
    "tests/solve/test_",
    "tests/test_papers.py",
)
LEFT_OUT = pytest.StashKey[Counter]()


def _each(marker):
    """Return the names of a marker ``each``, and the values that they take together."""
    names, values = marker.args
    names = [names] if isinstance(names, str) else list(names)
    return names, [(value,) if len(names) == 1 else tuple(value) for value in values]


def pytest_generate_tests(metafunc):
    for marker in metafunc.definition.iter_markers("each"):
        names, values = _each(marker)
        if not values:
            raise ValueError(f"{metafunc.definition.nodeid} has nothing to try for {', '.join(names)}")
        metafunc.parametrize(names, [(None,) * len(names)], ids=["each"])  # a stand-in: the loop below has the values


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run a test marked ``each`` in one item for all values, and say with which of them it failed."""
    markers = [_each(marker) for marker in pyfuncitem.iter_markers("each")]
    if not markers:
        return None
    names = [name for some, _ in markers for name in some]
    needed = pyfuncitem._fixtureinfo.argnames
    for values in product(*(values for _, values in markers)):
        case = dict(zip(names, [part for value in values for part in value], strict=True))
        arguments = {name: case[name] if name in case else pyfuncitem.funcargs[name] for name in needed}
        try:
            pyfuncitem.obj(**arguments)
        except pytest.skip.Exception as skipped:
            pytest.fail(f"skipped with {_text(case)}, and with it all after: {skipped}")
        except BaseException as error:
            error.add_note(f"This was with {_text(case)}.")
            raise
        if "monkeypatch" in arguments:
            arguments["monkeypatch"].undo()
    return True


def _text(case):
    return ", ".join(f"{name}={value!r}" for name, value in case.items())


class ByProblem(LoadScopeScheduling):
    """Hand out one item at a time, but all of a tiny problem to one process, which tries everything only once."""

    def _split_scope(self, nodeid):
        file, _, test = nodeid.partition("::")
        if not file.startswith("tests/conformance/") or "[" not in test:
            return nodeid
        problem = test.partition("[")[2].rstrip("]").partition("/")[0]
        return f"diagram {problem}" if file.endswith("test_diagram_solvers.py") else problem


def pytest_xdist_make_scheduler(config, log):
    config.option.loadscopereorder = False  # the order below, not by the number of items
    return ByProblem(config, log)


@pytest.hookimpl(tryfirst=True)  # before items are selected by marker
def pytest_collection_modifyitems(items):
    """Mark what takes long, and put the slowest first: at the end no process waits for another."""
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker("slow")
    items.sort(key=lambda item: not item.nodeid.startswith("benchmarks/tests/"))


def pytest_configure(config):
    config.stash[LEFT_OUT] = Counter()


def pytest_deselected(items):
    for item in items:
        file = item.nodeid.partition("::")[0]
        item.config.stash[LEFT_OUT][file.rpartition("/")[0] or file] += 1


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):  # a worker of pytest-xdist: hand over to the process that reports
        session.config.workeroutput["left_out"] = dict(session.config.stash[LEFT_OUT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    node.config.stash[LEFT_OUT] = Counter(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(terminalreporter, config):
    if (left_out := config.stash[LEFT_OUT]) and config.option.markexpr == "not slow":
        terminalreporter.section(f"left out: {left_out.total()} slow items; make test runs them")
        for folder, count in left_out.most_common():
            terminalreporter.write_line(f"{count:5}  {folder}")
