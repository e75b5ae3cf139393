"""Bots in any language: a process that is asked a line of JSON for each decision and answers with one.

    protocol.py   the lines
    process.py    the process that speaks them
    keeper.py     starts it again where it fails
    worker.py     does what matches want of the account, one thing after another
    play.py       follows the inbox, and has workers look at matches
    check.py      asks tricky positions, without any server

docs/bots.md tells bot authors what holds.
"""
