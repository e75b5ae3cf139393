"""Secret seeds of bots: nobody can compute a bot's moves before the end, and everybody can check them after it."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from plyscribe.domain.bots import build_bot, choose_move
from plyscribe.domain.bundle.report import check_match
from plyscribe.domain.chain import canonical_json
from plyscribe.domain.commands import AbortMatch, PlayOn, RevealDice, Secret, Withdraw
from plyscribe.domain.decide import decide
from plyscribe.domain.dice import commit
from plyscribe.domain.errors import SeedsKeyMissing, WrongValue
from plyscribe.domain.events import (
    DiceRevealed,
    MatchAborted,
    MatchCreated,
    MatchEnded,
    MatchRefuted,
    MatchVerified,
    SeedsRevealed,
    SharedDice,
)
from plyscribe.domain.seeds import derive_seed, derive_seeds_secret, open_seeds
from plyscribe.domain.verification import verify_match
from tests.domain.given import ANN, SEALED, SECRET, SEEDS_SECRET, SERVER_DICE, STREAM, SYSTEM, Table, account, new_match
from tests.domain.test_verification import chained, first, parsed, refuted_at

VERIFICATION = (Path(__file__).parents[2] / "docs" / "verification.md").read_text(encoding="utf-8")
[GOLDEN] = [
    vector
    for text in re.findall(r"```json\n(.+?)```", VERIFICATION, re.DOTALL)
    if "seats" in (vector := json.loads(text))
]

SECRET_BOT = build_bot("random", None)
REVEALED = SeedsRevealed(SEEDS_SECRET.hex())


def against_bot(ruleset: str = "zhen", **more: object) -> Table:
    return new_match(ruleset, (account(ANN), SECRET_BOT), bots=SEALED, **more)


def ended(ruleset: str = "zhen", **more: object) -> Table:
    table = against_bot(ruleset, **more)
    table.when(Withdraw, ANN)
    return table


def test_the_golden_vector_has_our_secret_commitment_and_seeds():
    secret = derive_seeds_secret(bytes.fromhex(GOLDEN["server_key"]), GOLDEN["match"])
    assert (secret.hex(), commit(secret)) == (GOLDEN["secret"], GOLDEN["commitment"])
    for place in GOLDEN["seats"]:
        assert canonical_json(["bot", GOLDEN["match"], place["seat"]]).decode() == place["message"]
        assert derive_seed(secret, GOLDEN["match"], place["seat"]) == place["seed"]


def test_the_first_event_commits_to_the_seeds_and_does_not_have_them():
    created = parsed(against_bot())[0].data
    assert (created.bots, created.seats, SECRET_BOT.seed) == (SEALED, (account(ANN), SECRET_BOT), None)
    with pytest.raises(WrongValue) as refusal:
        new_match("zhen", (None, SECRET_BOT))
    assert refusal.value.code == "bot/seed"


@pytest.mark.parametrize("seats", [(None, None), (build_bot("random", 7), None)])
def test_a_match_whose_seeds_are_all_in_the_open_commits_to_nothing(seats):
    table = new_match("zhen", seats, bots=SEALED)
    assert parsed(table)[0].data.bots is None
    assert table.when(AbortMatch, ANN) == [MatchAborted("called off")]


def test_the_end_reveals_the_seeds_after_the_dice():
    table = against_bot("toy", dice=SERVER_DICE, start="call")
    events = table.when(AbortMatch, ANN)
    assert events == [MatchAborted("called off"), DiceRevealed(SECRET.hex()), REVEALED]
    table = ended()
    assert [type(event.data) for event in parsed(table)[-2:]] == [MatchEnded, SeedsRevealed]
    seats = [seat.occupant for seat in table.match.life.seats]
    assert seats == [account(ANN), replace(SECRET_BOT, seed=derive_seed(SEEDS_SECRET, STREAM, 2))]


def test_the_end_without_the_key_is_refused_and_nothing_is_made_up():
    table = against_bot()
    for secret in (None, Secret(), Secret(seeds=bytes(32)), Secret(dice=SEEDS_SECRET)):
        with pytest.raises(SeedsKeyMissing) as refusal:
            decide(Withdraw(actor=ANN, secret=secret), table.match)
        assert refusal.value.code == "bot/key-missing"


def test_shared_dice_stay_secret_when_the_seeds_are_revealed():
    dice = SharedDice("block-" + "a" * 26, commit(SECRET), "0123456789abcdef", (STREAM, "match-" + "b" * 26))
    table = new_match("toy", (account(ANN), SECRET_BOT), dice=dice, bots=SEALED, start="call")
    assert table.when(AbortMatch, ANN) == [MatchAborted("called off"), REVEALED]
    assert table.match.life.awaits_reveal
    assert check_match(STREAM, table.entries).result == "ok"
    assert table.when(RevealDice, SYSTEM) == [DiceRevealed(SECRET.hex())]


def test_the_seed_of_a_bot_is_needed_to_choose_its_moves():
    table = against_bot()
    play = table.match.play
    with pytest.raises(ValueError, match="secret"):
        choose_move(SECRET_BOT, play.ruleset, play.state, 2, 0)


def test_seeds_that_were_given_stay_as_they_are():
    named = build_bot("greedy", 7)
    assert open_seeds(STREAM, (named, None, SECRET_BOT), SEEDS_SECRET) == (
        named,
        None,
        replace(SECRET_BOT, seed=derive_seed(SEEDS_SECRET, STREAM, 3)),
    )


def test_a_match_with_secret_seeds_is_verified_and_scored_as_any_other():
    bots = open_seeds(STREAM, (SECRET_BOT, SECRET_BOT), SEEDS_SECRET)
    table = new_match("zhen", (SECRET_BOT, SECRET_BOT), bots=SEALED)
    while table.status == "playing":
        play = table.match.play
        seat = play.turn.seat
        move = choose_move(bots[seat - 1], play.ruleset, play.state, seat, play.ply)
        table.when(PlayOn, SYSTEM, moves=(play.ruleset.format_move(play.state, move),))
    assert parsed(table)[-1].data == REVEALED
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)
    checks = {check.check: check.result for check in check_match(STREAM, table.entries).checks}
    assert (checks["rules"], checks["seeds"]) == ("ok", "ok")


def test_the_careful_way_confirms_the_seeds_too(monkeypatch):
    table = ended()
    monkeypatch.setattr("plyscribe.domain.verification.confirm_match", lambda *_: None)
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)


@pytest.mark.parametrize("secret", ["00" * 32, "", "not hex", SECRET.hex()])
def test_other_seeds_than_those_committed_to_are_found(secret):
    events = parsed(ended())
    n = first(events, SeedsRevealed)
    events[n] = events[n]._replace(data=SeedsRevealed(secret))
    refuted_at(chained(events), n + 1, "the revealed seeds are not the ones committed to")
    [fault] = [check for check in check_match(STREAM, chained(events)).checks if check.result == "fault"]
    assert (fault.check, fault.version) == ("seeds", n + 1)


def test_seeds_that_are_not_revealed_at_the_end_and_a_commitment_without_any_are_found():
    events = parsed(ended())
    n = first(events, SeedsRevealed)
    refuted_at(chained(events[:n]), n + 1, "seeds-revealed is missing")
    events = parsed(new_match("zhen", (build_bot("random", 7), None)))
    forged = [events[0]._replace(data=replace(events[0].data, bots=SEALED)), *events[1:]]
    assert isinstance(forged[0].data, MatchCreated)
    refuted_at(chained(forged), 1, "expected match-created")


@pytest.mark.parametrize("place", [1, 2])
def test_seeds_that_are_revealed_too_early_are_found(place):
    events = parsed(ended())
    early = [*events[:place], events[-1]._replace(cause="f" * 32), *events[place:]]
    assert isinstance(verify_match(STREAM, chained(early)), MatchRefuted)


def test_a_match_under_way_says_that_its_seeds_are_secret():
    report = check_match(STREAM, against_bot().entries)
    [check] = [check for check in report.checks if check.check == "seeds"]
    assert (report.result, check.result) == ("ok", "none")
    assert "secret until the match ends" in check.why
