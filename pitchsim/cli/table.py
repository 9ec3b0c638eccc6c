"""What holdings are worth: `pitchsim table`."""

import sys
from pathlib import Path
from typing import Any

import click

from pitchsim.cli.frame import Command
from pitchsim.cli.options import (
    Checked,
    chart_option,
    deals_option,
    engine_option,
    format_option,
    house_options,
    others_option,
    out_option,
    policy_options,
    precision_option,
    seed_option,
    threads_option,
)
from pitchsim.cli.output import emit, on_a_terminal
from pitchsim.question import read_count, read_points
from pitchsim.report import check_apart


@click.command(cls=Command)
@click.option("--holding", metavar="TRUMPS", help='Only holdings like "A J x"; x is any card from 9 down to 3.')
@click.option("--x", metavar="RANK", help="The highest card that an x stands for. [default: 9]")
@click.option("--side", metavar="CARDS", help="With these side cards, one suit after a slash: 10, or A/10.")
@click.option("--leads", is_flag=True, help="Compare every card that could be pitched, on the same deals.")
@click.option("--card-box", is_flag=True, help="The whole table on one page: some sixty kinds of holdings.")
@click.option("--sort", metavar="COLUMN", help="Sort by a column of the CSV: points, ev3, frequency, ...")
@click.option("--top", type=Checked("N", read_count), metavar="N", help="Only the first N rows.")
@click.option("--quick", is_flag=True, help="Standard errors of .05: done in some seconds.")
@click.option(
    "--pass-value",
    type=Checked("POINTS", read_points),
    metavar="POINTS",
    help="What a pass brings; a bid that brings less is too high. [default: .36]",
)
@policy_options("pitcher,defenders", "me,others")
@others_option
@deals_option("Deals for the best card of each holding")
@precision_option("of the points of every row")
@seed_option
@threads_option
@engine_option
@house_options
@format_option
@out_option
@chart_option
def table(form: str, chart: Path | None, out: Path | None, **asked: Any) -> None:
    """Bid table: what each holding is worth, and what to bid with it.

    One row for each of the 4,095 holdings of one to six trumps: the best card to pitch, the points and their chances,
    what a bid of 1, 2, 3, 4 scores, and what to call in each seat over each bid. Side cards are dealt at random. A run
    with --out that was interrupted goes on where it stopped: what it has done is kept in FILE.part.

    \b
    Example:
      pitchsim table --holding "A J x"
      pitchsim table --holding "K 5 3" --leads
      pitchsim table --quick --card-box --out card-box.html
    """
    from pitchsim import api

    check_apart(chart, out)
    report = api.bid_table(out=out, progress=on_a_terminal(sys.stderr), **asked)
    if chart is not None:
        from pitchsim.tablecharts import draw_card_box, draw_table

        draw: Any = draw_card_box if asked["card_box"] else draw_table
        draw(report, chart)
    emit(report, form)
