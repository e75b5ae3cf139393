"""The reasons of each format why its boards were paired. A format that is added gets a function in EXPLAINERS.

Entrants of a reason stand in the order of seats, unless its word says otherwise.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from plyscribe.domain.tournament.evolve import BY_HAND
from plyscribe.domain.tournament.explaining import Explanation, Past, Reason, walk_past
from plyscribe.domain.tournament.format_reasons import WORDS as FORMAT_WORDS
from plyscribe.domain.tournament.format_reasons import explain_challenge, explain_groups, explain_pyramid
from plyscribe.domain.tournament.history import Pair
from plyscribe.domain.tournament.points import score_games
from plyscribe.domain.tournament.schedule import count_defeats, draw_bracket, seat_by_turn, turn_circle
from plyscribe.domain.tournament.state import Round, Tournament
from plyscribe.domain.tournament.team_reasons import WORDS as TEAM_WORDS
from plyscribe.domain.tournament.team_reasons import explain_scheveningen, explain_teams

Reasons = tuple[Reason, ...]
Explainer = Callable[[Past, Round], Explanation]

WORDS: Mapping[str, str] = {
    "by-hand": "a person paired the round: `by` is the account, `why` the reason",
    "circle": "circle method: `place` of `places` in round `turn` of cycle `cycle`",
    "circle-turned": "the seats are exchanged against the plan, to make up for entrants who left",
    "circle-empty": "bye: the empty place of the circle was the opponent in round `turn` of cycle `cycle`",
    "opponent-missing": "bye: the second entrant was the opponent and did not play",
    "pod-plan": "round `turn` of `turns` of the plan of cycle `cycle`",
    "gauntlet": "the first entrant meets challenger `place` of `places` in cycle `cycle`",
    "bracket": "knockout: `slots` of the bracket, which meet in a block of `block` slots",
    "bracket-free": "bye: nobody else is left in the block of the bracket around slot `slot`",
    "last-two": "the last two of the knockout",
    "beaten": "places `places` of the `of` entrants who were beaten and play on: best against last",
    "beaten-odd": "bye: an odd number of beaten entrants play on, and few had fewer byes than `byes`",
    "won-board": "the entrant won board `board` of round `round`",
    "won-level": "the entrant went on from board `board` of round `round`, which was level, as the better seed",
    "lost-board": "the entrant lost board `board` of round `round`, and had a life left",
    "had-bye": "the entrant had a bye in round `round`",
    "score-group": "both have `points` points",
    "floated": "the first entrant, with `points[0]` points, comes down to the second, with `points[1]`",
    "ranks": "`ranks` of the entrants among the `of` with the same points, by seed",
    "points": "`points` of the entrants, on a board made at least cost",
    "meetings": "`number` earlier meetings of every two on the board, all together",
    "seat-due": "the entrant is due seat `seat`, and has it; `strength` is absolute, strong or mild",
    "seat-denied": "the entrant is due seat `seat`, and has the other; `strength` is absolute, strong or mild",
    "seat-by-number": "neither had a seat before: the better seed has seat 1 if its number, `number`, is odd",
    "seats-had": "`times`: how often each entrant had had its seat",
    "bye-lowest": "bye: `points` points and `byes` earlier byes",
    "bye-left-over": "bye: no full board was left; `byes` earlier byes",
    **TEAM_WORDS,
    **FORMAT_WORDS,
}
"""The words of reasons, and what they say. They never change."""


def explain_rounds(state: Tournament, wanted: Collection[int] | None = None) -> dict[int, Explanation]:
    """Why the boards and byes of these rounds (None: of all) were paired as they are."""
    explainer = EXPLAINERS.get(state.terms.format["kind"], _explain_nothing)
    found = {}
    for past, round in walk_past(state):
        if wanted is None or round.number in wanted:
            found[round.number] = (_explain_hand if round.engine == BY_HAND else explainer)(past, round)
    return found


def _explain_nothing(_: Past, round: Round) -> Explanation:
    return Explanation(tuple(() for _ in round.boards), tuple(() for _ in round.byes))


def _explain_hand(past: Past, round: Round) -> Explanation:
    made = [each for each in past.state.acts if each.what == "round-paired" and each.round == round.number]
    values = {"by": made[-1].by if made else None, "why": round.costs.get("why")}
    reasons = (Reason("by-hand", (), values),)
    return Explanation(
        tuple((*reasons, *_list_meetings(past, board)) for board in round.boards), tuple(reasons for _ in round.byes)
    )


# ---- fixed schedules


def _explain_round_robin(past: Past, round: Round) -> Explanation:
    if past.state.terms.seats != 2:
        return _explain_pod_plan(past, round)
    circle: list[int | None] = [each for each in past.list_seeds(round) if each in past.state.starters]
    circle += [None] * (len(circle) % 2)
    cycle, turn = divmod(round.number - 1, len(circle) - 1)
    pairs = turn_circle(circle, turn)
    places = {each: place for place, pair in enumerate(pairs) for each in pair}
    values = {"cycle": cycle + 1, "turn": turn + 1}
    boards = []
    for board in round.boards:
        place = places[board[0]]
        reasons = [Reason("circle", board, {**values, "place": place + 1, "places": len(pairs)})]
        if seat_by_turn(pairs[place], turn, place, cycle) != board:
            reasons.append(Reason("circle-turned", board))
        boards.append(tuple(reasons))
    byes = [_explain_missing(entrant, pairs[places[entrant]], values) for entrant in round.byes]
    return Explanation(tuple(boards), tuple(byes))


def _explain_missing(entrant: int, pair: Sequence[int | None], values: Mapping[str, Any]) -> Reasons:
    other = next((each for each in pair if each != entrant), None)
    if other is None:
        return (Reason("circle-empty", (entrant,), values),)
    return (Reason("opponent-missing", (entrant, other), values),)


def _explain_pod_plan(past: Past, round: Round) -> Explanation:
    turns, cycle = round.costs.get("rounds", 1), round.costs.get("cycle", 1)
    plan = Reason("pod-plan", (), {"cycle": cycle, "turn": (round.number - 1) % turns + 1, "turns": turns})
    return Explanation(
        tuple((plan, *_list_meetings(past, board), _count_had(past, board)) for board in round.boards),
        tuple((plan, _count_byes(past, entrant)) for entrant in round.byes),
    )


def _explain_gauntlet(past: Past, round: Round) -> Explanation:
    champion, *challengers = [each for each in past.list_seeds(round) if each in past.state.starters]
    cycle, place = divmod(round.number - 1, len(challengers))
    values = {"cycle": cycle + 1, "place": place + 1, "places": len(challengers)}
    boards = tuple((Reason("gauntlet", board, values), _count_had(past, board)) for board in round.boards)
    pair = champion, challengers[place]
    return Explanation(boards, tuple(_explain_missing(entrant, pair, values) for entrant in round.byes))


# ---- knockout


def _explain_knockout(past: Past, round: Round) -> Explanation:
    state = past.recall(round)
    defeats = count_defeats(state)
    slots = draw_bracket([each for each in past.list_seeds(round) if each in past.state.starters])
    placed = [*(each for board in round.boards for each in board), *round.byes]
    beaten = [each for each in past.list_seeds(round) if each in placed and defeats[each]]
    came = _find_ways(state, defeats)

    def explain(board: Sequence[int]) -> Reasons:
        pair = tuple(board)
        if len(placed) == 2:
            reason = Reason("last-two", pair)
        elif any(defeats[each] for each in board):
            places = [beaten.index(each) + 1 for each in board if each in beaten]
            reason = Reason("beaten", pair, {"places": places, "of": len(beaten)})
        else:
            block = 2
            while len({slots[each] // block for each in board}) > 1:
                block *= 2
            reason = Reason("bracket", pair, {"slots": [slots[each] + 1 for each in board], "block": block})
        found = (reason, *_list_meetings(past, board), *(came[each] for each in board if each in came))
        return (*found, _count_had(past, board))

    def spare(entrant: int) -> Reasons:
        if defeats[entrant]:
            return (Reason("beaten-odd", (entrant,), {"byes": past.byes[entrant]}),)
        return (Reason("bracket-free", (entrant,), {"slot": slots[entrant] + 1}),)

    return Explanation(tuple(map(explain, round.boards)), tuple(map(spare, round.byes)))


def _find_ways(state: Tournament, defeats: Mapping[int, int]) -> dict[int, Reason]:
    """How each entrant came through the last round."""
    if not state.rounds:
        return {}
    last = state.rounds[-1]
    before = count_defeats(replace(state, rounds=state.rounds[:-1]))
    ways = {entrant: Reason("had-bye", (entrant,), {"round": last.number}) for entrant in last.byes}
    for number, games in enumerate(last.games, 1):
        points = score_games(state, games)
        is_level = len(set(points.values())) == 1
        for entrant in points:
            lost = defeats[entrant] > before[entrant]
            word = "lost-board" if lost else "won-level" if is_level else "won-board"
            ways[entrant] = Reason(word, (entrant,), {"round": last.number, "board": number})
    return ways


# ---- Swiss


def _explain_swiss(past: Past, round: Round) -> Explanation:
    # Only the Dutch system lists floats.
    is_dutch = past.state.terms.seats == 2 and "floats" in round.costs
    explain = _explain_dutch if is_dutch else _explain_least_cost
    points = past.total(round)
    word = "bye-lowest" if past.state.terms.seats == 2 else "bye-left-over"
    byes = [(Reason(word, (each,), {"points": points[each], "byes": past.byes[each]}),) for each in round.byes]
    return Explanation(tuple(explain(past, round)), tuple(byes))


def _explain_least_cost(past: Past, round: Round) -> Iterator[Reasons]:
    points = past.total(round)
    for board in round.boards:
        reason = Reason("points", board, {"points": [points[each] for each in board]})
        yield (reason, *_list_meetings(past, board), _count_had(past, board))


def _explain_dutch(past: Past, round: Round) -> Iterator[Reasons]:
    """The score group of each board and the places in it, or who came down to whom; and the colours.

    The Dutch system ranks by points before penalties, and then by seed. It takes no account of boards that were only
    forfeited.
    """
    points, seeds = past.earn(round), past.list_seeds(round)
    sides, meetings = past.trace_played(round)
    numbers = {each: number for number, each in enumerate(seeds, 1)}
    there = {*round.byes}.union(*round.boards)
    sizes, ranks = Counter[Any](), dict[int, int]()
    for each in seeds:
        if each in there:
            sizes[points[each]] += 1
            ranks[each] = sizes[points[each]]
    for board in round.boards:
        high, low = pair = sorted(board, key=lambda each: (-points[each], numbers[each]))
        if points[high] != points[low]:
            grouped: Reasons = (Reason("floated", (high, low), {"points": [points[high], points[low]]}),)
        else:
            placed = {"ranks": [ranks[each] for each in pair], "of": sizes[points[high]]}
            group = Reason("score-group", (high, low), {"points": points[high]})
            grouped = (group, Reason("ranks", (high, low), placed))
        told = (
            _explain_sides(sides, board, numbers) if len(past.state.seatings) == 1 else ()
        )  # else each has both seats
        yield (*grouped, *_count_meetings(meetings, board), *told)


def _explain_sides(sides: Mapping[int, Sequence[int]], board: Sequence[int], numbers: Mapping[int, int]) -> Reasons:
    """Which seat each of a pair was due by FIDE's rules of colours (C.04.3 A.6), and whether it has it."""
    if not any(sides[each] for each in board):
        better = min(board, key=lambda each: numbers[each])
        return (Reason("seat-by-number", (better,), {"number": numbers[better]}),)
    reasons = []
    for seat, entrant in enumerate(board):
        due = find_due_seat(sides[entrant])
        if due is not None:
            word = "seat-due" if due[0] == seat else "seat-denied"
            reasons.append(Reason(word, (entrant,), {"seat": due[0] + 1, "strength": due[1]}))
    return tuple(reasons)


def find_due_seat(sides: Sequence[int]) -> tuple[int, str] | None:
    """The seat, counted from 0, that is due after these ones, and how strongly; None after none.

    >>> find_due_seat([0, 0]), find_due_seat([0, 1, 0]), find_due_seat([0, 1])
    ((1, 'absolute'), (1, 'strong'), (0, 'mild'))
    """
    if not sides:
        return None
    surplus = sides.count(0) - sides.count(1)
    if abs(surplus) > 1 or (len(sides) > 1 and sides[-1] == sides[-2]):
        is_first_due = surplus < -1 or (surplus <= 1 and sides[-1] == 1)
        return (0 if is_first_due else 1), "absolute"
    if surplus:
        return (1 if surplus > 0 else 0), "strong"
    return 1 - sides[-1], "mild"


# ---- for any format


def _list_meetings(past: Past, board: Sequence[int]) -> Reasons:
    return _count_meetings(past.meetings, board)


def _count_meetings(meetings: Counter[Pair], board: Sequence[int]) -> Reasons:
    number = sum(meetings[pair] for pair in combinations(sorted(board), 2))
    return (Reason("meetings", tuple(board), {"number": number}),) if number else ()


def _count_had(past: Past, board: Sequence[int]) -> Reason:
    return Reason("seats-had", tuple(board), {"times": [past.seats[each][seat] for seat, each in enumerate(board)]})


def _count_byes(past: Past, entrant: int) -> Reason:
    return Reason("bye-left-over", (entrant,), {"byes": past.byes[entrant]})


EXPLAINERS: Mapping[str, Explainer] = {
    "round-robin": _explain_round_robin,
    "gauntlet": _explain_gauntlet,
    "knockout": _explain_knockout,
    "swiss": _explain_swiss,
    "scheveningen": explain_scheveningen,
    "team-round-robin": explain_teams,
    "team-swiss": explain_teams,
    "pyramid": explain_pyramid,
    "groups": explain_groups,
    "league": _explain_round_robin,
    "ladder": explain_challenge,
}
"""What explains a round of each format. A round that a person paired is explained for all alike."""
