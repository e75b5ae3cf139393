"""Bots in any language: a process that gets a line of JSON for each decision and answers with one.

    protocol.py      the lines
    bot_process.py   a running bot
    keeper.py        keeps a bot running, and restarts it after failures
    source.py        the files that a bot is made of, and their digest
    decisions.py     does what matches want of the account, one thing after another
    play.py          follows the inbox, and hands matches to workers
    run.py           the settings, and what all threads of a run share
    bot_check.py     asks a bot about tricky positions, without a server

docs/bots.md describes the protocol for bot authors.
"""
