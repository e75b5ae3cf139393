"""A round robin of random bots, played, stored, verified and scored, against the least that all this could cost.

Also how long it takes: games a second with one and with two tournament workers, and the pauses between rounds.
"""

import time
from collections.abc import Sequence
from itertools import count, groupby, pairwise
from statistics import median
from typing import Any, NamedTuple

import psutil

from bench.matches import store_form, stream_name
from bench.measuring import Claim, Row, Run, Sample, compare, measure, take_rounds, times_the_cost
from bench.rig import Rig, cpu_s, stop
from plyscribe.domain.bots import build_bot, choose_move
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import Event, parse_event
from plyscribe.domain.commands import Actor
from plyscribe.domain.events import BuiltIn, MoveMade
from plyscribe.domain.match import Match, fold
from plyscribe.domain.ruleset import Decision
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.tournament.commands import CreateTournament, RegisterEntrant, StartTournament
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import BUCKETS, Append
from plyscribe.service.store.redis import connect_server
from plyscribe.service.store.redis_keys import feed_key
from plyscribe.service.streams.ids import job_command, stream_id

ENTRANTS = 8
POLL_S = 0.05

MANY = 16
"""Entrants of the tournaments that are timed: enough games a round for two workers."""
TIMES = 3
GAMES = ENTRANTS * (ENTRANTS - 1) // 2
ORGANISER = Actor("organiser", "player-" + "o" * 26)

OURS = "tournament"
LEAST = "played in one process, appended bare, folded once"
CLAIMS = [Claim("pathagon: a game of a round robin of random bots", "game", OURS, LEAST, times_the_cost(2))]

_numbers = count(1)
_streams = count(60_000)


class Timed(NamedTuple):
    """Games a second, and the pauses between rounds in milliseconds."""

    games_s: float
    pauses_ms: list[int]


class _Crew:
    """The processes that run tournaments, as `plyscribe serve` starts them."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._client = connect_server(rig.store.url)
        self._feed = FeedGroup(self._client)
        self._processes = [
            psutil.Process(rig.store.process.pid),
            *map(rig.start_worker, ("relay", "verify", "tournament")),
        ]

    def play_out(self, entrants: int = ENTRANTS) -> str:
        """Run a new tournament to its end, wait until it is relayed, and return its stream."""
        stream = _start(self._rig, entrants)
        self._wait_for(stream)
        return stream

    def _wait_for(self, stream: str) -> None:
        while self._rig.parts.tournaments.read(stream).status == "playing" or self._feed.lag():
            time.sleep(POLL_S)

    def take_time(self) -> Timed:
        """Time a tournament of MANY entrants, from its creation until all of it is relayed."""
        start = time.monotonic()
        stream = self.play_out(MANY)
        taken = time.monotonic() - start
        return Timed(MANY * (MANY - 1) / 2 / taken, self._measure_pauses(stream))

    def take_time_with_two(self) -> Timed:
        """As `take_time`, with a second tournament worker."""
        second = self._rig.start_worker("tournament")
        try:
            self.play_out()
            return self.take_time()
        finally:
            stop(second)

    def _measure_pauses(self, stream: str) -> list[int]:
        """The milliseconds from the append of a round's last move to the command with the first of the next round."""
        played = self._read_play_times()
        rounds = [
            [game.match or "" for games in each.games for game in games]
            for each in self._rig.parts.tournaments.read(stream).rounds
        ]
        return [
            min(self._find_first_move(match) for match in after) - max(played[match] for match in before)
            for before, after in pairwise(rounds)
        ]

    def _read_play_times(self) -> dict[str, int]:
        """When the last moves of matches were appended, in UTC milliseconds."""
        feeds: list[Any] = [self._client.xrange(feed_key(bucket)) for bucket in BUCKETS]
        moves = [(fields[b"s"].decode(), id) for feed in feeds for id, fields in feed if b"move-made" in fields[b"t"]]
        return {match: int(id.partition(b"-")[0]) for match, id in moves}

    def _find_first_move(self, match: str) -> int:
        events = map(parse_event, self._rig.parts.matches.read_events(match, 0))
        return next(event.at for event in events if isinstance(event.data, MoveMade))

    def measure(self) -> Sample:
        """The CPU time of all processes for a tournament, with that of its organiser: this process, until it waits."""
        # The bare matches of the other candidate are relayed too, and must not count here.
        while self._feed.lag():
            time.sleep(POLL_S)
        start, own = cpu_s(self._processes), time.process_time()
        stream = _start(self._rig, ENTRANTS)
        own = time.process_time() - own
        self._wait_for(stream)
        spent = own + cpu_s(self._processes) - start
        assert self._rig.parts.tournaments.read(stream).status == "ended"
        return Sample(GAMES, spent)


def measure_subject(rig: Rig, rounds: int) -> list[Row]:
    """Measure whole tournaments: the CPU time of all processes, against the bare matches. Then time them."""
    crew = _Crew(rig)
    recorded = _record(rig, crew.play_out())
    runs: dict[str, Run] = {OURS: crew.measure, LEAST: _least(rig, recorded)}
    rows = compare(take_rounds(runs, rounds), CLAIMS)
    timed = [(crew.take_time(), crew.take_time_with_two()) for _ in range(TIMES)]
    one, two = zip(*timed, strict=True)
    return [
        *rows,
        Row("· games a second, one tournament worker", _format_range([each.games_s for each in one])),
        Row("· games a second, two tournament workers", _format_range([each.games_s for each in two])),
        Row(
            "· ms from a round's last move to the next round's first",
            _format_range([ms for each in one for ms in each.pauses_ms]),
        ),
    ]


def _format_range(values: Sequence[float]) -> str:
    return f"{median(values):.0f} ({min(values):.0f}–{max(values):.0f})"


def _start(rig: Rig, count: int) -> str:
    number = next(_numbers)
    stream = stream_id("tournament", job_command("bench", "tournament", number))
    terms = CreateTournament(
        actor=ORGANISER, name="Bench", ruleset="pathagon", format={"kind": "round-robin"}, seed=number
    )
    entrants = [RegisterEntrant(actor=ORGANISER, occupant=build_bot("random", seed)) for seed in range(count)]
    for step, command in enumerate((terms, *entrants, StartTournament(actor=ORGANISER))):
        asked = job_command("bench", "tournament", number, step)
        rig.parts.tournaments.execute(stream, command, asked, new=step == 0)
    return stream


def _record(rig: Rig, stream: str) -> list[list[Event]]:
    """The events of the tournament's matches."""
    matches = [game.match for game in rig.parts.tournaments.read(stream).games()]
    return [[parse_event(entry) for entry in rig.parts.matches.read_events(match or "", 0)] for match in matches]


def _least(rig: Rig, recorded: Sequence[Sequence[Event]]) -> Run:
    """The three things that no tournament can do without, added up: play, append, fold."""
    store = psutil.Process(rig.store.process.pid)

    def run() -> Sample:
        played = measure(lambda: _play_all(recorded))
        appends = [append for events in recorded for append in _list_appends(events)]
        start = time.process_time() + cpu_s([store])
        for append in appends:
            rig.parts.store.append(*append)
        appended = time.process_time() + cpu_s([store]) - start
        forms = [store_form(stream_name(0), events) for events in recorded]
        folded = measure(lambda: _fold_all(forms))
        return Sample(GAMES, played.cpu_s + appended + folded.cpu_s)

    return run


def _play_all(recorded: Sequence[Sequence[Event]]) -> int:
    ruleset = find_ruleset("pathagon")
    for number, _ in enumerate(recorded):
        builds = [BuiltIn("random", 1, number, None), BuiltIn("random", 1, number + 1, None)]
        state, ply = ruleset.initial_state(ruleset.parse_options({}), 2), 0
        while isinstance(turn := ruleset.turn(state), Decision):
            state = ruleset.apply_move(state, choose_move(builds[turn.seat - 1], ruleset, state, turn.seat, ply))
            ply += 1
    return len(recorded)


def _list_appends(events: Sequence[Event]) -> list[Append]:
    """The appends of a match under a new id, one for each command."""
    stream = stream_name(next(_streams))
    stored, appends, version, head = store_form(stream, events), list[Append](), 0, b""
    for cause, group in groupby(events, key=lambda event: event.cause):
        types = [event.data.type for event in group]
        entries = stored[version : version + len(types)]
        appends.append(Append(stream, version, head, entries, types, job_command(stream, cause)))
        version, head = version + len(types), entries[-1].h
    return appends


def _fold_all(forms: Sequence[Sequence[StoredEvent]]) -> int:
    for entries in forms:
        assert fold(Match(stream_name(0)), entries).life.status == "scored"
    return len(forms)
