"""Stories: names in sentences, and text records with a comment for each step."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from plyscribe.domain.effects import Effect
from plyscribe.domain.events import BuiltIn, Guest, Occupant
from plyscribe.domain.match import Match, Seat
from plyscribe.domain.phrases import say
from plyscribe.domain.record import Comment, format_record, parse_record
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.language.catalogues import LANGUAGES
from plyscribe.service.language.sentences import describe_effects, name_seats, translate
from plyscribe.service.matches.story import comment_record, name_players
from tests.domain.given import ANN, BEN, STREAM, account, new_match
from tests.domain.prove import every_ruleset
from tests.domain.test_record import NAMES, more_rulesets, play

__all__ = ["more_rulesets"]

PATHAGON = find_ruleset("pathagon", 1)


def sentence(effect: Effect, names: dict[int, str]) -> str:
    [found] = describe_effects(PATHAGON, [effect], "en", names)
    return found


def test_a_name_stays_as_its_player_writes_it_and_equal_ones_are_told_apart_by_their_seats():
    placed = Effect("placed", "PA4", chosen=True, seat=1, target="c3")
    for names, who in (({1: "ann"}, "ann"), ({1: "{to}"}, "{to}"), ({}, "Seat 1")):
        assert sentence(placed, names) == f"{who} places a piece from the reserve on c3."
    assert sentence(Effect("closed", "PA6", owner=2, target="c4"), {}) == "c4 is closed to seat 2 for the next turn."
    assert name_seats({1: "Ann", 2: "Ben", 3: "Ann"}, "de") == {1: "Ann (Platz 1)", 2: "Ben", 3: "Ann (Platz 3)"}


def test_a_seat_in_a_refusal_is_called_by_the_name_of_its_player():
    phrase = say("no roll is due at move {number}: {turn}", number=4, turn=say("{seat} makes a move", seat=2))
    assert translate(phrase, "en", {2: "Ben"}) == "no roll is due at move 4: Ben makes a move"
    assert translate(phrase, "de", {2: "Ben"}) == "Vor Zug 4 wird nicht gewürfelt: Ben ist am Zug"
    assert translate(phrase, "de", {}) == "Vor Zug 4 wird nicht gewürfelt: Platz 2 ist am Zug"


def seated(*occupants: Occupant | None) -> Match:
    """A match with these occupants."""
    match = new_match().match
    seats = tuple(Seat(occupant, seated=True) for occupant in occupants)
    return match._replace(lifecycle=match.life._replace(seats=seats))


def test_accounts_guests_and_bots_have_names_and_unknown_players_have_none():
    match = seated(account(ANN), Guest("Cat"), None, Guest("?"), BuiltIn("random", 1, 7, None), account(BEN))
    names = {ANN.id: "Ann", BEN.id: ""}
    assert name_players(match, names.__getitem__, "en") == {1: "Ann", 2: "Cat", 5: "random bot"}
    elsewhere = match._replace(stream=f"{STREAM}~{'b' * 26}")
    assert name_players(elsewhere, lambda _: "Ann", "en") == {2: "Cat", 5: "random bot"}


@every_ruleset
@given(seed=st.integers(0, 2**32), data=st.data(), language=st.sampled_from(LANGUAGES))
def test_a_record_with_comments_is_read_as_the_same_match(
    ruleset: AnyRuleset, seed: int, data: st.DataObject, language: str
) -> None:
    record = play(ruleset, seed)
    record = replace(record, seats=tuple(data.draw(NAMES) for _ in record.seats))
    told = comment_record(record, language)
    read = parse_record(format_record(told))
    assert read == told
    assert replace(read, comments=()) == record
    assert [comment.after for comment in told.comments] == list(range(1, len(record.steps) + 1))
    assert comment_record(read, language) == read


def test_remarks_that_a_record_has_stay_behind_what_happened():
    record = parse_record("[ruleset pathagon]\n[seat 1 Ada]\n[seat 2 Bea]\n\n{Late.} c3 {Bold.} d4\n")
    assert comment_record(record, "en").comments == (
        Comment(0, "Late."),
        Comment(1, "Ada places a piece from the reserve on c3."),
        Comment(1, "Bold."),
        Comment(2, "Bea places a piece from the reserve on d4."),
    )
