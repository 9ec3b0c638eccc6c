"""The rules as whole numbers, the form in which they enter the kernels."""

from typing import NamedTuple

from numba import types

from pitchsim.rules import Rules

NEVER, UP_TO_3, ANY, ONLY_4 = range(4)


class House(NamedTuple):
    """The rules that change a deal: another house rule is another argument, not another compilation."""

    players: int
    partners: int
    lowest_bid: int
    steal: int
    throw_in: int
    low_to_holder: int
    tie_to_opponent: int
    strict: int
    smudge: int


HOUSE = types.NamedUniTuple(types.int64, len(House._fields), House)


def house_of(rules: Rules) -> House:
    """Translate the rules for the kernels."""
    steal = {False: NEVER, True: UP_TO_3, "any": ANY, "only_4": ONLY_4}[rules.dealer_may_steal]
    return House(
        players=rules.players,
        partners=int(rules.partners),
        lowest_bid=rules.lowest_bid,
        steal=steal,
        throw_in=int(rules.stuck_dealer != "must_bid"),
        low_to_holder=int(rules.low_goes_to == "holder"),
        tie_to_opponent=int(rules.game_tie == "pitchers_opponents"),
        strict=int(rules.follow == "strict"),
        smudge=int(rules.smudge),
    )
