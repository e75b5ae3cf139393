"""Folding stored events into a position, against rebuilding an `eventsourcing` aggregate and a python-chess replay."""

import random

import chess
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from bench.matches import decide_events, decide_random_events, long_moves, random_moves, store_form, stream_name
from bench.measuring import Claim, Row, Run, compare, measure, take_rounds, times_as_fast, times_the_cost
from bench.rig import Rig
from plyscribe.domain.codec import Event
from plyscribe.domain.match import Match, fold

EVENTS = 20_000
PLIES = 300
PLIES_OF_CRYSTALS = 200
"""Matches of crystals are shorter."""
PLIES_OF_PORTALS = 250

OURS = "fold"
RINGS = "fold of rings"
ZHEN = "fold of zhen"
CRYSTALS = "fold of crystals"
PORTALS = "fold of portals"
LIBRARY = "eventsourcing"
REPLAY = "python-chess, trusted UCI"

CLAIMS = [
    Claim("fold of stored events", "event", OURS, LIBRARY, times_as_fast(4)),
    *(
        Claim(f"fold of a match of {name.removeprefix('fold of ')}", "event", name, LIBRARY, times_as_fast(4))
        for name in (ZHEN, CRYSTALS, PORTALS, RINGS)
    ),
    Claim("fold of stored events", "event", OURS, REPLAY, times_as_fast(0.5)),
    Claim("fold of a match of rings", "event", RINGS, OURS, times_the_cost(8)),
    Claim("fold of a match of crystals", "event", CRYSTALS, OURS, times_the_cost(3)),
    Claim("fold of a match of portals", "event", PORTALS, OURS, times_the_cost(4)),
]


def measure_subject(rig: Rig, rounds: int) -> list[Row]:
    """Measure the fold of a match (300 plies, or as many as it has): decode, check the chain, parse, apply."""
    pathagon, rings = decide_events("pathagon", long_moves(PLIES)), decide_random_events("rings", PLIES)
    crystals = decide_random_events("crystals", PLIES_OF_CRYSTALS, seats=4)
    portals = decide_random_events("portals", PLIES_OF_PORTALS, seats=3)
    zhen = random_moves("zhen", 1)
    runs = {
        OURS: _fold(pathagon),
        RINGS: _fold(rings),
        ZHEN: _fold(decide_events("zhen", zhen), len(zhen)),
        CRYSTALS: _fold(crystals, PLIES_OF_CRYSTALS),
        PORTALS: _fold(portals, PLIES_OF_PORTALS),
        LIBRARY: _rebuild(),
        REPLAY: _replay(),
    }
    return compare(take_rounds(runs, rounds), CLAIMS)


def _fold(events: list[Event], plies: int = PLIES) -> Run:
    stream = stream_name(0)
    entries = store_form(stream, events)
    times = EVENTS // len(entries)

    def run() -> int:
        for _ in range(times):
            match = fold(Match(stream), entries)
            assert match.play is not None
            assert match.play.ply == plies
        return times * len(entries)

    return lambda: measure(run)


class _Game(Aggregate):
    @event("Started")
    def __init__(self) -> None:
        self.moves: list[str] = []

    @event("Moved")
    def move(self, seat: int, move: str) -> None:
        self.moves.append(move)


def _rebuild() -> Run:
    """An aggregate with as many events, read from the repository of an application that keeps them in memory."""
    application: Application = Application()
    game = _Game()
    for ply, move in enumerate(long_moves(PLIES)):
        game.move(1 + ply % 2, move)
    application.save(game)
    times = EVENTS // (PLIES + 1)

    def run() -> int:
        for _ in range(times):
            rebuilt: _Game = application.repository.get(game.id)
            assert len(rebuilt.moves) == PLIES
        return times * (PLIES + 1)

    return lambda: measure(run)


def _replay() -> Run:
    game = _random_chess(PLIES)
    times = EVENTS // len(game)

    def run() -> int:
        for _ in range(times):
            board = chess.Board()
            for uci in game:
                board.push(chess.Move.from_uci(uci))
        return times * len(game)

    return lambda: measure(run)


def _random_chess(plies: int) -> list[str]:
    """The first moves of the first random game with this many plies."""
    for seed in range(1000):
        rng, board, moves = random.Random(seed), chess.Board(), list[str]()
        while len(moves) < plies and (legal := list(board.legal_moves)):
            board.push(rng.choice(legal))
            moves.append(board.peek().uci())
        if len(moves) == plies:
            return moves
    raise AssertionError(f"no random game of chess has {plies} plies")
