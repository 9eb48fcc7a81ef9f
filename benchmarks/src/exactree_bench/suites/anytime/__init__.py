"""Errors and bound over time, at depths beyond those that can be proved."""
