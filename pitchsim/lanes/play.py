"""The play of the cards, R8 to R11, 64 deals at a time; the names are those of the scalar engine's rooms.

Seats count from the pitcher: he is seat 0. `turn_hands`, `legal_cards` and `play_cards` are those of the room `play`;
its `trick_winner` is `View.wins` here, and `high_low_jack` of `scoring` is `Piles.take`, trick by trick.
A hand is a list of slots, each the same card of 64 hands, from the lowest card up. A card is a code: its rank in the
low four bits, one bit for each plain suit (0x20, 0x40, 0x80), and 0xF0 for trumps; so a larger code is a higher card,
and one test tells whether a card is of the suit led or a trump.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pitchsim.deck import HAND_SIZE
from pitchsim.desk import DEALT, FIRST_CARD, PLAYS
from pitchsim.lanes.vectors import Bytes, Lanes, table_of

TRUMP = 0xF0
TRUMP_BIT = 0x10
PLAIN_BITS = 0xE0
KIND = 0x1F
"""The bits of a code that tell rank, and trump or not."""
RANK_BITS, RANKS = 15, 13
ONE_CARD = 32
"""Above the bits of the five highest ranks."""
NONE_SEEN = 0xFF
ANY_CARD = 0xFF
JACK_POINTS = 128
"""On the table the jack of trumps counts so much more than his trick point: it shows that he is there."""

SUIT_CODES = (0x20, 0x40, 0x80, TRUMP)
CODES = [SUIT_CODES[number >> 4] | number & RANK_BITS for number in range(64)]
"""The codes of card numbers, suits turned."""
POINTS_OF_RANK = {8: 10, 9: 1, 10: 2, 11: 3, 12: 4}
POINTS = [
    POINTS_OF_RANK.get(place & RANK_BITS, 0) + JACK_POINTS * (place & 0x30 == 0x30 and place & RANK_BITS == 9)
    for place in range(64)
]
"""Trick points by the low six bits of a code."""

SORTING = (
    ((0, 5), (1, 3), (2, 4)),
    ((1, 2), (3, 4)),
    ((0, 3), (2, 5)),
    ((0, 1), (2, 3), (4, 5)),
    ((1, 2), (3, 4)),
)
"""Which slots to compare, so that six cards stand in order."""

Hand = list[Bytes]


@dataclass(frozen=True)
class House:
    """Who sits there, and the rules that change play or score; fixed while the code is written."""

    players: int
    partners: bool = False
    low_to_holder: bool = False
    tie_to_opponent: bool = False
    strict: bool = False

    @property
    def sides(self) -> int:
        """Two teams, or everybody for himself."""
        return 2 if self.partners else self.players


@dataclass
class View:
    """What a seat sees when it is its turn; position and trick are the same in all 64 deals.

    The fields are called as in `pitchsim.view`, but what they hold is a vector, or tells of one:
    `hand` from the lowest card up, `legal` tells of a card whether it may be played; `led` the first card of the trick,
    `best` the card that wins so far, and whether it is the `pitchers` side's; `points` on the table;
    `low_here` where the lowest trump seen so far lies there; `lowest` that trump; `out_of_trumps` one bit a seat;
    `leader` the seat that led.
    """

    house: House
    trick: int
    position: int
    hand: Hand
    leader: Bytes
    lowest: Bytes
    out_of_trumps: Bytes
    draw: Any
    legal: Any = None
    led: Any = None
    best: Any = None
    pitchers: Any = None
    points: Any = None
    low_here: Any = None

    @property
    def leading(self) -> bool:
        """Whether this seat leads to the trick."""
        return self.position == 0

    @property
    def to_act(self) -> int:
        """How many play after it."""
        return self.house.players - 1 - self.position

    @property
    def number(self) -> int:
        """Which card of the deal this is, counted from 0."""
        return self.trick * self.house.players + self.position

    def wins(self, card: Bytes) -> Lanes:
        """R10: where this card would win the trick so far: the highest trump wins, else the highest of the suit led."""
        return card.has(self.led.bit) & (card > self.best)

    def is_pitcher(self) -> Lanes:
        """Where this seat pitched."""
        return self.leader.equals(-self.position % self.house.players)

    def is_one_of(self, seats: Bytes) -> Lanes:
        """Where this seat is one of these, one bit each."""
        on, players = self.leader.on, self.house.players
        bits = [1 << (seat + self.position) % players for seat in range(players)]
        return seats.has(on.table(table_of(bits))[self.leader])

    def trumps_held(self, number: int) -> Lanes:
        """Where it holds so many trumps or more."""
        return self.hand[-number] >= TRUMP

    def behind_out_of_trumps(self, on: Any) -> Bytes:
        """How many seats behind it are known to be out of trumps."""
        players = self.house.players
        behind = [
            sum(1 << (leader + place) % players for place in range(self.position + 1, players))
            for leader in range(players)
        ]
        return (self.out_of_trumps & on.table(table_of(behind))[self.leader]).ones()


def turn_hands(on: Any, house: House, desk: Any) -> tuple[list[Hand], Bytes]:
    """Take up the hands with the suit of the first card as trump; returns them and that card."""
    first = on.load(desk, FIRST_CARD)
    up = on.table([(48 - (number & 48)) & 63 for number in range(64)])[first]
    codes = on.table(CODES)
    hands = []
    for seat in range(house.players):
        dealt = [on.load(desk, DEALT + HAND_SIZE * seat + slot) for slot in range(HAND_SIZE)]
        hands.append(in_order([codes[card + up] for card in dealt]))
    return hands, codes[first + up]


def in_order(hand: Hand) -> Hand:
    """A hand from its lowest card up."""
    hand = list(hand)
    for pairs in SORTING:
        for low, high in pairs:
            hand[low], hand[high] = hand[low].smaller(hand[high]), hand[low].larger(hand[high])
    return hand


def ranks_by_suit(on: Any, hand: Hand) -> Iterator[tuple[Bytes, Bytes]]:
    """Which ranks of each suit are held, by card numbers, one bit a rank: deuce to nine, then ten to ace.

    The second byte has above these how many cards there are.
    """
    ranks = [1 << (number & RANK_BITS) for number in range(64)]
    lows, highs = on.table(table_of(ranks)), on.table(table_of([ONE_CARD + (bit >> 8) for bit in ranks]))
    held = [(lows[card], highs[card], card & 48) for card in hand]
    for suit in range(4):
        low, high = on.bytes(0), on.bytes(0)
        for low_bit, high_bit, place in held:
            here = place.equals(16 * suit)
            low, high = here.choose(low + low_bit, low), here.choose(high + high_bit, high)
        yield low, high


def without(hand: Hand, card: Bytes) -> Hand:
    """What is left of a hand when this card is played: those above it move down."""
    return [(slot >= card).choose(above, slot) for slot, above in pairwise(hand)]


@dataclass
class Led:
    """The first card of a trick: its suit, and the bit that this suit and trumps have in common."""

    suit: Bytes
    bit: Bytes
    trump: Lanes

    @staticmethod
    def by(card: Bytes) -> "Led":
        """Look at the card that was led."""
        trump = card >= TRUMP
        return Led(card & TRUMP, trump.choose(card.on.bytes(TRUMP_BIT), card & PLAIN_BITS), trump)


def legal_cards(house: House, hand: Hand, led: Led) -> Callable[[Bytes], Lanes]:
    """R9: follow suit or trump; with no card of the suit led, anything. Strict houses let only the void trump.

    Returns the test that tells of a card of this hand whether it may be played.
    """
    # A card of the suit led differs from the suit in the rank alone; no mask is needed to find one.
    nearest = hand[0] ^ led.suit
    for slot in hand[1:]:
        nearest = nearest.smaller(slot ^ led.suit)
    void = nearest > RANK_BITS
    everything = led.suit.on.bytes(ANY_CARD)
    if house.strict:
        within = void.choose(everything, led.suit.on.bytes(RANK_BITS))
        return lambda slot: (slot ^ led.suit) <= within
    bits = void.choose(everything, led.bit)
    return lambda slot: slot.has(bits)


def seat_at(on: Any, house: House, leader: Bytes, position: int) -> Bytes:
    """Who plays so many places behind the leader."""
    return on.table(table_of([(seat + position) % house.players for seat in range(house.players)]))[leader]


def turn_to_winner(hands: list[Hand], winner: Bytes) -> list[Hand]:
    """Let the hand of the winner be the first, and the others follow in turn."""
    step = 1
    while step < len(hands):
        moved = winner.has(step)
        hands = [
            [moved.choose(new, old) for new, old in zip(hands[(place + step) % len(hands)], hand, strict=True)]
            for place, hand in enumerate(hands)
        ]
        step *= 2
    return hands


class Piles:
    """R11: what the tricks brought: the sides of High, Low and Jack, trick points by side, whether one side has all."""

    def __init__(self, on: Any, house: House) -> None:
        """Nobody has anything."""
        self.on, self.house = on, house
        nobody = on.bytes(255)
        self.high, self.low, self.jack = nobody, nobody, nobody
        self.highest = on.bytes(TRUMP - 1)
        self.points = [on.bytes(0) for _ in range(house.sides)]
        self.swept = on.bytes(0).equals(0)

    def side_of(self, seat: Bytes) -> Bytes:
        """R15: partners share one side."""
        return seat & 1 if self.house.partners else seat

    def take(self, winner: Bytes, best: Bytes, points: Bytes, low_here: Lanes) -> None:
        """The winner of a trick takes it home."""
        side = self.side_of(winner)
        higher = best > self.highest
        self.highest = higher.choose(best, self.highest)
        self.high = higher.choose(side, self.high)
        if not self.house.low_to_holder:
            self.low = low_here.choose(side, self.low)
        self.jack = (points >= JACK_POINTS).choose(side, self.jack)
        points = points & (JACK_POINTS - 1)
        mine = [side.equals(number) for number in range(self.house.sides)]
        self.points = [here.choose(old + points, old) for here, old in zip(mine, self.points, strict=True)]
        self.swept = self.swept & mine[0]


def play_cards(on: Any, house: House, choose: Callable[[View], Bytes], desk: Any, draw: Any) -> Piles:
    """Six tricks, from the pitcher's first card on."""
    hands, first = turn_hands(on, house, desk)
    piles = Piles(on, house)
    leader, lowest, out = on.bytes(0), on.bytes(NONE_SEEN), on.bytes(0)
    points_of = on.table(POINTS)
    for trick in range(HAND_SIZE):
        view: Any = None
        points, low_here = on.bytes(0), on.no_lanes()
        best: Any = None
        winner: Any = None
        led: Any = None
        pitchers = on.no_lanes()
        for position in range(house.players):
            hand = hands[position]
            view = View(house, trick, position, hand, leader, lowest, out, draw)
            if trick == HAND_SIZE - 1:
                card = hand[0]
            elif trick == 0 and position == 0:
                card = first
            else:
                if position > 0:
                    view.legal, view.led, view.best = legal_cards(house, hand, led), led, best
                    view.pitchers, view.points, view.low_here = pitchers, points, low_here
                card = choose(view)
            hands[position] = without(hand, card)
            on.store(desk, PLAYS + view.number, card)
            if position == 0:
                led = Led.by(card)
                best, winner = card, on.bytes(0)
                pitchers = on_pitchers_side(view)
            else:
                view.led, view.best = led, best
                wins = view.wins(card)
                best = wins.choose(card, best)
                winner = wins.choose(on.bytes(position), winner)
                pitchers = (wins & on_pitchers_side(view)) | (pitchers & ~wins)
                shows = led.trump & (card < TRUMP)
                bits = on.table(table_of([1 << (seat + position) % house.players for seat in range(house.players)]))
                out = shows.choose(out | bits[leader], out)
            points = points + points_of[card]
            lower = (card >= TRUMP) & (card < lowest)
            lowest = lower.choose(card, lowest)
            low_here = low_here | lower
            if house.low_to_holder:
                piles.low = lower.choose(piles.side_of(seat_at(on, house, leader, position)), piles.low)
        where = leader + winner
        leader = (where >= house.players).choose(where - house.players, where)
        piles.take(leader, best, points, low_here)
        hands = turn_to_winner(hands, winner)
    return piles


def on_pitchers_side(view: View) -> Lanes:
    """Where this seat is the pitcher or his partner."""
    if view.house.partners:
        return (view.leader & 1).equals(view.position & 1)
    return view.is_pitcher()
