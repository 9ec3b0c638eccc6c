"""The rules as whole numbers, the form in which they enter the kernels."""

from typing import NamedTuple

from pitchsim.jit import types
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


class Ending(NamedTuple):
    """How a game ends, and who deals after a throw-in; a game that goes on for `most_deals` is stopped there."""

    target: int
    winning: int
    end_after: int
    same_again: int
    most_deals: int


ENDING = types.NamedUniTuple(types.int64, len(Ending._fields), Ending)
OUT_OF_REACH = 1 << 40


def ending_of(rules: Rules, most_deals: int) -> Ending:
    """Translate R16 and R17 for the kernels; no fixed number of deals is 0."""
    return Ending(
        target=min(rules.target, OUT_OF_REACH),
        winning=("pitcher_only", "pitcher_made", "anyone").index(rules.winning),
        end_after=rules.end_after or 0,
        same_again=int(rules.stuck_dealer == "throw_in_same"),
        most_deals=most_deals,
    )
