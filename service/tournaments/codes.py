"""Codes that stand for a place in a tournament instead of an account: at a table, and at the entry.

A code of a table lets whoever holds it record the matches of one board, or of one seat there. A code of the entry lets
an account enter a tournament that is not open, and read a private one. No code is stored. It says what it is for and
when it expires, and is signed with a key derived from the server key or an older one. It also counts how often codes
like it were revoked, so that revoking makes it void.
"""

import hmac
import re
from base64 import urlsafe_b64encode
from typing import NamedTuple

from plyscribe.domain.at_table import TablePlace
from plyscribe.domain.errors import Unknown, WrongTime
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.access.accounts import Principal, TableSeat
from plyscribe.service.clock import now_ms
from plyscribe.service.config import ServerKey
from plyscribe.service.errors import Unauthenticated
from plyscribe.service.streams.handler import Handler

TABLE = "table"
"""The only scope of whoever holds the code of a table."""

TABLE_CODE = re.compile(
    r"plyt_([a-z2-7]{26})_([0-9]{1,7})-([0-9]{1,4})-([0-9])-([0-9]{1,6})-([0-9]{1,6})-([0-9]{1,11})_([A-Za-z0-9_-]{24})"
)
ENTRY_CODE = re.compile(r"plye_([a-z2-7]{26})_([0-9]{1,6})-([0-9]{1,11})_([A-Za-z0-9_-]{24})")
SIGNATURE_BYTES = 18
HOUR_S = 3600


class TableCode(NamedTuple):
    """What the code of a table says: its place, how often earlier codes were voided, and its expiry (UTC seconds)."""

    tournament: str
    place: TablePlace
    pairing: int
    revoked: int
    expires_s: int


class TableCodes:
    """Issues and reads the codes of tables; safe to share between threads."""

    def __init__(self, key: ServerKey, tournaments: Handler[Tournament]) -> None:
        self._key = key
        self._tournaments = tournaments

    def issue(self, state: Tournament, place: TablePlace, expires_s: int) -> str:
        """The code of a place in a round of the tournament; WrongTime if that is not being played."""
        if state.status != "playing" or place.round not in [each.number for each in state.open_rounds]:
            raise WrongTime("tournament/round", "codes are for the tables of the round that is being played")
        boards = state.rounds[place.round - 1].boards
        if not 1 <= place.board <= len(boards) or not 0 <= place.seat <= len(boards[place.board - 1]):
            raise Unknown(
                "tournament/no-game", f"round {place.round} has no board {place.board} with seat {place.seat}"
            )
        code = TableCode(
            state.stream, place, _count_pairings(state, place.round), _count_revoked(state, place), expires_s
        )
        return f"plyt_{_format(code)}_{_sign(self._key, _format(code))}"

    def authenticate(self, text: str) -> Principal:
        """Whoever holds this code; Unauthenticated, with the reason, if it is not or no longer valid."""
        code = self.read(text)
        if code is None:
            raise Unauthenticated("this code is not one of ours: scan it again", "table/unknown")
        if now_ms() >= code.expires_s * 1000:
            raise Unauthenticated("this code has expired: ask an arbiter for a new one", "table/expired")
        state = self._tournaments.read(code.tournament)
        if (code.pairing, code.revoked) != (
            _count_pairings(state, code.place.round),
            _count_revoked(state, code.place),
        ):
            raise Unauthenticated("this code was revoked: ask an arbiter for a new one", "table/revoked")
        account = "-".join((code.tournament, *map(str, code.place)))
        return Principal(account, (TABLE,), table=TableSeat(code.tournament, code.place))

    def read(self, text: str) -> TableCode | None:
        """What the code says, valid or not; None if it is not one of ours."""
        parsed = TABLE_CODE.fullmatch(text)
        if parsed is None:
            return None
        stream, *numbers = parsed.groups()[:7]
        round, board, seat, pairing, revoked, expires_s = map(int, numbers)
        code = TableCode(f"tournament-{stream}", TablePlace(round, board, seat), pairing, revoked, expires_s)
        signed = any(hmac.compare_digest(_sign(each, _format(code)), parsed[8]) for each in self._key.ring)
        return code if signed else None


def _count_pairings(state: Tournament, number: int) -> int:
    """How often the round had been taken back when it was paired; -1 if it is not paired now."""
    if not 1 <= number <= len(state.rounds):
        return -1
    return sum(each.number == number for each in state.taken_back)


def _count_revoked(state: Tournament, place: TablePlace) -> int:
    return state.codes_revoked.get((place.round, place.board), 0) + state.codes_revoked.get(None, 0)


def issue_entry_code(key: ServerKey, state: Tournament, expires_s: int) -> str:
    """The code of an entry link of the tournament; WrongTime if it takes no more entrants."""
    if not state.takes_entrants:
        raise WrongTime("tournament/status", f"the tournament is {state.status}", tournament_status=state.status)
    text = f"{state.stream.removeprefix('tournament-')}_{state.entry_links_revoked}-{expires_s}"
    return f"plye_{text}_{_sign(key, text)}"


def is_entry_code(key: ServerKey, state: Tournament, text: str | None) -> bool:
    """Whether the text is the code of an entry link of this tournament; Unknown if the link is no longer valid."""
    parsed = ENTRY_CODE.fullmatch(text or "")
    if parsed is None or f"tournament-{parsed[1]}" != state.stream:
        return False
    signed = f"{parsed[1]}_{parsed[2]}-{parsed[3]}"
    if not any(hmac.compare_digest(_sign(each, signed), parsed[4]) for each in key.ring):
        return False
    if now_ms() >= int(parsed[3]) * 1000 or int(parsed[2]) != state.entry_links_revoked:
        raise Unknown("entrant/link-over", "the entry link is no longer valid: ask the organiser for a new one")
    return True


def _format(code: TableCode) -> str:
    numbers = (*code.place, code.pairing, code.revoked, code.expires_s)
    return f"{code.tournament.removeprefix('tournament-')}_{'-'.join(map(str, numbers))}"


def _sign(key: ServerKey, text: str) -> str:
    return urlsafe_b64encode(hmac.digest(key.table_key, text.encode(), "sha256")[:SIGNATURE_BYTES]).decode()
