"""The table policies, 64 decisions at a time: the same players as in `pitchsim.policies`."""

from collections.abc import Callable, Sequence
from typing import Any

from pitchsim.lanes.deck import Luck
from pitchsim.lanes.expert import expert_plays, expert_tables, pitch_best
from pitchsim.lanes.play import View, ranks_by_suit
from pitchsim.lanes.vectors import Bytes, table_of

WORTH_TAKING = 3


def any_card(on: Any, view: View) -> Bytes:
    """One of the legal cards, all with the same chance."""
    if view.leading:
        legal = [on.bytes(0).equals(0)] * len(view.hand)
        count = on.bytes(len(view.hand))
    else:
        legal = [view.legal(slot) for slot in view.hand]
        count = on.bytes(0)
        for may in legal:
            count = count.plus(may, 1)
    left = view.draw(view.number).top(count.wide()).narrow()
    card = view.hand[0]
    for slot, may in zip(view.hand, legal, strict=True):
        card = (may & left.equals(0)).choose(slot, card)
        left = may.choose(left - 1, left)
    return card


def random(on: Any, view: View, tables: Any) -> Bytes:
    """Play any legal card, all with the same chance."""
    return any_card(on, view)


MISSED = table_of(
    [3 if place & 0x10 else 2 if rank == 8 else 1 if rank > 8 else 0 for place in range(64) for rank in [place & 15]]
)
"""How much one misses a card: small plain cards least, then plain honours, a ten, trumps; by the low six bits."""


def cheapest(on: Any, view: View) -> Bytes:
    """The card that one misses least; of several the lowest."""
    table, card, least = on.table(MISSED), view.hand[0], on.bytes(255)
    for slot in reversed(view.hand):
        missed = table[slot]
        better = view.legal(slot) & (missed <= least)
        card, least = better.choose(slot, card), better.choose(missed, least)
    return card


def lowest_winner(on: Any, view: View) -> Bytes:
    """The lowest card that may be played and wins; 0 when there is none."""
    card = on.bytes(0)
    for slot in reversed(view.hand):
        wins = view.wins(slot)
        if view.house.strict:  # Elsewhere a card that wins follows suit or is a trump, and may be played.
            wins = wins & view.legal(slot)
        card = wins.choose(slot, card)
    return card


def greedy(on: Any, view: View, tables: Any) -> Bytes:
    """Lead high; take cheaply what holds something; else throw off what is cheap."""
    if view.leading:
        return view.hand[-1]
    winner = lowest_winner(on, view)
    takes = winner > 0
    if view.to_act > 0:
        takes = takes & (view.points >= WORTH_TAKING)  # The jack of trumps alone makes it enough: see JACK_POINTS.
    return takes.choose(winner, cheapest(on, view))


POLICIES: dict[str, Callable[[Any, View, Any], Bytes]] = {
    "random": random,
    "greedy": greedy,
    "expert": expert_plays,
}
"""How to play a card."""


def tables_of(policies: Sequence[str], notes: Sequence[Any]) -> bytes:
    """What these policies look up, in rows of 64 bytes, from what they bring along."""
    return b"".join(expert_tables(own) for name, own in zip(policies, notes, strict=True) if name == "expert")


# The pitch --------------------------------------------------------------------------------------------


def pitch_any(on: Any, hand: list[Bytes], luck: Luck, tables: Any) -> Bytes:
    """Any of the six cards."""
    left = luck(0).top(on.bytes(len(hand)).wide()).narrow()
    card = hand[0]
    for place in range(1, len(hand)):
        card = left.equals(place).choose(hand[place], card)
    return card


def pitch_longest(on: Any, hand: list[Bytes], luck: Luck, tables: Any) -> Bytes:
    """The top of the longest suit; of two equally long ones the one with the higher cards."""
    best, best_high, best_low = on.bytes(0), on.bytes(0), on.bytes(0)
    for suit, (low, high) in enumerate(ranks_by_suit(on, hand)):
        better = (high > best_high) | (high.equals(best_high) & (low > best_low))
        best = better.choose(on.bytes(16 * suit), best)
        best_high, best_low = better.choose(high, best_high), better.choose(low, best_low)
    card = on.bytes(0)
    for slot in hand:
        card = (slot & 48).equals(best).choose(slot, card)
    return card


PITCHES: dict[str, Callable[..., Bytes]] = {"random": pitch_any, "greedy": pitch_longest, "expert": pitch_best}
"""How to choose the first card, from a hand in order of card numbers."""
