"""Times and durations as pages show them."""

from datetime import UTC, datetime

from markupsafe import Markup

from plyscribe.service.web.pages.blueprint import blueprint

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


@blueprint.app_template_filter("utc")
def render_time(time_ms: int) -> Markup:
    """A time in UTC to the minute, as a `<time>` element; a dash if it is outside the calendar."""
    try:
        time = datetime.fromtimestamp(time_ms / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return Markup("–")
    return Markup('<time datetime="{}">{} UTC</time>').format(
        time.isoformat(timespec="seconds").replace("+00:00", "Z"), time.strftime("%Y-%m-%d %H:%M")
    )


@blueprint.app_template_filter("duration")
def format_duration(span_ms: int) -> str:
    """A duration in its two largest units; `0 s` for less than a second."""
    rest, parts = span_ms // 1000, []
    for seconds, unit in _UNITS:
        count, rest = divmod(rest, seconds)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2]) or "0 s"
