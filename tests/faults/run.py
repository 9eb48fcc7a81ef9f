"""Break the library on purpose, one fault at a time, and see whether the tests notice.

``faults.toml`` lists the faults as pieces of text to replace. The repository is copied, once for each job, and the
extension of each copy is built once. Then each fault is planted in a copy, what changed is compiled again, and tests
must fail: first those nearest to the file, then native tests where the fault is native, then the rest. Tests that fail
without any fault are found in advance.

    python tests/faults/run.py              all faults that have no result yet
    python tests/faults/run.py cache tie    those with one of these words in their name
    python tests/faults/run.py --list       names only
    python tests/faults/run.py --fresh      forget the results of former runs
    python tests/faults/run.py --jobs 4     so many faults side by side

Results are kept in build/faults.jsonl with a digest of the code and the tests: those of another state do not count.
The exit code is 1 if a fault survives or no longer applies, or if the tests fail without any.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from private_copy import ROOT, Failed, PrivateCopy  # noqa: E402 - not a package: scripts of one folder share it

RESULTS = ROOT / "build/faults.jsonl"
# Most telling first; each line is a run of its own.
KERNEL_SUITE = (
    ("tests/conformance/test_engines.py",),
    ("tests/conformance/test_diagram_solvers.py", "tests/solve", "tests/conformance/test_solvers.py"),
)
SUITE = (*KERNEL_SUITE, ("tests/mip", "tests/problem", "tests/encode", "tests/model"))  # for faults elsewhere
# Where a fault is most likely noticed, by the beginning of its file's name: these tests come before the suite.
NEAREST = {
    "native/bits": ("tests/conformance/test_engines.py",),
    "native/constrained": ("tests/solve/search/test_constrained.py",),
    "src/exactree/solve/search/constrained": ("tests/solve/search/test_constrained.py",),
    "native/diagrams": ("tests/solve/diagram_heuristic", "tests/solve/search/test_diagrams.py"),
    "native/core/leaf_limit": ("tests/solve/search/test_leaf_limits.py",),
    "native/leaf_limits": ("tests/solve/search/test_leaf_limits.py",),
    "native/oblique": ("tests/solve/oblique",),
    "native/pareto": ("tests/solve/search/test_pareto.py",),
    "native/search": ("tests/solve/search/test_start.py",),
    "native/worst_leaf": ("tests/solve/search/test_worst_leaf.py", "tests/solve/search/test_worst_leaf_deep.py"),
    "native/dl85": ("tests/solve/dl85",),
    "native/paths": ("tests/solve/column_generation/test_solver.py",),
    "native/table/predict": ("tests/model",),
    "native/table/rows": ("tests/encode",),
    "src/exactree/problem/split_columns": ("tests/solve/oblique",),
    "src/exactree/solve/oblique": ("tests/solve/oblique",),
    "src/exactree/memory": ("tests/test_memory.py",),
    "src/exactree/solve/formulations/binoct": ("tests/solve/formulations/test_binoct.py",),
    "src/exactree/solve/formulations/common/leaf_constraints": (
        "tests/solve/formulations/test_binoct.py",
        "tests/solve/formulations/test_constraints.py",
    ),
    "src/exactree/solve/formulations/common/leaf_accuracy": ("tests/solve/formulations/test_leaf_accuracy.py",),
    "src/exactree/solve/oblique/mip_splits": (
        "tests/solve/formulations/test_oct_oblique.py",
        "tests/solve/formulations/test_odd_oblique.py",
    ),
    "src/exactree/solve/formulations/oct": (
        "tests/solve/formulations/test_oct.py",
        "tests/solve/formulations/test_oct_oblique.py",
    ),
    "src/exactree/solve/formulations/flow_oct": ("tests/solve/formulations/test_oct.py",),
    "src/exactree/solve/formulations/xct/bisection": ("tests/solve/formulations/test_bisection.py",),
    "src/exactree/solve/formulations/xct": ("tests/solve/formulations/test_xct.py",),
    "src/exactree/solve/formulations/odd": (
        "tests/solve/formulations/test_odd.py",
        "tests/solve/formulations/test_odd_oblique.py",
    ),
    "src/exactree/solve/diagram_heuristic": ("tests/solve/diagram_heuristic",),
    "src/exactree/solve/column_generation": (
        "tests/solve/column_generation",
        "tests/solve/formulations/test_constrained_labels.py",
        "tests/solve/formulations/test_constraints.py",
    ),
    "src/exactree/solve/mip_runs/constrained_labels": ("tests/solve/formulations/test_constrained_labels.py",),
    "src/exactree/solve/mip_runs/costs": (
        "tests/solve/formulations/test_units.py",
        "tests/solve/formulations/test_binoct.py",
    ),
    "src/exactree/solve/run_state": ("tests/solve/formulations/test_units.py",),
    "src/exactree/solve/trees/centred": ("tests/solve/trees",),
    "src/exactree/solve/trees/ranked_tree": ("tests/solve/trees",),
    "src/exactree/solve/trees/skeleton": ("tests/solve/formulations/test_odd.py",),
    "src/exactree/solve/interface": ("tests/solve/test_interface.py",),
    "src/exactree/solve/search/coverage_bound": ("tests/estimators/test_blocking.py",),
    "src/exactree/mip/backends": ("tests/mip", "tests/solve/formulations/test_odd_oblique.py"),
    "src/exactree/mip": ("tests/mip",),
    "src/exactree/explain": ("tests/explain",),
    "src/exactree/export": ("tests/export",),
    "benchmarks": ("benchmarks/tests/test_odd.py",),
    "src/exactree/model/fragmentation": ("tests/plot/test_fragmentation.py",),
    "src/exactree/table": ("tests/table", "tests/explain/test_spreads.py"),
    "src/exactree/encode": ("tests/encode",),
    "src/exactree/model": ("tests/model",),
    "src/exactree/problem/problem": ("tests/problem", "tests/solve/formulations/test_units.py"),
    "src/exactree/problem/linear_limit": ("tests/solve/formulations/test_units.py",),
    "src/exactree/problem/constraints": (
        "tests/solve/formulations/test_units.py",
        "tests/solve/formulations/test_constraints.py",
        "tests/solve/formulations/test_leaf_accuracy.py",
    ),
    "src/exactree/problem": ("tests/problem",),
    # After those of the file itself.
    "src/exactree/solve/formulations/": ("tests/solve/formulations",),
    "src/exactree/solve/mip_runs/": ("tests/solve/formulations",),
}
TIMED = "tests/solve/test_interrupt.py"  # can fail on a busy machine, whatever the fault
PATIENCE = 600  # seconds for the tests: a fault that makes them hang is one that they notice
FLAGS = "-O1"  # compiles in half the time of -O3


@dataclass(frozen=True, slots=True)
class Fault:
    """A piece of text to be replaced by a wrong one."""

    name: str
    why: str
    file: str
    old: str
    new: str

    @property
    def is_native(self) -> bool:
        """Whether the extension must be compiled again."""
        return self.file.startswith("native/")

    def applies(self, root: Path) -> bool:
        """Whether the text to be replaced is there once."""
        path = root / self.file
        return path.is_file() and path.read_text().count(self.old) == 1

    def suites(self) -> Iterator[tuple[str, ...]]:
        """Yield the tests to run, nearest first, none of them twice."""
        near = [tests for beginning, tests in NEAREST.items() if self.file.startswith(beginning)]
        seen: set[str] = set()
        for tests in (*near, *(KERNEL_SUITE if self.is_native else SUITE)):
            if new := tuple(test for test in tests if test not in seen):
                seen.update(new)
                yield new


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a fault."""

    fault: Fault
    verdict: str  # caught, SURVIVES or GONE
    detail: str  # the test that noticed
    seconds: float
    state: str  # of the code and the tests


def state_of(root: Path) -> str:
    """Return a digest of all that can change a result."""
    digest = hashlib.sha256()
    for folder in ("src", "native", "benchmarks", "tests"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".cpp", ".hpp", ".inl", ".toml"):
                digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def first_failure(copy: PrivateCopy, suite: tuple[str, ...], patience: float = PATIENCE) -> str | None:
    """Return the first test that fails, or None if all pass."""
    # Random examples are the same in every run: else one may fail by chance, and a fault counts as caught.
    fixed = ("--hypothesis-profile=ci", f"--ignore={TIMED}")
    options = ("-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", *fixed)
    command = [sys.executable, "-m", "pytest", *options, *suite]
    settings = {"cwd": copy.root, "env": copy.surroundings, "timeout": patience}
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False, **settings)
    except subprocess.TimeoutExpired:
        return f"no answer within {patience} s"
    if run.returncode == 0:
        return None
    failed = [line for line in run.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return failed[0].split(" - ")[0].partition(" ")[2] if failed else f"exit code {run.returncode}"


def plant(copy: PrivateCopy, fault: Fault) -> str | None:
    """Apply a fault, build, test, and take it out again; return the test that noticed."""
    path = copy.root / fault.file
    text = path.read_text()
    path.write_text(text.replace(fault.old, fault.new))
    try:
        if fault.is_native or copy.stale:
            copy.build(jobs=1)  # compiles what this fault touches, and what the last one did
        first, *rest = fault.suites()
        if noticed := first_failure(copy, first):
            return noticed
        if fault.is_native and (noticed := copy.native_failure()):
            return noticed
        return next((noticed for tests in rest if (noticed := first_failure(copy, tests))), None)
    finally:
        path.write_text(text)
        copy.stale = fault.is_native


def outcome(copy: PrivateCopy, fault: Fault) -> tuple[str, str]:
    """Return a verdict, and the test that noticed or why there is none."""
    if not fault.applies(copy.root):
        return "GONE", f"fault no longer applies: its text must occur once in {fault.file}"
    try:
        noticed = plant(copy, fault)
    except Failed:
        return "GONE", f"fault no longer compiles in {fault.file}"
    return ("SURVIVES", fault.why) if noticed is None else ("caught", noticed)


def chosen(words: list[str]) -> list[Fault]:
    """Return the faults that have one of the words in their name, or all."""
    listed = tomllib.loads((HERE / "faults.toml").read_text())["fault"]
    faults = [Fault(**fault) for fault in listed]
    return [fault for fault in faults if not words or any(word in fault.name for word in words)]


def known(faults: list[Fault], state: str) -> list[Result]:
    """Return results of former runs on the same code and tests."""
    if not RESULTS.is_file():
        return []
    lines = map(json.loads, RESULTS.read_text().splitlines())
    results = {
        line["fault"]["name"]: Result(**line | {"fault": Fault(**line["fault"])})
        for line in lines
        if line["state"] == state
    }
    kept = (results.get(fault.name) for fault in faults)
    return [result for result, fault in zip(kept, faults, strict=True) if result and result.fault == fault]


def say(text: str) -> None:
    """Write a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def run(faults: list[Fault], copies: list[PrivateCopy], state: str) -> Iterator[Result]:
    """Yield results as they come; each copy has one fault at a time."""
    free: SimpleQueue[PrivateCopy] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def one(fault: Fault) -> Result:
        copy, start = free.get(), time.monotonic()
        try:
            return Result(fault, *outcome(copy, fault), time.monotonic() - start, state)
        finally:
            free.put(copy)

    with ThreadPoolExecutor(len(copies)) as pool:
        yield from (done.result() for done in as_completed([pool.submit(one, fault) for fault in faults]))


def nearest_tests(faults: list[Fault]) -> tuple[str, ...]:
    """Return all tests that may come first for one of the faults; the rest is in the suites."""
    return tuple(dict.fromkeys(test for fault in faults for tests in fault.suites() for test in tests))


def prepared(folder: Path, jobs: int, with_native_tests: bool) -> list[PrivateCopy]:
    """Copy and build; with a cache of the compiler, all copies but the first are built from it."""
    copies = [PrivateCopy(folder / str(number)) for number in range(jobs)]
    for copy in copies:
        copy.configure(FLAGS)
        copy.build()
        if with_native_tests:
            copy.build_native_tests()
    return copies


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only faults with one of these in their name")
    parser.add_argument("--list", action="store_true", help="names of the faults, and nothing else")
    parser.add_argument("--fresh", action="store_true", help="forget the results of former runs")
    parser.add_argument("--jobs", type=int, default=2, help="faults side by side (default: 2)")
    options = parser.parse_args()
    faults = chosen(options.words)
    if options.list:
        say("\n".join(fault.name for fault in faults))
        return 0
    if options.fresh:
        RESULTS.unlink(missing_ok=True)
    state = state_of(ROOT)
    results = known(faults, state)
    done = {result.fault for result in results}
    left = [fault for fault in faults if fault not in done]
    say(f"{len(faults)} faults, {len(results)} of them with a result in {RESULTS.relative_to(ROOT)}")
    if left:
        with tempfile.TemporaryDirectory(prefix="exactree-faults-") as folder:
            copies = prepared(Path(folder), options.jobs, any(fault.is_native for fault in left))
            all_tests = (*nearest_tests(left), "-n", "auto")
            if failed := first_failure(copies[0], all_tests, 3 * PATIENCE):
                say(f"The tests fail without any fault: {failed}")
                return 1
            results += report(run(left, copies, state), len(results), len(faults))
    return summary(results)


def report(results: Iterator[Result], n_before: int, n_faults: int) -> list[Result]:
    """Print and keep each result as it comes."""
    RESULTS.parent.mkdir(exist_ok=True)
    kept = []
    for result in results:
        kept.append(result)
        with RESULTS.open("a") as file:
            file.write(json.dumps(asdict(result)) + "\n")
        place = f"{n_before + len(kept):{len(str(n_faults))}}/{n_faults}"
        say(f"{place}  {result.verdict:<8}  {result.seconds:4.0f} s  {result.fault.name}: {result.detail}")
    return kept


def summary(results: list[Result]) -> int:
    """Print how many were caught, and those that were not."""
    missed = [result for result in results if result.verdict != "caught"]
    say(f"{len(results) - len(missed)} of {len(results)} faults caught")
    for result in missed:
        say(f"{result.verdict}  {result.fault.name} ({result.fault.file}): {result.detail}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
