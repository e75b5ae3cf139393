"""Gives the names of accounts to accounts that were opened before names had streams, or that were imported."""

from collections.abc import Mapping
from typing import Any

from plyscribe.domain.claims import AssignName, Name, is_older
from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.player import Player
from plyscribe.service.access.accounts import streams_of_name
from plyscribe.service.access.lookalikes import number_table
from plyscribe.service.database.engine import Database
from plyscribe.service.database.table_sets import Enter, Tables, declare_nothing, enter_nothing
from plyscribe.service.lists.projections import build_rows
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import job_command

_ACTOR = Actor("system", "names")


class NameKeeper:
    """Follows all accounts, so that no new account gets the name of an old one.

    Of old accounts with the same name, or with names that look alike, the oldest one has it; all of them stay as they
    are. A new account has claimed its name already, so there is nothing to do for it. There are no tables: only whether
    all accounts have been seen is noted.
    """

    name = "names"
    kinds = ("player",)

    def __init__(self, database: Database, players: Handler[Player], names: Handler[Name]) -> None:
        # With a newer table of lookalikes, all names are entered again.
        self.table: Tables[Any] = Tables(database, self.name, declare_nothing(number_table()))
        self._players = players
        self._names = names

    def collect(self, streams: Mapping[str, int | None]) -> Enter:
        """See Projection.collect."""
        build_rows(streams, self._players.read_since, self._assign)
        return enter_nothing

    def _assign(self, player: Player) -> None:
        if player.version == 0:
            return
        for stream in streams_of_name(player.name):
            self._assign_stream(stream, player)

    def _assign_stream(self, stream: str, player: Player) -> None:
        asked = job_command("name", stream, player.stream)
        command = AssignName(
            actor=_ACTOR, at=player.registered_at, id=asked.id.hex(), player=player.stream, since=player.registered_at
        )
        known = self._names.read(stream)
        if known.version and not is_older(command, known):
            return
        try:
            self._names.execute(stream, lambda _: command, asked)
        except WrongTime:
            # An older account was given the name meanwhile.
            return
