"""Cards, and hands as people write them: `AS KS 4S JD 10C 2H`, `askS4sJdTc2h`, `AK4.2.J.T`."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pitchsim.errors import InputError

RANKS = "23456789TJQKA"
SUITS = "SHDC"
SUIT_NAMES = ("spades", "hearts", "diamonds", "clubs")
SUIT_SYMBOLS = "♠♥♦♣"
TEN, JACK, QUEEN, KING, ACE = (RANKS.index(rank) for rank in "TJQKA")
HAND_SIZE = 6

A_HAND = "a hand has six, as in AS KS 4S JD 10C 2H"
A_CARD = "a card is a rank (A K Q J 10 9 .. 2) and a suit (S H D C), as in AS or 10C"


class Card(NamedTuple):
    """One card: its rank from 0 (deuce) to 12 (ace), and its suit as a place in SUITS.

    >>> str(Card(rank=8, suit=3))
    'TC'
    """

    rank: int
    suit: int

    def __str__(self) -> str:
        """Write the card in two letters, T for the ten."""
        return RANKS[self.rank] + SUITS[self.suit]


# Every spelling is listed, so that reading never depends on what Unicode calls upper case.
_RANK_OF = {rank: place for place, name in enumerate(RANKS) for rank in (name, name.lower())} | {"10": TEN}
_SUIT_OF = {
    suit: place
    for place, names in enumerate(zip(SUITS, SUITS.lower(), SUIT_SYMBOLS, "♤♡♢♧", strict=True))
    for suit in names
}
CARD_OF_TEXT = {
    rank + suit: Card(place, number) for rank, place in _RANK_OF.items() for suit, number in _SUIT_OF.items()
}
_ONE_RANK = re.compile("|".join(_RANK_OF))
_ONE_CARD = re.compile(f"({'|'.join(_RANK_OF)})([{''.join(_SUIT_OF)}])[\ufe0e\ufe0f]?")
_GAP = re.compile(r"[\s,]*")


def quoted(value: object) -> str:
    """Show in an error message what somebody wrote: short, and in letters that every terminal has."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return str(value) if abs(value) < 10**12 else "a number without end"
    if isinstance(value, list | tuple | dict):  # Not written out: it may be nested without end.
        return "an object" if isinstance(value, dict) else "a list"
    text = str(value)
    return ascii(text if len(text) <= 40 else text[:17] + "..." + text[-20:])


def parse_card(text: str) -> Card:
    """Read one card: 10 or T, any case, suit letter or symbol.

    Raises InputError for anything else.

    >>> parse_card("10c")
    Card(rank=8, suit=3)
    """
    card = CARD_OF_TEXT.get(text)
    if card is None:
        found = _ONE_CARD.fullmatch(text.strip())
        if not found:
            raise InputError(f"{quoted(text)} is not a card; {A_CARD}")
        card = CARD_OF_TEXT[found[1] + found[2]]
    return card


def parse_hand(text: str | Iterable[str | Card]) -> tuple[Card, ...]:
    """Read any number of cards, in the order given: one text in any notation, or several texts or cards.

    Raises InputError for what is not a card, and for a card given twice.

    >>> " ".join(str(card) for card in parse_hand("AK4.2.J.T"))
    'AS KS 4S 2H JD TC'
    """
    cards = _read(text)
    for place, card in enumerate(cards):
        if card in cards[:place]:
            raise InputError(f"{format_card(card)} is given twice; a deck has it once")
    return cards


def parse_six(text: str | Iterable[str | Card]) -> tuple[Card, ...]:
    """Read a hand of six cards.

    Raises InputError for another number of cards, too.
    """
    cards = parse_hand(text)
    if len(cards) != HAND_SIZE:
        raise InputError(f"{len(cards)} card{'s' * (len(cards) != 1)} given; {A_HAND}")
    return cards


def _read(text: str | Iterable[str | Card]) -> tuple[Card, ...]:
    """Read cards in any notation, without looking for doubles."""
    if isinstance(text, str):
        return _read_suit_by_suit(text) if "." in text else _read_in_a_row(text)
    if not isinstance(text, Iterable):
        raise InputError(f"{quoted(text)} is not a hand; {A_HAND}")
    return _read(" ".join(str(piece) for piece in text))


def _read_in_a_row(text: str) -> tuple[Card, ...]:
    """Read cards one after the other, with spaces, commas or nothing between them."""
    cards = []
    place = _skip_gap(text, 0)
    while place < len(text):
        found = _ONE_CARD.match(text, place)
        if not found:
            wrong = re.split(r"[\s,]", text[place:], maxsplit=1)[0]
            raise InputError(f"{quoted(wrong)} is not a card; {A_CARD}")
        cards.append(CARD_OF_TEXT[found[1] + found[2]])
        place = _skip_gap(text, found.end())
    return tuple(cards)


def _read_suit_by_suit(text: str) -> tuple[Card, ...]:
    """Read spades.hearts.diamonds.clubs, nothing between two dots for a void."""
    holdings = text.split(".")
    if len(holdings) != len(SUITS):
        raise InputError(
            f"{quoted(text)} has {len(holdings) - 1} dot{'s' * (len(holdings) != 2)}; "
            "suit by suit is written with three, as in AK4.2.J.T"
        )
    return tuple(Card(rank, suit) for suit, holding in enumerate(holdings) for rank in _read_ranks(holding, text))


def _read_ranks(holding: str, text: str) -> list[int]:
    """Read the ranks of one suit, as in AK4."""
    ranks = []
    place = _skip_gap(holding, 0)
    while place < len(holding):
        found = _ONE_RANK.match(holding, place)
        if not found:
            raise InputError(
                f"{quoted(holding[place])} in {quoted(text)} is not a rank; the ranks are A K Q J 10 9 .. 2"
            )
        ranks.append(_RANK_OF[found[0]])
        place = _skip_gap(holding, found.end())
    return ranks


def _skip_gap(text: str, place: int) -> int:
    """Find where the next card begins."""
    found = _GAP.match(text, place)
    return found.end() if found else place


def sort_hand(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Sort a hand as players hold it: longest suit first, ranks downward.

    Of two suits of the same length the one with the higher cards is first, then the order of SUITS decides.
    """
    held = sorted(cards, reverse=True)
    suits = [[card for card in held if card.suit == suit] for suit in range(len(SUITS))]
    # The sort keeps the order of SUITS where length and ranks are the same.
    suits.sort(key=lambda suit: (-len(suit), [-card.rank for card in suit]))
    return tuple(card for suit in suits for card in suit)


def format_card(card: Card, ten: str = "10", symbols: bool = False) -> str:
    """Write one card for people: 10 for the ten, and a suit symbol where the terminal has them."""
    rank = ten if card.rank == TEN else RANKS[card.rank]
    return rank + (SUIT_SYMBOLS if symbols else SUITS)[card.suit]


def format_hand(cards: Iterable[Card], ten: str = "10", symbols: bool = False) -> str:
    """Write a hand, sorted; `ten="T"` is the spelling of JSON, CSV, records and serve.

    >>> format_hand(parse_hand("2H TC AS JD 4S KS"))
    'AS KS 4S JD 10C 2H'
    """
    return " ".join(format_card(card, ten, symbols) for card in sort_hand(cards))


def format_holding(cards: Iterable[Card], suit: int, ten: str = "T") -> str:
    """Write the cards held of one suit, highest first, as in AK4."""
    ranks = sorted((card.rank for card in cards if card.suit == suit), reverse=True)
    return "".join(ten if rank == TEN else RANKS[rank] for rank in ranks)


def format_suit_by_suit(cards: Sequence[Card], ten: str = "T") -> str:
    """Write a hand suit by suit, with three dots, as in AK4.2.J.T."""
    return ".".join(format_holding(cards, suit, ten) for suit in range(len(SUITS)))
