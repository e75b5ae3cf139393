"""`plyscribe selfplay`: what it prints and writes."""

import json

import pytest
from click.testing import CliRunner

from plyscribe.service.cli.__main__ import cli


def run(*arguments: str, status: int = 0):
    result = CliRunner().invoke(cli, ["selfplay", *arguments])
    assert result.exit_code == status, result.output
    return result


def test_it_says_how_the_games_ended_and_who_won():
    shown = run("zhen", "--games", "20", "--workers", "0").output
    assert shown.startswith("zhen 1: 20 games, ")
    assert "How they ended: blocked 20." in shown
    assert "seat 2" in shown


def test_json_has_scores_of_seats_and_bots_and_counts_games_that_were_cut_off():
    arguments = ["--games", "6", "--bot", "greedy", "--bot", "random", "--workers", "0", "--json"]
    about = json.loads(run("zhen", *arguments).output)
    assert about["games"] == about["seats"][0]["games"] == 6
    greedy, other = about["bots"]
    assert (greedy["bot"], other["bot"]) == ("greedy", "random")
    assert greedy["score"]["mean"] + other["score"]["mean"] == pytest.approx(1)
    assert greedy["score"]["low"] < greedy["score"]["mean"]
    about = json.loads(run("pathagon", "--games", "2", "--most-steps", "5", "--workers", "0", "--json").output)
    assert (about["cut_off"], about["seats"], about["reasons"]) == (2, [None, None], {})


def test_games_are_written_line_by_line_with_their_steps(tmp_path):
    path = tmp_path / "games.jsonl"
    run("crystals", "--games", "3", "--first", "5", "--workers", "0", "--out", str(path), "--steps")
    games = [json.loads(line) for line in path.read_text().splitlines()]
    assert [game["game"] for game in games] == [5, 6, 7]
    assert all(len(game["steps"]) == game["plies"] + game["rolls"] for game in games)


def test_games_on_standard_output_come_alone_and_a_number_that_does_not_fit_is_refused():
    assert "fewer bots" in run("rings", "--seats", "2", *["--bot", "random"] * 3, status=2).stderr
    result = run("zhen", "--games", "2", "--workers", "0", "--out", "-", "--bot", "random")
    assert [json.loads(line)["bots"] for line in result.stdout.splitlines()] == [["random", "random"]] * 2
    assert "2 games" in result.stderr
