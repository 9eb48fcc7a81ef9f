"""Memory of processes, of this one and of others."""

import subprocess
import sys

from exactree.memory import resident, total

MUCH = 80_000_000
HOLD = f"held = bytearray({MUCH}); print(flush=True); input()"


def test_memory_that_is_taken_is_seen():
    before = resident()
    held = bytearray(MUCH)
    assert 0.9 * MUCH < resident() - before < 3 * MUCH
    assert len(held) == MUCH


def test_memory_of_another_process_until_it_ends():
    with subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert MUCH < resident(process.pid) < total()
        process.communicate(b"\n")
        assert resident(process.pid) == 0


def test_memory_of_a_process_that_is_not_there():
    assert resident(2**22 + 1) == 0  # beyond the largest number of a process
