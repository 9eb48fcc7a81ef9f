"""Benchmarks: exactree and its peers side by side, every fit in its own process, errors compared as well as times.

A *case* is a dataset as a paper uses it, a *contestant* is a method that fits a tree to it, a *match* is a case at one
depth for several contestants in turn, and a *job* is one fit of a match. A *suite* plans matches and reports on them.
Import from the modules; this one stays empty so that worker processes start quickly.
"""
