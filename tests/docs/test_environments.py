"""The page about environments: its examples print what it says, and its tables are those of the spaces."""

import re
from contextlib import redirect_stdout
from io import StringIO

import pytest

from tests.envs.cases import RULES
from tests.envs.page import render_planes, render_sizes
from tests.system.running import ROOT

PAGE = (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n((?:(?!```).)*)```\n\nIt prints\n\n((?:    [^\n]*\n)+)", PAGE, re.DOTALL)


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=["pettingzoo", "gymnasium", "openspiel", "actions"])
def test_an_example_prints_what_the_page_says(code, printed):
    out = StringIO()
    with redirect_stdout(out):
        exec(code, {})
    assert out.getvalue() == re.sub("^    ", "", printed, flags=re.MULTILINE)


def test_the_spaces_of_the_page_can_be_registered():
    [code] = [code for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "register_spaces" in code]
    names = {}
    exec(code, names)
    assert names["make_board"]({"ply_limit": 9}, 3).shape == (5, 10)
    assert names["make_actions"]({}, 3).size == 2


@pytest.mark.parametrize("ruleset", RULES)
def test_the_tables_are_those_of_the_spaces(ruleset):
    assert render_planes(ruleset) in PAGE, "run python -m tests.envs.page and copy its tables"
    assert render_sizes(ruleset) in PAGE, "run python -m tests.envs.page and copy its tables"
