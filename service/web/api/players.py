"""Accounts: sign up and look up players."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response

from plyscribe.domain.commands import Actor
from plyscribe.domain.pauses import find_pause
from plyscribe.domain.player import Player, Token, token_id
from plyscribe.service.access.accounts import Principal, digest_of
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import NotFound, ScopeMissing
from plyscribe.service.lists.players import describe_player
from plyscribe.service.store.port import CommandKey
from plyscribe.service.streams.ids import is_stream_id
from plyscribe.service.web.api.http import (
    answer,
    has_token,
    parse_body,
    parts,
    principal,
    remembered,
    repeatable,
    replayed,
)
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.charging import charged
from plyscribe.service.web.schemas import answers, bodies

blueprint = Blueprint("players", __name__, url_prefix="/v1/players")


@blueprint.post("")
@charged("accounts")
@operation(
    "players",
    answers.NewPlayerOut,
    status=201,
    body=bodies.NewPlayer,
    problems=(401, 403, 409),
    open=True,
    command=True,
    secret=True,
    located=True,
)
def sign_up() -> Response:
    """Open an account and get its first token and a recovery code.

    Both are shown only once. With the code you get another token if you lose yours. If sign-up is not open, this needs
    an administrator's token, and so does the scope `organise` everywhere. No two accounts have the same name: names
    that differ only in case, width, spaces or letters that look alike count as the same, and the refusal suggests a
    name that is free. If the answer gets lost, send the request again with the same `Idempotency-Key` within ten
    minutes. Without a key the name is then taken: an administrator can issue another token.
    """
    actor = _who_signs_up()
    body = parse_body(bodies.NewPlayer)
    if "organise" in body["scopes"]:
        _require_administrator("an account with the scope organise")
    issued = parts().accounts.open_account(actor, body["name"], body["kind"], tuple(body["scopes"]), repeatable(actor))
    scopes = issued.player.tokens[digest_of(issued.token)].scopes
    secrets = {"token": issued.token, "recovery_code": issued.code}
    created = answer({**describe_player(issued.player), "scopes": scopes, **secrets}, 201)
    created.headers["Location"] = f"/v1/players/{issued.player.stream}"
    return replayed(created) if issued.replayed else created


def _who_signs_up() -> Actor:
    if not parts().config.open_sign_up:
        return Actor("player", _require_administrator("accounts on this server").account)
    return Actor("player", principal().account) if has_token() else Actor("system", "sign-up")


def _require_administrator(what: str) -> Principal:
    who = principal()
    if "admin" not in who.scopes:
        raise ScopeMissing(f"only an administrator can open {what}")
    return who


@blueprint.post("/recovery")
@charged("tokens")
@operation(
    "players",
    answers.RecoveredAccount,
    status=201,
    body=bodies.Recovery,
    problems=(403, 409),
    open=True,
    command=True,
    secret=True,
)
def recover_own_account() -> Response:
    """Get a new token with your recovery code, if you lost yours.

    The code is used up; the answer has a new one. The token has the scopes of the one that the account was opened with,
    or that made the code. All other tokens and all sessions of the account end, unless `revoke_others` is false. The
    refusal is the same for a name that does not exist and for a code that is wrong. If the answer gets lost, send the
    request again with the same `Idempotency-Key` within ten minutes.
    """
    body = parse_body(bodies.Recovery)
    asked = repeatable(Actor("system", "recovery"))
    issued = parts().accounts.recover(body["name"], body["code"], body["label"], body["revoke_others"], asked)
    digest = digest_of(issued.token)
    described = describe_token(digest, issued.player.tokens[digest])
    secrets = {"token": issued.token, "recovery_code": issued.code}
    created = answer({"player": issued.player.stream, **secrets, **described}, 201)
    return replayed(created) if issued.replayed else created


@blueprint.post("/me/recovery-code")
@charged("tokens")
@operation(
    "players",
    answers.NewRecoveryCode,
    status=201,
    body=bodies.Nothing,
    problems=(403, 409),
    command=True,
    secret=True,
)
def set_recovery_code() -> Response:
    """Make a new recovery code for your account.

    It is shown only once. The code that the account had is void. A token that it brings has the scopes of the token or
    session that made it, and expires with that token. If the answer gets lost, send the request again with the same
    `Idempotency-Key` and the same token within ten minutes.
    """
    who = principal()
    parse_body(bodies.Nothing)
    asked = repeatable(Actor("player", who.account), f" {who.digest}")
    player, code = parts().accounts.set_code(who, asked)
    return answer({"player": player.stream, "recovery_code": code, **describe_recovery(player)}, 201)


def describe_recovery(player: Player) -> dict[str, Any]:
    """When the recovery code of an account was made, and when it expires; None without a valid one."""
    code = player.recovery if player.recovery and player.recovery.is_valid(now_ms()) else None
    return {"recovery_code_made_at": code and code.made_at, "recovery_code_expires_at": code and code.expires_at}


@blueprint.get("/me")
@operation("players", answers.Me)
def me() -> Response:
    """Get your account and the scopes of your token."""
    who = principal()
    player = parts().accounts.players.read(who.account)
    return answer({**describe_profile(player), "scopes": who.scopes, **describe_recovery(player)})


@blueprint.get("/<player:player>")
@operation("players", answers.PlayerProfile, problems=(404,), open=True)
def get_player(player: str) -> Response:
    """Get a player's public account."""
    return answer(describe_profile(find_player(player)))


@blueprint.post("/<player>/organiser")
@operation("players", answers.Office, body=bodies.Nothing, problems=(403, 404, 409), command=True)
def appoint_organiser(player: str) -> Response:
    """Make an account an organiser.

    Needs the scope `admin`. Browsers that are signed in with a token for `play` and `record` then cover `organise`,
    without a new token. Other tokens stay as they are.
    """
    return _change_office(player, parts().accounts.appoint_organiser)


@blueprint.delete("/<player>/organiser")
@operation("players", answers.Office, body=bodies.Nothing, problems=(403, 404, 409), command=True)
def dismiss_organiser(player: str) -> Response:
    """Make an account an organiser no longer.

    Needs the scope `admin`. The tournaments that it announced stay; an administrator can run them.
    """
    return _change_office(player, parts().accounts.dismiss_organiser)


def _change_office(id: str, change: Callable[[str, Actor, CommandKey], Player]) -> Response:
    who = principal()
    who.require("admin")
    account = find_player(id).stream
    parse_body(bodies.Nothing)
    actor = Actor("player", who.account)
    changed = change(account, actor, remembered(actor))
    return answer({"player": account, "name": changed.name, "is_organiser": changed.is_organiser})


def describe_profile(player: Player) -> dict[str, Any]:
    """The public fields of an account, and how often it aborted rated matches."""
    return {
        **describe_player(player),
        "rated_aborts": len(player.aborts),
        "paused_until": find_pause(player, now_ms()),
        "is_organiser": player.is_organiser,
    }


def find_player(id: str) -> Player:
    """The account with this id; NotFound if there is none."""
    account = parts().accounts.players.read(id) if is_stream_id("player", id) else Player(id)
    if account.version == 0:
        raise NotFound(f"there is no player {id}", "player/unknown")
    return account


def describe_token(digest: str, token: Token) -> dict[str, Any]:
    """A token as JSON, without its text."""
    return {
        "id": token_id(digest),
        "label": token.label,
        "scopes": token.scopes,
        "issued_at": token.issued_at,
        "expires_at": token.expires_at,
    }
