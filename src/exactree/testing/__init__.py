"""Checks that every solver must pass; solvers of others may run them too."""

from exactree.testing.conformance import CHECKS, admits_when_stopped
from exactree.testing.problems import large_problem, tiny_problems

__all__ = ["CHECKS", "admits_when_stopped", "large_problem", "tiny_problems"]
