"""Every registered ruleset keeps the contract of `plyscribe.domain.ruleset` and of the rules' common part."""

from random import Random

import pytest

from plyscribe.domain.ruleset import AnyRuleset
from tests.domain.conformance import (
    POSITION_CHECKS,
    check_defaults,
    check_end,
    check_identity_card,
    check_listing,
    check_notation,
    check_options,
    check_presets,
    check_refusals,
    check_rolls,
    check_sample,
    check_seats,
    check_standing,
    check_symmetries,
    check_text,
    check_transpositions,
    check_turn,
    check_view,
    check_withdrawals,
    check_wrong_options,
    play_matches,
    sample_positions,
    spread,
)
from tests.domain.prove import every_ruleset, settings_of

QUICK_PLIES = 5_000
LONG_PLIES = 200_000


@every_ruleset
def test_a_ruleset_has_id_version_title_and_seats(ruleset: AnyRuleset) -> None:
    check_identity_card(ruleset)


@every_ruleset
def test_options_are_completed_once_and_agree_with_their_schema(ruleset: AnyRuleset) -> None:
    for setting in settings_of(ruleset):
        check_options(ruleset, setting.options)


@every_ruleset
def test_defaults_agree_with_the_schema_and_hold_a_ply_limit(ruleset: AnyRuleset) -> None:
    check_defaults(ruleset)


@every_ruleset
def test_presets_are_options_that_differ(ruleset: AnyRuleset) -> None:
    check_presets(ruleset)


@every_ruleset
def test_unknown_options_and_wrong_values_are_refused(ruleset: AnyRuleset) -> None:
    check_wrong_options(ruleset)


@every_ruleset
def test_a_match_starts_with_any_number_of_seats_in_range_and_no_other(ruleset: AnyRuleset) -> None:
    check_seats(ruleset)


@every_ruleset
def test_random_matches_keep_the_contract_and_replay(ruleset: AnyRuleset) -> None:
    play_matches(ruleset, settings_of(ruleset), QUICK_PLIES)


@pytest.mark.long
@every_ruleset
def test_many_random_matches_keep_the_contract_and_replay(ruleset: AnyRuleset) -> None:
    for position in spread(play_matches(ruleset, settings_of(ruleset), LONG_PLIES, seed=3), 1_000):
        for check in POSITION_CHECKS:
            check(position)


@every_ruleset
def test_the_turn_names_a_seat_in_play_dice_or_the_outcome(ruleset: AnyRuleset) -> None:
    for position in sample_positions(ruleset, settings_of):
        check_turn(position)


@every_ruleset
def test_a_view_names_ruleset_ply_and_leavers_and_survives_json(ruleset: AnyRuleset) -> None:
    for position in sample_positions(ruleset, settings_of):
        check_view(position)


@every_ruleset
def test_ranks_are_shared_by_ties_and_leavers_rank_last(ruleset: AnyRuleset) -> None:
    for position in sample_positions(ruleset, settings_of):
        check_standing(position)


@every_ruleset
def test_a_drawing_fits_a_terminal(ruleset: AnyRuleset) -> None:
    for position in sample_positions(ruleset, settings_of):
        check_text(position)


@every_ruleset
def test_legal_moves_exist_exactly_at_a_decision_once_each_in_fixed_order(ruleset: AnyRuleset) -> None:
    for position in sample_positions(ruleset, settings_of):
        check_listing(position)


@every_ruleset
def test_each_legal_move_has_one_spelling_that_gives_it_back(ruleset: AnyRuleset) -> None:
    for position in sample_positions(ruleset, settings_of):
        check_notation(position)


@every_ruleset
def test_every_other_text_is_bad_notation_or_illegal_by_a_clause(ruleset: AnyRuleset) -> None:
    for position in sample_positions(ruleset, settings_of):
        check_refusals(position)


@every_ruleset
def test_a_sampled_move_is_legal(ruleset: AnyRuleset) -> None:
    for number, position in enumerate(sample_positions(ruleset, settings_of)):
        check_sample(position, Random(number))


@every_ruleset
def test_dice_show_their_faces_only_and_only_when_due(ruleset: AnyRuleset) -> None:
    for position in sample_positions(ruleset, settings_of):
        check_rolls(position)


@every_ruleset
def test_any_seat_in_play_can_leave_at_any_time_and_nobody_else(ruleset: AnyRuleset) -> None:
    for position in sample_positions(ruleset, settings_of):
        check_withdrawals(position)
        check_end(position)


@every_ruleset
def test_a_symmetry_makes_no_difference_to_what_can_be_done_and_what_follows(ruleset: AnyRuleset) -> None:
    for position in sample_positions(ruleset, settings_of):
        check_symmetries(position)


@every_ruleset
def test_states_are_equal_exactly_when_views_and_turns_are(ruleset: AnyRuleset) -> None:
    for setting in settings_of(ruleset):
        check_transpositions(ruleset, setting)
