"""The match: who may do what when, and what follows."""

import pytest

from plyscribe.domain import commands
from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.codec import format_event, parse_event
from plyscribe.domain.decide import decide
from plyscribe.domain.dice import commit, roll_dice
from plyscribe.domain.errors import (
    BadNotation,
    DiceKeyMissing,
    DomainError,
    IllegalMove,
    NotInPlay,
    OptionError,
    RollError,
    Unknown,
    UnknownRuleset,
    WrongPerson,
    WrongTime,
    WrongValue,
)
from plyscribe.domain.events import (
    BuiltIn,
    DiceRevealed,
    DiceRolled,
    DrawAgreed,
    DrawDeclined,
    DrawOffered,
    EntropyAdded,
    Guest,
    MatchAborted,
    MatchAnnulled,
    MatchCreated,
    MatchEnded,
    MatchRefuted,
    MatchScored,
    MatchStarted,
    MatchVerified,
    MoveMade,
    MovesTakenBack,
    RecordedDice,
    SeatLeft,
    SeatTaken,
    SeatWithdrawn,
)
from plyscribe.domain.match import Match, evolve, fold
from plyscribe.domain.replay import position_at
from plyscribe.domain.ruleset import Decision, Over, Roll
from plyscribe.domain.verification import verify_match
from tests.domain.given import (
    ANN,
    BEN,
    CAT,
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
    two_players,
)
from tests.domain.test_names import ZALGO

VERIFIED = MatchVerified(3, "00")
REFUTED = MatchRefuted(3, "why")


def refusal(
    kind: type[DomainError], code: str, table: Table, command: type, actor: commands.Actor, **fields: object
) -> str:
    """The text of a refusal that must come, with this class and code; nothing is recorded."""
    before = list(table.entries)
    with pytest.raises(kind) as refused:
        table.when(command, actor, **fields)
    assert refused.value.code == code
    assert table.entries == before
    return str(refused.value)


def types(events: list[object]) -> list[str]:
    return [event.type for event in events]


def ended() -> Table:
    table = two_players()
    table.when(commands.Withdraw, BEN)
    return table


# ---------------------------------------------------------------------------------------------------------- create


def test_creation_records_every_field_with_complete_options_and_the_newest_ruleset():
    created = new_match(about={"place": "Turin"}).match.life.created
    assert isinstance(created, MatchCreated)
    assert created.options == {"size": 7, "pieces": 14, "ply_limit": 400}
    assert (created.ruleset_version, created.about, created.recorder) == (1, {"place": "Turin"}, None)


def test_creators_and_guests_are_seated_at_once_and_others_invited():
    seats = new_match(seats=(account(ANN), account(BEN))).match.life.seats
    assert [seat.seated for seat in seats] == [True, False]
    assert all(seat.seated for seat in recorded("pathagon").match.life.seats)


def test_a_match_without_chance_in_it_has_no_dice_and_starts_when_it_is_full():
    assert new_match().match.life.created.dice is None
    assert new_match("toy", options={"dice": 0}).match.life.created.dice is None
    table = Table()
    events = table.when(commands.CreateMatch, ANN, ruleset="pathagon", seats=(account(ANN), account(ANN)))
    assert types(events) == ["match-created", "match-started"]


@pytest.mark.parametrize(
    ("fields", "kind", "why"),
    [
        ({"ruleset": "chess"}, UnknownRuleset, "chess"),
        ({"ruleset_version": 9}, UnknownRuleset, "9"),
        ({"options": {"size": 99}}, OptionError, "size"),
        ({"options": {"colour": 1}}, OptionError, "colour"),
        ({"seats": (None,) * 3}, OptionError, "seats"),
        ({"seats": ()}, OptionError, "seats"),
        ({"start": "never"}, WrongValue, "never"),
        ({"ruleset": "toy", "dice": None}, WrongValue, "needs dice"),
        ({"ruleset": "toy", "dice": RecordedDice()}, WrongValue, "recorder"),
        ({"seats": (Guest("Ada"), None)}, WrongValue, "recorder"),
        ({"recorder": BEN.id}, WrongPerson, "only the creator"),
    ],
)
def test_what_cannot_be_created_is_refused(fields, kind, why):
    with pytest.raises(kind, match=why):
        new_match(**fields)


def test_a_match_is_created_before_any_other_command_and_once():
    table = new_match()
    refusal(WrongTime, "match/exists", table, commands.CreateMatch, ANN, ruleset="pathagon", seats=(None, None))
    refusal(Unknown, "match/unknown", Table(), commands.StartMatch, ANN)
    assert Match(STREAM).turn is None


# ---------------------------------------------------------------------------------------------------------- seats


def test_filling_the_last_seat_starts_the_match_unless_it_is_to_be_started_by_call():
    table = new_match(seats=(account(ANN), None))
    assert table.when(commands.TakeSeat, BEN, seat=2) == [SeatTaken(2, account(BEN)), MatchStarted()]
    assert table.status == "playing"
    table = new_match(seats=(account(ANN), None), start="call")
    assert "2" in refusal(WrongTime, "seat/not-taken", table, commands.StartMatch, ANN)
    table.when(commands.TakeSeat, BEN, seat=2)
    assert table.status == "open"
    refusal(WrongPerson, "match/not-yours", table, commands.StartMatch, BEN)
    assert table.when(commands.StartMatch, ANN) == [MatchStarted()]


def test_a_seat_is_taken_once_if_there_is_one_by_a_person():
    table = new_match(seats=(account(ANN), None, None), ruleset="toy")
    assert "seat 1 is taken" in refusal(WrongTime, "seat/taken", table, commands.TakeSeat, BEN, seat=1)
    for rated in (False, True):
        table = new_match(seats=(account(ANN), None), ruleset="pathagon", rated=rated)
        assert "yours already" in refusal(WrongTime, "seat/taken", table, commands.TakeSeat, ANN, seat=1)
    refusal(WrongPerson, "seat/not-yours", new_match(), commands.TakeSeat, SYSTEM, seat=1)


def test_an_invited_seat_is_for_that_player_alone_until_it_is_left_or_opened():
    table = new_match("toy", seats=(account(ANN), account(BEN)))
    for seat in ({}, {"seat": 2}):
        assert "take seat 2 first" in refusal(
            WrongTime, "seat/not-taken", table, commands.AddEntropy, BEN, entropy="b", **seat
        )
    refusal(WrongPerson, "seat/reserved", table, commands.TakeSeat, CAT, seat=2)
    assert SeatTaken(2, account(BEN)) in table.when(commands.TakeSeat, BEN, seat=2)
    refusal(WrongPerson, "seat/not-yours", table, commands.LeaveSeat, CAT, seat=2)
    assert table.when(commands.LeaveSeat, BEN, seat=2) == [SeatLeft(2)]
    refusal(WrongTime, "seat/empty", table, commands.LeaveSeat, ANN, seat=2)
    table.when(commands.TakeSeat, CAT, seat=2)
    assert table.match.life.seats[1].occupant == account(CAT)
    assert table.when(commands.LeaveSeat, ANN, seat=2) == [SeatLeft(2)]


@pytest.mark.parametrize("seat", [0, 3, -1])
def test_a_seat_that_does_not_exist_is_refused(seat):
    refusal(Unknown, "seat/unknown", new_match(), commands.TakeSeat, BEN, seat=seat)


def test_a_name_that_an_earlier_release_admitted_is_not_judged_again():
    table = recorded("pathagon", (ZALGO, "Bea"), again=True)
    table.when(commands.Withdraw, RECORDER, seat=1)
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)
    recorded("pathagon", (ZALGO, "Bea"), rematch_of=STREAM)


def test_seats_are_settled_once_the_match_started():
    table = two_players()
    refusal(WrongTime, "match/not-open", table, commands.TakeSeat, CAT, seat=1)
    refusal(WrongTime, "match/not-open", table, commands.LeaveSeat, BEN, seat=2)
    refusal(WrongTime, "match/not-open", table, commands.StartMatch, ANN)


def test_a_recorder_seats_guests_and_signs_as_recorder():
    table = new_match(seats=(None, None), creator=RECORDER, recorder=RECORDER.id)
    refusal(WrongPerson, "seat/needs-recorder", table, commands.TakeSeat, BEN, seat=1, guest=Guest("Ada"))
    refusal(WrongValue, "seat/guest-name", table, commands.TakeSeat, RECORDER, seat=1, guest=Guest(ZALGO))
    assert table.when(commands.TakeSeat, RECORDER, seat=1, guest=Guest(ZALGO), again=True) == [
        SeatTaken(1, Guest(ZALGO))
    ], "it was admitted by an earlier release"
    table = new_match(seats=(None, None), creator=RECORDER, recorder=RECORDER.id)
    assert table.when(commands.TakeSeat, RECORDER, seat=1, guest=Guest("Ada")) == [SeatTaken(1, Guest("Ada"))]
    table = recorded("pathagon")
    table.when(commands.MakeMove, RECORDER, move="d4")
    assert b'"by":"recorder:player-rrrrrrrrrrrrrrrrrrrrrrrrrr"' in table.entries[0].e
    assert b'"by":"recorder:player-rrrrrrrrrrrrrrrrrrrrrrrrrr"' in table.entries[-1].e


# ---------------------------------------------------------------------------------------------------------- dice


def test_server_dice_wait_for_everybodys_entropy_then_roll_all_that_is_due():
    table = new_match("toy", seats=(account(ANN), None))
    table.when(commands.TakeSeat, BEN, seat=2, entropy="ben's")
    assert table.status == "open"
    events = table.when(commands.AddEntropy, ANN, entropy="ann's")
    assert types(events) == ["entropy-added", "match-started", "dice-rolled", "dice-rolled", "dice-rolled"]
    assert table.match.turn == Decision(1)
    rolls, entropies = events[2:4], ["ann's", "ben's"]
    assert rolls[0].values == roll_dice(SECRET, STREAM, entropies, 1, 7, 2)
    assert rolls[1].values == roll_dice(SECRET, STREAM, entropies, 2, 3, 1)
    assert (rolls[0].seat, rolls[1].seat) == (None, 1)


def test_neither_a_start_by_call_nor_guests_wait_for_entropy():
    table = new_match("toy", seats=(account(ANN), account(ANN)))
    assert table.status == "open"
    assert types(table.when(commands.StartMatch, ANN))[:2] == ["match-started", "dice-rolled"]
    assert recorded("toy").status == "playing"


def test_entropy_is_given_once_by_its_own_seat_in_printable_ascii_and_gone_when_it_is_left():
    table = new_match("toy", seats=(account(ANN), None))
    for bad in ("", "x" * 65, "é", "a\nb"):
        refusal(WrongValue, "entropy/invalid", table, commands.AddEntropy, ANN, entropy=bad)
    refusal(WrongPerson, "seat/not-yours", table, commands.AddEntropy, BEN, entropy="b", seat=1)
    assert table.when(commands.AddEntropy, ANN, entropy="x") == [EntropyAdded(1, "x")]
    refusal(WrongTime, "entropy/given", table, commands.AddEntropy, ANN, entropy="y")
    table = new_match("toy", seats=(account(ANN), None))
    table.when(commands.AddEntropy, ANN, entropy="x")
    table.when(commands.LeaveSeat, ANN, seat=1)
    assert table.match.life.seats[0].entropy is None
    refusal(
        WrongValue, "entropy/unwanted", new_match(seats=(account(ANN), None)), commands.AddEntropy, ANN, entropy="x"
    )


def test_a_move_and_a_withdrawal_are_followed_by_all_rolls_then_due():
    table = hot_seat("toy")
    events = table.when(commands.MakeMove, ANN, move="push")
    assert types(events)[:2] == ["move-made", "dice-rolled"]
    assert not isinstance(table.match.turn, Roll)
    table = hot_seat("toy", seats=3)
    table.play("hold", "hold")
    assert types(table.when(commands.Withdraw, ANN, seat=3))[:2] == ["seat-withdrawn", "dice-rolled"]


def test_the_end_and_an_abort_reveal_the_dice():
    table = hot_seat("toy")
    events = table.when(commands.Withdraw, ANN, seat=1)
    assert events[-2:] == [MatchEnded("withdrawal", (2, 1)), DiceRevealed(SECRET.hex())]
    assert commit(bytes.fromhex(table.match.life.secret)) == SERVER_DICE.commitment
    table = hot_seat("toy")
    assert types(table.when(commands.AbortMatch, ANN)) == ["match-aborted", "dice-revealed"]


def test_without_the_key_nothing_is_rolled():
    table = hot_seat("toy")
    for secret in (None, bytes(32)):
        with pytest.raises(DiceKeyMissing):
            decide(commands.MakeMove(actor=ANN, move="push", secret=secret and commands.Secret(secret)), table.match)


def test_recorded_dice_wait_for_the_recorder_and_for_what_they_can_show():
    table = recorded("toy", dice=RecordedDice())
    assert table.match.turn == Roll(7, 2, "track", None)
    refusal(WrongTime, "move/roll-due", table, commands.MakeMove, RECORDER, move="hold")
    refusal(WrongPerson, "match/not-recorder", table, commands.RecordRoll, ANN, values=(1, 2))
    for wrong in ((1,), (1, 8), (0, 1), (1, 2, 3)):
        refusal(RollError, "roll/invalid", table, commands.RecordRoll, RECORDER, values=wrong)
    assert table.when(commands.RecordRoll, RECORDER, values=(1, 2)) == [DiceRolled(7, 2, "track", None, (1, 2))]
    for _ in range(2):
        table.when(commands.RecordRoll, RECORDER, values=(1,))
    refusal(WrongTime, "roll/not-due", table, commands.RecordRoll, RECORDER, values=(1,))
    refusal(WrongValue, "roll/unwanted", recorded("toy"), commands.RecordRoll, RECORDER, values=(1, 2))


# ---------------------------------------------------------------------------------------------------------- moves


def test_a_move_belongs_to_the_seat_on_turn():
    table = two_players()
    assert table.when(commands.MakeMove, ANN, move="d4") == [MoveMade(1, "d4")]
    refusal(WrongTime, "move/not-your-turn", table, commands.MakeMove, ANN, move="d5")
    refusal(WrongPerson, "seat/not-yours", table, commands.MakeMove, CAT, move="d5")
    refusal(WrongPerson, "seat/not-yours", table, commands.MakeMove, ANN, move="d5", seat=2)
    refusal(WrongTime, "move/not-your-turn", table, commands.MakeMove, ANN, move="d5", seat=1)


def test_an_illegal_move_names_its_clause_and_some_legal_ones():
    table = two_players()
    table.play("d4")
    with pytest.raises(IllegalMove) as refused:
        table.when(commands.MakeMove, BEN, move="d4")
    assert refused.value.details["clause"] == "PA4"
    assert refused.value.details["ply"] == 1
    assert refused.value.details["legal"] == [f"{c}{r}" for c in "abc" for r in range(1, 8)][:20]


@pytest.mark.parametrize("text", ["", "d44", "D4", "x" * 257, "d4\n", "\0", "d4-d5-d6", "\ud800"])
def test_an_unreadable_move_is_refused(text):
    refusal(BadNotation, "move/bad-notation", two_players(), commands.MakeMove, ANN, move=text)


def test_only_a_match_that_is_played_takes_moves():
    table = new_match(seats=(account(ANN), None))
    refusal(WrongTime, "match/not-started", table, commands.MakeMove, ANN, move="d4")
    refusal(WrongTime, "match/over", ended(), commands.MakeMove, ANN, move="d4")
    table = hot_seat(options={"size": 5, "ply_limit": 2})
    table.play("a1")
    assert table.when(commands.MakeMove, ANN, move="a2") == [MoveMade(2, "a2"), MatchEnded("ply-limit", (1, 1))]
    assert (table.status, table.match.turn) == ("ended", Over("ply-limit", (1, 1)))


# ---------------------------------------------------------------------------------------------------------- take back


def test_a_take_back_returns_to_the_state_before_the_move_and_undoes_withdrawals_after_it():
    table = recorded("pathagon")
    for move in ("a1", "b1", "c1"):
        table.when(commands.MakeMove, RECORDER, move=move)
    before = position_at(table.match, 1)
    assert table.when(commands.TakeBack, RECORDER, ply=1) == [MovesTakenBack(1)]
    assert position_at(table.match, 1).state == before.state
    assert [step.move for step in table.match.play.steps] == ["a1"]
    table = recorded("toy", ("Ada", "Bea", "Cyd"), dice=None, options={"dice": 0})
    table.when(commands.MakeMove, RECORDER, move="hold")
    table.when(commands.Withdraw, RECORDER, seat=3, cause="time")
    table.when(commands.TakeBack, RECORDER, ply=0)
    assert table.match.play.left == []


def test_rolls_that_followed_the_last_kept_move_stay():
    table = recorded("toy", dice=RecordedDice())
    for values in ((1, 2), (1,), (1,)):
        table.when(commands.RecordRoll, RECORDER, values=values)
    table.when(commands.MakeMove, RECORDER, move="push")
    table.when(commands.RecordRoll, RECORDER, values=(1, 2))
    after_roll = table.match.play.state
    table.when(commands.MakeMove, RECORDER, move="hold")
    table.when(commands.TakeBack, RECORDER, ply=1)
    assert table.match.play.state == after_roll


def test_take_backs_are_for_the_recorder_without_server_dice_and_within_the_match():
    assert "none" in refusal(WrongPerson, "match/not-recorder", two_players(), commands.TakeBack, ANN, ply=0)
    refusal(WrongValue, "take-back/server-dice", recorded("toy"), commands.TakeBack, RECORDER, ply=0)
    table = recorded("pathagon")
    refusal(WrongTime, "take-back/nothing", table, commands.TakeBack, RECORDER, ply=0)
    table.when(commands.MakeMove, RECORDER, move="a1")
    refusal(WrongValue, "take-back/ply", table, commands.TakeBack, RECORDER, ply=1)
    refusal(WrongValue, "take-back/ply", table, commands.TakeBack, RECORDER, ply=-1)


# ---------------------------------------------------------------------------------------------------------- withdraw


def test_a_player_resigns_its_own_seat():
    table = two_players()
    assert table.when(commands.Withdraw, ANN) == [SeatWithdrawn(1, "resigned"), MatchEnded("withdrawal", (2, 1))]


def test_who_may_withdraw_whom_for_what():
    table = two_players()
    refusal(WrongPerson, "seat/not-yours", table, commands.Withdraw, CAT)
    refusal(WrongPerson, "seat/not-yours", table, commands.Withdraw, ANN, seat=2)
    refusal(WrongPerson, "withdrawal/cause", table, commands.Withdraw, ANN, cause="time")
    refusal(WrongPerson, "withdrawal/cause", table, commands.Withdraw, SYSTEM, seat=1, cause="absent")
    refusal(WrongValue, "withdrawal/cause", table, commands.Withdraw, ORGANISER, seat=1, cause="boredom")
    refusal(WrongValue, "seat/ambiguous", table, commands.Withdraw, ORGANISER)


def test_who_resigns_for_a_program_tells_by_what_it_failed():
    table = two_players()
    refusal(WrongValue, "withdrawal/fault", table, commands.Withdraw, ANN, fault="boredom")
    refusal(WrongValue, "withdrawal/fault", table, commands.Withdraw, ORGANISER, seat=1, cause="absent", fault="silent")
    [withdrawn, _] = table.when(commands.Withdraw, ANN, fault="crashed")
    assert withdrawn == SeatWithdrawn(1, "resigned", "crashed")
    assert table.match.life.withdrawals == (withdrawn,)


def test_a_seat_is_withdrawn_once_by_name():
    table = hot_seat()
    refusal(WrongValue, "seat/ambiguous", table, commands.Withdraw, ANN)
    assert SeatWithdrawn(2, "resigned") in table.when(commands.Withdraw, ANN, seat=2)
    table = hot_seat("toy", seats=3)
    table.when(commands.Withdraw, ANN, seat=2)
    refusal(NotInPlay, "seat/not-in-play", table, commands.Withdraw, ANN, seat=2)


# ---------------------------------------------------------------------------------------------------------- draws


def test_a_draw_needs_all_other_seats_in_play():
    table = new_match("toy", (account(ANN), None, None), start="call", options={"dice": 0})
    table.when(commands.TakeSeat, BEN, seat=2)
    table.when(commands.TakeSeat, CAT, seat=3)
    table.when(commands.StartMatch, ANN)
    assert table.when(commands.OfferDraw, BEN) == [DrawOffered(2)]
    assert table.when(commands.AnswerDraw, ANN, accept=True) == [DrawAgreed(1)]
    assert "seat 2's offer" in refusal(WrongTime, "draw/answered", table, commands.AnswerDraw, ANN, accept=True)
    assert table.when(commands.AnswerDraw, CAT, accept=True) == [DrawAgreed(3), MatchEnded("draw-agreed", (1, 1, 1))]


def test_a_seat_that_left_has_no_say_in_a_draw_and_ranks_below_it_the_last_leaver_first():
    table = hot_seat("toy", seats=3, options={"dice": 0})
    table.when(commands.Withdraw, ANN, seat=3)
    refusal(WrongTime, "seat/not-in-play", table, commands.OfferDraw, ANN, seat=3)
    table.when(commands.OfferDraw, ANN, seat=1)
    refusal(WrongTime, "seat/not-in-play", table, commands.AnswerDraw, ANN, seat=3, accept=False)
    table = hot_seat("toy", seats=4, options={"dice": 0})
    table.when(commands.Withdraw, ANN, seat=3)
    table.when(commands.Withdraw, ANN, seat=1)
    table.when(commands.OfferDraw, ANN, seat=2)
    events = table.when(commands.AnswerDraw, ANN, seat=4, accept=True)
    assert events[-1] == MatchEnded("draw-agreed", (3, 1, 4, 1))


def test_nobody_is_on_turn_in_the_view_of_a_match_that_was_agreed_drawn():
    table = hot_seat()
    table.play("d4", "d5", "a1", "g7", "a2", "g6", "d6")
    assert table.match.play.ruleset.view(table.match.play.state)["closed"] == ["d5"]
    table.when(commands.OfferDraw, ANN, seat=1)
    table.when(commands.AnswerDraw, ANN, seat=2, accept=True)
    assert table.match.play.ruleset.view(table.match.play.state)["closed"] == []
    assert table.match.play.turn == table.match.turn == Over("draw-agreed", (1, 1))


def test_a_decline_and_a_move_close_the_offer():
    table = two_players()
    table.when(commands.OfferDraw, ANN)
    assert table.when(commands.AnswerDraw, BEN, accept=False) == [DrawDeclined(2)]
    refusal(WrongTime, "draw/none", table, commands.AnswerDraw, BEN, accept=True)
    table.when(commands.OfferDraw, BEN)
    table.play("d4")
    refusal(WrongTime, "draw/none", table, commands.AnswerDraw, ANN, accept=True)


def test_one_offer_at_a_time_for_the_others_to_answer_and_one_between_own_moves():
    table = two_players()
    table.when(commands.OfferDraw, ANN)
    assert "seat 1's offer is open: answer it" in refusal(WrongTime, "draw/open", table, commands.OfferDraw, BEN)
    assert "the others have to answer" in refusal(WrongTime, "draw/open", table, commands.OfferDraw, ANN)
    assert "your offer is open" in refusal(WrongTime, "draw/answered", table, commands.AnswerDraw, ANN, accept=True)
    refusal(WrongPerson, "seat/not-yours", table, commands.AnswerDraw, CAT, accept=True)
    table.when(commands.AnswerDraw, BEN, accept=False)
    refusal(WrongTime, "draw/offered", table, commands.OfferDraw, ANN)
    table.play("d4")
    assert table.when(commands.OfferDraw, ANN) == [DrawOffered(1)]


def test_a_recorder_enters_a_draw_agreed_at_the_table():
    table = recorded("pathagon")
    table.when(commands.OfferDraw, RECORDER, seat=1)
    assert table.when(commands.AnswerDraw, RECORDER, seat=2, accept=True)[-1] == MatchEnded("draw-agreed", (1, 1))


# ---------------------------------------------------------------------------------------------------------- abort


def test_the_creator_calls_an_open_match_off():
    table = new_match(seats=(account(ANN), None))
    refusal(WrongPerson, "match/not-yours", table, commands.AbortMatch, BEN)
    assert table.when(commands.AbortMatch, ANN, cause="rain") == [MatchAborted("rain")]
    assert (table.status, table.match.turn) == ("aborted", None)


def test_a_seat_aborts_before_its_own_first_move_only_and_none_of_a_tournament():
    table = two_players()
    table.play("d4")
    refusal(WrongTime, "match/under-way", table, commands.AbortMatch, ANN)
    refusal(WrongPerson, "seat/not-yours", table, commands.AbortMatch, CAT)
    assert table.when(commands.AbortMatch, BEN) == [MatchAborted("called off")]
    table = new_match(seats=(account(ANN), account(BEN)), creator=ORGANISER, tournament={"id": "cup"})
    assert table.status == "playing"
    refusal(WrongTime, "match/under-way", table, commands.AbortMatch, ANN)
    assert table.when(commands.AbortMatch, ORGANISER) == [MatchAborted("called off")]


def test_the_creator_aborts_a_match_of_bots_alone_but_not_in_a_tournament():
    bots = tuple(BuiltIn("random", 1, seed, None) for seed in (1, 2))
    table = new_match(seats=bots, creator=CAT)
    assert table.status == "playing"
    refusal(WrongPerson, "seat/not-yours", table, commands.AbortMatch, ANN)
    assert table.when(commands.AbortMatch, CAT) == [MatchAborted("called off")]
    game = new_match(seats=bots, creator=ORGANISER, tournament={"id": "cup"})
    as_player = commands.Actor("player", ORGANISER.id)
    refusal(WrongPerson, "seat/not-yours", game, commands.AbortMatch, as_player)


@pytest.mark.parametrize("actor", [SYSTEM, ORGANISER])
def test_organiser_and_system_abort_a_match_under_way(actor):
    table = two_players()
    table.play("d4", "d5")
    table.when(commands.AbortMatch, actor)
    assert table.status == "aborted"


def test_an_abort_needs_a_cause_and_a_match_that_is_not_over():
    for cause in ("", "x" * 201):
        refusal(WrongValue, "match/abort-cause", two_players(), commands.AbortMatch, ANN, cause=cause)
    refusal(WrongTime, "match/over", ended(), commands.AbortMatch, ANN)


# ---------------------------------------------------------------------------------------------------------- verdicts


def test_an_ended_match_is_verified_also_after_a_refutation_then_scored_once_by_the_system_alone():
    table = ended()
    refusal(WrongPerson, "match/not-yours", table, commands.RecordVerdict, ANN, verdict=VERIFIED)
    refusal(WrongPerson, "match/not-yours", table, commands.ScoreMatch, ANN, ledger=None)
    table.when(commands.RecordVerdict, SYSTEM, verdict=REFUTED)
    assert table.status == "refuted"
    table.when(commands.RecordVerdict, SYSTEM, verdict=VERIFIED)
    assert table.match.life.verdicts == (REFUTED, VERIFIED)
    refusal(WrongTime, "match/not-ended", table, commands.RecordVerdict, SYSTEM, verdict=VERIFIED)
    assert table.when(commands.ScoreMatch, SYSTEM, ledger=None) == [MatchScored((2, 0), None)]
    refusal(WrongTime, "match/not-verified", table, commands.ScoreMatch, SYSTEM, ledger=None)
    assert table.status == "scored"
    refusal(WrongTime, "match/not-ended", two_players(), commands.RecordVerdict, SYSTEM, verdict=VERIFIED)


def test_an_organiser_annuls_a_finished_match_with_a_reason():
    refusal(WrongTime, "match/not-ended", two_players(), commands.AnnulMatch, ORGANISER, why="cheat")
    refusal(WrongPerson, "match/not-yours", ended(), commands.AnnulMatch, ANN, why="cheat")
    refusal(WrongValue, "match/annul-why", ended(), commands.AnnulMatch, ORGANISER, why="")
    table = ended()
    assert table.when(commands.AnnulMatch, ORGANISER, why="cheat") == [MatchAnnulled("cheat")]
    refusal(WrongTime, "match/not-ended", table, commands.AnnulMatch, ORGANISER, why="twice")


def test_a_match_that_a_newer_release_wrote_on_takes_no_command_at_all():
    table = ended()
    newer = table.entries[-1].e.replace(b"match-ended", b"match-adorned")
    match = fold(table.match, link_all(table.match.head, table.match.version + 1, [newer]))
    for command, actor, fields in (
        (commands.AbortMatch, ANN, {}),
        (commands.RecordVerdict, SYSTEM, {"verdict": VERIFIED}),
        (commands.AnnulMatch, ORGANISER, {"why": "x"}),
    ):
        with pytest.raises(WrongTime) as refused:
            decide(command(actor=actor, **fields), match)
        assert refused.value.code == "match/damaged"


def test_a_match_whose_play_cannot_be_folded_can_still_be_refuted_and_annulled():
    table = ended()
    table.entries[2] = table.entries[2]._replace(e=b"{}")
    match = fold(Match(STREAM), table.entries)
    assert match.fault.version == 3
    assert match.life.status == "ended"
    assert decide(commands.RecordVerdict(actor=SYSTEM, verdict=REFUTED), match)
    assert decide(commands.AnnulMatch(actor=ORGANISER, why="damaged"), match)
    with pytest.raises(WrongTime):
        decide(commands.MakeMove(actor=ANN, move="d4"), match)


def test_a_match_that_cannot_tell_that_it_ended_is_refuted_and_never_verified():
    table = ended()
    table.entries[-1] = table.entries[-1]._replace(e=b"{}")
    match = fold(Match(STREAM), table.entries)
    assert match.life.status == "playing"
    assert decide(commands.RecordVerdict(actor=SYSTEM, verdict=REFUTED), match)
    with pytest.raises(WrongTime, match="the match is playing"):
        decide(commands.RecordVerdict(actor=SYSTEM, verdict=VERIFIED), match)
    sound = fold(Match(STREAM), table.entries[:-1])
    with pytest.raises(WrongTime, match="the match is playing"):
        decide(commands.RecordVerdict(actor=SYSTEM, verdict=REFUTED), sound)


def test_a_match_whose_first_event_cannot_be_read_is_refuted_and_takes_no_other_command():
    table = ended()
    table.entries[0] = table.entries[0]._replace(e=b"{}")
    match = fold(Match(STREAM), table.entries)
    assert match.lifecycle is None
    assert decide(commands.RecordVerdict(actor=SYSTEM, verdict=REFUTED), match)
    for command, fields in (
        (commands.AnnulMatch, {"why": "x"}),
        (commands.MakeMove, {"move": "d4"}),
        (commands.StartMatch, {}),
    ):
        with pytest.raises(WrongTime) as refused:
            decide(command(actor=ORGANISER, **fields), match)
        assert refused.value.code == "match/damaged"
    with pytest.raises(WrongTime, match="the match cannot go on"):
        position_at(match, 0)


def test_a_ruleset_that_fails_is_a_fault_of_the_play_alone(monkeypatch):
    table = ended()

    def fail(*_: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(type(table.match.play.ruleset), "withdraw", fail)
    match = fold(Match(STREAM), table.entries)
    assert "KeyError('oops')" in str(match.fault.error)
    assert match.life.status == "ended"


def test_a_fold_of_many_events_is_the_fold_of_each_after_the_other():
    table = hot_seat("toy", 3)
    table.play("push", "push", "push")
    table.when(commands.OfferDraw, ANN, seat=1)
    while table.status == "playing":
        table.play("push")
    one_by_one = Match(STREAM)
    for entry in table.entries:
        one_by_one = evolve(one_by_one, parse_event(entry))
    assert table.match == one_by_one._replace(head=table.match.head)
    for place in range(len(table.entries)):
        assert fold(fold(Match(STREAM), table.entries[:place]), table.entries[place:]) == table.match


@pytest.mark.parametrize("given", [(), (1,), (1, 2, 2)])
def test_an_outcome_and_points_are_folded_only_for_as_many_seats_as_there_are(given):
    table = hot_seat("zhen")
    table.when(commands.Withdraw, ANN, seat=1, cause="resigned")
    ended = parse_event(table.entries[-1])
    before = fold(Match(STREAM), table.entries[:-1])
    for match, data in ((before, MatchEnded("withdrawal", given)), (table.match, MatchScored(given, None))):
        event = ended._replace(version=match.version + 1, data=data)
        after = fold(match, link_all(match.head, event.version, [format_event(event)]))
        assert (after.fault.version, after.life.status) == (event.version, match.life.status)
        assert (after.life.outcome, after.life.score) == (match.life.outcome, None)


@pytest.mark.parametrize("place", [2, 3, 4])
def test_a_fold_stops_at_the_first_move_that_cannot_be(place):
    table = hot_seat()
    table.play("a1", "b2", "c3")
    events = [parse_event(entry) for entry in table.entries]
    events[place] = events[place]._replace(data=MoveMade(place % 2 + 1, "z9"))
    entries = link_all(first_link(STREAM), 1, map(format_event, events))
    match = fold(Match(STREAM), entries)
    assert (match.fault.version, match.version, match.play.ply) == (place + 1, 5, place - 2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"values":[', b'"values":[9,'),
        (b'"values":[', b'"values":[0'),
        (b'"version":5', b'"version":6'),
        (b'"purpose":"start"', b'"purpose":"st\xe4rt"'),
        (b'"count":1,', b""),
    ],
)
def test_a_fold_stops_at_the_first_roll_that_cannot_be(old, new):
    table = hot_seat("toy")
    table.play("hold")
    assert b'"type":"dice-rolled"' in table.entries[4].e
    assert old in table.entries[4].e
    events = [entry.e for entry in table.entries]
    events[4] = events[4].replace(old, new)
    match = fold(Match(STREAM), link_all(first_link(STREAM), 1, events))
    assert (match.fault.version, match.version, match.play.rolls) == (5, len(events), 2)


def test_a_move_takes_the_time_since_it_was_due_and_none_if_the_clock_went_back():
    table = hot_seat("zhen")
    table.play("+5", "+6", "+4")
    assert [step.took_ms for step in table.match.play.steps] == [1, 1, 1]
    assert [table.match.play.time_used(seat) for seat in (1, 2)] == [2, 1]
    assert table.match.play.since == 1005
    table = hot_seat("zhen")
    late = decide(commands.MakeMove(actor=ANN, at=7, id="ff", move="+5"), table.match)
    match = fold(table.match, link_all(table.match.head, table.match.version + 1, map(format_event, late)))
    assert [step.took_ms for step in match.play.steps] == [0]


def test_a_withdrawal_leaves_the_clock_of_who_is_to_move_alone():
    table = hot_seat("toy", 3)
    [turn, since] = [table.match.play.turn, table.match.play.since]
    other = next(seat for seat in (1, 2, 3) if seat != turn.seat)
    table.when(commands.Withdraw, ANN, seat=other)
    assert (table.match.play.turn, table.match.play.since) == (turn, since)
    table.when(commands.Withdraw, ANN, seat=turn.seat)
    assert table.match.play.turn != turn


def test_a_match_knows_when_it_was_created_and_last_changed():
    table = hot_seat("pathagon")
    table.play("d4", "e5")
    assert table.match.life.created_at == parse_event(table.entries[0]).at == 1001
    assert table.match.at == parse_event(table.entries[-1]).at > 1001
    assert fold(Match(STREAM), table.entries).at == table.match.at
    [unreadable] = link_all(table.match.head, table.match.version + 1, [b"{}"])
    assert fold(table.match, [unreadable]).at == table.match.at
