"""Why a text is no legal move of Portals: what was expected, or a rule that it breaks and what to do instead."""

from plyscribe.domain.phrases import Phrase, say
from plyscribe.domain.ruleset import MATCH_OVER, Decision, Over
from plyscribe.domain.rulesets.portals_v1.actions import BUILD, find_kinds, find_launches
from plyscribe.domain.rulesets.portals_v1.board import Board, each, find_passage, join
from plyscribe.domain.rulesets.portals_v1.moves import EXIT, LAUNCH, PLATFORM, WORDS
from plyscribe.domain.rulesets.portals_v1.state import DEMONS, END_CLAUSES, State, find_free

Breach = tuple[str, Phrase]
"""A rule that a move breaks, and how."""


def explain_notation(board: Board, text: str) -> Phrase:
    """What was expected instead of a text that cannot be read, by its first word."""
    last = board.names[max(board.names)]
    match text.split(" ")[0]:
        case "portal":
            return say(
                "portal and a field a1..{last}, then < and the platforms that arrows come from, > and those"
                " that they lead to, each list in order, as in portal d4 <c3,c4 >d5",
                last=last,
            )
        case "platform":
            return say(
                "platform and a field a1..{last}, then < and the portals that arrows come from, > and those"
                " that they lead into, each list in order, as in platform d4 <c3,c4 >d5",
                last=last,
            )
        case "launch":
            return say(
                "launch and the field of a portal a1..{last}, as in launch d4; if demons and pawns both arrive,"
                " also the exits of the demons, in order, as in launch d4 demons d5,e5",
                last=last,
            )
        case "enter":
            return say("the word enter alone")
        case "exit":
            return say("the word exit alone")
    return say("portal, platform, launch, enter or exit, as in portal d4 <c3,c4 >d5, launch d4 or enter")


def explain(state: State, text: str) -> Breach:
    """A rule that a well-formed text breaks, and what to do instead."""
    turn, board = state.turn, state.setup.board
    if isinstance(turn, Over):
        return END_CLAUSES.get(turn.reason, "PO11"), MATCH_OVER
    if not isinstance(turn, Decision):
        if state.contest:
            return "PO3", say("it is not yet decided who plays first. Roll the die for it, then move.")
        return "PO19", say("every turn begins with a roll. Roll the die, then move.")
    kind, seat = WORDS.index(text.split(" ")[0]), turn.seat
    if kind not in find_kinds(state):
        return _explain_kind(state, seat, kind)
    if kind in BUILD:
        return _explain_build(state, seat, text)
    if kind == LAUNCH:
        return _explain_launch(state, seat, text)
    if not state.pool[seat]:
        return "PO7", say("the pool of {seat} is empty. Build or launch instead.", seat=seat)
    start = board.names[state.setup.starts[seat]]
    return "PO10", say(
        "START on {field} cannot take a pawn of {seat} now. Build or launch instead.", seat=seat, field=start
    )


def _explain_kind(state: State, seat: int, kind: int) -> Breach:
    """Why the turn does not allow this kind of action."""
    roll = state.d8
    if find_kinds(state) == (EXIT,):
        return "PO8", say("a pawn of {seat} is on CENTER and must exit before anything else. Play exit.", seat=seat)
    if kind != EXIT or roll not in (None, 8):
        return "PO19", _say_use(roll or 0)
    if state.pawns[DEMONS] >> state.setup.board.center & 1:
        return "PO18", say("a demon on CENTER cannot exit. Launch a portal that takes it away from there.")
    return "PO8", say("{seat} has no pawn on CENTER. Bring one there before you exit.", seat=seat)


def _say_use(roll: int) -> Phrase:
    if roll <= 3:
        return say("a roll of {roll} is for building. Build a portal or a platform.", roll=roll)
    if roll <= 6:
        return say("a roll of {roll} is for launching. Launch a portal.", roll=roll)
    return say("a roll of {roll} is for entering. Play enter.", roll=roll)


def _explain_build(state: State, seat: int, text: str) -> Breach:
    board, names = state.setup.board, state.setup.board.names
    word, field, *lists = text.split(" ")
    number = board.numbers[field]
    come, go = (sum(_read_list(board, listed[1:]) for listed in lists if listed[0] == mark) for mark in "<>")
    joined = come | go
    if (state.platforms | state.portals) >> number & 1:
        return "PO4", say("{field} is not empty. Build on an empty field.", field=field)
    if not joined:
        return "PO4", say("no arrow joins what you build. Name neighbours after < or >, as in portal d4 <c3.")
    if come & go:
        twice = names[next(each(come & go))]
        return "PO4", say(
            "only one arrow can join {field} and {neighbour}. Name {neighbour} once.", field=field, neighbour=twice
        )
    if far := joined & ~(board.star << number - board.origin):
        away = names[next(each(far))]
        return "PO4", say(
            "{neighbour} is not beside {field}. Name neighbours of {field} only.", field=field, neighbour=away
        )
    if word == WORDS[PLATFORM]:
        wrong = names[next(each(joined & ~state.portals))]
        return "PO4", say("{neighbour} has no portal. Join a platform to neighbouring portals only.", neighbour=wrong)
    if joined & state.setup.foreign[seat]:
        start = next(each(joined & state.setup.foreign[seat]))
        owner, name = state.setup.starts.index(start), names[start]
        return "PO5", say(
            "{neighbour} is the START of {owner}. Build a portal that is not joined to it.", owner=owner, neighbour=name
        )
    wrong = names[next(each(joined & ~state.platforms))]
    return "PO4", say("{neighbour} has no platform. Join a portal to neighbouring platforms only.", neighbour=wrong)


def _explain_launch(state: State, seat: int, text: str) -> Breach:
    board, names, variant = state.setup.board, state.setup.board.names, state.setup.demons
    _, field, *rest = text.split(" ")
    number, named = board.numbers[field], _read_list(board, rest[1]) if rest else 0
    if not state.portals >> number & 1:
        return "PO6", say("there is no portal on {field}. Launch one that was built.", field=field)
    entries, exits = find_passage(board, state.net, number)
    demons = entries & state.pawns[DEMONS]
    if bare := entries & ~(state.pawns[seat] | demons):
        entry = names[next(each(bare))]
        if variant:
            return "PO6", say(
                "neither a pawn of {seat} nor a demon is on the entry {entry}. Fill every entry before you launch.",
                seat=seat,
                entry=entry,
            )
        return "PO6", say(
            "no pawn of {seat} is on the entry {entry}. Fill every entry before you launch.", seat=seat, entry=entry
        )
    count, places = demons.bit_count(), exits.bit_count()
    if count > places > 0:
        return "PO17", say("more demons are on the entries than there are exits. Launch another portal.")
    choice, ways = 0 < count < places, find_launches(state, seat, number)
    if named and ways and not choice:
        return "PO16", say("there is no choice of exits for demons here. Play launch {field} alone.", field=field)
    pays = bool(entries) or not variant  # PO14
    if pays and state.pool[seat] + entries.bit_count() < places:
        return "PO6", say("the pool of {seat} has too few pawns for all exits. Launch another portal.", seat=seat)
    if choice:
        return _explain_choice(board, number, named, exits, ways)
    colour = DEMONS if demons or not pays else seat
    full = names[next(each(exits & ~find_free(state, colour)))]
    if colour == DEMONS:
        return "PO10", say("the exit {exit} cannot take a demon. Launch another portal.", exit=full)
    return "PO10", say("the exit {exit} cannot take a pawn of {seat}. Launch another portal.", seat=seat, exit=full)


def _explain_choice(board: Board, number: int, named: int, exits: int, ways: tuple[int, ...]) -> Breach:
    """Why the named exits cannot be those that get demons, where some exits do and others get pawns."""
    if not ways:
        return "PO10", say("the exits cannot take these demons and pawns, however chosen. Launch another portal.")
    instead = f"launch {board.names[number]} demons {board.lists[number][ways[0]]}"
    if named.bit_count() != ways[0].bit_count() or named & ~exits:
        return "PO16", say("each demon takes one exit of the portal. Name these exits, as in {move}.", move=instead)
    return "PO10", say("an exit cannot take what it would get. Name other exits, as in {move}.", move=instead)


def _read_list(board: Board, listed: str) -> int:
    return join(board.numbers[name] for name in listed.split(","))
