"""The deck as the engine holds it: four suits, each in its own 16 bits of one 64-bit number.

Card number = 16 x lane + rank (0 = deuce .. 12 = ace). A set of cards is a number with one bit per card and always
fits a positive int64. Before the pitch lanes are the suits in the order of `cards.SUITS`; after it all hands are
turned so that trump is the top lane: then the best card of a trick is simply the largest.
"""

import numpy as np

from pitchsim.cards import RANKS, SUITS, Card
from pitchsim.jit import inlined, int64, jitted, plain_twin, popcount
from pitchsim.stream import PICKS_A_HALF, half_of, pick, rest, unfair, word

LANE_BITS = 16
HAND_SIZE = 6
DECK_SIZE = len(SUITS) * len(RANKS)
TRUMP_LANE = len(SUITS) - 1
SUIT_CARDS = (1 << len(RANKS)) - 1
SPREAD = 1 | 1 << 16 | 1 << 32 | 1 << 48
ALL_CARDS = SUIT_CARDS * SPREAD
TRUMPS = SUIT_CARDS << (LANE_BITS * TRUMP_LANE)
TENS, JACKS, QUEENS, KINGS, ACES = (SPREAD << RANKS.index(rank) for rank in "TJQKA")
TRUMP_JACK = TRUMPS & JACKS
WORDS_PER_DEAL = 8
SIDE_LUCK = 7
"""The word of a deal that picks the pitcher's side cards; words 0 to 6 belong to the seats."""
DECK_WORDS = 7
INDEX = 63
"""Cuts a place in the deck to what it is anyway; it tells the compiler that the index is not negative."""
REDRAW = 1 << 60


def card_number(card: Card) -> int:
    """The engine's number of a card."""
    return LANE_BITS * card.suit + card.rank


def card_of(number: int) -> Card:
    """The card with this number."""
    return Card(rank=number % LANE_BITS, suit=number // LANE_BITS)


def cards_to_set(cards) -> int:
    """The set of these cards as one number."""
    return sum(1 << card_number(card) for card in cards)


def set_to_cards(cards: int) -> tuple[Card, ...]:
    """The cards of a set, by suit and upward."""
    return tuple(card_of(number) for number in range(64) if cards >> number & 1)


def packed_deck(cards: int) -> np.ndarray:
    """The cards of a set as bytes, eight to an int64 word: what `deal_hands` copies before it picks. Shape (7,)."""
    room = np.zeros(8 * DECK_WORDS, np.uint8)
    numbers = np.unpackbits(np.array([cards], np.int64).view(np.uint8), bitorder="little").nonzero()[0]
    room[: len(numbers)] = numbers
    return room.view(np.int64)


def _full_deck():
    """R2: fifty-two cards, thirteen in each of four suits, no jokers."""
    return ALL_CARDS


full_deck = jitted(_full_deck)


@jitted
def may_sit_down(players, partners):
    """R1: two to seven play, each for himself; partners only when they are exactly four."""
    return 2 <= players <= 7 and (partners == 0 or players == 4)


@jitted
def side_of(seat, partners):
    """R15: partners face each other and share one side; otherwise everybody is a side."""
    return seat & 1 if partners != 0 else seat


@jitted
def side_mask(partners):
    """`seat & side_mask` is `side_of`, without asking about partners at every card."""
    return 1 if partners != 0 else 7


@inlined
def deal_hands(deck, room_words, room, hands, first, players, left, key, deal):
    """R3: six cards each, every way with the same chance; the rest stays out of play.

    `deck` (int64, 7) holds `left` cards; seats `first` .. `players` - 1 of `hands` are filled. `room` and
    `room_words` are one piece of memory seen as bytes and as words. In a shuffled deck two packets of three are
    the same as six at once.
    """
    fair = False
    attempt = int64(0)
    while not fair:
        fair = True
        cards_left = left
        for k in range(DECK_WORDS):
            room_words[k] = deck[k]
        for seat in range(first, players):
            draws = word(key, deal * WORDS_PER_DEAL + seat + attempt * REDRAW)
            hand = int64(0)
            for part in range(HAND_SIZE // PICKS_A_HALF):
                half = half_of(draws, part)
                for step in range(part * PICKS_A_HALF, (part + 1) * PICKS_A_HALF):
                    place = pick(half, cards_left - step) & INDEX
                    half = rest(half, cards_left - step)
                    hand |= int64(1) << int64(room[place])
                    room[place] = room[(cards_left - step - 1) & INDEX]
                fair = fair and not unfair(half, cards_left - part * PICKS_A_HALF)
            cards_left -= HAND_SIZE
            hands[seat] = hand
        attempt += 1


def _plain_turn(cards, lane):
    """The plain twin of `turn`: here a shift never loses bits, so the lost ones are cut."""
    up = LANE_BITS * (TRUMP_LANE - lane)
    return ((cards << up) & ALL_CARDS) | (cards >> (64 - up))


@plain_twin(_plain_turn)
@jitted
def turn(cards, lane):
    """Turn the suits so that this lane becomes the top one, where trumps live."""
    up = LANE_BITS * (TRUMP_LANE - lane)
    return ((cards << up) & ALL_CARDS) | ((cards >> (63 - up)) >> 1)


@jitted
def turned_card(card, lane):
    """The number of a card after `turn`."""
    return (card + LANE_BITS * (TRUMP_LANE - lane)) & (4 * LANE_BITS - 1)


@jitted
def unturned_card(card, lane):
    """The number that a card had before `turned_card`."""
    return (card - LANE_BITS * (TRUMP_LANE - lane)) & (4 * LANE_BITS - 1)


@jitted
def suit_cards_of(card):
    """All thirteen cards of the suit of this card number."""
    return SUIT_CARDS << (card & (3 * LANE_BITS))


@jitted
def trick_points(cards):
    """How many trick points are in these cards: ten 10, ace 4, king 3, queen 2, jack 1."""
    return (
        popcount(cards & (KINGS | JACKS))
        + 2 * popcount(cards & (TENS | KINGS | QUEENS))
        + 4 * popcount(cards & ACES)
        + 8 * popcount(cards & TENS)
    )
