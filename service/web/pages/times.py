"""Times and durations as pages show them."""

from datetime import UTC, datetime

from markupsafe import Markup

from plyscribe.service.web.pages.blueprint import blueprint
from plyscribe.service.web.pages.speech import gettext, ngettext

_UNITS_S = (86_400, 3_600, 60, 1)


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
    for unit_s in _UNITS_S:
        count, rest = divmod(rest, unit_s)
        if count:
            parts.append(_count_units(count, unit_s))
    return " ".join(parts[:2]) or _count_units(0, 1)


def _count_units(count: int, unit_s: int) -> str:
    match unit_s:
        case 86_400:
            return gettext("%(count)s d", count=count)
        case 3_600:
            return gettext("%(count)s h", count=count)
        case 60:
            return gettext("%(count)s min", count=count)
    return gettext("%(count)s s", count=count)


def name_span(span_ms: int) -> str:
    """A whole number of days, hours, minutes or seconds in words, in the largest unit that fits."""
    if span_ms % 86_400_000 == 0:
        return ngettext("%(num)s day", "%(num)s days", span_ms // 86_400_000)
    if span_ms % 3_600_000 == 0:
        return ngettext("%(num)s hour", "%(num)s hours", span_ms // 3_600_000)
    if span_ms % 60_000 == 0:
        return ngettext("%(num)s minute", "%(num)s minutes", span_ms // 60_000)
    return ngettext("%(num)s second", "%(num)s seconds", span_ms // 1000)
