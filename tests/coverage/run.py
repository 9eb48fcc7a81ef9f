"""Measure which lines and branches of the Python and of the C++ code the tests reach.

    python tests/coverage/run.py                    all tests
    python tests/coverage/run.py tests/solve        those alone, to try this script

A copy of the repository is built with gcc's ``--coverage``; the suite and the native tests run there. Two figures and a
table by folder are printed.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from private_copy import PrivateCopy, output

FLAGS = "-O1 --coverage -fprofile-update=prefer-atomic"  # counts of threads add up


@dataclass
class Reached:
    """Lines and branches: how many there are, and how many of them tests reach."""

    lines: int = 0
    lines_reached: int = 0
    branches: int = 0
    branches_reached: int = 0

    def add(self, lines: int, lines_reached: int, branches: int, branches_reached: int) -> None:
        """Count those of one more file."""
        self.lines += lines
        self.lines_reached += lines_reached
        self.branches += branches
        self.branches_reached += branches_reached

    def __str__(self) -> str:
        lines = 100 * self.lines_reached / max(self.lines, 1)
        branches = 100 * self.branches_reached / max(self.branches, 1)
        return f"{lines:5.1f} % of {self.lines:6} lines, {branches:5.1f} % of {self.branches:6} branches"


def python_coverage(copy: PrivateCopy, tests: list[str]) -> dict[str, Reached]:
    """Run the suite, and return what it reaches of each folder of the packages."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", *tests]
    report = copy.root / "coverage.json"
    measured = ("--cov=exactree", "--cov=exactree_bench", "--cov-branch", f"--cov-report=json:{report}")
    ran = subprocess.run([*command, *measured], cwd=copy.root, env=copy.surroundings, check=False)
    if ran.returncode != 0:
        sys.stdout.write("The suite fails here; what follows is of the tests that ran.\n")
    folders: dict[str, Reached] = defaultdict(Reached)
    for name, file in json.loads(report.read_text())["files"].items():
        total = file["summary"]
        counts = (total[key] for key in ("num_statements", "covered_lines", "num_branches", "covered_branches"))
        folders[os.path.relpath(Path(copy.root, name).parent, copy.root)].add(*counts)
    return folders


def native_coverage(copy: PrivateCopy, folder: Path) -> dict[str, Reached]:
    """Build and run the native tests, and return what they and the suite reach of each native folder."""
    build = folder / "native"
    flags = f"-DCMAKE_CXX_FLAGS={FLAGS}"
    output("cmake", "-S", str(copy.root), "-B", str(build), "-DEXACTREE_DEVELOPER=ON", flags)
    output("cmake", "--build", str(build), "--parallel", "2")
    output("ctest", "--test-dir", str(build), "--output-on-failure", "--parallel", "2")
    report = folder / "native.json"
    places = (str(copy.build_folder), str(build))
    kinds = ("--exclude-throw-branches", "--exclude-unreachable-branches", "--merge-mode-functions=merge-use-line-0")
    wanted = ("--filter", f"{copy.root}/native/", "--exclude", f"{copy.root}/native/tests/")
    command = [sys.executable, "-m", "gcovr", "--root", str(copy.root), *places, *wanted, *kinds]
    output(*command, "--json-summary", str(report))
    folders: dict[str, Reached] = defaultdict(Reached)
    for file in json.loads(report.read_text())["files"]:
        counts = (file[key] for key in ("line_total", "line_covered", "branch_total", "branch_covered"))
        folders[str(Path(file["filename"]).parent)].add(*counts)
    return folders


def table(title: str, folders: dict[str, Reached]) -> str:
    """Return the figure of all folders, and one line for each."""
    total = Reached()
    for reached in folders.values():
        total.add(reached.lines, reached.lines_reached, reached.branches, reached.branches_reached)
    width = max(map(len, folders), default=0)
    rows = [f"  {name:<{width}}  {reached}" for name, reached in sorted(folders.items())]
    return "\n".join([f"{title}: {total}", *rows])


def main() -> None:
    """Run from the command line."""
    with tempfile.TemporaryDirectory(prefix="exactree-coverage-") as name:
        folder = Path(name)
        copy = PrivateCopy(folder)
        copy.configure(FLAGS)
        copy.build()
        python = python_coverage(copy, sys.argv[1:])
        native = native_coverage(copy, folder)
    sys.stdout.write(f"{table('Python', python)}\n{table('C++', native)}\n")


if __name__ == "__main__":
    main()
