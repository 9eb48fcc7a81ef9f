"""What a fit takes counts wherever it is taken: here, or in a process of its own."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what ended processes took")

# Every measurement is made by a process of its own, as a worker is: of ended children only the largest is known.
BUSY = """
import subprocess, sys
from exactree_bench.measure import measured
busy = "import time; held = bytearray(80_000_000)\\nwhile time.process_time() < 1.0: pass\\nprint(flush=True); input()"
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}

def start():
    global child
    child = subprocess.Popen([sys.executable, "-c", busy], **pipes)
    child.stdout.readline()

def end():
    child.communicate(b"\\n")
"""
TOLD = "\nimport json; print(json.dumps([found.cpu, found.memory]))"


def taken(script):
    ran = subprocess.run([sys.executable, "-c", BUSY + script + TOLD], check=True, capture_output=True, text=True)
    return json.loads(ran.stdout)


@pytest.mark.parametrize(
    "script", ["found = measured(lambda: (start(), end()))", "found = measured(start); end()"], ids=["ended", "goes on"]
)
def test_a_process_that_is_started_counts(script):
    cpu, memory = taken(script)
    assert 0.9 < cpu < 30
    assert memory > 60_000_000


@pytest.mark.parametrize("then", ["lambda: None", "end"], ids=["goes on", "ended"])
def test_what_a_process_took_before_does_not_count(then):
    cpu, memory = taken(f"start(); found = measured({then}); child.poll() is None and end()")
    assert cpu < 0.5
    assert memory < 40_000_000
