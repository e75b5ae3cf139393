"""The notation of time controls: what people write, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plyscribe.domain.clocks import BONUSES
from plyscribe.domain.errors import Refusal
from plyscribe.domain.limits import MAX_INCREMENT_MS, MAX_MOVE_MS, MAX_PHASES, parse_limits
from plyscribe.domain.time_control import format_time_control, parse_time_control

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("5+3", {"match_ms": 5 * MINUTE, "increment_ms": 3000}),
        (" 5 + 3 ", {"match_ms": 5 * MINUTE, "increment_ms": 3000}),
        ("5", {"match_ms": 5 * MINUTE}),
        ("5+0", {"match_ms": 5 * MINUTE}),
        ("0.5+1", {"match_ms": 30_000, "increment_ms": 1000}),
        ("0:30+1.5", {"match_ms": 30_000, "increment_ms": 1500}),
        ("1:30:00+30", {"match_ms": 90 * MINUTE, "increment_ms": 30_000}),
        ("15 d10", {"match_ms": 15 * MINUTE, "delay_ms": 10_000}),
        ("15d10", {"match_ms": 15 * MINUTE, "delay_ms": 10_000}),
        ("15 delay 10", {"match_ms": 15 * MINUTE, "delay_ms": 10_000}),
        ("15 b10", {"match_ms": 15 * MINUTE, "bronstein_ms": 10_000}),
        ("15 Bronstein 10", {"match_ms": 15 * MINUTE, "bronstein_ms": 10_000}),
        ("G/60;d5", {"match_ms": HOUR, "delay_ms": 5000}),
        ("G/90;inc30", {"match_ms": 90 * MINUTE, "increment_ms": 30_000}),
        ("1 day/move", {"move_ms": DAY}),
        ("3 days/move", {"move_ms": 3 * DAY}),
        ("30s/move", {"move_ms": 30_000}),
        ("12 hours a move", {"move_ms": 12 * HOUR}),
        ("5 min per move", {"move_ms": 5 * MINUTE}),
        ("1:30/move", {"move_ms": 90_000}),
        ("10+0, 1 min/move", {"match_ms": 10 * MINUTE, "move_ms": MINUTE}),
        (
            "40/90:00+30, 30:00+30",
            {
                "match_ms": 90 * MINUTE,
                "increment_ms": 30_000,
                "phases": [{"after": 40, "add_ms": 30 * MINUTE, "increment_ms": 30_000}],
            },
        ),
        (
            "40/120, 20/60, SD/15 d5",
            {
                "match_ms": 2 * HOUR,
                "phases": [{"after": 40, "add_ms": HOUR}, {"after": 60, "add_ms": 15 * MINUTE, "delay_ms": 5000}],
            },
        ),
        ("5+0; seat 2: 1+0", {"match_ms": 5 * MINUTE, "seats": [{"seat": 2, "match_ms": MINUTE}]}),
    ],
)
def test_what_people_write_is_read(text, limits):
    assert parse_time_control(text) == limits
    complete = parse_limits(limits, 2)
    assert parse_limits(parse_time_control(format_time_control(complete)), 2) == complete


@pytest.mark.parametrize(
    "text",
    [
        *("", "quick", "5+", "5+3, 5+3", "40/90", "5:3:2:1+1", "1 day", "1 week/move", "1 day/move, 1 day/move"),
        *("5+3; table 2: 1+0", "5+3; seat two: 1+0", "-5+3", "5+3" * 200),
    ],
)
def test_what_is_no_time_control_is_refused(text):
    with pytest.raises(Refusal) as refusal:
        parse_time_control(text)
    assert refusal.value.code == "limits/notation"
    assert "5+3" in str(refusal.value)


@pytest.mark.parametrize(
    "text",
    [
        *("5+3", "5+0", "0:30+1.5", "15 d10", "15 b10", "40/90:00+30, 30:00+30", "1 day/move", "30 s/move"),
        *("2591999.999 s/move", "10+0, 1 min/move", "40/120:00, 20/60:00, 0:00 d5"),
        "5+0; seat 1: 1+0; seat 2: 3 days/move",
    ],
)
def test_the_notation_is_written_as_it_is_read(text):
    assert format_time_control(parse_limits(parse_time_control(text), 2)) == text


bonuses = st.just({}) | st.tuples(st.sampled_from(BONUSES), st.integers(1000, MAX_INCREMENT_MS)).map(
    lambda pair: dict([pair])
)


@st.composite
def controls(draw):
    limits = {}
    if draw(st.booleans()):
        limits |= {"match_ms": draw(st.integers(1000, 10**9)), **draw(bonuses)}
        afters = sorted(draw(st.sets(st.integers(1, 200), max_size=MAX_PHASES)))
        times = st.just(0) | st.integers(1000, 10**8)
        limits["phases"] = [{"after": after, "add_ms": draw(times), **draw(bonuses)} for after in afters]
    if "match_ms" not in limits or draw(st.booleans()):
        limits["move_ms"] = draw(st.integers(1000, MAX_MOVE_MS))
    return limits


@given(controls(), st.lists(controls(), max_size=2))
def test_whatever_limits_there_are_come_back(whole, odds):
    seats = [{"seat": number, **each} for number, each in enumerate(odds, 1)]
    complete = parse_limits({**whole, "seats": seats}, 2)
    assert parse_limits(parse_time_control(format_time_control(complete)), 2) == complete
