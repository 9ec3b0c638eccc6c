"""Questions from another program: `pitchsim serve`."""

import sys

import click

from pitchsim.api import DEFAULT_BIDDING, DEFAULT_PLAY
from pitchsim.cli.frame import Command
from pitchsim.cli.options import house_options, seed_option_for
from pitchsim.rules import Rules


@click.command(cls=Command)
@click.option("--play", metavar="NAME", default=DEFAULT_PLAY, show_default=True, help="The play policy that answers.")
@click.option(
    "--bidding", metavar="NAME", default=DEFAULT_BIDDING, show_default=True, help="The bidding policy that answers."
)
@seed_option_for("answer to the same request")
@house_options
def serve(play: str, bidding: str, seed: int, rules: Rules) -> None:
    """Lend the brain to another program, line by line.

    Every line of standard input is a request, `bid` or `play` with key=value, or a JSON object with the same keys.
    Every answer is one line: bid 2 (0 is a pass), card 4S, or error and what is wrong. Seats count from 0,
    clockwise. said has the bids from the dealer's left on, cards all cards played in order, hand what the seat still
    holds; scores=0,0,0,0 and partners=1 may be added, and n wins over -n. quit, or the end of the input, ends it.

    \b
    Example:
      pitchsim serve --play greedy
      bid n=4 seat=2 dealer=0 hand=AS,KS,4S,9D,3C,2C said=0
      play n=4 seat=2 dealer=0 hand=AS,KS,4S,9D,3C,2C said=0,2,0,0 cards=
      quit
    """
    if sys.stdin is None:
        return  # Standard input is closed: nobody asks.
    from pitchsim import serving

    serving.serve(rules, play, bidding, seed, sys.stdin.buffer, sys.stdout.buffer)
