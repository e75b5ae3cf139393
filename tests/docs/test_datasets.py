"""docs/datasets.md: its tables of columns are those of the code."""

import re
from pathlib import Path

import pytest

from plyscribe.service.datasets.datasheet import describe_columns
from plyscribe.service.datasets.schema import NESTED, OPENING_MOVES, SCHEMA_VERSION, TABLES

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", [*TABLES, *NESTED])
def test_the_columns_of_a_table_are_documented(table: str) -> None:
    part = re.split(r"^#+ ", TEXT, flags=re.M)[1:]
    [shown] = [each for each in part if each.startswith(f"{table}\n")]
    written = [line for line in shown.splitlines() if line.startswith("|")]
    columns = {**TABLES, **NESTED}[table]
    assert written == [line for line in describe_columns(columns) if line]


def test_the_version_of_the_schema_is_documented() -> None:
    assert f"This is schema version {SCHEMA_VERSION}." in TEXT
    assert f"at most {OPENING_MOVES}" in TEXT
