"""`plyscribe add-player`, `issue-token` and `make-organiser`: accounts, their tokens, and what they may do."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from plyscribe.domain.errors import Unknown
from plyscribe.domain.player import KINDS, MAX_TOKEN_LIFE_MS, SCOPES, IssueToken
from plyscribe.service.cli.beside import OPERATOR, compose_beside
from plyscribe.service.cli.shared_options import DATA
from plyscribe.service.streams.ids import is_stream_id

if TYPE_CHECKING:
    from plyscribe.service.access.accounts import Given

DAY_MS = 24 * 3600 * 1000
SCOPE = click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    default=("play", "record"),
    show_default=True,
    help="What the token allows; may be given several times.",
)


@click.command("add-player")
@DATA
@click.argument("name")
@click.option("--kind", type=click.Choice(KINDS), default="person", show_default=True, help="Who plays.")
@SCOPE
def add_player(data: Path, name: str, kind: str, scopes: tuple[str, ...]) -> None:
    """Open an account and print its token.

    Uses the store in REDIS_URL, or else the one that `serve` runs on the data directory.
    """
    player, token = compose_beside(data).accounts.sign_up(OPERATOR, name, kind, scopes, official=True)
    click.echo(f"{player.stream} {token}")


@click.command("issue-token")
@DATA
@click.argument("player")
@SCOPE
@click.option("--label", help="What the token is for.")
@click.option(
    "--expires-in-days",
    type=click.IntRange(1, MAX_TOKEN_LIFE_MS // DAY_MS),
    help="The default is a token that never expires.",
)
@click.option("--keep-others", is_flag=True, help="Keep the other tokens of the account. By default they are revoked.")
def issue_token(
    data: Path, player: str, scopes: tuple[str, ...], label: str | None, expires_in_days: int | None, keep_others: bool
) -> None:
    """Issue a new token for an account that lost its own.

    Prints the token. Uses the store in REDIS_URL, or else the one that `serve` runs on the data directory.
    """
    if not is_stream_id("player", player):
        raise Unknown("player/unknown", f"{player} is not an account id: expected player-<26 characters>")
    lives_ms = None if expires_in_days is None else expires_in_days * DAY_MS

    def make(given: "Given") -> IssueToken:
        return IssueToken(**given, scopes=scopes, label=label, lives_ms=lives_ms, revoke_others=not keep_others)

    issued = compose_beside(data).accounts.issue(player, OPERATOR, make)
    click.echo(f"{issued.player.stream} {issued.token}")


@click.command("make-organiser")
@DATA
@click.argument("player")
@click.option("--undo", is_flag=True, help="Make the account an organiser no longer.")
def make_organiser(data: Path, player: str, undo: bool) -> None:
    """Let an account announce and run tournaments.

    PLAYER is its name or id. Its browsers need no new token. Uses the store in REDIS_URL, or else the one that `serve`
    runs on the data directory.
    """
    accounts = compose_beside(data).accounts
    account = accounts.find_named(player)
    if account is None:
        raise Unknown("player/unknown", f"there is no player {player}")
    change = accounts.dismiss_organiser if undo else accounts.appoint_organiser
    changed = change(account, OPERATOR)
    click.echo(f"{changed.name} ({changed.stream}) {'is no longer' if undo else 'is now'} an organiser")
