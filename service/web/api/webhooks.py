"""Webhooks: add, list, change, test and remove them."""

from collections.abc import Callable, Sequence
from typing import Any

from flask import Blueprint, Response

from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import WebhookKeyMissing, WrongTime
from plyscribe.domain.player import PLAYER, Player
from plyscribe.domain.webhooks import (
    PING,
    AddWebhook,
    ChangeWebhook,
    PingWebhook,
    RemoveWebhook,
    ReplaceWebhookSecret,
    Webhook,
)
from plyscribe.service.clock import now_ms
from plyscribe.service.store.outbox import Lane, LaneState
from plyscribe.service.streams.handler import Answer
from plyscribe.service.streams.ids import stream_id
from plyscribe.service.web.api.http import answer, parse_body, parts, principal, remembered
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.charging import charged
from plyscribe.service.web.schemas import answers, bodies
from plyscribe.service.webhooks.signing import format_secret, message_id
from plyscribe.service.webhooks.targets import OFF, parse_target

blueprint = Blueprint("webhooks", __name__, url_prefix="/v1/players/me/webhooks")


@blueprint.get("")
@operation("players", answers.Webhooks)
def list_webhooks() -> Response:
    """List the webhooks of your account, oldest first, and how their deliveries go."""
    account = principal().account
    return answer({"player": account, "webhooks": describe_webhooks(account)})


def describe_webhooks(account: str) -> list[dict[str, Any]]:
    """The webhooks of an account, oldest first, and how they do, as JSON."""
    webhooks = parts().accounts.players.read(account).webhooks
    states = parts().outbox.describe([Lane(account, id) for id in webhooks])
    return [
        {**_describe(id, webhook), **_describe_lane(state)}
        for (id, webhook), state in zip(webhooks.items(), states, strict=True)
    ]


@blueprint.post("")
@charged("webhooks")
@operation("players", answers.NewWebhookOut, status=201, body=bodies.NewWebhook, problems=(409,), command=True)
def add_webhook() -> Response:
    """Add a webhook.

    The service then posts a message to its URL whenever something happens that it asks for: your turn, the end of a
    match that you play in, created or record, and rounds and ends of tournaments that you play in or organise. The
    answer holds the secret that signs these messages.
    """
    account = principal().account
    body = parse_body(bodies.NewWebhook)
    return _answer(*add(account, body["url"], body["topics"]), 201)


@blueprint.patch("/<webhook>")
@charged("webhooks")
@operation("players", answers.WebhookOut, body=bodies.WebhookChange, problems=(404, 409), command=True)
def change_webhook(webhook: str) -> Response:
    """Change, enable or disable a webhook.

    When it is enabled or changed, all messages that wait are tried at once. While it is disabled, there are none.
    """
    account = principal().account
    body = parse_body(bodies.WebhookChange)
    if body["url"] is not None:
        parse_target(body["url"], parts().config.webhooks)
    topics = None if body["topics"] is None else tuple(body["topics"])
    done = change(account, webhook, url=body["url"], topics=topics, enabled=body["enabled"])
    return _answer(done, _describe(webhook, done.state.webhooks[webhook]))


@blueprint.delete("/<webhook>")
@operation("players", answers.RemovedWebhook, body=bodies.Nothing, problems=(404,), command=True)
def remove_webhook(webhook: str) -> Response:
    """Remove a webhook. A message that is just being sent still arrives."""
    parse_body(bodies.Nothing)
    done = remove(principal().account, webhook)
    return _answer(done, {"id": webhook, "removed_at": _time_of(done)})


@blueprint.post("/<webhook>/test")
@charged("webhooks")
@operation("players", answers.WebhookTest, status=202, body=bodies.Nothing, problems=(404, 409), command=True)
def send_test(webhook: str) -> Response:
    """Test a webhook: post a message of the type `ping` to it.

    What became of it is in the list, as `last_delivery`. Messages that wait are tried with it.
    """
    who = principal()
    parse_body(bodies.Nothing)
    _require_on()
    done = _execute(who.account, PingWebhook, webhook)
    account = done.state.stream
    key = f"{account}:{done.events[-1].version}:{PING}"
    return _answer(done, {"id": webhook, "message": message_id(str(Lane(account, webhook)), key)}, 202)


@blueprint.post("/<webhook>/secret")
@charged("webhooks")
@operation("players", answers.NewWebhookOut, status=201, body=bodies.Nothing, problems=(404,), command=True)
def replace_secret(webhook: str) -> Response:
    """Make a new secret for a webhook.

    For 24 hours messages are signed with the old one too, so that your receiver can change over without a gap. If the
    old one leaked, make two new ones: then it signs nothing any more.
    """
    parse_body(bodies.Nothing)
    done = _execute(principal().account, ReplaceWebhookSecret, webhook, key=parts().config.server_key.id)
    return _answer(done, _describe_new(done.state, webhook), 201)


def add(account: str, url: str, topics: Sequence[str]) -> tuple[Answer[Player], dict[str, Any]]:
    """Add a webhook to the account, and describe it with its secret; Refusal."""
    _require_on()
    config, actor = parts().config, Actor("player", account)
    parse_target(url, config.webhooks)
    asked = remembered(actor)
    id, key = stream_id("hook", asked), config.server_key.id
    command = AddWebhook(
        actor=actor, at=now_ms(), id=asked.id.hex(), webhook=id, url=url, topics=tuple(topics), key=key
    )
    done = parts().accounts.players.execute(account, lambda _: command, asked)
    return done, _describe_new(done.state, id)


def change(account: str, webhook: str, **fields: Any) -> Answer[Player]:
    """Change, enable or disable a webhook of the account; see ChangeWebhook."""
    return _execute(account, ChangeWebhook, webhook, **fields)


def remove(account: str, webhook: str) -> Answer[Player]:
    """Remove a webhook of the account."""
    return _execute(account, RemoveWebhook, webhook)


def _execute(account: str, make: Callable[..., Command], webhook: str, **fields: Any) -> Answer[Player]:
    actor = Actor("player", account)
    asked = remembered(actor)
    command = make(actor=actor, at=now_ms(), id=asked.id.hex(), webhook=webhook, **fields)
    return parts().accounts.players.execute(actor.id, lambda _: command, asked)


def _require_on() -> None:
    if parts().config.webhooks == OFF:
        raise WrongTime("webhook/off", "this service posts nothing to webhooks: its operator has turned them off")


def _answer(done: Answer[Player], described: dict[str, Any], status: int = 200) -> Response:
    given = answer(described, status)
    if done.replayed:
        given.headers["Idempotency-Replayed"] = "true"
    return given


def _time_of(done: Answer[Player]) -> int:
    return int(PLAYER.parse(done.events[-1]).at)


def _describe(id: str, webhook: Webhook) -> dict[str, Any]:
    return {
        "id": id,
        "url": webhook.url,
        "topics": webhook.topics,
        "state": "active" if webhook.is_active else "disabled",
        "why": webhook.why,
        "added_at": webhook.added_at,
    }


def _describe_new(player: Player, id: str) -> dict[str, Any]:
    """The webhook with its secret, which follows from the event that made it."""
    webhook = player.webhooks[id]
    secrets = parts().config.server_key.list_webhook_secrets(player.stream, id, [webhook.secret])
    if not secrets:
        raise WebhookKeyMissing(webhook.secret.key)
    return {**_describe(id, webhook), "secret": format_secret(secrets[0])}


def _describe_lane(state: LaneState) -> dict[str, Any]:
    return {
        "last_delivery": None if state.last is None else state.last._asdict(),
        "failures": state.failures,
        "failing_since": state.failing_since,
        "waiting": state.waiting,
        "next_at": state.next_at,
        "dropped": state.dropped,
    }
