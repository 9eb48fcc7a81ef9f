"""A copy of the repository with a build of its own, for what must not touch the one at hand."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Read by every interpreter at its start: the copy must win over an editable installation, whose finder stands first.
FIRST = """import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
"""


class Failed(Exception):
    """A command that did not end well, and what it wrote."""


class PrivateCopy:
    """The files that git knows or would add, and a build folder beside them."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "exactree"
        self.build_folder = folder / "build"
        self.stale = False  # whether the extension must be built again, whatever comes next
        first = folder / "first"
        first.mkdir(parents=True, exist_ok=True)
        (first / "sitecustomize.py").write_text(FIRST)
        # No compiled files of Python: a change within the same second would not be seen.
        self.surroundings = os.environ | {
            "PYTHONPATH": os.pathsep.join(map(str, (first, self.root / "src", self.root / "benchmarks/src"))),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        listed = output("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder=ROOT)
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, self.root / name)

    def build_native_tests(self, jobs: int = 2) -> Path:
        """Compile what changed of the native tests, and return their build folder."""
        folder = self.root.parent / "native-tests"
        shared = os.environ | {"CCACHE_BASEDIR": str(self.root.parent), "CCACHE_NOHASHDIR": "1"}
        if not folder.exists():
            launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
            output("cmake", "-S", str(self.root), "-B", str(folder), "-DEXACTREE_DEVELOPER=ON", *launcher)
        output("cmake", "--build", str(folder), "--parallel", str(jobs), surroundings=shared)
        return folder

    def native_failure(self) -> str | None:
        """Build the native tests and return the first that fails, or None."""
        folder = self.build_native_tests(jobs=1)
        command = ("ctest", "--test-dir", str(folder), "--stop-on-failure", "--timeout", "300")
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        failed = re.findall(r"\d+ - (\w+) \((?:Failed|Timeout|Subprocess)", run.stdout)
        return None if run.returncode == 0 else f"native {failed[0] if failed else 'tests'}"

    def configure(self, flags: str) -> None:
        """Prepare the build of the extension with these flags of the compiler."""
        nanobind = importlib.util.find_spec("nanobind")
        if nanobind is None or nanobind.origin is None:
            raise Failed("Building needs nanobind: run 'pip install nanobind'.")
        where = Path(nanobind.origin).parent / "cmake"
        options = {"SKBUILD": "ON", "nanobind_DIR": where, "Python_EXECUTABLE": sys.executable}
        options |= {"CMAKE_BUILD_TYPE": "Release", "CMAKE_CXX_FLAGS_RELEASE": flags}
        if shutil.which("ccache"):
            options["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
        settings = [f"-D{key}={value}" for key, value in options.items()]
        output("cmake", "-S", str(self.root), "-B", str(self.build_folder), *settings)

    def build(self, jobs: int = 2) -> None:
        """Compile what changed, and put the extension beside its Python files."""
        # Copies share what the compiler's cache holds: paths in it are relative to the copy.
        shared = os.environ | {"CCACHE_BASEDIR": str(self.root.parent), "CCACHE_NOHASHDIR": "1"}
        command = ("cmake", "--build", str(self.build_folder), "--target", "_native", "--parallel", str(jobs))
        output(*command, surroundings=shared)
        self.stale = False
        (built,) = self.build_folder.glob("_native*.so")
        target = self.root / "src/exactree/kernel" / built.name
        target.unlink(missing_ok=True)
        shutil.copyfile(built, target)
        tell = "import exactree.kernel._native as native; print(native.__file__)"
        used = output(sys.executable, "-c", tell, surroundings=self.surroundings)
        if used.strip() != str(target):
            raise Failed(f"{used.strip()} is imported in place of {target}")


def output(*command: str, folder: Path | None = None, surroundings: dict[str, str] | None = None) -> str:
    """Return what a command writes."""
    run = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise Failed(f"{' '.join(command)} failed:\n{run.stdout}{run.stderr}")
    return run.stdout
