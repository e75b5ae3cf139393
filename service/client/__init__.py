"""A small typed client of the HTTP API, for bots, scripts and tests.

Every command carries an idempotency key, so what the network or a restart swallowed is sent again until the deadline
and counts once.
"""

from plyscribe.service.client.answers import Event, Import, InboxEntry, Json, Match, Standing
from plyscribe.service.client.client import Client
from plyscribe.service.client.connection import Problem

__all__ = ["Client", "Event", "Import", "InboxEntry", "Json", "Match", "Problem", "Standing"]
