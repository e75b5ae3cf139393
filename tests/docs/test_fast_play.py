"""docs/fast-play.md: its programs run as they stand, with fewer games."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "fast-play.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.server
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_programs_of_the_page_run(program: str, tmp_path: Path):
    fewer = program.replace("1000", "2").replace("100,", "1,").replace("mcts:50", "mcts:1")
    subprocess.run([sys.executable, "-W", "error", "-c", fewer], cwd=tmp_path, check=True, capture_output=True)


def test_the_page_has_programs():
    assert len(PROGRAMS) == 2
