"""Times and durations as pages write them."""

from datetime import UTC, datetime

from markupsafe import Markup

from plyscribe.service.web.pages.blueprint import blueprint

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


@blueprint.app_template_filter("utc")
def render_time(time_ms: int) -> Markup:
    """A time in UTC to the minute, as an element that says it to programs too; a dash where no calendar has it."""
    try:
        time = datetime.fromtimestamp(time_ms / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return Markup("–")
    return Markup('<time datetime="{}">{} UTC</time>').format(
        time.isoformat(timespec="seconds").replace("+00:00", "Z"), time.strftime("%Y-%m-%d %H:%M")
    )


@blueprint.app_template_filter("duration")
def format_duration(span_ms: int) -> str:
    """A span of time in its two greatest units, `0 s` for less than a second."""
    rest, told = span_ms // 1000, []
    for seconds, unit in _UNITS:
        count, rest = divmod(rest, seconds)
        if count:
            told.append(f"{count} {unit}")
    return " ".join(told[:2]) or "0 s"
