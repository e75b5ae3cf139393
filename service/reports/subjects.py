"""The subjects of reports, and how a report on each is made."""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from itertools import chain
from typing import Any, NamedTuple

from plyscribe import __version__
from plyscribe.domain.bundle.report import check_match, describe_report
from plyscribe.domain.imported import is_address, split_address
from plyscribe.domain.match import Match
from plyscribe.domain.record import format_record, record_of
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.tournament.state import find_game
from plyscribe.service.access.accounts import Accounts
from plyscribe.service.boards.colours import Theme
from plyscribe.service.language.catalogues import LANGUAGES
from plyscribe.service.matches.pictures import Look, render_beginning_card, render_card, render_film, render_picture
from plyscribe.service.matches.queries import read_pages
from plyscribe.service.matches.story import comment_record
from plyscribe.service.matches.variations import load_variation, reach, weigh_position
from plyscribe.service.ratings.annulments import Change
from plyscribe.service.ratings.model import Rating
from plyscribe.service.ratings.ratings import Ratings
from plyscribe.service.streams.handler import Handler
from plyscribe.service.tournaments.objections import describe_judgement
from plyscribe.service.tournaments.queries import describe_annulment, describe_check, describe_proposal, describe_ruling
from plyscribe.service.tournaments.runner import Tournaments

Json = dict[str, Any]


class Subject(NamedTuple):
    """What a report is on: its kind, a stream, and the numbers and the text that say what of the stream."""

    kind: str
    stream: str
    numbers: tuple[int, ...]
    text: str = ""

    @property
    def name(self) -> str:
        """A name of letters, digits, `-` and `_`, the same exactly for the same subject in the same release."""
        # An address has one `~`, and no id has two dashes in a row.
        stream, release = self.stream.replace("~", "--"), __version__.replace(".", "-").replace("+", "-")
        digest = [sha256(self.text.encode()).hexdigest()] if self.text else []
        return "_".join([self.kind, stream, *map(str, self.numbers), *digest, release])


VERIFICATION = "verification"
PAIRING = "pairing"
ANNULMENT = "annulment"
PREVIEW = "preview"
RECORD = "record"
GAME = "game"
RESULT = "result"
PROPOSAL = "proposal"
JUDGEMENT = "judgement"
PICTURE = "picture"
CARD = "card"
BEGINNING = "beginning"
FILM = "film"
SUGGESTION = "suggestion"

BULKY = (RECORD, PICTURE, CARD, BEGINNING, FILM)
"""Reports that are large, and that those who asked keep."""

THEMES: tuple[Theme, ...] = ("light", "dark")

MOST_SUGGESTED = 5
"""How many moves a suggestion has at most."""


def verification_of(match: str, version: int) -> Subject:
    """The checks of a match up to a version."""
    return Subject(VERIFICATION, match, (version,))


def pairing_of(tournament: str, round: int) -> Subject:
    """A round paired again. What it was paired from does not change any more."""
    return Subject(PAIRING, tournament, (round,))


def annulment_of(match: str, offset: int, limit: int) -> Subject:
    """A page of the ratings that the annulment of a match changed at the time. They must follow from it already."""
    return Subject(ANNULMENT, match, (offset, limit))


def preview_of(match: str, ledger: int, offset: int, limit: int) -> Subject:
    """A page of the ratings that an annulment of the match would change, at a version of the ledger that is folded."""
    return Subject(PREVIEW, match, (ledger, offset, limit))


def record_at(match: str, version: int, language: str | None) -> Subject:
    """The text record of a match at a version, with comments in a language that say what happened; None for none."""
    return Subject(RECORD, match, (version, 0 if language is None else LANGUAGES.index(language) + 1))


def game_of(tournament: str, version: int, place: tuple[int, int, int]) -> Subject:
    """The tables of a tournament at a version, with and without a decided game."""
    return Subject(GAME, tournament, (version, *place))


def result_of(
    tournament: str, version: int, place: tuple[int, int, int], ranks: tuple[int, ...], forfeited: tuple[int, ...]
) -> Subject:
    """The tables of a tournament at a version, as it is and with another result of a game."""
    return Subject(RESULT, tournament, (version, *place, len(ranks), *ranks, *forfeited))


def proposal_of(tournament: str, version: int) -> Subject:
    """How the next round of a tournament would be paired at a version."""
    return Subject(PROPOSAL, tournament, (version,))


def judgement_of(tournament: str, version: int, pairing: str) -> Subject:
    """What speaks against a pairing of the next round, given as JSON: its boards and its byes."""
    return Subject(JUDGEMENT, tournament, (version,), pairing)


def picture_at(match: str, version: int, ply: int, look: Look) -> Subject:
    """The PNG of a position, at a version of the match that has it."""
    return Subject(PICTURE, match, (version, ply, *_number(look)))


def card_at(match: str, version: int, ply: int) -> Subject:
    """The card of a position, at a version of the match that has it."""
    return Subject(CARD, match, (version, ply))


def beginning_of(ruleset: str, version: int) -> Subject:
    """The card of a game's starting position."""
    return Subject(BEGINNING, ruleset, (version,))


def film_of(match: str, version: int, look: Look) -> Subject:
    """The GIF of a match up to a version."""
    return Subject(FILM, match, (version, *_number(look)))


def _number(look: Look) -> tuple[int, int]:
    return THEMES.index(look.theme), look.seat or 0


def suggestion_for(ruleset: str, variation: str, playouts: int, match_version: int) -> Subject:
    """The best moves in a position, which is given as `dump_variation` writes it.

    If it begins in a match, the match stood there at `match_version`: a recorder may correct what led to it.
    """
    return Subject(SUGGESTION, ruleset, (playouts, match_version), variation)


class Maker:
    """Makes reports from the store."""

    def __init__(self, matches: Handler[Match], accounts: Accounts, tournaments: Tournaments, ratings: Ratings) -> None:
        self._matches = matches
        self._accounts = accounts
        self._tournaments = tournaments
        self._ratings = ratings
        self._make: Mapping[str, Callable[..., Json]] = {
            VERIFICATION: self._verify,
            PAIRING: self._pair_again,
            ANNULMENT: self._report_annulment,
            PREVIEW: self._preview_annulment,
            RECORD: self._write_record,
            GAME: self._annul_game,
            RESULT: self._preview_result,
            PROPOSAL: self._propose_round,
            JUDGEMENT: self._judge_round,
            PICTURE: self._draw_picture,
            CARD: self._draw_card,
            BEGINNING: self._draw_beginning,
            FILM: self._draw_film,
            SUGGESTION: self._suggest,
        }

    def make(self, subject: Subject) -> Json:
        """The report, JSON-ready. Raises the errors of the store and of damaged streams."""
        text = [subject.text] if subject.text else []
        return self._make[subject.kind](subject.stream, *subject.numbers, *text)

    def _verify(self, match: str, version: int) -> Json:
        id, _ = split_address(match)
        report = check_match(id, list(chain.from_iterable(read_pages(self._matches, match, 0, version))))
        return describe_report(report._replace(match=match))

    def _pair_again(self, tournament: str, round: int) -> Json:
        return describe_check(tournament, round, self._tournaments.check_round(tournament, round))

    def _report_annulment(self, match: str, offset: int, limit: int) -> Json:
        changes = self._ratings.report(self._find_ruleset(match), match)
        return _describe_changes(changes, offset, limit)

    def _preview_annulment(self, match: str, ledger: int, offset: int, limit: int) -> Json:
        changes = self._ratings.preview(self._find_ruleset(match), match, ledger)
        return _describe_changes(changes, offset, limit)

    def _find_ruleset(self, match: str) -> str:
        return self._matches.read(match).life.created.ruleset

    def _write_record(self, match: str, version: int, language: int) -> Json:
        state = self._matches.read(match, version)
        # The accounts of an imported match belong to another server, even if an id of ours is the same.
        ours = () if is_address(match) else state.life.players
        names = {player: self._accounts.name_of(player) for player in ours}
        entries = chain.from_iterable(read_pages(self._matches, match, 0, version))
        record = record_of(state, entries, names)
        if language:
            record = comment_record(record, LANGUAGES[language - 1])
        return {"version": state.version, "text": format_record(record)}

    def _annul_game(self, tournament: str, version: int, round: int, board: int, number: int) -> Json:
        state = self._tournaments.handler.read(tournament, version)
        game = find_game(state, (round, board, number))
        assert game is not None  # whoever asks has looked
        return describe_annulment(state, game, self._tournaments, self._accounts)

    def _preview_result(
        self, tournament: str, version: int, round: int, board: int, number: int, seats: int, *numbers: int
    ) -> Json:
        state = self._tournaments.handler.read(tournament, version)
        game = find_game(state, (round, board, number))
        assert game is not None  # whoever asks has looked
        changed = game._replace(ranks=numbers[:seats], forfeited=numbers[seats:], annulled=None)
        return describe_ruling(state, changed, self._accounts)

    def _propose_round(self, tournament: str, version: int) -> Json:
        return describe_proposal(self._tournaments.handler.read(tournament, version))

    def _judge_round(self, tournament: str, version: int, pairing: str) -> Json:
        boards, byes = json.loads(pairing)
        return describe_judgement(self._tournaments.handler.read(tournament, version), boards, byes)

    def _suggest(self, _: str, playouts: int, match_version: int, variation: str) -> Json:
        reached = reach(*load_variation(variation), lambda match: self._matches.read(match, match_version))
        return weigh_position(reached, playouts, variation, MOST_SUGGESTED)

    def _draw_picture(self, match: str, version: int, ply: int, theme: int, seat: int) -> Json:
        return _pack(render_picture(self._matches.read(match, version), ply, Look(THEMES[theme], seat or None)))

    def _draw_card(self, match: str, version: int, ply: int) -> Json:
        return _pack(render_card(self._matches.read(match, version), ply))

    def _draw_beginning(self, ruleset: str, version: int) -> Json:
        return _pack(render_beginning_card(find_ruleset(ruleset, version)))

    def _draw_film(self, match: str, version: int, theme: int, seat: int) -> Json:
        return _pack(render_film(self._matches.read(match, version), Look(THEMES[theme], seat or None)))


def _pack(picture: bytes) -> Json:
    return {"base64": b64encode(picture).decode()}


def _describe_changes(changes: Any, offset: int, limit: int) -> Json:
    """A page of changes without names, which players may change."""
    page: list[Change] = changes[offset : offset + limit]
    return {
        "total": len(changes),
        "changes": [
            {
                "player": change.player,
                "before": describe_rating(change.before) if change.before else None,
                "after": describe_rating(change.after) if change.after else None,
            }
            for change in page
        ],
    }


def describe_rating(rating: Rating) -> Json:
    """A rating for JSON, in millionths."""
    return {"rating_micro": rating.mu, "uncertainty_micro": rating.sigma, "ordinal_micro": rating.ordinal}
