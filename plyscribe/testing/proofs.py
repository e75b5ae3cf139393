"""The proofs of a ruleset. Each is a function whose name says what it proves; it raises AssertionError if it fails."""

from collections.abc import Callable
from difflib import unified_diff
from itertools import islice
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from plyscribe.domain.bots import BOTS, make_bot
from plyscribe.domain.effects import NAMES
from plyscribe.domain.errors import RulesetError
from plyscribe.domain.proofs.cases import (
    CARD,
    DIGEST,
    PERFT,
    behaviour_digest,
    behaviour_lines,
    format_card,
    is_released,
    playthrough_file,
)
from plyscribe.domain.proofs.perft import explain_mismatch, format_perft, parse_perft
from plyscribe.domain.proofs.playthrough import PlaythroughCase, format_case, format_playthrough, read_steps
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll
from plyscribe.service.games import find_game, load_part
from plyscribe.service.kit.proof_files import Setting, require_proofs
from plyscribe.testing import conformance, effect_checks
from plyscribe.testing.conformance import POSITION_CHECKS, play_matches, sample_positions, spread
from plyscribe.testing.effect_checks import proved, sample, walk
from plyscribe.testing.fuzzing import (
    NOTATION_ALPHABET,
    check_reading,
    list_decisions,
    list_spellings,
    list_words,
    mutations,
)
from plyscribe.testing.subject import PLIES, Subject

Proof = Callable[[Subject], None]

PROOFS: dict[str, Proof] = {}
"""All proofs by name, in the order in which they are best read when several fail."""

DIFF_LINES = 40
BOT_PLIES = 16
BOT_PLAYOUTS = 3

repeatable = settings(derandomize=True, database=None, deadline=None)
"""The same examples in every run: a failure that one person saw is a failure for everybody."""


def proof(prove: Proof) -> Proof:
    """Enter a proof in PROOFS."""
    PROOFS[prove.__name__] = prove
    return prove


# ---- the contract


@proof
def it_has_an_id_a_version_a_title_and_seats(subject: Subject) -> None:
    """See the contract, `plyscribe.domain.ruleset`."""
    conformance.check_identity_card(subject.ruleset)


@proof
def options_are_completed_once_and_agree_with_their_schema(subject: Subject) -> None:
    """See `Ruleset.parse_options`."""
    for setting in subject.settings:
        conformance.check_options(subject.ruleset, setting.options)


@proof
def defaults_agree_with_the_schema_and_hold_a_ply_limit(subject: Subject) -> None:
    """See `Ruleset.options_schema`."""
    conformance.check_defaults(subject.ruleset)


@proof
def presets_are_options_that_differ(subject: Subject) -> None:
    """See `Ruleset.presets`."""
    conformance.check_presets(subject.ruleset)


@proof
def unknown_options_and_wrong_values_are_refused(subject: Subject) -> None:
    """See `Ruleset.parse_options`."""
    conformance.check_wrong_options(subject.ruleset)


@proof
def a_match_starts_with_any_number_of_seats_in_range_and_no_other(subject: Subject) -> None:
    """See `Ruleset.initial_state`."""
    conformance.check_seats(subject.ruleset)


@proof
def random_matches_keep_the_contract_and_replay(subject: Subject) -> None:
    """So many plies of random play; beyond the usual number, all else is checked at some positions on the way."""
    positions = play_matches(subject.ruleset, subject.settings, subject.plies)
    for position in spread(positions, subject.plies // 200) if subject.plies > PLIES else ():
        for check in POSITION_CHECKS:
            check(position)


@proof
def the_turn_names_a_seat_in_play_dice_or_the_outcome(subject: Subject) -> None:
    """See `Ruleset.turn`."""
    for position in sample_positions(subject):
        conformance.check_turn(position)


@proof
def a_view_names_ruleset_ply_and_leavers_and_survives_json(subject: Subject) -> None:
    """See `Ruleset.view`."""
    for position in sample_positions(subject):
        conformance.check_view(position)


@proof
def ranks_are_shared_by_ties_and_leavers_rank_last(subject: Subject) -> None:
    """See `Ruleset.standing`."""
    for position in sample_positions(subject):
        conformance.check_standing(position)


@proof
def a_drawing_fits_a_terminal(subject: Subject) -> None:
    """See `Ruleset.render_text`."""
    for position in sample_positions(subject):
        conformance.check_text(position)


@proof
def legal_moves_exist_exactly_at_a_decision_once_each_in_fixed_order(subject: Subject) -> None:
    """See `Ruleset.legal_moves`."""
    for position in sample_positions(subject):
        conformance.check_listing(position)


@proof
def each_legal_move_has_one_spelling_that_gives_it_back(subject: Subject) -> None:
    """See `Ruleset.format_move`."""
    for position in sample_positions(subject):
        conformance.check_notation(position)


@proof
def every_other_text_is_bad_notation_or_illegal_by_a_clause(subject: Subject) -> None:
    """See `Ruleset.parse_move`."""
    for position in sample_positions(subject):
        conformance.check_refusals(position)


@proof
def a_sampled_move_is_legal(subject: Subject) -> None:
    """See `Ruleset.sample_move`."""
    for number, position in enumerate(sample_positions(subject)):
        conformance.check_sample(position, Random(number))


@proof
def dice_show_their_faces_only_and_only_when_due(subject: Subject) -> None:
    """See `Ruleset.apply_roll`."""
    for position in sample_positions(subject):
        conformance.check_rolls(position)


@proof
def any_seat_in_play_can_leave_at_any_time_and_nobody_else(subject: Subject) -> None:
    """See `Ruleset.withdraw` and `Ruleset.end`."""
    for position in sample_positions(subject):
        conformance.check_withdrawals(position)
        conformance.check_end(position)


@proof
def a_symmetry_makes_no_difference_to_what_can_be_done_and_what_follows(subject: Subject) -> None:
    """See `Ruleset.symmetries`."""
    for position in sample_positions(subject):
        conformance.check_symmetries(position)


@proof
def states_are_equal_exactly_when_views_and_turns_are(subject: Subject) -> None:
    """See `Ruleset.view`."""
    for setting in subject.settings:
        conformance.check_transpositions(subject.ruleset, setting)


# ---- notation


@proof
def arbitrary_text_is_refused_or_spells_a_move_exactly(subject: Subject) -> None:
    """Text at random, and of letters that notations have."""
    texts = st.text() | st.text(NOTATION_ALPHABET, max_size=20)

    @repeatable
    @given(position=st.sampled_from(sample_positions(subject)), text=texts)
    def read(position: conformance.Position, text: str) -> None:
        check_reading(position, text)

    read()


@proof
def a_mutated_notation_is_refused_or_spells_a_move_exactly(subject: Subject) -> None:
    """Legal notations with a few characters changed."""

    @repeatable
    @given(position=st.sampled_from(sample_positions(subject)), text=mutations(list_spellings(subject)))
    def read(position: conformance.Position, text: str) -> None:
        check_reading(position, text)

    read()


@proof
def words_of_legal_notations_mixed_are_refused_or_spell_a_move_exactly(subject: Subject) -> None:
    """Words of several notations, one after the other."""

    @repeatable
    @given(
        position=st.sampled_from(sample_positions(subject)),
        words=st.lists(st.sampled_from(list_words(subject)), min_size=1, max_size=4),
    )
    def read(position: conformance.Position, words: list[str]) -> None:
        check_reading(position, " ".join(words))

    read()


@proof
def a_notation_legal_elsewhere_is_refused_or_spells_a_move_exactly(subject: Subject) -> None:
    """Legal notations, in other positions."""

    @repeatable
    @given(position=st.sampled_from(sample_positions(subject)), text=st.sampled_from(list_spellings(subject)))
    def read(position: conformance.Position, text: str) -> None:
        check_reading(position, text)

    read()


@proof
def text_of_no_use_never_breaks_the_reader(subject: Subject) -> None:
    """Empty, huge, and what no UTF-8 can hold."""

    @repeatable
    @given(text=st.text())
    @example(text="")
    @example(text="\ud800")
    @example(text="1" * 10_000)
    def read(text: Any) -> None:
        check_reading(list_decisions(subject)[0], text)

    read()


# ---- the proofs on file


@proof
def its_proofs_are_complete(subject: Subject) -> None:
    """Every file is there that `plyscribe rules prove` writes, and no other."""
    require_proofs(subject.ruleset, subject.root)


@proof
def the_leaf_counts_are_those_on_file(subject: Subject) -> None:
    """Perft: the lengths of all sequences of moves, from the positions of the cases."""
    for expected in parse_perft(subject.read(PERFT)):
        mismatch = explain_mismatch(subject.ruleset, expected)
        assert mismatch is None, f"{mismatch}\n{subject.advice}"


@proof
def the_perft_file_counts_the_cases_written_by_hand(subject: Subject) -> None:
    """Positions and depths are those of cases.json."""
    text = subject.read(PERFT)
    counted = [(result.case, len(result.counts)) for result in parse_perft(text)]
    assert counted == list(subject.cases.perft), f"cases.json has changed: run {subject.command}"
    assert format_perft(parse_perft(text)) == text, f"perft.txt was changed by hand: run {subject.command}"


@proof
def the_matches_on_file_play_again_as_they_are_told(subject: Subject) -> None:
    """Playthroughs: each step, with its effects and the view after it."""
    for case in subject.cases.playthroughs:
        name = playthrough_file(case)
        told = subject.read(name)
        ours = f"case {format_case(case)}" in told.splitlines()
        assert ours, f"{name}: its case has changed: run {subject.command}"
        difference = compare(subject, case, told)
        assert not difference, f"{name}: {difference}"


def compare(subject: Subject, case: PlaythroughCase, told: str) -> str:
    """How the match goes now, beside what the transcript says, and what to do; empty if it goes alike."""
    try:
        played = format_playthrough(subject.ruleset, case, read_steps(told))
    except RulesetError as error:
        return f"a step is refused now: {error}\n{subject.advice}"
    difference = unified_diff(told.splitlines(), played.splitlines(), "on file", "now", lineterm="", n=1)
    lines = list(islice(difference, DIFF_LINES))
    drawn = behaviour_lines(told) == behaviour_lines(played)
    advice = f"Only the drawing changed: run {subject.command}" if drawn else subject.advice
    return "\n".join([*lines, advice]) if lines else ""


@proof
def some_match_on_file_ends_by_withdrawal_and_some_at_the_ply_limit(subject: Subject) -> None:
    """Both can happen in every game."""
    ends = [subject.read(playthrough_file(case)) for case in subject.cases.playthroughs]
    for reason in ("withdrawal", "ply-limit"):
        shown = any(f": over, {reason}, " in text for text in ends)
        assert shown, f"no playthrough ends by {reason}: add one to cases.json, and run {subject.command}"


@proof
def seats_options_presets_and_effects_are_those_on_file(subject: Subject) -> None:
    """The card."""
    assert format_card(subject.ruleset) == subject.read(CARD), subject.advice


@proof
def the_pinned_digest_is_that_of_the_proofs(subject: Subject) -> None:
    """A change of behaviour changes the digest."""
    names = [CARD, PERFT, *(playthrough_file(case) for case in subject.cases.playthroughs)]
    found, pinned = behaviour_digest({name: subject.read(name) for name in names}), subject.read(DIGEST).split()[0]
    assert found == pinned, f"the behaviour on file is not the pinned one.\n{subject.advice}"


@proof
def its_class_names_the_digest_and_says_whether_it_is_released(subject: Subject) -> None:
    """Bundles name the digest: two servers with the same one play by the same rules."""
    told = subject.read(DIGEST)
    behaviour, released = told.split()[0], is_released(told)
    assert subject.ruleset.behaviour == behaviour, f'write into the class of {subject.name}: behaviour = "{behaviour}"'
    assert subject.ruleset.released == released, f"write into the class of {subject.name}: released = {released}"


# ---- effects


def require_retelling(subject: Subject) -> None:
    """Skip the proof if nobody wrote a second telling of the effects."""
    if not subject.retelling.is_file():
        pytest.skip(f"there is no {subject.retelling}: write it as docs/kit.md says")


@proof
def the_view_before_and_the_effects_tell_the_view_after(subject: Subject) -> None:
    """Effects are complete."""
    require_retelling(subject)
    effect_checks.check_completeness(subject, (*sample(subject), *proved(subject)))


@proof
def the_effects_of_random_matches_tell_every_view(subject: Subject) -> None:
    """The same, over as many plies as are asked for."""
    require_retelling(subject)
    effect_checks.check_completeness(subject, walk(subject, subject.plies * 3 // 20, seed=5))


@proof
def no_effect_changes_nothing(subject: Subject) -> None:
    """Without any one of its effects, a step cannot be retold."""
    require_retelling(subject)
    effect_checks.check_need(subject, (*sample(subject), *proved(subject)))


@proof
def every_clause_that_changes_something_is_named_by_some_kind_of_effect(subject: Subject) -> None:
    """The retelling lists these clauses."""
    require_retelling(subject)
    effect_checks.check_clauses(subject)


@proof
def effects_are_a_function_of_the_step(subject: Subject) -> None:
    """See `Ruleset.effects`."""
    effect_checks.check_stability(subject, sample(subject)[:500])


@proof
def the_first_effect_says_what_step_it_was(subject: Subject) -> None:
    """See `plyscribe.domain.effects`."""
    effect_checks.check_first_effect(subject, (*sample(subject), *proved(subject)))


@proof
def effects_are_of_their_kinds(subject: Subject) -> None:
    """See `Ruleset.effect_kinds`."""
    effect_checks.check_kinds(subject, (*sample(subject), *proved(subject)))


@proof
def every_kind_clause_and_word_occurs_in_some_match_on_file(subject: Subject) -> None:
    """Playthroughs show all that can happen."""
    effect_checks.check_occurrence(subject, proved(subject))


@proof
def an_end_gives_every_seat_its_rank_last_of_all(subject: Subject) -> None:
    """See `Ruleset.effects`."""
    effect_checks.check_ends(subject, (*sample(subject), *proved(subject)))


# ---- bots


@proof
def bots_play_legal_moves_and_the_same_ones_again(subject: Subject) -> None:
    """Every built-in bot, with every number of seats, to a limit of a few moves."""
    for seats in range(subject.ruleset.min_seats, subject.ruleset.max_seats + 1):
        for name in BOTS:
            first = play_bots(subject.ruleset, name, Setting(seats, {"ply_limit": BOT_PLIES}))
            again = play_bots(subject.ruleset, name, Setting(seats, {"ply_limit": BOT_PLIES}))
            assert first == again, f"{name} with {seats} seats plays {first}, then {again}"


def play_bots(ruleset: AnyRuleset, name: str, setting: Setting) -> list[str]:
    """The notations of a match between bots of this name; each move is found legal."""
    playouts = BOT_PLAYOUTS if name == "mcts" else None
    bots = [make_bot(name, seat, playouts) for seat in range(setting.seats)]
    state, dice, moves = ruleset.initial_state(ruleset.parse_options(setting.options), setting.seats), Random(1), []
    while not isinstance(turn := ruleset.turn(state), Over):
        if isinstance(turn, Roll):
            state = ruleset.apply_roll(state, tuple(dice.randint(1, turn.sides) for _ in range(turn.count)))
            continue
        move = bots[turn.seat - 1].choose_move(ruleset, state)
        moves.append(ruleset.format_move(state, move))
        assert ruleset.parse_move(state, moves[-1]) == move, f"{name} plays {moves[-1]}, which is another move"
        state = ruleset.apply_move(state, move)
    return moves


# ---- what is there for people


@proof
def every_position_can_be_drawn_for_every_seat(subject: Subject) -> None:
    """The picture of a board is well-formed, and names each thing and each part to touch once."""
    from plyscribe.service.boards import draw_board

    for position in sample_positions(subject)[::4]:
        for seat in (None, *range(1, position.seats + 1)):
            root = ElementTree.fromstring(str(draw_board(subject.ruleset, position.state, seat=seat)))
            for attribute in ("data-touch", "data-place", "data-key"):
                named = [element.attrib[attribute] for element in root.iter() if attribute in element.attrib]
                twice = {name for name in named if named.count(name) > 1}
                assert not twice, f"{attribute} {sorted(twice)} of two elements\n{position.where}"


@proof
def every_move_can_be_made_by_touches_and_is_explained(subject: Subject) -> None:
    """If the board traces moves: each way begins with a part of the drawing, and each notation has a sentence."""
    from plyscribe.service.boards import draw_board, find_board
    from plyscribe.service.boards.board import Board

    board = find_board(subject.ruleset)
    if board is None or board.trace is Board._field_defaults["trace"]:
        pytest.skip("it has no board on which moves are made")
    for position in list_decisions(subject)[::4]:
        turn = subject.ruleset.turn(position.state)
        assert isinstance(turn, Decision)
        seat = turn.seat
        root = ElementTree.fromstring(str(draw_board(subject.ruleset, position.state, seat=seat)))
        parts = {element.attrib["data-touch"] for element in root.iter() if "data-touch" in element.attrib}
        names = board.resolve(position.view, seat)
        for text in position.texts():
            assert board.explain(text), f"{text!r} is not explained"
            ways = [[names.get(touch, touch) for touch in way] for way in board.trace(text)]
            assert ways, f"{text!r} cannot be made by touches"
            for way in ways:
                assert way[0] in parts, f"{text!r} begins with a touch of {way[0]!r}, which is not in {sorted(parts)}"


@proof
def every_effect_has_a_sentence_with_its_details_alone(subject: Subject) -> None:
    """In English, for all effects of the matches on file."""
    from plyscribe.service.language.every_game import SENTENCES
    from plyscribe.service.language.sentences import choose_sentence, find_sentences, list_places

    sentences = find_sentences(subject.ruleset)
    if sentences == SENTENCES:
        pytest.skip("it brings no sentences")
    fields = {shown: name for name, shown in NAMES.items()}
    for taken in proved(subject):
        for effect in taken.effects:
            texts = choose_sentence(sentences, effect)
            assert texts, f"{effect} has no sentence"
            for text in texts:
                lacking = [each for each in list_places(text) if getattr(effect, fields.get(each, each), None) is None]
                assert not lacking, f"{effect} has no {', '.join(lacking)}, but {text!r} asks for it"


@proof
def every_sentence_is_translated(subject: Subject) -> None:
    """If a package brings translations: all sentences for effects, with the same places."""
    from plyscribe.service.language.catalogues import LANGUAGES, read_folder
    from plyscribe.service.language.sentences import list_places

    game, words = find_game(*key_of(subject)), load_part(*key_of(subject), "words")
    if game is None or game.translations is None or words is None:
        pytest.skip("it brings no translations")
    for language in LANGUAGES:
        if not (game.translations / language).is_dir():
            continue
        found = read_folder(game.translations, language)
        for text in words.SENTENCES.values():
            english = (text,) if isinstance(text, str) else text
            forms = found.get((None, english[0]), ())
            assert forms, f"{english[0]!r} has no translation into {language}"
            assert all(forms), f"{english[0]!r} has an empty translation into {language}"
            for number, form in enumerate(forms):
                places = list_places(english[min(number, len(english) - 1)])
                # `{piece_accusative}` is the piece in one of its cases.
                stray = [each for each in list_places(form) if not {each, each.rpartition("_")[0]} & {*places}]
                assert not stray, f"{form!r} asks for {', '.join(stray)}, which {english!r} does not have"


@proof
def the_rulebook_has_every_clause_that_it_names(subject: Subject) -> None:
    """The clauses of effects and ends are in the rules, in every language."""
    from plyscribe.service.language.catalogues import LANGUAGES
    from plyscribe.service.rulebooks import read_clauses

    clauses = read_clauses(*key_of(subject))
    if not clauses:
        pytest.skip("it brings no rulebook")
    ruleset = subject.ruleset
    named = {clause for kind in ruleset.effect_kinds for clause in kind.clauses} | {*ruleset.end_clauses.values()}
    assert not named - {None} - clauses.keys(), f"not in the rulebook: {sorted(filter(None, named - clauses.keys()))}"
    for language in LANGUAGES:
        assert list(read_clauses(*key_of(subject), language)) == list(clauses), f"the rulebook in {language} differs"


@proof
def every_lesson_can_be_done_as_it_says(subject: Subject) -> None:
    """It begins with a move of its seat, and the solution does the task with its last move."""
    from plyscribe.service.lessons import list_lessons
    from plyscribe.testing.lesson_checks import check_lesson

    lessons = list_lessons(subject.ruleset)
    if not lessons:
        pytest.skip("it brings no lessons")
    for lesson in lessons:
        check_lesson(subject.ruleset, lesson)


def key_of(subject: Subject) -> tuple[str, int]:
    """Its id and version."""
    return subject.ruleset.id, subject.ruleset.version
