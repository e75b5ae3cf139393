"""Delivers what waits in the lane of a webhook: one message after another, until one fails or nothing is due.

A message counts as delivered when the receiver answers 2xx. It is noted as tried only after that, so a worker that is
killed in between sends it again, under the same id. After a failure the whole lane pauses, because a receiver that is
away or slow is no faster with the next message.
"""

import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import NamedTuple

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import Refusal, StreamError
from plyscribe.domain.player import Player
from plyscribe.domain.webhooks import DisableWebhook, Webhook
from plyscribe.service import metrics
from plyscribe.service.clock import now_ms
from plyscribe.service.config import SERVER, ServerKey
from plyscribe.service.errors import ServiceError
from plyscribe.service.store.outbox import Lane, Outbox, Tried, Waiting
from plyscribe.service.store.port import StoreError
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import job_command
from plyscribe.service.webhooks.posting import NotPosted, Posted, Poster
from plyscribe.service.webhooks.signing import message_id, sign
from plyscribe.service.webhooks.targets import parse_target

RUN_S = 30.0
"""How long one run goes on. With the time of its last post it ends well before its lease does."""

AT_ONCE = 10
"""How many messages are read at a time."""

HOUR_S = 3600
RETRY_AFTER_S = (5, 30, 120, 900, HOUR_S, 6 * HOUR_S, 12 * HOUR_S, 24 * HOUR_S, 24 * HOUR_S)
"""How long a message waits after each try in vain. After one more it is given up."""

PAUSE_S = RETRY_AFTER_S[:5]
"""How long a lane pauses after each failure in a row; after more of them, as long as after the last one here."""

MOST_RETRY_AFTER_S = 6 * HOUR_S
"""The longest wait that a receiver can ask for."""

FAILS_FOR_MS = 3 * 24 * HOUR_S * 1000
"""A webhook that has failed for this long is disabled."""

UNREADABLE_S = HOUR_S
"""When a lane whose account cannot be read is looked at again."""

USER_AGENT = SERVER.replace(" ", "/")
DISABLER = Actor("system", "webhooks")
"""Who disables webhooks that cannot be reached."""

log = logging.getLogger(__name__)


class _Failure(NamedTuple):
    """A try that failed: what is noted, and how long the receiver asks to wait.

    `final` says why the webhook is to be disabled at once; None: it is not.
    """

    tried: Tried
    retry_after_s: int = 0
    final: str | None = None


class Delivery:
    """Delivers messages; safe to share between threads."""

    def __init__(self, key: ServerKey, allowed: str, players: Handler[Player], outbox: Outbox, poster: Poster) -> None:
        self._key = key
        self._allowed = allowed
        self._players = players
        self._outbox = outbox
        self._poster = poster

    def run(self, lane: Lane, is_stopping: Callable[[], bool] = lambda: False) -> None:
        """Deliver what is due in the lane, for RUN_S at most, unless another worker does. Raises the store's errors."""
        holder, until = secrets.token_hex(8), time.monotonic() + RUN_S
        pause_until = 0
        while time.monotonic() < until and not is_stopping():
            webhook = self._find(lane)
            if webhook is None:
                break
            waiting = self._outbox.take(lane, holder, now_ms(), AT_ONCE)
            if waiting is None:
                return
            for message in waiting:
                failure = self._deliver(lane, webhook, message)
                if failure is not None:
                    pause_until = self._note_failure(lane, message, failure)
                    break
                if time.monotonic() >= until or is_stopping():
                    break
            if not waiting or pause_until:
                break
        self._outbox.release(lane, holder, pause_until)

    def _find(self, lane: Lane) -> Webhook | None:
        """The webhook of the lane, if it is active; else nothing waits in the lane any more."""
        try:
            webhook = self._players.read(lane.player).webhooks.get(lane.webhook)
        except StreamError as error:
            log.error("%s cannot be read, so %s waits: %s", lane.player, lane.webhook, error)
            self._outbox.postpone([lane], now_ms() + UNREADABLE_S * 1000)
            return None
        if webhook is None or not webhook.is_active:
            self._outbox.drop(lane)
            return None
        return webhook

    def _deliver(self, lane: Lane, webhook: Webhook, message: Waiting) -> _Failure | None:
        """Send a message once, and note it if it arrived."""
        at = now_ms()
        secrets_now = self._key.list_webhook_secrets(lane.player, lane.webhook, webhook.list_secrets(at))
        if not secrets_now:
            why = "the server's key that made its secret is gone: make a new secret, then enable it"
            return _Failure(Tried(at, None, why), final=why)
        signed = sign(secrets_now, message_id(str(lane), message.key), at // 1000, message.body)
        headers = {"content-type": "application/json", "user-agent": USER_AGENT, **signed}
        started = time.perf_counter()
        answered = self._post(webhook.url, headers, message.body, at)
        is_delivered = isinstance(answered, Tried)
        metrics.note_webhook("delivered" if is_delivered else "failed", time.perf_counter() - started)
        if not isinstance(answered, Tried):
            return answered
        self._outbox.settle(lane, message.key, answered)
        return None

    def _post(self, url: str, headers: dict[str, str], body: bytes, at: int) -> Tried | _Failure:
        try:
            # The operator may have changed what is allowed.
            posted = self._poster.post(parse_target(url, self._allowed), headers, body)
        except (NotPosted, Refusal) as error:
            return _Failure(Tried(at, None, str(error)))
        return _judge(posted, at)

    def _note_failure(self, lane: Lane, message: Waiting, failure: _Failure) -> int:
        """Note a failure, disable the webhook if that is due, and return until when the lane pauses."""
        tried = failure.tried
        more = message.tries < len(RETRY_AFTER_S)
        wait_s = min(failure.retry_after_s, MOST_RETRY_AFTER_S)
        again_s = max(RETRY_AFTER_S[message.tries], wait_s) if more else 0
        self._outbox.settle(lane, message.key, tried, tried.at + again_s * 1000 if more else None)
        [state] = self._outbox.describe([lane])
        log.info("%s was not reached (%d in a row): %s", lane, state.failures, tried.error)
        why = failure.final
        if why is None and state.failing_since is not None and tried.at - state.failing_since >= FAILS_FOR_MS:
            why = f"it failed for {FAILS_FOR_MS // 86_400_000} days, at last because {tried.error}"
        if why is not None:
            self._disable(lane, why)
        return tried.at + max(PAUSE_S[min(state.failures, len(PAUSE_S)) - 1], wait_s) * 1000

    def _disable(self, lane: Lane, why: str) -> None:
        player = self._players.read(lane.player)
        asked = job_command("webhook-disabled", lane, player.version)
        command = DisableWebhook(actor=DISABLER, at=now_ms(), id=asked.id.hex(), webhook=lane.webhook, why=why)
        # It is refused if its owner disabled or removed it meanwhile.
        with suppress(Refusal):
            self._players.execute(lane.player, lambda _: command, asked)
        self._outbox.drop(lane)
        log.warning("%s is disabled: %s", lane, why)


def _judge(posted: Posted, at: int) -> Tried | _Failure:
    status = posted.status
    if 200 <= status < 300:
        return Tried(at, status, None)
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""
    error = f"it answered {status} {phrase}".rstrip()
    if 300 <= status < 400:
        error += ", and redirects are not followed"
    return _Failure(Tried(at, status, error), posted.retry_after_s, error if status == HTTPStatus.GONE else None)


TROUBLES = (StoreError, ServiceError)
"""What `run` raises when the store is in trouble. The lane is tried again once its lease is over."""
