"""CPU time and memory of child processes count."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what ended processes took")

# Every measurement runs in its own process, as in a worker: of ended children only the largest peak is known.
BUSY = """
import subprocess, sys
from exactree_bench.runner.process.measure import measured
busy = "import time; held = bytearray(80_000_000)\\nwhile time.process_time() < 0.4: pass\\nprint(flush=True); input()"
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}

def start():
    global child
    child = subprocess.Popen([sys.executable, "-c", busy], **pipes)
    child.stdout.readline()

def end():
    child.communicate(b"\\n")
"""
PRINT = "\nimport json; print(json.dumps([found.cpu, found.memory]))"


def measurement(script):
    ran = subprocess.run([sys.executable, "-c", BUSY + script + PRINT], check=True, capture_output=True, text=True)
    return json.loads(ran.stdout)


@pytest.mark.parametrize(
    "script", ["found = measured(lambda: (start(), end()))", "found = measured(start); end()"], ids=["ended", "goes on"]
)
def test_a_process_that_is_started_counts(script):
    cpu, memory = measurement(script)
    assert 0.35 < cpu < 30
    assert memory > 60_000_000


@pytest.mark.parametrize("then", ["lambda: None", "end"], ids=["goes on", "ended"])
def test_what_a_process_used_before_does_not_count(then):
    cpu, memory = measurement(f"start(); found = measured({then}); child.poll() is None and end()")
    assert cpu < 0.35
    assert memory < 40_000_000
