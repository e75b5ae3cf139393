"""The command `plyscribe` of an install with the extra `server`."""

import sys

import click

from plyscribe import __version__
from plyscribe.service.cli.extra import explain_missing
from plyscribe.service.cli.lazy import LazyGroup

COMMANDS = {
    "accept-loss": ("accept_loss:accept_lost", "Let a store start although some of its data is missing."),
    "add-player": ("tokens:add_player", "Open an account and print its token."),
    "archive": ("archive:archive", "Look after the archive of sealed matches and copies."),
    "bot": ("bots:bot", "Play with a bot in any language, or check one."),
    "dataset": ("dataset:dataset", "Write the finished public matches of a ruleset as Parquet."),
    "compile": ("compile_rules:compile_them", "Compile the rules, so that games are played faster here."),
    "demo": ("demo:demo", "Let bots play over HTTP, then verify and rate the matches."),
    "doctor": ("doctor:doctor", "Check the setup and report problems."),
    "explore": ("explore:explore", "Show what was played from a position, or find steps."),
    "export": ("transfer:export", "Write matches as bundles, or a whole store as one file."),
    "import": ("transfer:import_files", "Import bundles, text records or a whole store."),
    "issue-token": ("tokens:issue_token", "Issue a new token for an account that lost its own."),
    "make-key": ("make_key:make_server_key", "Print a new server key."),
    "make-organiser": ("tokens:make_organiser", "Let an account announce and run tournaments."),
    "new-ruleset": ("new_ruleset:new_ruleset", "Make a package with a small game, to make yours of."),
    "openapi": ("contract:openapi", "Print the OpenAPI document of the HTTP API."),
    "ratings": ("ratings:ratings", "Check the ratings."),
    "rebuild": ("rebuild:rebuild", "Rebuild lists from the streams."),
    "record": ("record:record", "Check text records and print them in the standard layout."),
    "referee": ("referee:referee", "Hold your own simulator of a game against our rules."),
    "replay": ("replay:replay", "Show a match as text, as a picture or as a film."),
    "rotate-key": ("rotate_key:rotate_server_key", "Replace the server key, while no service runs."),
    "rules": ("rules:rules", "Check matches under their rules; prove or release rules."),
    "selfplay": ("selfplay:selfplay", "Play many games at random or with bots, fast."),
    "serve": ("serve:serve", "Run everything: store, API, workers and relay."),
    "study": ("study:study", "Study a ruleset by matches between bots."),
    "tournament": ("tournament:tournament", "Run tournaments, steer them and check their pairings."),
    "upgrade": ("upgrade:upgrade", "Show or finish the upgrade of a store to this release."),
    "vectors": ("vectors:vectors", "Write random matches to test other simulators with."),
    "verify": ("verify:verify", "Check bundles of matches offline."),
    "web": ("serve:web", "Run the API alone, on the store in REDIS_URL."),
}
"""Each command: where it is in this folder, and its line in the list, which is also the first line of its help."""

EXPECTED = (
    ("plyscribe.domain.errors", "DomainError"),
    ("plyscribe.envs.compiling", "CannotCompile"),
    ("plyscribe.service.config", "ConfigError"),
    ("plyscribe.service.errors", "UnknownModel"),
    ("plyscribe.service.processes.serving", "ServeError"),
    ("plyscribe.service.store.port", "StoreError"),
    ("redis.exceptions", "RedisError"),
)
"""Errors that a person can fix: module and class. Importing them here would import most of the service."""


@click.group(
    cls=LazyGroup, lazy={name: (f"plyscribe.service.cli.{place}", line) for name, (place, line) in COMMANDS.items()}
)
@click.version_option(__version__, prog_name="plyscribe")
def cli() -> None:
    """Record matches of board games move by move, verify them, and replay any position."""


def main() -> None:
    """Run the command; an error that a person can fix is printed as one line, without a traceback."""
    try:
        cli()
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("plyscribe"):
            raise
        click.echo(f"error: {explain_missing('server', 'this command needs', error.name)}", err=True)
        sys.exit(2)
    except Exception as error:
        if not is_expected(error):
            raise
        sys.exit(f"error: {error}")


def is_expected(error: Exception) -> bool:
    """Whether a person can fix this error. The module of its class has been imported, or it could not be raised."""
    return any(
        isinstance(error, getattr(sys.modules[module], name)) for module, name in EXPECTED if module in sys.modules
    )


if __name__ == "__main__":
    main()
