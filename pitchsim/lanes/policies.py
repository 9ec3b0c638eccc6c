"""The table policies, 64 decisions at a time: the same players as in `pitchsim.policies`."""

from typing import Any

from pitchsim.lanes.play import View
from pitchsim.lanes.vectors import Bytes, Lanes, table_of

QUARTER_BITS = 16
WORTH_TAKING = 3


def any_card(on: Any, view: View) -> Bytes:
    """One of the legal cards, all with the same chance."""
    if view.leading:
        left = view.draw(view.number).top(on_quarter(on, len(view.hand))).narrow()
        legal = [on.bytes(0).equals(0)] * len(view.hand)
    else:
        legal = view.legal
        count = on.bytes(0)
        for may in legal:
            count = count.plus(may, 1)
        left = view.draw(view.number).top(count.wide()).narrow()
    card = view.hand[0]
    for slot, may in zip(view.hand, legal, strict=True):
        card = (may & left.equals(0)).choose(slot, card)
        left = may.choose(left - 1, left)
    return card


def on_quarter(on: Any, number: int) -> Any:
    """The same number for all, 16 bits wide."""
    return on.bytes(number).wide()


def random(on: Any, view: View) -> Bytes:
    """Play any legal card, all with the same chance."""
    return any_card(on, view)


MISSED = table_of(
    [
        3 if place & 0x10 else 2 if rank == 8 else 1 if rank > 8 else 0
        for place in range(64)
        for rank in [place & 15]
    ]
)
"""How much one misses a card: small plain cards least, then plain honours, a ten, trumps; by the low six bits."""


def lowest(slots: list[Bytes], choices: list[Lanes], otherwise: Bytes) -> Bytes:
    """The lowest card among these slots."""
    card = otherwise
    for slot, chosen in reversed(list(zip(slots, choices, strict=True))):
        card = chosen.choose(slot, card)
    return card


def cheapest(on: Any, view: View) -> Bytes:
    """The card that one misses least."""
    table, card, least = on.table(MISSED), view.hand[0], on.bytes(255)
    for slot, may in reversed(list(zip(view.hand, view.legal, strict=True))):
        missed = table[slot]
        better = may & ~(missed > least)
        card, least = better.choose(slot, card), better.choose(missed, least)
    return card


def greedy(on: Any, view: View) -> Bytes:
    """Lead high; take cheaply what holds something; else throw off what is cheap."""
    if view.leading:
        return view.hand[-1]
    card = cheapest(on, view)
    winning = [may & (slot > view.best) & counts for slot, may, counts in zip(view.hand, view.legal, view.counts, strict=True)]
    if view.to_act > 0:
        worth_it = view.points >= WORTH_TAKING
        winning = [wins & worth_it for wins in winning]
    return lowest(view.hand, winning, card)


POLICIES = {"random": random, "greedy": greedy}