"""The commands of `plyscribe tournament` with which an organiser steers a tournament on a running service."""

import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from plyscribe.service.cli.shared_options import DATA, RETRY_FOR_S

URL = click.option("--url", default="http://127.0.0.1:8420", show_default=True, help="The running service.")
TOKEN = click.option(
    "--token",
    envvar="PLYSCRIBE_TOKEN",
    help="A token of the organiser or of an administrator; the default is the administrator's in --data.",
)
WHY = click.option("--why", required=True, help="The reason, which everybody can read.")


class TournamentError(Exception):
    """The tournament cannot be run as it was asked for. The message says why."""


def read_admin_token(data: Path) -> str:
    """The administrator's token from a data directory; TournamentError if it is not there."""
    path = data / "admin.token"
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        raise TournamentError(f"{path} does not exist: give a token with the scope organise (--token)") from None


def _send(url: str, token: str | None, data: Path, ask: Callable[[Any], Any]) -> Any:
    """The answer of the service to what `ask` sends with a client; exits with 1 and the problem if it is refused."""
    import httpx

    from plyscribe.service.client import Client, Problem

    try:
        with Client(url, token or read_admin_token(data), retry_for_s=RETRY_FOR_S) as client:
            return ask(client)
    except (TournamentError, Problem, httpx.TransportError) as error:
        sys.exit(f"error: {error}")


def _of_service(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument and the options that every command here has."""
    for add in (DATA, TOKEN, URL, click.argument("tournament")):
        command = add(command)
    return command


def _of_game(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument that names a game, as ROUND-BOARD or ROUND-BOARD-GAME."""
    return _of_service(click.argument("game", type=GamePlace())(WHY(command)))


class GamePlace(click.ParamType[tuple[int, int, int]]):
    """Round, board and game, such as 2-1 or 2-1-3; without a game the first one of the board."""

    name = "ROUND-BOARD[-GAME]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The three numbers; fails with what is expected."""
        numbers = str(value).split("-")
        if len(numbers) not in (2, 3) or not all(each.isascii() and each.isdigit() for each in numbers):
            self.fail(f"{value!r} is not a game: write round and board, such as 2-1, or round, board and game: 2-1-3")
        return tuple(map(int, [*numbers, "1"][:3]))


@click.command()
@_of_service
@click.argument("account")
@click.option("--label", help="The name to show in tables.")
def invite(tournament: str, account: str, label: str | None, url: str, token: str | None, data: Path) -> None:
    """Invite an account, by its id or name, to a tournament.

    It takes part once it accepts.
    """
    named = {"player" if account.startswith("player-") else "name": account}
    _send(url, token, data, lambda client: client.invite_entrant(tournament, **named, label=label))
    click.echo(f"{account} is invited")


@click.command()
@_of_game
def retry(tournament: str, game: tuple[int, int, int], why: str, url: str, token: str | None, data: Path) -> None:
    """Try a game again that was given up after five failed attempts."""
    _send(url, token, data, lambda client: client.retry_game(tournament, *game, why=why))
    click.echo("the game is played again")


@click.command()
@_of_game
@click.option("--ranks", required=True, help="The rank of each seat, such as 1,2 or 1,1 for a tie.")
def adjudicate(
    tournament: str, game: tuple[int, int, int], ranks: str, why: str, url: str, token: str | None, data: Path
) -> None:
    """Decide a game that has no result."""
    given = _parse_numbers("--ranks", ranks)
    _send(url, token, data, lambda client: client.adjudicate_game(tournament, *game, ranks=given, why=why))
    click.echo("the game is adjudicated")


@click.command()
@_of_game
@click.option("--entrants", required=True, help="The numbers of the entrants that lose, such as 3 or 3,5.")
def forfeit(
    tournament: str, game: tuple[int, int, int], entrants: str, why: str, url: str, token: str | None, data: Path
) -> None:
    """Let one or more entrants lose a game that has no result."""
    given = _parse_numbers("--entrants", entrants)
    _send(url, token, data, lambda client: client.forfeit_game(tournament, *game, entrants=given, why=why))
    click.echo("the game is forfeited")


@click.command()
@_of_game
def annul(tournament: str, game: tuple[int, int, int], why: str, url: str, token: str | None, data: Path) -> None:
    """Stop a decided game from counting."""
    _send(url, token, data, lambda client: client.annul_game(tournament, *game, why=why))
    click.echo("the game is annulled")


def _parse_numbers(option: str, text: str) -> list[int]:
    numbers = text.split(",")
    if not all(each.strip().isascii() and each.strip().isdigit() for each in numbers):
        raise click.BadParameter(f"{text!r} is not a list of numbers, such as 1,2", param_hint=option)
    return [int(each) for each in numbers]


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--ruleset", required=True, help="The game, such as zhen: a report does not say.")
@click.option("--name", help="The name of the tournament; the default is that of the report.")
@click.option("--private", is_flag=True, help="Show it only to those who take part.")
@URL
@TOKEN
@DATA
def import_report(
    file: Path, ruleset: str, name: str | None, private: bool, url: str, token: str | None, data: Path
) -> None:
    """Make a tournament of a club from a TRF16 report.

    The players enter as guests. The same file makes the same tournament, however often it is sent.
    """
    content = file.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Older programs write reports in the encoding of Windows.
        text = content.decode("cp1252", errors="replace")
    key = sha256(b"\0".join([content, ruleset.encode(), (name or "").encode(), b"%d" % private])).hexdigest()[:32]
    more: dict[str, Any] = {"name": name, "private": private, "key": f"trf-{key}"}
    made = _send(url, token, data, lambda client: client.import_tournament(text, ruleset, **more))
    click.echo(f"{url}/tournaments/{made['tournament']}")


COMMANDS = (invite, retry, adjudicate, forfeit, annul, import_report)
