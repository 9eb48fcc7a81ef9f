"""A memory limit holds: measured from outside, in a process of its own."""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
import numpy as np
from exactree import OptimalTreeClassifier

def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))

rng = np.random.default_rng(0)
X = rng.integers(0, 2, size=(300, 24)).astype(float)
y = rng.integers(0, 2, size=300)
OptimalTreeClassifier(2).fit(X, y)  # what is loaded only once
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # forget the highest so far
before = status("VmRSS")
tree = OptimalTreeClassifier(5, memory_limit=int(sys.argv[1])).fit(X, y)
counters = tree.solution_.counters
print(json.dumps([tree.status_, tree.cost_, status("VmHWM") - before, counters["cache_entries"]]))
"""


def fitted(limit):
    command = [sys.executable, "-c", PROGRAM, str(limit)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the kernel's own account of memory, which is Linux's")
def test_a_full_cache_loses_speed_not_exactness():
    roomy, tight = fitted(10**9), fitted(2 * 10**6)
    assert roomy[:2] == tight[:2]
    assert roomy[0] == "optimal"
    assert tight[3] < roomy[3], "the limit must be one that is felt"
    assert tight[2] <= 1.1 * 2 * 10**6
