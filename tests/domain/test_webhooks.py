"""Webhooks of an account: what is recorded of them, and what cannot be."""

from typing import Any

import pytest

from plyscribe.domain.chain import link_all
from plyscribe.domain.codec import format_event
from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import FoldError, Refusal
from plyscribe.domain.player import PLAYER, Player
from plyscribe.domain.webhooks import (
    MAX_URL_LENGTH,
    MAX_WEBHOOKS,
    MAX_WHY_LENGTH,
    OVERLAP_MS,
    AddWebhook,
    ChangeWebhook,
    DisableWebhook,
    PingWebhook,
    RemoveWebhook,
    ReplaceWebhookSecret,
    SecretSource,
    Webhook,
    WebhookRemoved,
)
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


def add(id: str = HOOK, url: str = URL, topics: tuple[str, ...] = ("match-ended", "your-turn")) -> AddWebhook:
    return AddWebhook(actor=ANN, at=10, webhook=id, url=url, topics=topics, key="k1")


def order(make: type, at: int = 20, id: str = HOOK, **fields: Any) -> Any:
    return make(actor=ANN, at=at, webhook=id, **fields)


def test_a_webhook_has_an_address_topics_in_order_and_the_source_of_its_secret(player):
    assert do(player, add()).webhooks == {
        HOOK: Webhook(URL, ("your-turn", "match-ended"), 10, SecretSource("k1", player.version + 1, 10))
    }


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"url": ""}, "webhook/url"),
        ({"url": "https://example.org/a b"}, "webhook/url"),
        ({"url": "https://example.org/\n"}, "webhook/url"),
        ({"url": "https://exämple.org/"}, "webhook/url"),
        ({"url": "x" * (MAX_URL_LENGTH + 1)}, "webhook/url"),
        ({"topics": ()}, "webhook/topics"),
        ({"topics": ("your-turn", "weather")}, "webhook/topics"),
    ],
)
def test_what_no_webhook_can_be_is_refused_at_first_and_as_a_change(player, changed, code):
    with pytest.raises(Refusal) as refused:
        do(player, add(**changed))
    assert refused.value.code == code
    with pytest.raises(Refusal) as refused:
        do(do(player, add()), order(ChangeWebhook, **changed))
    assert refused.value.code == code


def test_an_account_has_a_bounded_number_of_them(player):
    for number in range(MAX_WEBHOOKS):
        player = do(player, add(f"hook-{number}"))
    with pytest.raises(Refusal) as refused:
        do(player, add("hook-more"))
    assert refused.value.code == "webhook/too-many"


def test_a_change_leaves_alone_what_it_does_not_name(player):
    player = do(player, add())
    before = player.webhooks[HOOK]
    changed = do(player, order(ChangeWebhook, url=URL + "2")).webhooks[HOOK]
    assert changed == before._replace(url=URL + "2")
    changed = do(player, order(ChangeWebhook, topics=("round-paired",), enabled=False)).webhooks[HOOK]
    assert changed == before._replace(topics=("round-paired",), why="you disabled it")
    with pytest.raises(Refusal) as refused:
        do(player, order(ChangeWebhook))
    assert refused.value.code == "webhook/unchanged"


def test_a_disabled_webhook_is_enabled_by_one_change(player):
    player = do(do(player, add()), order(DisableWebhook, why="x" * 1000))
    assert player.webhooks[HOOK].why == "x" * MAX_WHY_LENGTH
    assert not player.webhooks[HOOK].is_active
    for refused_now in (order(DisableWebhook, why="again"), order(PingWebhook)):
        with pytest.raises(Refusal) as refused:
            do(player, refused_now)
        assert refused.value.code == "webhook/disabled"
    assert do(player, order(ChangeWebhook, enabled=True)).webhooks[HOOK].is_active


def test_a_test_changes_nothing(player):
    player = do(player, add())
    assert do(player, order(PingWebhook)).webhooks == player.webhooks


def test_for_a_day_the_old_secret_signs_too(player):
    player = do(player, add())
    first = player.webhooks[HOOK].secret
    webhook = do(player, order(ReplaceWebhookSecret, at=20, key="k2")).webhooks[HOOK]
    assert webhook.secret == SecretSource("k2", player.version + 1, 20)
    assert webhook.list_secrets(20 + OVERLAP_MS - 1) == (webhook.secret, first)
    assert webhook.list_secrets(20 + OVERLAP_MS) == (webhook.secret,)


def test_of_two_new_secrets_in_a_row_only_these_two_sign(player):
    player = do(do(player, add()), order(ReplaceWebhookSecret, key="k2"))
    webhook = do(player, order(ReplaceWebhookSecret, key="k3")).webhooks[HOOK]
    assert [source.key for source in webhook.list_secrets(21)] == ["k3", "k2"]


@pytest.mark.parametrize(
    "command",
    [
        order(ChangeWebhook, enabled=True),
        order(DisableWebhook, why="x"),
        order(PingWebhook),
        order(ReplaceWebhookSecret, key="k"),
        order(RemoveWebhook),
    ],
)
def test_a_webhook_that_is_not_there_or_gone_is_unknown(player, command):
    for state in (player, do(do(player, add()), order(RemoveWebhook))):
        with pytest.raises(Refusal) as refused:
            do(state, command)
        assert refused.value.code == "webhook/unknown"


def test_a_stream_that_names_a_webhook_it_never_had_is_at_fault(player):
    [event] = PLAYER.decide(order(RemoveWebhook), do(player, add())).events
    stray = event._replace(version=player.version + 1, data=WebhookRemoved("hook-other"))
    with pytest.raises(FoldError):
        PLAYER.fold(player, link_all(player.head, player.version + 1, [format_event(stray)]))
