"""The compiled part. Nothing else in the library imports the extension directly."""

from exactree.kernel._native import Outcome, apply, dl85, grow, number_rows, rank_two_values, search, take_rows

__all__ = ["Outcome", "apply", "dl85", "grow", "number_rows", "rank_two_values", "search", "take_rows"]
