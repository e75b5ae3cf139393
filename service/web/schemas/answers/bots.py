"""Answers about the server's bots."""

from marshmallow import Schema, fields


class BotOut(Schema):
    """A bot of the server."""

    bot = fields.String(required=True, metadata={"description": "The name of the bot."})
    version = fields.Integer(
        required=True, metadata={"description": "The version that new matches get. Matches keep the one they have."}
    )
    playouts = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The playouts for each decision by default. Null if the bot makes none."},
    )
    most_playouts = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The most playouts for each decision. The server may allow an account fewer."},
    )


class MeasuredGames(Schema):
    """Games of a level against the level below it, with two seats and the usual options."""

    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    won = fields.Integer(required=True)
    level = fields.Integer(required=True, metadata={"description": "Games that ended level."})
    lost = fields.Integer(required=True)


class BotLevel(Schema):
    """A bot with its playouts, by the plain name of how strong it is."""

    level = fields.String(required=True, metadata={"description": "The name of the level.", "example": "club"})
    bot = fields.String(required=True, metadata={"description": "The name of the bot."})
    playouts = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Its playouts for each decision; null if it has none."}
    )
    measured = fields.List(
        fields.Nested(MeasuredGames),
        required=True,
        metadata={"description": "How the level did against the one below it, in the rulesets where it was measured."},
    )


class BotList(Schema):
    """The server's bots, and the levels that they play at, the weakest first."""

    bots = fields.List(fields.Nested(BotOut), required=True)
    levels = fields.List(fields.Nested(BotLevel), required=True)
