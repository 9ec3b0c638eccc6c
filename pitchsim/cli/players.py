"""All numbers of players side by side: `pitchsim players`."""

import sys
from pathlib import Path
from typing import Any

import click

from pitchsim.cli.frame import Command
from pitchsim.cli.options import (
    all_tables_options,
    chart_option,
    deals_option,
    engine_option,
    format_option,
    out_option,
    policy_options,
    precision_option,
    seed_option,
    threads_option,
)
from pitchsim.cli.output import emit, on_a_terminal
from pitchsim.question import DEFAULT_STUDY_DEALS
from pitchsim.report import check_apart


@click.command(cls=Command)
@click.option("--hand", metavar="HAND", help='Also: what is this hand worth at each table? As in "AS KS 4S JD 10C 2H".')
@deals_option("Deals for each number of players", DEFAULT_STUDY_DEALS)
@precision_option("of the score change")
@policy_options()
@seed_option
@threads_option
@engine_option
@all_tables_options
@format_option
@out_option
@chart_option
def players(form: str, out: Path | None, chart: Path | None, **asked: Any) -> None:
    """What changes with 2, 3, ... 7 players?

    The same house rules at every table, everybody for himself: what each seat scores, what is called and made,
    which cards are in play. With --hand, what that hand is worth as the table grows.

    \b
    Example:
      pitchsim players
      pitchsim players --lowest-bid 2 --hand "AS KS 4S JD 10C 2H" --chart players.png --out players.csv
    """
    from pitchsim import api

    check_apart(chart, out)
    report = api.players_study(progress=on_a_terminal(sys.stderr), **asked)
    if chart is not None:
        from pitchsim.charts import draw_players

        draw_players(report, chart)
    emit(report, form, out)
