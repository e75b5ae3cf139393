"""Making a move by touches over HTTP."""

from tests.service.test_composing_api import start


def touch(api, match, *touches, token=None, **more):
    query = "&".join([*(f"touch={each}" for each in touches), *(f"{name}={value}" for name, value in more.items())])
    return api.get(f"/v1/matches/{match}/legal-moves/touched?{query}", token)


def test_touches_that_make_a_move_are_shown_and_a_refused_one_names_its_clause_in_the_readers_language(api):
    match, token = start(api)
    told = touch(api, match, "d4", seat=2).json
    assert [(each["move"], each["effects"][0]["kind"]) for each in told["ready"]] == [("d4", "placed")]
    assert told["picture"].startswith("<svg")
    assert api.get(f"/v1/matches/{match}").json["ply"] == 0
    api.post(f"/v1/matches/{match}/moves", token, {"move": "d4"})
    told = api.get(f"/v1/matches/{match}/legal-moves/touched?touch=d4", token, headers={"Accept-Language": "de"})
    assert told.headers["Content-Language"] == "de"
    assert told.json["refusal"]["clause"] == "PA4"
    assert told.json["refusal"]["detail"].startswith("d4 ist nicht leer")


def test_there_is_nothing_to_touch_unless_a_move_is_due(api):
    player, token = api.sign_up()
    match = api.new_match(token)
    told = touch(api, match, "d4").json
    assert (told["turn"], told["next"], told["ready"], told["refusal"]) == (None, [], [], None)
    match = api.new_match(token, [{"player": player}] * 2)
    api.post(f"/v1/matches/{match}/withdrawal", token, {"seat": 1})
    told = touch(api, match).json
    assert (told["next"], told["read"]["d4"]) == ([], "d4, empty")


def test_only_readers_of_a_private_match_touch_it_and_touches_have_names_and_are_few(api):
    match, token = start(api, private=True)
    assert touch(api, match).status_code == 404
    assert "private" in touch(api, match, token=token).headers["Cache-Control"]
    for touches, more in ((["%20"], {}), (["d4"] * 17, {}), (["d4"], {"seat": 0})):
        assert touch(api, match, *touches, token=token, **more).status_code == 422
    assert touch(api, match, *["d4"] * 16, token=token).json["refusal"] is not None
    assert touch(api, match, "z9", token=token).json["refusal"]["detail"] == "there is nothing to touch here"
