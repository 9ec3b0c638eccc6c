"""Pictures of results, readable in black and white: the only room that knows matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from pitchsim.advice import CALL_NAMES, Advice, Lead, table_in_words
from pitchsim.cards import format_card, format_hand
from pitchsim.matching import Match
from pitchsim.report import CHART_SUFFIXES, check_out_path
from pitchsim.statistics import wilson
from pitchsim.storage import whole_file

MOST_LEADS = 3
ONE_STANDARD_ERROR = 0.6827
# Distinct in grey too: dark, middle and light, with a hatch each.
FILLS = (("#1b4965", ""), ("#62a8ac", "//"), ("#d9e5d6", ".."))
STYLE: Any = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "pitchsim",
    "figure.dpi": 120,
}


def draw_advice(advice: Advice, path: str | Path) -> None:
    """Draw how the points of the best leads are distributed, and the value of each call with its error.

    Raises InputError for a place or a suffix that cannot be, RunError when writing fails.
    """
    target = check_out_path(path, CHART_SUFFIXES)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 4.6), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        leads = sorted(advice.heard or advice.alone, key=lambda lead: -(lead.points.mean or 0))
        _draw_points(left, leads[:MOST_LEADS])
        _draw_calls(right, advice)
        figure.suptitle(_title(advice), fontsize=11)
        _save(figure, target)


def _title(advice: Advice) -> str:
    """Hand, seat and calls; table, policies and deals."""
    heard = ", ".join(CALL_NAMES[call] for call in advice.situation.heard)
    after = f" after {heard}" if heard else ""
    others = f", others {advice.others}" if advice.others else ""
    return (
        f"{format_hand(advice.cards)}: seat {advice.situation.seat + 1}{after}; {table_in_words(advice.rules)}\n"
        f"play {advice.play}, bidding {advice.bidding}{others}, {advice.weighing.deals:,} deals"
    )


def _draw_points(axes: Axes, leads: Sequence[Lead]) -> None:
    """Bars: the chance of exactly 0, 1, 2, 3, 4 points, for each lead."""
    width = 0.8 / len(leads)
    for place, lead in enumerate(leads):
        reach = (1.0, *lead.at_least, 0.0)
        exactly = [reach[points] - reach[points + 1] for points in range(5)]
        errors = _bars(exactly, lead.effective)
        colour, hatch = FILLS[place]
        at = [points + (place - (len(leads) - 1) / 2) * width for points in range(5)]
        label = f"pitch {format_card(lead.card)}: {lead.points.mean:.2f} points"
        axes.bar(
            at, exactly, width * 0.94, yerr=errors, capsize=2, color=colour, hatch=hatch, edgecolor="black",
            linewidth=0.6, label=label, error_kw={"linewidth": 0.8},
        )  # fmt: skip
    axes.set_xlabel("points won as pitcher")
    axes.set_ylabel("chance")
    axes.set_xticks(range(5))
    axes.set_ylim(0, None)
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(leads), columnspacing=1.2)


def _bars(shares: Sequence[float], deals: float) -> list[list[float]]:
    """How far down and up the error bars of some shares go: Wilson's intervals, as wide as one standard error."""
    ends = [wilson(share * deals, deals, ONE_STANDARD_ERROR) for share in shares]
    return [
        [max(share - low, 0.0) for share, (low, _) in zip(shares, ends, strict=True)],
        [max(high - share, 0.0) for share, (_, high) in zip(shares, ends, strict=True)],
    ]


def _draw_calls(axes: Axes, advice: Advice) -> None:
    """Points with error bars: the value of each call; the best is filled."""
    rows = advice.call_rows()
    best = CALL_NAMES[advice.call]
    for place, row in enumerate(rows):
        filled = row["call"] == best
        axes.errorbar(
            row["value"], place, xerr=2 * (row["se"] or 0), fmt="o", markersize=9, capsize=4, color="#1b4965",
            markerfacecolor="#1b4965" if filled else "white",
        )  # fmt: skip
        axes.annotate(
            f"{row['value']:+.2f}", (row["value"], place), (0, 9), textcoords="offset points", ha="center", fontsize=9
        )
    axes.axvline(0, color="grey", linewidth=0.8)
    axes.set_yticks(range(len(rows)), [row["call"] for row in rows])
    axes.set_ylim(-0.6, len(rows) - 0.2)
    axes.margins(x=0.12)
    axes.set_ylabel("call")
    unit = "score change" if advice.objective == "score" else "margin"
    axes.set_xlabel(f"{unit}, points a deal\n(bars: two standard errors)")


def draw_match(match: Match, path: str | Path) -> None:
    """Draw how far each policy is above the others, and, where games were played, what share of them it won.

    Raises InputError for a place or a suffix that cannot be, RunError when writing fails.
    """
    target = check_out_path(path, CHART_SUFFIXES)
    rows = match.policy_rows()
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9 if match.games else 6.5, 1.9 + 0.55 * len(rows)), layout="constrained")
        left, *right = figure.subplots(1, 2 if match.games else 1, sharey=True, squeeze=False)[0]
        values = [row["difference"] for row in rows]
        _draw_policies(left, values, [row["difference_se"] for row in rows], [f"{value:+.3f}" for value in values])
        left.axvline(0, color="grey", linewidth=0.8)
        left.set_yticks(range(len(rows)), [row["policy"] for row in rows])
        left.invert_yaxis()
        other = "the other team" if match.design.rules.partners else "the others at the table"
        left.set_xlabel(f"score change minus that of {other},\npoints a deal (error bars: two standard errors)")
        for axes in right:
            shares = [row["game_wins"] for row in rows]
            _draw_policies(axes, shares, [row["game_wins_se"] for row in rows], [f"{share:.1%}" for share in shares])
            axes.axvline(1 / match.design.rules.sides, color="grey", linewidth=0.8, linestyle="--")
            axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
            axes.set_xlabel(f"games won, {match.games:,} games in all seatings\n(dashed: a fair share)")
        figure.suptitle(f"{table_in_words(match.design.rules)}; {match.deals:,} deals in all seatings", fontsize=11)
        _save(figure, target)


def _draw_policies(axes: Axes, values: Sequence[float], errors: Sequence[float | None], labels: Sequence[str]) -> None:
    """Bars with error bars, one a policy; the figure stands beyond the end of each."""
    fill, hatch = FILLS[1]
    reach = [2 * (error or 0) for error in errors]
    axes.barh(
        range(len(values)), values, xerr=reach, height=0.6, color=fill, hatch=hatch, edgecolor="black", linewidth=0.6,
        capsize=4, error_kw={"linewidth": 1},
    )  # fmt: skip
    for place, (value, more, label) in enumerate(zip(values, reach, labels, strict=True)):
        side = -1 if value < 0 else 1
        axes.annotate(
            label, (value + side * more, place), (side * 6, 0), textcoords="offset points", va="center",
            ha="left" if side > 0 else "right", fontsize=9,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},  # The line of a fair share passes behind it.
        )  # fmt: skip
    axes.margins(x=0.25)


def _save(figure: Figure, target: Path) -> None:
    """Write the picture whole or not at all; nothing in it tells when it was made."""
    kind = target.suffix.lower().removeprefix(".")
    nothing = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with whole_file(target, "wb") as file:
        figure.savefig(file, format=kind, metadata=nothing)
