"""Dice that several matches share: the same values in all, and a secret that waits for the last of them."""

from dataclasses import replace

import pytest

from plyscribe.domain import commands
from plyscribe.domain.bundle.report import check_match
from plyscribe.domain.codec import Event, parse_data, parse_event
from plyscribe.domain.decide import decide
from plyscribe.domain.decide.opening import MAX_SHARING
from plyscribe.domain.dice import commit
from plyscribe.domain.errors import DiceKeyMissing, UnknownEventShape, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import (
    DiceRevealed,
    DiceRolled,
    LineCopied,
    MatchAborted,
    MatchCreated,
    MatchEnded,
    MatchRefuted,
    MatchVerified,
    MoveMade,
    SeatWithdrawn,
    ServerDice,
    SharedDice,
)
from plyscribe.domain.match import Match
from plyscribe.domain.verification import verify_match
from plyscribe.domain.waiting import list_dues
from tests.domain.given import ANN, BEN, ORGANISER, SECRET, STREAM, SYSTEM, Table, account, new_match
from tests.domain.test_verification import chained, first, parsed, refuted_at

OTHER = "match-" + "b" * 26
SHARED = SharedDice("block-" + "a" * 26, commit(SECRET), "0123456789abcdef", (STREAM, OTHER))
SOLO = (account(ANN), account(ANN))


def shared(seats=SOLO, dice=SHARED, **more) -> Table:
    return new_match("toy", seats, dice=dice, **more)


def ended() -> Table:
    table = shared()
    while table.status == "playing":
        table.play("push")
    return table


def refused(table: Table, code: str, command: type, actor=SYSTEM, **fields) -> None:
    with pytest.raises((WrongTime, WrongValue, WrongPerson)) as refusal:
        table.when(command, actor, **fields)
    assert refusal.value.code == code


def rolls(table: Table) -> list[tuple[int, ...]]:
    return [event.data.values for event in parsed(table) if isinstance(event.data, DiceRolled)]


def test_an_end_an_abort_or_a_withdrawal_reveals_nothing():
    table = ended()
    assert isinstance(parsed(table)[-1].data, MatchEnded)
    assert (table.match.life.secret, table.match.life.awaits_reveal) == (None, True)
    table = shared()
    assert table.when(commands.AbortMatch, ANN) == [MatchAborted("called off")]
    assert table.match.life.awaits_reveal
    assert [type(data) for data in shared().when(commands.Withdraw, ANN, seat=1)] == [SeatWithdrawn, MatchEnded]


def test_the_system_reveals_them_once_the_match_is_over():
    table = ended()
    assert table.when(commands.RevealDice, SYSTEM) == [DiceRevealed(SECRET.hex())]
    assert table.status == "ended"
    assert not table.match.life.awaits_reveal
    refused(table, "dice/revealed", commands.RevealDice)


@pytest.mark.parametrize("over", ["aborted", "annulled"])
def test_matches_that_are_over_otherwise_are_revealed_alike(over):
    table = shared() if over == "aborted" else ended()
    table.when(commands.AbortMatch, ANN) if over == "aborted" else table.when(
        commands.AnnulMatch, ORGANISER, why="test"
    )
    assert table.when(commands.RevealDice, SYSTEM) == [DiceRevealed(SECRET.hex())]
    assert table.status == over


def test_nothing_is_revealed_too_soon_by_others_or_of_dice_of_ones_own():
    for start in ("auto", "call"):
        refused(shared(start=start), "match/not-ended", commands.RevealDice)
    for actor in (ANN, ORGANISER):
        refused(ended(), "match/not-yours", commands.RevealDice, actor)
    table = new_match("toy", SOLO, start="call")
    table.when(commands.AbortMatch, ANN)
    refused(table, "dice/shared", commands.RevealDice)
    with pytest.raises(DiceKeyMissing):
        decide(commands.RevealDice(actor=SYSTEM, secret=commands.Secret(bytes(32))), ended().match)


def test_a_verdict_waits_for_the_dice():
    table = ended()
    refused(table, "dice/secret", commands.RecordVerdict, verdict=MatchVerified(9, "00"))
    with pytest.raises(WrongTime, match="secret"):
        verify_match(STREAM, table.entries)
    table.when(commands.RevealDice, SYSTEM)
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)
    table.when(commands.RecordVerdict, SYSTEM, verdict=verify_match(STREAM, table.entries))
    table.when(commands.ScoreMatch, SYSTEM, ledger=None)
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)


def test_a_report_takes_the_rolls_as_recorded_until_then():
    table = ended()
    results = {check.check: check.result for check in check_match(STREAM, table.entries).checks}
    assert (results["rules"], results["dice"], results["outcome"]) == ("ok", "none", "ok")
    table.when(commands.RevealDice, SYSTEM)
    results = {check.check: check.result for check in check_match(STREAM, table.entries).checks}
    assert (results["rules"], results["dice"], results["outcome"]) == ("ok", "ok", "ok")


@pytest.mark.parametrize("annulled_first", [True, False])
def test_a_match_that_was_annulled_is_verified_by_others_too(annulled_first):
    table = ended()
    steps = [(commands.AnnulMatch, ORGANISER, {"why": "test"}), (commands.RevealDice, SYSTEM, {})]
    for command, actor, fields in steps if annulled_first else reversed(steps):
        table.when(command, actor, **fields)
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)


def revealed() -> list[Event]:
    table = ended()
    table.when(commands.RevealDice, SYSTEM)
    return parsed(table)


def test_dice_that_were_revealed_too_soon_or_are_wrong_refute_the_match():
    *events, last = revealed()
    place = max(n for n, event in enumerate(events) if isinstance(event.data, MoveMade))
    refuted_at(chained([*events[:place], last, *events[place:]]), place + 1, "the match is playing")
    wrong = last._replace(data=DiceRevealed("00" * 32))
    refuted_at(chained([*events, wrong]), len(events) + 1, "not the ones committed to")
    place = first(events, DiceRolled)
    roll = events[place].data
    values = tuple(value % roll.sides + 1 for value in roll.values)
    events[place] = events[place]._replace(data=replace(roll, values=values))
    assert isinstance(verify_match(STREAM, chained([*events, last])), MatchRefuted)


def test_two_matches_that_share_dice_roll_alike():
    one, two = shared(), Table()
    two.match = Match(OTHER)
    create = commands.CreateMatch(
        actor=BEN, ruleset="toy", seats=(account(BEN), account(BEN)), dice=SHARED, secret=commands.Secret(SECRET)
    )
    rolled = [event.data.values for event in decide(create, two.match) if isinstance(event.data, DiceRolled)]
    assert rolls(one)[: len(rolled)] == rolled
    assert rolled
    alone = new_match("toy", SOLO, start="call")
    alone.when(commands.StartMatch, ANN)
    assert rolls(alone) != rolled


def test_seats_add_no_entropy_and_nobody_waits_for_it():
    table = shared((account(ANN), None))
    refused(table, "entropy/unwanted", commands.AddEntropy, ANN, entropy="salt")
    refused(table, "entropy/unwanted", commands.TakeSeat, BEN, seat=2, entropy="salt")
    assert [due.what for due in list_dues(table.match)] == []
    table.when(commands.TakeSeat, BEN, seat=2)
    assert table.status == "playing"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        *(
            ({"dice": replace(SHARED, matches=matches)}, "dice/shared")
            for matches in (
                (),
                (STREAM,),
                (OTHER, "match-" + "c" * 26),
                (STREAM, OTHER, OTHER),
                (STREAM, *(f"match-{n:026d}" for n in range(MAX_SHARING))),
            )
        ),
        ({"options": {"dice": 0}}, "dice/shared"),
        ({"seats": (account(ANN), account(BEN)), "rated": True}, "rated/shared-dice"),
    ],
)
def test_dice_are_shared_by_at_least_two_different_matches_with_chance_that_are_not_rated(changed, code):
    refused(Table(), code, commands.CreateMatch, ANN, **{"ruleset": "toy", "seats": SOLO, "dice": SHARED, **changed})


def test_as_many_as_may_share_do():
    full = replace(SHARED, matches=(STREAM, *(f"match-{n:026d}" for n in range(MAX_SHARING - 1))))
    assert shared(dice=full).status == "playing"


def test_a_fork_has_the_dice_for_itself():
    table = Table()
    parent = {"match": OTHER, "ply": 0}
    line = LineCopied((), (None, None))
    table.when(commands.CreateMatch, ANN, ruleset="toy", seats=SOLO, dice=SHARED, parent=parent, line=line)
    assert table.match.life.created.dice == ServerDice(SHARED.dice_id, SHARED.commitment, SHARED.key)
    table.when(commands.Withdraw, ANN, seat=1)
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)


@pytest.mark.parametrize(
    "changed", [{"matches": [1]}, {"matches": "x"}, {"more": 1}, {"dice_id": 1}, {"mode": "server"}]
)
def test_another_shape_of_shared_dice_is_refused(changed):
    created = parse_event(shared().entries[0])
    raw = {"type": "match-created", "version": 1, "data": {}}
    dice = {"mode": "shared", "dice_id": "d", "commitment": "c", "key": "k", "matches": ["m"], **changed}
    names = MatchCreated.__dataclass_fields__.keys() - {"seats", "dice"}
    raw["data"] = {**{name: getattr(created.data, name) for name in names}, "seats": [], "dice": dice}
    with pytest.raises(UnknownEventShape):
        parse_data({"match-created": MatchCreated}, raw)
