"""What answers about accounts hold."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.player import KINDS
from plyscribe.service.web.schemas.answers.lists import ListPage


class PlayerOut(Schema):
    """An account."""

    player = fields.String(required=True)
    name = fields.String(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    registered_at = fields.Integer(required=True)


class Me(PlayerOut):
    """The account that the token stands for."""

    scopes = fields.List(fields.String(), required=True)


class NewPlayerOut(Me):
    """The new account and its token, which is shown this once."""

    token = fields.String(required=True)


class PlayerPage(ListPage):
    """Players by name."""

    players = fields.List(fields.Nested(PlayerOut), required=True)
