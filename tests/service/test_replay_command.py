"""`plyscribe replay`: text, pictures and films of a match."""

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.boards import draw_board
from plyscribe.service.boards.board import LastMove
from plyscribe.service.boards.pixels import render_png
from plyscribe.service.cli import replay, transfer
from plyscribe.service.cli.__main__ import cli
from tests.domain.given import hot_seat
from tests.domain.matches import bundle_of, played_to_its_end
from tests.service.test_bundle_api import Played

TYPED = "[ruleset zhen]\n[seat 1 Ada]\n[seat 2 Béa]\n\n+5 +3 5-4 +9 (2 resigned)\n"
ZHEN = find_ruleset("zhen", 1)


def run(*asked: object) -> Result:
    return CliRunner().invoke(cli, ["replay", *map(str, asked)], catch_exceptions=False)


@pytest.fixture
def typed(tmp_path):
    path = tmp_path / "evening.plyrec"
    path.write_text(TYPED, encoding="utf-8")
    return path


@pytest.fixture
def bundle(tmp_path):
    """Writes the bundle of a match between seats without names, after these moves."""

    def write(ruleset: str, *moves: str, **options: int):
        table = hot_seat(ruleset, options=options)
        table.play(*moves)
        path = tmp_path / "match.ndjson"
        path.write_bytes(bundle_of(table))
        return path

    return write


def zhen_after(*moves: str):
    state = ZHEN.initial_state(ZHEN.parse_options({}), 2)
    for move in moves:
        state = ZHEN.apply_move(state, ZHEN.parse_move(state, move))
    return state


def test_without_a_picture_asked_for_the_last_position_is_told_as_text(typed):
    ran = run(typed, "--ply", 3, "--no-effects")
    assert ran.exit_code == 0
    assert ran.stdout == f"Zhen · ply 3 of 4 · seat 1: 5-4\n\n{ZHEN.render_text(zhen_after('+5', '+3', '5-4'))}\n"
    assert run(typed, "--no-effects").stdout.startswith("Zhen · ply 4 of 4 · seat 2: +9\n")
    assert run(typed, "--ply", 0).stdout.startswith("Zhen · ply 0 of 4\n")


@pytest.fixture
def trapped(tmp_path):
    path = tmp_path / "trapped.plyrec"
    path.write_text("[ruleset pathagon]\n[seat 1 Ada]\n[seat 2 Bea]\n\nc3 c4 c5 (2 resigned)\n", encoding="utf-8")
    return path


def test_the_text_begins_with_what_each_step_did_in_the_language_that_was_asked_for(trapped, bundle):
    story, _, board = run(trapped).stdout.partition("\n\n")
    assert story.splitlines()[2:6] == [
        "  3. Ada places a piece from the reserve on c5.",
        "     Ada traps the piece of Bea on c4: it returns to the reserve.",
        "     c4 is closed to Bea for the next turn.",
        "     Bea leaves the match.",
    ]
    assert board == run(trapped, "--no-effects").stdout
    told = run(trapped, "--ply", 2, "--language", "de").stdout
    assert told.startswith("  2. Bea setzt einen Stein aus dem Vorrat auf c4.\n\nPathagon · ply 2 of 3")
    assert run(trapped, "--ply", 0).stdout.startswith("Pathagon · ply 0 of 3")
    assert run(trapped, "--language", "fr").exit_code == 2
    of_accounts = run(bundle("pathagon", "c3")).stdout
    assert of_accounts.startswith("  1. Seat 1 places a piece from the reserve on c3.\n\n")


@pytest.mark.parametrize("source", ["evening.plyrec", "match.ndjson"])
def test_a_position_is_drawn_with_its_last_move_and_the_view_that_it_was_made_in(
    typed, bundle, tmp_path, monkeypatch, source
):
    bundle("zhen", "+5", "+3", "5-4")
    drawn, png = [], tmp_path / "ply.png"
    monkeypatch.setattr(
        "plyscribe.service.boards.draw_board", lambda *asked: drawn.append(asked[2]) or draw_board(*asked)
    )
    ran = run(tmp_path / source, "--png", png, "--ply", 3, "--size", 300, "--theme", "dark")
    assert (ran.exit_code, ran.stdout) == (0, f"{png}\n")
    assert drawn == [LastMove(1, "5-4", ZHEN.view(zhen_after("+5", "+3")))]
    assert png.read_bytes() == render_png(draw_board(ZHEN, zhen_after("+5", "+3", "5-4"), drawn[0], "dark"), 300)


def test_dice_belong_to_the_position_that_they_lead_on_from():
    table = played_to_its_end()
    film, steps = replay._film_bundle(bundle_of(table)), table.match.play.steps
    assert [last and last[:2] for _, last in film.shots] == [None, *((each.seat, each.move) for each in steps)]
    assert film.shots[-1][0] == table.match.play.state


def test_a_match_of_the_store_is_shown_by_its_id(api, parts, monkeypatch):
    monkeypatch.setattr(transfer, "compose_beside", lambda _: parts)
    played = Played(api, parts)
    assert "\nZhen · ply 1 of 1 · seat 1: +5\n" in run(played.id).stdout
    ran = run("match-" + "a" * 26)
    assert (ran.exit_code, ran.output) == (1, f"error: match-{'a' * 26}: there is no match match-{'a' * 26}\n")


def test_what_cannot_be_shown_is_told_in_a_line(typed, tmp_path):
    assert run(typed, "--ply", 9).output == f"error: {typed}: the match has positions 0..4, not 9\n"
    assert run(tmp_path / "none").exit_code == 1
    (tmp_path / "no.ndjson").write_bytes(b"no\n")
    assert run(tmp_path / "no.ndjson").output.startswith(f"error: {tmp_path / 'no.ndjson'}: ")
    assert run(typed, "--gif", tmp_path / "a.gif", "--ply", 1).exit_code == 2


def test_a_film_shows_every_position_or_says_that_it_leaves_some_out(typed, bundle, tmp_path, monkeypatch):
    match = bundle("pathagon", "a1", "b2", "c3", "d4", size=5)
    assert run(match, "--gif", tmp_path / "match.gif", "--size", 200, "--delay", 100).exit_code == 0
    with Image.open(tmp_path / "match.gif") as film:
        assert (film.n_frames, film.width, film.info["duration"]) == (5, 200, 100)
    monkeypatch.setattr("plyscribe.service.boards.pixels.MOST_FRAMES", 3)
    ran = run(typed, "--gif", tmp_path / "a.gif", "--size", 100)
    assert ran.stderr.startswith("3 of 5 positions are shown: a GIF of this size cannot hold more\n")
    with Image.open(tmp_path / "a.gif") as film:
        assert film.n_frames == 3
