"""The option that chooses the language of sentences. It is not among those of all commands because it loads Babel."""

import click

from plyscribe.service.language.catalogues import ENGLISH, LANGUAGES

LANGUAGE = click.option(
    "--language", type=click.Choice(LANGUAGES), default=ENGLISH, show_default=True, help="Language of the sentences."
)
