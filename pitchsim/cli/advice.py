"""Questions about one hand: `pitchsim advise` and `pitchsim odds`."""

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
    house_options_if_given,
    others_option,
    out_option,
    players_option,
    policy_options,
    precision_option,
    read_book,
    seed_option,
    threads_option,
)
from pitchsim.cli.output import emit, on_a_terminal
from pitchsim.errors import InputError
from pitchsim.question import OBJECTIVES, read_chance
from pitchsim.report import check_apart


@click.command(cls=Command)
@click.argument("hand", nargs=-1, metavar="HAND")
@click.option("--auction", metavar="CALLS", help='The calls so far, seat 1 first, as in "pass 2".')
@click.option("--seat", metavar="K", help="My seat: 1 at the dealer's left, or dealer; all before passed.")
@click.option("--scores", metavar="SCORES", help='The running scores, seat 1 first, as in "5 3 -1 6".')
@click.option(
    "--objective",
    type=click.Choice(OBJECTIVES),
    default="score",
    show_default=True,
    help="What the call is to be best for: my score change, or that minus the others' mean (win: not there yet).",
)
@policy_options("pitcher,defenders", "me,others")
@others_option
@deals_option("Deals for each alternative (in the grid at most 16,384)")
@precision_option("of the difference between the two best calls")
@click.option(
    "--error-chance",
    type=Checked("CHANCE", read_chance),
    metavar="CHANCE",
    help="The chance that anybody makes any call, so that no call heard is impossible. [default: 1%]",
)
@click.option(
    "--book",
    is_flag=False,
    flag_value=True,
    default=None,
    type=Checked("FILE", read_book),
    metavar="[FILE]",
    help="Answer at once from a book of hands (see pitchsim book), without playing a deal. Without FILE from one's own "
    "for these rules, else from the one that comes with pitchsim, as --book shipped does.",
)
@seed_option
@threads_option
@engine_option
@house_options_if_given
@format_option
@out_option
@chart_option
def advise(
    hand: tuple[str, ...],
    auction: str | None,
    seat: str | None,
    form: str,
    out: Path | None,
    chart: Path | None,
    **asked: Any,
) -> None:
    """What should I call, and what should I pitch?

    HAND is six cards: AS KS 4S JD 10C 2H, or suit by suit AK4.2.J.T. For every call that is legal now: what it is
    worth, with its error; for every card that could be pitched: the points that it brings.

    \b
    Example:
      pitchsim advise AS KS 4S JD 10C 2H
      pitchsim advise AS KS 4S JD 10C 2H --auction "pass 2"
      pitchsim advise AK4.2.J.T -n 5 --lowest-bid 2 --seat dealer
    """
    from pitchsim import api

    check_apart(chart, out)
    if chart is not None and asked["book"] is not None:
        raise InputError("a chart shows what was simulated; leave out --chart or --book")
    if auction is not None and not auction.strip():
        seat = seat or "1"  # An auction without a call is an auction: seat 1 is to speak.
    given = {name: value for name, value in asked.items() if value is not None}
    advice = api.advise(" ".join(hand), auction=auction or (), seat=seat, progress=on_a_terminal(sys.stderr), **given)
    if chart is not None:
        from pitchsim.charts import draw_advice

        draw_advice(advice, chart)  # type: ignore[arg-type]
    emit(advice, form, out)


@click.command(cls=Command)
@click.argument("hand", nargs=-1, metavar="HAND")
@click.option("--trump", metavar="S", help="This suit only: S, H, D or C. [default: every suit held]")
@players_option
@format_option
@out_option
def odds(hand: tuple[str, ...], trump: str | None, players: int, form: str, out: Path | None) -> None:
    """Exact chances of a hand, by counting.

    For every suit that it holds, if that suit were trump: is my top trump High, my lowest one Low, is the
    jack out, and how many trumps do the others hold together? No simulation, and no bid is heard yet.

    \b
    Example:
      pitchsim odds AS KS 4S JD 10C 2H
      pitchsim odds AK4.2.J.T -n 5 --trump S
    """
    from pitchsim.counting import odds

    emit(odds(" ".join(hand), players, trump), form, out)
