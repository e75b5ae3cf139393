"""Python code run in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent


def run_with_hash_seed(code: str, seed: int) -> str:
    """What the code prints where sets and dicts of texts have the order that follows from the seed."""
    command = [sys.executable, "-c", dedent(code)]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout
