"""Bots that misbehave as they are told: small programs in Python, each in a file of its own."""

import sys
from pathlib import Path
from textwrap import dedent

HEAD = """\
import json, os, sys, time

def say(**fields):
    print(json.dumps(fields), flush=True)

asked = {}
"""


def write_bot(folder: Path, code: str, name: str = "bot.py") -> list[str]:
    """The command of a bot that runs this code for each line, read as `asked`; `before` is the line before it."""
    body = dedent(code).strip().replace("\n", "\n    ")
    loop = f"for line in sys.stdin:\n    before, asked = asked, json.loads(line)\n    {body}\n"
    return write_program(folder, HEAD + loop, name)


def write_program(folder: Path, code: str, name: str = "bot.py") -> list[str]:
    path = folder / name
    path.write_text(code, encoding="utf-8")
    return [sys.executable, "-S", "-I", str(path)]


FIRST = 'say(id=asked["id"], move=asked["legal"][0])'
"""Plays the first legal move, and dies of an error line."""
