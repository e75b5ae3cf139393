"""A typed client of the HTTP API for bots, scripts and tests; it needs httpx and wsproto alone.

Every command carries an idempotency key. If the network or a restart swallows a command, the client sends it again
until its deadline, and the command counts once.
"""

from plyscribe.service.client.answers import Event, Import, InboxEntry, Json, Match, RatingsRow, Seat
from plyscribe.service.client.client import Client
from plyscribe.service.client.connection import Problem

__all__ = ["Client", "Event", "Import", "InboxEntry", "Json", "Match", "Problem", "RatingsRow", "Seat"]
