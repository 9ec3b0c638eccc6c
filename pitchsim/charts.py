"""Pictures of results, readable in black and white: the only room that knows matplotlib."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from pitchsim.advice import CALL_NAMES, Advice, Lead, table_in_words
from pitchsim.cards import format_card, format_hand, parse_hand
from pitchsim.matching import Match
from pitchsim.players import PlayersStudy
from pitchsim.report import CHART_SUFFIXES, check_out_path
from pitchsim.statistics import wilson
from pitchsim.storage import whole_file

Rows = Sequence[Mapping[str, Any]]

MOST_LEADS = 3
ONE_STANDARD_ERROR, TWO_ERRORS = 0.6827, 0.9545
# Distinct in grey too: dark, middle and light, with a hatch each.
FILLS = (("#1b4965", ""), ("#62a8ac", "//"), ("#d9e5d6", ".."))
# Lines are told apart by colour, marker and dash alike.
TRACES: Any = (
    {"color": "#1b4965", "marker": "o", "linestyle": "-"},
    {"color": "#c8553d", "marker": "s", "linestyle": "--"},
    {"color": "#6db3a4", "marker": "^", "linestyle": "-."},
    {"color": "#6a2c91", "marker": "D", "linestyle": ":"},
)
LINE: Any = {"capsize": 3, "markersize": 5.5, "linewidth": 1.4, "elinewidth": 0.9}
SHADES = (("white", ""), ("#d9e5d6", ".."), ("#62a8ac", "//"), ("#1b4965", ""))
"""Of the bids from 1 to 4, light to dark."""
READABLE = 0.05
"""Parts of a bar that are smaller than this have no number in them."""
SEATS_SPAN = 0.56
"""How wide the seats of one number of players stand apart."""
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
        save_figure(figure, target)


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


def _bars(shares: Sequence[float], deals: float, confidence: float = ONE_STANDARD_ERROR) -> list[list[float]]:
    """How far down and up the error bars of some shares go: Wilson's intervals, as a rule one standard error wide."""
    ends = [wilson(share * deals, deals, confidence) for share in shares]
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
        save_figure(figure, target)


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


def draw_players(study: PlayersStudy, path: str | Path) -> None:
    """Draw what changes with the number of players: seats, bids made, final bids, cards in play, and a hand's worth.

    Raises InputError for a place or a suffix that cannot be, RunError when writing fails.
    """
    target = check_out_path(path, CHART_SUFFIXES)
    rows, panels = study.table_rows, [_draw_seats, _draw_made, _draw_final_bids, _draw_cards_in_play]
    if study.hands:
        panels += [_draw_hand_points, _draw_hand_bids]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(11, 0.4 + 4.2 * (len(panels) // 2)))
        figure.set_layout_engine("constrained", h_pad=0.12, w_pad=0.12)
        for axes, draw in zip(figure.subplots(len(panels) // 2, 2).flat, panels, strict=True):
            draw(axes, rows)
            axes.set_xticks([row["players"] for row in rows])
            axes.set_xlabel("players")
        hand = f"{format_hand(study.cards)}; " if study.cards else ""
        figure.suptitle(
            f"{hand}{study.house}\nplay {study.play}, bidding {study.bidding}, {study.deals_in_words}; "
            "error bars: two standard errors",
            fontsize=11,
        )
        save_figure(figure, target)


def _draw_seats(axes: Axes, rows: Rows) -> None:
    """What each seat scores, in speaking order within each number of players; lines for the first and the dealer."""
    for row in rows[::2]:
        axes.axvspan(row["players"] - 0.5, row["players"] + 0.5, color="#f3f3f3", linewidth=0)
    _trace(axes, rows, ["seat_1"] * len(rows), 0, "first to speak", shift=-SEATS_SPAN / 2)
    between = [(row, seat) for row in rows for seat in range(2, row["players"])]
    if between:
        axes.errorbar(
            [row["players"] + SEATS_SPAN * ((seat - 1) / (row["players"] - 1) - 0.5) for row, seat in between],
            [row[f"seat_{seat}"] for row, seat in between],
            yerr=[2 * (row[f"seat_{seat}_se"] or 0) for row, seat in between],
            fmt="o", color="black", markerfacecolor="white", markersize=4, elinewidth=0.9, label="those between",
        )  # fmt: skip
    _trace(axes, rows, [f"seat_{row['players']}" for row in rows], 1, "dealer", shift=SEATS_SPAN / 2)
    axes.set_ylabel("score change, points a deal")
    axes.set_xlim(rows[0]["players"] - 0.5, rows[-1]["players"] + 0.5)
    _head(axes, "What each seat scores")


def _draw_made(axes: Axes, rows: Rows) -> None:
    """How often each final bid is made: few bids of 4 have wide bars."""
    for bid, trace in enumerate(TRACES, 1):
        bidden = [row for row in rows if row[f"made_{bid}"] is not None]
        if bidden:
            shares = [row[f"made_{bid}"] for row in bidden]
            bars = [_bars([row[f"made_{bid}"]], row[f"final_bid_{bid}"] * row["deals"], TWO_ERRORS) for row in bidden]
            axes.errorbar(
                [row["players"] + 0.08 * (bid - 2.5) for row in bidden], shares,
                yerr=[[bar[side][0] for bar in bars] for side in (0, 1)], label=f"bid of {bid}", **LINE, **trace,
            )  # fmt: skip
    axes.set_ylabel("made, of the deals with this bid")
    axes.set_ylim(None, 1.02)
    _in_percent(axes)
    _head(axes, "How often the bid is made")


def _draw_final_bids(axes: Axes, rows: Rows) -> None:
    """Bars of final bids on top of each other; whatever is thrown in is missing at the top."""
    below = [0.0] * len(rows)
    for bid, (colour, hatch) in enumerate(SHADES, 1):
        shares = [row[f"final_bid_{bid}"] for row in rows]
        if any(shares):
            axes.bar(
                [row["players"] for row in rows], shares, 0.7, below, color=colour, hatch=hatch, edgecolor="black",
                linewidth=0.6, label=f"bid of {bid}",
            )  # fmt: skip
        for row, share, low in zip(rows, shares, below, strict=True):
            if share > READABLE:
                axes.annotate(
                    f"{share:.0%}", (row["players"], low + share / 2), ha="center", va="center", fontsize=8,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
                )  # fmt: skip
        below = [low + share for low, share in zip(below, shares, strict=True)]
    axes.set_ylabel("of all deals")
    axes.set_ylim(0, 1)
    _in_percent(axes)
    _head(axes, "How the auction ends")


def _draw_cards_in_play(axes: Axes, rows: Rows) -> None:
    """How often the ace, jack and deuce of trumps are in play, and any given card."""
    for place, card in enumerate(("ace", "jack", "deuce")):
        _trace(axes, rows, [f"{card}_in_play"] * len(rows), place, card)
    given = [row["given_card_in_play"] for row in rows]
    axes.plot([row["players"] for row in rows], given, color="black", linewidth=0.9, label="any given card (exact)")
    axes.set_ylabel("in somebody's hand, of the deals played")
    axes.set_ylim(0, 1.02)
    _in_percent(axes)
    _head(axes, "Which trumps are in play")


def _draw_hand_points(axes: Axes, rows: Rows) -> None:
    """What the hand wins as pitcher, and the card that it pitches."""
    _trace(axes, rows, ["hand_points"] * len(rows), 0, None)
    for row in rows:
        card = format_card(parse_hand(row["hand_lead"])[0])
        axes.annotate(
            card, (row["players"], row["hand_points"]), (0, 11), textcoords="offset points", ha="center", fontsize=9
        )
    axes.margins(y=0.2)
    axes.set_ylabel("points won as pitcher")
    _head(axes, "The hand: its points, and the card to pitch")


def _draw_hand_bids(axes: Axes, rows: Rows) -> None:
    """What the hand scores with each bid."""
    for place, bid in enumerate((2, 3, 4), 1):
        _trace(axes, rows, [f"hand_ev{bid}"] * len(rows), place, f"bid of {bid}")
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set_ylabel("score change as pitcher")
    _head(axes, "The hand: what a bid scores")


def _head(axes: Axes, title: str) -> None:
    """The title of a panel, and below it the legend, where it covers nothing."""
    several = len(axes.get_legend_handles_labels()[0])
    axes.set_title(title, pad=24 if several > 1 else 8)
    if several > 1:
        axes.legend(
            frameon=False, loc="lower center", bbox_to_anchor=(0.5, 0.99), ncols=several, columnspacing=1.2, fontsize=9
        )


def _in_percent(axes: Axes) -> None:
    """Shares as a player says them."""
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))


def _trace(axes: Axes, rows: Rows, names: Sequence[str], place: int, label: str | None, shift: float = 0) -> None:
    """A line with error bars through one figure of each row that has it; `shift` keeps it apart from others."""
    found = [(row, name) for row, name in zip(rows, names, strict=True) if row[name] is not None]
    axes.errorbar(
        [row["players"] + shift for row, _ in found], [row[name] for row, name in found],
        yerr=[2 * (row[f"{name}_se"] or 0) for row, name in found], label=label, **LINE, **TRACES[place],
    )  # fmt: skip


def save_figure(figure: Figure, target: Path) -> None:
    """Write the picture whole or not at all; nothing in it tells when it was made."""
    kind = target.suffix.lower().removeprefix(".")
    nothing = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with whole_file(target, "wb") as file:
        figure.savefig(file, format=kind, metadata=nothing)
