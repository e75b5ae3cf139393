"""Rated matches that a seat aborted are noted in the player's own stream, once, and are followed by pauses."""

from collections.abc import Sequence

import pytest

from plyscribe.domain.commands import Actor, Withdraw
from plyscribe.domain.deadlines import find_deadline
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.match import Match
from plyscribe.domain.rulesets import register
from plyscribe.service.composition import Parts, compose
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import FeedEntry
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import command_of
from plyscribe.service.web.app import create_app
from plyscribe.workers.duties.loading import read_newest
from plyscribe.workers.duties.rated_aborts import RatedAborts
from tests.domain.toy import TOY_V1
from tests.service.api import Api
from tests.service.conftest import CONFIG

CLOCK = Actor("system", "deadline")


class Club:
    """Ann and Ben, their rated matches, and the duty that notes what they abort."""

    def __init__(self) -> None:
        register(TOY_V1)
        self.parts: Parts = compose(CONFIG, MemoryStore())
        self.api = Api(create_app(self.parts))
        self.ann, self.ann_token = self.api.sign_up("Ann")
        self.ben, self.ben_token = self.api.sign_up("Ben")
        self.duty = self.new_duty()

    def new_duty(self) -> RatedAborts:
        return RatedAborts(self.parts, Handler(self.parts.store, MATCH))

    def begin(self, **more: object) -> str:
        seats = [{"player": self.ann}, {"player": self.ben}]
        match = self.api.new_match(self.ann_token, seats, **{"rated": True, **more})
        assert self.api.post(f"/v1/matches/{match}/seats/2", self.ben_token).status_code == 200
        return match

    def leave(self, **more: object) -> str:
        """A match that Ben left at once."""
        match = self.begin(**more)
        assert self.api.post(f"/v1/matches/{match}/withdrawal", self.ben_token, {}).status_code == 200
        return match

    def take(self, matches: Sequence[str]) -> None:
        self.duty.take([FeedEntry(match, 1, 4, ("match-aborted",)) for match in matches])

    def aborts(self, player: str) -> list[str]:
        return list(self.parts.accounts.players.read(player).aborts)

    def profile(self, player: str) -> tuple[int, int | None]:
        told = self.api.get(f"/v1/players/{player}").json
        return told["rated_aborts"], told["paused_until"]


@pytest.fixture
def club() -> Club:
    return Club()


def test_a_rated_match_that_a_player_left_is_noted_with_that_player_once(club):
    match, other = club.leave(), club.begin()
    club.duty.find(dict(read_newest(club.parts.store, [match, other])))
    assert (club.aborts(club.ann), club.aborts(club.ben)) == ([], [match])
    for _ in range(2):
        club.take([match])
    club.duty = club.new_duty()
    club.take([match])
    # The stream was restored without its commands.
    club.parts.store.within._commands.clear()
    club.take([match])
    assert club.profile(club.ben) == (1, None)


def test_a_player_whose_time_ran_out_before_the_match_counted_is_noted(club):
    match = club.begin(limits={"move_ms": 1000})

    def command_for(state: Match) -> Withdraw:
        return Withdraw(actor=CLOCK, at=find_deadline(state).at, id="00", seat=1, cause="time")

    club.parts.matches.execute(match, command_for, command_of("test", "POST", "/", None, b""))
    club.take([match])
    assert (club.aborts(club.ann), club.aborts(club.ben)) == ([match], [])


def test_nobody_is_noted_for_what_they_did_not_do(club):
    _, root = club.parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))
    judged, called_off, friendly = club.begin(), club.begin(), club.leave(rated=False)
    body = {"seat": 2, "cause": "absent", "why": "did not come"}
    assert club.api.post(f"/v1/matches/{judged}/withdrawal", root, body).status_code == 200
    assert club.api.post(f"/v1/matches/{called_off}/abort", root, {}).status_code == 200
    opened = club.api.new_match(club.ann_token, rated=True)
    club.api.post(f"/v1/matches/{opened}/abort", club.ann_token, {})
    club.take([judged, called_off, friendly, opened])
    assert club.aborts(club.ann) == club.aborts(club.ben) == []


def test_a_match_of_people_without_an_account_here_holds_up_nothing(club):
    gone, match = club.leave(), club.leave()
    club.parts.store.within._events[gone] = club.parts.store.within._events[gone][:1]
    club.duty.take([FeedEntry(each, 1, 4, ("match-aborted",)) for each in (gone, match)])
    assert club.aborts(club.ben) == [match]


# ----------------------------------------------------------------------------------------------------------- the pause


def paused(club: Club) -> int:
    """Three matches that Ben left, so that he has to wait; until when."""
    club.take([club.leave() for _ in range(3)])
    count, until = club.profile(club.ben)
    assert count == 3
    return until


def test_after_the_third_match_a_player_waits_before_the_next_rated_one(club):
    seats = [{"player": club.ann}, {"player": club.ben}]
    offered = club.api.new_match(club.ann_token, seats, rated=True)
    friendly = club.api.new_match(club.ann_token, seats)
    until = paused(club)
    refused = club.api.post(f"/v1/matches/{offered}/seats/2", club.ben_token)
    assert (refused.status_code, refused.json["code"], refused.json["until"]) == (409, "rated/paused", until)
    body = {"ruleset": "zhen", "seats": [None, None], "rated": True}
    assert club.api.post("/v1/matches", club.ben_token, body).json["code"] == "rated/paused"
    assert club.api.post("/v1/matches", club.ben_token, {**body, "rated": False}).status_code == 201
    assert club.api.post(f"/v1/matches/{friendly}/seats/2", club.ben_token).status_code == 200
    assert "take-seat" not in str(club.api.get(f"/v1/matches/{offered}", club.ben_token).json["choices"])
    assert club.api.post("/v1/matches", club.ann_token, body).status_code == 201
    shown = club.api.app.test_client().get(f"/players/{club.ben}").text
    assert "Left 3 rated matches before they counted." in shown
    assert "The next one can begin at" in shown


def test_a_rated_rematch_waits_too(club):
    ended = [club.begin() for _ in range(2)]
    for match in ended:
        for token, move in ((club.ann_token, "a1"), (club.ben_token, "b2")):
            assert club.api.post(f"/v1/matches/{match}/moves", token, {"move": move}).status_code == 200
        assert club.api.post(f"/v1/matches/{match}/withdrawal", club.ann_token, {}).json["counts"]
    paused(club)
    assert club.api.post(f"/v1/matches/{ended[0]}/rematch", club.ben_token).json["code"] == "rated/paused"
    assert club.api.post(f"/v1/matches/{ended[1]}/rematch", club.ann_token).status_code == 200
    assert club.api.post(f"/v1/matches/{ended[1]}/rematch", club.ben_token).json["code"] == "rated/paused"
    choices = club.api.get(f"/v1/matches/{ended[1]}", club.ben_token).json["choices"]
    assert "rematch" not in {choice["command"] for choice in choices}


def test_a_retry_of_what_was_done_before_the_pause_gets_its_answer(club):
    body = {"ruleset": "zhen", "seats": [None, None], "rated": True}
    made = club.api.post("/v1/matches", club.ben_token, body, key="k")
    paused(club)
    assert club.api.post("/v1/matches", club.ben_token, body, key="k").data == made.data
