"""The options that several commands share."""

import json
import os
import re
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

PORTS = ("PLYSCRIBE_PORT", "PORT")
"""What names the port in the environment. Hosts that run a Procfile set the second one; the first one counts more."""

RETRY_FOR_S = 10.0
"""How long a command tries to reach the server that it was given: whoever has mistyped its address waits for that."""

_HOST = re.compile(r"[A-Za-z0-9_.:%-]+")


class _Host(click.ParamType[str]):
    name = "host"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text itself; refused if it can be no address and no name."""
        if not _HOST.fullmatch(value):
            self.fail(f"{_quote(value, param, ctx)} not an address, such as 127.0.0.1 or ::", param, ctx)
        return value


class _Port(click.IntRange):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; the message of a refusal names the variable that it comes from."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            why = f"{_quote(value, param, ctx)} not a port: a whole number from {self.min} to {self.max}"
            self.fail(why, param, ctx)


class _Options(click.ParamType[dict[str, Any]]):
    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        try:
            options = json.loads(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(f"{value!r} is not JSON: {error}", param, ctx)
        return options if isinstance(options, dict) else self.fail(f"{value!r} is not a JSON object", param, ctx)


def _quote(value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
    """The value of an option and `is`; in front the variable that it comes from, if it was not given as an option."""
    if param and ctx and param.name and ctx.get_parameter_source(param.name) == ParameterSource.ENVIRONMENT:
        names = [param.envvar] if isinstance(param.envvar, str) else param.envvar or ()
        for name in names:
            if os.environ.get(name):
                return f"{name} is {value!r}, which is"
    return f"{value!r} is"


DATA = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".data"),
    envvar="PLYSCRIBE_DATA",
    show_default=True,
    help="Directory of matches, keys and logs.",
)
HOST = click.option(
    "--host",
    type=_Host(),
    default="127.0.0.1",
    envvar="PLYSCRIBE_HOST",
    show_default=True,
    help="Address to listen on.",
)
PORT = click.option(
    "--port",
    type=_Port(1, 65535),
    default=8420,
    envvar=PORTS,
    show_default=True,
    help="Port to listen on.",
)
REDIS_URL = click.option("--redis-url", envvar="REDIS_URL", help="Use this store instead of starting one.")
CLUSTER = click.option(
    "--cluster",
    type=click.IntRange(1, 16),
    metavar="N",
    help="Keep matches on a cluster of N servers on this machine, to try one out.",
)
URL = click.option("--url", help="Use this server over HTTP, e.g. http://127.0.0.1:8420, instead of the store.")
TOKEN = click.option("--token", envvar="PLYSCRIBE_TOKEN", help="Your token on that server.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
RULESET_OPTIONS = partial(click.option, type=_Options(), default=dict)
"""An option with a name of the command's own that takes the options of a ruleset."""
