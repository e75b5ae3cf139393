"""Measures what Plyscribe costs, one module a subject. `python -m bench` measures them all.

One rule: we report ratios, not times, because a time says more about the machine than about the program. Every subject
is measured in turn with its ceiling, in the same run.
"""
