"""What a first visit of each page costs a phone with a slow line: everything that it loads, as it is sent."""

import pytest
from playwright.sync_api import Response

from tests.system.running import pair, status_of, wait_for

pytestmark = pytest.mark.server

MOST_BYTES = 250_000


@pytest.fixture(scope="module")
def match(service) -> str:
    """A match of the game with the heaviest board, long over."""
    with pair(service.url) as both:
        ann = both.clients[0]
        bots = [{"bot": "random", "seed": seat} for seat in range(6)]
        made = str(ann.create_match("portals", bots, options={"radius": 8, "ply_limit": 300})["match"])
        wait_for(lambda: status_of(ann, made) == "scored", why="the end of the match")
        return made


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/rulesets",
        "/rulesets/rings",
        "/rulesets/pathagon/learn",
        "/play?ruleset=crystals",
        "/record?ruleset=rings",
        "/matches",
        "/matches/{match}",
        "/matches/{match}/play",
        "/matches/{match}/analysis",
        "/rulesets/zhen/analysis",
        "/rulesets/pathagon/explorer",
        "/players",
        "/tournaments",
        "/tournaments/new",
        "/sign-in",
        "/docs",
    ],
)
def test_a_page_weighs_little(visit, match, path):
    page, answers = visit().page, list[Response]()
    page.on("response", lambda answer: answers.append(answer))
    page.goto(path.format(match=match), wait_until="networkidle")
    weight = 0
    for answer in answers:
        sizes = answer.request.sizes()
        weight += sizes["responseBodySize"] + sizes["responseHeadersSize"]
    print(f"{path}: {weight} bytes in {len(answers)} answers")
    assert 1000 < weight <= MOST_BYTES
