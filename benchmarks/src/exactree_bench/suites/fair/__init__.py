"""Trees under a constraint of fairness."""
