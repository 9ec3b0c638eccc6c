"""Questions about one hand: `pitchsim odds`."""

from pathlib import Path

import click

from pitchsim.cli.frame import Command
from pitchsim.cli.options import format_option, out_option, players_option
from pitchsim.cli.output import emit


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
