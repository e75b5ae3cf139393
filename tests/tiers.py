"""Which tests `make test` leaves to `make test-all`: the mark `exhaustive`, given by these tables.

A test belongs here if it is one more case of what another test shows, or if it needs software that only
`make test-all` installs. Of the kinds of stores and databases, those that `make test` does not use have the mark in the
fixtures that list them.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, islice

import pytest

MOST_ITEMS = 9_000
"""How many tests `make test` may collect."""

EXHAUSTIVE = {
    "needs software that only `make test-all` installs": [
        "tests/archive/test_storage.py",
        "tests/deploy/",
        "tests/docs/test_datasets.py",
        "tests/docs/test_environments.py",
        "tests/docs/test_fast_play.py",
        "tests/docs/test_site.py",
        "tests/docs/test_studies.py",
        "tests/envs/test_compiled.py",
        "tests/envs/test_gymnasium.py",
        "tests/envs/test_openspiel.py",
        "tests/envs/test_pettingzoo.py",
        "tests/envs/test_stepping.py",
        "tests/examples/",
        "tests/service/test_dataset_command.py::test_the_examples_read_a_dataset",
        "tests/system/test_compose_cluster.py",
        "tests/system/test_installed.py",
        "tests/system/test_other_servers.py",
        "tests/system/test_topology.py",
        "tests/system/test_upgrade.py",
    ],
    "stops a store or cuts it off; tests/store/test_troubles.py and test_embedded.py do so in `make test`": [
        "tests/store/test_cluster.py::test_a_replica_takes_the_place_of_its_primary",
        "tests/store/test_cluster.py::test_no_node_at_all",
        "tests/store/test_cluster.py::test_the_feed_goes_on",
        "tests/store/test_cluster.py::test_what_a_dead_node_does_not_hold",
        "tests/store/test_sentinels.py",
        "tests/system/test_archive_processes.py",
        "tests/system/test_cut_network.py",
        "tests/system/test_full_disk.py",
        "tests/system/test_full_memory.py",
        "tests/system/test_lost_data.py",
        "tests/system/test_trial_cluster.py",
        "tests/system/test_troubled_store.py",
        "tests/system/test_watched_store.py",
    ],
    "kills or stops other processes; test_moves_together.py and test_standing.py do so in `make test`": [
        "tests/system/test_killed.py",
        "tests/system/test_resumed_streams.py",
        "tests/system/test_rotate_key.py",
        "tests/system/test_slow_readers.py",
        "tests/system/test_standing.py::test_a_server_that_stops_says_so",
        "tests/system/test_stopping.py",
        "tests/system/test_tournaments.py::test_a_tournament_goes_as_it_would_have",
        "tests/system/test_web_processes.py",
        "tests/workers/test_builds.py::test_the_command_may_be_killed_and_run_again",
    ],
    "takes long; `make test` has a shorter test of the same feature": [
        "tests/docs/test_tutorial.py",
        "tests/docs/test_webhooks.py",
        "tests/domain/test_bots.py::test_mcts_beats_greedy",
        "tests/domain/test_bundle.py::test_every_changed_added_dropped_or_swapped_byte",
        "tests/domain/test_full_matches.py::test_choices_hold_for_matches_that_fill_up",
        "tests/domain/test_report.py::test_whoever_changes_anything",
        "tests/domain/test_tournament_sprt.py::test_blocks_lead_to_the_wrong_hypothesis",
        "tests/domain/test_tournament_walks.py",
        "tests/service/test_crawl.py",
        "tests/service/test_pairing_dutch.py::test_nobody_meets_twice",
        "tests/service/test_pairing_pods.py::test_the_bound_is_never_above",
        "tests/service/test_rating_folds.py::test_rows_are_a_fresh_fold_whatever_is_killed_and_whoever_folds_too[sqlite]",
        "tests/service/test_ratings.py::test_a_match_can_be_left_out_at_any_version",
        "tests/store/test_troubles.py::test_a_server_that_loads_its_data_says_so",
        "tests/system/test_bridge.py::test_a_bot_that_dies_is_silent",
        "tests/system/test_bridge.py::test_a_bot_that_keeps_dying_loses_one_match_at_most",
        "tests/system/test_bridge.py::test_a_bridge_killed_and_started_again",
        "tests/system/test_bridge.py::test_draws_are_declined",
        "tests/system/test_bridge.py::test_other_events_in_the_match",
        "tests/system/test_bridge.py::test_two_bridges_at_once",
        "tests/system/test_contract.py::test_contract_and_server_agree[administrator]",
        "tests/system/test_contract.py::test_contract_and_server_agree[organiser]",
        "tests/system/test_contract.py::test_contract_and_server_agree[player step by step]",
        "tests/system/test_contract.py::test_contract_and_server_agree[player who acts]",
        "tests/system/test_contract.py::test_contract_and_server_agree[player who looks]",
        "tests/system/test_contract.py::test_contract_and_server_agree[stranger]",
        "tests/system/test_game_package.py",
        "tests/system/test_programs.py::test_a_cup_that_is_killed",
        "tests/system/test_rules_check.py::test_a_check_that_cannot_be_made_says_why",
        "tests/system/test_rules_check.py::test_a_killed_check_leaves_no_process_behind",
        "tests/system/test_rules_check.py::test_an_interrupted_check_leaves_nothing_behind",
        "tests/system/test_rules_check.py::test_nothing_is_shrunk_on_request",
        "tests/system/test_rules_check.py::test_the_store_is_only_read",
        "tests/system/test_rules_release.py",
        "tests/system/test_serve.py::test_another_store_gets_an_administrator",
        "tests/system/test_serve.py::test_the_operators_settings_are_kept",
        "tests/system/test_serve.py::test_what_dies_is_started_again",
    ],
    "tests what only tests use, or every entry of a long list": [
        "tests/domain/test_names.py::test_names_of_all_the_world_are_fine",
        "tests/faults/",
        "tests/test_bench.py",
    ],
}
"""What has the mark, and why: files, folders, and the beginnings of the names of tests."""

LONGEST = [
    "tests/system/test_contract.py",
    "tests/system/test_upgrade.py",
    "tests/system/test_installed.py",
    "tests/system/test_tournaments.py::test_a_tournament_goes",
    "tests/service/test_crawl.py",
    "tests/system/test_programs.py::test_a_cup_that_is_killed",
    "tests/docs/test_tutorial.py",
]
"""What takes longest. Each process begins with some of these, so that no other process waits for them at the end."""

JOURNEYS = [
    "tests/pages/test_accounts.py::test_the_welcome_page_shows_two_secrets_and_who_is_signed_in",
    "tests/pages/test_analysis.py::test_a_guest_signs_in_and_comes_back_to_the_line_for_suggestions",
    "tests/pages/test_analysis.py::test_a_link_with_a_step_that_the_rules_refuse_shows_the_position_before_it",
    "tests/pages/test_analysis.py::test_a_match_goes_on_from_a_line_and_says_what_was_tried",
    "tests/pages/test_desk.py::test_an_arbiter_runs_a_round_from_the_desk",
    "tests/pages/test_desk.py::test_what_others_do_appears_by_itself_and_leaves_a_form_as_it_is",
    "tests/pages/test_explorer_page.py::test_beside_a_line_it_follows_the_moves_that_are_tried",
    "tests/pages/test_format_pages.py::test_a_player_challenges_by_a_click_and_the_challenged_sees_the_deadline",
    "tests/pages/test_format_pages.py::test_groups_and_their_bracket_are_watched_to_the_end",
    "tests/pages/test_lessons.py::test_a_wrong_move_says_so_and_can_be_taken_back",
    "tests/pages/test_lessons.py::test_every_lesson_is_done_by_clicks_on_the_board[zhen]",
    "tests/pages/test_match_page.py::test_a_long_match_shows_the_part_of_its_moves_that_one_stands_in",
    "tests/pages/test_match_page.py::test_a_match_is_followed_while_its_stream_is_refused",
    "tests/pages/test_match_page.py::test_a_replay_of_every_game_can_be_stepped_through",
    "tests/pages/test_match_page.py::test_an_administrator_pauses_a_match_and_its_players_see_it_at_once",
    "tests/pages/test_match_page.py::test_the_rules_lead_to_a_match_to_step_through",
    "tests/pages/test_organising.py::test_a_pause_is_told_to_everybody_with_its_reason_until_it_goes_on",
    "tests/pages/test_organising.py::test_a_round_is_called_after_a_look_at_its_pairing",
    "tests/pages/test_organising.py::test_somebody_new_becomes_an_organiser_and_announces_an_evening",
    "tests/pages/test_organising.py::test_what_the_organiser_types_outlasts_what_comes_in_meanwhile",
    "tests/pages/test_other_origins.py::test_a_page_of_an_origin_that_is_trusted_plays_a_match",
    "tests/pages/test_phone.py::test_a_score_sheet_is_typed_and_a_fault_is_shown_at_its_place",
    "tests/pages/test_phone.py::test_a_step_whose_answer_was_lost_counts_once",
    "tests/pages/test_phone.py::test_of_two_phones_that_recorded_a_sheet_the_later_adds_what_the_other_did_not_have",
    "tests/pages/test_phone.py::test_what_contradicts_is_shown_side_by_side_and_people_choose",
    "tests/pages/test_play.py::test_a_match_from_a_real_table_is_recorded",
    "tests/pages/test_play.py::test_a_newcomer_learns_a_game_plays_a_match_by_few_clicks_and_wants_another[zhen]",
    "tests/pages/test_play.py::test_two_people_see_each_others_moves_as_they_are_made",
    "tests/pages/test_recorder.py::test_a_lost_connection_leaves_no_earlier_position_on_the_board",
    "tests/pages/test_recorder.py::test_a_withdrawal_asks_one_clear_question",
    "tests/pages/test_recorder.py::test_terrain_is_laid_by_clicking_its_fields",
    "tests/pages/test_recorder.py::test_touches_before_the_scripts_have_loaded_are_not_lost",
    "tests/pages/test_share.py::test_a_blog_shows_the_board_and_its_readers_step_through_it",
    "tests/pages/test_share.py::test_a_film_that_takes_long_is_asked_for_again_and_one_that_cannot_be_made_is_said_so",
    "tests/pages/test_share.py::test_two_friends_play_by_a_link_with_one_press_each[zhen]",
    "tests/pages/test_standings.py::test_the_tables_of_a_night_say_who_beat_whom",
    "tests/pages/test_starting.py::test_a_match_has_a_usual_time_control_which_is_explained",
    "tests/pages/test_starting.py::test_a_time_control_can_be_written",
    "tests/pages/test_table.py::test_an_offer_of_a_rematch_reaches_the_open_table_of_the_other_player",
    "tests/pages/test_table.py::test_on_a_phone_the_board_begins_near_the_top_and_nothing_scrolls_sideways",
    "tests/pages/test_table.py::test_replay_plays_the_match_back_from_the_beginning",
    "tests/pages/test_table.py::test_the_end_of_every_game_says_who_won_and_why",
    "tests/pages/test_tournament_page.py::test_a_closed_tournament_is_entered_by_invitation_and_steered_from_the_page",
    "tests/pages/test_tournament_page.py::test_a_tournament_is_watched_to_its_end",
    "tests/pages/test_turns.py::test_a_player_is_led_from_the_cup_to_their_game",
    "tests/pages/test_wall.py::test_the_wall_shows_results_as_they_come_to_visitors_without_an_account",
    "tests/pages/test_weight.py::test_a_page_weighs_little_has_no_barriers_and_fits_a_phone[/]",
]
"""What `make test` does in a browser: a journey for each page and feature. All else in tests/pages is exhaustive."""

MOST_CASES = 6
"""How many cases of a parametrised test `make test` runs: the first and the last, and others between them."""

_WHOLE = tuple(place for places in EXHAUSTIVE.values() for place in places)
_JOURNEYS = tuple(JOURNEYS)


def is_left_out(path: str) -> bool:
    """Whether a file, given by its path from the root of the tree, has exhaustive tests alone."""
    return path.startswith(tuple(place for place in _WHOLE if "::" not in place))


def find_exhaustive(names: Iterable[str]) -> set[str]:
    """Those of the collected tests, given by their node ids, that the tables leave to `make test-all`."""
    cases = defaultdict(list)
    found = set()
    for name in names:
        if name.startswith(_WHOLE) or (name.startswith("tests/pages/") and not name.startswith(_JOURNEYS)):
            found.add(name)
        else:
            cases[name.partition("[")[0]].append(name)
    for each in cases.values():
        found |= set(each) - {each[round(place * (len(each) - 1) / (MOST_CASES - 1))] for place in range(MOST_CASES)}
    return found


def begin_with_longest(items: list[pytest.Item], processes: int) -> list[pytest.Item]:
    """Reorder the tests for this number of processes: each gets an equal part, which begins with some of LONGEST."""
    longest = [[item for item in items if item.nodeid.startswith(name)] for name in LONGEST]
    others = iter([item for item in items if not item.nodeid.startswith(tuple(LONGEST))])
    ordered: list[pytest.Item] = []
    for number in range(processes):
        ordered += chain.from_iterable(longest[number::processes])
        ordered += islice(others, max(0, (number + 1) * len(items) // processes - len(ordered)))
    return ordered + list(others)
