"""The one blueprint of all that stands at `/v1/matches`: its name is in the ids of the operations."""

from flask import Blueprint

blueprint = Blueprint("matches", __name__, url_prefix="/v1/matches")
