"""Numerical tolerances, one home for the whole package.

There are two, since two different errors are at work:

- *Data* (weights, costs, coefficients) are floats that carry a few roundings of the caller's arithmetic, 0.1 + 0.2 for
  0.3. These errors are about 1e-16 relative, 1e-12 after long sums. A number within ``INTEGRALITY`` of an integer is
  that integer. A larger tolerance would merge values that differ.
- *Solutions of foreign solvers* satisfy rows, bounds and integrality only up to the solver's own feasibility tolerance.
  HiGHS and SCIP default to 1e-6, Gurobi is set to it. A value within ``FEASIBILITY`` of an integer is that integer, and
  objectives within it, relative to their size, are equal. A smaller tolerance would take solver noise for a fraction.
"""

INTEGRALITY = 1e-9  # of data
FEASIBILITY = 1e-6  # of what a foreign solver returns
