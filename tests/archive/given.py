"""Streams to pack."""

from random import Random

from bench.matches import decide_events, decide_random_events, random_moves, store_form, stream_name
from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.codec import Event
from plyscribe.domain.commands import Actor
from plyscribe.service.archive.stream_columns import Kept
from plyscribe.service.store.port import CommandKey, Remembered

BEN = Actor("player", "player-" + "b" * 26)


def keep(number: int, events: list[Event], rng: Random) -> Kept:
    """The stream of these events, with a command of its own for each cause."""
    stream = stream_name(number)
    stored, commands = store_form(stream, events), dict[str, list[int]]()
    for event in events:
        commands.setdefault(event.cause, []).append(event.version)
    remembered = [
        Remembered(CommandKey(bytes.fromhex(cause), rng.randbytes(8)), versions[0], versions[-1])
        for cause, versions in commands.items()
    ]
    return Kept(stream, stored, remembered)


def make_match(number: int, ruleset: str = "zhen") -> Kept:
    """A random match, a different one for each number."""
    return keep(number, decide_events(ruleset, random_moves(ruleset, number)[:40], BEN), Random(number))


def make_match_with_dice(number: int) -> Kept:
    """A match of crystals with the server's dice."""
    return keep(number, decide_random_events("crystals", 40, 4), Random(number))


def make_foreign(number: int) -> Kept:
    """A stream that no release of ours has written."""
    stream = stream_name(number)
    stored = link_all(first_link(stream), 1, [b"{}", b"", b"two\nlines", b'{"at":1}'])
    return Kept(stream, stored, [Remembered(CommandKey(bytes(16), b"12345678"), 2, 3)])
