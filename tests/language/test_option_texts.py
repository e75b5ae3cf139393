"""Every option and every preset has a name and a sentence, in every language."""

import pytest

from plyscribe.service.language.catalogues import ENGLISH
from plyscribe.service.language.option_texts import OPTIONS, PRESETS, OptionText, describe_option, describe_preset
from tests.domain.toy import TOY_V1
from tests.language.test_catalogues import OURS, check_file, every_language, every_ruleset, name_of

TEXTS = [text for each in (OPTIONS, PRESETS) for texts in each.values() for text in texts.values()]


@every_ruleset
def test_every_option_and_preset_of_a_ruleset_has_a_name_and_a_sentence(ruleset):
    options = ruleset.options_schema()["properties"]
    assert OPTIONS[name_of(ruleset)].keys() == options.keys()
    assert PRESETS.get(name_of(ruleset), {}).keys() == dict(ruleset.presets).keys()
    for name, schema in options.items():
        label, sentence, values = describe_option(ruleset, name, ENGLISH)
        assert label
        assert sentence.endswith(".")
        assert not values or set(values) == set(schema["enum"])


def test_there_are_no_texts_for_other_rulesets():
    assert OPTIONS.keys() | PRESETS.keys() == {name_of(each) for each in OURS}


@every_language
def test_every_text_of_an_option_is_translated(language):
    said = {part for label, sentence, values in TEXTS for part in (label, sentence, *values.values())}
    check_file(language, "options", [(text,) for text in sorted(said)], set())


@pytest.mark.parametrize("language", [ENGLISH, "de"])
def test_options_and_presets_from_outside_keep_their_names(language):
    assert describe_option(TOY_V1, "ply_limit", language) == OptionText("Ply limit", "")
    assert describe_preset(TOY_V1, "very_small", language) == OptionText("Very small", "")
    small = next(each for each in OURS if each.id == "pathagon")
    assert (describe_preset(small, "small", language).label == "Small") is (language == ENGLISH)
