"""Webhooks of an account: what is recorded of them, and what cannot be."""

from typing import Any

import pytest

from plyscribe.domain import webhooks
from plyscribe.domain.chain import link_all
from plyscribe.domain.codec import format_event
from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import FoldError, Refusal
from plyscribe.domain.player import PLAYER, Player
from tests.domain.test_player import register, stored

STREAM = "player-" + "a" * 26
ANN = Actor("player", STREAM)
HOOK, URL = "hook-" + "b" * 26, "https://example.org/"


@pytest.fixture
def player() -> Player:
    return PLAYER.fold(Player(STREAM), stored(list(PLAYER.decide(register(), Player(STREAM)).events)))


def do(player: Player, command: Any) -> Player:
    events = PLAYER.decide(command, player).events
    return PLAYER.fold(player, link_all(player.head, player.version + 1, map(format_event, events)))


def add(id: str = HOOK, url: str = URL, topics: tuple[str, ...] = ("match-ended", "your-turn")) -> webhooks.AddWebhook:
    return webhooks.AddWebhook(actor=ANN, at=10, webhook=id, url=url, topics=topics, key="k1")


def order(make: type, at: int = 20, id: str = HOOK, **fields: Any) -> Any:
    return make(actor=ANN, at=at, webhook=id, **fields)


def refusal(player: Player, command: Any) -> str:
    with pytest.raises(Refusal) as refused:
        do(player, command)
    return refused.value.code


def test_a_webhook_has_an_address_topics_in_order_and_the_source_of_its_secret(player):
    assert do(player, add()).webhooks == {
        HOOK: webhooks.Webhook(
            URL, ("your-turn", "match-ended"), 10, webhooks.SecretSource("k1", player.version + 1, 10)
        )
    }


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        *(({"url": "https://example.org/" + url}, "webhook/url") for url in ("a b", "\n")),
        *(({"url": url}, "webhook/url") for url in ("", "https://exämple.org/", "x" * (webhooks.MAX_URL_LENGTH + 1))),
        *(({"topics": topics}, "webhook/topics") for topics in ((), ("your-turn", "weather"))),
    ],
)
def test_what_no_webhook_can_be_is_refused_at_first_and_as_a_change(player, changed, code):
    assert refusal(player, add(**changed)) == code
    assert refusal(do(player, add()), order(webhooks.ChangeWebhook, **changed)) == code


def test_an_account_has_a_bounded_number_of_them(player):
    for number in range(webhooks.MAX_WEBHOOKS):
        player = do(player, add(f"hook-{number}"))
    assert refusal(player, add("hook-more")) == "webhook/too-many"


def test_a_change_leaves_alone_what_it_does_not_name(player):
    player = do(player, add())
    before = player.webhooks[HOOK]
    changed = do(player, order(webhooks.ChangeWebhook, url=URL + "2")).webhooks[HOOK]
    assert changed == before._replace(url=URL + "2")
    changed = do(player, order(webhooks.ChangeWebhook, topics=("round-paired",), enabled=False)).webhooks[HOOK]
    assert changed == before._replace(topics=("round-paired",), why="you disabled it")
    assert refusal(player, order(webhooks.ChangeWebhook)) == "webhook/unchanged"
    assert do(player, order(webhooks.PingWebhook)).webhooks == player.webhooks


def test_a_disabled_webhook_is_enabled_by_one_change(player):
    player = do(do(player, add()), order(webhooks.DisableWebhook, why="x" * 1000))
    assert player.webhooks[HOOK].why == "x" * webhooks.MAX_WHY_LENGTH
    assert not player.webhooks[HOOK].is_active
    for command in (order(webhooks.DisableWebhook, why="again"), order(webhooks.PingWebhook)):
        assert refusal(player, command) == "webhook/disabled"
    assert do(player, order(webhooks.ChangeWebhook, enabled=True)).webhooks[HOOK].is_active


def test_for_a_day_the_old_secret_signs_too_and_only_the_last_two(player):
    player = do(player, add())
    first = player.webhooks[HOOK].secret
    replaced = do(player, order(webhooks.ReplaceWebhookSecret, at=20, key="k2"))
    webhook = replaced.webhooks[HOOK]
    assert webhook.secret == webhooks.SecretSource("k2", player.version + 1, 20)
    assert webhook.list_secrets(20 + webhooks.OVERLAP_MS - 1) == (webhook.secret, first)
    assert webhook.list_secrets(20 + webhooks.OVERLAP_MS) == (webhook.secret,)
    webhook = do(replaced, order(webhooks.ReplaceWebhookSecret, key="k3")).webhooks[HOOK]
    assert [source.key for source in webhook.list_secrets(21)] == ["k3", "k2"]


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        (webhooks.ChangeWebhook, {"enabled": True}),
        (webhooks.DisableWebhook, {"why": "x"}),
        (webhooks.PingWebhook, {}),
        (webhooks.ReplaceWebhookSecret, {"key": "k"}),
        (webhooks.RemoveWebhook, {}),
    ],
)
def test_a_webhook_that_is_not_there_or_gone_is_unknown(player, command, fields):
    for state in (player, do(do(player, add()), order(webhooks.RemoveWebhook))):
        assert refusal(state, order(command, **fields)) == "webhook/unknown"


def test_a_stream_that_names_a_webhook_it_never_had_is_at_fault(player):
    [event] = PLAYER.decide(order(webhooks.RemoveWebhook), do(player, add())).events
    stray = event._replace(version=player.version + 1, data=webhooks.WebhookRemoved("hook-other"))
    with pytest.raises(FoldError):
        PLAYER.fold(player, link_all(player.head, player.version + 1, [format_event(stray)]))
