"""The options that several commands share."""

from pathlib import Path

import click

DATA = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".data"),
    envvar="PLYSCRIBE_DATA",
    show_default=True,
    help="Directory of matches, keys and logs.",
)
HOST = click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
PORT = click.option("--port", type=click.IntRange(1, 65535), default=8420, show_default=True, help="Port to listen on.")
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
