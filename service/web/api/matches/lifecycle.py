"""Create, read, start, abort, duplicate and rematch matches."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from flask import Response, g
from orjson import dumps

from plyscribe.domain.commands import AbortMatch, Actor, CreateMatch, Secret, StartMatch, TakeSeat
from plyscribe.domain.errors import WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Account, Dice, LineCopied, Occupant, RecordedDice
from plyscribe.domain.line import measure_line
from plyscribe.domain.match import Match
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.variation import begin, write_line
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.acting import PAUSED
from plyscribe.service.clock import now_ms
from plyscribe.service.config import SERVER
from plyscribe.service.errors import NotFound
from plyscribe.service.matches import queries
from plyscribe.service.matches.duplicates import draft_duplicate, duplicate_id, share_dice
from plyscribe.service.matches.rematches import draft_rematch, rematch_id, seats_offered
from plyscribe.service.matches.seating import WantedBot, seat_all
from plyscribe.service.streams.handler import Answer
from plyscribe.service.streams.ids import stream_id
from plyscribe.service.web.api.http import (
    answer,
    idempotency_key,
    parse_body,
    parse_query,
    parts,
    principal,
    remembered,
)
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.commands import (
    COMMAND_PROBLEMS,
    Fields,
    execute,
    give_location,
    permit_new,
    require_no_pause,
    require_scope,
)
from plyscribe.service.web.api.matches.reading import (
    confined,
    confirm_by,
    list_choices_now,
    list_other_versions,
    personal,
    read_match,
    read_own_match,
)
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.players import find_player
from plyscribe.service.web.charging import charge, charge_size, charged
from plyscribe.service.web.packing import tagged
from plyscribe.service.web.schemas import answers, bodies, parameters

TAG_DIGITS = 16
"""Hex digits of the digest by which ETags tell choices apart."""


@blueprint.post("")
@charged("creations")
@operation(
    "matches", answers.Receipt, status=201, body=bodies.NewMatch, problems=(403, 409), command=True, located=True
)
def create_match() -> Response:
    """Create a match.

    You, bots of the server and the guests of a recorded match take their seats at once. Other players are invited, and
    null seats are open to anyone. With `steps`, the match begins with what somebody tried, as a variation does.
    """
    who = principal()
    body = parse_body(bodies.NewMatch)
    who.require("record" if body["recorded"] else "play")
    charge_size("creations", len(body["steps"]), 200)
    actor = Actor("player", who.account)
    asked = remembered(actor)
    stream = stream_id("match", asked)
    require_players(body["seats"], who.account)
    dice, secret = _choose_dice(body, stream)
    bots, seeds = parts().config.server_key.seal_seeds(stream)
    command = CreateMatch(
        actor=actor,
        at=now_ms(),
        id=asked.id.hex(),
        secret=Secret(secret, seeds),
        ruleset=body["ruleset"],
        ruleset_version=body["ruleset_version"],
        options=body["options"],
        seats=seat_all(body["seats"]),
        recorder=who.account if body["recorded"] else None,
        dice=dice,
        bots=bots,
        rated=body["rated"],
        private=body["private"],
        limits=body["limits"],
        start=body["start"],
        about=body["about"],
        line=_write_line(body),
        server=SERVER,
    )
    if command.line is not None:
        charge("bytes", measure_line(command.line))

    def command_for(_: Match) -> CreateMatch:
        return permit_new(who, command, stream)

    return give_location(parts().matches.execute(stream, command_for, asked, new=True))


def _write_line(body: Fields) -> LineCopied | None:
    """The steps that the match begins with, None without any; the errors of `begin` and `follow`."""
    if not body["steps"]:
        return None
    rules = find_ruleset(body["ruleset"], body["ruleset_version"])
    g.rules = (rules.id, rules.version)
    return LineCopied(write_line(begin(rules, body["options"], len(body["seats"])), body["steps"]), None)


def _choose_dice(body: Fields, stream: str) -> tuple[Dice, bytes | None]:
    key, shared = parts().config.server_key, body["shared_dice"]
    if body["dice"] == "recorded":
        if shared is not None:
            raise WrongValue("dice/shared", "only server dice can be shared by several matches")
        return RecordedDice(), None
    return key.seal(stream) if shared is None else share_dice(key, stream, shared)


def require_players(seats: Sequence[Occupant | WantedBot | None], creator: str) -> None:
    """Raise WrongValue if a seat is for an account that does not exist."""
    for number, who in enumerate(seats, 1):
        if isinstance(who, Account) and who.player != creator:
            try:
                find_player(who.player)
            except NotFound as error:
                raise WrongValue("player/unknown", f"seat {number}: {error}", seat=number) from None


@blueprint.post("/<match>/duplicates/<int:number>")
@charged("creations")
@operation(
    "matches",
    answers.Receipt,
    status=201,
    body=bodies.Duplicate,
    problems=(403, 404, 409),
    command=True,
    located=True,
)
def create_duplicate(match: str, number: int) -> Response:
    """Create another match with the same dice.

    The first match has number 1, and its `shared_dice` says how many matches share the dice. Only its creator can
    create the others, with numbers from 2. Everything but the seats is as in `match`, and seats add no entropy. When
    the last of these matches is over, the secret of the dice is published in all of them, and their verdicts follow.
    """
    who = principal()
    body = parse_body(bodies.Duplicate)
    old = read_own_match(match)
    require_scope(old, who)
    id = duplicate_id(old, number)
    actor = Actor("player", who.account)
    asked = remembered(actor)
    require_players(body["seats"], who.account)

    def command_for(_: Match) -> CreateMatch:
        key = parts().config.server_key
        return permit_new(who, draft_duplicate(old, id, seat_all(body["seats"]), actor, now_ms(), asked, key), id)

    return give_location(parts().matches.execute(id, command_for, asked, new=True))


@blueprint.get("/<match>")
@operation("matches", answers.MatchOut, query=parameters.MatchQuery, problems=(401, 404, 409), open=True, tagged=True)
def get_match(match: str) -> Response:
    """Get a match as it stands now, with what you may do in it.

    `choices` depends on whose token the request has. Without a token it is empty. If different versions of an imported
    match are here, its id alone is refused, with a list of them. A receipt of a move chooses the version that has it.
    """
    parse_query(parameters.MatchQuery)
    state = read_match(match)
    imported = parts().imports.find(state.stream)
    others = list_other_versions(imported) if imported else []
    choices = queries.describe_choices(list_choices_now(state))
    described = queries.describe_match(state, choices, imported, others, confirm_by(state))
    # The answer depends on the version and on who asks. For an import it also depends on streams beside the match's.
    varies = choices or described["imported"]
    tag = f"{state.version}-{sha256(dumps(varies)).hexdigest()[:TAG_DIGITS]}" if varies else str(state.version)
    return confined(personal(tagged(answer(described), tag)), state)


@blueprint.post("/<match>/start")
@operation("matches", answers.Receipt, body=bodies.Nothing, problems=COMMAND_PROBLEMS, command=True)
def start_match(match: str) -> Response:
    """Start a match.

    Its creator, its recorder and an overseer can do this, once all seats are taken. The start does not wait for
    entropy.
    """
    return execute(match, bodies.Nothing, lambda base, _: StartMatch(**base), word="start")


@blueprint.post("/<match>/abort")
@operation("matches", answers.Receipt, body=bodies.Abort, problems=COMMAND_PROBLEMS, command=True)
def abort_match(match: str) -> Response:
    """End a match without an outcome.

    The creator can do this before the start, and at any time in a match of built-in bots alone. During play a player
    can before their own first move, in a rated match until it counts; the recorder and an overseer can at any time.
    Players cannot abort a match of a tournament; they can resign.
    """
    return execute(match, bodies.Abort, lambda base, body: AbortMatch(**base, **body), word="abort")


@blueprint.post("/<match>/rematch")
@charged("creations")
@operation("matches", answers.Receipt, body=bodies.Nothing, problems=(403, 404, 409), command=True, located=True)
def rematch(match: str) -> Response:
    """Ask for the rematch of a match that has ended.

    A match has only one rematch. It has the same players and terms, but everyone moves on by one seat: seat 2 becomes
    seat 1, and seat 1 becomes the last. The first player to ask creates it and is seated; the others are invited. Any
    player who asks after that is seated, too. All get the same match, even if they ask at the same time.
    """
    who = principal()
    # The command id of a rematch derives from the match, not from the key. The key is only validated.
    idempotency_key()
    parse_body(bodies.Nothing)
    old = read_own_match(match)
    require_scope(old, who)
    actor = Actor("player", who.account)
    command = draft_rematch(old, actor, now_ms(), parts().config.server_key)
    id, asked = rematch_id(match)

    def command_for(_: Match) -> CreateMatch:
        return permit_new(who, command, id)

    done = parts().matches.execute(id, command_for, asked, new=True)
    if done.replayed and actor.id != done.state.life.creator:
        done = _sit_down(done, actor, who)
    return give_location(done, 200)


def _sit_down(created: Answer[Match], actor: Actor, who: Principal) -> Answer[Match]:
    """Take the seats that the rematch has for the actor; without such a seat, return the answer of its creation."""
    # Another request created it, so this answer is not a replay.
    done = replace(created, replayed=False)
    for seat in seats_offered(created.state, actor.id):
        asked = remembered(actor, f" seat {seat}")
        base = {"actor": actor, "at": now_ms(), "id": asked.id.hex()}

        def command_for(state: Match, seat: int = seat, base: Fields = base) -> TakeSeat:
            require_no_pause(who, state.life.created.rated)
            return TakeSeat(**base, secret=parts().secret_for(state), seat=seat)

        try:
            done = parts().matches.execute(created.state.stream, command_for, asked)
        except (WrongTime, WrongPerson) as refusal:
            if refusal.code == PAUSED:
                raise
    return done
