"""Composing a move over HTTP."""


def next_steps(api, match, prefix="", token=None):
    return api.get(f"/v1/matches/{match}/legal-moves/next?prefix={prefix}", token)


def start(api, **more):
    player, token = api.sign_up()
    return api.new_match(token, [{"player": player}] * 2, **more), token


def test_only_readers_of_a_private_match_get_its_steps_for_prefixes_that_are_no_longer_than_a_move(api):
    match, token = start(api, private=True)
    assert next_steps(api, match).status_code == 404
    assert "private" in next_steps(api, match, token=token).headers["Cache-Control"]
    assert next_steps(api, match, "x" * 257, token).status_code == 422
    assert next_steps(api, match, "x" * 256, token).json["steps"] == []
