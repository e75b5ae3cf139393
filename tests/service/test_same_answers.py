"""An answer with a strong ETag is a function of that tag: every process gives the same bytes."""

import re

from plyscribe.service.composition import compose
from plyscribe.service.web.app import create_app
from tests.service.conftest import CONFIG
from tests.service.test_club_api import CLUB, Club

TEXTS = ("application/json", "text/plain", "text/html", "image/svg+xml", "text/vnd.plyscribe.record")


def test_a_process_that_has_just_started_answers_with_the_same_bytes(api, parts):
    club = Club(api, parts, **CLUB)
    club.guests("Ida", "Kim")
    club.begin()
    about = {"place": "Turin", "event": "Cup", "about": "z", "a": "b"}
    options, limits = (
        {"ply_limit": 90, "cubes": 8, "tiles": 12},
        {"move_ms": 90_000, "increment_ms": 5_000, "match_ms": 900_000},
    )
    seats = [{"player": club.ann}, {"player": club.ann}]
    match = api.new_match(club.ann_token, seats, "zhen", options=options, about=about, limits=limits)
    api.post(f"/v1/matches/{match}/moves", club.ann_token, {"move": "+5"})
    known = {"match": match, "tournament": club.id, "player": club.ann, "ruleset": "zhen", "ply": "0"}
    both = [api.app.test_client(), create_app(compose(CONFIG, parts.store)).test_client()]
    compared, differing = 0, {}
    for rule in api.app.url_map.iter_rules():
        if "GET" not in rule.methods or rule.rule.endswith("/stream"):
            continue
        path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: known.get(found[1], "1"), rule.rule)
        for media in TEXTS:
            one, other = (each.get(path, headers={"Accept": media}) for each in both)
            tag = one.headers.get("ETag", "W/")
            if one.status_code == 200 and not tag.startswith("W/"):
                compared += 1
                if (tag, one.data) != (other.headers.get("ETag"), other.data):
                    differing[path, media] = (tag, other.headers.get("ETag"), one.data[:300], other.data[:300])
    assert differing == {}
    assert compared > 20
