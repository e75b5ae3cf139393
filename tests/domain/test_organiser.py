"""The office of an organiser: what an account's tokens and browsers then cover."""

from dataclasses import replace

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.player import PLAYER, AppointOrganiser, DismissOrganiser, OrganiserAppointed, Player, Token

ROOT = Actor("player", "player-root")
GIVEN = {"actor": ROOT, "at": 1, "id": "00"}
ORGANISER = Player("player-ann", 2, name="Ann", is_organiser=True)


def token(*scopes: str, session: bool = False) -> Token:
    return Token(scopes, None, 0, None, None, "ab" if session else None)


def test_an_account_becomes_an_organiser_once():
    plain = Player("player-ann", 2, name="Ann")
    [event] = PLAYER.decide(AppointOrganiser(**GIVEN), plain).events
    assert event.data == OrganiserAppointed()
    with pytest.raises(WrongTime, match="already"):
        PLAYER.decide(AppointOrganiser(**GIVEN), ORGANISER)
    with pytest.raises(WrongTime, match="not an organiser"):
        PLAYER.decide(DismissOrganiser(**GIVEN), plain)


@pytest.mark.parametrize(
    "given", [token("play", "record"), token("play", session=True), token("record", session=True), token("admin")]
)
def test_the_browsers_of_an_organiser_cover_organise_too_and_what_was_given_for_less_never_more(given):
    assert ORGANISER.scopes_of(token("play", "record", session=True)) == ("play", "record", "organise")
    assert ORGANISER.scopes_of(given) == given.scopes
    assert replace(ORGANISER, is_organiser=False).scopes_of(token("play", "record", session=True)) == ("play", "record")
