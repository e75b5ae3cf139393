"""Making moves by touching a board: what can be touched next, which move is complete, and why others are refused.

It works for any position, also one that no match has. A ruleset without a board, or a board without ways to touch it,
has nothing to touch: its moves are typed.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from plyscribe.domain.completion import MOST
from plyscribe.domain.effects import Moved, describe_effect
from plyscribe.domain.errors import IllegalMove, MoveError
from plyscribe.domain.match import Match
from plyscribe.domain.phrases import Phrase, say
from plyscribe.domain.ruleset import AnyRuleset, Decision
from plyscribe.service.boards import find_board
from plyscribe.service.boards.board import Reason, Touches
from plyscribe.service.language.sentences import Names, describe_effects, translate
from plyscribe.service.matches.queries import draw_after, dump_turn
from plyscribe.service.rulebooks import read_clauses

Json = dict[str, Any]

LISTS = 12
"""The lists of moves that a process caches, each of at most MOST moves. Few people touch boards at a time."""

MAX_TOUCHES = 16
"""The most touches of a move. No game needs more than six."""

_NOT_HERE = say("there is nothing to touch here")
_NO_MOVE = say("no legal move starts like this")
_DIGITS = re.compile(r"(\d+)")


class Traced(NamedTuple):
    """Legal moves in notation, each with the ways to touch it; `truncated` if there are more."""

    moves: Sequence[tuple[str, Sequence[Touches]]]
    truncated: bool


class Touched(NamedTuple):
    """What touches lead to.

    `following` has what can be touched next, sorted, each with the move that it completes if that is just one. `ready`
    has the moves that are complete with these touches.
    """

    following: dict[str, str | None]
    ready: list[str]
    truncated: bool


def describe_match_touches(match: Match, touches: Touches, language: str, names: Names, seat: int | None) -> Json:
    """What these touches lead to in the present position; nothing can be touched unless the match awaits a move."""
    head = {"match": match.stream, "version": match.version, "turn": dump_turn(match.turn)}
    play = match.play
    if play is None:
        return {**head, **_describe(touches, {})}
    if match.fault or match.life.status != "playing":
        return {**head, **_describe(touches, read_places(play.ruleset, play.state, language, names))}
    return {**head, **describe_touches(play.ruleset, play.state, touches, language, names, seat)}


def describe_touches(
    ruleset: AnyRuleset, state: Any, touches: Touches, language: str, names: Names, seat: int | None = None
) -> Json:
    """What these touches lead to, as JSON; with the picture after the move, as the seat sees it, if just one is ready.

    Without touches, `read` says what is to be seen at each place. Touches that begin no legal move get a refusal.
    """
    found = find_touched(ruleset, state, touches)
    ready = [_describe_ready(ruleset, state, move, language, names) for move in found.ready]
    is_refused = bool(touches) and isinstance(ruleset.turn(state), Decision) and not (found.following or ready)
    return {
        **_describe(touches, read_places(ruleset, state, language, names) if not touches else {}),
        "next": [{"touch": touch, "move": move} for touch, move in found.following.items()],
        "ready": [{**each, "label": label} for each, label in zip(ready, label_moves(ready), strict=True)],
        "picture": str(draw_after(ruleset, state, found.ready[0], seat)) if len(ready) == 1 else None,
        "refusal": _refuse(ruleset, state, touches, language, names) if is_refused else None,
        "truncated": found.truncated,
    }


def _describe(touches: Touches, read: Mapping[str, str]) -> Json:
    nothing = {"next": [], "ready": [], "picture": None, "refusal": None, "truncated": False}
    return {"touches": list(touches), "read": {} if touches else read, **nothing}


def read_places(ruleset: AnyRuleset, state: Any, language: str, names: Names) -> dict[str, str]:
    """What is to be seen at each place of the board that can be touched, in words; nothing without a board."""
    board = find_board(ruleset)
    read = {} if board is None else board.read(ruleset.view(state))
    return {place: translate(phrase, language, names) for place, phrase in read.items()}


def find_touched(ruleset: AnyRuleset, state: Any, touches: Touches) -> Touched:
    """What these touches lead to; nothing unless a seat must move and the ruleset has a board."""
    board = find_board(ruleset)
    if board is None or not isinstance(ruleset.turn(state), Decision):
        return Touched({}, [], False)
    traced = _trace_moves(ruleset, state)
    completed: dict[str, set[str]] = {}
    ready = []
    for move, ways in traced.moves:
        for way in ways:
            rest = _find_rest(way, touches)
            if rest is None:
                continue
            if not rest:
                ready.append(move)
                break
            # Only one part of the board can be touched first.
            for touch in rest if touches else rest[:1]:
                completed.setdefault(touch, set()).update((move,) if len(rest) == 1 else ())
    following = {
        touch: next(iter(moves)) if len(moves := completed[touch]) == 1 else None
        for touch in sorted(completed, key=_sort_naturally)
    }
    return Touched(following, ready, traced.truncated)


def _find_rest(way: Touches, touches: Touches) -> Touches | None:
    """What is left of a way after these touches; None if it does not begin with them.

    The first touch comes first, the others in any order.
    """
    if way[: len(touches[:1])] != touches[:1]:
        return None
    rest = list(way)
    for touch in touches:
        if touch not in rest:
            return None
        rest.remove(touch)
    return tuple(rest)


@lru_cache(maxsize=LISTS)
def _trace_moves(ruleset: AnyRuleset, state: Any) -> Traced:
    """The legal moves that can be touched, at most MOST."""
    board = find_board(ruleset)
    assert board is not None
    found = [ruleset.format_move(state, move) for move in islice(ruleset.legal_moves(state), MOST + 1)]
    traced = ((move, board.trace(move)) for move in found[:MOST])
    return Traced([(move, ways) for move, ways in traced if ways], len(found) > MOST)


def _sort_naturally(touch: str) -> list[tuple[str, int]]:
    """As people sort: d2 comes before d10."""
    parts = _DIGITS.split(touch)
    return [(word, int(number or 0)) for word, number in zip(parts[::2], [*parts[1::2], ""], strict=True)]


def _describe_ready(ruleset: AnyRuleset, state: Any, text: str, language: str, names: Names) -> Json:
    move = ruleset.parse_move(state, text)
    effects = ruleset.effects(state, Moved(move), ruleset.apply_move(state, move))
    return {
        "move": text,
        "effects": [describe_effect(effect) for effect in effects],
        "sentences": describe_effects(ruleset, effects, language, names),
    }


def label_moves(moves: Sequence[Json]) -> list[str]:
    """What tells each of these moves from the others: sentences that not all have, or else words of its notation."""
    sentences = [" ".join(_list_own(each["sentences"], [other["sentences"] for other in moves])) for each in moves]
    if len(set(sentences)) == len(moves) and all(sentences):
        return sentences
    words = [each["move"].split() for each in moves]
    return [" ".join(_list_own(each, words)) or move["move"] for each, move in zip(words, moves, strict=True)]


def _list_own(items: Iterable[str], all_of_them: Sequence[Sequence[str]]) -> list[str]:
    return [item for item in items if not all(item in others for others in all_of_them)]


def _refuse(ruleset: AnyRuleset, state: Any, touches: Touches, language: str, names: Names) -> Json:
    """Why these touches begin no legal move: the first refusal of what they may mean."""
    reason = next(_list_reasons(ruleset, state, touches), Reason("", _NO_MOVE))
    clause = read_clauses(ruleset.id, ruleset.version).get(reason.clause)
    return {
        "detail": translate(reason.why, language, names),
        "clause": reason.clause or None,
        "title": clause.title if clause else None,
    }


def _list_reasons(ruleset: AnyRuleset, state: Any, touches: Touches) -> Iterator[Reason]:
    """The reasons why what was touched is no move: those with a clause, then the others."""
    board, view, others = find_board(ruleset), ruleset.view(state), []
    if board is None or not _are_there(board.read(view), touches):
        yield Reason("", _NOT_HERE)
        return
    for guess in board.guess(view, touches):
        if isinstance(guess, Reason):
            yield guess
            continue
        try:
            ruleset.parse_move(state, guess)
        except IllegalMove as error:
            why = error.phrase.values["why"]
            yield Reason(error.clause, why if isinstance(why, Phrase) else Phrase(str(why), {}))
        except MoveError as error:
            others.append(Reason("", error.phrase))
    yield from others


def _are_there(places: Container[str], touches: Touches) -> bool:
    """Whether the board has these parts; an arrow from a place to another needs only those."""
    return all(touch in places or all(place in places for place in touch.split(">")) for touch in touches)
