"""The text record: what is written is read again, and what is read obeys the rules."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import format_event, parse_event
from plyscribe.domain.commands import AnswerDraw, MakeMove, OfferDraw, RecordRoll, StartMatch, TakeBack, Withdraw
from plyscribe.domain.decide import decide
from plyscribe.domain.errors import BadNotation, IllegalMove, RecordError, UnknownRuleset, WrongTime
from plyscribe.domain.events import (
    WITHDRAWAL_CAUSES,
    DiceRolled,
    Guest,
    LineCopied,
    MatchEnded,
    MoveMade,
    RecordedDice,
    SeatWithdrawn,
)
from plyscribe.domain.match import Fault, Match, evolve, fold
from plyscribe.domain.record import AgreedDraw, Comment, Record, commands_of, format_record, parse_record, record_of
from plyscribe.domain.record.values import Line
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll
from plyscribe.domain.rulesets import RULESETS, register
from tests.domain.given import ANN, BEN, RECORDER, STREAM, account, hot_seat, new_match, recorded
from tests.domain.prove import TOYS, every_ruleset, settings_of
from tests.domain.toy import Race, ToyV1

MOST_STEPS = 60


class Scribble(ToyV1):
    """A game in which whatever one says is a move, and nobody ever wins."""

    id = "scribble"

    def has_chance(self, options: dict[str, Any]) -> bool:
        return False

    def parse_move(self, state: Race, text: str) -> Any:
        return text

    def format_move(self, state: Race, move: Any) -> str:
        return str(move)

    def apply_move(self, state: Race, move: Any) -> Race:
        return replace(state, ply=state.ply + 1, awaits=Decision(2 - state.ply % 2))


class Shouts(Scribble):
    """A game in which a word means something else if it is shouted."""

    id = "shouts"

    def parse_move(self, state: Race, text: str) -> Any:
        if text not in ("hey", "HEY"):
            raise BadNotation(text, state.ply, "hey or HEY")
        return text


class Digits(Scribble):
    """A game whose moves are a digit up to 2, or a digit and a letter."""

    id = "digits"

    def parse_move(self, state: Race, text: str) -> Any:
        if not re.fullmatch("[0-9]( [a-z])?", text):
            raise BadNotation(text, state.ply, "a digit")
        if text > "3":
            raise IllegalMove(text, state.ply, "DI1", "too large")
        return text


@pytest.fixture(scope="module", autouse=True)
def more_rulesets() -> Iterator[None]:
    before = list(RULESETS)
    for ruleset in (*TOYS, Scribble(), Shouts(), Digits()):
        register(ruleset)
    yield
    RULESETS[:] = before


def scribbled(*moves: str, **more: Any) -> Record:
    steps = tuple(MoveMade(1 + ply % 2, move) for ply, move in enumerate(moves))
    return Record("scribble", 1, {"dice": 2, "ply_limit": 100}, ("Ada", "Bea"), {}, steps, **more)


def zhen(moves: str = "", headers: str = "") -> str:
    return f"[ruleset zhen]\n[seat 1 Ada]\n[seat 2 Bea]\n{headers}\n{moves}"


def toy(moves: str = "", headers: str = "") -> str:
    return f"[ruleset toy 1]\n[seat 1 Ada]\n[seat 2 Bea]\n{headers}\n{moves}"


def refusal(text: str) -> RecordError:
    with pytest.raises(RecordError) as caught:
        parse_record(text)
    return caught.value


# ---- the law


def play(ruleset: AnyRuleset, seed: int) -> Record:
    """A random match with withdrawals and agreed draws, of which some stop in the middle."""
    random = Random(seed)
    setting = random.choice(settings_of(ruleset))
    options = ruleset.parse_options(setting.options)
    line = Line(ruleset, options, setting.seats)
    for _ in range(random.randrange(MOST_STEPS)):
        turn = line.turn
        if isinstance(turn, Over):
            break
        if random.randrange(40) == 0:
            withdraw_someone(line, setting.seats, random)
        elif random.randrange(60) == 0:
            line.agree_draw()
        elif isinstance(turn, Roll):
            line.roll(tuple(random.randint(1, turn.sides) for _ in range(turn.count)))
        else:
            line.move(ruleset.format_move(line.state, ruleset.sample_move(line.state, random.randrange)))
    names = tuple(f"Player {seat}" for seat in range(1, setting.seats + 1))
    steps, outcome = tuple(line.steps), line.outcome
    return Record(ruleset.id, ruleset.version, options, names, {}, steps, outcome=outcome)


def withdraw_someone(line: Line, seats: int, random: Random) -> None:
    in_play = [seat for seat in range(1, seats + 1) if seat not in line.ruleset.view(line.state)["left"]]
    line.withdraw(random.choice(in_play), random.choice(WITHDRAWAL_CAUSES))


NASTY = st.text('ab 12."\\[]{}()*\n\t\u00a0\u200d\ud800é', max_size=8) | st.text(max_size=30)
NAMES = NASTY.filter(bool)
FIELDS = st.sampled_from(["date", "seat", "ply_limit", "size"]) | NAMES
SPELLINGS = st.text("ab1. \"\\[]{}()*'+-<>\n", min_size=1, max_size=6) | st.text(min_size=1, max_size=200)


@every_ruleset
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_what_is_written_is_read_again(ruleset: AnyRuleset, data: st.DataObject, seed: int) -> None:
    record = play(ruleset, seed)
    places = st.lists(st.integers(0, len(record.steps)), max_size=4).map(sorted)
    record = replace(
        record,
        seats=tuple(data.draw(NAMES) for _ in record.seats),
        about=data.draw(st.dictionaries(FIELDS, NASTY, max_size=4)),
        comments=tuple(Comment(place, data.draw(NASTY)) for place in data.draw(places)),
    )
    text = format_record(record)
    assert parse_record(text) == record
    assert format_record(parse_record(text)) == text


@given(st.lists(SPELLINGS, max_size=8))
def test_moves_of_any_spelling_are_written_and_read_again(moves: list[str]) -> None:
    record = scribbled(*moves)
    assert parse_record(format_record(record)) == record


@every_ruleset
@given(seed=st.integers(0, 2**32), data=st.data())
def test_spaces_and_line_breaks_make_no_difference(ruleset: AnyRuleset, seed: int, data: st.DataObject) -> None:
    record = play(ruleset, seed)
    headers, _, moves = format_record(record).partition("\n\n")
    gap = data.draw(st.sampled_from(["\n", "  ", "\r\n", "\t", " \n\n "]))
    assert parse_record(headers.replace("\n", gap if "\n" in gap else "\n") + "\n" + moves.replace(" ", gap)) == record


@every_ruleset
@given(seed=st.integers(0, 2**32))
def test_moves_in_capitals_with_other_numbers_and_judgements_are_read(ruleset: AnyRuleset, seed: int) -> None:
    record = play(ruleset, seed)
    headers, _, moves = format_record(record).partition("\n\n")
    written = re.sub(r"([0-9]+)\. ", Random(seed).choice([r"\1 ", r"\1) ", r"$3 \1 ", r"; fine\n\1. "]), moves.upper())
    assert replace(parse_record(f"{headers}\n{written}"), comments=()) == record


@every_ruleset
@given(seed=st.integers(0, 2**32), text=st.text('abc123.+- "\\[]{}():*\n', max_size=12), data=st.data())
def test_a_changed_text_is_read_or_refused_with_its_place(ruleset, seed, text, data):
    whole = format_record(play(ruleset, seed))
    place = data.draw(st.integers(0, len(whole)))
    changed = whole[:place] + text + whole[place + data.draw(st.integers(0, 5)) :]
    record, error = read(changed)
    if error:
        lines = changed.split("\n")
        assert 1 <= error.line <= len(lines)
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1
    if record:
        assert parse_record(format_record(record)) == record


def read(text: str) -> tuple[Record | None, RecordError | None]:
    try:
        return parse_record(text), None
    except RecordError as error:
        return error.prefix, error


# ---- what is typed


def test_a_record_reads_as_on_a_score_sheet():
    text = dedent(
        """\
        [ruleset toy 1]
        [option dice 2]
        [option ply_limit 100]
        [seat 1 Ada]
        [seat 2 "Bea [Turin]"]
        [date 2026-11-21]
        [place Turin]
        [result 2-1 withdrawal]

        {A cold evening.} (3 4) (1) (2) 1. push (5 3) {Bold!} 2. hold (7) 3. hold
        4. give 1 1 (1 resigned)
        """
    )
    assert format_record(parse_record(text)) == text


def test_only_ruleset_and_seats_are_needed():
    record = parse_record("[ruleset zhen] [seat 1 Ada] [seat 2]")
    assert record == Record("zhen", 1, {"tiles": 10, "cubes": 10, "ply_limit": 200}, ("Ada", "?"), {})


def test_moves_need_no_numbers_and_those_of_several_words_no_quotes():
    assert parse_record(zhen("+5 +3\n+4")) == parse_record(zhen("1. +5 2.+3 3... +4"))
    record = parse_record(toy("hold hold give 2 1 give\n1 1", "[option dice 0]"))
    assert record.steps[-2:] == (MoveMade(1, "give 2 1"), MoveMade(2, "give 1 1"))


def test_a_score_sheet_is_read_as_people_write_it():
    head = "[ruleset Pathagon]\n[seat 1 Ada]\n[seat 2 Bea]\n"
    written = parse_record(head + "1) D4! $1 2 e5 ; good\n3.a1!? {hm} B2?? 5 c3 $14")
    assert written == parse_record(head.replace("P", "p") + "d4 e5 {good} a1 {hm} b2 c3")
    assert "3 e4" in refusal(head + "1. d4 3 e4").why, "move 2 is due"
    assert parse_record(head + "1. d4 ! ?! $1 2 e5").steps == parse_record(head + "d4 e5").steps
    assert "!" in refusal(head + "1. d4 ! ! ! ! ! e5").why, "nobody writes so many"


def test_a_number_that_may_be_a_move_is_none_of_a_move():
    head = "[ruleset digits]\n[seat 1 Ada]\n[seat 2 Bea]\n"
    record = parse_record(head + "1. 2 c 2. 2 d")
    assert [step.move for step in record.steps] == ["2 c", "2 d"]
    assert parse_record(format_record(record)) == record
    assert "DI1" in refusal(head + "1 2 4 1").why


def test_what_may_mean_several_moves_is_refused_unless_it_is_one_of_them():
    head = "[ruleset shouts]\n[seat 1 Ada]\n[seat 2 Bea]\n"
    assert [step.move for step in parse_record(head + "hey HEY").steps] == ["hey", "HEY"]
    assert "it may mean HEY or hey: write one of them" in refusal(head + "hey Hey").why


def test_only_what_could_be_misread_is_quoted():
    plain = ["portal d4 <c3,c4 >d5", "launch d4 demons d5,e6", "T spin b -", "M ally 3 b3xb4", "d4-e5", "2-goal"]
    odd = ["2. d4", "a  b", " a", "(x)", 'say "x"', "{x}", "[x]", "é\n"]
    told = format_record(scribbled(*plain, *odd)).partition("\n\n")[2]
    assert [f"{number}. {move}" in told for number, move in enumerate(plain, 1)] == [True] * len(plain)
    assert [f'{number}. "' in told for number in range(len(plain) + 1, len(plain) + len(odd) + 1)] == [True] * len(odd)


def test_a_roll_may_say_what_it_is_for_and_headers_of_other_notations_are_read():
    plain = parse_record(toy("(3 4) (1) (2) push (4, 5)"))
    assert plain == parse_record(toy("(track: 3 4) (start 1: 1) (seat 2: 2) push (push seat 1: 4 5)"))
    assert plain.steps[-1] == DiceRolled(5, 2, "push", 1, (4, 5))
    record = parse_record('[Ruleset "zhen"]\n[SEAT 1 "Ada"]\n[Seat 2 Bea "B" O\'Hara]\n[Date "2026"]')
    assert record.seats == ("Ada", 'Bea "B" O\'Hara')
    assert record.about == {"date": "2026"}


def test_a_field_about_a_match_may_have_the_name_of_a_header():
    about = {"seat": "window", "tiles": "blue", "Über uns": "x"}
    record = replace(parse_record(zhen()), about=about)
    text = format_record(record)
    assert "[about seat window]" in text
    assert "[about tiles blue]" in text
    assert '[about "Über uns" x]' in text
    assert parse_record(text) == record


def test_a_withdrawal_says_its_cause_and_an_agreed_draw_ends_the_match():
    assert parse_record(zhen("+5 (seat 1 time)")).steps[-1] == SeatWithdrawn(1, "time")
    assert parse_record(zhen("+5 (1 absent)")).outcome == Over("withdrawal", (2, 1))
    drawn = parse_record(zhen("+5 (draw)", "[result 1-1 draw-agreed]"))
    assert (drawn.steps[-1], drawn.outcome) == (AgreedDraw(), Over("draw-agreed", (1, 1)))


def test_comments_keep_their_places():
    record = parse_record(zhen("{first} 1. +5 {one} {two}\n2. +3 {a \\} b}", "{early}"))
    comments = [(0, "early"), (0, "first"), (1, "one"), (1, "two"), (2, "a } b")]
    assert record.comments == tuple(Comment(*each) for each in comments)


def test_lines_have_at_most_80_characters():
    record = parse_record(zhen("+5 {" + "many words " * 50 + "} +3"))
    assert max(map(len, format_record(record).splitlines())) <= 80


def test_the_examples_of_the_documentation_are_records():
    page = (Path(__file__).parents[2] / "docs/record-format.md").read_text()
    examples = [dedent(block) for block in re.findall(r"(?m)(?:^    .*\n|^\n(?=    ))+", page) if "[ruleset" in block]
    typed, *written = [example.strip("\n") + "\n" for example in examples]
    assert len(written) == 3
    assert [format_record(parse_record(example)) for example in (typed, *written)] == [written[0], *written]


# ---- what is refused


@pytest.mark.parametrize(
    ("text", "line", "column", "why"),
    [
        ("", 1, 1, "no header names the ruleset"),
        ("[ruleset zhen]\n", 2, 1, "no header names a seat"),
        ("[seat 1 Ada]\n [ruleset chess]\n", 2, 2, "unknown ruleset 'chess'"),
        ("[ruleset zhen 99]", 1, 1, "unknown ruleset 'zhen version 99'"),
        ("[ruleset zhen one]", 1, 1, "a number, not 'one'"),
        ("[ruleset zhen]\n[seat 1 Ada", 2, 1, "a header is [name value]"),
        ("[ruleset zhen]\n[seat 1 Ada [GM]]", 2, 1, "a value with brackets is quoted"),
        ("[ruleset zhen]\n[seat 1 Ada]\n[seat 3 Bea]", 3, 1, "no seat '3'"),
        ("[ruleset zhen]\n[seat 1 Ada]", 2, 1, "option 'seats' is 1"),
        (zhen(headers="[seat 2 Cat]"), 4, 1, "given before: 'seat 2'"),
        (zhen(headers="[seat]"), 4, 1, "a key and a value: [seat"),
        (zhen(headers="[option tiles 99]"), 4, 1, "option 'tiles' is 99"),
        (zhen(headers="[option size 5]"), 4, 1, "option 'size' is 5"),
        (zhen(headers="[tiles 5]"), 4, 1, "write [option tiles …]"),
        (zhen("+5 [date 2026]"), 5, 4, "headers come before the moves"),
        (zhen("+5 {never ends"), 5, 4, "does not end with }"),
        (zhen("+5 (1 time"), 5, 4, "is never closed"),
        (zhen('+5 "+3'), 5, 4, "this quote is not closed"),
        (zhen("+5 }"), 5, 4, "this } closes nothing"),
        (zhen("{\\u{zz}}"), 5, 1, "\\u{7d}"),
        (zhen("1. +5 3. +4"), 5, 7, "called move 3, but move 2 is due"),
        (zhen("+5 (3)"), 5, 4, "no roll is due: seat 2 is to move"),
        (zhen("+5 (2 fled)"), 5, 4, "cause is 'fled'"),
        (zhen("+5 (3 time)"), 5, 4, "seat 3 is not in play"),
        (zhen("+5 (hello)"), 5, 4, "parentheses hold dice"),
        (zhen("+5 (draw) +4"), 5, 11, "nothing follows: the match is over, 1-1 draw-agreed"),
        (toy("push"), 5, 1, "a roll is due first: 2d7 for track"),
        (toy("(3)"), 5, 1, "2 dice with 7 sides are rolled at move 1, not 1"),
        (toy("(3 4) (start 2: 1)"), 5, 7, "another roll is due: 1d3 for start of seat 1"),
        (toy("(3 4) (: 1)"), 5, 7, "before the colon goes"),
        (zhen("+5", "[result 1-2]"), 4, 1, "the match is not over: seat 2 is to move"),
        (zhen("+5 (1 time)", "[result *]"), 4, 1, "the match is over, 2-1 withdrawal"),
        (zhen("+5 (1 time)", "[result 1-2]"), 4, 1, "the moves lead to 2-1 withdrawal"),
        (zhen("+5 (1 time)", "[result 2-1 blocked]"), 4, 1, "the moves lead to 2-1 withdrawal"),
        (zhen("+5", "[result won]"), 4, 1, "a result is like"),
    ],
)
def test_a_fault_is_told_with_its_place(text, line, column, why):
    error = refusal(text)
    assert (error.line, error.column) == (line, column)
    assert why in error.why
    assert str(error) == f"line {line}, column {column}: {error.why}"


def test_an_illegal_move_names_ply_and_clause_and_one_that_is_none_is_shown_where_it_begins():
    error = refusal(zhen("1. +5\n2. +5\n3. +6"))
    assert (error.line, error.column, error.ply, error.clause) == (6, 4, 1, "ZH4")
    assert error.details == {"line": 6, "column": 4, "ply": 1, "clause": "ZH4"}
    error = refusal(zhen("+5 +3 d4 +6 +2 +1 +7"))
    assert (error.column, error.clause) == (7, None)
    assert "bad notation 'd4 +6 +2'" in error.why


def test_the_good_prefix_comes_with_the_fault():
    error = refusal(zhen("+5 {good} +3 +3 {bad} +1", "[result 1-2]\n[place Turin]"))
    assert error.prefix == parse_record(zhen("+5 {good} +3", "[place Turin]"))
    assert refusal(zhen("+5 +3 {never ends")).prefix == parse_record(zhen("+5 +3"))
    assert "ZH4" in refusal(zhen("+5 +5 {never ends")).why
    assert refusal(zhen("+5 (1 time)", "[result 1-2]")).prefix == parse_record(zhen("+5 (1 time)"))
    assert refusal("[ruleset chess]").prefix is None


# ---- from matches and to matches


def test_a_match_without_moves_has_a_record_and_an_account_without_a_name_goes_by_its_id():
    for occupant, name in ((None, "?"), (account(BEN), BEN.id)):
        table = new_match("zhen", (account(ANN), occupant))
        record = record_of(table.match, table.entries, {ANN.id: "Ann"})
        assert (record.seats, record.steps, record.outcome) == (("Ann", name), (), None)


def test_moves_taken_back_are_not_in_the_record_but_rolls_before_them_are():
    table = recorded("toy", dice=RecordedDice(), about={"place": "Turin"})
    for values in ((3, 4), (1,), (2,)):
        table.when(RecordRoll, RECORDER, values=values)
    table.when(MakeMove, RECORDER, move="hold")
    table.when(MakeMove, RECORDER, move="push")
    table.when(RecordRoll, RECORDER, values=(1, 2))
    table.when(RecordRoll, RECORDER, values=(9,))
    table.when(MakeMove, RECORDER, move="hold")
    table.when(TakeBack, RECORDER, ply=2)
    table.when(MakeMove, RECORDER, move="push")
    table.when(TakeBack, RECORDER, ply=1)
    table.when(MakeMove, RECORDER, move="hold")
    record = record_of(table.match, table.entries, {})
    assert format_record(record).endswith("\n\n(3 4) (1) (2) 1. hold 2. hold\n")
    assert record.about == {"place": "Turin"}


def test_a_fork_has_the_whole_line_in_its_record():
    line = LineCopied((MoveMade(1, "+5"), MoveMade(2, "+3")), None)
    table = new_match("zhen", (account(ANN),) * 2, start="call", parent={"match": STREAM, "ply": 2}, line=line)
    table.when(StartMatch, ANN)
    table.play("+4")
    assert format_record(record_of(table.match, table.entries, {})).endswith("\n\n1. +5 2. +3 3. +4\n")


def test_declined_offers_leave_no_trace_and_an_agreed_draw_stands_in_the_record():
    table = hot_seat("zhen")
    table.when(OfferDraw, ANN, seat=1)
    table.when(AnswerDraw, ANN, seat=2, accept=False)
    table.play("+5")
    assert record_of(table.match, table.entries, {}).steps == (MoveMade(1, "+5"),)
    table.when(OfferDraw, ANN, seat=2)
    table.when(AnswerDraw, ANN, seat=1, accept=True)
    record = record_of(table.match, table.entries, {})
    assert (record.steps[1:], record.outcome) == ((AgreedDraw(),), Over("draw-agreed", (1, 1)))


def test_an_outcome_that_the_rules_do_not_give_is_not_in_the_record():
    table = recorded("zhen")
    table.when(Withdraw, RECORDER, seat=1)
    forged = Match(STREAM)
    for event in map(parse_event, table.entries):
        if not isinstance(event.data, SeatWithdrawn):
            data = MatchEnded("blocked", (2, 1)) if isinstance(event.data, MatchEnded) else event.data
            forged = evolve(forged, event._replace(data=data, version=forged.version + 1))
    assert forged.life.outcome == MatchEnded("blocked", (2, 1))
    assert record_of(forged, table.entries[:2], {}).outcome is None


def test_of_a_damaged_match_the_good_prefix_is_recorded():
    table = recorded("zhen")
    for move in ("+5", "+3", "+4"):
        table.when(MakeMove, RECORDER, move=move)
    entries = [*table.entries[:-2], table.entries[-1]]
    damaged = fold(Match(STREAM), entries)
    assert damaged.fault is not None
    assert record_of(damaged, entries, {}).steps == (MoveMade(1, "+5"),)


def test_a_match_whose_beginning_cannot_be_played_has_no_record():
    table = recorded("zhen")
    with pytest.raises(WrongTime) as caught:
        record_of(table.match._replace(play=None, fault=Fault(1, UnknownRuleset("zhen"))), table.entries, {})
    assert caught.value.code == "match/damaged"


@every_ruleset
@given(seed=st.integers(0, 2**32))
def test_the_commands_of_a_record_make_its_match(ruleset: AnyRuleset, seed: int) -> None:
    record = replace(play(ruleset, seed), about={"date": "2026-11-21"})
    match, entries = Match(STREAM), list[StoredEvent]()
    for command in commands_of(record, RECORDER, at=5):
        events = decide(command, match)
        stored = link_all(match.head or first_link(STREAM), match.version + 1, map(format_event, events))
        match, entries = fold(match, stored), entries + stored
    assert match.fault is None
    assert match.life.seats[0].occupant == Guest("Player 1")
    assert record_of(match, entries, {}) == record
