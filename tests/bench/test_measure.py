"""What a fit takes counts wherever it is taken: here, or in a process of its own."""

import subprocess
import sys

import pytest

from exactree.bench.children import PROC
from exactree.bench.measure import measured

BUSY = "import time\nheld = bytearray(80_000_000)\nwhile time.process_time() < {}: pass\n"
pytestmark = pytest.mark.skipif(not PROC.exists(), reason="only Linux tells what other processes take")


def test_a_process_that_has_ended():
    found = measured(lambda: subprocess.run([sys.executable, "-c", BUSY.format(0.6)], check=True))
    assert 0.5 < found.cpu < 30
    assert found.memory > 60_000_000


def test_a_process_that_goes_on():
    waiting = BUSY.format(0.6) + "print(flush=True)\ninput()"

    def work():
        nonlocal process
        process = subprocess.Popen([sys.executable, "-c", waiting], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdout.readline()

    process = None
    try:
        found = measured(work)
    finally:
        process.communicate(b"\n")
    assert 0.5 < found.cpu < 30
    assert found.memory > 60_000_000


def test_what_a_process_took_before_does_not_count():
    waiting = BUSY.format(1.0) + "print(flush=True)\ninput()"
    with subprocess.Popen([sys.executable, "-c", waiting], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        found = measured(lambda: None)
        process.communicate(b"\n")
    assert found.cpu < 0.5
    assert found.memory < 40_000_000
