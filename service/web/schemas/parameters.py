"""The shapes of all queries."""

from typing import Any

from marshmallow import EXCLUDE, fields, validate

from plyscribe.domain.chain import MAX_INTEGER
from plyscribe.domain.decide.play import MAX_MOVE_LENGTH
from plyscribe.domain.match import STATUSES
from plyscribe.domain.names import MAX_NAME_LENGTH
from plyscribe.domain.player import KINDS
from plyscribe.domain.tournament.state import STATUSES as TOURNAMENT_STATUSES
from plyscribe.domain.tournament.terms import MAX_ENTRANTS
from plyscribe.service.language.catalogues import LANGUAGES
from plyscribe.service.lists.bulk import FORMS
from plyscribe.service.lists.matches import MAX_WORDS, ORDERS, RESULTS, SORTS
from plyscribe.service.lists.tournament_people import PARTS
from plyscribe.service.matches.touching import MAX_TOUCHES
from plyscribe.service.web.schemas.field_types import (
    MAX_SEATS,
    QueryBoolean,
    QueryInteger,
    QueryNumbers,
    QueryTime,
    QueryWords,
    Strict,
    invitation_field,
    receipt_field,
    touch_field,
)

MAX_PAGE = 1000
MAX_WAIT_S = 30
MAX_ROWS = 200
MAX_TOLD = 200
"""Positions of a page of effects."""

MAX_OPTIONS = 1000
"""Characters of options in a query."""

MAX_RATING = 1000

MAX_LINE = 6000
"""Characters of the steps to a position."""

MAX_EXPORTED = 10_000
"""Matches of one export."""

MAX_SEARCHED = 100
"""Characters of a text whose words are searched for."""


def _after(description: str) -> fields.Integer:
    metadata = {"description": description}
    return QueryInteger(load_default=0, validate=validate.Range(0, MAX_INTEGER), metadata=metadata)


def _offset() -> fields.Integer:
    metadata = {"description": "How many to skip. `next` has it for the next page."}
    return QueryInteger(load_default=0, validate=validate.Range(0, 10_000_000), metadata=metadata)


def _limit() -> fields.Integer:
    metadata = {"description": "The most that a page may have."}
    return QueryInteger(load_default=200, validate=validate.Range(1, MAX_PAGE), metadata=metadata)


def _wait() -> fields.Integer:
    description = "If the page would be empty: how many seconds the server may wait for something to put on it."
    return QueryInteger(load_default=0, validate=validate.Range(0, MAX_WAIT_S), metadata={"description": description})


def _language() -> fields.String:
    metadata = {"description": "The language of the sentences. By default `Accept-Language` chooses it."}
    return fields.String(load_default=None, validate=validate.OneOf(LANGUAGES), metadata=metadata)


def _include(description: str) -> fields.String:
    metadata = {"description": description}
    return fields.String(load_default=None, validate=validate.OneOf(["effects"]), metadata=metadata)


def _ply(description: str, **kwargs: Any) -> fields.Integer:
    return QueryInteger(validate=validate.Range(0, MAX_INTEGER), metadata={"description": description}, **kwargs)


def _number(description: str, **kwargs: Any) -> fields.Integer:
    """A number that counts from 1."""
    return QueryInteger(validate=validate.Range(1, MAX_INTEGER), metadata={"description": description}, **kwargs)


def _ruleset() -> fields.String:
    metadata = {"description": "The ruleset's id."}
    return fields.String(load_default=None, validate=validate.Regexp(r"[a-z0-9_-]{1,32}\Z"), metadata=metadata)


def _account(description: str) -> fields.String:
    return fields.String(
        load_default=None,
        validate=validate.Regexp(r"(me|player-[a-z2-7]{26})\Z"),
        metadata={"description": f"{description} `me` is your own account."},
    )


def _words(description: str) -> fields.String:
    more = (
        f"All words must occur, {MAX_WORDS} at most. Case does not matter, and the last may be the beginning of a word."
    )
    return fields.String(
        load_default="",
        validate=validate.Length(1, MAX_SEARCHED),
        metadata={"description": f"{description} {more}"},
    )


class MatchQuery(Strict):
    """What opens a private match to a request whose token does not, and which version is meant of an imported one."""

    invitation = invitation_field()
    receipt = receipt_field()


class CompositionQuery(MatchQuery):
    """How the moves start."""

    prefix = fields.String(
        load_default="",
        validate=validate.Length(max=MAX_MOVE_LENGTH),
        metadata={"description": "Only moves whose notation starts with this text."},
    )


class TouchedQuery(MatchQuery):
    """What was touched on the board."""

    touch = fields.List(
        touch_field(),
        load_default=(),
        validate=validate.Length(max=MAX_TOUCHES),
        metadata={
            "description": "What was touched so far, in order: the `data-touch` of parts of the board's picture.",
            "example": ["d4", "c3"],
        },
    )
    seat = _number("The seat that looks at the picture; by default seat 1.", load_default=None)


class LegalMovesQuery(CompositionQuery):
    """Which legal moves."""

    offset = _offset()
    limit = _limit()


class EventsQuery(MatchQuery):
    """Which events."""

    after = _after("Only events with a higher version.")
    limit = _limit()
    wait = _wait()
    include = _include("Only of live streams: `effects` adds what the step of each event did.")
    language = _language()


class EffectsQuery(MatchQuery):
    """Which steps, and in which language."""

    first = _ply("Only steps that led to this position or a later one.", data_key="from", load_default=0)
    last = _ply("Only steps that led to this position or an earlier one.", data_key="to", load_default=None)
    limit = QueryInteger(
        load_default=MAX_TOLD,
        validate=validate.Range(1, MAX_TOLD),
        metadata={"description": "The most positions of a page."},
    )
    language = _language()


class RecordQuery(MatchQuery):
    """What the record has besides the moves."""

    comments = fields.String(
        load_default=None,
        validate=validate.OneOf(["effects"]),
        metadata={"description": "`effects` adds a comment to each step that says what it did."},
    )
    language = _language()


class TournamentEventsQuery(Strict):
    """Which events of a tournament."""

    after = _after("Only events with a higher version.")
    limit = _limit()
    wait = _wait()


class InboxQuery(Strict):
    """Which entries of the inbox."""

    after = _after("Only entries with a higher id.")
    limit = _limit()
    wait = _wait()


class AnnulmentQuery(MatchQuery):
    """Which changes of ratings."""

    preview = QueryBoolean(
        load_default=False,
        metadata={"description": "List what an annulment would change. Only for those who can annul the match."},
    )
    offset = _offset()
    limit = _limit()


class HistoryQuery(Strict):
    """Which matches of a player's history."""

    after = _after("Only matches with a higher `version`.")
    limit = _limit()


class PositionQuery(MatchQuery):
    """Which version of the match."""

    version = _number("The version of the match. By default the newest one.", load_default=None)
    include = _include("`effects` adds the steps that led to the position, and what they did.")
    language = _language()


class PictureQuery(MatchQuery):
    """Which version of the match, and how its picture looks."""

    version = _number("The version of the match. By default the newest one.", load_default=None)
    theme = fields.String(
        load_default="light",
        validate=validate.OneOf(["light", "dark"]),
        metadata={"description": "The colours."},
    )
    seat = QueryInteger(
        load_default=None,
        validate=validate.Range(1, MAX_SEATS),
        metadata={"description": "The seat at the bottom. By default seat 1."},
    )


class EmbeddingQuery(Strict):
    """What oEmbed asks for. Consumers may send parameters of their own."""

    class Meta:
        """Marshmallow's settings."""

        unknown = EXCLUDE

    url = fields.String(required=True, metadata={"description": "The address of a page of this server."})
    maxwidth = _number("The greatest width in pixels.", load_default=None)
    maxheight = _number("The greatest height in pixels.", load_default=None)
    format = fields.String(load_default="json", metadata={"description": "There is `json` alone."})


class CountedMatchesQuery(Strict):
    """Which matches the explorer looks at."""

    version = _number("The version of the ruleset. By default the newest one.", load_default=None)
    seats = QueryInteger(
        load_default=None,
        validate=validate.Range(1, MAX_SEATS),
        metadata={"description": "Only matches with so many seats; `moves` begin with so many, too."},
    )
    options = fields.String(
        load_default=None,
        validate=validate.Length(1, MAX_OPTIONS),
        metadata={
            "description": "Only matches with these options: `default`, the name of a preset, or a JSON object; "
            "`moves` begin with them, too.",
            "example": "default",
        },
    )
    since = fields.String(
        load_default=None,
        validate=validate.Regexp(r"[0-9]{4}-(0[1-9]|1[0-2])\Z"),
        metadata={"description": "Only matches that ended in this month or later, in UTC.", "example": "2026-01"},
    )


class ExplorerQuery(CountedMatchesQuery, MatchQuery):
    """Which position, and which matches count. Without a position, a match and moves it is the start."""

    position = fields.String(
        load_default=None,
        validate=validate.Regexp(r"[a-z2-7]{24}\Z"),
        metadata={"description": "The key of the position, as an answer has it."},
    )
    match = fields.String(
        load_default=None,
        validate=validate.Length(1, 100),
        metadata={"description": "A match that has the position, at `ply`."},
    )
    moves = fields.String(
        load_default=None,
        validate=validate.Length(max=MAX_LINE),
        metadata={
            "description": "The steps to the position, with semicolons: moves, rolls such as `[6,2]`, and `[leave 2]` "
            "if seat 2 leaves. They begin at the start, or in `match` at `ply`.",
            "example": "d4;c3",
        },
    )
    ply = _ply("The number of moves made in the match before the position.", load_default=0)
    min_rating = QueryInteger(
        load_default=None,
        validate=validate.Range(0, MAX_RATING),
        metadata={"description": "Only matches whose players' mean rating before the match was this or more."},
    )
    max_rating = QueryInteger(
        load_default=None,
        validate=validate.Range(0, MAX_RATING),
        metadata={"description": "Only matches whose players' mean rating before the match was this or less."},
    )
    limit = QueryInteger(
        load_default=30,
        validate=validate.Range(1, MAX_ROWS),
        metadata={"description": "The most moves that are listed."},
    )
    latest = QueryInteger(
        load_default=10,
        validate=validate.Range(0, 50),
        metadata={"description": "The most matches that are listed."},
    )


class PageQuery(Strict):
    """Which page of a list."""

    limit = QueryInteger(
        load_default=50,
        validate=validate.Range(1, MAX_ROWS),
        metadata={"description": "The most that a page may have."},
    )
    cursor = fields.String(
        load_default=None,
        validate=validate.Length(min=1),
        metadata={"description": "Where the page starts. `next` has it for the next page."},
    )


class MatchesQuery(PageQuery):
    """Which matches. They must meet all conditions."""

    player = _account("Only matches that this account plays, is invited to, created or records.")
    opponent = _account("Only matches in which `player` and this account both have a seat.")
    result = fields.String(
        load_default=None,
        validate=validate.OneOf(RESULTS),
        metadata={
            "description": "Only matches that ended like this for `player`. A player who shares the first place has "
            "won, unless all share it: then all have drawn."
        },
    )
    ruleset = _ruleset()
    status = QueryWords(
        STATUSES,
        load_default=(),
        metadata={"description": "One or more statuses, separated by commas.", "example": "open,playing"},
    )
    since = QueryTime("Only matches created at this time or later", load_default=0)
    until = QueryTime("Only matches created before this time", load_default=None)
    tournament = fields.String(
        load_default=None,
        validate=validate.Regexp(r"tournament-[a-z2-7]{26}\Z"),
        metadata={"description": "The tournament's id."},
    )
    waiting = fields.String(
        load_default=None,
        validate=validate.OneOf(["me"]),
        metadata={"description": "Only matches that wait for your account, for example to move or to take a seat."},
    )
    rated = QueryBoolean(load_default=None, metadata={"description": "Only rated matches, or only unrated ones."})
    imported = QueryBoolean(
        load_default=None, metadata={"description": "Only imported matches, or only those of this server."}
    )
    q = _words("Words of the names of players: of accounts and of guests.")
    place = _words("Words of the note `place` in `about`.")
    about = _words("Words of any notes in `about`.")
    reason = fields.String(
        load_default=None,
        validate=validate.Regexp(r"[a-z][a-z0-9_-]{0,31}\Z"),
        metadata={"description": "Only matches whose outcome has this `reason`.", "example": "withdrawal"},
    )
    min_plies = QueryInteger(
        load_default=0,
        validate=validate.Range(0, MAX_INTEGER),
        metadata={"description": "Only matches with at least so many moves."},
    )
    max_plies = QueryInteger(
        load_default=None,
        validate=validate.Range(0, MAX_INTEGER),
        metadata={"description": "Only matches with at most so many moves."},
    )
    sort = fields.String(
        load_default="created",
        validate=validate.OneOf(SORTS),
        metadata={
            "description": "By the time when they were created (or imported), the time when they ended, or the number "
            "of moves. By the last two, only matches with an outcome are listed."
        },
    )
    order = fields.String(
        load_default="desc",
        validate=validate.OneOf(ORDERS),
        metadata={"description": "`desc`: newest or longest first; `asc`: oldest or shortest first."},
    )


class MatchStreamQuery(Strict):
    """Which matches to follow. They must meet all conditions."""

    player = _account("Only matches that this account plays, is invited to, created or records.")
    opponent = _account("Only matches in which `player` and this account both have a seat.")
    ruleset = _ruleset()
    tournament = fields.String(
        load_default=None,
        validate=validate.Regexp(r"tournament-[a-z2-7]{26}\Z"),
        metadata={"description": "The tournament's id."},
    )
    rated = QueryBoolean(load_default=None, metadata={"description": "Only rated matches, or only unrated ones."})
    q = _words("Words of the names of players: of accounts and of guests.")
    place = _words("Words of the note `place` in `about`.")
    about = _words("Words of any notes in `about`.")
    after = QueryInteger(
        load_default=None,
        validate=validate.Range(0, MAX_INTEGER),
        metadata={"description": "Only changes with a higher `id`. By default those from now on."},
    )


class TournamentStreamQuery(Strict):
    """From where on to follow a tournament."""

    after = QueryInteger(
        load_default=None,
        validate=validate.Range(0, MAX_INTEGER),
        metadata={"description": "Only changes with a higher `id`. By default those from now on."},
    )


class MatchExportQuery(MatchesQuery):
    """Which matches to export, and how. They must meet all conditions."""

    form = fields.String(
        data_key="as",
        load_default="records",
        validate=validate.OneOf(FORMS),
        metadata={
            "description": "`records`: a line with the text record of each match; `bundles`: with its bundle; "
            "`positions`: a line for each position."
        },
    )
    limit = QueryInteger(
        load_default=1000,
        validate=validate.Range(1, MAX_EXPORTED),
        metadata={"description": "The most matches that an export may have."},
    )
    cursor = fields.String(
        load_default=None,
        validate=validate.Length(min=1),
        metadata={"description": "Where the export starts: the `cursor` of the last line that you have."},
    )

    class Meta:
        """The order of an export cannot be chosen."""

        exclude = ("sort", "order")


class ImportQuery(Strict):
    """How a text record is imported."""

    private = QueryBoolean(
        load_default=False, metadata={"description": "Make the match of a text record private to you."}
    )


class TournamentsQuery(PageQuery):
    """Which tournaments. They must meet all conditions."""

    ruleset = _ruleset()
    status = fields.String(load_default=None, validate=validate.OneOf(TOURNAMENT_STATUSES))
    invited = fields.String(
        load_default=None,
        validate=validate.OneOf(["me"]),
        metadata={"description": "Only tournaments to which your account is invited and has not answered yet."},
    )
    mine = fields.String(
        load_default=None,
        validate=validate.OneOf(["any", *PARTS]),
        metadata={
            "description": "Only tournaments in which your account has this part, or `any`. Private ones too, unless "
            "you ask for a `status`."
        },
    )
    entering = QueryBoolean(
        load_default=False, metadata={"description": "Only public tournaments that take entrants now."}
    )


class GameQuery(Strict):
    """Which game of a tournament."""

    round = _number("The round of the tournament.", required=True)
    board = _number("The board of the round.", required=True)
    game = _number("The game of the board.", load_default=1)


def _numbers(description: str, example: str) -> fields.String:
    return QueryNumbers(
        load_default=(),
        validate=validate.Length(max=MAX_SEATS),
        metadata={"description": description, "example": example},
    )


class ResultQuery(GameQuery):
    """A result that a game may have: the rank of each seat, or the entrants that forfeit it."""

    ranks = _numbers("The rank of each seat, such as `1,2`; `1,1` for a tie.", "1,2")
    forfeited = _numbers("The numbers of the entrants that forfeit the game, such as `3`.", "3")


class AttemptsQuery(Strict):
    """Which attempts at games. They must meet all conditions."""

    round = _number("The round of the tournament.", load_default=None)
    board = _number("The board of the round.", load_default=None)
    game = _number("The game of the board.", load_default=None)
    entrant = _number(
        "Only games of this entrant. The `owner` of each fault is then given from its side.", load_default=None
    )
    faults = QueryBoolean(load_default=False, metadata={"description": "Only attempts with a fault."})
    after = fields.String(
        load_default=None,
        validate=validate.Regexp(r"[0-9]{1,6}(-[0-9]{1,6}){3}\Z"),
        metadata={
            "description": "Only attempts after this one, written as round, board, game and attempt. `next` has it for "
            "the next page."
        },
    )
    limit = _limit()


class StandingsQuery(Strict):
    """Which table."""

    crosstable = QueryBoolean(
        load_default=False,
        metadata={"description": "For text and CSV: the crosstable, with the score of every game, instead."},
    )
    teams = QueryBoolean(
        load_default=False, metadata={"description": "For text and CSV: the table of teams alone, if teams play."}
    )


class PlayersQuery(PageQuery):
    """Which players."""

    name = fields.String(
        load_default="",
        validate=validate.Length(max=MAX_NAME_LENGTH),
        metadata={"description": "Only players whose names start with this text, ignoring case."},
    )
    kind = fields.String(load_default=None, validate=validate.OneOf(KINDS))


class RulesetsQuery(Strict):
    """Which rulesets."""

    seats = QueryInteger(
        load_default=None,
        validate=validate.Range(1, MAX_SEATS),
        metadata={"description": "Only rulesets that can be played with this number of seats."},
    )


class RulesetQuery(Strict):
    """Which version of the ruleset."""

    version = QueryInteger(
        load_default=None,
        validate=validate.Range(1, 10_000),
        metadata={"description": "By default the newest version."},
    )


class ChallengesQuery(Strict):
    """Whose challenges."""

    entrant = QueryInteger(
        required=True,
        validate=validate.Range(1, MAX_ENTRANTS),
        metadata={"description": "The number of the entrant who would challenge.", "example": 3},
    )


class StepSearchQuery(PageQuery, CountedMatchesQuery):
    """Which steps, of which matches."""

    q = fields.String(
        required=True,
        validate=validate.Length(min=1),
        metadata={
            "description": "What is searched for: the language is described in docs/explorer.md.",
            "example": "trapped at=d*",
        },
    )
