"""Answers of the explorer."""

from marshmallow import Schema, fields

from plyscribe.service.web.schemas.answers.lists import ListPage
from plyscribe.service.web.schemas.answers.matches import SeatRow, Turn
from plyscribe.service.web.schemas.field_types import time_field


class EndedMatch(Schema):
    """A match that has ended."""

    match = fields.String(
        required=True, metadata={"description": "The match's id; of an imported match, the address of its import."}
    )
    ended_at = time_field("When it ended", required=True, allow_none=True)
    seats = fields.List(fields.Nested(SeatRow), required=True)
    reason = fields.String(required=True, allow_none=True, metadata={"description": "Why it ended."})
    ranks = fields.List(
        fields.Integer(),
        required=True,
        allow_none=True,
        metadata={"description": "The rank of each seat, 1 for the best; tied seats share a rank."},
    )


class Passage(EndedMatch):
    """A match that came through the position."""

    ply = fields.Integer(required=True, metadata={"description": "The ply at which it had the position."})
    move = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "What it played here, as the asked position lies; null if that is not legal in it."},
    )
    rating = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "The mean rating of its players before the match; null if it was not rated."},
    )


class PlayedMove(Schema):
    """A move, and the matches that played it here."""

    move = fields.String(required=True, metadata={"description": "The notation of the move, as the position lies."})
    matches = fields.Integer(required=True, metadata={"description": "How many matches played it."})
    won = fields.List(
        fields.Integer(), required=True, metadata={"description": "How many of them each seat won, seat 1 first."}
    )
    drawn = fields.Integer(required=True, metadata={"description": "In how many all seats shared the first place."})
    rating = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "The mean rating of the players in the latest of these matches; null without any."},
    )


class ExploredPosition(Schema):
    """What was played in a position."""

    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    version = fields.Integer(required=True, metadata={"description": "The version of the ruleset."})
    position = fields.String(
        required=True,
        metadata={"description": "The key of the position. Positions that mirror each other have the same."},
    )
    ply = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Moves made before it; null if its key was given."}
    )
    turn = fields.Nested(
        Turn, required=True, allow_none=True, metadata={"description": "Who is to act; null if its key was given."}
    )
    opening = fields.Integer(
        required=True, metadata={"description": "So many moves of each match are counted; later ones can be searched."}
    )
    matches = fields.Integer(
        required=True, metadata={"description": "How many matches played on here, once for each of their moves here."}
    )
    looked_at = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "Null if all matches are counted. With a range of ratings only the latest ones through "
            "the position are looked at: so many."
        },
    )
    moves = fields.List(
        fields.Nested(PlayedMove), required=True, metadata={"description": "The moves, the most frequent first."}
    )
    more = fields.Integer(required=True, metadata={"description": "How many other moves were played."})
    latest = fields.List(
        fields.Nested(Passage), required=True, metadata={"description": "The matches that ended last, newest first."}
    )
    lag_ms = fields.Integer(
        required=True, metadata={"description": "Everything stored longer ago than this is counted."}
    )
    complete = fields.Boolean(
        required=True, metadata={"description": "False while the server counts the matches of an existing store."}
    )


class FoundMatch(EndedMatch):
    """A match with steps that pass the query."""

    plies = fields.List(
        fields.Integer(),
        required=True,
        metadata={"description": "The plies of the first of these steps: the number of moves up to and including it."},
    )
    steps = fields.Integer(required=True, metadata={"description": "How many steps pass."})


class FoundSteps(ListPage):
    """A page of matches with steps that pass a query, those that ended last first."""

    matches = fields.List(fields.Nested(FoundMatch), required=True)
    looked_at = fields.Integer(
        required=True,
        metadata={"description": "How many matches this request looked at. It stops early after very many steps."},
    )
