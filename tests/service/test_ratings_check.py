"""`plyscribe ratings check` and `plyscribe rebuild ratings`, beside the service whose rows they read."""

import json

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from plyscribe.service.cli import ratings as ratings_command
from plyscribe.service.cli import rebuild as rebuild_command
from plyscribe.service.cli.__main__ import cli
from plyscribe.service.composition import compose
from tests.service.conftest import CONFIG
from tests.service.ledgers import Entries


class Desk:
    """A ledger with its rows, and the command line beside them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.entries = Entries("zhen")
        self.parts = compose(CONFIG, self.entries.store)
        for module in (ratings_command, rebuild_command):
            monkeypatch.setattr(module, "compose_beside", lambda data: self.parts)

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(cli, arguments)

    def damage(self) -> None:
        """Write another rating for Ann."""
        tables = self.parts.ratings.tables
        with tables.database.writing() as connection:
            row = sa.update(tables.live.ratings).where(tables.live.ratings.c.player == "ann").values(mu=1)
            connection.execute(row)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = Desk(monkeypatch)
    desk.entries.rate("m1", "ann", "ben")
    desk.entries.rate("m2", "ben", "cat")
    desk.entries.unrate("m2")
    desk.parts.ratings.folder.catch_up("zhen")
    return desk


def test_rows_that_follow_from_the_ledger_are_right_and_what_is_not_folded_yet_is_no_fault(desk):
    ran = desk.run("ratings", "check", "zhen")
    assert (ran.exit_code, "version 4, matches: 1, players: 2\n" in ran.output) == (0, True), ran.output
    [zhen] = json.loads(desk.run("ratings", "check", "zhen", "--json").stdout)
    every = json.loads(desk.run("ratings", "check", "--json").stdout)
    assert {"zhen", "pathagon"} <= {each["ruleset"] for each in every}
    assert zhen in every
    desk.entries.rate("m3", "cat", "dan")
    ran = desk.run("ratings", "check", "zhen")
    assert (ran.exit_code, "entries after it that do not count yet: 1" in ran.output) == (0, True)


def test_a_wrong_row_is_named_and_a_rebuild_mends_it(desk):
    desk.damage()
    ran = desk.run("ratings", "check", "zhen")
    assert ran.exit_code == 1
    assert "the rating of ann: mu is 1, should be" in ran.output
    assert "plyscribe rebuild ratings" in ran.output
    rebuilt = desk.run("rebuild", "ratings")
    assert rebuilt.exit_code == 0, rebuilt.output
    assert desk.run("ratings", "check", "zhen").exit_code == 0


def test_a_ledger_that_is_damaged_or_unknown_cannot_be_checked(desk):
    stored = desk.entries.store._events["ratings-zhen"]
    stored[1] = stored[1]._replace(e=b"{}")
    for ruleset, why in (("zhen", "ratings-zhen cannot be read"), ("chess", "the rulesets are")):
        ran = desk.run("ratings", "check", ruleset)
        assert (ran.exit_code, why in ran.output) == (2, True)
