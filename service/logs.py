"""The log of a process: one line a record, as JSON or text, for our records and those of libraries alike.

Code logs with the standard library's `logging`. The ids that are bound here (`request_id`, `match`, `command`, `actor`,
`job`) go into every record of the same request or job.
"""

import logging
import os
import re
import sys
from collections.abc import Mapping, MutableMapping
from contextvars import ContextVar
from typing import Any, TextIO

import orjson
from structlog.dev import ConsoleRenderer, plain_traceback
from structlog.processors import JSONRenderer, TimeStamper, format_exc_info
from structlog.stdlib import ExtraAdder, ProcessorFormatter, add_log_level
from structlog.typing import Processor

from plyscribe.service.config import ConfigError

FORMAT_VARIABLE = "PLYSCRIBE_LOG"
LEVEL_VARIABLE = "PLYSCRIBE_LOG_LEVEL"
LEVELS = ("debug", "info", "warning", "error")
OURS = ("plyscribe",)
"""The loggers that PLYSCRIBE_LOG_LEVEL applies to. Libraries log warnings and errors only."""

_SECRETS = re.compile(
    r"(?P<token>ply_[a-z2-7]{26}_)[A-Za-z0-9_-]+"
    r"|(?P<bearer>[Bb]earer\s+)[^\s\"',]+"
    r"|(?P<url>://)[^/@\s]+(?=@)"
    r"|\b[0-9a-fA-F]{64,}\b"
    r"|\b[0-9]{1,2}-[0-9]{1,15}-[0-9]{10,15}-[A-Za-z0-9_-]{24}"
)
"""Tokens, credentials in headers and URLs, keys, and invitation codes."""

_STREAM = re.compile(r"\b(match|tournament|player|import)-[a-z2-7]{26}\b")

Record = MutableMapping[str, Any]

# One variable holds all ids. structlog uses one for each id, and every request would pay for that.
_ids: ContextVar[dict[str, str]] = ContextVar("ids")


def begin_logs(process: str, environ: Mapping[str, str] = os.environ, out: TextIO | None = None) -> None:
    """Log to standard error from now on, as this kind of process; ConfigError for a bad setting."""
    out = out or sys.stderr
    form, level = read_log_settings(environ, "text" if out.isatty() else "json")
    handler = logging.StreamHandler(out)
    handler.setFormatter(_make_formatter(process, form == "json", out.isatty()))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in OURS:
        logging.getLogger(name).setLevel(level)


def read_log_settings(environ: Mapping[str, str], otherwise: str = "json") -> tuple[str, str]:
    """The form (`otherwise` if none is set) and the level; ConfigError for a bad setting."""
    form = _choose(environ, FORMAT_VARIABLE, ("json", "text"), otherwise)
    return form, _choose(environ, LEVEL_VARIABLE, LEVELS, "info").upper()


def begin_ids(**ids: str) -> None:
    """Begin a new request or job: its records carry these ids, and none of the previous one's."""
    _ids.set(ids)


def bind_ids(**ids: str) -> None:
    """Add these ids to every further record of the current request or job."""
    _ids.get({}).update(ids)


def _choose(environ: Mapping[str, str], name: str, allowed: tuple[str, ...], default: str) -> str:
    value = environ.get(name) or default
    if value not in allowed:
        raise ConfigError(f"{name} is {value!r}; allowed: {', '.join(allowed)}")
    return value


def _make_formatter(process: str, as_json: bool, colors: bool) -> ProcessorFormatter:
    stamp = TimeStamper(fmt="iso", utc=True, key="ts")
    gather: list[Processor] = [_add_ids, add_log_level, ExtraAdder(), stamp, _add_streams]
    render: list[Processor]
    if as_json:
        render = [format_exc_info, _arrange(process), JSONRenderer(serializer=_dump)]
    else:
        render = [ConsoleRenderer(colors=colors, timestamp_key="ts", exception_formatter=plain_traceback)]
    return ProcessorFormatter(
        foreign_pre_chain=gather,
        processors=[ProcessorFormatter.remove_processors_meta, *render, _hide_secrets],
    )


def _add_ids(logger: Any, method: str, record: Record) -> Record:
    return {**_ids.get({}), **record}


def _dump(record: Any, **_: Any) -> str:
    return orjson.dumps(record, default=str).decode()


def _add_streams(logger: Any, method: str, record: Record) -> Record:
    """Add a field for each kind of stream that the text mentions, with the first id of that kind."""
    for found in _STREAM.finditer(str(record["event"])):
        record.setdefault(found[1], found[0])
    return record


def _arrange(process: str) -> Processor:
    def arrange(logger: Any, method: str, record: Record) -> Record:
        first = {"ts": record.pop("ts"), "level": record.pop("level"), "event": record.pop("event")}
        return {**first, "process": process, "pid": os.getpid(), **record}

    return arrange


def _hide_secrets(logger: Any, method: str, line: Any) -> str:
    return _SECRETS.sub(lambda found: f"{found['token'] or found['bearer'] or found['url'] or ''}…", line)
