"""Tokens and the sessions made with them: list, issue, rotate and revoke them."""

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Blueprint, Response

from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.player import IssueToken, RotateToken, Token, token_id
from plyscribe.service.access.accounts import Given, Principal, digest_of
from plyscribe.service.clock import now_ms
from plyscribe.service.web.api.http import answer, parse_body, parts, principal, remembered, repeatable, replayed
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.players import describe_token, find_player
from plyscribe.service.web.charging import charged
from plyscribe.service.web.schemas import answers, bodies

blueprint = Blueprint("tokens", __name__, url_prefix="/v1/players")
_issuing = partial(operation, "players", answers.NewTokenOut, status=201, command=True, secret=True)


@blueprint.get("/me/tokens")
@operation("players", answers.Tokens)
def list_tokens() -> Response:
    """List the valid tokens and sessions of your account, oldest first.

    A session is a browser that is signed in. The list never has their texts.
    """
    who = principal()
    return answer({"player": who.account, "tokens": describe_tokens(who)})


def describe_tokens(who: Principal) -> list[dict[str, Any]]:
    """The valid tokens and sessions of the account, oldest first, as JSON."""
    player, now = parts().accounts.players.read(who.account), now_ms()
    return [
        {
            **describe_token(digest, token),
            **_describe_use(token),
            "scopes": player.scopes_of(token),
            "current": digest == who.digest,
        }
        for digest, token in player.tokens.items()
        if token.is_valid(now)
    ]


def _describe_use(token: Token) -> dict[str, Any]:
    if token.session_of is None:
        return {"kind": "token", "made_with": None}
    return {"kind": "session", "made_with": token_id(token.session_of)}


@blueprint.post("/me/tokens")
@charged("tokens")
@_issuing(body=bodies.NewToken, problems=(403, 409))
def issue_token() -> Response:
    """Issue another token for your account.

    Use it for another device or a bot. Its text is shown only once. A token can only issue tokens with the same or
    fewer scopes, and none that outlives it. If the answer gets lost, send the request again with the same
    `Idempotency-Key` and the same token within ten minutes.
    """
    who = principal()
    body = parse_body(bodies.NewToken)

    def make(given: Given) -> IssueToken:
        scopes = tuple(body["scopes"] or who.scopes)
        return IssueToken(**given, **_lives(body), scopes=scopes, label=body["label"], under=who.digest)

    return _issue(who, who.account, make)


@blueprint.post("/me/tokens/rotation")
@charged("tokens")
@_issuing(body=bodies.Rotation, problems=(403, 409))
def rotate_token() -> Response:
    """Replace your token.

    The new token has the same label and scopes. It lasts at most as long as the old one was issued for. The old token
    ends `overlap_s` seconds later. Until then you can ask again with it, in case the answer got lost.
    """
    who = principal()
    body = parse_body(bodies.Rotation)

    def make(given: Given) -> RotateToken:
        return RotateToken(**given, **_lives(body), under=who.digest, overlap_ms=1000 * body["overlap_s"])

    return _issue(who, who.account, make)


@blueprint.delete("/me/tokens/<token:token>")
@operation("players", answers.RevokedToken, body=bodies.Nothing, problems=(404,), command=True)
def revoke_token(token: str) -> Response:
    """Revoke a token of your account, or end a session.

    You can revoke any of them, also the one that you send. The sessions that were made with a token end with it. Other
    processes may accept the token for up to ten seconds more.
    """
    who = principal()
    parse_body(bodies.Nothing)
    ended_at = parts().accounts.revoke(who, token, remembered(Actor("player", who.account)))
    return answer({"id": token, "ended_at": ended_at})


@blueprint.delete("/me/sessions")
@operation("players", answers.EndedSessions, body=bodies.Nothing, problems=(409,), command=True)
def end_sessions() -> Response:
    """End all sessions of your account.

    This signs every browser out. Tokens stay valid. Other processes may accept a session for up to ten seconds more.
    """
    who = principal()
    parse_body(bodies.Nothing)
    ended = parts().accounts.end_sessions(who, remembered(Actor("player", who.account)))
    return answer({"player": who.account, "ended": ended})


@blueprint.post("/<player>/tokens")
@charged("tokens")
@_issuing(body=bodies.FreshToken, problems=(403, 404, 409))
def recover_account(player: str) -> Response:
    """Issue a token for a player who lost theirs.

    Needs the scope `admin`. The new token can have any scopes. All other tokens of the account end, unless
    `revoke_others` is false.
    """
    who = principal()
    who.require("admin")
    account = find_player(player).stream
    body = parse_body(bodies.FreshToken)

    def make(given: Given) -> IssueToken:
        scopes, revoke_others = tuple(body["scopes"]), body["revoke_others"]
        return IssueToken(**given, **_lives(body), scopes=scopes, label=body["label"], revoke_others=revoke_others)

    return _issue(who, account, make)


def _lives(body: dict[str, Any]) -> dict[str, Any]:
    seconds = body["expires_in_s"]
    return {"lives_ms": None if seconds is None else 1000 * seconds}


def _issue(who: Principal, account: str, make: Callable[[Given], Command]) -> Response:
    actor = Actor("player", who.account)
    # A key counts with the token that it was sent with. Otherwise a token with fewer scopes could repeat the request.
    issued = parts().accounts.issue(account, actor, make, repeatable(actor, f" {who.digest}"))
    digest = digest_of(issued.token)
    described = describe_token(digest, issued.player.tokens[digest])
    created = answer({"player": account, "token": issued.token, **described}, 201)
    return replayed(created) if issued.replayed else created
