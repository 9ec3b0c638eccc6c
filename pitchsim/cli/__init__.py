"""The command line: `pitchsim COMMAND`. Commands are a skin: read options, call one function, print."""

import click

from pitchsim import __version__
from pitchsim.cli.frame import Group

# Name -> where it is, and what it answers. Only the command that is asked for is imported.
COMMANDS = {
    "advise": ("pitchsim.cli.advice:advise", "What should I call, and what should I pitch?"),
    "table": ("pitchsim.cli.table:table", "Bid table: what each holding is worth, and what to bid with it."),
    "book": ("pitchsim.cli.book:book", "The best card to pitch for every single hand."),
    "simulate": ("pitchsim.cli.simulation:simulate", "Deal and play N deals; what happened?"),
    "match": ("pitchsim.cli.match:match", "Which policy is better, and by how much?"),
    "players": ("pitchsim.cli.players:players", "What changes with 2, 3, ... 7 players?"),
    "odds": ("pitchsim.cli.advice:odds", "Exact chances of a hand, by counting."),
    "score": ("pitchsim.cli.referee:score", "Referee: is this recorded deal legal, and what does it score?"),
    "rules": ("pitchsim.cli.house:rules", "The rules in force, with the options given, in words."),
    "policies": ("pitchsim.cli.house:policies", "Which policies are there, built in and plugged in?"),
    "serve": ("pitchsim.cli.serve:serve", "Lend the brain to another program, line by line."),
    "bench": ("pitchsim.cli.simulation:bench", "How fast is it on this machine?"),
    "cache": ("pitchsim.cli.house:cache", "What is kept where, and how large it is."),
}


@click.group(
    cls=Group,
    commands_by_place=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example:  pitchsim odds AS KS 4S JD 10C 2H",
)
@click.version_option(__version__, prog_name="pitchsim", message="%(prog)s %(version)s")
def main() -> None:
    """What should I bid with this hand?

    Pitch (Auction Pitch, Setback): advice, exact odds and simulation for 2 to 7 players, with the house rules
    that people really play.
    """
