"""What Plyscribe costs, beside what others cost: one module a subject, `python -m bench` measures them all.

One rule: nothing is said of a time alone. Every subject is measured in turn with its ceiling, in the same run.
"""
