"""The TRF report: columns, codes, and an independent checker that pairs each round again."""

from random import Random

import pytest
from caissify_pairings.fpc import check_trf
from caissify_pairings.trf import parse_trf

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.tournament.commands import AnnounceAbsence
from plyscribe.service.tournaments.pairing import pair_next
from plyscribe.service.tournaments.trf import export_trf
from tests.domain.given_tournament import GivenTournament, by_chance, by_number

SWISS = {"kind": "swiss", "rounds": 3}


def swiss(entrants, rounds):
    return GivenTournament(entrants, format={"kind": "swiss", "rounds": rounds})


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("entrants", "rounds"), [(6, 4), (9, 5), (14, 7), (21, 7), (24, 9)])
def test_the_checker_pairs_every_round_of_a_whole_event_the_same_way(entrants, rounds, seed):
    tournament = swiss(entrants, rounds).play(pair_next, by_chance(seed))
    report = check_trf(export_trf(tournament.state))
    summary = report["summary"]
    assert (summary["rounds_checked"], summary["rounds_matched"], summary["total_discrepancies"]) == (rounds, rounds, 0)
    assert (report["total_rounds"], report["num_players"]) == (rounds, entrants)


@pytest.mark.parametrize("seed", range(3))
def test_the_checker_follows_withdrawals(seed):
    tournament = swiss(12, 6).play(pair_next, by_chance(seed), most=3)
    tournament.leave(7)
    tournament.leave(2)
    tournament.play(pair_next, by_chance(seed))
    assert check_trf(export_trf(tournament.state))["summary"]["rounds_matched"] == 6


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("entrants", "rounds"), [(9, 5), (14, 7), (24, 9)])
def test_the_checker_pairs_every_round_after_a_forfeit_the_same_way(entrants, rounds, seed):
    tournament, fates = swiss(entrants, rounds), Random(seed)
    tournament.start()
    while (pairing := pair_next(tournament.state)) is not None:
        tournament.pair(*pairing)
        for (game,) in tournament.state.rounds[-1].games:
            losers = {1: game.entrants[:1], 2: game.entrants[1:], 3: game.entrants}.get(fates.randrange(9))
            if losers:
                tournament.forfeit(game.round, game.board, *losers)
            else:
                tournament.decide(game.round, game.board, *by_chance(seed)(game))
    assert check_trf(export_trf(tournament.state))["summary"]["rounds_matched"] == rounds


def test_the_report_has_the_columns_of_trf16():
    tournament = GivenTournament(3, format=SWISS)
    tournament.sit_out(1, 2)
    tournament.start()
    tournament.pair([(2, 1)], byes=[3])
    tournament.decide(1, 1, 1, 1)
    tournament.pair([(3, 2)])
    tournament.decide(2, 1, 2, 1)
    tournament.pair([(1, 3)], byes=[2])
    report = export_trf(tournament.state, {1: "Ada, Countess of Lovelace, born Byron"}).splitlines()
    head = "012 Cup|042 1970/01/01|062 3|072 0|082 0|092 Individual: Swiss-System (Dutch)|XXC white1|XXR 3"
    assert report[:8] == head.split("|")
    line = report[8].ljust(119)
    assert (line[:3], line[4:8], line[80:84], line[85:89]) == ("001", "   1", " 0.5", "   3")
    assert line[14:47] == "Ada, Countess of Lovelace, born B"
    assert (line[91:99], line[101:109], line[111:119]) == ("   2 b =", "0000 - Z", "   3 w  ")
    assert report[9][91:] == "   1 w =     3 b 1  0000 - U"
    parsed = {each["starting_number"]: each for each in parse_trf("\n".join(report))["players"]}
    assert [parsed[number]["score"] for number in (1, 2, 3)] == [0.5, 2.5, 1.0]


def test_games_that_were_annulled_forfeited_or_adjudicated_have_codes_of_their_own():
    tournament = GivenTournament(8, format=SWISS)
    tournament.start()
    tournament.pair([(1, 2), (4, 3), (5, 6), (7, 8)])
    tournament.forfeit(1, 1, 2)
    tournament.forfeit(1, 2, 3, 4)
    tournament.adjudicate(1, 3, 2, 1)
    tournament.decide(1, 4, 1, 2)
    tournament.annul(1, 4)
    codes = [line[91:] for line in export_trf(tournament.state).splitlines()[8:]]
    assert codes == [
        *("   2 w +", "   1 b -", "   4 b -", "   3 w -"),
        *("   6 w 0", "   5 b 1", "   8 w 0", "   7 b 0"),
    ]


def test_equal_names_are_told_apart_within_their_columns_and_ratings_stand_in_theirs():
    tournament = GivenTournament(at_table=True)
    for rating in (2100, None, 10_000):
        tournament.enter_guest(f"Guest {rating}", rating=rating)
    shown = [line[48:52] for line in export_trf(tournament.state).splitlines() if line.startswith("001")]
    assert shown == ["    ", "2100", "    "]
    tournament = GivenTournament(2, format=SWISS)
    names = {1: "Ada, Countess of Lovelace, born Byron", 2: "Ada, Countess of Lovelace, born Boole"}
    shown = [line[14:47].rstrip() for line in export_trf(tournament.state, names).splitlines()[8:]]
    assert shown == ["Ada, Countess of Lovelace, bor #1", "Ada, Countess of Lovelace, bor #2"]


@pytest.mark.parametrize(("absence", "letter"), [(0, "Z"), (1, "H"), (2, "F")])
def test_an_absence_has_the_letter_for_what_it_scores_and_rounds_before_an_entry_or_after_leaving_none(absence, letter):
    tournament = swiss(5, 2).play(pair_next, by_number, most=1)
    tournament.leave(1)
    tournament.enter()
    tournament.play(pair_next, by_number)
    lines = export_trf(tournament.state).splitlines()[8:]
    assert (lines[0].endswith("0000 - Z"), lines[5][91:].startswith("0000 - Z")) == (True, True)
    tournament = GivenTournament(3, scoring={"absence": absence})
    tournament.sit_out(3, 1)
    tournament.play(pair_next, by_number, most=1)
    line = export_trf(tournament.state).splitlines()[-1]
    assert (line[80:84], line[91:]) == (f"{absence / 2:4.1f}", f"0000 - {letter}")


@pytest.mark.parametrize(
    "terms",
    [
        *({"format": {"kind": "round-robin"}}, {"seats": 3}, {"repeat": "rotations"}),
        *({"scoring": each} for each in ({"places": [3, 1]}, {"places": [0, 0]}, {"bye": 1})),
        {"scoring": {"places": [3, 0], "absence": 1}},
    ],
)
def test_terms_that_the_format_cannot_express_are_refused(terms):
    with pytest.raises(WrongValue):
        export_trf(GivenTournament(4, **terms).state)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("entrants", "rounds"), [(6, 4), (9, 5), (24, 9)])
def test_a_second_reader_finds_every_report_consistent(entrants, rounds, seed, tmp_path):
    reader = pytest.importorskip("py4swiss.trf", reason="it is among the packages for tests, but not installed here")
    tournament = GivenTournament(entrants, format={"kind": "swiss", "rounds": rounds}, scoring={"asked_byes": 1})
    tournament.when(AnnounceAbsence, entrant=2, round=2, bye=True)
    tournament.play(pair_next, by_chance(seed), most=rounds - 1)
    tournament.leave(3)
    tournament.play(pair_next, by_chance(seed))
    path = tmp_path / "report.trf"
    path.write_text(export_trf(tournament.state), encoding="utf-8")
    read = reader.TrfParser.parse(path, strict=True)
    read.validate_contents()
    assert len(read.player_sections) == entrants
    assert {len(each.results) for each in read.player_sections} == {rounds}
