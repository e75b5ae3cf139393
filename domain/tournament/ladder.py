"""The ladder: entrants hold rungs, and climb by winning challenges.

Whoever is in at the start has a rung by seed, the best on top; whoever enters later begins at the bottom. An entrant
challenges somebody a few rungs above. Each challenge is a round of its own, with one board and a deadline. If the
challenger wins, it takes the rung of the challenged, and all between move down by one. The rungs follow from the course
of the ladder and from the results as they stand now, so a correction moves everybody to where they should be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from plyscribe.domain.errors import Refusal, Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.tournament.commands import ChallengeEntrant, CloseTournament
from plyscribe.domain.tournament.conditions import (
    check_cause,
    is_account,
    is_organiser,
    require_organiser,
    require_status,
)
from plyscribe.domain.tournament.due_dates import DAY_MS
from plyscribe.domain.tournament.events import (
    ChallengeMade,
    EntrantRegistered,
    EntrantReturned,
    EntrantWithdrawn,
    RoundPaired,
    TournamentClosed,
    TournamentStarted,
)
from plyscribe.domain.tournament.history import count_seats, seat_evenly
from plyscribe.domain.tournament.points import score_games
from plyscribe.domain.tournament.schedule import Pairing
from plyscribe.domain.tournament.state import Round, Step, Tournament

KIND = "ladder"
ENGINE = "challenge 1"
MAX_CHALLENGES = 5_000
ENTERED, LEFT, PLAYED = "entered", "left", "played"
"""The steps of the course of a ladder: an entrant came or left; the challenge of a round was decided."""


def is_ladder(state: Tournament) -> bool:
    """Whether the tournament is a ladder."""
    return state.created is not None and state.terms.format["kind"] == KIND


def find_end(state: Tournament) -> int | None:
    """When its weeks are over (UTC milliseconds); None if it runs until the organiser closes it."""
    weeks = state.terms.format["weeks"]
    return None if weeks is None or state.started_at is None else state.started_at + weeks * 7 * DAY_MS


def is_over(state: Tournament, now_ms: int) -> bool:
    """Whether nobody can be challenged any more. It ends once all challenges are decided."""
    end = find_end(state)
    return state.closed is not None or (end is not None and end <= now_ms)


# ---- the course


def follow_course(state: Tournament, data: object) -> Tournament:
    """The ladder after one of its events, with the rungs that follow."""
    steps: list[Step] = []
    match data:
        case TournamentStarted():
            steps = [Step(ENTERED, each) for each in state.list_seeds() if state.entrants[each - 1].is_in]
        case EntrantRegistered(number) | EntrantReturned(number) if state.status == "playing":
            steps = [Step(ENTERED, number)]
        case EntrantWithdrawn(number) if state.status == "playing":
            steps = [Step(LEFT, number)]
        case _ if hasattr(data, "game") and hasattr(data, "round"):
            return _follow_game(state, state.rounds[data.round - 1])
    return replace(state, course=(*state.course, *steps), rungs=_climb_all(state, state.rungs, steps))


def _follow_game(state: Tournament, round: Round) -> Tournament:
    """The ladder after something happened to a game. What comes after an older challenge is worked out again."""
    step = Step(PLAYED, round.number)
    if round.is_decided and step not in state.course:
        return replace(state, course=(*state.course, step), rungs=_climb_all(state, state.rungs, [step]))
    if step not in state.course:
        return state
    course = state.course if round.is_decided else tuple(each for each in state.course if each != step)
    return replace(state, course=course, rungs=_climb_all(state, (), course))


def _climb_all(state: Tournament, rungs: Sequence[int], steps: Sequence[Step]) -> tuple[int, ...]:
    order = list(rungs)
    for what, number in steps:
        if what == ENTERED:
            order.append(number)
        elif what == LEFT:
            order = [each for each in order if each != number]
        else:
            _climb(order, state, state.rounds[number - 1])
    return tuple(order)


def _climb(order: list[int], state: Tournament, round: Round) -> None:
    """Let the challenger take the rung of the challenged, if it won and stands below."""
    challenger, challenged = read_challenge(round)
    points = score_games(state, round.games[0])
    if challenger in order and challenged in order and points[challenger] > points[challenged]:
        below, above = order.index(challenger), order.index(challenged)
        if above < below:
            order.insert(above, order.pop(below))


def read_challenge(round: Round) -> tuple[int, int]:
    """Who challenged whom."""
    return int(round.costs["challenger"]), int(round.costs["challenged"])


# ---- challenges


class Challenge(NamedTuple):
    """Who challenges whom."""

    challenger: int
    challenged: int


def list_within_reach(state: Tournament, challenger: int) -> list[int]:
    """The entrants whom this one could challenge by their rungs, the highest first; empty if it has no rung."""
    if challenger not in state.rungs:
        return []
    rung = state.rungs.index(challenger)
    return list(state.rungs[max(0, rung - state.terms.format["reach"]) : rung])


class Survey(NamedTuple):
    """What the challenges so far say about new ones; see survey_challenges."""

    busy: Mapping[int, int]
    """The round of the open challenge of each entrant who has one."""

    met_at: Mapping[frozenset[int], int]
    """When the last challenge between two entrants was decided (UTC milliseconds)."""


def survey_challenges(state: Tournament) -> Survey:
    """One look at all challenges, for questions about any number of new ones."""
    busy = {each: round.number for round in state.open_rounds for each in round.boards[0]}
    met_at = {
        frozenset(round.boards[0]): max(game.decided_at or 0 for game in round.games[0])
        for round in state.rounds
        if round.is_decided
    }
    return Survey(busy, met_at)


def find_objection(
    state: Tournament, challenge: Challenge, now_ms: int, survey: Survey | None = None
) -> Refusal | None:
    """Why this challenge cannot be made now, and what to do instead; None if it can."""
    objection = _object_to_time(state, now_ms) or _object_to_rungs(state, challenge)
    return objection or _object_to_pair(state, challenge, now_ms, survey or survey_challenges(state))


def _object_to_time(state: Tournament, now_ms: int) -> Refusal | None:
    if not is_ladder(state):
        return WrongTime("challenge/no-ladder", "nobody is challenged here: only a ladder has challenges")
    if state.status != "playing":
        return WrongTime("tournament/status", f"the tournament is {state.status}", tournament_status=state.status)
    if state.paused is not None:
        return WrongTime("challenge/paused", f"the ladder is paused: {state.paused}; wait until it goes on")
    if is_over(state, now_ms):
        return WrongTime("challenge/over", "the ladder is closing: open challenges are played, and no more are made")
    if len(state.rounds) >= MAX_CHALLENGES:
        why = f"the ladder has had {MAX_CHALLENGES} challenges, the most it can have"
        return WrongTime("challenge/over", f"{why}: ask the organiser for a new one")
    return None


def _object_to_rungs(state: Tournament, challenge: Challenge) -> Refusal | None:
    for each in challenge:
        if not 1 <= each <= len(state.entrants):
            return Unknown("entrant/unknown", f"there is no entrant {each}: the last one is {len(state.entrants)}")
        if each not in state.rungs:
            return WrongTime("entrant/out", f"entrant {each} has withdrawn")
    rung, other = (state.rungs.index(each) + 1 for each in challenge)
    reachable = list_within_reach(state, challenge.challenger)
    if not reachable:
        return WrongTime("challenge/top", f"entrant {challenge.challenger} stands on top: nobody is above")
    if challenge.challenged not in reachable:
        may = f"entrant {challenge.challenger} on rung {rung} may challenge {', '.join(map(str, reachable))}"
        return WrongTime("challenge/reach", f"entrant {challenge.challenged} stands on rung {other}: {may}")
    return None


def _object_to_pair(state: Tournament, challenge: Challenge, now_ms: int, survey: Survey) -> Refusal | None:
    for each in challenge:
        if each in survey.busy:
            why = f"entrant {each} has a challenge to play, number {survey.busy[each]}"
            return WrongTime("challenge/busy", f"{why}: wait until it is decided")
    met_at = survey.met_at.get(frozenset(challenge))
    free_at = None if met_at is None else met_at + state.terms.format["cooldown_days"] * DAY_MS
    if free_at is not None and now_ms < free_at:
        left = -(-(free_at - now_ms) // DAY_MS)
        why = "these two have met lately"
        return WrongTime("challenge/cooldown", f"{why}: they may meet again in {left} days", free_at=free_at)
    return None


def pair_challenge(state: Tournament, challenge: Challenge) -> Pairing:
    """The board of a challenge."""
    board = seat_evenly(challenge, count_seats(state))
    rungs = {"from": state.rungs.index(challenge.challenger) + 1, "to": state.rungs.index(challenge.challenged) + 1}
    costs = {"challenger": challenge.challenger, "challenged": challenge.challenged, "rungs": rungs}
    return Pairing((board,), (), costs, ENGINE)


def pair_challenge_again(state: Tournament, paired: RoundPaired, at: int) -> Pairing | None:
    """The pairing of a challenge, worked out again; None if it was not to be made then."""
    try:
        challenge = Challenge(int(paired.costs["challenger"]), int(paired.costs["challenged"]))
    except (LookupError, TypeError, ValueError):
        return None
    return None if find_objection(state, challenge, at) else pair_challenge(state, challenge)


def decide_challenge(command: ChallengeEntrant, state: Tournament) -> list[Any]:
    """See ChallengeEntrant."""
    challenge = Challenge(_find_challenger(command, state), command.opponent)
    if challenge.challenger == challenge.challenged:
        raise WrongValue("challenge/self", "nobody challenges themselves: name an opponent above")
    if objection := find_objection(state, challenge, command.at):
        raise objection
    number, pairing = len(state.rounds) + 1, pair_challenge(state, challenge)
    deadline = command.at + state.terms.format["days"] * DAY_MS
    return [
        ChallengeMade(number, *challenge),
        RoundPaired(number, pairing.boards, (), (), pairing.costs, pairing.engine, deadline),
    ]


def _find_challenger(command: ChallengeEntrant, state: Tournament) -> int:
    own = [each.number for each in state.entrants if is_account(state, each.number, command.actor.id)]
    if command.entrant is None or command.entrant in own:
        if not own:
            why = "you have not entered: enter the ladder first"
            raise WrongPerson("challenge/not-entered", f"{why}; an organiser names the entrant who challenges")
        return own[0]
    if not is_organiser(command, state):
        raise WrongPerson("entrant/not-yours", f"you are not entrant {command.entrant}")
    return command.entrant


def decide_close(command: CloseTournament, state: Tournament) -> list[Any]:
    """See CloseTournament."""
    require_organiser(command, state)
    require_status(state, "playing")
    if not is_ladder(state):
        raise WrongTime("challenge/no-ladder", "this tournament ends by itself: only a ladder is closed")
    if state.closed is not None:
        raise WrongTime("challenge/over", "the ladder is closed already")
    check_cause(command.why)
    return [TournamentClosed(command.why)]
