"""Runs jobs under limits, logs their outcomes, and sums them up."""
