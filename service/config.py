"""The settings of a process, read once from the environment."""

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from plyscribe import __version__
from plyscribe.domain.bots import MAX_PLAYOUTS
from plyscribe.domain.commands import Secret
from plyscribe.domain.dice import commit, derive_secret
from plyscribe.domain.errors import DiceKeyMissing, KeyMissing, SeedsKeyMissing
from plyscribe.domain.events import MatchCreated, SealedSeeds, ServerDice, SharedDice
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.seeds import derive_seeds_secret
from plyscribe.domain.webhooks import SecretSource
from plyscribe.service.games import GameError, check_parts, list_rules, load_object, register_games

SETTINGS = (
    "PLYSCRIBE_ALLOWANCES",
    "PLYSCRIBE_ALLOWANCES_FOR",
    "PLYSCRIBE_ARCHIVE",
    "PLYSCRIBE_CORRECTIONS_S",
    "PLYSCRIBE_DATA",
    "PLYSCRIBE_DATASET_LICENCE",
    "PLYSCRIBE_HOST",
    "PLYSCRIBE_HOSTS",
    "PLYSCRIBE_LOG",
    "PLYSCRIBE_LOG_LEVEL",
    "PLYSCRIBE_MAX_BOT_MATCHES",
    "PLYSCRIBE_MAX_CONNECTIONS",
    "PLYSCRIBE_MAX_CONNECTIONS_EACH",
    "PLYSCRIBE_MAX_MATCHES",
    "PLYSCRIBE_MAX_FOLLOWERS",
    "PLYSCRIBE_MAX_FOLLOWERS_EACH",
    "PLYSCRIBE_MAX_PLAYOUTS",
    "PLYSCRIBE_METRICS",
    "PLYSCRIBE_METRICS_PORT",
    "PLYSCRIBE_ORIGINS",
    "PLYSCRIBE_PORT",
    "PLYSCRIBE_PROXIES",
    "PLYSCRIBE_READ_URL",
    "PLYSCRIBE_REPLICAS",
    "PLYSCRIBE_RULESETS",
    "PLYSCRIBE_SCRUB",
    "PLYSCRIBE_SEAL_AFTER",
    "PLYSCRIBE_SERVER_KEY",
    "PLYSCRIBE_SERVER_KEY_FILE",
    "PLYSCRIBE_SIGN_UP",
    "PLYSCRIBE_STORE_BINARY",
    "PLYSCRIBE_STORE_MEMORY",
    "PLYSCRIBE_STREAM_THREADS",
    "PLYSCRIBE_TOKEN",
    "PLYSCRIBE_WEBHOOKS",
)
"""The names of all settings that begin with PLYSCRIBE_."""

MIN_KEY_BYTES = 32
MAX_FOLLOWERS = 2000
"""Live streams that one web process keeps open, by default."""

FILES = 65_536
"""Files and sockets that a process may have open, if the system allows it."""

CLIENTS = 10
"""By default, one client may have a tenth of the live streams of a process."""

MAX_CONNECTIONS, CONNECTIONS_EACH = 100, 4
"""Standing connections of a process, and those of one account in it, by default.

The web server takes messages of up to 64 MiB into memory before we see that they are too long.
"""

STREAM_THREADS = 1
"""Default for the streams that may each hold a thread, under a web server that is not ours.

WSGI does not say how many threads a server has. Any server that has threads has at least two.
"""

SCRUB_PER_S = 1000
"""Stored events whose hashes the relay checks in a second, by default. That takes it about a hundredth of its time."""

MAX_SCRUB_PER_S = 1_000_000
MAX_PROXIES = 10

CORRECTIONS_S = 300
"""By default, a recorder has five minutes after the end of a match to correct it."""

MAX_CORRECTIONS_S = 30 * 24 * 3600

SEAL_AFTER_S = 86_400
"""By default, a settled match rests for a day before it is sealed."""

MAX_SEAL_AFTER_S = 10 * 365 * 86_400
NEVER = "never"

Windows = tuple[tuple[int, int], ...]
"""Amounts, each with the seconds in which it is allowed."""

SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
HOUR, DAY = SECONDS["hour"], SECONDS["day"]

BURST = 10
"""Seconds in which what costs processor time is counted. In a minute's allowance, spent at once, others would drown."""

ALLOWANCES: Mapping[str, Windows] = {
    "moves": ((600, BURST), (100_000, DAY)),
    "commands": ((100, BURST),),
    "creations": ((20, BURST), (2000, DAY)),
    "tournaments": ((20, HOUR), (50, DAY)),
    "accounts": ((30, HOUR),),
    "tokens": ((60, HOUR),),
    "webhooks": ((60, HOUR),),
    "imports": ((20, BURST), (2000, DAY)),
    "bytes": ((64 * 1024 * 1024, DAY),),
    "reads": ((600, BURST),),
    "pages": ((100, BURST),),
    "heavy": ((20, BURST),),
}
"""What one client may ask for, by kind of request, by default. docs/api.md says what each kind is.

A client that makes as many moves as it may, and reads the match after each, has used up its reads before its moves.
"""

MAX_LICENCE = 500

MOST_REPLICAS = 15
"""The most replicas of the store that an answer may wait for."""

MATCHES = 500
"""Matches that an account may have created that are open or under way, by default."""

BOT_MATCHES = 50
"""How many of them may have built-in bots."""

MOST_MATCHES = 1_000_000

PLAYOUTS_EACH = 1000
"""The most playouts for a decision, by default. In the slowest ruleset they take two seconds and a half."""

SERVER = f"plyscribe {__version__}"
"""How this software signs the matches that it creates."""


_NUMBER = re.compile(r"[0-9]{1,9}")
_HOST = re.compile(r"\*|\.?[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_ORIGIN = re.compile(r"\*|https?://(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?")
_WINDOW = re.compile(r"([0-9]{1,12})/(?:([0-9]{1,4}) ?)?(second|minute|hour|day)s?")
_BETWEEN_KEYS = re.compile(r"\s*[,\n]\s*")


class ConfigError(Exception):
    """A setting is missing or invalid. The message names it and says what to do."""


@dataclass(frozen=True, slots=True, repr=False)
class ServerKey:
    """The key behind all new server dice and secret seeds, and the keys that it replaced.

    Keys never appear in a log or a response; their ids do.
    """

    key: bytes
    older: tuple["ServerKey", ...] = ()
    """The keys before this one, the latest first. They still open what was committed or signed with them."""

    @property
    def id(self) -> str:
        """A fingerprint of the key in 16 hex digits, which reveals nothing of the key."""
        return sha256(b"plyscribe server key " + self.key).hexdigest()[:16]

    @property
    def ring(self) -> tuple["ServerKey", ...]:
        """The key itself, then the older ones."""
        return (self, *self.older)

    @property
    def invitation_key(self) -> bytes:
        """The key that signs invitations. No dice have an id like the one used here, so no reveal gives it away."""
        return derive_secret(self.key, "plyscribe invitations")

    @property
    def table_key(self) -> bytes:
        """The key that signs codes of tournaments. No dice have an id like this one either."""
        return derive_secret(self.key, "plyscribe tables")

    @property
    def token_key(self) -> bytes:
        """The key behind tokens whose requests can be repeated. No dice have an id like this one either."""
        return derive_secret(self.key, "plyscribe tokens")

    def list_webhook_secrets(self, player: str, webhook: str, sources: Sequence[SecretSource]) -> list[bytes]:
        """The secrets of a webhook that follow from these sources, except those made with keys that we lack."""
        keys = {each.id: each.key for each in self.ring}
        return [
            derive_secret(keys[source.key], f"plyscribe webhook {player} {webhook} {source.version}")
            for source in sources
            if source.key in keys
        ]

    def seal(self, dice_id: str) -> tuple[ServerDice, bytes]:
        """New dice with this id and a commitment, and their secret."""
        secret = derive_secret(self.key, dice_id)
        return ServerDice(dice_id, commit(secret), self.id), secret

    def seal_shared(self, dice_id: str, matches: tuple[str, ...]) -> tuple[SharedDice, bytes]:
        """As `seal`, for dice that all these matches share."""
        dice, secret = self.seal(dice_id)
        return SharedDice(dice.dice_id, dice.commitment, dice.key, matches), secret

    def secret_of(self, dice: ServerDice) -> bytes:
        """The secret of these dice; DiceKeyMissing unless they were committed with one of our keys."""
        for each in self.ring:
            if each.id == dice.key:
                return derive_secret(each.key, dice.dice_id)
        raise DiceKeyMissing(dice.key)

    def seal_seeds(self, match: str) -> tuple[SealedSeeds, bytes]:
        """A commitment to the secret seeds of a new match's bots, and their secret."""
        secret = derive_seeds_secret(self.key, match)
        return SealedSeeds(commit(secret), self.id), secret

    def secret_of_seeds(self, sealed: SealedSeeds, match: str) -> bytes:
        """The secret of these seeds of a match; SeedsKeyMissing unless they were committed with one of our keys."""
        for each in self.ring:
            if each.id == sealed.key:
                return derive_seeds_secret(each.key, match)
        raise SeedsKeyMissing(sealed.key)

    def find_secret(self, created: MatchCreated, match: str) -> Secret | None:
        """What a match keeps secret until its end, except what was made with keys that we lack; None if nothing."""
        dice, seeds = created.dice, created.bots
        if seeds is None and not isinstance(dice, ServerDice):
            return None
        found = Secret()
        with suppress(KeyMissing):
            if isinstance(dice, ServerDice):
                found = found._replace(dice=self.secret_of(dice))
        with suppress(KeyMissing):
            if seeds is not None:
                found = found._replace(seeds=self.secret_of_seeds(seeds, match))
        return found

    def has_secret_of_seeds(self, sealed: SealedSeeds, match: str) -> bool:
        """Whether the seeds of this match were committed with one of our keys."""
        try:
            return commit(self.secret_of_seeds(sealed, match)) == sealed.commitment
        except SeedsKeyMissing:
            return False

    def has_secret_of(self, dice: ServerDice) -> bool:
        """Whether these dice were committed with one of our keys."""
        try:
            return commit(self.secret_of(dice)) == dice.commitment
        except DiceKeyMissing:
            return False


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a process: where the store and the queues are, the key, who may sign up, what one may ask for."""

    redis_url: str
    rq_redis_url: str
    server_key: ServerKey
    open_sign_up: bool = False
    open_metrics: bool = False
    extra_rulesets: str = ""
    max_followers: int = MAX_FOLLOWERS
    max_followers_each: int = MAX_FOLLOWERS // CLIENTS
    max_connections: int = MAX_CONNECTIONS
    """Standing connections of a process."""

    max_connections_each: int = CONNECTIONS_EACH
    """How many of them one account may have."""

    proxies: int = 0
    stream_threads: int = STREAM_THREADS
    scrub_per_s: int = SCRUB_PER_S
    corrections_s: int = CORRECTIONS_S
    """How long an ended match waits for its recorder to correct or confirm it; 0: it is verified at once."""

    max_matches: int = MATCHES
    """How many matches that are open or under way an account may have created."""

    max_bot_matches: int = BOT_MATCHES
    """How many of them may have built-in bots."""

    max_playouts: int = PLAYOUTS_EACH
    """How many playouts for a decision the bots of an account's matches may make."""

    hosts: tuple[str, ...] = ()
    """Names that the service goes by, beside `localhost` and every address; `.club.example` stands for all below it."""

    origins: tuple[str, ...] = ()
    """Origins whose pages may use the API with a token; `*`: all."""

    allowances_for: str = "remote"
    """Whom `allowances` hold for: `all`, `remote` (who does not ask from this machine itself), `none`."""

    allowances: Mapping[str, Windows] = field(default_factory=lambda: ALLOWANCES)
    """What one client may ask for, by kind of request; a kind that is missing has no limit."""
    read_url: str = ""
    archive: str = ""
    """The address of the archive; empty if there is none."""

    seal_after_s: int | None = SEAL_AFTER_S
    """How long a settled match rests before it is sealed; None: for ever."""

    """The address of the read database; without one it is in memory."""

    dataset_licence: str = ""
    """What readers of datasets may do with them, in the words of the operator."""

    replicas: int = 0
    """How many replicas of the store have a change before it is answered."""

    webhooks: str = "public"
    """Where webhooks may lead: `public` addresses over HTTPS, `any` address, or none at all (`off`)."""

    @property
    def corrections_ms(self) -> int:
        """`corrections_s` in milliseconds."""
        return self.corrections_s * 1000


def read_config(environ: Mapping[str, str] = os.environ) -> Config:
    """The settings of this process; ConfigError says what is missing or invalid, and what to do."""
    url = environ.get("REDIS_URL", "")
    if not url:
        raise ConfigError("REDIS_URL is not set: set it to the store, or run `plyscribe serve`, which brings its own")
    sign_up = _choose(environ, "PLYSCRIBE_SIGN_UP", "invited", "open")
    readers = _choose(environ, "PLYSCRIBE_METRICS", "admin", "open")
    followers = _count(environ, "PLYSCRIBE_MAX_FOLLOWERS", MAX_FOLLOWERS, range(FILES + 1))
    share = max(1, followers // CLIENTS)
    return Config(
        redis_url=url,
        rq_redis_url=environ.get("RQ_REDIS_URL") or url,
        server_key=_read_key(environ),
        open_sign_up=sign_up == "open",
        open_metrics=readers == "open",
        extra_rulesets=environ.get("PLYSCRIBE_RULESETS", ""),
        max_followers=followers,
        max_followers_each=_count(environ, "PLYSCRIBE_MAX_FOLLOWERS_EACH", share, range(1, FILES + 1)),
        max_connections=_count(environ, "PLYSCRIBE_MAX_CONNECTIONS", MAX_CONNECTIONS, range(FILES + 1)),
        max_connections_each=_count(environ, "PLYSCRIBE_MAX_CONNECTIONS_EACH", CONNECTIONS_EACH, range(1, FILES + 1)),
        proxies=_count(environ, "PLYSCRIBE_PROXIES", 0, range(MAX_PROXIES + 1)),
        scrub_per_s=_count(environ, "PLYSCRIBE_SCRUB", SCRUB_PER_S, range(MAX_SCRUB_PER_S + 1)),
        stream_threads=_count(environ, "PLYSCRIBE_STREAM_THREADS", STREAM_THREADS, range(FILES + 1)),
        corrections_s=_count(environ, "PLYSCRIBE_CORRECTIONS_S", CORRECTIONS_S, range(MAX_CORRECTIONS_S + 1)),
        max_bot_matches=_count(environ, "PLYSCRIBE_MAX_BOT_MATCHES", BOT_MATCHES, range(MOST_MATCHES + 1)),
        max_matches=_count(environ, "PLYSCRIBE_MAX_MATCHES", MATCHES, range(MOST_MATCHES + 1)),
        max_playouts=_count(environ, "PLYSCRIBE_MAX_PLAYOUTS", PLAYOUTS_EACH, range(1, MAX_PLAYOUTS + 1)),
        hosts=_list(environ, "PLYSCRIBE_HOSTS", _HOST, "names of hosts without ports, such as games.example"),
        origins=_list(environ, "PLYSCRIBE_ORIGINS", _ORIGIN, "origins, such as https://app.example"),
        allowances_for=_choose(environ, "PLYSCRIBE_ALLOWANCES_FOR", "remote", "all", "none"),
        allowances=_read_allowances(environ.get("PLYSCRIBE_ALLOWANCES", "")),
        read_url=_read_database(environ),
        archive=environ.get("PLYSCRIBE_ARCHIVE", ""),
        seal_after_s=_read_rest(environ),
        dataset_licence=_read_licence(environ.get("PLYSCRIBE_DATASET_LICENCE", "")),
        replicas=_count(environ, "PLYSCRIBE_REPLICAS", 0, range(MOST_REPLICAS + 1)),
        webhooks=_choose(environ, "PLYSCRIBE_WEBHOOKS", "public", "any", "off"),
    )


def read_metrics_address(environ: Mapping[str, str] = os.environ) -> tuple[str, int]:
    """The host and the port at which a worker or relay reports its numbers; port 0: nowhere. ConfigError."""
    port = _count(environ, "PLYSCRIBE_METRICS_PORT", 0, range(65_536))
    return environ.get("PLYSCRIBE_HOST") or "127.0.0.1", port


def _read_licence(text: str) -> str:
    if len(text) > MAX_LICENCE or not text.isprintable():
        raise ConfigError(
            f"PLYSCRIBE_DATASET_LICENCE has {len(text)} characters; allowed: one line of at most {MAX_LICENCE}"
        )
    return text.strip()


def _read_rest(environ: Mapping[str, str]) -> int | None:
    if environ.get("PLYSCRIBE_SEAL_AFTER") == NEVER:
        return None
    return _count(environ, "PLYSCRIBE_SEAL_AFTER", SEAL_AFTER_S, range(MAX_SEAL_AFTER_S + 1), f", or {NEVER}")


def _read_database(environ: Mapping[str, str]) -> str:
    url = environ.get("PLYSCRIBE_READ_URL", "")
    if not url:
        raise ConfigError(
            "PLYSCRIBE_READ_URL is not set: set it to the read database, the same for all processes, such as "
            "sqlite:////var/lib/plyscribe/read.db or, on several machines, postgresql+psycopg://user@host/name"
        )
    return url


def _choose(environ: Mapping[str, str], name: str, default: str, *others: str) -> str:
    value = environ.get(name) or default
    if value not in (default, *others):
        raise ConfigError(f"{name} is {value!r}; allowed: {', '.join((*others, default))}")
    return value


def _read_allowances(text: str) -> dict[str, Windows]:
    allowances = dict(ALLOWANCES)
    for part in filter(None, (part.strip() for part in text.split(","))):
        kind, _, windows = (word.strip() for word in part.partition("="))
        if kind not in ALLOWANCES:
            raise ConfigError(f"PLYSCRIBE_ALLOWANCES names {kind!r}; the kinds are {', '.join(ALLOWANCES)}")
        allowances.pop(kind, None)
        if windows != "off":
            allowances[kind] = tuple(_read_window(kind, window.strip()) for window in windows.split(";"))
    return allowances


def _read_window(kind: str, text: str) -> tuple[int, int]:
    found = _WINDOW.fullmatch(text)
    if found is None or not int(found[1]) or found[2] == "0":
        why = f"PLYSCRIBE_ALLOWANCES says {text!r} for {kind}"
        raise ConfigError(f"{why}; allowed: amounts such as 100/minute or 100/minute;5000/day, or off")
    return int(found[1]), int(found[2] or 1) * SECONDS[found[3]]


def _count(environ: Mapping[str, str], name: str, default: int, allowed: range, otherwise: str = "") -> int:
    text = environ.get(name) or str(default)
    if not (_NUMBER.fullmatch(text) and int(text) in allowed):
        raise ConfigError(f"{name} is {text!r}; allowed: a whole number from {allowed[0]} to {allowed[-1]}{otherwise}")
    return int(text)


def _list(environ: Mapping[str, str], name: str, pattern: re.Pattern[str], what: str) -> tuple[str, ...]:
    values = tuple(value for part in environ.get(name, "").split(",") if (value := part.strip().lower()))
    for value in values:
        if not pattern.fullmatch(value):
            raise ConfigError(f"{name} names {value!r}; allowed: {what}, separated by commas, or *")
    return values


def _read_key(environ: Mapping[str, str]) -> ServerKey:
    text = environ.get("PLYSCRIBE_SERVER_KEY", "")
    path = environ.get("PLYSCRIBE_SERVER_KEY_FILE", "")
    if not text and path:
        try:
            text = Path(path).read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"PLYSCRIBE_SERVER_KEY_FILE {path} cannot be read: {error}") from None
        if not text.strip():
            raise ConfigError(f"PLYSCRIBE_SERVER_KEY_FILE {path} is empty: restore the key that was in it")
    if not text:
        raise ConfigError("PLYSCRIBE_SERVER_KEY is not set: set it to 64 hex digits, and never lose them")
    return parse_key(text)


def make_key() -> str:
    """A new server key in 64 random hex digits, as PLYSCRIBE_SERVER_KEY takes it."""
    return secrets.token_hex(MIN_KEY_BYTES)


def parse_key(text: str) -> ServerKey:
    """The key in a text, and the older keys that follow it, each on a line of its own or after a comma.

    ConfigError unless each key has at least 64 hex digits.
    """
    first, *older = [_parse_one_key(part) for part in _BETWEEN_KEYS.split(text.strip())]
    return ServerKey(first, tuple(map(ServerKey, older)))


def _parse_one_key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text)
    except ValueError:
        raise ConfigError("the server key must be written in hex digits") from None
    if len(key) < MIN_KEY_BYTES:
        raise ConfigError(f"the server key has {len(key)} bytes; it needs at least {MIN_KEY_BYTES}")
    return key


def register_rulesets(names: str) -> None:
    """Register the rulesets of installed packages, then those that `module:NAME,module:NAME` names.

    ConfigError if one cannot be registered; it says which, and what to do.
    """
    try:
        register_games(names)
    except GameError as error:
        raise ConfigError(str(error)) from None


def require_parts() -> None:
    """ConfigError if what a registered game from outside brings beside its rules cannot be read."""
    try:
        check_parts()
    except GameError as error:
        raise ConfigError(str(error)) from None


def load_ruleset(name: str, named_by: str) -> AnyRuleset:
    """The ruleset at `module:NAME`; ConfigError if there is none. Its message says that `named_by` names it."""
    try:
        [ruleset, *others] = list_rules(load_object(name, named_by), f"{named_by} names {name!r}")
    except GameError as error:
        raise ConfigError(str(error)) from None
    except ValueError:
        raise ConfigError(f"{named_by} names {name!r}, which brings no ruleset") from None
    if others:
        raise ConfigError(f"{named_by} names {name!r}, which brings several rulesets: name one of them")
    return ruleset
