"""What the steps of a match did, over HTTP: in pages, with positions, in live streams and in text records."""

import json
from typing import Any

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.effects import describe_effect
from plyscribe.domain.record import parse_record
from plyscribe.domain.replay import list_steps
from plyscribe.service.composition import Parts
from tests.service.api import Api
from tests.service.test_damaged_streams import Damaged
from tests.service.test_imports_api import Elsewhere, bring
from tests.service.test_live_api import is_among, parse

TRAP = ("c3", "c4", "c5")
GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
TEXT = {"Accept": "text/plain"}
SSE = {"Accept": "text/event-stream"}


class Evening:
    """A match of Pathagon between Ann and Ben, in which Ann traps a piece with her second move."""

    def __init__(self, api: Api, moves: tuple[str, ...] = TRAP, **more: Any) -> None:
        self.api = api
        (ann, self.ann), (_, self.ben) = api.sign_up("Ann"), api.sign_up("Ben")
        self.match = api.new_match(self.ann, [{"player": ann}, None], "pathagon", **more)
        self.path = f"/v1/matches/{self.match}"
        self.join(more)
        self.move(*moves)

    def join(self, more: dict[str, Any]) -> None:
        code = {"invitation": self.invite()} if more.get("private") else {}
        assert self.api.post(f"{self.path}/seats/2", self.ben, code).status_code == 200

    def invite(self) -> str:
        return self.api.post(f"{self.path}/seats/2/invitations", self.ann, {}).json["invitation"]

    def move(self, *moves: str) -> None:
        for number, move in enumerate(moves):
            assert self.try_move(move, (self.ann, self.ben)[number % 2]).status_code == 200

    def try_move(self, move: str, token: str, **more: Any):
        return self.api.post(f"{self.path}/moves", token, {"move": move}, **more)

    def effects(self, query: str = "", **headers: str):
        return self.api.get(f"{self.path}/effects{query}", headers=headers)

    def sentences(self, query: str = "", **headers: str) -> list[str]:
        return sentences_in(self.effects(query, **headers).json)


def sentences_in(page: dict[str, Any]) -> list[str]:
    return [sentence for step in page["steps"] for sentence in step["sentences"]]


@pytest.fixture
def evening(api: Api) -> Evening:
    return Evening(api)


def recorded(api: Api, *steps: tuple[str, dict[str, Any]], ruleset: str = "pathagon") -> tuple[str, str]:
    """A match that a recorder enters for Ada and Bea; its path and the token."""
    _, token = api.sign_up()
    seats = [{"name": "Ada"}, {"name": "Bea"}]
    match = api.new_match(token, seats, ruleset, recorded=True, **({"dice": "recorded"} if ruleset == "toy" else {}))
    for what, body in steps:
        assert api.post(f"/v1/matches/{match}/{what}", token, body).status_code == 200
    return f"/v1/matches/{match}", token


def test_each_step_has_its_effects_and_a_sentence_for_each(evening, parts: Parts):
    page = evening.effects().json
    play = parts.matches.read(evening.match).play
    assert [step["effects"] for step in page["steps"]] == [
        [describe_effect(effect) for effect in step.list_effects(play.ruleset)] for step in list_steps(play)
    ]
    last = page["steps"][-1]
    assert {name: last[name] for name in ("ply", "kind", "seat", "move", "values")} == {
        "ply": 3,
        "kind": "move",
        "seat": 1,
        "move": "c5",
        "values": None,
    }
    assert last["version"] == page["version"] == evening.api.get(evening.path).json["version"]
    assert last["sentences"] == [
        "Ann places a piece from the reserve on c5.",
        "Ann traps the piece of Ben on c4: it returns to the reserve.",
        "c4 is closed to Ben for the next turn.",
    ]


def test_the_sentences_are_in_the_first_language_that_the_request_prefers(evening):
    answered = evening.effects("?from=2&to=2", **GERMAN)
    assert sentences_in(answered.json) == ["Ben setzt einen Stein aus dem Vorrat auf c4."]
    assert answered.headers["Content-Language"] == "de"
    assert {"Accept", "Accept-Language"} <= set(answered.vary)
    assert evening.effects(**{"Accept-Language": "de;q=0, fr"}).headers["Content-Language"] == "en"
    assert evening.effects(**{"Accept-Language": ";;=,*"}).headers["Content-Language"] == "en"


def test_a_language_in_the_query_comes_before_the_header(evening):
    assert evening.sentences("?from=2&to=2&language=en", **GERMAN) == ["Ben places a piece from the reserve on c4."]


def test_as_text_the_sentences_come_a_line_each(evening):
    answered = evening.effects(**TEXT)
    assert answered.content_type == "text/plain; charset=utf-8"
    assert answered.text == (
        "  1. Ann places a piece from the reserve on c3.\n"
        "  2. Ben places a piece from the reserve on c4.\n"
        "  3. Ann places a piece from the reserve on c5.\n"
        "     Ann traps the piece of Ben on c4: it returns to the reserve.\n"
        "     c4 is closed to Ben for the next turn.\n"
    )


def test_pages_follow_each_other_without_a_gap(evening):
    first = evening.effects("?limit=2").json
    assert [step["ply"] for step in first["steps"]] == [1]
    second = evening.api.get(first["next"]).json
    assert [step["ply"] for step in second["steps"]] == [2, 3]
    assert second["next"] is None
    assert evening.effects("?from=1&to=2&limit=1").json["next"].endswith("?from=2&to=2&limit=1")
    assert evening.effects("?from=1&to=2").json["next"] is None
    assert evening.effects("?limit=2", **TEXT).text.endswith(f"\n\nnext: {evening.path}/effects?limit=2&from=2\n")


def test_a_page_before_the_last_position_does_not_change_when_the_match_goes_on(evening):
    before = evening.effects("?to=2")
    assert evening.try_move("a1", evening.ben).status_code == 200
    after = evening.effects("?to=2")
    assert (after.json, after.headers["ETag"]) == (before.json, before.headers["ETag"])


def test_a_range_that_ends_before_it_begins_is_refused(evening):
    refused = evening.effects("?from=2&to=1")
    assert (refused.status_code, refused.json["code"]) == (400, "effects/range")


def test_beyond_the_last_position_there_are_no_steps(evening):
    page = evening.effects("?from=4").json
    assert (page["steps"], page["next"]) == ([], None)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("from=-1", "from"),
        ("from=x", "from"),
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("language=fr", "language"),
        ("lang=de", "lang"),
    ],
)
def test_a_wrong_value_is_refused_by_its_name(evening, query, field):
    refused = evening.effects(f"?{query}")
    assert (refused.status_code, refused.json["code"], list(refused.json["errors"])) == (
        422,
        "request/invalid",
        [field],
    )


def test_a_client_that_has_the_page_in_this_language_gets_304(evening):
    tag = evening.effects().headers["ETag"]
    known = evening.effects(**{"If-None-Match": tag})
    assert (known.status_code, known.headers["ETag"], known.data) == (304, tag, b"")
    assert evening.effects(**GERMAN, **{"If-None-Match": tag}).status_code == 200
    assert evening.try_move("a1", evening.ben).status_code == 200
    assert evening.effects(**{"If-None-Match": tag}).status_code == 200


def test_only_readers_of_a_private_match_are_told_what_happened_in_it(api):
    evening = Evening(api, private=True)
    _, eve = api.sign_up("Eve")
    for token in (None, eve):
        assert api.get(f"{evening.path}/effects", token).json["code"] == "match/unknown"
    told = api.get(f"{evening.path}/effects", evening.ben)
    assert len(told.json["steps"]) == 3
    assert "public" not in told.headers["Cache-Control"]
    assert {"Authorization", "Cookie"} <= set(told.vary)


def test_steps_of_a_damaged_match_end_before_the_fault(parts, api):
    rig = Damaged(parts, api)
    first = rig.api.get(rig.path).json["version"]
    for text in ("d4", "a1", "c3"):
        rig.move(text)
    rig.damage(rig.match, first + 2)
    page = rig.api.get(f"{rig.path}/effects").json
    assert [step["move"] for step in page["steps"]] == ["d4"]
    assert (page["fault"]["version"], page["next"]) == (first + 2, None)
    assert rig.api.get(f"{rig.path}/effects?to=0").json["fault"] is None


def test_a_match_whose_beginning_cannot_be_played_has_no_steps(parts, api):
    rig = Damaged(parts, api)
    rig.damage(rig.match, 1)
    _, admin = parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))
    assert rig.refused(f"{rig.path}/effects", token=admin)["code"] == "match/damaged"


def test_a_fork_has_the_steps_that_it_copied(evening):
    _, eve = evening.api.sign_up("Eve")
    fork = evening.api.post(f"{evening.path}/forks", eve, {"ply": 3}).json["match"]
    page = evening.api.get(f"/v1/matches/{fork}/effects").json
    assert [(step["version"], step["move"]) for step in page["steps"]] == [(2, "c3"), (2, "c4"), (2, "c5")]
    assert page["steps"][0]["sentences"] == ["Eve (seat 1) places a piece from the reserve on c3."]


def test_a_withdrawal_belongs_to_the_position_that_it_ends(evening):
    evening.api.post(f"{evening.path}/withdrawal", evening.ben, {})
    step = evening.effects("?from=3").json["steps"][-1]
    assert (step["kind"], step["seat"], step["ply"], step["move"]) == ("withdrawal", 2, 3, None)
    assert step["sentences"] == [
        "Ben leaves the match.",
        "The match ends: nobody else is left in it.",
        "Ann is in place 1.",
        "Ben is in place 2.",
    ]


def test_an_agreed_draw_is_a_step(evening):
    evening.api.post(f"{evening.path}/draw", evening.ben, {"action": "offer"})
    evening.api.post(f"{evening.path}/draw", evening.ann, {"action": "agree"})
    step = evening.effects().json["steps"][-1]
    assert (step["kind"], step["seat"]) == ("draw", None)
    assert step["sentences"][0] == "The match ends: the players agree on a draw."


def test_steps_that_were_taken_back_are_gone(api):
    path, token = recorded(api, ("moves", {"move": "c3"}), ("moves", {"move": "c4"}))
    api.post(f"{path}/take-back", token, {"ply": 1})
    api.post(f"{path}/moves", token, {"move": "d4"})
    assert sentences_in(api.get(f"{path}/effects").json) == [
        "Ada places a piece from the reserve on c3.",
        "Bea places a piece from the reserve on d4.",
    ]


def test_rolls_come_with_what_the_dice_showed(api):
    rolls = [("rolls", {"values": values}) for values in ([1, 2], [1], [2])]
    path, _ = recorded(api, *rolls, ("moves", {"move": "hold"}), ruleset="toy")
    steps = api.get(f"{path}/effects").json["steps"]
    assert [(step["kind"], step["ply"], step["seat"], step["values"]) for step in steps] == [
        ("roll", 0, None, [1, 2]),
        ("roll", 0, 1, [1]),
        ("roll", 0, 2, [2]),
        ("move", 1, 1, None),
    ]
    assert api.get(f"{path}/positions/0?include=effects").json["steps"] == steps[:3]


def test_an_effect_of_a_ruleset_from_outside_is_shown_by_its_kind_and_details(api):
    rolls = [("rolls", {"values": values}) for values in ([1, 2], [1], [2])]
    path, _ = recorded(api, *rolls, ruleset="toy")
    page = api.get(f"{path}/effects").json
    assert page["steps"][1]["sentences"] == [
        "Rolled: seat Ada, amount 1, word start.",
        "Ran: owner Ada, from 0, to 1.",
    ]


def test_a_seat_without_a_name_is_called_by_its_number(api, parts):
    elsewhere = Elsewhere()
    there, (_, token) = Evening(elsewhere), api.sign_up()
    brought = bring(api, parts, token, elsewhere.bundle(there.match))
    page = api.get(f"/v1/matches/{brought}/effects?to=1&language=de").json
    assert sentences_in(page) == ["Platz 1 setzt einen Stein aus dem Vorrat auf c3."]
    assert sentences_in(api.get(f"/v1/matches/{brought}/effects?to=1").json)[0].startswith("Seat 1 places")


def test_an_unknown_player_of_a_record_is_called_by_the_seat(api):
    _, token = api.sign_up()
    match = api.new_match(token, [{"name": "?"}, {"name": "bob"}], recorded=True)
    for move in ("c3", "d4"):
        api.post(f"/v1/matches/{match}/moves", token, {"move": move})
    assert sentences_in(api.get(f"/v1/matches/{match}/effects").json) == [
        "Seat 1 places a piece from the reserve on c3.",
        "bob places a piece from the reserve on d4.",
    ]


# ------------------------------------------------------------------------------------------------------------ positions


def test_a_position_has_the_steps_that_led_to_it_on_request(evening):
    asked = f"{evening.path}/positions/3"
    position = evening.api.get(f"{asked}?include=effects", headers=GERMAN)
    assert position.json["steps"] == evening.effects("?from=3&to=3", **GERMAN).json["steps"]
    assert position.headers["Content-Language"] == "de"
    assert "Accept-Language" in position.vary
    plain = evening.api.get(asked)
    assert "steps" not in plain.json
    assert "Content-Language" not in plain.headers
    assert plain.headers["ETag"] != position.headers["ETag"]


def test_a_position_as_text_ends_with_what_led_to_it(evening):
    told = evening.api.get(f"{evening.path}/positions/1?include=effects&language=de", headers=TEXT).text
    plain = evening.api.get(f"{evening.path}/positions/1", headers=TEXT).text
    assert told == f"{plain}\n  1. Ann setzt einen Stein aus dem Vorrat auf c3.\n"


def test_a_position_of_a_version_is_kept_for_a_day_with_what_led_to_it(evening):
    asked = f"{evening.path}/positions/1?version=4"
    assert "immutable" in evening.api.get(asked).headers["Cache-Control"]
    told = evening.api.get(f"{asked}&include=effects").headers["Cache-Control"]
    assert "immutable" not in told
    assert "max-age=86400" in told


def test_a_picture_of_a_position_says_nothing(evening):
    svg = {"Accept": "image/svg+xml"}
    asked = f"{evening.path}/positions/1"
    assert evening.api.get(f"{asked}?include=effects", headers=svg).data == evening.api.get(asked, headers=svg).data


# ---------------------------------------------------------------------------------------------------------- live stream


def read_stream(api: Api, path: str, query: str = "", **headers: str) -> list[dict[str, Any]]:
    """The data of the events of a match that is over."""
    _, *events, end = parse(api.get(f"{path}/events{query}", headers={**SSE, **headers}).text)
    assert end["event"] == "end"
    return [json.loads(event["data"]) for event in events]


@pytest.fixture
def corrected(api: Api) -> str:
    """The path of a match in which a move was taken back, and that was called off."""
    moves = [("moves", {"move": "c3"}), ("moves", {"move": "c4"})]
    path, _ = recorded(api, *moves, ("take-back", {"ply": 1}), ("moves", {"move": "d4"}), ("abort", {}))
    return path


def test_a_live_stream_has_what_each_step_did_on_request(api, corrected):
    plain, told = read_stream(api, corrected), read_stream(api, corrected, "?include=effects", **GERMAN)
    steps = {step["version"]: step for step in api.get(f"{corrected}/effects", headers=GERMAN).json["steps"]}
    assert len(steps) == 2
    for event, bare in zip(told, plain, strict=True):
        step = steps.get(event["version"], {"effects": [], "sentences": []})
        assert event == {**bare, "effects": step["effects"], "sentences": step["sentences"]}
    assert read_stream(api, corrected, "?include=effects&language=en")[2]["sentences"] == [
        "Ada places a piece from the reserve on c3."
    ]


def test_a_stream_with_effects_says_in_which_language_it_is(api, corrected):
    answered = api.get(f"{corrected}/events?include=effects", headers={**SSE, **GERMAN})
    assert answered.headers["Content-Language"] == "de"
    assert "Accept-Language" in answered.vary


def test_who_follows_sees_what_a_move_did_as_it_is_made(evening):
    followed = evening.api.app.test_client().get(f"{evening.path}/events?include=effects", headers=SSE)
    chunks = followed.iter_encoded()
    assert is_among(b"Ann traps the piece of Ben on c4", chunks)
    evening.try_move("a1", evening.ben)
    assert is_among(b'"sentences":["Ben places a piece from the reserve on a1."]', chunks)
    followed.close()


def test_effects_come_with_live_streams_alone(evening):
    for accept in ("application/json", "application/x-ndjson"):
        refused = evening.api.get(f"{evening.path}/events?include=effects", headers={"Accept": accept})
        assert (refused.status_code, refused.json["code"]) == (400, "effects/not-live")
        assert "text/event-stream" in refused.json["detail"]


# ------------------------------------------------------------------------------------------------------------- refusals


def test_a_refused_move_names_the_clause_and_what_to_do_in_the_language_of_the_request(evening):
    refused = evening.try_move("c4", evening.ben, headers=GERMAN)
    assert refused.json["detail"] == (
        "Zug 4, 'c4', ist nicht erlaubt: PA6, c4 ist in diesem Zug gesperrt: "
        "Dort wurde gerade ein Stein gefangen. Wähle ein anderes Feld."
    )
    assert (refused.status_code, refused.json["code"], refused.json["clause"]) == (422, "move/illegal", "PA6")
    assert refused.headers["Content-Language"] == "de"
    assert "Accept-Language" in refused.vary
    english = evening.try_move("c4", evening.ben)
    assert english.json["detail"].startswith("illegal move 'c4' at move 4: PA6, c4 is closed")
    assert english.headers["Content-Language"] == "en"


def test_a_refused_move_calls_the_seat_by_the_name_of_its_player(api):
    _, token = api.sign_up()
    seats = [{"name": "Ada"}, {"name": "Bea"}]
    path = f"/v1/matches/{api.new_match(token, seats, 'crystals', recorded=True, dice='recorded')}"
    refused = api.post(f"{path}/moves", token, {"move": "move scout"})
    assert refused.json["detail"] == (
        "illegal move 'move scout' at move 1: CR14, Ada must choose an attacker now. Choose rider or archer."
    )
    german = api.post(f"{path}/moves", token, {"move": "move scout"}, headers=GERMAN).json["detail"]
    assert "CR14, Ada " in german


def test_a_refused_roll_says_in_the_language_of_the_request_what_to_enter(api):
    path, token = recorded(api, ruleset="toy")
    refused = api.post(f"{path}/rolls", token, {"values": [1, 8]}, headers=GERMAN)
    assert (refused.status_code, refused.json["code"], refused.headers["Content-Language"]) == (
        422,
        "roll/invalid",
        "de",
    )
    assert refused.json["detail"].endswith("Gib eine Zahl von 1 bis 7 ein")


def test_a_retry_of_a_refused_request_gets_the_same_receipt_as_ever(evening):
    first = evening.try_move("a1", evening.ben, key="one", headers=GERMAN)
    again = evening.try_move("a1", evening.ben, key="one")
    assert first.status_code == again.status_code == 200
    assert first.data == again.data
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Content-Language" not in again.headers


def test_other_refusals_are_in_the_language_of_the_request_too(evening):
    refused = evening.try_move("a1", evening.ann, headers=GERMAN)
    assert (refused.json["code"], refused.json["title"]) == ("move/not-your-turn", "Das geht jetzt nicht")
    assert refused.json["detail"] == "Du bist nicht am Zug."
    assert refused.headers["Content-Language"] == "de"
    assert "Accept-Language" in refused.vary
    english = evening.try_move("a1", evening.ann)
    assert (english.json["title"], english.headers["Content-Language"]) == ("This is not possible now", "en")


def test_an_option_that_is_not_possible_is_refused_in_the_language_of_the_request(api):
    _, token = api.sign_up()
    wrong = {"ruleset": "pathagon", "seats": [None, None], "options": {"size": 99}}
    refused = api.post("/v1/matches", token, wrong, headers=GERMAN).json
    assert (refused["option"], refused["allowed"]) == ("size", "an integer 5..9")
    assert refused["detail"] == "'size': 99 ist nicht möglich. Erlaubt ist: eine ganze Zahl von 5 bis 9."
    unknown = api.post("/v1/matches", token, {**wrong, "options": {"width": 7}}, headers=GERMAN).json
    assert unknown["detail"] == "'width': 7 ist nicht möglich. Erlaubt ist: nur size, pieces, ply_limit."
    word = {"ruleset": "rings", "seats": [None, None], "options": {"scoring": "most"}}
    assert " oder " in api.post("/v1/matches", token, word, headers=GERMAN).json["detail"]


def test_a_body_that_does_not_fit_is_refused_in_the_language_of_the_request(api):
    _, token = api.sign_up()
    refused = api.post("/v1/matches", token, {"ruleset": "zhen"}, headers=GERMAN).json
    assert refused["errors"] == {"seats": ["Diese Angabe fehlt."]}


def test_clauses_are_in_the_language_of_the_request(api):
    german = api.get("/v1/rulesets/zhen/clauses/ZH6", headers=GERMAN)
    assert (german.json["title"], german.headers["Content-Language"]) == ("Zugpflicht", "de")
    assert api.get("/v1/rulesets/zhen/clauses/ZH6").json["title"] == "Duty to act"
    titles = [clause["title"] for clause in api.get("/v1/rulesets/zhen", headers=GERMAN).json["clauses"]]
    assert titles[:2] == ["Die Reihe", "Ziehen"]


# -------------------------------------------------------------------------------------------------------------- records


def test_a_record_has_comments_on_request_and_is_the_same_match(evening):
    plain = evening.api.get(f"{evening.path}/record")
    told = evening.api.get(f"{evening.path}/record?comments=effects", headers=GERMAN)
    assert "{Ann setzt einen Stein aus dem Vorrat auf c3.}" in told.text
    read, written = parse_record(told.text), parse_record(plain.text)
    assert (read.steps, read.seats, read.outcome) == (written.steps, written.seats, written.outcome)
    assert told.headers["Content-Language"] == "de"
    assert told.headers["ETag"] != plain.headers["ETag"]
    assert "Content-Language" not in plain.headers


def test_a_record_knows_no_other_comments(evening):
    refused = evening.api.get(f"{evening.path}/record?comments=jokes")
    assert list(refused.json["errors"]) == ["comments"]


# ------------------------------------------------------------------------------------------------------------- rulesets


def test_a_ruleset_has_the_schema_of_its_effects(evening):
    schema = evening.api.get("/v1/rulesets/pathagon").json["effects"]
    kinds = [each["properties"]["kind"]["const"] for each in schema["oneOf"]]
    told = {effect["kind"] for step in evening.effects().json["steps"] for effect in step["effects"]}
    assert told <= set(kinds)
    assert json.dumps(schema)
