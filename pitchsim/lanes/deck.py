"""Dealing, 64 deals at a time: the same cards as the scalar engine deals, picked in the same order."""

from dataclasses import dataclass
from typing import Any

from pitchsim.lanes.desk import DEALT, LUCK, TODO
from pitchsim.lanes.vectors import Bytes, Quarters, Words
from pitchsim.stream import (
    DRAWS_A_DEAL,
    FIRST_MULTIPLIER,
    GAMMA,
    HALF_BITS,
    MASK64,
    QUARTER_BITS,
    SECOND_MULTIPLIER,
)

HAND_SIZE = 6
PICKS_A_HALF = 3
WORDS_PER_DEAL = 8
REDRAW = 1 << 60


def word(z: Words) -> Words:
    """SplitMix64 from `key + GAMMA * counter`."""
    z = z.folded(30) * FIRST_MULTIPLIER
    z = z.folded(27) * SECOND_MULTIPLIER
    return z.folded(31)


def lucky_word(luck: Words, number: int) -> Words:
    """Word `number` of the luck of a deal."""
    return ((luck + (GAMMA * (number + 1) & MASK64)).folded(30) * FIRST_MULTIPLIER).folded(32)


@dataclass
class Half:
    """Half a word from which cards are picked: its upper and its lower 16 bits."""

    upper: Quarters
    lower: Quarters

    def pick(self, sides: Any) -> Bytes:
        """A whole number below `sides`, from the top; the half is left with the rest."""
        carried = self.lower.top(sides)
        total = self.upper * sides + carried
        picked = self.upper.top(sides).one_more_where_less(total, carried)
        self.upper, self.lower = total, self.lower * sides
        return picked.narrow()

    def unfair(self, threshold: int) -> Any:
        """Whether this rest would favour some orderings."""
        high, low = threshold >> QUARTER_BITS, threshold & 0xFFFF
        equal = self.upper.equals(high) & (self.lower < low)
        return equal | (self.upper < high) if high else equal


class Deck:
    """A deck from which cards are picked: its last card takes the place of each that is gone."""

    def __init__(self, on: Any, left: int, cards: Any, moved: list[tuple[Bytes, Any]]) -> None:
        """`left` cards in the order of the table `cards`; `moved` are places filled again already, and from where."""
        self.on, self.left, self.cards = on, left, cards
        self.moved = list(moved)

    def draw(self, place: Bytes) -> Bytes:
        """The card at this place."""
        found = place
        for gone, last in reversed(self.moved):
            found = found.equals(gone).choose(last, found)
        self.left -= 1
        self.moved.append((place, self.on.bytes(self.left)))
        return self.cards[found]


def deal_hands(on: Any, desk: Any, deck: Deck, seats: list[int], key: Any, deal: Any, attempt: Any, again: bool) -> None:
    """R3: six cards each, every way with the same chance; `again` only to those deals that are still to be dealt.

    Leaves as still to be dealt those whose words would favour some hands.
    """
    start = key + deal * (WORDS_PER_DEAL * GAMMA & MASK64) + attempt * (REDRAW * GAMMA & MASK64)
    words = on.words(start, WORDS_PER_DEAL * GAMMA & MASK64)
    todo = on.load_lanes(desk, TODO)
    unfair = on.no_lanes()
    for seat in seats:
        quarters = word(words + (seat * GAMMA & MASK64)).quarters()
        for part in (0, 1):
            half = Half(quarters[3 - 2 * part], quarters[2 - 2 * part])
            threshold = (1 << HALF_BITS) % (deck.left * (deck.left - 1) * (deck.left - 2))
            for step in range(PICKS_A_HALF):
                card = deck.draw(half.pick(deck.left))
                row = DEALT + HAND_SIZE * seat + PICKS_A_HALF * part + step
                on.store(desk, row, todo.choose(card, on.load(desk, row)) if again else card)
            unfair = unfair | half.unfair(threshold)
    on.store_lanes(desk, TODO, todo & unfair)


def shuffle_luck(on: Any, desk: Any, luck_key: Any, deal: Any) -> None:
    """Leave the luck of every deal on the desk."""
    luck = word(on.words(luck_key + deal * GAMMA, GAMMA)).shifted(2, -DRAWS_A_DEAL)
    on.store_words(desk, LUCK, luck)


class Luck:
    """Draws of one deal: four share a word."""

    def __init__(self, on: Any, desk: Any) -> None:
        """Read what `shuffle_luck` has left."""
        self.on, self.desk = on, desk
        self.drawn = -1
        self.quarters: list[Quarters] = []

    def __call__(self, number: int) -> Quarters:
        """Sixteen bits of luck for this draw."""
        if number // 4 != self.drawn:
            self.drawn = number // 4
            self.quarters = lucky_word(self.on.load_words(self.desk, LUCK), self.drawn).quarters()
        return self.quarters[number % 4]
