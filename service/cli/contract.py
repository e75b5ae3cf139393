"""`plyscribe openapi`."""

import click


@click.command()
def openapi() -> None:
    """Print the OpenAPI document of the HTTP API."""
    from plyscribe.service.composition import compose
    from plyscribe.service.config import Config, parse_key
    from plyscribe.service.store.memory import MemoryStore
    from plyscribe.service.web.api.openapi import format_openapi
    from plyscribe.service.web.app import create_app

    # The document depends on the routes alone, so an empty store in memory will do.
    parts = compose(Config("", "", parse_key("00" * 32)), MemoryStore())
    click.echo(format_openapi(create_app(parts)), nl=False)
