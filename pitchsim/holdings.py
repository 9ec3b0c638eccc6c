"""Trump holdings as people write them, `A J x`, and what can be counted about them without a simulation.

A holding is a set of ranks: a number with bit 0 for the deuce and bit 12 for the ace.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import comb

from pitchsim.cards import ACE, HAND_SIZE, RANKS, Card, quoted
from pitchsim.counting import UNSEEN
from pitchsim.errors import InputError
from pitchsim.rules import Rules

SIDE_CARDS = 3 * len(RANKS)
SIDE_SUITS = 3
TOP_X, LOWEST_X = RANKS.index("9"), RANKS.index("3")
PASS_VALUE = 0.36
"""What a pass is worth to a defender, roughly, with four players: a bid that brings less is too high."""

A_HOLDING = "a holding is one to six trumps, as in A J x"


def all_holdings() -> list[int]:
    """List all 4,095 holdings of one to six trumps: short ones first, and of those high ones first."""
    return [
        sum(1 << rank for rank in ranks)
        for size in range(1, HAND_SIZE + 1)
        for ranks in combinations(reversed(range(len(RANKS))), size)
    ]


def holding_name(ranks: int) -> str:
    """Write a holding as AK4, T for the ten."""
    return "".join(RANKS[rank] for rank in range(ACE, -1, -1) if ranks >> rank & 1)


def spelled(holding: str) -> str:
    """Write a holding for people, 10 for the ten: A K 10.

    >>> spelled("AKT")
    'A K 10'
    """
    return " ".join("10" if rank == "T" else rank for rank in holding)


def frequency_of(ranks: int) -> float:
    """Count the chance to be dealt exactly this holding in a given suit.

    >>> round(sum(frequency_of(ranks) for ranks in all_holdings()) + comb(39, 6) / comb(52, 6), 9)
    1.0
    """
    return comb(SIDE_CARDS, HAND_SIZE - ranks.bit_count()) / comb(SIDE_CARDS + len(RANKS), HAND_SIZE)


def high_exact(ranks: int, rules: Rules) -> float:
    """Count the chance that the pitcher's side wins High with this holding (R11).

    No higher trump may be out; or, with a partner, the highest that is out must be his, as a third of the cards in
    the other hands are.
    """
    higher = len(RANKS) - ranks.bit_length()
    others = HAND_SIZE * (rules.players - 1)
    alone = comb(UNSEEN - higher, others) / comb(UNSEEN, others)
    return alone + (1 - alone) / 3 if rules.partners else alone


def read_line(text: str) -> int:
    """Read the highest rank that an x stands for.

    Raises InputError for what is no rank, and for the deuce.
    """
    rank = _rank(text.strip())
    if rank is None or rank < LOWEST_X:
        raise InputError(f"{quoted(text)} cannot be the highest x; give a rank from 3 up to A, as in 9 or T")
    return rank


def read_holding(text: str | Iterable[str], line: int = TOP_X) -> list[int]:
    """Read a holding such as `A J x`, and list those that it stands for; x is any rank from `line` down to 3.

    Raises InputError for what is no rank, a rank that is twice, and another number of trumps than one to six.

    >>> [holding_name(ranks) for ranks in read_holding("A 10 x", line=RANKS.index("4"))]
    ['AT4', 'AT3']
    """
    pieces = _pieces(text if isinstance(text, str) else " ".join(map(str, text)) if isinstance(text, Iterable) else "?")
    if not 1 <= len(pieces) <= HAND_SIZE:
        raise InputError(f"{len(pieces)} card{'s' * (len(pieces) != 1)} given; {A_HOLDING}")
    highest = spelled(RANKS[line])
    small = sum(piece in "xX" for piece in pieces)
    named = list(_ranks([piece for piece in pieces if piece not in "xX"], f"x is any card from {highest} down to 3"))
    free = [rank for rank in range(line, LOWEST_X - 1, -1) if rank not in named]
    if small > len(free):
        raise InputError(f"x is given {small} times, but only {len(free)} other cards go from {highest} down to 3")
    return [sum(1 << rank for rank in [*named, *others]) for others in combinations(free, small)]


def read_side(text: str) -> tuple[Card, ...]:
    """Read some side cards, suit by suit with a slash between: `10`, `A/10`; the suit itself does not matter.

    Raises InputError for what is no rank, a rank that is twice in a suit, and more cards or suits than there can be.
    """
    suits = text.split("/")
    if len(suits) > SIDE_SUITS:
        raise InputError(f"{len(suits)} side suits given; there are three beside the trumps")
    hint = "side cards are given as in 10 or A/10"
    cards = tuple(Card(rank, suit) for suit, ranks in enumerate(suits) for rank in _ranks(_pieces(ranks), hint))
    if not 1 <= len(cards) < HAND_SIZE:
        raise InputError(f"{len(cards)} side cards given; give one to five, as in 10 or A/10")
    return cards


def side_in_words(side: Sequence[Card]) -> str:
    """Write side cards as they are given."""
    suits = ["".join(RANKS[card.rank] for card in side if card.suit == suit) for suit in range(SIDE_SUITS)]
    return "/".join(spelled(ranks) for ranks in suits if ranks)


def _pieces(text: str) -> list[str]:
    """Take a text apart into ranks, with or without gaps or hyphens."""
    return re.findall(r"10|[^\s,-]", text)


def _rank(piece: str) -> int | None:
    """Read one rank; None for what is none."""
    rank = piece.upper().replace("10", "T")
    return RANKS.index(rank) if len(rank) == 1 and rank in RANKS else None


def _ranks(pieces: Sequence[str], hint: str) -> Iterator[int]:
    """Read ranks, all different."""
    seen: set[int] = set()
    for piece in pieces:
        rank = _rank(piece)
        if rank is None:
            raise InputError(f"{quoted(piece)} is not a rank; the ranks are A K Q J 10 9 .. 2, and {hint}")
        if rank in seen:
            raise InputError(f"{spelled(RANKS[rank])} is given twice; a suit has it once")
        seen.add(rank)
        yield rank
