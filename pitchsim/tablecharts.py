"""Bid tables drawn: the map of the best calls, a few holdings side by side, and the card box as a page to print."""

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from pitchsim.advice import table_in_words
from pitchsim.bidtable import BidTable, Row
from pitchsim.calls import in_one_letter
from pitchsim.cardbox import CardBox
from pitchsim.cards import HAND_SIZE
from pitchsim.charts import FILLS, STYLE, save_figure
from pitchsim.holdings import frequency_of, spelled
from pitchsim.leading import Lead
from pitchsim.report import CHART_SUFFIXES, check_out_path, plain
from pitchsim.statistics import score_as_pitcher

SIDE_BY_SIDE = 30
"""So many holdings are drawn side by side; more are drawn as a map."""

TOPS = ("AKQJ", "AKQ", "AKJ", "AK", "AQJ", "AQ", "AJ", "A", "KQJ", "KQ", "KJ", "K", "QJ", "Q", "J", "T", "")
"""The rows of the map: which of A, K, Q, J a holding has; without any of them, the ten."""

SHADES = ListedColormap(["#ffffff", "#f0e6c8", "#cfd8b8", "#7fb2a5", "#2f6d80"])
"""From a pass to a 4: each clearly darker than the one before, in grey too."""


def draw_table(table: BidTable, path: str | Path) -> None:
    """Draw a map of the best calls by top trumps and length, or, of a few holdings, what their bids score.

    Raises InputError for a place or a suffix that cannot be, RunError when writing fails.
    """
    target = check_out_path(path, CHART_SUFFIXES)
    rows = table.shown_rows()
    with mpl.rc_context(STYLE):
        if len(rows) > SIDE_BY_SIDE:
            figure = _map_of_calls(table, rows)
        elif table.shown.leads:
            figure = _leads_side_by_side(table, rows)
        else:
            figure = _side_by_side(table, rows)
        save_figure(figure, target)


def _about(table: BidTable, rows: Sequence[Row]) -> str:
    """Players, rules, policies, deals."""
    others = f", others {table.others}" if table.others else ""
    deals = sum(row.best.lead.deals for row in rows)
    return f"{table_in_words(table.rules)}; play {table.play}, bidding {table.bidding}{others}, {deals:,} deals"


# The map ---------------------------------------------------------------------------------------------


def top_of(name: str) -> str:
    """The row of the map in which a holding belongs."""
    top = "".join(rank for rank in name if rank in "AKQJ")
    return top or ("T" if "T" in name else "")


def _map_of_calls(table: BidTable, rows: Sequence[Row]) -> Figure:
    """Three maps: the highest bid that pays, the call of seat 1, and the dealer's over a 2."""
    cells: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        cells.setdefault((top_of(row.name), len(row.name)), []).append(row)
    dealer = table.rules.players - 1
    panels: list[tuple[str, int, Callable[[Row], int]]] = [
        ("the highest bid that pays", 0, lambda row: row.ceiling(table.rules.lowest_bid, table.pass_value)),
        ("seat 1 to speak", 0, lambda row: row.calls[0, 0]),
        ("dealer over a 2", 2, lambda row: row.calls[dealer, 2]),
    ]
    figure = Figure(figsize=(12.5, 7.2), layout="constrained")
    for axes, (title, over, call_of) in zip(figure.subplots(1, len(panels), sharey=True), panels, strict=True):
        _draw_map(axes, cells, over, call_of, with_points=axes is figure.axes[0])
        axes.set_title(title, fontsize=11)
        axes.set_xlabel("length")
    figure.axes[0].set_ylabel("top trumps")
    figure.suptitle(
        f"What to call, by top trumps and length: {_about(table, rows)}\n"
        "large: the call of most holdings (- a pass, s a steal), small: of how many when not of all; "
        "in the first map: mean points\n"
        "A 1 with next to nothing is worth as much as a pass: somebody takes it over",
        fontsize=10,
    )
    return figure


def _draw_map(
    axes: Axes, cells: dict[tuple[str, int], list[Row]], over: int, call_of: Callable[[Row], int], with_points: bool
) -> None:
    """One map: a call over a bid in each cell, and how many holdings make it, each as often as it comes up."""
    shades = np.full((len(TOPS), HAND_SIZE), np.nan)
    for (top, length), rows in cells.items():
        weights = np.array([frequency_of(row.ranks) for row in rows])
        made = np.array([call_of(row) for row in rows])
        shares = [float(weights[made == call].sum() / weights.sum()) for call in range(5)]
        call = int(np.argmax(shares))
        place = TOPS.index(top), length - 1
        shades[place] = call
        colour = "white" if call == 4 else "black"
        points = float(weights @ [row.best.lead.points.mean or 0 for row in rows] / weights.sum())
        small = (f"{points:.1f}" if with_points else "") + (f"  {shares[call]:.0%}" if shares[call] < 0.995 else "")
        letter = in_one_letter(call, over)
        axes.text(length - 1, place[0] - 0.12, letter, ha="center", va="center", color=colour, fontsize=11)
        axes.text(length - 1, place[0] + 0.3, small, ha="center", va="center", color=colour, fontsize=6.5)
    axes.set_facecolor("#e4e4e4")  # No such holding.
    axes.imshow(shades, cmap=SHADES, vmin=-0.5, vmax=4.5, aspect="auto")
    axes.set_xticks(range(HAND_SIZE), [str(length) for length in range(1, HAND_SIZE + 1)])
    axes.set_yticks(range(len(TOPS)), [spelled(top) or "none of these" for top in TOPS])
    axes.set_xticks(np.arange(HAND_SIZE + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(TOPS) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="#999999", linewidth=0.6)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)


# Side by side ----------------------------------------------------------------------------------------


def _side_by_side(table: BidTable, rows: Sequence[Row]) -> Figure:
    """What a 2, a 3 and a 4 score with each of these holdings."""
    figure = Figure(figsize=(8.5, 1.6 + 0.42 * len(rows)), layout="constrained")
    axes = figure.subplots()
    markers = (("o", FILLS[0][0], FILLS[0][0]), ("s", FILLS[1][0], FILLS[1][0]), ("^", "black", "white"))
    for shift, (bid, (marker, edge, face)) in zip((-0.2, 0, 0.2), zip((2, 3, 4), markers, strict=True), strict=True):
        leads = [row.best.lead for row in rows]
        errors = [score_as_pitcher(lead.at_least, bid, lead.deals, lead.swept).se or 0 for lead in leads]
        axes.errorbar(
            [lead.score_change(bid) for lead in leads], np.arange(len(rows)) + shift,
            xerr=[2 * error for error in errors], fmt=marker, color=edge, markerfacecolor=face,
            markersize=6, capsize=3, linewidth=1, label=f"a bid of {bid}",
        )  # fmt: skip
    axes.axvline(table.pass_value, color="grey", linewidth=0.9, linestyle="--")
    axes.annotate("a pass", (table.pass_value, -0.75), (3, 0), textcoords="offset points", fontsize=8, color="#444444")
    names = [f"{spelled(row.name)}  (pitch {spelled(plain_rank(row.best.lead))})" for row in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.set_ylim(len(rows) - 0.5, -1)
    axes.grid(axis="y", color="#eeeeee")
    axes.set_axisbelow(True)
    axes.set_xlabel("score change as pitcher, points a deal (bars: two standard errors)")
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    figure.suptitle(_about(table, rows), fontsize=10)
    return figure


def _leads_side_by_side(table: BidTable, rows: Sequence[Row]) -> Figure:
    """The points with each card that could be pitched; the best of each holding is filled."""
    records = table.lead_records()
    figure = Figure(figsize=(8.5, 1.6 + 0.32 * len(records)), layout="constrained")
    axes = figure.subplots()
    colour = FILLS[0][0]
    for line, record in enumerate(records):
        best = line == 0 or records[line - 1]["holding"] != record["holding"]
        axes.errorbar(
            record["points"], line, xerr=2 * (record["points_se"] or 0), fmt="o", color=colour, markersize=7,
            markerfacecolor=colour if best else "white", capsize=3, linewidth=1,
        )  # fmt: skip
        if best and line:
            axes.axhline(line - 0.5, color="#bbbbbb", linewidth=0.7)
    axes.set_yticks(
        range(len(records)), [f"{spelled(row['holding'])}: pitch {spelled(row['lead'])}" for row in records]
    )
    axes.set_ylim(len(records) - 0.5, -0.5)
    axes.grid(axis="y", color="#eeeeee")
    axes.set_axisbelow(True)
    axes.set_xlabel("points as pitcher (bars: two standard errors; filled: the best card)")
    figure.suptitle(_about(table, rows), fontsize=10)
    return figure


def plain_rank(lead: Lead) -> str:
    """The rank of a lead as one letter."""
    return str(lead.card)[0]


# The card box ----------------------------------------------------------------------------------------

PAGE = (8.27, 11.0)
"""Inches: what fits both on A4 and on US Letter."""

PAGE_DPI = 200


def draw_card_box(box: CardBox, path: str | Path) -> None:
    """Draw the card box as one page to print.

    Raises InputError for a place or a suffix that cannot be, RunError when writing fails.
    """
    target = check_out_path(path, CHART_SUFFIXES)
    table = box.text_tables()[0]
    wide = box.table.rules.players > 5
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=PAGE[::-1] if wide else PAGE, dpi=PAGE_DPI)
        axes = figure.add_axes((0.04, 0.02, 0.92, 0.96))
        axes.set_axis_off()
        axes.set_xlim(0, 1)
        _write_page(axes, box, table.columns, [[str(plain(cell)) for cell in row] for row in table.rows], table.title)
        save_figure(figure, target)


def _write_page(axes: Axes, box: CardBox, columns: Sequence[str], rows: list[list[str]], title: str) -> None:
    """The heading, the lines, and how to read them."""
    notes = [line for note in box.notes() for line in _wrapped(note, 150 if box.table.rules.players > 5 else 128)]
    height = len(rows) + 4 + 0.75 * len(notes)
    axes.set_ylim(height, 0)
    size = min(7.6, 640 / height) if box.table.rules.players <= 5 else min(6.4, 470 / height)
    axes.text(0, 0.4, box.headline(), fontsize=size + 3, fontweight="bold", va="center")
    axes.text(0, 1.6, title, fontsize=size, va="center")
    edges = _edges(columns, rows)
    for place, column in enumerate(columns):
        _write(axes, edges, place, column, 2.7, size, "bold", column in ("trumps", "pitch") or column not in _NUMBERS)
    for line, row in enumerate(rows):
        if line % 2 == 0:
            axes.axhspan(line + 3.2, line + 4.2, color="#f0efe6", linewidth=0)
        for place, cell in enumerate(row):
            weight = "bold" if place == 0 else "normal"
            left = columns[place] not in _NUMBERS
            _write(axes, edges, place, cell, line + 3.72, size, weight, left)
    axes.axhline(3.2, color="black", linewidth=0.8)
    for line, note in enumerate(notes):
        axes.text(0, len(rows) + 4 + 0.75 * line, note, fontsize=size * 0.82, va="center")


_NUMBERS = ("1 in", "points", "2+", "3+", "4", "as 2", "as 3", "as 4")


def _edges(columns: Sequence[str], rows: list[list[str]]) -> list[tuple[float, float]]:
    """Where each column begins and ends, in parts of the width."""
    widths = [max(len(column), *(len(row[place]) for row in rows)) + 1.6 for place, column in enumerate(columns)]
    ends = np.cumsum(widths) / sum(widths)
    return [(float(end - width / sum(widths)), float(end)) for end, width in zip(ends, widths, strict=True)]


def _write(
    axes: Axes,
    edges: list[tuple[float, float]],
    place: int,
    text: str,
    line: float,
    size: float,
    weight: str,
    left: bool,
) -> None:
    """One cell: numbers end at the right of their column, words begin at its left."""
    gap = 0.008
    at = edges[place][0] if left else edges[place][1] - 2 * gap
    axes.text(at, line, text, fontsize=size, fontweight=weight, ha="left" if left else "right", va="center")


def _wrapped(text: str, width: int) -> list[str]:
    """Break a note into lines."""
    import textwrap

    return textwrap.wrap(text, width)
