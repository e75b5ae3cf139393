"""The levels of the server's bots, over HTTP and on the page to play."""

from plyscribe.domain.levels import LEVELS, MEASURED


def test_a_level_is_what_a_seat_asks_for(api):
    ann, token = api.sign_up("Ann")
    levels = api.get("/v1/bots").json["levels"]
    assert [level["level"] for level in levels] == [level.name for level in LEVELS]
    for level in levels:
        bot = {name: level[name] for name in ("bot", "playouts") if level[name] is not None}
        match = api.new_match(token, [{"player": ann}, bot], "zhen")
        assert api.get(f"/v1/matches/{match}").json["seats"][1]["playouts"] == level["playouts"]


def test_a_level_says_how_it_did_against_the_one_below(api):
    club = next(level for level in api.get("/v1/bots").json["levels"] if level["level"] == "club")
    shown = {row["ruleset"]: (row["won"], row["level"], row["lost"]) for row in club["measured"]}
    assert shown == {ruleset: games["club"] for ruleset, games in MEASURED.items() if "club" in games}
