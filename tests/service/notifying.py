"""Stands in for the relay that fills inboxes."""

from collections.abc import Sequence

from plyscribe.service.composition import Parts
from plyscribe.service.live.inboxes import Inboxes, Letters
from plyscribe.service.live.letters import LetterSink
from plyscribe.service.store.port import FeedEntry


def notify(parts: Parts, entries: Sequence[FeedEntry]) -> None:
    """Enter and announce the letters that follow from these entries of the feed."""
    sink = LetterSink(parts.inboxes, parts.matches, parts.accounts.players, parts.tournaments.handler)
    enter = sink.collect(entries)
    with parts.database.writing() as connection:
        enter(connection)
    sink.announce()


def enter_letters(inboxes: Inboxes, letters: Letters) -> None:
    with inboxes.database.writing() as connection:
        inboxes.enter(connection, letters)
    inboxes.announce(lambda announced: None)
