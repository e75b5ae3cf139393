"""Answers about variations: positions that are tried without a match."""

from marshmallow import Schema, fields

from plyscribe.service.web.schemas.answers.matches import StepStory, StoryOut, Touched, Turn


class VariationOut(Schema):
    """The position after the tried steps."""

    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    ruleset_version = fields.Integer(required=True)
    ply = fields.Integer(required=True, metadata={"description": "The number of moves made before this position."})
    turn = fields.Nested(Turn, required=True)
    view = fields.Dict(required=True, metadata={"description": "The state of the game, in the ruleset's own form."})
    step = fields.Nested(
        StepStory,
        required=True,
        allow_none=True,
        metadata={"description": "The last of the tried steps, and what it did; null without steps."},
    )
    story = fields.List(
        fields.Nested(StepStory), metadata={"description": "Only with `story`: all of the tried steps, in order."}
    )
    picture = fields.String(metadata={"description": "Only with `picture`: the position as an SVG document."})
    touched = fields.Nested(Touched, metadata={"description": "Only with `touches`: what they lead to."})


class SuggestedMove(StoryOut):
    """A move that the search tried, and what it would do."""

    move = fields.String(required=True, metadata={"description": "Its notation."})
    share_micro = fields.Integer(
        required=True,
        metadata={"description": "The part of the playouts that tried it, in millionths; the best move has the most."},
    )
    gain_micro = fields.Integer(
        required=True,
        metadata={
            "description": "How much better off the seat would be than now, in millionths: from -1,000,000 (lost) to "
            "1,000,000 (won)."
        },
    )


class Suggestion(Schema):
    """What a bot would play, the best move first."""

    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    ruleset_version = fields.Integer(required=True)
    seat = fields.Integer(required=True, metadata={"description": "The seat on turn, for which the moves are."})
    bot = fields.String(required=True, metadata={"description": "The bot that searched."})
    playouts = fields.Integer(required=True)
    moves = fields.List(fields.Nested(SuggestedMove), required=True)
