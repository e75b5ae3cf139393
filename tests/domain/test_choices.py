"""Choices: `decide` accepts every one of them, and refuses every command that is not one."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest

from plyscribe.domain.at_table import TablePlace
from plyscribe.domain.bots import BOTS
from plyscribe.domain.chain import StoredEvent, first_link, link_all, next_link
from plyscribe.domain.codec import Event, format_event
from plyscribe.domain.commands import (
    AbortMatch,
    Actor,
    AddEntropy,
    AdjustClock,
    AnnulMatch,
    AnswerDraw,
    Command,
    ConfirmRecord,
    Correct,
    CreateMatch,
    LeaveSeat,
    MakeMove,
    OfferDraw,
    PauseMatch,
    PlayOn,
    RecordRoll,
    RecordVerdict,
    ResumeMatch,
    RevealDice,
    ScoreMatch,
    Secret,
    StartMatch,
    TakeBack,
    TakeSeat,
    Withdraw,
)
from plyscribe.domain.decide import decide
from plyscribe.domain.decide.choices import COMMANDS, SYSTEM_COMMANDS, Choice, list_choices
from plyscribe.domain.dice import commit
from plyscribe.domain.errors import DomainError
from plyscribe.domain.events import (
    WITHDRAWAL_CAUSES,
    WITHDRAWAL_FAULTS,
    BuiltIn,
    EventData,
    Guest,
    MatchEnded,
    MatchRefuted,
    MatchStarted,
    MatchVerified,
    MoveMade,
    Occupant,
    RecordedDice,
    SharedDice,
)
from plyscribe.domain.match import Match, fold
from plyscribe.domain.ruleset import Decision, Roll
from plyscribe.domain.rulesets import RULESETS
from tests.domain.given import (
    ANN,
    BEN,
    CAT,
    DAN,
    ORGANISER,
    RECORDER,
    SECRET,
    SERVER_DICE,
    STREAM,
    SYSTEM,
    Table,
    account,
    hot_seat,
    new_match,
    recorded,
)
from tests.domain.matches import MATCHES as MATCHES_OF_ALL_KINDS
from tests.domain.prove import settings_of

every_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
MATCHES = 15
"""Random matches of each ruleset."""

STEPS = 12
FINAL = ("abort", "annul", "leave-seat", "withdraw", "confirm-record", "verify", "refute")
"""Commands that random matches seldom see, so that they go on."""

SHARED = SharedDice("block-" + "a" * 26, commit(SECRET), SERVER_DICE.key, (STREAM, "match-" + "b" * 26))
BOT = BuiltIn("random", BOTS["random"].version, 0, None)
PEOPLE = (ANN, BEN, CAT, RECORDER)
TOURNAMENT = "tournament-" + "t" * 26
ACTORS = (
    *PEOPLE,
    DAN,
    Actor("recorder", RECORDER.id),
    Actor("recorder", ANN.id),
    Actor("organiser", ANN.id),
    Actor("organiser", RECORDER.id),
    ORGANISER,
    SYSTEM,
    Actor("system", ANN.id),
    Actor("arbiter", DAN.id),
    Actor("arbiter", ANN.id),
    TablePlace(1, 2).actor,
    TablePlace(1, 2, 1).actor,
    TablePlace(1, 2, 2).actor,
    TablePlace(2, 1).actor,
)

Named = tuple[str, int | None, str | None]
"""What the law compares: a command by its word, with its seat and its cause if it has any."""


def named_by(choices: tuple[Choice, ...]) -> set[Named]:
    """Every command that the choices allow."""
    return {
        (choice.command, seat, cause)
        for choice in choices
        for seat in choice.seats or (None,)
        for cause in choice.causes or (None,)
    }


def commands_on(match: Match, actor: Actor, at: int, rng: Random) -> Iterator[tuple[Named, Command]]:
    """Every command of the actor with every seat and cause, sensible or not; other values are such as could be."""
    life, play = match.lifecycle, match.play
    base = {"actor": actor, "at": at, "id": "c0ffee", "secret": Secret(SECRET)}
    move, values, plies = "a1", (1,), play.ply if play else 0
    if play and isinstance(play.turn, Decision):
        move = play.ruleset.format_move(play.state, play.ruleset.sample_move(play.state, rng.randrange))
    if play and isinstance(play.turn, Roll):
        values = tuple(rng.randrange(play.turn.sides) + 1 for _ in range(play.turn.count))
    why = "two phones" if actor.role == "organiser" else None
    takes_entropy = life is not None and life.takes_entropy and match.fault is None
    for seat in range(len(life.seats) + 2 if life else 2):
        salt = "salt" if takes_entropy and rng.random() < 0.5 else None
        yield ("take-seat", seat, None), TakeSeat(**base, seat=seat, entropy=salt)
        yield ("seat-guest", seat, None), TakeSeat(**base, seat=seat, guest=Guest("Zoe"), entropy=salt)
        yield ("leave-seat", seat, None), LeaveSeat(**base, seat=seat)
        yield ("add-entropy", seat, None), AddEntropy(**base, seat=seat, entropy="salt")
        yield ("move", seat, None), MakeMove(**base, seat=seat, move=move)
        yield ("offer-draw", seat, None), OfferDraw(**base, seat=seat)
        yield ("answer-draw", seat, None), AnswerDraw(**base, seat=seat, accept=False)
        yield ("answer-draw", seat, None), AnswerDraw(**base, seat=seat, accept=True)
        yield ("adjust-clock", seat, None), AdjustClock(**base, seat=seat, add_ms=60_000, why="a late start")
        for cause in (*WITHDRAWAL_CAUSES, "bored"):
            yield ("withdraw", seat, cause), Withdraw(**base, seat=seat, cause=cause, why=why)
        yield ("withdraw", seat, "resigned"), Withdraw(**base, seat=seat, fault=rng.choice(WITHDRAWAL_FAULTS), why=why)
    if actor.role == "system" and match.play and isinstance(play.turn, Decision):
        yield ("move", play.turn.seat, None), PlayOn(**base, moves=(move,))
    yield ("start", None, None), StartMatch(**base)
    yield ("roll", None, None), RecordRoll(**base, values=values)
    yield (
        ("take-back", None, None),
        TakeBack(**base, steps=rng.randrange(play.length if play and play.length else 1) + 1),
    )
    if plies:
        yield ("take-back", None, None), TakeBack(**base, ply=rng.randrange(plies))
    yield ("take-back", None, None), Correct(**base, take_back=1)
    yield ("confirm-record", None, None), ConfirmRecord(**base)
    yield ("pause", None, None), PauseMatch(**base, why="the lights went out")
    yield ("resume", None, None), ResumeMatch(**base)
    yield ("abort", None, None), AbortMatch(**base)
    yield ("annul", None, None), AnnulMatch(**base, why="cheated")
    yield ("reveal-dice", None, None), RevealDice(**base)
    yield ("verify", None, None), RecordVerdict(**base, verdict=MatchVerified(3, "00"))
    yield ("refute", None, None), RecordVerdict(**base, verdict=MatchRefuted(3, "why"))
    yield ("score", None, None), ScoreMatch(**base, ledger=1 if life is not None and life.created.rated else None)


def is_accepted(command: Command, match: Match) -> bool:
    try:
        return bool(decide(command, match))
    except DomainError:
        return False


def require_law(match: Match, rng: Random, actors: Sequence[Actor] = ACTORS) -> Counter[str]:
    """Assert the law for these actors, all commands and all seats in this state of a match; the commands accepted."""
    accepted: Counter[str] = Counter()
    for actor, at in product(actors, (0, 10**6)):
        if at and actor.role != "system":
            continue
        choices = list_choices(match, actor, at)
        order = [(*COMMANDS, *SYSTEM_COMMANDS).index(choice.command) for choice in choices]
        assert order == sorted(set(order))
        assert all(list(choice.seats) == sorted(set(choice.seats)) for choice in choices)
        allowed = named_by(choices) - {("rematch", None, None)}
        probes = list(commands_on(match, actor, at, rng))
        assert allowed <= {named for named, _ in probes}
        for named, command in probes:
            assert is_accepted(command, match) == (named in allowed), (actor, named, command, choices)
        accepted.update(command for command, *_ in allowed)
    return accepted


# ------------------------------------------------------------------------------------------------------ random matches


def begin(ruleset, rng: Random) -> Table:
    """A new match of a random kind."""
    for _ in range(100):
        seats, options = rng.choice(settings_of(ruleset))
        recorder = rng.choice([None, None, RECORDER, ORGANISER])
        place: dict[str, Any] = (
            {"id": TOURNAMENT, "round": 1, "board": 2} if recorder is ORGANISER else {"id": TOURNAMENT}
        )
        who: list[Occupant | None] = [None, account(rng.choice(PEOPLE)), account(rng.choice(PEOPLE))]
        who += [Guest("Ada")] * 3 if recorder else [BOT]
        table = Table()
        with suppress(DomainError):
            table.when(
                CreateMatch,
                recorder or rng.choice(PEOPLE),
                ruleset=ruleset.id,
                ruleset_version=ruleset.version,
                options=options,
                seats=tuple(rng.choice(who) for _ in range(seats)),
                recorder=TOURNAMENT if recorder is ORGANISER else recorder and recorder.id,
                dice=rng.choice([RecordedDice(), SERVER_DICE] if recorder else [SERVER_DICE, SERVER_DICE, SHARED]),
                rated=rng.random() < 0.2,
                start=rng.choice(["auto", "call"]),
                limits=rng.choice([None, {"move_ms": 1000}]),
                tournament=place if recorder is ORGANISER or rng.random() < 0.2 else None,
            )
            return table
    raise AssertionError(f"no match of {ruleset.id} can be created")


def step(table: Table, rng: Random) -> None:
    """One of the choices of some actor, more often one that goes on than one that ends the match."""
    at = 1000 + len(table.entries) if rng.random() < 0.9 else 10**6
    options = [
        (actor, named)
        for actor in ACTORS
        for named in sorted(named_by(list_choices(table.match, actor, at)), key=repr)
        if named[0] != "rematch" and (named[0] not in FINAL or rng.random() < 0.1)
    ]
    if options:
        actor, named = rng.choice(options)
        commands = [command for each, command in commands_on(table.match, actor, at, rng) if each == named]
        carry_out(table, rng.choice(commands))


def carry_out(table: Table, command: Command) -> None:
    fields = {name: getattr(command, name) for name in command.__dataclass_fields__}
    for name in ("id", "secret", "rolls"):
        del fields[name]
    table.when(type(command), **fields)


def states_of(table: Table, after: int) -> Iterator[Match]:
    """The match after each event behind a version, also in the middle of what one command appended."""
    match = fold(Match(STREAM), table.entries[:after])
    for entry in table.entries[after:]:
        match = fold(match, [entry])
        yield match


@every_ruleset
def test_decide_accepts_every_choice_and_refuses_all_else(ruleset):
    for seed in range(MATCHES):
        rng = Random(f"{ruleset.id} {seed}")
        table, seen = begin(ruleset, rng), 0
        for _ in range(STEPS):
            for match in states_of(table, seen):
                require_law(match, rng, rng.sample(ACTORS, 4))
            seen = len(table.entries)
            step(table, rng)


# ------------------------------------------------------------------------------------------------------ matches in full


def on_shared_dice() -> Table:
    table = new_match("toy", (account(ANN), None, None), dice=SHARED)
    table.when(TakeSeat, BEN, seat=2)
    table.when(LeaveSeat, BEN, seat=2)
    for seat, player in ((2, BEN), (3, CAT)):
        table.when(TakeSeat, player, seat=seat)
    table.when(OfferDraw, ANN)
    table.when(AnswerDraw, CAT, accept=False)
    table.when(Withdraw, BEN)
    table.when(Withdraw, ANN)
    table.when(RevealDice, SYSTEM)
    return table


def with_a_guest() -> Table:
    table = new_match("pathagon", (None, account(BEN)), RECORDER, recorder=RECORDER.id)
    table.when(TakeSeat, RECORDER, seat=1, guest=Guest("Ada"))
    table.when(TakeSeat, BEN, seat=2)
    table.when(MakeMove, BEN, move="a1") if table.match.play.turn.seat == 2 else table.when(
        MakeMove, RECORDER, move="a1"
    )
    table.when(TakeBack, RECORDER, ply=0)
    table.when(Withdraw, RECORDER, seat=2, cause="time")
    table.when(TakeBack, RECORDER, steps=1)
    table.when(Withdraw, RECORDER, seat=1, cause="time")
    table.when(ConfirmRecord, RECORDER)
    table.when(RecordVerdict, SYSTEM, verdict=MatchRefuted(3, "why"))
    return table


def against_time() -> Table:
    table = new_match("pathagon", (account(ANN), BOT), limits={"move_ms": 1000})
    table.when(PauseMatch, ORGANISER, why="the lights went out")
    table.when(AdjustClock, ORGANISER, seat=1, add_ms=5000, why="a late start")
    table.when(ResumeMatch, ORGANISER)
    table.when(Withdraw, SYSTEM, at=10**6, seat=1, cause="time")
    table.when(AnnulMatch, ORGANISER, why="cheated")
    return table


def rated() -> Table:
    table = new_match("pathagon", (account(ANN), None), rated=True)
    table.when(TakeSeat, BEN, seat=2)
    table.play("a1", "b2")
    table.when(Withdraw, BEN)
    table.when(RecordVerdict, SYSTEM, verdict=MatchVerified(4, "00"))
    table.when(ScoreMatch, SYSTEM, ledger=2)
    return table


def at_a_table() -> Table:
    seats = (Guest("Ida"), account(ANN))
    place = {"id": TOURNAMENT, "round": 1, "board": 2, "game": 1}
    table = new_match("crystals", seats, ORGANISER, recorder=TOURNAMENT, tournament=place, dice=RecordedDice())
    whole = TablePlace(1, 2)
    for _ in range(8):
        play, turn = table.match.play, table.match.play.turn
        if isinstance(turn, Roll):
            table.when(RecordRoll, whole._replace(seat=turn.seat or 2).actor, values=(1,) * turn.count)
            table.when(TakeBack, whole.actor, steps=1)
            table.when(RecordRoll, Actor("arbiter", DAN.id), values=(2,) * turn.count)
        else:
            text = play.ruleset.format_move(play.state, play.ruleset.sample_move(play.state, Random(1).randrange))
            table.when(MakeMove, whole._replace(seat=turn.seat).actor, move=text)
    assert table.match.play.rolls
    table.when(Withdraw, whole._replace(seat=1).actor)
    table.when(ConfirmRecord, whole.actor)
    return table


FULL = (*MATCHES_OF_ALL_KINDS, on_shared_dice, with_a_guest, at_a_table, against_time, rated)


def test_every_command_is_a_choice_of_somebody_at_some_time_and_then_alone_accepted():
    accepted: Counter[str] = Counter()
    for make in FULL:
        rng = Random(make.__name__)
        for match in states_of(make(), 0):
            accepted += require_law(match, rng)
    assert set(accepted) == {*COMMANDS, *SYSTEM_COMMANDS} - {"rematch"}


# ----------------------------------------------------------------------------------------------------- damaged matches


def damaged(table: Table, *data: EventData) -> Match:
    """The match with events that no command leads to."""
    start = table.match.version + 1
    events = [Event(version, 9000, str(ANN), "c0ffee", each) for version, each in enumerate(data, start)]
    return fold(table.match, link_all(table.match.head or first_link(STREAM), start, map(format_event, events)))


def unknown_ruleset(seats: tuple[Occupant | None, ...], **more: Any) -> Match:
    """A match of a ruleset that is not here, as its first event makes it."""
    created = replace(new_match("toy", seats, **more).match.life.created, ruleset="chess")
    return fold(
        Match(STREAM), link_all(first_link(STREAM), 1, [format_event(Event(1, 1, str(ANN), "c0ffee", created))])
    )


def unreadable() -> Match:
    table = new_match("toy")
    entry = StoredEvent(2, table.entries[-1].e.replace(b'"version":1', b'"version":2'), b"")
    e = entry.e.replace(b"match-created", b"match-dreamt")
    return fold(table.match, [StoredEvent(2, e, next_link(table.match.head, e))])


DAMAGED = {
    "while playing": lambda: damaged(hot_seat(), MoveMade(1, "nonsense")),
    "after the end": lambda: damaged(hot_seat(), MoveMade(1, "nonsense"), MatchEnded("connected", (1, 2))),
    "unknown ruleset": lambda: unknown_ruleset((account(ANN), None)),
    "unknown ruleset, the last salt missing": lambda: unknown_ruleset((account(ANN), BOT)),
    "unknown ruleset, all seated": lambda: unknown_ruleset((account(ANN), account(ANN)), start="call"),
    "unknown ruleset, recorded": lambda: unknown_ruleset((Guest("Ada"), None), creator=RECORDER, recorder=RECORDER.id),
    "unknown event": unreadable,
    "never created": lambda: damaged(Table(), MatchStarted()),
    "nothing": lambda: Match(STREAM),
}


@pytest.mark.parametrize("make", DAMAGED.values(), ids=DAMAGED)
def test_the_law_holds_for_damaged_matches_too(make):
    match = make()
    assert match.fault or match.version == 0
    require_law(match, Random(1))


# ------------------------------------------------------------------------------------------------------------ examples


def test_a_rematch_is_for_the_creator_and_the_players_of_a_match_with_an_outcome():
    table = new_match(seats=(account(BEN), account(CAT)), tournament={"id": "tournament-" + "t" * 26})
    assert not any(Choice("rematch") in list_choices(table.match, actor) for actor in ACTORS)
    table.when(Withdraw, BEN)
    who = {
        actor.id for actor in ACTORS if actor.role == "player" and Choice("rematch") in list_choices(table.match, actor)
    }
    assert who == {ANN.id, BEN.id, CAT.id}


def test_the_rematch_of_a_recorded_match_is_for_its_recorder_alone():
    table = recorded("pathagon")
    table.when(Withdraw, RECORDER, seat=1)
    who = {actor.id for actor in ACTORS if Choice("rematch") in list_choices(table.match, actor)}
    assert who == {RECORDER.id}
