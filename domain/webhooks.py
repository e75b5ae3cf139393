"""The webhooks of an account: addresses to which the service posts what happens in its matches and tournaments.

Their events are in the player's stream. The secret that signs what is posted is not: it follows from the server's key
and from the event that made it, so whoever reads the stream does not learn it.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from plyscribe.domain.commands import Command
from plyscribe.domain.errors import Unknown, WrongTime, WrongValue

TOPICS = ("your-turn", "match-ended", "round-paired", "tournament-ended")
"""What a webhook can ask for."""

PING = "ping"
"""The type of a message that only tests a webhook."""

MAX_WEBHOOKS = 10
MAX_URL_LENGTH = 500
MAX_WHY_LENGTH = 200
OVERLAP_MS = 24 * 3600 * 1000
"""For this time after a new secret was made, messages are signed with the old one too."""


@dataclass(frozen=True, slots=True)
class WebhookAdded:
    """The account wants messages about `topics` at `url`. Its secret is made under the server key with the id `key`."""

    type: ClassVar[str] = "webhook-added"
    webhook: str
    url: str
    topics: tuple[str, ...]
    key: str


@dataclass(frozen=True, slots=True)
class WebhookChanged:
    """The webhook has another address or other topics."""

    type: ClassVar[str] = "webhook-changed"
    webhook: str
    url: str
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WebhookEnabled:
    """The webhook gets messages again, from now on."""

    type: ClassVar[str] = "webhook-enabled"
    webhook: str


@dataclass(frozen=True, slots=True)
class WebhookDisabled:
    """The webhook gets no more messages, until it is enabled."""

    type: ClassVar[str] = "webhook-disabled"
    webhook: str
    why: str


@dataclass(frozen=True, slots=True)
class WebhookSecretReplaced:
    """The webhook has a new secret, made under the server key with the id `key`."""

    type: ClassVar[str] = "webhook-secret-replaced"
    webhook: str
    key: str


@dataclass(frozen=True, slots=True)
class WebhookTested:
    """The account asked for a message that tests the webhook."""

    type: ClassVar[str] = "webhook-tested"
    webhook: str


@dataclass(frozen=True, slots=True)
class WebhookRemoved:
    """The webhook is gone."""

    type: ClassVar[str] = "webhook-removed"
    webhook: str


WebhookEvent = (
    WebhookAdded
    | WebhookChanged
    | WebhookEnabled
    | WebhookDisabled
    | WebhookSecretReplaced
    | WebhookTested
    | WebhookRemoved
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddWebhook(Command):
    """Add a webhook under a new id; `key` is the id of the server key that makes its secret."""

    webhook: str
    url: str
    topics: tuple[str, ...]
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeWebhook(Command):
    """Give a webhook another address or other topics, and enable or disable it. None: as it is."""

    webhook: str
    url: str | None = None
    topics: tuple[str, ...] | None = None
    enabled: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DisableWebhook(Command):
    """Disable a webhook that cannot be reached."""

    webhook: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceWebhookSecret(Command):
    """Give a webhook a new secret, made under the server key with the id `key`."""

    webhook: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PingWebhook(Command):
    """Send a message that tests a webhook."""

    webhook: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveWebhook(Command):
    """Remove a webhook."""

    webhook: str


class SecretSource(NamedTuple):
    """What a secret follows from: the id of the server key, the version of the event that made it, and its time."""

    key: str
    version: int
    at: int


class Webhook(NamedTuple):
    """A webhook as it stands; `why` says why it is disabled, None while it is active."""

    url: str
    topics: tuple[str, ...]
    added_at: int
    secret: SecretSource
    older_secret: SecretSource | None = None
    """The secret before this one. It signs too, for OVERLAP_MS after it was replaced."""

    why: str | None = None

    @property
    def is_active(self) -> bool:
        """Whether it gets messages."""
        return self.why is None

    def list_secrets(self, now_ms: int) -> tuple[SecretSource, ...]:
        """What the secrets follow from that sign messages now, the newest first."""
        if self.older_secret is None or now_ms >= self.secret.at + OVERLAP_MS:
            return (self.secret,)
        return self.secret, self.older_secret


Webhooks = dict[str, Webhook]
"""The webhooks of an account by their ids, oldest first."""


def evolve_webhooks(webhooks: Webhooks, version: int, at: int, data: WebhookEvent) -> Webhooks | None:
    """The webhooks after an event with this version and time; None if there is no such webhook."""
    if isinstance(data, WebhookAdded):
        added = Webhook(data.url, data.topics, at, SecretSource(data.key, version, at))
        return {**webhooks, data.webhook: added}
    known = webhooks.get(data.webhook)
    if known is None:
        return None
    match data:
        case WebhookChanged(webhook, url, topics):
            return {**webhooks, webhook: known._replace(url=url, topics=topics)}
        case WebhookEnabled(webhook):
            return {**webhooks, webhook: known._replace(why=None)}
        case WebhookDisabled(webhook, why):
            return {**webhooks, webhook: known._replace(why=why)}
        case WebhookSecretReplaced(webhook, key):
            newer = SecretSource(key, version, at)
            return {**webhooks, webhook: known._replace(secret=newer, older_secret=known.secret)}
        case WebhookTested():
            return webhooks
        case WebhookRemoved(webhook):
            return {id: each for id, each in webhooks.items() if id != webhook}


def decide_webhook(command: Any, webhooks: Webhooks) -> list[Any]:
    """The events that a command on a webhook leads to; Refusal."""
    if isinstance(command, AddWebhook):
        return _decide_add(command, webhooks)
    known = webhooks.get(command.webhook)
    if known is None:
        raise Unknown("webhook/unknown", f"the account has no webhook {command.webhook[:40]}")
    match command:
        case ChangeWebhook():
            return _decide_change(command, known)
        case DisableWebhook(webhook=webhook, why=why):
            if not known.is_active:
                raise WrongTime("webhook/disabled", "the webhook is disabled already")
            return [WebhookDisabled(webhook, why[:MAX_WHY_LENGTH])]
        case ReplaceWebhookSecret(webhook=webhook, key=key):
            return [WebhookSecretReplaced(webhook, key)]
        case PingWebhook(webhook=webhook):
            if not known.is_active:
                raise WrongTime("webhook/disabled", "the webhook is disabled and gets no messages: enable it first")
            return [WebhookTested(webhook)]
        case _:
            return [WebhookRemoved(command.webhook)]


def _decide_add(command: AddWebhook, webhooks: Webhooks) -> list[Any]:
    if len(webhooks) >= MAX_WEBHOOKS:
        raise WrongTime("webhook/too-many", f"an account can have {MAX_WEBHOOKS} webhooks: remove one first")
    _require_url(command.url)
    return [WebhookAdded(command.webhook, command.url, _parse_topics(command.topics), command.key)]


def _decide_change(command: ChangeWebhook, known: Webhook) -> list[Any]:
    facts: list[Any] = []
    if command.url is not None or command.topics is not None:
        url = known.url if command.url is None else command.url
        _require_url(url)
        topics = known.topics if command.topics is None else _parse_topics(command.topics)
        facts.append(WebhookChanged(command.webhook, url, topics))
    if command.enabled is True:
        facts.append(WebhookEnabled(command.webhook))
    elif command.enabled is False:
        facts.append(WebhookDisabled(command.webhook, "you disabled it"))
    if not facts:
        raise WrongValue("webhook/unchanged", "say what to change: `url`, `topics` or `enabled`")
    return facts


def _require_url(url: str) -> None:
    """WrongValue unless the text can be recorded; which addresses may be reached is the matter of the service."""
    if not (0 < len(url) <= MAX_URL_LENGTH and url.isascii() and url.isprintable() and " " not in url):
        raise WrongValue("webhook/url", f"a URL must have at most {MAX_URL_LENGTH} printable ASCII characters")


def _parse_topics(topics: tuple[str, ...]) -> tuple[str, ...]:
    if not topics or not set(topics) <= set(TOPICS):
        raise WrongValue("webhook/topics", f"topics must be one or more of {', '.join(TOPICS)}")
    return tuple(topic for topic in TOPICS if topic in topics)
