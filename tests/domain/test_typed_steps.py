"""Steps typed as on a score sheet, which go on from a position."""

from plyscribe.domain.record import Line, read_steps
from plyscribe.domain.record.parsing import MOST_STEPS
from plyscribe.domain.rulesets import find_ruleset


def begin(ruleset="pathagon", *moves):
    rules = find_ruleset(ruleset)
    line = Line(rules, rules.parse_options({}), 2)
    for move in moves:
        line.move(move)
    return Line.go_on(rules, line.options, 2, line.state, line.ply)


def texts(found):
    return [getattr(each.step, "move", each.step) for each in found.steps]


def places(found):
    return [(each.line, each.column) for each in found.steps]


def test_steps_go_on_from_the_position_and_say_where_they_stand():
    found = read_steps(begin("pathagon", "d4"), "2. e5 c3\n {good} 4. a1")
    assert (texts(found), places(found), found.fault) == (["e5", "c3", "a1"], [(1, 4), (1, 7), (2, 12)], None)


def test_the_first_fault_has_its_place_and_the_steps_before_it_are_good():
    found = read_steps(begin("pathagon", "d4"), "e5\nc3 d4 a1")
    assert texts(found) == ["e5", "c3"]
    assert (found.fault.line, found.fault.column, found.fault.why.details["clause"]) == (2, 4, "PA4")


def test_a_sheet_has_no_headers_but_withdrawals_and_numbers_of_its_own_moves():
    found = read_steps(begin("pathagon", "d4"), "1. e5")
    assert (texts(found), str(found.fault.why)) == ([], "this is called move 1, but move 2 is due")
    found = read_steps(begin(), "d4 [seat 1 Ada]")
    assert (texts(found), found.fault.column) == (["d4"], 4)
    found = read_steps(begin(), "d4 (2 resigned)")
    assert (found.steps[1].step.seat, found.steps[1].step.cause, found.fault) == (2, "resigned", None)


def test_a_text_holds_so_many_steps_at_most():
    line = begin("zhen")
    moves = []
    while len(moves) <= MOST_STEPS and line.outcome is None:
        moves.append(next(line.ruleset.format_move(line.state, each) for each in line.ruleset.legal_moves(line.state)))
        line.move(moves[-1])
    found = read_steps(begin("zhen"), " ".join(moves))
    assert len(found.steps) == min(len(moves), MOST_STEPS)
