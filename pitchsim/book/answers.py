"""The book of hands: for each of the 962,988 classes of six cards the best card to pitch, and what it brings."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from pitchsim.book.packed import BIDS
from pitchsim.book.recipe import Recipe
from pitchsim.book.shelf import Entry, in_words, is_packed, missing, name_of, open_book
from pitchsim.book.unfinished import Unfinished
from pitchsim.cards import Card, format_card, format_hand
from pitchsim.deck import cards_to_set
from pitchsim.errors import InputError
from pitchsim.leading import POINT_NAMES
from pitchsim.question import LANES, SCALAR
from pitchsim.report import Report, Table, engine_in_words, percent, signed
from pitchsim.rules import Rules

if TYPE_CHECKING:
    from pitchsim.calls import Call

# What is told ---------------------------------------------------------------------------------------


@dataclass
class BookStatus(Report):
    """How far a book is; `done` are the shards that are there, of which a finished book has none."""

    path: Path
    recipe: Recipe
    done: int | None
    hands: int
    bytes: int
    left: float | None = None
    notices: Sequence[str] = ()
    engine: str | None = None

    @property
    def finished(self) -> bool:
        """Whether the book is whole."""
        return self.done is None

    def to_dict(self) -> dict[str, Any]:
        """All that is known of it."""
        return {
            "book": name_of(self.path),
            "finished": self.finished,
            "shards": None if self.finished else self.recipe.shards,
            "shards_done": self.done,
            "classes": len(self.recipe.classes),
            "classes_done": self.hands,
            "bytes": self.bytes,
            "seconds_left": self.left,
            "recipe": self.recipe.of_book() if self.finished else self.recipe.to_dict(),
            **({"engine": self.engine} if self.engine else {}),
        }

    def tables(self) -> list[Table]:
        """One row."""
        answer = self.to_dict()
        recipe = answer.pop("recipe")
        names = ("play", "precision", "deals", "seed", "every", "shard", "version")
        answer |= {name: recipe.get(name) for name in names}
        return [Table("status", list(answer), [list(answer.values())])]

    def headline(self, symbols: bool = False) -> str:
        """Whether it is finished, or how much of it is."""
        if self.finished:
            size = f"{self.bytes / 1e6:.1f} MB" if self.bytes >= 100_000 else f"{self.bytes / 1e3:.1f} kB"
            return f"{name_of(self.path)}: finished, {self.hands:,} classes of hands, {size}."
        done, all_of_them = self.hands, len(self.recipe.classes)
        return (
            f"{name_of(self.path)}: {percent(done / all_of_them)} done, {done:,} of {all_of_them:,} classes of hands."
        )

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """The headline says it."""
        return []

    def notes(self, symbols: bool = False) -> list[str]:
        """The recipe, and what is left to do."""
        from pitchsim.advice import table_in_words

        what = f"{table_in_words(self.recipe.rules)}; {self.recipe.in_words()}; pitchsim {self.recipe.version}."
        if self.engine in (LANES, SCALAR):
            what += f" {engine_in_words(self.engine)}"
        if self.finished:
            return [what]
        left = "" if self.left is None or not self.done else f" At the pace so far {_duration(self.left)} are left."
        shards = f"{self.done:,} of {self.recipe.shards:,} shards are there; pitchsim book build goes on.{left}"
        return [what, shards]


def _duration(seconds: float) -> str:
    """A time as people say it.

    >>> [_duration(seconds) for seconds in (40, 600, 86_400)]
    ['40 seconds', '10 minutes', '24.0 hours']
    """
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def status(path: Path, rules: Rules | None = None) -> BookStatus:
    """Tell how far a book is.

    Raises InputError where there is none, and for rules that are not its.
    """
    if path.exists():
        with open_book(path) as book:
            book.check_rules(rules)
            return BookStatus(path, book.recipe, None, len(book.recipe.classes), path.stat().st_size)
    unfinished = Unfinished(path)
    recipe = unfinished.recipe()
    if recipe is None:
        raise InputError(missing(path))
    if rules is not None:
        recipe.check_rules(rules, path)
    shards = unfinished.sound_shards(recipe)
    size = sum(unfinished.place(shard).stat().st_size for shard in shards)
    hands = sum(len(recipe.classes_of(shard)) for shard in shards)
    return BookStatus(path, recipe, len(shards), hands, size, _left(recipe, unfinished.times(shards)))


def _left(recipe: Recipe, times: Sequence[float]) -> float:
    """Seconds that are left at the usual pace: the median, as a pause between two runs says nothing about it."""
    gaps = [later - sooner for sooner, later in pairwise(times)]
    return median(gaps) * (recipe.shards - len(times)) if gaps else 0.0


@dataclass
class BookCost(Report):
    """What a book will cost, from some hands that were played."""

    recipe: Recipe
    seconds: list[float]
    cores: int
    engine: str
    notices: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Hours of one core in all, and by the clock on this machine."""
        measured, classes = np.array(self.seconds), len(self.recipe.classes)
        hours = classes / 3600
        return {
            "classes": classes,
            "shards": self.recipe.shards,
            "measured": len(measured),
            "seconds_per_class": float(measured.mean()),
            "cpu_hours": float(measured.mean()) * hours,
            "cpu_hours_se": float(measured.std(ddof=1)) / math.sqrt(len(measured)) * hours,
            "cores": self.cores,
            "wall_hours": float(measured.mean()) * hours / self.cores,
            "seconds_per_shard": float(measured.mean()) * self.recipe.shard,
            "engine": self.engine,
            "recipe": self.recipe.to_dict(),
        }

    def tables(self) -> list[Table]:
        """One row."""
        answer = self.to_dict()
        recipe = answer.pop("recipe")
        answer |= {name: recipe[name] for name in ("play", "precision", "deals", "seed", "every", "shard")}
        return [Table("cost", list(answer), [list(answer.values())])]

    def headline(self, symbols: bool = False) -> str:
        """The hours."""
        answer = self.to_dict()
        cpu, wall = (_duration(3600 * answer[name]) for name in ("cpu_hours", "wall_hours"))
        return f"{answer['classes']:,} classes of hands cost {cpu} of one core; {wall} on the {self.cores} cores here."

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """The headline says it."""
        return []

    def notes(self, symbols: bool = False) -> list[str]:
        """How it was measured."""
        from pitchsim.advice import table_in_words

        answer = self.to_dict()
        off = percent(answer["cpu_hours_se"] / answer["cpu_hours"], 0)
        return [
            f"{table_in_words(self.recipe.rules)}; {self.recipe.in_words()}. {answer['shards']:,} shards.",
            f"Measured on {len(self.seconds):,} classes from all over the book, right to some {off} (a standard "
            f"error). {engine_in_words(self.engine)} Nothing was written.",
        ]


@dataclass
class BookCheck(Report):
    """Some hands of a book came out again as they stand there."""

    path: Path
    recipe: Recipe
    hands: list[str]
    seed: int
    exact: bool
    notices: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Which hands were played anew."""
        return {
            "book": name_of(self.path),
            "sample": len(self.hands),
            "seed": self.seed,
            "same": True,
            "exact": self.exact,
            "hands": self.hands,
            "recipe": self.recipe.of_book(),
        }

    def tables(self) -> list[Table]:
        """One row a hand."""
        return [Table("hands", ["hand", "exact"], [[hand, self.exact] for hand in self.hands])]

    def headline(self, symbols: bool = False) -> str:
        """How they came out."""
        bit = "with each figure rounded to its byte" if is_packed(self.path) else "to the last bit"
        same = f"come out the same {bit}" if self.exact else "come out the same within standard errors"
        return f"{name_of(self.path)}: every page is sound, and {len(self.hands)} hands, played anew, {same}."

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """The headline says it."""
        return []

    def notes(self, symbols: bool = False) -> list[str]:
        """Which sample, and by which version the book was made."""
        made = (
            []
            if self.exact
            else [
                f"The book was made by another state of the program (pitchsim {self.recipe.version}), so its figures "
                "need not be the same to the last bit."
            ]
        )
        return [f"Sample of seed {self.seed}.", *made]


def entry_table(entry: Entry, symbols: bool) -> Table:
    """What the best card brings, as a player reads it."""
    row = entry.row
    cells = [
        format_card(entry.lead, symbols=symbols),
        f"{row['points']:.2f}",
        *(percent(row[name], 0) for name in POINT_NAMES),
        *(percent(row[f"p{points}"], 0) for points in BIDS),
        *(signed(row[f"ev{bid}"]) for bid in BIDS),
    ]
    columns = ["pitch", "points", "High", "Low", "Jack", "Game", "1+", "2+", "3+", "4"]
    return Table(
        "lead", [*columns, *(f"bid {bid}" for bid in BIDS)], [cells],
        "If you are the pitcher (before anything is heard; under a bid: the score change as its pitcher)",
    )  # fmt: skip


@dataclass
class HandInBook(Report):
    """What a book says of one hand, and what the bidders call with it."""

    path: Path
    recipe: Recipe
    rules: Rules
    entry: Entry
    made: "list[Call]"
    bidding: str
    notices: Sequence[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The row of the book in the suits of this hand, and the calls."""
        return {
            "hand": format_hand(self.entry.hand, ten="T"),
            "players": self.rules.players,
            "rules": self.rules.to_dict(),
            "play": self.recipe.play,
            "bidding": self.bidding,
            "book": name_of(self.path),
            **self.entry.to_dict(),
            **made_how(self.recipe),
            "calls": [call.to_dict() for call in self.made],
        }

    def tables(self) -> list[Table]:
        """The row, and one row a call."""
        answer = self.entry.to_dict()
        calls = [call.to_dict() for call in self.made]
        return [
            Table("hand", ["hand", *answer], [[format_hand(self.entry.hand, ten="T"), *answer.values()]]),
            Table("call", list(calls[0]), [list(call.values()) for call in calls]),
        ]

    def headline(self, symbols: bool = False) -> str:
        """The best card."""
        from pitchsim.advice import named

        row = self.entry.row
        return (
            f"Pitch the {named(self.entry.lead)}: {row['points']:.2f} points. The next best card, the "
            f"{named(self.entry.next_lead)}, is {behind(row)}."
        )

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """What it brings, and the calls."""
        from pitchsim.calls import table_of_calls

        title = f"What {self.bidding} calls in each seat, by the highest bid so far (? = it mixes calls)"
        return [entry_table(self.entry, symbols), table_of_calls(self.made, self.rules, title)]

    def notes(self, symbols: bool = False) -> list[str]:
        """Where it stands."""
        return [from_the_book(self.path, self.recipe, self.entry, self.rules)]


def behind(row: dict[str, Any]) -> str:
    """How far the next best card is behind, in words."""
    if row["behind"] is None or row["behind_se"] is None or abs(row["behind"]) < 2 * row["behind_se"]:
        return "as good as far as can be told"
    return "just as good" if row["behind"] == 0 else f"{row['behind']:.2f} behind (+/- {row['behind_se']:.2f})"


ROUNDED = "Each figure is rounded to a byte; deals and errors are worked out from those."


def made_how(recipe: Recipe) -> dict[str, Any]:
    """How the figures of a book were come by, as in JSON."""
    return {"seed": recipe.seed, "precision": recipe.precision, "version": recipe.version}


def from_the_book(path: Path, recipe: Recipe, entry: Entry, rules: Rules) -> str:
    """Say where an answer comes from."""
    from pitchsim.advice import table_in_words

    row = entry.row
    return (
        f"From {in_words(path)}, class {row['class']:,} ({row['size']} hands). {table_in_words(rules)}; "
        f"{row['deals']:,} deals, points +/- {row['points_se']:.3f}, seed {recipe.seed}, play {recipe.play}, "
        f"pitchsim {recipe.version}.{' ' + ROUNDED if is_packed(path) else ''}"
    )


def show(path: Path, hand: Sequence[Card], rules: Rules | None, bidding: str) -> HandInBook:
    """Look a hand up.

    Raises InputError for a hand that is not in the book, and for rules that are not its.
    """
    from pitchsim.calls import calls_of
    from pitchsim.seating import seat_players

    with open_book(path) as book:
        book.check_rules(rules)
        entry, recipe = book.entry(hand), book.recipe
    table = rules or recipe.rules
    seating = seat_players(table, [recipe.play], [bidding])
    return HandInBook(path, recipe, table, entry, calls_of(seating, cards_to_set(hand)), bidding)
