"""How much work a match leaves for its bots: what a job does in it is in proportion to what it is said to cost."""

import pytest

from plyscribe.domain.bots import build_bot
from plyscribe.domain.commands import CreateMatch, Secret
from plyscribe.domain.events import Occupant
from plyscribe.domain.match import Match
from plyscribe.service.composition import compose
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.streams.ids import stream_id
from plyscribe.workers.effort import CHEAP, estimate_effort
from plyscribe.workers.fair_line import LIGHT, SHARE
from tests.service.conftest import CONFIG
from tests.workers.given import ANN, ME, new_key

GREEDY = build_bot("greedy", None)


def mcts(playouts: int) -> Occupant:
    return build_bot("mcts", None, playouts)


def match_of(*seats: Occupant) -> Match:
    stream, parts = stream_id("match", new_key()), compose(CONFIG, MemoryStore())
    (dice, secret), (bots, seeds) = parts.config.server_key.seal(stream), parts.config.server_key.seal_seeds(stream)
    sealed = {"dice": dice, "bots": bots, "secret": Secret(secret, seeds)}
    create = CreateMatch(actor=ANN, ruleset="portals", seats=seats, id="00" * 16, **sealed)
    return parts.matches.execute(stream, lambda _: create, new_key(), new=True).state


@pytest.mark.parametrize(
    ("seats", "effort"),
    [
        ((ME, GREEDY), CHEAP),
        ((ME, mcts(300)), 300),
        ((ME, mcts(300), mcts(500)), 800),
        ((ME, *[mcts(1000)] * 5), SHARE),
        ((ME, mcts(10_000), mcts(10_000)), 10_000),
        ((GREEDY, GREEDY), 100 * CHEAP),
        ((GREEDY, mcts(4)), 300),
        ((GREEDY, mcts(50)), LIGHT),
        ((GREEDY, mcts(10_000)), 10_000),
    ],
)
def test_a_job_plays_until_its_time_is_up_and_one_move_at_least(seats, effort):
    assert estimate_effort(match_of(*seats)) == effort
