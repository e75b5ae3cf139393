"""The job that shrinks matches which go differently under a candidate, and the rules that it goes by."""

import signal
from types import SimpleNamespace

import pytest

from plyscribe.domain.proofs.departure import find_departure
from plyscribe.domain.proofs.trials import Trial, Walk, walk
from plyscribe.domain.record import parse_record
from plyscribe.domain.ruleset import Over
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.processes.checkers import Asked
from plyscribe.workers import shrink_matches as module
from plyscribe.workers.shrink_matches import shrink_matches
from tests.domain.toy import TOY_V1, Push, Race, ToyMove, ToyV1, answering, faulty, given
from tests.domain.toy_v2 import TOY_V2
from tests.service.test_imports_api import bundle_of
from tests.service.test_ruleset_versions import SIX_HOLDS, TOO_MUCH
from tests.workers.test_check_matches import NEWEST, shop

__all__ = ["shop"]


def wait_at_a_push(self: ToyV1, state: Race, move: ToyMove) -> Race:
    """It never comes back."""
    while isinstance(move, Push):
        signal.pause()
    return TOY_V1.apply_move(state, move)


def fail_at_a_push(after: Race, state: Race, move: ToyMove) -> Race:
    if isinstance(move, Push):
        raise LookupError("nobody pushes")
    return after


REFUSES = given("parse_options", lambda raw: ({"no-such-option": 1},))()
FAILS = answering("apply_move", fail_at_a_push)()
SHOWS_MORE = answering("view", lambda view, _: {**view, "more": 1})()
ENDS_AT_ONCE = answering("apply_move", lambda after, *_: TOY_V1.end(after, Over("storm", (1, 1))))()


def plain(*moves: str, **options: int) -> Walk:
    trial = Trial(2, TOY_V1.parse_options({"dice": 0, **options}), tuple(f"move {move}" for move in moves))
    walked = walk(TOY_V1, trial)
    assert walked is not None
    return walked


def test_a_match_is_shrunk_to_the_fewest_steps_that_go_differently(shop, tmp_path):
    match = shop.record("hold", "push", *SIX_HOLDS, TOO_MUCH, "push")
    _, [smallest] = shrink_matches(NEWEST, [match], ())
    record = parse_record(smallest["record"])
    found = smallest["difference"]
    assert (found["kind"], found["clause"]) == ("illegal", "TO12")
    # Two coins each, one is given, and three are given: ten steps were recorded.
    assert (len(record.steps), found["steps"], smallest["steps_before"]) == (6, 6, 10)
    assert found["expected"].endswith(" 3")
    (tmp_path / "bundle").write_bytes(bundle_of(shop.parts, match))
    _, [of_bundle] = shrink_matches(NEWEST, (), [str(tmp_path / "bundle")])
    assert of_bundle["record"] == smallest["record"]


def test_what_goes_the_same_way_or_cannot_be_read_is_not_shrunk_and_a_candidate_that_hangs_is_given_up(
    shop, monkeypatch, tmp_path
):
    match = shop.record("hold", "push")
    assert shrink_matches(NEWEST, [match], [str(tmp_path / "nothing")]) == ({}, [])
    monkeypatch.setattr(module, "RUN_TIMEOUT_S", 1)
    monkeypatch.setattr(module, "find_difference", lambda entries, candidate: SimpleNamespace(kind="fails"))
    monkeypatch.setattr(Asked, "find_candidate", lambda asked: faulty(apply_move=wait_at_a_push)())
    assert shrink_matches(NEWEST, [match], ()) == ({}, [])


@pytest.mark.parametrize(
    ("candidate", "walked", "departure"),
    [
        (TOY_V1, plain("hold", "push"), None),
        (TOY_V2, plain("hold", "push"), None),
        (REFUSES, plain(), (0, 0, "options")),
        (FAILS, plain("hold", "push"), (2, 2, "fails")),
        (SHOWS_MORE, plain("hold"), None),
        (SHOWS_MORE, plain("hold", ply_limit=1), (1, 1, "view")),
        (find_ruleset("zhen"), plain(), (0, 0, "options")),
        (ENDS_AT_ONCE, plain("hold"), (1, 1, "end", "seat 2 decides", "over, storm, ranks 1 1")),
    ],
)
def test_the_first_place_at_which_a_candidate_goes_another_way_is_found(candidate, walked, departure):
    found = find_departure(walked, TOY_V1, candidate)
    assert (found and found[:3]) == (departure and departure[:3])
    if departure and len(departure) > 3:
        assert (found.expected, found.came) == departure[3:]
