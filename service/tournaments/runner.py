"""Runs tournaments over the store: pairs rounds, creates matches, enters results.

`advance` does all that a tournament does by itself. It may run at any time, any number of times and in several
processes at once: the id of each of its commands follows from what the command does, and it reads the tournament again
after each step. Matches, their dice and the seeds of bots follow from the tournament, its seed and the place of the
game, so an interrupted tournament goes on exactly as it would have.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import Any

from plyscribe.domain.bots import build_bot
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import Event, find_type, parse_event
from plyscribe.domain.commands import (
    AbortMatch,
    Actor,
    Command,
    CreateMatch,
    PauseMatch,
    ResumeMatch,
    Secret,
    Withdraw,
)
from plyscribe.domain.errors import DomainError, FoldError, StreamError, WrongTime
from plyscribe.domain.events import (
    Account,
    BuiltIn,
    Dice,
    DiceRevealed,
    MatchAborted,
    MatchAnnulled,
    MatchCreated,
    MatchPaused,
    MatchRefuted,
    MatchResumed,
    MatchStarted,
    MoveMade,
    Occupant,
    RecordedDice,
    SeedsRevealed,
)
from plyscribe.domain.layouts import NEWEST
from plyscribe.domain.match import Match
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.tournament.commands import (
    AdjudicateGame,
    EndTournament,
    EnterResult,
    ForfeitGame,
    NoteFailure,
    PairRound,
    ReportResult,
)
from plyscribe.domain.tournament.conditions import MAX_CAUSE_LENGTH
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.due_dates import DAY_MS, has_deadlines, is_begun
from plyscribe.domain.tournament.events import SeatBuild
from plyscribe.domain.tournament.ladder import is_ladder, is_over
from plyscribe.domain.tournament.sprt import judge_entrants
from plyscribe.domain.tournament.state import Game, Tournament, find_game
from plyscribe.service.clock import now_ms
from plyscribe.service.config import SERVER, ServerKey
from plyscribe.service.errors import Contended
from plyscribe.service.matches.seating import MAX_SEED, PLAYER, fit_bots
from plyscribe.service.matches.timing import time_moves
from plyscribe.service.store import port
from plyscribe.service.store.port import EventStore
from plyscribe.service.streams.handler import Answer, Handler, Order
from plyscribe.service.streams.ids import job_command, stream_id
from plyscribe.service.tournaments.pairing import pair_next
from plyscribe.service.tournaments.pairing_check import PairingCheck, check_pairing, require_paired

RUNNER = Actor("system", "tournament")

SETTLED = ("verified", "scored")
FAILED = ("refuted", "aborted", "annulled")
WITH_RESULT = ("ended", *SETTLED)
"""The statuses of a match that has a result, which counts as soon as the match is verified."""

TAKEN_BACK = "the pairing of the round was taken back"
"""Why a match is aborted whose round counts as never paired."""

LEFT = "left the tournament"
"""Why a seat is withdrawn whose entrant plays no more."""

TOGETHER = 32
"""Matches that are read, and whose results are entered, together: a match of bots may take a megabyte of memory."""

RULED_MS = 7 * DAY_MS
"""How long after a ruling the match of the game is looked for, to abort it, in a tournament that runs for weeks."""

TELLING = tuple(
    f'"type":"{type}"'.encode()
    for type in (*(f"match-{status}" for status in (*SETTLED, *FAILED)), DiceRevealed.type, SeedsRevealed.type)
)
"""How the newest event may look if a match is decided or has failed. An aborted match ends with what it reveals."""


NEVER_PAUSED = {
    True: {MatchCreated.type, MatchPaused.type},
    False: {MatchCreated.type, MatchStarted.type, MoveMade.type, MatchResumed.type},
}
"""What the newest event of a match may be if there is nothing to pause (True), or nothing to let go on (False)."""

log = logging.getLogger(__name__)


class Tournaments:
    """All tournaments; safe to share between threads."""

    def __init__(
        self,
        store: EventStore,
        matches: Handler[Match],
        key: ServerKey,
        layout: Callable[[], int] = lambda: NEWEST,
    ) -> None:
        """`layout` is that of the store's data: see `plyscribe.domain.layouts`."""
        self._layout = layout
        self._store = store
        self._matches = matches
        self._key = key
        self.handler = Handler(store, TOURNAMENT)

    def read(self, stream: str) -> Tournament:
        """The tournament as it stands now; version 0 if there is none."""
        return self.handler.read(stream)

    def execute(
        self,
        stream: str,
        command: Command,
        asked: port.CommandKey,
        expected_version: int | None = None,
        new: bool = False,
    ) -> Answer[Tournament]:
        """Store the events that the command leads to; raises what Handler.execute raises.

        A game whose match has ended is not adjudicated, forfeited or reported: WrongTime.
        """
        if isinstance(command, AdjudicateGame | ForfeitGame | ReportResult):
            self._require_no_result(stream, command)
        return self.handler.execute(stream, lambda _: command, asked, expected_version, new)

    def _require_no_result(self, stream: str, command: AdjudicateGame | ForfeitGame | ReportResult) -> None:
        state = self.read(stream)
        game = find_game(state, (command.round, command.board, command.game))
        if game is None or game.ranks is not None:
            return
        match = self._matches.read(self.match_id(state, game))
        if match.lifecycle is not None and match.life.status in WITH_RESULT:
            why = f"{match.stream} has ended, and its result is about to count"
            raise WrongTime("tournament/match-ended", f"{why}: the game can be annulled once it is decided")

    def advance(self, stream: str) -> Tournament:
        """Do all that can be done for a tournament now: pair rounds, create matches, enter results."""
        state = self.read(stream)
        while state.status == "playing":
            before = state.version
            self._end_ruled_matches(state)
            state = self._pair_if_due(state)
            if state.status == "playing":
                state = self._play(state)
            if state.version == before:
                break
        return state

    def check_round(self, stream: str, number: int) -> PairingCheck:
        """The round as it was paired, and as it comes out when paired again; Unknown if there is no such round."""
        require_paired(self.read(stream), number)
        return check_pairing(stream, self.handler.read_events(stream, 0), number)

    # ---- rounds

    def _pair_if_due(self, state: Tournament) -> Tournament:
        if is_ladder(state):
            return self._end_ladder_if_due(state)
        number = len(state.rounds) + 1
        if not state.may_pair(number) or not is_begun(state, now_ms()):
            return state
        verdict = judge_entrants(state)
        if verdict is not None and verdict.taken is not None:
            return self._do(state, ("end",), EndTournament(actor=RUNNER, reason=f"sprt-{verdict.taken}"))
        pairing = pair_next(state)
        if pairing is None and not all(round.is_decided for round in state.open_rounds):
            return state
        if pairing is None:
            return self._do(state, ("end",), EndTournament(actor=RUNNER, reason="played"))
        boards, byes, costs, engine = pairing
        command = PairRound(actor=RUNNER, round=number, boards=boards, byes=byes, costs=costs, engine=engine)
        return self._do(state, ("pair", number), command)

    def _end_ladder_if_due(self, state: Tournament) -> Tournament:
        if not is_over(state, now_ms()) or state.open_rounds or state.paused is not None:
            return state
        return self._do(state, ("end",), EndTournament(actor=RUNNER, reason="closed" if state.closed else "played"))

    def _play(self, state: Tournament) -> Tournament:
        """The tournament after a look at all games that may be undecided. No match is made during a pause."""
        undecided = {
            self.match_id(state, game): game
            for round in state.open_rounds
            for games in round.games
            for game in games
            if game.ranks is None
        }
        newest = self._store.newest(list(undecided))
        missing: list[Order] = []
        settled: list[str] = []
        for (match, game), entry in zip(undecided.items(), newest, strict=True):
            if entry is None:
                missing += [] if state.paused is not None else self._order_match(state, game, match)
            elif _may_be_settled(entry):
                settled.append(match)
            else:
                self._withdraw_absent(state, game, match)
                if state.stop and find_type(entry) not in NEVER_PAUSED[state.is_stopped]:
                    self._pause_or_resume(state, match)
        for start in range(0, len(settled), TOGETHER):
            matches = self._matches.read_all(settled[start : start + TOGETHER])
            state = self._enter(state, [(undecided[match.stream], match) for match in matches])
        _raise_first(self._matches.execute_all(missing))
        return state

    def _enter(self, state: Tournament, played: Sequence[tuple[Game, Match]]) -> Tournament:
        """The tournament with what came of these games, all stored together."""
        entries = (self._enter_one(state, game, match) for game, match in played)
        orders = [each for each in entries if each is not None]
        if not orders:
            return state
        answers = self.handler.execute_all(orders)
        _raise_first([each for each in answers if not isinstance(each, WrongTime | Contended)])
        return self.read(state.stream)

    def _enter_one(self, state: Tournament, game: Game, match: Match) -> Order | None:
        place = (game.round, game.board, game.game, match.stream)
        life = match.life
        if life.status in FAILED:
            return _order(state, ("failure", *place), self._note_failure(game, match))
        if life.status not in SETTLED or life.outcome is None:
            return None
        return _order(state, ("result", *place), _enter_result(game, match))

    def _note_failure(self, game: Game, match: Match) -> NoteFailure:
        cause, why = _read_failure(self._matches.read_events(match.stream, 0))
        return NoteFailure(
            actor=RUNNER,
            round=game.round,
            board=game.board,
            game=game.game,
            match=match.stream,
            cause=cause,
            why=why,
            made_at=match.life.created_at,
        )

    def _do(self, state: Tournament, what: tuple[object, ...], command: Command) -> Tournament:
        """The tournament after this command, or as it stands if another process was faster."""
        order = _order(state, what, command)
        with suppress(WrongTime, Contended):
            return self.handler.execute(order.stream, order.command_for, order.asked).state
        return self.read(state.stream)

    # ---- matches

    def list_last_matches(self, stream: str) -> list[str]:
        """The ids of the matches of the last round, or of all open ones, whether they are made yet or not."""
        state = self.read(stream)
        rounds = state.open_rounds or state.rounds[-1:]
        return [self.match_id(state, game) for round in rounds for games in round.games for game in games]

    def read_matches(self, state: Tournament, games: Sequence[Game]) -> dict[tuple[int, int, int], Match]:
        """The matches of these games that are made, by round, board and game, in one round trip if none is new."""
        ids = {(game.round, game.board, game.game): self.match_id(state, game) for game in games}
        found: dict[tuple[int, int, int], Match] = {}
        for (place, id), newest in zip(ids.items(), self._store.newest(list(ids.values())), strict=True):
            if newest is None:
                continue
            cached = self._matches.cached(id)
            is_newest = cached is not None and (cached.version, cached.head) == (newest.version, newest.h)
            found[place] = cached if cached is not None and is_newest else self._matches.read(id)
        return found

    def match_id(self, state: Tournament, game: Game) -> str:
        """The match in which the game is or was played."""
        return game.match or _match_id(state.stream, game, game.game)

    def _order_match(self, state: Tournament, game: Game, id: str) -> list[Order]:
        """The order that creates the match of the game; none if the game has failed too often."""
        if game.is_given_up:
            log.error("%s: game %s failed %d times and is given up", state.stream, _place(game), len(game.failed))
            return []
        asked = job_command("tournament-match", id)
        dice, secret = self._seal(state, game, id)
        bots, seeds = self._key.seal_seeds(id)
        command = CreateMatch(
            actor=Actor("organiser", state.organiser),
            at=now_ms(),
            id=asked.id.hex(),
            secret=Secret(secret, seeds),
            ruleset=state.terms.ruleset,
            ruleset_version=state.terms.ruleset_version,
            options=state.terms.options,
            seats=tuple(self._seat(state, game, seat) for seat in range(1, state.terms.seats + 1)),
            dice=dice,
            bots=bots,
            limits=state.terms.limits,
            recorder=state.stream if state.terms.at_table else None,
            rated=state.terms.rated and _is_of_accounts(state, game),
            private=state.terms.private,
            tournament={
                "id": state.stream,
                "round": game.round,
                "board": game.board,
                "game": game.game,
                "opening": list(_find_opening(state, game)),
            },
            server=SERVER,
        )
        layout = self._layout()
        return [Order(id, fit_bots(time_moves(command, layout), layout), asked, new=True)]

    def _seat(self, state: Tournament, game: Game, seat: int) -> Occupant:
        """Who takes the seat. A bot plays in its current build.

        If only bots of the server enter, their seeds follow from the place of the game, so the tournament can be
        repeated. Anyone could compute such moves beforehand, so with other entrants the seeds are secret.
        """
        occupant = state.entrants[game.entrants[seat - 1] - 1].occupant
        if not isinstance(occupant, BuiltIn):
            return occupant
        if any(isinstance(entrant.occupant, Account) for entrant in state.entrants):
            return build_bot(occupant.bot, None, occupant.playouts)
        again = (game.replays, game.pairing) if game.replays or game.pairing else ()
        seed = _draw(state.terms.seed, occupant.seed, game.round, game.board, game.game, seat, *again)
        return build_bot(occupant.bot, seed, occupant.playouts)

    def _end_ruled_matches(self, state: Tournament) -> None:
        """Abort the matches under way of games that no match decides any more.

        The organiser decided them, their results were entered at the table, their deadlines passed, or their round was
        taken back. This comes before the next round is paired, so only the last round can have such games, unless
        rounds may overlap.
        """
        rounds = state.rounds if has_deadlines(state) else state.rounds[-1:]
        games = [game for round in rounds for games in round.games for game in games if game.is_ruled]
        if has_deadlines(state):
            games = [game for game in games if (game.decided_at or 0) > now_ms() - RULED_MS]
        ended = {
            self.match_id(state, game): ": ".join(filter(None, (game.reason, game.why)))
            for game in games
            if not game.has_failed_too_often
        }
        gone = [round for round in state.taken_back if round.number >= len(state.rounds)]
        ended |= {self.match_id(state, each): TAKEN_BACK for round in gone for games in round.games for each in games}
        for (match, why), entry in zip(ended.items(), self._store.newest(list(ended)), strict=True):
            if entry is not None and not _may_be_settled(entry):
                self._abort(match, why[:MAX_CAUSE_LENGTH])

    def _abort(self, id: str, cause: str) -> None:
        asked = job_command("tournament-ruled", id)

        def command_for(match: Match) -> AbortMatch:
            secret = self._key.find_secret(match.life.created, match.stream)
            return AbortMatch(actor=RUNNER, at=now_ms(), id=asked.id.hex(), secret=secret, cause=cause)

        # It may have ended in the meantime: its outcome stays in it, and the ruling counts here.
        with suppress(DomainError):
            self._matches.execute(id, command_for, asked)

    def _seal(self, state: Tournament, game: Game, id: str) -> tuple[Dice | RecordedDice | None, bytes | None]:
        """The dice of the game.

        The games of a board share their dice, except one that is played again, if bots of the server have all seats:
        whoever sees one game would know the rolls of the others.
        """
        terms = state.terms
        if not find_ruleset(terms.ruleset, terms.ruleset_version).has_chance(terms.options):
            return None, None
        if terms.at_table:
            return RecordedDice(), None
        bots_only = all(isinstance(state.entrants[each - 1].occupant, BuiltIn) for each in game.entrants)
        if len(state.seatings) == 1 or game.failed or game.replays or game.pairing or not bots_only:
            again = f"-{game.replays}-{game.pairing}" if game.replays or game.pairing else ""
            return self._key.seal(f"{state.stream}-{_place(game)}-{len(game.failed)}{again}")
        matches = tuple(_match_id(state.stream, game, number) for number in range(1, len(state.seatings) + 1))
        return self._key.seal_shared(f"{state.stream}-{game.round}-{game.board}", matches)

    def _pause_or_resume(self, state: Tournament, id: str) -> None:
        """Pause a match under way while the tournament stops its matches, and let it go on afterwards.

        That happens once for each pause of the tournament: whatever arbiters do to the match in between stays.
        """
        director = Actor("organiser", state.stream)
        asked = job_command("tournament-pause" if state.is_stopped else "tournament-resume", id, state.stop)

        def command_for(match: Match) -> PauseMatch | ResumeMatch:
            if state.is_stopped:
                return PauseMatch(actor=director, at=now_ms(), id=asked.id.hex(), why=state.paused or "")
            pause = match.play.pause if match.play else None
            if pause is None or pause.by != str(director):
                raise WrongTime("match/not-paused", "the tournament has not paused the match")
            return ResumeMatch(actor=director, at=now_ms(), id=asked.id.hex())

        # It may be paused or over, or an arbiter may have paused it.
        with suppress(DomainError):
            self._matches.execute(id, command_for, asked)

    def _withdraw_absent(self, state: Tournament, game: Game, id: str) -> None:
        """Withdraw entrants who have left the tournament from a match that is under way."""
        for seat, number in enumerate(game.entrants, 1):
            entrant = state.entrants[number - 1]
            if entrant.is_in:
                continue
            cause = "disqualified" if entrant.is_disqualified else "absent"
            asked = job_command("tournament-absent", id, seat)

            def command_for(
                match: Match, seat: int = seat, cause: str = cause, asked: port.CommandKey = asked
            ) -> Withdraw:
                return Withdraw(
                    # The tournament itself, since its organiser may play in this match.
                    actor=Actor("organiser", state.stream),
                    at=now_ms(),
                    id=asked.id.hex(),
                    secret=self._key.find_secret(match.life.created, match.stream),
                    seat=seat,
                    cause=cause,
                    why=LEFT,
                )

            # The seat may be withdrawn already, or the match over.
            with suppress(DomainError):
                self._matches.execute(id, command_for, asked)


def _order(state: Tournament, what: tuple[object, ...], command: Command) -> Order:
    """The order of this command, under an id that follows from what it does."""
    asked = job_command("tournament", state.stream, *what)
    return Order(state.stream, replace(command, at=now_ms(), id=asked.id.hex()), asked)


def _raise_first(answers: Sequence[Answer[Any] | Exception]) -> None:
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer


def _enter_result(game: Game, match: Match) -> EnterResult:
    life = match.life
    assert life.outcome is not None  # a settled match has one
    return EnterResult(
        actor=RUNNER,
        round=game.round,
        board=game.board,
        game=game.game,
        match=match.stream,
        ranks=life.outcome.ranks,
        reason=life.outcome.reason,
        made_at=life.created_at,
        left=life.withdrawals,
        builds=tuple(SeatBuild(number, build) for number, seat in enumerate(life.seats, 1) for build in seat.builds),
    )


def _may_be_settled(newest: StoredEvent) -> bool:
    """Whether a match with this newest event may be decided or have failed, so that it is worth reading."""
    return any(type in newest.e for type in TELLING)


def _read_failure(entries: Sequence[StoredEvent]) -> tuple[str, str]:
    """The cause in FAILURES why a match with these events came to nothing, and the reason given."""
    for entry in reversed(entries):
        with suppress(StreamError):
            match parse_event(entry):
                case Event(data=MatchRefuted(why=why)):
                    return "refuted", why
                case Event(by=by, data=MatchAborted(cause)):
                    return "play-failed" if by == str(PLAYER) else "called-off", cause
                case Event(data=MatchAnnulled(why)):
                    return "annulled", why
    raise FoldError(len(entries), "no event says how the match failed")


def draw_seed(stream: str) -> int:
    """The seed of a tournament that was given none; it follows from the tournament's id."""
    return _draw("seed", stream)


def _is_of_accounts(state: Tournament, game: Game) -> bool:
    return all(isinstance(state.entrants[each - 1].occupant, Account) for each in game.entrants)


def _place(game: Game) -> str:
    return f"{game.round}-{game.board}-{game.game}"


def _match_id(stream: str, game: Game, number: int) -> str:
    """The id of the match for the board's game with this number.

    It depends on how often `game` failed or had to be played once more, and on how often its round was taken back.
    """
    failed, replays = (len(game.failed), game.replays) if number == game.game else (0, 0)
    again = (("again", replays, game.pairing),) if replays or game.pairing else ()
    return stream_id("match", job_command("tournament-game", stream, game.round, game.board, number, failed, *again))


def _find_opening(state: Tournament, game: Game) -> tuple[str, ...]:
    """The moves that the game begins with. The boards take the openings in turn; all games of a board have the same."""
    openings = state.terms.openings
    return openings[(game.round + game.board - 2) % len(openings)] if openings else ()


def _draw(*parts: object) -> int:
    """A number that follows from these parts alone."""
    return int.from_bytes(sha256(" ".join(map(str, parts)).encode()).digest()[:8]) % (MAX_SEED + 1)
