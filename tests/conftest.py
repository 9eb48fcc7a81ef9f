"""What all tests share."""

import os

# Threads of boosting models that wait actively for each other take a hundred times as long where other programs run:
# 113 s in place of 4 s for one of scikit-learn's checks. Read when the first of them is loaded, so it comes first.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
