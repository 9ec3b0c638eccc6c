"""Dealing, 64 deals at a time: the same cards as the scalar engine deals, picked in the same order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pitchsim.deck import DECK_SIZE, HAND_SIZE, REDRAW, SIDE_LUCK, WORDS_PER_DEAL
from pitchsim.desk import ALIVE, DEALT, LUCK, NOWHERE, SIDE_PLACES, UNDEALT
from pitchsim.lanes.vectors import Bytes, Lanes, Quarters, Words
from pitchsim.stream import (
    DRAWS_A_DEAL,
    FIRST_MULTIPLIER,
    GAMMA,
    HALF_BITS,
    MASK64,
    MOST_WAYS,
    PICKS_A_HALF,
    QUARTER_BITS,
    SECOND_MULTIPLIER,
)

MOST_SIDE_CARDS = 5
PERHAPS_UNFAIR = MOST_WAYS // (1 << QUARTER_BITS) + 1
"""No rest whose upper quarter is so large is unfair."""


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

    def unfair(self, high: Any, low: Any) -> Lanes:
        """Whether this rest is below a threshold of two quarters, so that the half would favour some orderings."""
        return (self.upper < high) | (self.upper.equals(high) & (self.lower < low))


def threshold(left: int) -> tuple[int, int]:
    """Below what the rest of three picks from `left` cards is unfair, in two quarters."""
    return divmod((1 << HALF_BITS) % (left * (left - 1) * (left - 2)), 1 << QUARTER_BITS)


class Deck:
    """A deck from which cards are picked: its last card takes the place of each that is gone."""

    def __init__(self, on: Any, left: Any, cards: Any, moved: Sequence[tuple[Bytes, Bytes]] = ()) -> None:
        """`left` cards in the order of the table `cards`; `moved` are places filled again already, and from where."""
        self.on, self.left, self.cards = on, left, cards
        self.moved = list(moved)

    def card_at(self, place: Bytes) -> Bytes:
        """The card that lies there now."""
        found = place
        for gone, last in reversed(self.moved):
            found = found.equals(gone).choose(last, found)
        return self.cards[found]

    def take(self, place: Bytes) -> None:
        """Take the card away that lies there."""
        self.left = self.left - 1
        self.moved.append((place, self.on.spread(self.left)))


def halves(words: Words) -> list[Half]:
    """The upper and the lower half of words."""
    quarters = words.quarters()
    return [Half(quarters[3], quarters[2]), Half(quarters[1], quarters[0])]


def words_of(on: Any, key: Any, deal: Any, number: int, attempt: Any) -> Words:
    """Word `number` of 64 deals from `deal` on."""
    start = key + deal * (WORDS_PER_DEAL * GAMMA & MASK64) + attempt * (REDRAW * GAMMA & MASK64)
    return word(on.words(start, WORDS_PER_DEAL * GAMMA & MASK64) + (number * GAMMA & MASK64))


def deal_hands(
    on: Any, desk: Any, deck: Deck, seats: list[int], key: Any, deal: Any, attempt: Any, again: bool
) -> None:
    """R3: six cards each, every way with the same chance; `again` only to those deals that are still to be dealt.

    Leaves as still to be dealt those whose words would favour some hands; at first, to be quick, all whose words might
    (one deal in some three thousand), and these are dealt again from the same words.
    """
    undealt, unfair, smallest = on.load_lanes(desk, UNDEALT if again else ALIVE), on.no_lanes(), None
    for seat in seats:
        for part, half in enumerate(halves(words_of(on, key, deal, seat, attempt))):
            limit = threshold(deck.left)
            for step in range(PICKS_A_HALF):
                place = half.pick(deck.left)
                card = deck.card_at(place)
                deck.take(place)
                row = DEALT + HAND_SIZE * seat + PICKS_A_HALF * part + step
                on.store(desk, row, undealt.choose(card, on.load(desk, row)) if again else card)
            if again:
                unfair = unfair | half.unfair(*limit)
            else:
                smallest = half.upper if smallest is None else smallest.smaller(half.upper)
    if smallest is not None:
        unfair = smallest < PERHAPS_UNFAIR
    on.store_lanes(desk, UNDEALT, undealt & unfair)


def deal_side_cards(
    on: Any, desk: Any, cards: Any, side_cards: Any, number: Any, limits: Any, key: Any, deal: Any, attempt: Any,
    again: bool,
) -> None:  # fmt: skip
    """Deal what the pitcher lacks to six cards from the first `side_cards` of the deck, his last slots first.

    Six places are picked whatever the `number`, so that it can be told whether they were drawn fairly; `limits` are the
    thresholds of both halves. Leaves the places on the desk, 255 where none is taken.
    """
    deck, undealt, unfair = Deck(on, side_cards, cards), on.load_lanes(desk, UNDEALT if again else ALIVE), on.no_lanes()
    wanted = on.spread(number)
    for part, half in enumerate(halves(words_of(on, key, deal, SIDE_LUCK, attempt))):
        for step in range(PICKS_A_HALF * part, PICKS_A_HALF * part + PICKS_A_HALF):
            taken = wanted > step
            place = half.pick(deck.left)
            if step < MOST_SIDE_CARDS:
                row = DEALT + HAND_SIZE - 1 - step
                on.store(desk, row, (taken & undealt).choose(deck.card_at(place), on.load(desk, row)))
                place = taken.choose(place, on.bytes(NOWHERE))
                on.store(desk, SIDE_PLACES + step, undealt.choose(place, on.load(desk, SIDE_PLACES + step)))
            deck.take(place)
        unfair = unfair | half.unfair(*limits[part])
    on.store_lanes(desk, UNDEALT, undealt & unfair)


def after_side_cards(on: Any, desk: Any, side_cards: Any, number: Any) -> list[tuple[Bytes, Bytes]]:
    """Which places of the deck were filled again when side cards were dealt, and the gap behind them was closed."""
    moved, wanted = [], on.spread(number)
    for step in range(MOST_SIDE_CARDS):
        moved.append((on.load(desk, SIDE_PLACES + step), on.spread(side_cards - 1 - step)))
    for step in range(MOST_SIDE_CARDS):
        gap = (wanted > step).choose(on.spread(side_cards - 1 - step), on.bytes(NOWHERE))
        moved.append((gap, on.spread(number + (DECK_SIZE - HAND_SIZE - 1 - step))))
    return moved


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
