"""Where the service listens: options count more than the environment, and PLYSCRIBE_PORT more than PORT."""

import click
import pytest
from click.testing import CliRunner

from plyscribe.service.cli.serve import serve, web
from plyscribe.service.cli.shared_options import HOST, PORT

NONE = {"PLYSCRIBE_HOST": None, "PLYSCRIBE_PORT": None, "PORT": None}


@click.command()
@HOST
@PORT
def show(host: str, port: int) -> None:
    click.echo(f"{host} {port}")


@pytest.mark.parametrize(
    ("arguments", "env", "where"),
    [
        ([], {}, "127.0.0.1 8420"),
        ([], {"PORT": "5000"}, "127.0.0.1 5000"),
        ([], {"PLYSCRIBE_PORT": "8421", "PORT": "5000"}, "127.0.0.1 8421"),
        ([], {"PLYSCRIBE_PORT": "", "PORT": "5000"}, "127.0.0.1 5000"),
        (["--port", "9000"], {"PLYSCRIBE_PORT": "8421", "PORT": "5000"}, "127.0.0.1 9000"),
        ([], {"PLYSCRIBE_HOST": "0.0.0.0"}, "0.0.0.0 8420"),
        ([], {"PLYSCRIBE_HOST": "::"}, ":: 8420"),
        ([], {"PLYSCRIBE_HOST": ""}, "127.0.0.1 8420"),
        (["--host", "localhost"], {"PLYSCRIBE_HOST": "0.0.0.0"}, "localhost 8420"),
    ],
)
def test_where_the_service_listens(arguments, env, where):
    assert CliRunner().invoke(show, arguments, env={**NONE, **env}).stdout == f"{where}\n"


@pytest.mark.parametrize(
    ("arguments", "env", "why"),
    [
        ([], {"PORT": "http"}, "PORT is 'http', which is not a port: a whole number from 1 to 65535"),
        ([], {"PLYSCRIBE_PORT": "70000", "PORT": "5000"}, "PLYSCRIBE_PORT is '70000', which is not a port"),
        ([], {"PLYSCRIBE_PORT": "0"}, "PLYSCRIBE_PORT is '0', which is not a port"),
        (["--port", "0"], {"PORT": "5000"}, "'0' is not a port"),
        ([], {"PLYSCRIBE_HOST": "http://x"}, "PLYSCRIBE_HOST is 'http://x', which is not an address"),
        (["--host", "a b"], {"PLYSCRIBE_HOST": "::"}, "'a b' is not an address"),
    ],
)
def test_what_cannot_be_listened_on_is_refused_by_the_name_that_it_comes_from(arguments, env, why):
    for command in (show, serve, web):
        refused = CliRunner().invoke(command, arguments, env={**NONE, **env})
        assert (refused.exit_code, why in refused.stderr) == (2, True)
