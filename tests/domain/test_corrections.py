"""Corrections: a recorder takes back steps, also after the end, until the record is confirmed or verified."""

from random import Random

import pytest

from plyscribe.domain import commands, events
from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import Event, format_event
from plyscribe.domain.decide.choices import list_choices
from plyscribe.domain.errors import DomainError, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.line import copy_line, trace_line
from plyscribe.domain.match import Match, PlayedMove, fold
from plyscribe.domain.proofs.candidate import find_difference
from plyscribe.domain.record import record_of
from plyscribe.domain.ruleset import Over, Roll
from plyscribe.domain.rulesets import RULESETS
from plyscribe.domain.verification import verify_match
from tests.domain.given import ANN, ORGANISER, RECORDER, STREAM, SYSTEM, Table, recorded
from tests.domain.prove import settings_of

MATCHES = 12
"""Random matches of each ruleset."""

STEPS = 60

every_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)


def rolled(*thrown: tuple[int, ...]) -> Table:
    table = recorded("toy", dice=events.RecordedDice())
    for values in thrown:
        table.when(commands.RecordRoll, RECORDER, values=values)
    return table


def begun() -> Table:
    return rolled((1, 2), (1,), (1,))


def ended() -> Table:
    """A match that a withdrawal ended."""
    table = recorded("pathagon")
    table.when(commands.MakeMove, RECORDER, move="a1")
    table.when(commands.Withdraw, RECORDER, seat=1, cause="absent")
    assert table.status == "ended"
    return table


def refusal(error, code, table, command, actor=RECORDER, **fields):
    with pytest.raises(error) as refused:
        table.when(command, actor, **fields)
    assert refused.value.code == code
    return str(refused.value)


# ------------------------------------------------------------------------------------------------------------ the law


Step = tuple[str, object]


def carry_out(table: Table, step: Step) -> None:
    match step:
        case ("move", text):
            table.when(commands.MakeMove, RECORDER, move=text)
        case ("roll", values):
            table.when(commands.RecordRoll, RECORDER, values=values)
        case ("withdrawal", seat):
            table.when(commands.Withdraw, RECORDER, seat=seat, cause="absent")
        case ("draw", (first, *others)):
            table.when(commands.OfferDraw, RECORDER, seat=first)
            for seat in others:
                table.when(commands.AnswerDraw, RECORDER, seat=seat, accept=True)


def choose_step(table: Table, rng: Random) -> Step:
    play = table.match.play
    in_play = [seat for seat in range(1, len(table.match.life.seats) + 1) if seat not in play.left]
    if rng.random() < 0.1:
        return "withdrawal", rng.choice(in_play)
    if rng.random() < 0.03 and len(in_play) > 1:
        return "draw", tuple(in_play)
    turn = play.turn
    if isinstance(turn, Roll):
        return "roll", tuple(rng.randrange(turn.sides) + 1 for _ in range(turn.count))
    return "move", play.ruleset.format_move(play.state, play.ruleset.sample_move(play.state, rng.randrange))


def take_back(table: Table, kept: list[Step], rng: Random) -> None:
    moves = [place for place, (kind, _) in enumerate(kept) if kind == "move"]
    if moves and rng.random() < 0.3:
        ply = rng.randrange(len(moves))
        table.when(commands.TakeBack, RECORDER, ply=ply)
        del kept[moves[ply] :]
    else:
        steps = min(len(kept), rng.choice([1, 1, 1, 2, 3, 8]))
        table.when(commands.TakeBack, RECORDER, steps=steps)
        del kept[len(kept) - steps :]


def begin(ruleset, rng: Random) -> tuple[Table, Table]:
    """Two new matches of the same kind: one to correct, and one without mistakes."""
    seats, options = rng.choice([setting for setting in settings_of(ruleset) if setting[0] > 1])
    names = tuple(f"Player {number}" for number in range(seats))
    more = {"options": options, "ruleset_version": ruleset.version, "dice": events.RecordedDice()}
    return recorded(ruleset.id, names, **more), recorded(ruleset.id, names, **more)


def describe(table: Table) -> dict:
    """All of the match that its surviving line determines."""
    life, play = table.match.life, table.match.play
    return {
        "status": life.status,
        "outcome": life.outcome,
        "turn": table.match.turn,
        "state": play.state,
        "left": play.left,
        "offer": play.offer,
        "moves": [(step.seat, step.move, step.state) for step in play.steps],
        "between": [(step.ply, step.state, step.values, step.seat) for step in play.between],
        "line": [(traced.step, traced.ply) for traced in trace_line(table.entries)],
        "record": record_of(table.match, table.entries, {}),
    }


@every_ruleset
def test_a_corrected_match_equals_the_match_without_the_mistakes(ruleset):
    reopened = 0
    for seed in range(MATCHES):
        rng = Random(f"{ruleset.id} {seed}")
        corrected, flawless = begin(ruleset, rng)
        kept: list[Step] = []
        for _ in range(STEPS):
            is_over = corrected.status == "ended"
            if kept and (is_over or rng.random() < 0.25):
                take_back(corrected, kept, rng)
                reopened += is_over
            else:
                kept.append(step := choose_step(corrected, rng))
                carry_out(corrected, step)
        for step in kept:
            carry_out(flawless, step)
        assert describe(corrected) == describe(flawless)
        assert fold(Match(STREAM), corrected.entries) == corrected.match
        assert one_by_one(corrected.entries) == corrected.match
        assert isinstance(verify_match(STREAM, corrected.entries), events.MatchVerified)
        assert find_difference(corrected.entries, ruleset) is None
        ply = corrected.match.play.ply
        assert copy_line(corrected.entries, ply) == copy_line(flawless.entries, ply)
    assert reopened > 0


def one_by_one(entries: list[StoredEvent]) -> Match:
    match = Match(STREAM)
    for entry in entries:
        match = fold(match, [entry])
    return match


# ------------------------------------------------------------------------------------------------- steps put right


def read_step(step: Step) -> object:
    """The step as a correction enters it."""
    kind, what = step
    return events.SeatWithdrawn(what, "absent") if kind == "withdrawal" else what


def put_right(table: Table, take_back: int, replaced: int, steps: list[Step]) -> int:
    """Correct the match, dropping what does not follow any more; how many steps that are."""
    fields = {"take_back": take_back, "replaced": replaced, "steps": tuple(map(read_step, steps))}
    before = table.match
    try:
        table.when(commands.Correct, RECORDER, **fields)
        return 0
    except DomainError as error:
        assert table.match is before
        dropped = take_back - replaced - (error.details["step"] - len(steps))
    assert 0 < dropped <= take_back - replaced
    with pytest.raises(DomainError):
        table.when(commands.Correct, RECORDER, **fields, dropped=dropped - 1)
    table.when(commands.Correct, RECORDER, **fields, dropped=dropped)
    return dropped


@every_ruleset
def test_a_match_with_steps_put_right_equals_the_match_that_was_entered_right_at_once(ruleset):
    kept_all = 0
    for seed in range(MATCHES):
        rng = Random(f"right {ruleset.id} {seed}")
        corrected, flawless = begin(ruleset, rng)
        line: list[Step] = []
        for _ in range(STEPS):
            if corrected.status == "ended":
                break
            line.append(step := choose_step(corrected, rng))
            carry_out(corrected, step)
        place = rng.randrange(len(line))
        other, _ = begin(ruleset, Random(f"right {ruleset.id} {seed}"))
        for step in line[:place]:
            carry_out(other, step)
        instead = [choose_step(other, rng)] if rng.random() < 0.8 else []
        if instead and instead[0][0] == "draw":
            continue
        replaced = 1 if instead == [] else rng.choice([0, 1, 1, 1])
        dropped = put_right(corrected, len(line) - place, replaced, instead)
        right = [*line[:place], *instead, *line[place + replaced : len(line) - dropped]]
        for step in right:
            carry_out(flawless, step)
        # A draw that stays is agreed without being offered again.
        assert {**describe(corrected), "offer": None} == {**describe(flawless), "offer": None}
        assert fold(Match(STREAM), corrected.entries) == one_by_one(corrected.entries) == corrected.match
        assert isinstance(verify_match(STREAM, corrected.entries), events.MatchVerified)
        kept_all += not dropped
    assert kept_all > 0


def test_a_roll_is_corrected_and_the_moves_after_it_stay():
    table = begun()
    table.when(commands.MakeMove, RECORDER, move="hold")
    [back, roll, move] = table.when(commands.Correct, RECORDER, take_back=2, steps=((2,),))
    assert (back, roll.values, move) == (events.StepsTakenBack(2), (2,), events.MoveMade(1, "hold"))


def test_a_withdrawal_stays_with_its_cause_behind_a_correction():
    table = recorded("pathagon")
    table.when(commands.MakeMove, RECORDER, move="a1")
    table.when(commands.Withdraw, RECORDER, seat=1, cause="disqualified", why="two phones")
    made = table.when(commands.Correct, RECORDER, take_back=2, steps=("b2",))
    assert made[:3] == [
        events.StepsTakenBack(2),
        events.MoveMade(1, "b2"),
        events.SeatWithdrawn(1, "disqualified", None, "two phones"),
    ]
    assert table.status == "ended"


def test_dice_do_not_stay_if_they_would_be_rolled_by_somebody_else():
    table = rolled((1, 2), (1,), (1,))
    play = table.match.play
    reason = refusal(
        WrongTime, "correction/does-not-follow", table, commands.Correct, take_back=play.length, replaced=1
    )
    assert "other dice are due" in reason


def test_a_correction_names_how_far_it_reaches():
    table = ended()
    refusal(WrongValue, "correction/reach", table, commands.Correct, take_back=3)
    refusal(WrongValue, "correction/reach", table, commands.Correct, take_back=0)
    refusal(WrongValue, "correction/extent", table, commands.Correct, take_back=2, replaced=2, dropped=1)
    refusal(WrongValue, "correction/extent", table, commands.Correct, take_back=2, replaced=-1)
    refusal(WrongPerson, "match/not-recorder", table, commands.Correct, ANN, take_back=1)


# ---------------------------------------------------------------------------------------------------------- take back


def test_the_last_steps_are_listed_with_the_latest_first():
    table = begun()
    table.when(commands.MakeMove, RECORDER, move="hold")
    table.when(commands.Withdraw, RECORDER, seat=2, cause="absent")
    withdrawal, move, roll = table.match.play.list_last(3)
    assert (withdrawal.seat, move.move, roll.values) == (2, "hold", (1,))
    assert len(table.match.play.list_last(99)) == table.match.play.length == 5


def test_a_take_back_of_steps_stays_within_the_match():
    table = begun()
    refusal(WrongValue, "take-back/steps", table, commands.TakeBack, steps=0)
    refusal(WrongValue, "take-back/steps", table, commands.TakeBack, steps=4)
    refusal(WrongValue, "take-back/how-far", table, commands.TakeBack)
    refusal(WrongValue, "take-back/how-far", table, commands.TakeBack, steps=1, ply=0)
    assert "give steps" in refusal(WrongValue, "take-back/ply", table, commands.TakeBack, ply=0)
    table.when(commands.TakeBack, RECORDER, steps=3)
    refusal(WrongTime, "take-back/nothing", table, commands.TakeBack, steps=1)


def test_the_copied_line_of_a_fork_is_taken_back_step_by_step():
    parent = begun()
    parent.when(commands.MakeMove, RECORDER, move="hold")
    parent.when(commands.MakeMove, RECORDER, move="push")
    line = events.LineCopied(copy_line(parent.entries, 2), None)
    fork = recorded("toy", dice=events.RecordedDice(), parent={"match": "match-" + "p" * 26, "ply": 2}, line=line)
    steps = [(step.move if isinstance(step, PlayedMove) else step.values) for step in fork.match.play.list_last(9)]
    assert steps == ["push", "hold", (1,), (1,), (1, 2)]
    fork.when(commands.TakeBack, RECORDER, steps=3)
    assert fork.match.play.state == rolled((1, 2), (1,)).match.play.state
    assert isinstance(verify_match(STREAM, fork.entries), events.MatchVerified)


# ------------------------------------------------------------------------------------------------------ after the end


def test_a_record_that_waits_is_confirmed_by_its_recorder_and_does_not_change_any_more():
    table = ended()
    assert [choice.command for choice in list_choices(table.match, RECORDER)] == [
        "take-back",
        "confirm-record",
        "rematch",
    ]
    assert list_choices(table.match, ANN) == ()
    refusal(WrongPerson, "match/not-recorder", table, commands.ConfirmRecord, ANN)
    refusal(WrongPerson, "match/not-recorder", table, commands.TakeBack, ANN, steps=1)
    assert table.when(commands.ConfirmRecord, RECORDER) == [events.RecordConfirmed()]
    assert (table.status, table.match.life.awaits_confirmation) == ("ended", False)
    assert "confirmed" in refusal(WrongTime, "match/confirmed", table, commands.TakeBack, steps=1)
    refusal(WrongTime, "match/confirmed", table, commands.TakeBack, ply=0)
    refusal(WrongTime, "match/confirmed", table, commands.ConfirmRecord)
    assert isinstance(verify_match(STREAM, table.entries), events.MatchVerified)
    refusal(WrongTime, "match/not-ended", recorded("pathagon"), commands.ConfirmRecord)


@pytest.mark.parametrize(
    ("command", "actor", "fields"),
    [
        (commands.RecordVerdict, SYSTEM, {"verdict": events.MatchVerified(4, "00")}),
        (commands.RecordVerdict, SYSTEM, {"verdict": events.MatchRefuted(3, "why")}),
        (commands.AnnulMatch, ORGANISER, {"why": "cheated"}),
    ],
)
def test_after_a_verdict_or_an_annulment_nothing_is_corrected_or_confirmed(command, actor, fields):
    table = ended()
    table.when(command, actor, **fields)
    assert not table.match.life.awaits_confirmation
    refusal(WrongTime, "match/over", table, commands.TakeBack, steps=1)
    refusal(WrongTime, "match/over", table, commands.ConfirmRecord)


def test_with_server_dice_the_record_waits_for_nobody():
    table = recorded("toy")
    table.when(commands.Withdraw, RECORDER, seat=1, cause="absent")
    assert (table.status, table.match.life.awaits_confirmation) == ("ended", False)
    refusal(WrongTime, "match/over", table, commands.TakeBack, steps=1)
    refusal(WrongTime, "match/over", table, commands.ConfirmRecord)


def test_a_match_ended_by_an_older_release_is_read_as_one_that_waits():
    table = ended()
    assert not any(isinstance(each.step, events.RecordConfirmed) for each in trace_line(table.entries))
    assert table.match.life.awaits_confirmation
    assert isinstance(table.match.turn, Over)


@pytest.mark.parametrize("steps", [0, 3])
def test_a_stored_take_back_of_steps_that_never_were_is_a_fault(steps):
    table = ended()
    event = Event(table.match.version + 1, 1, "recorder:x", "c0", events.StepsTakenBack(steps))
    stored = link_all(table.match.head or first_link(STREAM), event.version, [format_event(event)])
    assert fold(table.match, stored).fault.version == event.version
    assert isinstance(verify_match(STREAM, [*table.entries, *stored]), events.MatchRefuted)
