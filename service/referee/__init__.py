"""The referee: somebody's own simulator of a game, held against our rules until the two differ.

    simulator_lines.py   the lines that go to a simulator and come back
    simulator.py         a running simulator
    comparing.py         what a simulator says of a position beside what our rules say
    judging.py           a whole match under both, and the shrinking of one that differs
    recorded.py          recorded matches in files
    findings.py          what was found, as a record, as a vector and with the clauses concerned

docs/referee.md describes all of it for authors of simulators.
"""
