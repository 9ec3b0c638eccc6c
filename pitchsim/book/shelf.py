"""Where books of hands are, packed or not, and what they say of a hand."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

import pitchsim
from pitchsim.book.classes import class_of, order_of_suits
from pitchsim.book.packed import BIDS, Packed, pack, unpack
from pitchsim.book.pages import COLUMNS, TEXTS, Damaged, Pages
from pitchsim.book.recipe import Recipe, options_of, rules_for_play
from pitchsim.book.unfinished import Unfinished
from pitchsim.cards import SUITS, Card, format_hand, parse_card, quoted
from pitchsim.deck import cards_to_set
from pitchsim.errors import InputError, RunError
from pitchsim.plans import plan_name
from pitchsim.report import PACKED_SUFFIX, SHIPPED
from pitchsim.rules import Rules
from pitchsim.statistics import score_as_pitcher
from pitchsim.storage import book_folder

SHIPPED_BOOKS = Path(pitchsim.__file__).parent / "data" / "books"


def usual_place(rules: Rules, make_room: bool = False) -> Path:
    """Where the book for some rules is kept when nobody says otherwise.

    Raises RunError when there shall be room for it and cannot be.
    """
    folder = book_folder()
    try:
        if make_room:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot write {folder}: {error.strerror or error}") from error
    return folder / f"{plan_name(rules, margin=False)}.parquet"


def shipped_place(rules: Rules) -> Path:
    """Where the book is that comes with the program; one serves all houses that differ in who may call what alone.

    Raises InputError when none comes for such a table.
    """
    played = rules_for_play(rules)
    path = SHIPPED_BOOKS / f"{plan_name(played, margin=False)}.npz"
    if not path.exists():
        options = options_of(played)
        raise InputError(
            f"no book for {options} comes with pitchsim; pitchsim book build {options} makes one, and --book finds it"
        )
    return path


def place_for(rules: Rules) -> Path:
    """Where the book for some rules is, finished or not: one's own, else the one that comes with the program.

    Raises InputError when there is neither.
    """
    own = usual_place(rules)
    return own if own.exists() or Unfinished(own).folder.exists() else shipped_place(rules)


def name_of(path: Path) -> str:
    """What a book is called: the word by which one asks for the shipped one, or where it is."""
    return SHIPPED if path.parent == SHIPPED_BOOKS else str(path)


def in_words(path: Path) -> str:
    """The same within a sentence."""
    return "the book that comes with pitchsim" if path.parent == SHIPPED_BOOKS else f"the book {path}"


def is_packed(path: Path) -> bool:
    """Whether this is the name of a packed book."""
    return path.suffix.lower() == PACKED_SUFFIX


class Book:
    """A finished book, open for reading.

    Raises InputError where there is none, RunError for one that is damaged.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, and read its recipe."""
        self.path = path
        try:
            head = self._open()
        except FileNotFoundError:
            raise InputError(missing(path)) from None
        except Damaged as error:
            raise RunError(f"{error}, or no book at all; give another --book") from error
        try:
            self.recipe = Recipe.from_dict(head.get("recipe", {}))
        except InputError as error:
            self.close()
            raise InputError(f"{quoted(path)} is of no use here, {error}; build it anew") from error

    def _open(self) -> dict[str, Any]:
        """Open the file; returns what it says of itself."""
        self._pages = Pages(self.path)
        return self._pages.head

    def row(self, number: int) -> dict[str, Any] | None:
        """What stands under the number of a class; None when it is not in the book."""
        with self._told():
            return self._pages.find(number)

    def columns(self) -> dict[str, Sequence[Any]]:
        """All of it, column by column.

        Raises RunError when a page is damaged, or the hands are not those that the recipe says.
        """
        table = self._table()
        return {name: table[name].to_pylist() if name in TEXTS else table[name].to_numpy() for name in COLUMNS}

    def sample(self, count: int, seed: int) -> list[dict[str, Any]]:
        """Some hands at random, when all of them are there.

        Raises RunError as `columns` does.
        """
        table = self._table()
        return table.take(self._some(count, seed)).to_pylist()

    def _table(self) -> Any:
        """All hands, when they are those that the recipe says."""
        with self._told():
            table = self._pages.table()
        self._check_whole(np.array_equal(table["class"].to_numpy(), np.array(self.recipe.classes)))
        return table

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Tell what is damaged, and what to do."""
        try:
            yield
        except Damaged as error:
            raise RunError(f"{error}; remove it, and build it anew") from error

    def _check_whole(self, whole: bool) -> None:
        """Refuse a book that is not whole: RunError."""
        if not whole:
            raise RunError(f"{quoted(self.path)} has not the hands that it should have; remove it, and build it anew")

    def _some(self, count: int, seed: int) -> np.ndarray:
        """Some places at random, in order."""
        there = len(self.recipe.classes)
        return np.sort(np.random.default_rng(seed).choice(there, min(count, there), replace=False))

    def as_kept(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rows as this book keeps them."""
        return rows

    def entry(self, hand: Sequence[Card]) -> "Entry":
        """What the book says of a hand, in the suits of that hand.

        Raises InputError for a hand that is not in it.
        """
        cards = cards_to_set(hand)
        number = int(class_of(cards))
        row = self.row(number)
        if row is None:
            raise InputError(
                f"{format_hand(hand)} is class {number:,}, and {quoted(self.path)} has only one class in "
                f"{self.recipe.every:,}; pitchsim advise without --book answers it"
            )
        order = [int(suit) for suit in order_of_suits(cards)]
        return Entry(tuple(hand), row, order)

    def check_rules(self, rules: Rules | None) -> None:
        """Refuse to answer for another table, when somebody has named one: InputError."""
        if rules is not None:
            self.recipe.check_rules(rules, self.path)

    def close(self) -> None:
        """Close the file."""
        self._pages.close()

    def __enter__(self) -> Self:
        """Use the book for a while."""
        return self

    def __exit__(self, *unused: object) -> None:
        """Close it."""
        self.close()


class PackedBook(Book):
    """A packed book, open for reading."""

    def _open(self) -> dict[str, Any]:
        """Open the file; returns what it says of itself."""
        self._packed = Packed(self.path)
        return self._packed.head

    def row(self, number: int) -> dict[str, Any] | None:
        """What stands under the number of a class, as far as a byte a figure tells; None when it is not in the book."""
        place, left = divmod(number, self.recipe.every)
        with self._told():
            return None if left else unpack(self.recipe, number, self._packed[place])

    def sample(self, count: int, seed: int) -> list[dict[str, Any]]:
        """Some hands at random, when all of them are there.

        Raises RunError when a block is damaged, or the number of hands is not what the recipe says.
        """
        with self._told():
            self._check_whole(len(self._packed) == len(self.recipe.classes))
        return [self.row(self.recipe.classes[place]) or {} for place in self._some(count, seed).tolist()]

    def as_kept(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rows as this book keeps them: rounded."""
        table = pack({name: [row[name] for row in rows] for name in COLUMNS}, self.recipe.rules)
        return [unpack(self.recipe, row["class"], table[:, place].tolist()) for place, row in enumerate(rows)]

    def check_rules(self, rules: Rules | None) -> None:
        """Refuse to answer where the cards would fall or score otherwise: InputError. The calls are asked for anew."""
        if rules is not None:
            played = replace(self.recipe, rules=rules_for_play(self.recipe.rules))
            played.check_rules(rules_for_play(rules), self.path)

    def close(self) -> None:
        """Close the file."""
        self._packed.close()


def open_book(path: Path) -> Book:
    """Open a finished book, packed or not.

    Raises InputError where there is none, RunError for one that is damaged.
    """
    return (PackedBook if is_packed(path) else Book)(path)


def rules_of(path: Path, rules: Rules | None) -> Rules:
    """The rules that a table has agreed on, which must be the book's; the book's own when nobody has named any."""
    with open_book(path) as book:
        book.check_rules(rules)
        return rules or book.recipe.rules


def missing(path: Path) -> str:
    """Say that there is no book, or that it is not finished."""
    if is_packed(path):
        return f"there is no book {quoted(path)}; pitchsim book pack makes one from a finished book"
    unfinished = Unfinished(path)
    recipe = unfinished.recipe()
    if recipe is None:
        return f"there is no book {quoted(path)}; pitchsim book build makes one"
    done = len(unfinished.sound_shards(recipe))
    return (
        f"the book {quoted(path)} is not finished, {done} of {recipe.shards} shards are there; "
        "pitchsim book build with the same options goes on"
    )


@dataclass(frozen=True)
class Entry:
    """What a book says of one hand; `order` are its suits in the order of the canonical hand."""

    hand: tuple[Card, ...]
    row: dict[str, Any]
    order: list[int]

    def _own(self, text: str) -> Card:
        """A card of the canonical hand in the suits of this hand."""
        card = parse_card(text)
        return Card(card.rank, self.order[card.suit])

    @property
    def lead(self) -> Card:
        """The best card to pitch."""
        return self._own(self.row["lead"])

    @property
    def next_lead(self) -> Card:
        """The next best."""
        return self._own(self.row["next_lead"])

    def chance(self, points: int) -> float:
        """The chance of at least so many points."""
        return self.row[f"p{points}"]

    def to_dict(self) -> dict[str, Any]:
        """The row, in the suits of this hand."""
        own = {"lead": str(self.lead), "trump": SUITS[self.lead.suit], "next_lead": str(self.next_lead)}
        return {name: own.get(name, self.row[name]) for name in COLUMNS if name != "hand"}


def ev_error(row: dict[str, Any], bid: int) -> float:
    """The standard error of the score change as pitcher of a bid: known from the chances of 0 to 4 points."""
    at_least = [row[f"p{points}"] for points in BIDS]
    swept = row["ev4"] - (score_as_pitcher(at_least, 4, row["deals"]).mean or 0.0)  # Where the house smudges.
    return score_as_pitcher(at_least, bid, row["deals"], max(swept, 0.0)).se or 0.0
