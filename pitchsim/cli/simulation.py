"""Many deals: `pitchsim simulate` and `pitchsim bench`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from pitchsim.cli.frame import Command
from pitchsim.cli.options import (
    Checked,
    any_players_option,
    check_records_path,
    deals_option,
    engine_option,
    format_option,
    house_options,
    out_option,
    policy_options,
    precision_option,
    seed_option,
    threads_option,
)
from pitchsim.cli.output import emit, on_a_terminal
from pitchsim.question import DEFAULT_DEALS, read_first
from pitchsim.report import check_apart
from pitchsim.rules import Rules


@click.command(cls=Command)
@deals_option("Number of deals", DEFAULT_DEALS)
@precision_option("of the score change")
@policy_options("one per seat")
@seed_option
@click.option(
    "--first",
    type=Checked("K", read_first),
    metavar="K",
    default=0,
    help="The number of the first deal: --first 17 --deals 1 --records - shows deal 17 of the seed alone.",
)
@click.option(
    "--records",
    type=Checked("FILE", check_records_path),
    metavar="FILE",
    help="Write every deal down, one JSON line each (pitch-deal/1); - is standard output, .gz is packed.",
)
@threads_option
@engine_option
@house_options
@format_option
@out_option
def simulate(
    deals: int | None,
    precision: float | None,
    play: tuple[str, ...] | None,
    bidding: tuple[str, ...] | None,
    rules: Rules,
    records: Path | None,
    form: str,
    out: Path | None,
    **how: Any,
) -> None:
    """Deal and play N deals; what happened?

    How often each seat is the pitcher and makes its bid, what every seat scores, how often each point is won.

    \b
    Example:
      pitchsim simulate --deals 20_000
      pitchsim simulate -n 5 --play greedy --bidding passive --deals 1e4 --format csv
    """
    from pitchsim import api

    check_apart(records, out)
    progress = on_a_terminal(sys.stderr)
    report = api.simulate(
        rules=rules,
        play=play,
        bidding=bidding,
        deals=deals,
        precision=precision,
        progress=progress,
        **how,
    )
    if records is not None:
        with _record_file(records) as file:
            api.write_records(
                file,
                rules=rules,
                play=play,
                bidding=bidding,
                deals=report.to_dict()["deals"],
                seed=how["seed"],
                first=how["first"],
                progress=progress,
            )
    if records != Path("-"):
        emit(report, form, out)
    elif out is not None:
        report.write(out)


@contextmanager
def _record_file(path: Path) -> Iterator[Any]:
    """Open the file of records; `-` is standard output."""
    from pitchsim.storage import line_file

    if path == Path("-"):
        yield sys.stdout
        return
    with line_file(path) as file:
        yield file


@click.command(cls=Command)
@any_players_option
@click.option("--play", metavar="NAME", help="This play policy only. [default: the built-in ones]")
@threads_option
@format_option
@out_option
def bench(players: int | None, play: str | None, threads: int | None, form: str, out: Path | None) -> None:
    """How fast is it on this machine?

    Whole deals: dealt, pitched by seat 1, played by the policy, scored; and dealing alone. Compiling is left out.

    \b
    Example:
      pitchsim bench -n 4 --play random
    """
    from pitchsim.bench import bench

    emit(bench(players, play, threads), form, out)
