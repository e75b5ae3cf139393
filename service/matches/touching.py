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
from plyscribe.domain.errors import IllegalMove, MoveError
from plyscribe.domain.match import Match
from plyscribe.domain.phrases import Phrase, say
from plyscribe.domain.ruleset import AnyRuleset, Decision
from plyscribe.service.boards import find_board
from plyscribe.service.boards.board import Reason, Touches
from plyscribe.service.language.sentences import Names, translate
from plyscribe.service.matches.queries import draw_after, dump_turn
from plyscribe.service.matches.story import preview_move
from plyscribe.service.rulebooks import read_clauses

Json = dict[str, Any]

LISTS = 12
"""The lists of moves that a process caches, each of at most MOST moves. Few people touch boards at a time."""

MOST_AHEAD = 2_000
"""The most moves that a phone keeps for when it has no network: some 60 KB."""

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

    `following` has what can be touched next, sorted, each with its move if it leaves nothing else open. `ready` has the
    moves that are complete with these touches.
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
    ready = [{"move": move, **preview_move(ruleset, state, move, language, names)} for move in found.ready]
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
    nothing: Json = {"next": [], "ready": [], "picture": None, "refusal": None, "truncated": False}
    return {"touches": list(touches), "read": {} if touches else read, **nothing}


def list_ways(match: Match, language: str, names: Names) -> Json:
    """The legal moves of the present position with the ways to touch them, and what is to be seen on the board.

    `moves` is None if there are more than MOST_AHEAD, and empty unless a seat must move in a match on a board.
    """
    play = match.play
    if play is None or match.fault or match.life.status != "playing" or not isinstance(play.turn, Decision):
        return {"read": {}, "moves": []}
    if find_board(play.ruleset) is None:
        return {"read": {}, "moves": []}
    ways = _list_ways(play.ruleset, play.state)
    return {"read": read_places(play.ruleset, play.state, language, names), "moves": ways}


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
    if not touches:
        return _find_beginnings(ruleset, state)
    traced = _trace_moves(ruleset, state, tuple(board.begin(ruleset.view(state), touches[0])))
    return _follow(traced, touches)


def _follow(traced: Traced, touches: Touches) -> Touched:
    begun: dict[str, set[str]] = {}
    ready: list[str] = []
    completed = set()
    for move, ways in traced.moves:
        for way in ways:
            rest = _find_rest(way, touches)
            if rest == ():
                ready.append(move)
                break
            # Only one part of the board can be touched first.
            for touch in (rest or ())[: None if touches else 1]:
                begun.setdefault(touch, set()).add(move)
                if len(rest or ()) == 1:
                    completed.add((touch, move))
    following = {}
    for touch in sorted(begun, key=_sort_naturally):
        [move, *others] = begun[touch]
        following[touch] = None if others or (touch, move) not in completed else move
    return Touched(following, ready, traced.truncated)


@lru_cache(maxsize=LISTS)
def _find_beginnings(ruleset: AnyRuleset, state: Any) -> Touched:
    """What can be touched first. Boards that know how moves begin need not list them all."""
    board, view = find_board(ruleset), ruleset.view(state)
    assert board is not None
    prefixes = {place: tuple(board.begin(view, place)) for place in board.read(view)}
    names = _resolve(ruleset, state)
    if set(prefixes.values()) <= {("",)}:
        return _follow(_trace_moves(ruleset, state, ("",)), ())
    following: dict[str, str | None] = {}
    for place in sorted(prefixes, key=_sort_naturally):
        ways = _trace_lazily(ruleset, state, prefixes[place], names)
        found = list(islice(((move, way) for move, all_ways in ways for way in all_ways if way[0] == place), 2))
        if found:
            following[place] = found[0][0] if len(found) == 1 and len(found[0][1]) == 1 else None
    return Touched(following, [], False)


@lru_cache(maxsize=LISTS)
def _list_ways(ruleset: AnyRuleset, state: Any) -> Sequence[tuple[str, Sequence[Touches]]] | None:
    found = list(islice(_trace_lazily(ruleset, state, ("",), _resolve(ruleset, state)), MOST_AHEAD + 1))
    return found if len(found) <= MOST_AHEAD else None


@lru_cache(maxsize=LISTS)
def _trace_moves(ruleset: AnyRuleset, state: Any, prefixes: tuple[str, ...]) -> Traced:
    """The legal moves with these prefixes that can be touched, at most MOST."""
    found = list(islice(_trace_lazily(ruleset, state, prefixes, _resolve(ruleset, state)), MOST + 1))
    return Traced(found[:MOST], len(found) > MOST)


def _resolve(ruleset: AnyRuleset, state: Any) -> Mapping[str, str]:
    """What names in traces stand for, for the seat on turn."""
    board, turn = find_board(ruleset), ruleset.turn(state)
    assert board is not None
    assert isinstance(turn, Decision)
    return board.resolve(ruleset.view(state), turn.seat)


def _trace_lazily(
    ruleset: AnyRuleset, state: Any, prefixes: tuple[str, ...], names: Mapping[str, str]
) -> Iterator[tuple[str, Sequence[Touches]]]:
    board = find_board(ruleset)
    assert board is not None
    for prefix in prefixes:
        for legal in ruleset.legal_moves(state, prefix):
            move = ruleset.format_move(state, legal)
            if ways := board.trace(move):
                yield move, [tuple(names.get(touch, touch) for touch in way) for way in ways] if names else ways


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


def _sort_naturally(touch: str) -> list[tuple[str, int]]:
    """As people sort: d2 comes before d10."""
    parts = _DIGITS.split(touch)
    return [(word, int(number or 0)) for word, number in zip(parts[::2], [*parts[1::2], ""], strict=True)]


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
    clause = read_clauses(ruleset.id, ruleset.version, language).get(reason.clause)
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
