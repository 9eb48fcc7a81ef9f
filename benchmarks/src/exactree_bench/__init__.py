"""Benchmarks: exactree and its peers side by side, every fit in a process of its own, costs compared beside times.

A *case* is a table as a paper uses it, a *contestant* a way to fit a tree to it, a *match* a case at one depth for
several contestants in turn, and a *job* one fit of such a match. A *suite* says which matches to run and what to
report of them. Import what you need from the modules; this one stays empty so that a worker starts quickly.
"""
