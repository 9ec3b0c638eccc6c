"""Policies against each other: `pitchsim match`."""

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
    out_option,
    precision_option,
    seed_option,
    threads_option,
)
from pitchsim.cli.output import emit, on_a_terminal
from pitchsim.question import DEFAULT_DEALS, read_games
from pitchsim.report import check_apart


@click.command(cls=Command)
@click.argument("names", nargs=-1, metavar="NAME NAME ...")
@deals_option("Number of deals, each played in every seating", DEFAULT_DEALS)
@click.option(
    "--games",
    type=Checked("N", read_games),
    metavar="N",
    help="Also play N whole games, each in every seating. [default: none]",
)
@precision_option("of every score change and difference")
@seed_option
@threads_option
@engine_option
@house_options
@format_option
@out_option
@chart_option
def match(names: tuple[str, ...], form: str, out: Path | None, chart: Path | None, **asked: Any) -> None:
    """Which policy is better, and by how much?

    NAME is PLAY or PLAY/BIDDING (see pitchsim policies). Give as many names as players: everybody plays the same
    deals in every seat. Or two: the first alone against the second in all other seats, in each seat in turn (with
    --partners: two teams). A run with --out that was interrupted goes on where it stopped: what it has done is
    kept in FILE.part.

    \b
    Example:
      pitchsim match expert greedy --deals 20_000
      pitchsim match expert/equilibrium greedy/casual -n 3 --games 1000 --out match.csv
    """
    from pitchsim import api

    check_apart(chart, out)
    report = api.match(*names, out=out, progress=on_a_terminal(sys.stderr), **asked)
    if chart is not None:
        from pitchsim.charts import draw_match

        draw_match(report, chart)
    emit(report, form)
