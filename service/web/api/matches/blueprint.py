"""The blueprint of all views under `/v1/matches`. Its name is part of their operation ids."""

from flask import Blueprint

blueprint = Blueprint("matches", __name__, url_prefix="/v1/matches")
