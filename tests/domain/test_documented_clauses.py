"""Every clause of every rulebook has a test that names it."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("ruleset", "clause", "last"),
    [("pathagon", "PA", 11), ("zhen", "ZH", 9), ("crystals", "CR", 21), ("portals", "PO", 20), ("rings", "RI", 26)],
)
def test_every_documented_clause_has_a_test(ruleset: str, clause: str, last: int) -> None:
    page = (HERE.parents[1] / f"docs/rulesets/{ruleset}.md").read_text(encoding="utf-8")
    clauses = re.findall(rf"^### ({clause}\d+) · ", page, re.MULTILINE)
    assert clauses == [f"{clause}{number}" for number in range(1, last + 1)]
    names = re.findall(
        r"^def (test_\w+)", "".join(each.read_text() for each in HERE.glob(f"test_{ruleset}_v1*.py")), re.M
    )
    assert [each for each in clauses if not any(f"_{each.lower()}_" in name for name in names)] == []
