"""The text record over HTTP."""

from plyscribe.domain.record import format_record, parse_record

MEDIA = "text/vnd.plyscribe.record"


def test_a_match_can_be_read_as_its_record_or_as_plain_text(api):
    (ann, token), (ben, other) = api.sign_up("Ann [Turin]"), api.sign_up("Ben")
    seats = [{"player": ann}, {"player": ben}]
    path = f"/v1/matches/{api.new_match(token, seats, 'zhen', about={'place': 'Turin'})}"

    def read(**headers: str):
        return api.get(f"{path}/record", headers=headers)

    tag = read().headers["ETag"]
    assert read(**{"If-None-Match": tag}).status_code == 304
    assert api.post(f"{path}/seats/2", other, {}).status_code == 200
    for mover, move in ((token, "+5"), (other, "+3")):
        assert api.post(f"{path}/moves", mover, {"move": move}).status_code == 200
    answered = read(**{"If-None-Match": tag})
    assert answered.content_type == f"{MEDIA}; charset=utf-8"
    assert answered.text == (
        "[ruleset zhen 1]\n[option tiles 10]\n[option cubes 10]\n[option ply_limit 200]\n"
        '[seat 1 "Ann [Turin]"]\n[seat 2 Ben]\n[place Turin]\n[result *]\n\n1. +5 2. +3\n'
    )
    assert format_record(parse_record(answered.text)) == answered.text
    plain = read(Accept="text/plain")
    assert (plain.content_type, plain.text) == ("text/plain; charset=utf-8", answered.text)
    assert read(Accept="application/json").json["code"] == "request/not-acceptable"


def test_a_match_that_nobody_joined_yet_has_a_record_and_an_unknown_one_has_none(api):
    _, token = api.sign_up()
    match = api.new_match(token)
    assert "[seat 2 ?]\n[result *]\n" in api.get(f"/v1/matches/{match}/record").text
    assert api.get(f"/v1/matches/match-{'a' * 26}/record").json["code"] == "match/unknown"
