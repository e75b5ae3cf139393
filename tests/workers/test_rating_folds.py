"""The relay's duty for ratings: which ledgers it folds, how far at a time, and what it does with one that it cannot."""

import logging

import pytest
import sqlalchemy as sa

from plyscribe.service.composition import compose
from plyscribe.service.database.engine import DatabaseUnavailable
from plyscribe.service.ratings.folding import STEP
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import FeedEntry
from plyscribe.workers.duties.ratings import RatingFolds
from tests.service.conftest import CONFIG
from tests.service.ledgers import Entries


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def duty(store) -> RatingFolds:
    return RatingFolds(compose(CONFIG, store))


def ledger(store: MemoryStore, ruleset: str, matches: int) -> Entries:
    entries = Entries(ruleset)
    entries.store = store
    for number in range(matches):
        entries.rate(f"m{number}", "ann", "ben")
    return entries


def announce(duty: RatingFolds, *rulesets: str) -> None:
    duty.take([FeedEntry(f"ratings-{ruleset}", 1, 2, ("match-rated",)) for ruleset in rulesets])


def version(duty: RatingFolds, ruleset: str) -> int:
    """How far the rows are; the ratings themselves would catch up first."""
    tables = duty._ratings.tables
    with tables.database.reading() as connection:
        query = sa.select(tables.live.ledgers.c.version).where(tables.live.ledgers.c.ruleset == ruleset)
        return connection.scalar(query) or 0


@pytest.mark.parametrize("is_in_feed", [True, False])
def test_a_ledger_is_folded_that_the_feed_or_a_scan_brings(duty, store, is_in_feed):
    ledger(store, "zhen", 3)
    duty.take([FeedEntry("match-a", 1, 1, ("match-created",))])
    assert not duty.fold()
    assert version(duty, "zhen") == 0
    if is_in_feed:
        announce(duty, "zhen")
    else:
        duty.find()
    duty.fold()
    assert version(duty, "zhen") == 4


def test_a_long_ledger_is_folded_in_steps_and_holds_up_no_other(duty, store):
    ledger(store, "zhen", 3 * STEP)
    ledger(store, "pathagon", 1)
    announce(duty, "zhen", "pathagon")
    assert duty.fold()
    assert duty.fold()
    assert (version(duty, "zhen"), version(duty, "pathagon")) == (STEP, 2)
    while duty.fold():
        pass
    assert version(duty, "zhen") == 3 * STEP + 1


def test_a_ledger_that_cannot_be_folded_is_logged_and_holds_up_no_other(duty, store, caplog):
    ledger(store, "zhen", 1)
    ledger(store, "pathagon", 1)
    stored = store._events["ratings-zhen"]
    stored[1] = stored[1]._replace(e=b"{}")
    announce(duty, "zhen", "pathagon")
    with caplog.at_level(logging.ERROR):
        while duty.fold():
            pass
    assert "ratings-zhen cannot be read" in caplog.text
    assert (version(duty, "zhen"), version(duty, "pathagon")) == (0, 2)


def test_while_the_database_is_away_the_ledger_stays_noted(duty, store, monkeypatch):
    ledger(store, "zhen", 1)
    announce(duty, "zhen")

    def fail(ruleset: str) -> bool:
        raise DatabaseUnavailable("away")

    with monkeypatch.context() as patch:
        patch.setattr(duty._ratings.folder, "step", fail)
        with pytest.raises(DatabaseUnavailable):
            duty.fold()
    assert not duty.fold()
    assert version(duty, "zhen") == 2
