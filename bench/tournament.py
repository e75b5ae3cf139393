"""A round robin of random bots, played, stored, verified and scored, beside the least that all this could cost."""

import time
from collections.abc import Sequence
from itertools import count, groupby

import psutil
from redis import Redis
from rq.serializers import JSONSerializer

from bench.matches import store_form, stream_name
from bench.measuring import Claim, Row, Run, Sample, compare, measure, take_rounds, times_the_cost
from bench.rig import Rig, cpu_s
from domain.bots import build_bot, choose_move
from domain.chain import StoredEvent
from domain.commands import Actor
from domain.events import BuiltIn, Event, parse_event
from domain.match import Match, fold
from domain.ruleset import Decision
from domain.rulesets import find_ruleset
from domain.tournament.commands import CreateTournament, RegisterEntrant, StartTournament
from service.ids import job_command, stream_id
from service.queues import play_queue, verify_queue
from service.store.feed import FeedGroup
from service.store.port import Append, FeedEntry
from service.store.redis import connect_client
from workers.relay import Relay, make_duties
from workers.worker import Worker

ENTRANTS = 8
GAMES = ENTRANTS * (ENTRANTS - 1) // 2
ORGANISER = Actor("organiser", "player-" + "o" * 26)

OURS = "tournament"
LEAST = "played in one process, appended bare, folded once"
CLAIMS = [Claim("pathagon: a game of a round robin of random bots", "game", OURS, LEAST, times_the_cost(2))]

_numbers = count(1)
_streams = count(60_000)


class _Feed(FeedGroup):
    """A feed that knows how much of it was read last."""

    size = 0

    def read(self, count: int, block_ms: int = 0) -> list[tuple[str, str, FeedEntry]]:
        batch = super().read(count, block_ms)
        self.size = len(batch)
        return batch


class _Runner:
    """A relay and workers in this process."""

    def __init__(self, rig: Rig) -> None:
        client, self._queues = connect_client(rig.store.url), Redis.from_url(rig.store.url)
        self._feed = _Feed(client)
        self._relay = Relay(self._feed, make_duties(rig.parts, client, self._queues))
        self._rig = rig

    def play_out(self) -> str:
        """A new tournament, run to its end."""
        stream = _start(self._rig)
        while self._relay_all() or self._work() or self._rig.parts.tournaments.read(stream).status == "playing":
            pass
        return stream

    def _relay_all(self) -> bool:
        self._relay.step(block_ms=0)
        return self._feed.size > 0

    def _work(self) -> bool:
        due = [queue for queue in (play_queue(self._queues), verify_queue(self._queues)) if len(queue)]
        for queue in due:
            worker = Worker([queue], connection=self._queues, serializer=JSONSerializer)
            worker.work(burst=True, logging_level="WARNING")
        return bool(due)


def measure_subject(rig: Rig, rounds: int) -> list[Row]:
    """Whole tournaments: CPU of relay, workers and store; and of the same matches without all that."""
    runner = _Runner(rig)
    recorded = _record(rig, runner.play_out())
    runs: dict[str, Run] = {OURS: _player(rig, runner), LEAST: _least(rig, recorded)}
    return compare(take_rounds(runs, rounds), CLAIMS)


def _player(rig: Rig, runner: _Runner) -> Run:
    store = psutil.Process(rig.store.process.pid)

    def run() -> Sample:
        start = time.process_time() + cpu_s([store])
        stream = runner.play_out()
        spent = time.process_time() + cpu_s([store]) - start
        assert rig.parts.tournaments.read(stream).status == "ended"
        return Sample(GAMES, spent)

    return run


def _start(rig: Rig) -> str:
    number = next(_numbers)
    stream = stream_id("tournament", job_command("bench", "tournament", number))
    terms = CreateTournament(
        actor=ORGANISER, name="Bench", ruleset="pathagon", format={"kind": "round-robin"}, seed=number
    )
    entrants = [RegisterEntrant(actor=ORGANISER, occupant=build_bot("random", seed)) for seed in range(ENTRANTS)]
    for step, command in enumerate((terms, *entrants, StartTournament(actor=ORGANISER))):
        asked = job_command("bench", "tournament", number, step)
        rig.parts.tournaments.execute(stream, command, asked, new=step == 0)
    return stream


def _record(rig: Rig, stream: str) -> list[list[Event]]:
    """The events of the tournament's matches."""
    matches = [game.match for game in rig.parts.tournaments.read(stream).games()]
    return [[parse_event(entry) for entry in rig.parts.matches.read_events(match or "", 0)] for match in matches]


def _least(rig: Rig, recorded: Sequence[Sequence[Event]]) -> Run:
    """The three things that cannot be done without, added up."""
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
    """The appends of a match, a command each, under a new name."""
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
