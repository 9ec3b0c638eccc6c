"""Exact odds of a hand by counting, before anything is heard in the auction: no simulation, no numpy.

Six cards are seen and 46 are not; the other hands are 6(n-1) of the 46, every choice of them equally likely.
So each chance is a quotient of two whole numbers, which Python divides without error beyond the last digit.
(The room is not called `odds`, since `pitchsim.odds` is the function.)
"""

from collections.abc import Iterable
from math import comb
from typing import Any, NamedTuple

from pitchsim.cards import (
    HAND_SIZE,
    JACK,
    RANKS,
    SUIT_NAMES,
    SUIT_SYMBOLS,
    SUITS,
    Card,
    format_hand,
    format_holding,
    parse_six,
    quoted,
    sort_hand,
)
from pitchsim.errors import InputError
from pitchsim.report import Report, Table, percent
from pitchsim.rules import Rules

UNSEEN = len(RANKS) * len(SUITS) - HAND_SIZE


class SuitOdds(NamedTuple):
    """What the other hands may hold of one suit, if it is trump; field names as in JSON."""

    trump: str
    holding: str
    high: float
    low: float
    jack_in_play: float
    lone: float
    expected_out: float
    trumps_out: tuple[float, ...]


class Odds(Report):
    """The exact chances of a hand: one `SuitOdds` for every suit that was asked for, in `suits`."""

    def __init__(self, hand: tuple[Card, ...], players: int, suits: list[SuitOdds]) -> None:
        """Keep the hand with what was counted."""
        self.cards, self.players, self.suits = sort_hand(hand), players, suits
        self.hand = format_hand(hand, ten="T")

    def to_dict(self) -> dict[str, Any]:
        """Give the chances as JSON has them."""
        return {
            "hand": self.hand,
            "players": self.players,
            "suits": [
                {
                    **suit._asdict(),
                    "trumps_out": {str(number): chance for number, chance in enumerate(suit.trumps_out)},
                }
                for suit in self.suits
            ],
        }

    def tables(self) -> list[Table]:
        """Give one row for each suit; `out_3` is the chance that the others hold three trumps together."""
        most = max(len(suit.trumps_out) for suit in self.suits)
        columns = [*SuitOdds._fields[:-1], *(f"out_{number}" for number in range(most))]
        rows = [[*suit[:-1], *suit.trumps_out] + [None] * (most - len(suit.trumps_out)) for suit in self.suits]
        return [Table("suits", columns, rows)]

    def headline(self, symbols: bool = False) -> str:
        """Name the hand."""
        return f"{format_hand(self.cards, symbols=symbols)}   ({self.players} players)"

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """Give the chances in percent, and how many trumps the others hold together."""
        names = [_suit_name(suit.trump, symbols) for suit in self.suits]
        chances = Table(
            "suits",
            ["trump", "I hold", "top is High", "lowest is Low", "jack is out", "others have none"],
            [
                [
                    name,
                    " ".join("10" if rank == "T" else rank for rank in suit.holding),
                    percent(suit.high),
                    percent(suit.low),
                    "mine" if "J" in suit.holding else percent(suit.jack_in_play),
                    percent(suit.lone),
                ]
                for name, suit in zip(names, self.suits, strict=True)
            ],
            align={"I hold": "left", "jack is out": "right"},
        )
        shown = _columns_worth_showing(self.suits)
        trumps_out = Table(
            "trumps_out",
            ["trump", "mean", *(str(number) for number in shown)],
            [
                [name, f"{suit.expected_out:.1f}", *(_out(suit, number) for number in shown)]
                for name, suit in zip(names, self.suits, strict=True)
            ],
            title="How many trumps the others hold together",
            align=dict.fromkeys(map(str, shown), "right"),
        )
        return [chances, trumps_out]

    def notes(self, symbols: bool = False) -> list[str]:
        """Say what was counted."""
        others = f"{HAND_SIZE * (self.players - 1)} of the {UNSEEN} unseen cards"
        return [f"Exact, by counting: {others} are in the other hands. No bid is heard yet."]


def odds(hand: str | Iterable[str | Card], players: int = 4, trump: str | None = None) -> Odds:
    """Count the exact chances of a hand, for every suit held or for one trump suit.

    Raises InputError for what is not six cards, a number of players that cannot be (R1), and a trump suit
    that the hand does not hold.

    >>> round(odds("KS 9S 4H 3H 8D 7C").suits[0].high, 4)
    0.6087
    """
    cards = parse_six(hand)
    others = HAND_SIZE * (Rules(players=players).players - 1)
    held = list(dict.fromkeys(card.suit for card in sort_hand(cards)))
    return Odds(cards, players, [_count(cards, suit, others) for suit in _chosen(held, trump)])


def read_suit(text: str) -> int:
    """Read a suit: letter, symbol or name, any case.

    Raises InputError for anything else.
    """
    wanted = text.strip().lower()
    for suit, name in enumerate(SUIT_NAMES):
        if wanted and wanted in (SUITS[suit].lower(), SUIT_SYMBOLS[suit], name, name[:-1]):
            return suit
    raise InputError(f"{quoted(text)} is not a suit; the suits are S, H, D and C")


def _chosen(held: list[int], trump: str | None) -> list[int]:
    """Choose all suits held, or the one asked for."""
    if trump is None:
        return held
    suit = read_suit(trump)
    if suit not in held:
        names = ", ".join(SUIT_NAMES[other] for other in held)
        raise InputError(f"the hand holds no {SUIT_NAMES[suit]} to make trump; it holds {names}")
    return [suit]


def _count(hand: tuple[Card, ...], suit: int, others: int) -> SuitOdds:
    """Count what matters when this suit is trump and the other hands have so many cards together."""
    mine = [card.rank for card in hand if card.suit == suit]
    unseen = [rank for rank in range(len(RANKS)) if rank not in mine]
    return SuitOdds(
        trump=SUITS[suit],
        holding=format_holding(hand, suit),
        high=_none_of(sum(rank > max(mine) for rank in unseen), others),
        low=_none_of(sum(rank < min(mine) for rank in unseen), others),
        jack_in_play=1.0 if JACK in mine else others / UNSEEN,
        lone=_none_of(len(unseen), others),
        expected_out=len(unseen) * others / UNSEEN,
        trumps_out=tuple(_exactly(number, len(unseen), others) for number in range(min(len(unseen), others) + 1)),
    )


def _none_of(cards: int, others: int) -> float:
    """Count how often none of so many unseen cards is in another hand."""
    return _exactly(0, cards, others)


def _exactly(number: int, cards: int, others: int) -> float:
    """Count how often exactly this number of so many unseen cards is in the other hands together."""
    return comb(cards, number) * comb(UNSEEN - cards, others - number) / comb(UNSEEN, others)


def _suit_name(letter: str, symbols: bool) -> str:
    """Name a suit, with its symbol where that can be shown."""
    suit = SUITS.index(letter)
    return f"{SUIT_SYMBOLS[suit]} {SUIT_NAMES[suit]}" if symbols else SUIT_NAMES[suit]


def _columns_worth_showing(suits: list[SuitOdds]) -> range:
    """Leave out the numbers of trumps that round to nothing in every row."""
    common = [number for suit in suits for number, chance in enumerate(suit.trumps_out) if chance >= 0.005]
    return range(min(common), max(common) + 1)


def _out(suit: SuitOdds, number: int) -> str:
    """Write how often the others hold this number of trumps."""
    return percent(suit.trumps_out[number], 0) if number < len(suit.trumps_out) else ""
