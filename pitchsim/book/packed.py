"""A book in a small file: one byte a figure, rounded finer than its standard error; numpy alone reads it.

The file is a numpy archive (.npz): the recipe, and for every 16,384 classes in a row a table of bytes, one row for each
of COLUMNS. So a hand is found by unpacking one of them.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from pitchsim.book.classes import LENGTHS, all_classes, holdings_of, size_of
from pitchsim.book.pages import Damaged
from pitchsim.book.recipe import Recipe
from pitchsim.book.shards import suit_by_suit
from pitchsim.cards import HAND_SIZE, SUITS, parse_card, quoted
from pitchsim.deck import card_number, card_of
from pitchsim.errors import RunError
from pitchsim.leading import POINT_NAMES, Aim, cards_of
from pitchsim.rules import HIGHEST_BID, Rules
from pitchsim.statistics import score_as_pitcher
from pitchsim.storage import whole_file

SCHEMA = "pitch-book-packed/1"
HEAD, BLOCK_NAME, BLOCK = "head", "classes-{:02}", 1 << 14
WHOLE = 255
BIDS = range(1, HIGHEST_BID + 1)

CHANCES = np.sin(np.arange(WHOLE + 1) * (np.pi / 2 / WHOLE)) ** 2
"""A byte says a chance as an angle, of which it is the squared sine: so beside the standard error a step is as large
for a rare thing as for an even one. Half a step is less than the error of up to 26,000 deals, more than .01 needs."""

FARTHEST = 4.0
SPANS = FARTHEST * (np.arange(WHOLE + 1) / WHOLE) ** 2
"""How far a card is behind, and how sure that is, in points: the less, the finer."""

CHANCE_NAMES = (*POINT_NAMES, *(f"p{points}" for points in BIDS))
COLUMNS = ("leads", *CHANCE_NAMES, "behind", "behind_se")
"""`leads`: which of the six cards, upward, is the best to pitch, times six, and which is the next best."""
SWEPT = "swept"
"""One column more where the house smudges: all four points and all six tricks."""


def columns_of(rules: Rules) -> tuple[str, ...]:
    """The columns of a book for these rules."""
    return (*COLUMNS, SWEPT) if rules.smudge else COLUMNS


def pack(figures: Mapping[str, Sequence[Any]], rules: Rules) -> np.ndarray:
    """Turn rows of a book, given column by column, into bytes (column, class)."""
    hands = all_classes()[np.asarray(figures["class"])]
    places = [_places(hands, figures[name]) for name in ("lead", "next_lead")]
    found = {"leads": HAND_SIZE * places[0] + places[1]}
    found |= {name: _angles(figures[name]) for name in CHANCE_NAMES}
    for name in ("behind", "behind_se"):
        spans = np.nan_to_num(np.asarray(figures[name], float), nan=FARTHEST).clip(0, FARTHEST)
        found[name] = np.rint(WHOLE * np.sqrt(spans / FARTHEST))
    if rules.smudge:
        reach = [np.asarray(figures[f"p{points}"], float) for points in BIDS]
        found[SWEPT] = _angles((np.asarray(figures["ev4"], float) - (8 * reach[3] - 4)).clip(0, 1))
    return np.array([found[name] for name in columns_of(rules)]).astype(np.uint8)


def _angles(chances: Any) -> np.ndarray:
    """Chances as bytes."""
    return np.rint(np.arcsin(np.sqrt(np.asarray(chances, float))) * (2 * WHOLE / np.pi))


def _places(hands: np.ndarray, cards: Sequence[str]) -> np.ndarray:
    """Which of the six cards of each hand this is, counted upward from 0."""
    numbers = {text: card_number(parse_card(text)) for text in set(cards)}
    below = (np.int64(1) << np.array([numbers[text] for text in cards], np.int64)) - 1
    return LENGTHS[holdings_of(hands & below)].sum(axis=-1)


def unpack(recipe: Recipe, number: int, packed: Sequence[int]) -> dict[str, Any]:
    """The row of a class from its bytes; deals and errors are worked out from the chances and the precision."""
    hand = int(all_classes()[number])
    code = dict(zip(columns_of(recipe.rules), map(int, packed), strict=True))
    lead, next_lead = (card_of(cards_of(hand)[place]) for place in divmod(code["leads"], HAND_SIZE))
    chances = {name: float(CHANCES[code[name]]) for name in CHANCE_NAMES}
    reach = [chances[f"p{points}"] for points in BIDS]
    points = sum(reach)
    spread = sum((2 * least - 1) * chance for least, chance in zip(BIDS, reach, strict=True)) - points**2
    deals = Aim(recipe.precision, recipe.deals).about(spread)
    swept = float(CHANCES[code[SWEPT]]) if recipe.rules.smudge else 0.0
    return {
        "class": number,
        "hand": suit_by_suit(hand),
        "size": int(size_of(hand)),
        "trump": SUITS[lead.suit],
        "lead": str(lead),
        "deals": deals,
        "points": points,
        "points_se": sqrt(max(spread, 0.0) / deals),
        **chances,
        **{f"ev{bid}": score_as_pitcher(reach, bid, deals, swept).mean for bid in BIDS},
        "next_lead": str(next_lead),
        "behind": float(SPANS[code["behind"]]),
        "behind_se": float(SPANS[code["behind_se"]]),
    }


def write(path: Path, recipe: Recipe, figures: Mapping[str, Sequence[Any]]) -> None:
    """Write a packed book, whole or not at all.

    Raises RunError when the disk refuses.
    """
    table = pack(figures, recipe.rules)
    head = {"schema": SCHEMA, "columns": columns_of(recipe.rules), "recipe": recipe.of_book()}
    members = {HEAD: np.frombuffer(json.dumps(head).encode(), np.uint8)}
    for block in range(-(-table.shape[1] // BLOCK)):
        members[BLOCK_NAME.format(block)] = table[:, block * BLOCK : (block + 1) * BLOCK]
    with whole_file(path, "wb") as file:
        np.savez_compressed(file, **members)  # type: ignore[arg-type]


class Packed:
    """A packed book, open for reading."""

    def __init__(self, path: Path) -> None:
        """Read what the file says of itself.

        Raises RunError for a file that the system does not give, Damaged for one that is no packed book.
        """
        self.path = path
        with self._damage_told(), contextlib.ExitStack() as opened:
            self._file = opened.enter_context(np.load(opened.enter_context(path.open("rb"))))
            self.head: dict[str, Any] = json.loads(bytes(self._file[HEAD]))
            self._opened = opened.pop_all()

    @contextlib.contextmanager
    def _damage_told(self) -> Iterator[None]:
        """What a few wrong bytes lead to is any error at all."""
        try:
            yield
        except FileNotFoundError:
            raise
        except Exception as error:
            if isinstance(error, OSError) and error.errno:
                raise RunError(f"cannot read {self.path}: {error.strerror or error}") from error
            raise Damaged(f"{quoted(self.path)} is damaged") from error

    def block(self, place: int) -> np.ndarray:
        """The bytes of some classes (column, class), in which this place of the book is.

        Raises Damaged when the checksum is not right.
        """
        with self._damage_told():
            return self._file[BLOCK_NAME.format(place // BLOCK)]

    def __getitem__(self, place: int) -> list[int]:
        """The bytes of one class."""
        return self.block(place)[:, place % BLOCK].tolist()

    def __len__(self) -> int:
        """How many classes there are, every block read."""
        blocks = sum(name != HEAD for name in self._file.files)
        return sum(self.block(block * BLOCK).shape[1] for block in range(blocks))

    def close(self) -> None:
        """Close the file."""
        self._opened.close()
