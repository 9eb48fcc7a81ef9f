"""Figures of the suites, drawn with matplotlib."""
