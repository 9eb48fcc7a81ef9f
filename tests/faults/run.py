"""Break the library on purpose, one fault at a time, and see whether the tests notice.

``faults.toml`` lists the faults as pieces of text to replace. The repository is copied, the kernel of the copy is built
once, the tests must pass there; then each fault is planted, what changed is compiled again, and the tests must fail.

    python tests/faults/run.py              all faults
    python tests/faults/run.py cache tie    those with one of these words in their name
    python tests/faults/run.py --list       names only

The exit code is 1 if a fault survives or no longer applies, or if the tests fail without any.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Most telling first.
KERNEL_SUITE = (
    "tests/conformance/test_engines.py",
    "tests/conformance/test_diagram_solvers.py",
    "tests/solve",
    "tests/conformance/test_solvers.py",
)
SUITE = (*KERNEL_SUITE, "tests/mip", "tests/problem", "tests/encode", "tests/model")  # for faults elsewhere
# Where a fault is most likely noticed, by the beginning of its file's name: these tests come before the suite.
NEAREST = {
    "native/bits": ("tests/conformance/test_engines.py", "-k", "bits"),
    "native/diagrams": ("tests/solve/diagram_heuristic", "tests/solve/search/test_diagrams.py"),
    "native/pareto": ("tests/solve/search/test_pareto.py",),
    "native/search/warm_start": ("tests/solve/search/test_start.py",),
    "native/dl85": ("tests/solve/dl85",),
    "native/paths": ("tests/solve/column_generation/test_solver.py",),
    "native/table/predict": ("tests/model",),
    "native/table/rows": ("tests/encode",),
    "src/exactree/memory": ("tests/test_memory.py",),
    "src/exactree/solve/formulations/binoct": ("tests/solve/formulations/test_binoct.py",),
    "src/exactree/solve/formulations/common/leaf_constraints": (
        "tests/solve/formulations/test_binoct.py",
        "tests/solve/formulations/test_constraints.py",
    ),
    "src/exactree/solve/formulations/common/leaf_accuracy": ("tests/solve/formulations/test_leaf_accuracy.py",),
    "src/exactree/solve/formulations/common/oblique": (
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
    "src/exactree/solve/trees/skeleton": ("tests/solve/formulations/test_odd.py",),
    "src/exactree/solve/interface": ("tests/solve/test_interface.py", "tests/solve/trees"),
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
    "src/exactree/problem/constraints": (
        "tests/solve/formulations/test_units.py",
        "tests/solve/formulations/test_constraints.py",
        "tests/solve/formulations/test_leaf_accuracy.py",
    ),
    "src/exactree/problem": ("tests/problem",),
}
TIMED = "tests/solve/test_interrupt.py"  # can fail on a busy machine, whatever the fault
PATIENCE = 600  # seconds for the tests: a fault that makes them hang is one that they notice

# Read by every interpreter at its start: the copy must win over an editable installation, whose finder stands first.
FIRST = """import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """A piece of text to be replaced by a wrong one."""

    name: str
    why: str
    file: str
    old: str
    new: str

    def applies(self, root: Path) -> bool:
        path = root / self.file
        return path.is_file() and path.read_text().count(self.old) == 1


class Copy:
    """A private copy of the repository with its own build."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "exactree"
        self.build_folder = folder / "build"
        first = folder / "first"
        first.mkdir(parents=True, exist_ok=True)
        (first / "sitecustomize.py").write_text(FIRST)
        # No compiled files of Python: a patch within the same second would not be seen.
        self.surroundings = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(first), str(self.root / "src")]),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        listed = _output("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder=ROOT)
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, self.root / name)

    def configure(self) -> None:
        nanobind = importlib.util.find_spec("nanobind")
        if nanobind is None or nanobind.origin is None:
            sys.exit("Building needs nanobind: run 'pip install nanobind'.")
        where = Path(nanobind.origin).parent / "cmake"
        options = {"SKBUILD": "ON", "nanobind_DIR": where, "Python_EXECUTABLE": sys.executable}
        options |= {"CMAKE_BUILD_TYPE": "Release", "CMAKE_CXX_FLAGS_RELEASE": "-O1"}  # compiles in half the time of -O3
        settings = [f"-D{key}={value}" for key, value in options.items()]
        _output("cmake", "-S", str(self.root), "-B", str(self.build_folder), *settings)

    def build(self) -> None:
        _output("cmake", "--build", str(self.build_folder), "--target", "_native", "--parallel", "2")
        (built,) = self.build_folder.glob("_native*.so")
        target = self.root / "src/exactree/kernel" / built.name
        target.unlink(missing_ok=True)
        shutil.copyfile(built, target)
        tell = "import exactree.kernel._native as native; print(native.__file__)"
        used = _output(sys.executable, "-c", tell, surroundings=self.surroundings)
        assert used.strip() == str(target), used

    def test(self, suite: tuple[str, ...]) -> str | None:
        """Return the first test that fails, or None if all pass."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "--no-header",
            "--tb=no",
            "-p",
            "no:cacheprovider",
            f"--ignore={TIMED}",
            *suite,
        ]
        settings = {"cwd": self.root, "env": self.surroundings, "timeout": PATIENCE}
        try:
            run = subprocess.run(command, capture_output=True, text=True, check=False, **settings)
        except subprocess.TimeoutExpired:
            return f"no answer within {PATIENCE} s"
        if run.returncode == 0:
            return None
        failed = [line for line in run.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        return failed[0].split(" - ")[0].partition(" ")[2] if failed else f"exit code {run.returncode}"

    def plant(self, fault: Fault) -> str | None:
        """Apply a fault, build, test, and take it out again; return the test that noticed."""
        path = self.root / fault.file
        text = path.read_text()
        path.write_text(text.replace(fault.old, fault.new))
        try:
            self.build()  # compiles what this fault touches, and what the last one did
            near = [tests for beginning, tests in NEAREST.items() if fault.file.startswith(beginning)]
            suite = KERNEL_SUITE if fault.file.startswith("native/") else SUITE
            return next((noticed for tests in (*near, suite) if (noticed := self.test(tests)) is not None), None)
        finally:
            path.write_text(text)


def _output(*command: str, folder: Path | None = None, surroundings: dict[str, str] | None = None) -> str:
    run = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{run.stdout}{run.stderr}")
    return run.stdout


def _chosen(words: list[str]) -> list[Fault]:
    listed = tomllib.loads((HERE / "faults.toml").read_text())["fault"]
    faults = [Fault(**fault) for fault in listed]
    return [fault for fault in faults if not words or any(word in fault.name for word in words)]


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _outcome(copy: Copy, fault: Fault) -> tuple[str, str]:
    if not fault.applies(copy.root):
        return "GONE", f"fault no longer applies: its text must occur once in {fault.file}"
    try:
        noticed = copy.plant(fault)
    except SystemExit:
        return "GONE", f"fault no longer compiles in {fault.file}"
    return ("SURVIVES", fault.why) if noticed is None else ("caught", noticed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only faults with one of these in their name")
    parser.add_argument("--list", action="store_true", help="names of the faults, and nothing else")
    options = parser.parse_args()
    faults = _chosen(options.words)
    if options.list:
        _say("\n".join(fault.name for fault in faults))
        return 0
    with tempfile.TemporaryDirectory(prefix="exactree-faults-") as folder:
        return _run(Copy(Path(folder)), faults)


def _run(copy: Copy, faults: list[Fault]) -> int:
    copy.configure()
    copy.build()
    if (failed := copy.test(SUITE)) is not None:
        _say(f"The tests fail without any fault: {failed}")
        return 1
    width = max(len(fault.name) for fault in faults)
    counts = {"caught": 0, "SURVIVES": 0, "GONE": 0}
    for fault in faults:
        start = time.monotonic()
        verdict, detail = _outcome(copy, fault)
        counts[verdict] += 1
        _say(f"{fault.name:<{width}}  {verdict:<8}  {time.monotonic() - start:4.0f} s  {detail}")
    _say(f"{counts['caught']} of {len(faults)} caught, {counts['SURVIVES']} survive, {counts['GONE']} no longer apply")
    return 0 if counts["caught"] == len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
