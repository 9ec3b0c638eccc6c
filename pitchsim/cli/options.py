"""The options that several commands share, each defined once and checked before any computing."""

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pitchsim.cards import quoted
from pitchsim.errors import InputError
from pitchsim.question import (
    AUTO,
    ENGINES,
    check_players_open,
    read_deals,
    read_names,
    read_pair,
    read_precision,
    read_seed,
    read_threads,
)
from pitchsim.report import CHART_SUFFIXES, FORMATS, OUT_SUFFIXES, SHIPPED, check_book_path, check_out_path
from pitchsim.rules import OPTION_FIELDS, OPTION_VALUES, Rules, house_rules, rules_from_options

Function = Callable[..., Any]


class SectionOption(click.Option):
    """An option that the help shows in a section of its own."""

    def __init__(self, *args: Any, section: str, **options: Any) -> None:
        """Remember the section."""
        super().__init__(*args, **options)
        self.section = section


class Checked(click.ParamType):
    """A value that is read by a function; its InputError is told with the name of the option."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        """Give the value its name in the help."""
        self.name, self.read = name, read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read what was typed; what is a value already stays."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except InputError as error:
            self.fail(str(error), param, ctx)


def read_rule_number(text: str) -> int:
    """Read a whole number of any size and sign."""
    if not re.fullmatch(r"[+-]?\d{1,4000}", text.strip(), re.ASCII):
        raise InputError(f"{quoted(text)} is not a whole number")
    return int(text)


def check_chart_path(text: str) -> Path:
    """Check the place and the suffix of a chart."""
    return check_out_path(text, CHART_SUFFIXES)


def read_book(text: str) -> str | Path:
    """Check the name of a book of hands, or take the word for the one that comes with the program."""
    return text if text == SHIPPED else check_book_path(text)


def check_records_path(text: str) -> Path:
    """Check the place of a file whose suffix does not matter; `-` is standard output."""
    return Path(text) if text == "-" else check_out_path(text, ())


# Options --------------------------------------------------------------------------------------------


def format_option(function: Function) -> Function:
    """Add `-f, --format`: what goes to standard output; the command receives it as `form`."""
    return click.option(
        "-f",
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="What goes to standard output.",
    )(function)


def out_option(function: Function) -> Function:
    """Add `-o, --out`: also write a file."""
    return click.option(
        "-o",
        "--out",
        type=Checked("FILE", check_out_path),
        metavar="FILE",
        help=f"Also write a file: {' '.join(OUT_SUFFIXES)}",
    )(function)


def chart_option(function: Function) -> Function:
    """Add `--chart`: draw it."""
    return click.option(
        "--chart",
        type=Checked("FILE", check_chart_path),
        metavar="FILE",
        help=f"Draw it: {' '.join(CHART_SUFFIXES)}",
    )(function)


def deals_option(what: str, default: int | None = None) -> Callable[[Function], Function]:
    """Add `--deals`; None when not given, since a precision may stand in its place."""
    usual = f" [default: {default:,}]" if default else ""
    return click.option(
        "--deals",
        type=Checked("N", read_deals),
        metavar="N",
        help=f"{what}; 1e6 and 200_000 are fine.{usual}",
    )


def precision_option(of_what: str) -> Callable[[Function], Function]:
    """Add `--precision`: stop when a standard error is small enough."""
    return click.option(
        "--precision",
        type=Checked("SE", read_precision),
        metavar="SE",
        help=f"Stop when the standard error {of_what} is below SE.",
    )


def seed_option_for(what: str) -> Callable[[Function], Function]:
    """Add `--seed`; `what` comes out the same with the same seed."""
    return click.option(
        "--seed",
        type=Checked("S", read_seed),
        metavar="S",
        default=1,
        show_default=True,
        help=f"The same seed gives the same {what}.",
    )


seed_option = seed_option_for("deals")


def threads_option(function: Function) -> Function:
    """Add `-j, --threads`; the result never depends on it."""
    return click.option(
        "-j",
        "--threads",
        type=Checked("K", read_threads),
        metavar="K",
        help="How many threads work [default: all cores]; the result never depends on it.",
    )(function)


def engine_option(function: Function) -> Function:
    """Add `--engine`: who plays the deals; the result never depends on it."""
    return click.option(
        "--engine",
        type=click.Choice(ENGINES),
        default=AUTO,
        show_default=True,
        help="Play 64 deals at a time (lanes), or one (scalar); the result never depends on it.",
    )(function)


def policy_options(players: str | None = None, bidders: str | None = None) -> Callable[[Function], Function]:
    """Add `--play` and `--bidding`: one name for all, or as `players` and `bidders` say."""

    def add(function: Function) -> Function:
        ways = (("--bidding", "bid", bidders or players), ("--play", "play", players))
        for flag, what, several in ways:
            names = f"one name for all, or {several}." if several else "one name for all."
            function = click.option(
                flag,
                type=Checked("NAME", read_names),
                metavar="NAME[,NAME...]" if several else "NAME",
                help=f"How they {what} (see pitchsim policies): {names}",
            )(function)
        return function

    return add


play_option = click.option(
    "--play",
    type=Checked("NAME", read_names),
    metavar="NAME",
    help="How everybody plays (see pitchsim policies).",
)

bidding_option = click.option(
    "--bidding",
    type=Checked("NAME", read_names),
    metavar="NAME",
    help="How everybody bids (see pitchsim policies).",
)


def others_option(function: Function) -> Function:
    """Add `--others`: how everybody but the caller plays and bids."""
    return click.option(
        "--others",
        type=Checked("PLAY/BIDDING", read_pair),
        metavar="PLAY/BIDDING",
        help="How everybody but the caller plays and bids.",
    )(function)


def players_option(function: Function) -> Function:
    """Add `-n, --players` and `--house`, for commands to which no other rule matters."""

    @functools.wraps(function)
    def at_the_table(*args: Any, players: int | None, house: str | None, **options: Any) -> Any:
        return function(*args, players=_agreed(house, {"players": players}).players, **options)

    return _players(_house_option(at_the_table))


def any_players_option(function: Function) -> Function:
    """Add `-n, --players`; None when not given, for a command that goes through all tables."""

    @functools.wraps(function)
    def at_tables(*args: Any, players: int | None, **options: Any) -> Any:
        number = None if players is None else Rules(players=players).players
        return function(*args, players=number, **options)

    return _number("-n", "--players", metavar="N", help="Number of players. [default: 2 to 7]")(at_tables)


def house_options(function: Function) -> Function:
    """Add every house rule and `--house`; the command receives `rules`."""

    @functools.wraps(function)
    def under_the_rules(*args: Any, house: str | None, **options: Any) -> Any:
        flags = {name: options.pop(name) for name in OPTION_FIELDS}
        return function(*args, rules=_agreed(house, flags), **options)

    return _with_house_rules(under_the_rules)


def house_options_if_given(function: Function) -> Function:
    """Add every house rule and `--house`; the command receives `rules`, None when nobody has named any of them."""

    @functools.wraps(function)
    def under_the_rules(*args: Any, house: str | None, **options: Any) -> Any:
        flags = {name: options.pop(name) for name in OPTION_FIELDS}
        given = house or any(value is not None for value in flags.values())
        return function(*args, rules=_agreed(house, flags) if given else None, **options)

    return _with_house_rules(under_the_rules)


def _with_house_rules(function: Function) -> Function:
    """Put the options in front of a command."""
    wrapped = _house_option(function)
    for add in reversed([_players, *_HOUSE_RULES]):
        wrapped = add(wrapped)
    return wrapped


def all_tables_options(function: Function) -> Function:
    """Add every house rule but the number of players, for a command that goes through all tables.

    `--players` is there to be refused in one sentence, and what a house file says of it does not matter.
    """

    @functools.wraps(function)
    def at_all_tables(*args: Any, house: str | None, players: int | None, **options: Any) -> Any:
        check_players_open(players)
        flags = {name: options.pop(name) for name in OPTION_FIELDS if name != "players"}
        return function(*args, rules=_agreed(house, flags | {"players": Rules().players}), **options)

    wrapped = _house_option(at_all_tables)
    hidden: Callable[[Function], Function] = click.option(
        "-n", "--players", type=Checked("N", read_rule_number), metavar="N", hidden=True
    )
    for add in reversed([hidden, *_HOUSE_RULES]):
        wrapped = add(wrapped)
    return wrapped


def _agreed(house: str | None, flags: dict[str, Any]) -> Rules:
    """Put the house file and the flags together; a flag wins."""
    given = {name: value for name, value in flags.items() if value is not None}
    return rules_from_options((house_rules(house) if house else {}) | given)


def _rule(*names: str, **options: Any) -> Callable[[Function], Function]:
    """Make one option of the section on house rules."""
    return click.option(*names, cls=SectionOption, section="House rules", **options)


def _number(*names: str, metavar: str, help: str) -> Callable[[Function], Function]:
    """Make a house rule that is a whole number; which numbers can be, Rules says."""
    return _rule(*names, type=Checked(metavar, read_rule_number), metavar=metavar, help=help)


def _choice(option: str, help: str) -> Callable[[Function], Function]:
    """Make a house rule that is a choice between the spellings of OPTION_VALUES."""
    values = list(OPTION_VALUES[option])
    flag = "--" + option.replace("_", "-")
    return _rule(flag, type=click.Choice(values), help=f"{help} [default: {values[0]}]")


_players = _number("-n", "--players", metavar="N", help="Number of players, 2 to 7. [default: 4]")
_house_option = _rule(
    "--house",
    metavar="FILE",
    envvar="PITCHSIM_HOUSE",
    help="House rules from a TOML file (or PITCHSIM_HOUSE), as in lowest-bid = 2; an option given wins.",
)
_HOUSE_RULES = [
    _number("--lowest-bid", metavar="BID", help="Lowest bid, 1 or 2; most tables play 2. [default: 1]"),
    _rule("--partners/--no-partners", default=None, help="Four players in two teams. [default: off]"),
    _number("--target", metavar="N", help="Score that wins the game. [default: 7]"),
    _choice("steal", "May the dealer match the highest bid?"),
    _choice("stuck", "What a dealer does when all others passed."),
    _choice("low", "Low goes to the winner of its trick, or to the holder."),
    _choice("game_tie", "Who gets Game when it is tied."),
    _choice("follow", "Trump at any time, or only when void in the suit led."),
    _choice("winning", "Who wins at the target."),
    _rule("--smudge/--no-smudge", default=None, help="A made 4 with all six tricks scores 5. [default: off]"),
    _number("--end-after", metavar="DEALS", help="The game ends after so many deals, and the target is ignored."),
]
