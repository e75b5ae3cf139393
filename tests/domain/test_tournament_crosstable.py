"""The crosstable: who beat whom, which games were forfeited, annulled or corrected, and who sat out."""

from textwrap import dedent

from plyscribe.domain.tournament.commands import AnnounceAbsence, CorrectGame
from plyscribe.domain.tournament.crosstable import build_crosstable, list_crosstable
from plyscribe.domain.tournament.tables import render_text
from tests.domain.given_tournament import GivenTournament
from tests.domain.test_tournament_tables import four


def test_it_has_each_game_of_two_from_either_side_in_the_order_of_the_table():
    tournament = four(tiebreaks=[])
    tournament.pair([(1, 2)], byes=[3, 4])
    tournament.decide(3, 1, 2, 1)
    tournament.annul(2, 2)
    assert render_text(list_crosstable(tournament.state)) == dedent(
        """\
        rank  entrant  name       4   1  3   2  points  sat out
           1        4  random #4  \\      1   ×       4    bye 3
           2        1  random #1      \\  ½  10       3
           2        3  random #3  0   ½  \\           3    bye 3
           4        2  random #2  ×  01      \\       2
        """
    )


def test_with_three_seats_every_two_of_a_board_are_compared():
    tournament = GivenTournament(3, seats=3).begun([(1, 2, 3)])
    tournament.decide(1, 1, 2, 1, 2)
    against = {line.standing.entrant: line.against for line in build_crosstable(tournament.state)}
    marks = {one: {other: cells[0].mark for other, cells in found.items()} for one, found in against.items()}
    assert marks == {2: {1: "1", 3: "1"}, 1: {2: "0", 3: "½"}, 3: {1: "½", 2: "0"}}


def test_a_corrected_result_is_marked_and_leads_to_its_game():
    tournament = four()
    fields = {"round": 1, "board": 1, "game": 1, "ranks": (2, 1), "why": "the names were mixed up"}
    tournament.when(CorrectGame, **fields)
    [cell] = next(line for line in build_crosstable(tournament.state) if line.standing.entrant == 2).against[1]
    assert (cell.mark, cell.game.round, cell.game.board, cell.game.match) == ("1*", 1, 1, "match-1-1-1")


def test_byes_asked_byes_and_absences_are_told_apart():
    tournament = GivenTournament(4, scoring={"asked_byes": 1})
    tournament.when(AnnounceAbsence, entrant=3, round=1, bye=True)
    tournament.sit_out(4, 1)
    tournament.start()
    tournament.pair([], byes=[1, 2])
    tournament.pair([(1, 2), (3, 4)])
    cells = {line[1]: line[-1] for line in list_crosstable(tournament.state)[1:]}
    assert cells == {"1": "bye 1", "2": "bye 1", "3": "asked bye 1", "4": "absent 1"}
