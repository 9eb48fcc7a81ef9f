"""Compile the kernel, its bindings and its tests for other systems, and run the tests where an emulator is installed.

``python cmake/portable.py [TARGET ...]``, or ``make portable``. Everything goes to ``build/portable``.

Zig's Clang brings the C and C++ libraries of every target along (libc++ throughout). The bindings are compiled against
the headers of the Python that runs this file, and are not linked: there is no Python of the target.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import nanobind
import ziglang

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "portable"
ZIG = Path(ziglang.__file__).with_name("zig")
CACHE = str(BUILD / "zig-cache")
SETTINGS = {
    "ZIG_GLOBAL_CACHE_DIR": CACHE,
    "ZIG_LOCAL_CACHE_DIR": CACHE,
    "WINEPREFIX": str(BUILD / "wine"),
    "WINEDEBUG": "-all",
    "WINEDLLOVERRIDES": "mscoree,mshtml=",  # do not offer to install .NET and a browser
}
# What Python's headers must know of 64-bit Windows; the rest of its pyconfig.h concerns who builds Python itself.
WINDOWS_PYCONFIG = """
#include <sys/types.h>
#define MS_WINDOWS
#define MS_WIN64
#define NT_THREADS
#define HAVE_SSIZE_T 1
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_VOID_P 8
#define SIZEOF_WCHAR_T 2
"""


@dataclass(frozen=True)
class Target:
    """A system to compile for, and what runs its programs here; none runs those of macOS."""

    name: str
    emulator: str | None = None

    @property
    def folder(self) -> Path:
        """Where it is built."""
        return BUILD / self.name


TARGETS = (
    Target("aarch64-macos"),
    Target("x86_64-macos"),
    Target("x86_64-windows-gnu", "wine"),
    Target("aarch64-linux-musl", "qemu-aarch64"),  # linked statically, so that the emulator needs no libraries
)


def main(names: list[str]) -> int:
    """Check the named targets, or all; return how many failed."""
    unknown = set(names) - {target.name for target in TARGETS}
    if unknown:
        sys.exit(f"unknown targets {sorted(unknown)}, expected some of {[target.name for target in TARGETS]}")
    checked = [check(target) for target in TARGETS if not names or target.name in names]
    print("\n".join(line for line, _ in checked))  # noqa: T201
    return sum(not passed for _, passed in checked)


def check(target: Target) -> tuple[str, bool]:
    """Compile for a target and run its tests; return a line on it, and whether all went well."""
    begun = time.monotonic()
    configure(target)
    if run("cmake", "--build", target.folder, "--parallel", os.cpu_count() or 1):
        return f"{target.name}: does not compile", False
    compiled = f"{target.name}: compiled {counts(target)} in {time.monotonic() - begun:.0f} s"
    if target.emulator is None:
        return f"{compiled}; tests not run, nothing here runs programs of this system", True
    if shutil.which(target.emulator) is None:
        return f"{compiled}; tests not run, {target.emulator} is not installed", True
    results = target.folder / "tests.xml"
    run("ctest", "--test-dir", target.folder, "--output-on-failure", "--output-junit", results)
    suite = ET.parse(results).getroot()
    n, failed = int(suite.get("tests", 0)), int(suite.get("failures", 0)) + int(suite.get("disabled", 0))
    return f"{compiled}; {n - failed} of {n} tests passed under {target.emulator}", n > 0 and failed == 0


def configure(target: Target) -> None:
    """Set up the build as `make native` does: warnings are errors, undefined behaviour ends a test."""
    settings = {
        "CMAKE_TOOLCHAIN_FILE": ROOT / "cmake" / "zig.cmake",
        "ZIG": ZIG,
        "ZIG_TARGET": target.name,
        "EXACTREE_DEVELOPER": "ON",
        "EXACTREE_PYTHON_HEADERS": f"{nanobind.include_dir()};{python_headers(target)}",
        "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
        "CMAKE_CROSSCOMPILING_EMULATOR": target.emulator or "",
    }
    options = [f"-D{name}={value}" for name, value in settings.items()]
    if run("cmake", "-S", ROOT, "-B", target.folder, *options):
        sys.exit(f"cannot configure a build for {target.name}")


def python_headers(target: Target) -> Path:
    """Return the folder of Python's headers, with a configuration that fits the target."""
    installed = Path(sysconfig.get_path("include"))
    if "windows" not in target.name:
        return installed
    copy = BUILD / "windows-headers"
    shutil.copytree(installed, copy, dirs_exist_ok=True)
    (copy / "pyconfig.h").write_text(WINDOWS_PYCONFIG)
    return copy


def counts(target: Target) -> str:
    """Say how many files were compiled."""
    commands = json.loads((target.folder / "compile_commands.json").read_text())
    folders = [Path(command["file"]).relative_to(ROOT).parts[1] for command in commands]
    tests, bindings = folders.count("tests"), folders.count("bind")
    return f"{len(folders) - tests - bindings} files of the kernel, {bindings} bindings and {tests} tests"


def run(*command: object) -> int:
    """Run a command and return its exit code."""
    return subprocess.run([str(word) for word in command], env=os.environ | SETTINGS, check=False).returncode


if __name__ == "__main__":
    BUILD.mkdir(parents=True, exist_ok=True)
    sys.exit(main(sys.argv[1:]))
