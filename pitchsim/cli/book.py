"""The book of hands: `pitchsim book build`, `status`, `show` and `verify`."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from pitchsim.cli.frame import Command, Group
from pitchsim.cli.options import (
    Checked,
    bidding_option,
    deals_option,
    engine_option,
    format_option,
    house_options,
    house_options_if_given,
    out_option,
    play_option,
    precision_option,
    read_book,
    seed_option,
    seed_option_for,
    threads_option,
)
from pitchsim.cli.output import emit, on_a_terminal
from pitchsim.question import SHARD, read_every, read_sample, read_scheduler, read_shard
from pitchsim.report import PACKED_SUFFIX, check_book_path
from pitchsim.rules import Rules

PLACES = {
    "build": ("pitchsim.cli.book:build", "Make the book, or go on with one that is not finished."),
    "status": ("pitchsim.cli.book:status", "How far is the book?"),
    "pack": ("pitchsim.cli.book:pack", "Write the book small, a byte for each figure."),
    "show": ("pitchsim.cli.book:show", "What does the book say of a hand?"),
    "verify": ("pitchsim.cli.book:verify", "Is the book right? Some hands are played anew and compared."),
}


@click.group(cls=Group, commands_by_place=PLACES)
def book() -> None:
    """The best card to pitch for every single hand.

    20,358,520 hands of six cards are 962,988 classes, when suits are renamed. For each class the book has the best
    card of the six to pitch, the points that it brings, the chances of 1 to 4 points and of High, Low, Jack and Game,
    and the score change as pitcher of each bid.

    \b
    Example:
      pitchsim book build --dry-run --precision .05
      pitchsim book build --every 200_000 --precision .1 --book some.parquet
    """


OWN_BOOK = "one for each set of house rules, in the cache folder"


def new_book_option(*names: str) -> Callable[..., Any]:
    """Add `--book`: where the book is, or is to be."""
    return click.option(
        *names, "--book", "book",
        type=Checked("FILE", partial(check_book_path, suffixes=(".parquet",))),
        metavar="FILE",
        help=f"The book, a .parquet file. [default: {OWN_BOOK}]",
    )  # fmt: skip


book_option = click.option(
    "--book",
    type=Checked("FILE", read_book),
    metavar="FILE",
    help=f"The book, .parquet or packed .npz, or the word shipped. [default: {OWN_BOOK}, else the shipped one]",
)


@click.command(cls=Command)
@new_book_option("-o", "--out")
@click.option("--dry-run", is_flag=True, help="Only say what it costs, measured on some hands.")
@click.option(
    "--every",
    type=Checked("K", read_every),
    metavar="K",
    default=1,
    show_default=True,
    help="One class of hands in K.",
)
@precision_option("of the points of a hand")
@deals_option("Deals for each hand, in place of a precision")
@play_option
@seed_option
@click.option(
    "--shard",
    type=Checked("N", read_shard),
    metavar="N",
    default=SHARD,
    show_default=True,
    help="Classes to a shard: what is lost at most when the program is killed. The book is the same with any.",
)
@threads_option
@engine_option
@click.option(
    "--scheduler",
    type=Checked("ADDRESS", read_scheduler),
    metavar="ADDRESS",
    help="Let the workers of a Dask cluster do it, as in tcp://host:8786.",
)
@house_options
@format_option
def build(dry_run: bool, form: str, **asked: Any) -> None:
    """Make the book, or go on with one that is not finished.

    It is made in shards, which are kept in the folder FILE.part until all are there. Kill the program whenever you
    like: the same command goes on. The same seed makes the same file, whoever makes the shards and in whatever order.
    How long the whole book takes, --dry-run says.

    \b
    Example:
      pitchsim book build --dry-run
      pitchsim book build --every 100
      pitchsim book build -n 5 --lowest-bid 2 --scheduler tcp://host:8786 --book five.parquet
    """
    from pitchsim import api

    if dry_run:
        emit(api.cost_of_book(**asked), form)
        return
    emit(api.build_book(progress=on_a_terminal(sys.stderr), **asked), form)


@click.command(cls=Command)
@new_book_option()
@click.option(
    "-o", "--out",
    type=Checked("FILE", partial(check_book_path, suffixes=(PACKED_SUFFIX,))),
    metavar="FILE",
    help="The packed book, a .npz file. [default: beside the book]",
)  # fmt: skip
@house_options_if_given
@format_option
def pack(book: Path | None, out: Path | None, rules: Rules | None, form: str) -> None:
    """Write the book small, a byte for each figure.

    A finished book becomes a .npz file of one fifteenth the size, which is there at once and needs no pyarrow. Every
    figure is rounded finer than its standard error at .01 points. advise, status, show and verify take it as any book.

    \b
    Example:
      pitchsim book pack --book five.parquet -o five.npz
    """
    from pitchsim import api

    emit(api.pack_book(book, out, rules=rules), form)


@click.command(cls=Command)
@book_option
@house_options_if_given
@format_option
@out_option
def status(book: Path | None, rules: Rules | None, form: str, out: Path | None) -> None:
    """How far is the book?

    The classes and shards that are there, the recipe, and at the pace so far the time that is left.

    \b
    Example:
      pitchsim book status --book five.parquet
    """
    from pitchsim import api

    emit(api.book_status(book, rules=rules), form, out)


@click.command(cls=Command)
@click.argument("hand", nargs=-1, metavar="HAND")
@book_option
@bidding_option
@house_options_if_given
@format_option
@out_option
def show(
    hand: tuple[str, ...],
    book: Path | None,
    bidding: tuple[str, ...] | None,
    rules: Rules | None,
    form: str,
    out: Path | None,
) -> None:
    """What does the book say of a hand?

    HAND in any suits: the book knows all that are the same when suits are renamed, and answers in yours. With it what
    the bidding policy calls in each seat after each bid.

    \b
    Example:
      pitchsim book show AS KS 4S JD 10C 2H
    """
    from pitchsim import api

    emit(api.look_up(" ".join(hand), book, rules=rules, bidding=bidding), form, out)


@click.command(cls=Command)
@book_option
@click.option(
    "--sample",
    type=Checked("N", read_sample),
    metavar="N",
    default=20,
    show_default=True,
    help="How many hands are played anew.",
)
@seed_option_for("sample")
@threads_option
@house_options_if_given
@format_option
@out_option
def verify(form: str, out: Path | None, **asked: Any) -> None:
    """Is the book right? Some hands are played anew and compared.

    Every page is read and its checksum looked at. A book by this very program must come out the same to the last bit,
    one by another version within standard errors.

    \b
    Example:
      pitchsim book verify --sample 50 --seed 2
    """
    from pitchsim import api

    emit(api.verify_book(progress=on_a_terminal(sys.stderr), **asked), form, out)
