"""What a book of hands is made from: the same recipe makes the same book, whoever makes it and in whatever order."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from pitchsim import __version__
from pitchsim.cards import quoted
from pitchsim.errors import InputError
from pitchsim.plans import rules_for_bidding
from pitchsim.question import CLASSES_OF_HANDS, SHARD, read_every, read_shard
from pitchsim.rules import OPTION_FIELDS, OPTION_VALUES, Rules

SCHEMA = "pitch-book/1"
PRECISION = 0.01
ALSO = ("book/classes.py", "book/shards.py", "lanes", "leading.py", "seating.py", "statistics.py")
"""Rooms that Numba does not compile and yet decide what stands in a book."""
WORDS = {
    "schema": "form of book",
    "version": "version of pitchsim",
    "sources": "version of pitchsim",
    "every": "--every",
    "shard": "--shard",
    "play": "play policy",
}


@cache
def sources() -> str:
    """Name the program as far as it decides what stands in a book.

    Unlike the name of the machine code this one is the same on every machine, so that a cluster can be compared.
    """
    from pitchsim.jit import PACKAGE, SKINS

    digest = hashlib.sha256()
    rooms = {path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in SKINS}
    also = {path for name in ALSO for path in ((PACKAGE / name).rglob("*.py") if "." not in name else [PACKAGE / name])}
    tables = {path for path in (PACKAGE / "data").glob("*") if path.is_file()}
    for path in sorted(rooms | also | tables):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Recipe:
    """Rules, who plays, how well, which classes: everything that decides what stands in a book.

    One class in `every` is in it. `version` and `sources` name the program. While the book is made a shard is `shard`
    classes in a row; that decides nothing, and a finished book has forgotten it.
    """

    rules: Rules
    sources: str
    play: str = "expert"
    precision: float = PRECISION
    deals: int | None = None
    seed: int = 1
    every: int = 1
    shard: int = SHARD
    version: str = __version__
    schema: str = SCHEMA

    @property
    def classes(self) -> range:
        """The numbers of the classes that are in the book."""
        return range(0, CLASSES_OF_HANDS, self.every)

    @property
    def shards(self) -> int:
        """How many shards there are."""
        return -(-len(self.classes) // self.shard)

    def classes_of(self, shard: int) -> range:
        """The classes of one shard."""
        return self.classes[shard * self.shard : (shard + 1) * self.shard]

    def to_dict(self) -> dict[str, Any]:
        """The recipe as it is written beside a book that is being made, and into every shard."""
        return asdict(self) | {"rules": self.rules.to_dict()}

    def of_book(self) -> dict[str, Any]:
        """The recipe as it is written into the finished book: nothing of how the work was cut up."""
        return {name: value for name, value in self.to_dict().items() if name != "shard"}

    @staticmethod
    def from_dict(named: Mapping[str, Any]) -> "Recipe":
        """Read what `to_dict` or `of_book` gave: what another form of book may have besides is no recipe of ours.

        Raises InputError for what is none.
        """
        try:
            recipe = Recipe(**{**named, "rules": Rules.from_dict(named["rules"])})
            read_every(recipe.every)
            read_shard(recipe.shard)
        except (TypeError, KeyError, AttributeError) as error:
            raise InputError("it is of a form that this version does not read") from error
        return recipe

    def difference(self, other: "Recipe") -> str | None:
        """What another recipe has otherwise, in a few words; None when both make the same book from the same shards."""
        mine, theirs = self.to_dict(), other.to_dict()
        for name in ("schema", "version", "rules", *mine):
            if mine[name] == theirs[name]:
                continue
            if name == "rules":
                there, here = other_house(other.rules, self.rules) or ("", "")
                return f"it is for {there} there and {here} here"
            if name == "sources":
                return "it is by another state of the program"
            return f"the {WORDS.get(name, name)} is {theirs[name]} there and {mine[name]} here"
        return None

    def difference_of_book(self, other: "Recipe") -> str | None:
        """What a book by another recipe has otherwise, however many classes went into a shard."""
        return self.difference(replace(other, shard=self.shard))

    def check_rules(self, rules: Rules, path: Path) -> None:
        """Refuse to answer for another table: InputError."""
        if other := other_house(self.rules, rules_for_bidding(rules)):
            raise InputError(f"{quoted(path)} is a book for {other[0]}, not {other[1]}; give that, or another book")

    def in_words(self) -> str:
        """How well the hands are played, in a few words."""
        how = f"{self.deals:,} deals a hand" if self.deals else f"to {self.precision:g} points"
        part = "every class" if self.every == 1 else f"one class in {self.every:,} of {CLASSES_OF_HANDS:,}"
        return f"{part}, {how}, seed {self.seed}, play {self.play}"


def rules_for_play(rules: Rules) -> Rules:
    """The same rules without what only says who may call what: the cards fall, and score, as before."""
    usual = {name: getattr(Rules, name) for name in ("lowest_bid", "dealer_may_steal", "stuck_dealer")}
    return replace(rules_for_bidding(rules), **usual)


def other_house(rules: Rules, others: Rules) -> tuple[str, str] | None:
    """The first house rule that differs, as it is typed for both; None when the rules are the same.

    >>> other_house(Rules(), Rules(dealer_may_steal=False))
    ('--steal up-to-3', 'never')
    >>> other_house(Rules(partners=True), Rules())
    ('--partners', '--no-partners')
    """
    for option, field in OPTION_FIELDS.items():
        mine, theirs = getattr(rules, field), getattr(others, field)
        if mine == theirs:
            continue
        if isinstance(getattr(Rules, field), bool) and option not in OPTION_VALUES:
            return as_typed(option, mine), as_typed(option, theirs)
        return as_typed(option, mine), as_typed(option, theirs).partition(" ")[2]
    return None


def as_typed(option: str, value: Any) -> str:
    """A house rule as it is typed.

    >>> as_typed("lowest_bid", 2), as_typed("steal", "only_4"), as_typed("smudge", False)
    ('--lowest-bid 2', '--steal only-4', '--no-smudge')
    """
    flag = option.replace("_", "-")
    words = {known: word for word, known in OPTION_VALUES.get(option, {}).items()}
    if isinstance(value, bool) and value not in words:
        return f"--{flag}" if value else f"--no-{flag}"
    return f"--{flag} {words.get(value, value)}"


def options_of(rules: Rules) -> str:
    """The number of players and all that is not by the book, as it is typed.

    >>> options_of(Rules(players=5, low_goes_to="holder"))
    '--players 5 --low holder'
    """
    named = {option: getattr(rules, field) for option, field in OPTION_FIELDS.items()}
    other = [
        as_typed(option, value) for option, value in named.items() if value != getattr(Rules, OPTION_FIELDS[option])
    ]
    return " ".join(other) or as_typed("players", rules.players)


def recipe_of(
    rules: Rules, play: str, precision: float | None, deals: int | None, seed: int, every: int, shard: int
) -> Recipe:
    """The recipe of a book that this program makes; rules that look beyond one deal change nothing in it.

    Raises InputError for a policy that does not come with the program: no recipe can say what it does.
    """
    from pitchsim.plugins import find
    from pitchsim.policies import PLAY

    if find(PLAY, play).source != "built in":
        raise InputError(f"a book is played by a policy that comes with the program, not by {quoted(play)}")
    return Recipe(rules_for_bidding(rules), sources(), play, precision or PRECISION, deals, seed, every, shard)
