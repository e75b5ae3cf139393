"""Composing a move over HTTP."""

from urllib.parse import quote


def next_steps(api, match, prefix="", token=None):
    return api.get(f"/v1/matches/{match}/legal-moves/next?prefix={quote(prefix)}", token)


def start(api, **more):
    player, token = api.sign_up()
    return api.new_match(token, [{"player": player}] * 2, **more), token


def test_steps_come_with_explanations_of_the_moves_that_they_complete(api):
    match, token = start(api)
    complete = next_steps(api, match, "d4").json
    assert (complete["complete"], complete["finish"], complete["steps"]) == (True, "d4", [])
    assert complete["explanation"]["clause"] == "PA4"
    api.post(f"/v1/matches/{match}/moves", token, {"move": "d4"})
    told = next_steps(api, match).json
    assert (told["version"], told["complete"], told["finish"], told["explanation"]) == (3, False, None, None)
    explanation = {"sentence": "Places a piece from the reserve on a1.", "clause": "PA4"}
    assert {"text": "a1", "token": "a1", "completes": True, "explanation": explanation} in told["steps"]
    assert "d4" not in {step["token"] for step in told["steps"]}
    not_due = next_steps(api, api.new_match(token)).json
    assert (not_due["turn"], not_due["steps"], not_due["finish"]) == (None, [], None)


def test_the_preview_of_a_move_says_what_it_would_do(api):
    match, token = start(api)
    for move in ("c3", "c4", "d1", "a1"):
        api.post(f"/v1/matches/{match}/moves", token, {"move": move})
    preview = next_steps(api, match, "c5").json["preview"]
    assert [effect["kind"] for effect in preview["effects"]] == ["placed", "trapped", "closed"]
    assert "traps the piece" in preview["sentences"][1]
    assert next_steps(api, match).json["preview"] is None
    assert api.get(f"/v1/matches/{match}").json["ply"] == 4


def test_only_readers_of_a_private_match_get_its_steps_for_prefixes_that_are_no_longer_than_a_move(api):
    match, token = start(api, private=True)
    assert next_steps(api, match).status_code == 404
    assert "private" in next_steps(api, match, token=token).headers["Cache-Control"]
    assert next_steps(api, match, "x" * 257, token).status_code == 422
    assert next_steps(api, match, "x" * 256, token).json["steps"] == []
