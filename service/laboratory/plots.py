"""The plots of a report, as SVG without fonts, dates or anything else that differs from run to run."""

from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from plyscribe.service.laboratory.conclusions import format_value
from plyscribe.service.laboratory.swings import TENTHS

COLOURS = ("#8a8a8a", "#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""Those of Okabe and Ito, which people with a colour vision deficiency tell apart; grey for random bots."""

MARKERS = ("o", "s", "D", "^", "v")
WIDTH, HEIGHT = 6.4, 3.0
ROW = 0.27
MOST_KINDS = 24
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "plyscribe",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
    "legend.frameon": False,
}
MIDDLES = [(place + 0.5) / TENTHS for place in range(TENTHS)]


class Plot:
    """A plot: its name in files, what it shows in a sentence, and its SVG."""

    def __init__(self, name: str, caption: str, draw: Callable[[Any], None], height: float = HEIGHT) -> None:
        self.name, self.caption = name, caption
        with mpl.rc_context(STYLE):
            figure = Figure(figsize=(WIDTH, height), layout="constrained")
            draw(figure.subplots())
            file = StringIO()
            figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        text = file.getvalue()
        self.svg = "\n".join(line.rstrip() for line in text[text.index("<svg") :].splitlines()) + "\n"


def draw_plots(findings: Mapping[str, Any]) -> list[Plot]:
    """All plots of these findings."""
    if "comparison" in findings:
        return [_plot_comparison(findings["comparison"])]
    play = findings["play"]
    plots = [_plot_seats(play), _plot_length(play), _plot_branching(play), _plot_forecast(play), _plot_depths(play)]
    if any(findings["kinds"].values()):
        plots.append(_plot_kinds(findings["kinds"]))
    plots += [_plot_gradient(findings["gradient"]), _plot_luck(findings["luck"])]
    if any("measures" in each for each in findings["options"]):
        plots.append(_plot_options(findings["options"]))
    return plots


def _draw_dots(axes: Any, dots: Sequence[tuple[Mapping[str, Any], float]], place: int = 1, **more: Any) -> None:
    """Draw each estimate in its row, all of them at a time, which keeps the SVG small."""
    values, rows = [each["value"] for each, _ in dots], [row for _, row in dots]
    below = [max(0, each["value"] - each["low"]) for each, _ in dots]
    above = [max(0, each["high"] - each["value"]) for each, _ in dots]
    look = {"fmt": MARKERS[place], "color": COLOURS[place], "markersize": 5, "capsize": 3}
    axes.errorbar(values, rows, xerr=[below, above], **look, **more)


def _name_rows(axes: Any, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")


def _plot_seats(play: Mapping[str, Any]) -> Plot:
    seats = len(next(iter(play.values()))["seats"])

    def draw(axes: Any) -> None:
        for place, (rung, found) in enumerate(play.items()):
            dots = [(seat["score"], seat["seat"] - 1 + 0.22 * (place - 1)) for seat in found["seats"]]
            _draw_dots(axes, dots, place, label=rung)
        axes.axvline(0.5, color="black", linewidth=0.8)
        _name_rows(axes, [f"seat {seat + 1}" for seat in range(seats)])
        axes.set_xlabel("score between equal bots")
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))

    return Plot("seats", "The score of each seat between equal bots, with 95 % intervals.", draw, 1.2 + 0.6 * seats)


def _plot_length(play: Mapping[str, Any]) -> Plot:
    def draw(axes: Any) -> None:
        for place, (rung, found) in enumerate(play.items()):
            histogram = found["length"]["histogram"]
            edges = [histogram["from"] + histogram["width"] * step for step in range(len(histogram["counts"]) + 1)]
            shares = [count / found["matches"] for count in histogram["counts"]]
            axes.stairs(shares, edges, color=COLOURS[place], label=rung, linewidth=1.5)
        axes.set_xlabel("moves of a match")
        axes.set_ylabel("share of the matches")
        axes.legend()

    return Plot("length", "How long matches are.", draw)


def _plot_branching(play: Mapping[str, Any]) -> Plot:
    def draw(axes: Any) -> None:
        _draw_tenths(axes, {rung: found["choices"]["by_tenth"] for rung, found in play.items()})
        axes.set_ylim(bottom=0)
        axes.set_ylabel("legal moves, mean")

    return Plot("branching", "How many moves there are to choose from, in the course of a match.", draw)


def _plot_forecast(play: Mapping[str, Any]) -> Plot:
    def draw(axes: Any) -> None:
        _draw_tenths(axes, {rung: found["swings"]["leader_wins"] for rung, found in play.items() if found["swings"]})
        axes.axhline(0.5, color="black", linewidth=0.8)
        axes.set_ylim(0, 1.02)
        axes.set_ylabel("score of the seat ahead")

    return Plot("forecast", "How well the seat that is ahead does in the end: 0.5 says nothing, 1 decides.", draw)


def _draw_tenths(axes: Any, lines: Mapping[str, Sequence[float | None]]) -> None:
    for place, (rung, tenths) in enumerate(lines.items()):
        known = [(middle, value) for middle, value in zip(MIDDLES, tenths, strict=True) if value is not None]
        axes.plot(*zip(*known, strict=True), marker=MARKERS[place], color=COLOURS[place], label=rung, markersize=4)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["start", "¼", "½", "¾", "end"])
    axes.legend()


def _plot_depths(play: Mapping[str, Any]) -> Plot:
    def draw(axes: Any) -> None:
        edges = [place / TENTHS for place in range(TENTHS + 1)]
        for place, (rung, found) in enumerate(play.items()):
            counts = (found["swings"] or {}).get("deepest_in_tenths")
            if counts and sum(counts):
                axes.stairs(
                    [count / sum(counts) for count in counts], edges, color=COLOURS[place], label=rung, linewidth=1.5
                )
        axes.axvline(0.25, color="black", linewidth=0.8, linestyle=":")
        axes.set_xlim(0, 1)
        axes.set_xlabel("lowest chance of the later winner")
        axes.set_ylabel("share of the matches")
        axes.legend()

    return Plot("depths", "How low the later winner once stood; left of the dotted line is a comeback.", draw)


def _plot_kinds(kinds: Mapping[str, Sequence[Mapping[str, Any]]]) -> Plot:
    names = list(dict.fromkeys(each["kind"] for found in reversed(list(kinds.values())) for each in found))[:MOST_KINDS]

    def draw(axes: Any) -> None:
        chance = {each["kind"]: each["by_chance"] for each in next(iter(kinds.values()))}
        known = [(chance[name], row) for row, name in enumerate(names) if name in chance]
        shares, middles = [share for share, _ in known], [row for _, row in known]
        axes.vlines(
            shares, [row - 0.35 for row in middles], [row + 0.35 for row in middles], color="black", linewidth=1
        )
        for place, (rung, found) in enumerate(kinds.items()):
            rows = ((each["taken"], each["kind"]) for each in found if each["kind"] in names)
            dots = [(taken, names.index(kind) + 0.2 * (place - 1)) for taken, kind in rows]
            _draw_dots(axes, dots, place, label=rung)
        _name_rows(axes, names)
        axes.set_xlim(-0.02, 1.02)
        axes.set_xlabel("chosen, when on offer beside other kinds")
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))

    caption = "How often each kind of move is chosen when another is on offer too; the line is a choice by chance."
    return Plot("kinds", caption, draw, 1.1 + 1.4 * ROW * len(names))


def _plot_gradient(meetings: Sequence[Mapping[str, Any]]) -> Plot:
    def draw(axes: Any) -> None:
        _draw_dots(axes, [(each["score"], row) for row, each in enumerate(meetings)])
        axes.axvline(0.5, color="black", linewidth=0.8)
        axes.set_xlim(0, 1.02)
        _name_rows(axes, [f"{each['strong']} against {each['weak']}" for each in meetings])
        axes.set_xlabel("score of the first, seats exchanged")

    return Plot("gradient", "Whether more thinking wins: each bot against the one below it.", draw, 1.8)


SHARES = ("lineup", "dice", "both", "rest", "seeds")
SHARE_NAMES = ("who plays where", "dice", "dice × players", "dice × choices", "choices")


def _plot_luck(luck: Mapping[str, Any]) -> Plot:
    rows = {"all bots": luck["all_bots"], "without random": luck["without_random"]}

    def draw(axes: Any) -> None:
        for row, found in enumerate(rows.values()):
            left = 0.0
            for place, share in enumerate(SHARES):
                width = found["shares"][share]
                label = SHARE_NAMES[place] if row == 0 else None
                axes.barh(row, width, left=left, color=COLOURS[(1, 2, 4, 3, 0)[place]], label=label, height=0.6)
                left += width
        _name_rows(axes, list(rows))
        axes.set_xlim(0, 1)
        axes.set_xlabel("share of the variance of the score")
        axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1), ncols=3)

    caption = (
        "Where the outcome comes from. Other dice would change the three parts with dice: luck. Who plays is skill."
    )
    return Plot("luck", caption, draw, 2.2)


def _plot_options(options: Sequence[Mapping[str, Any]]) -> Plot:
    found = [each for each in options if "measures" in each]

    def draw(axes: Any) -> None:
        _draw_dots(axes, [(each["measures"]["seat_1_score"]["change"], row) for row, each in enumerate(found)])
        axes.axvline(0, color="black", linewidth=0.8)
        _name_rows(axes, [f"{each['option']} = {format_value(each['value'])}" for each in found])
        axes.set_xlabel("change of the score of seat 1, between greedy bots")

    caption = "What one option changes: the score of seat 1 against that with the options of the study."
    return Plot("options", caption, draw, 1.0 + ROW * len(found))


def _plot_comparison(comparison: Mapping[str, Any]) -> Plot:
    measures = comparison["measures"]

    def draw(axes: Any) -> None:
        for row, found in enumerate(measures.values()):
            total = found["lower"] + found["equal"] + found["higher"]
            left = 0.0
            for place, name in enumerate(("lower", "equal", "higher")):
                width = found[name] / total
                axes.barh(
                    row, width, left=left, color=COLOURS[(2, 0, 1)[place]], label=name if row == 0 else None, height=0.6
                )
                left += width
        axes.axvline(0.5, color="black", linewidth=0.8)
        _name_rows(axes, [name.replace("_", " ") for name in measures])
        axes.set_xlim(0, 1)
        axes.set_xlabel("share of the boards")
        axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1), ncols=3)

    return Plot("comparison", "On how many boards each measure is lower or higher under the second ruleset.", draw, 2.8)
