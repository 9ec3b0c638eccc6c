"""Which engine plays: 64 lanes where the policies and the processor allow it, else one deal at a time."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pitchsim.errors import InputError
from pitchsim.lanes.code import best_level
from pitchsim.lanes.engine import LEVEL, LaneTable, level_here
from pitchsim.lanes.play import House
from pitchsim.lanes.policies import POLICIES, tables_of
from pitchsim.lanes.program import Program
from pitchsim.question import LANES, SCALAR
from pitchsim.rules import Rules

BUILT_IN = "built in"


def lane_table(rules: Rules, found: Sequence[Any], wanted: str) -> LaneTable | None:
    """The table of these play policies for 64 lanes; None where the scalar engine plays.

    Raises InputError where `wanted` is "lanes" and that cannot be.
    """
    if wanted == SCALAR:
        return None
    level = level_here()
    seated = {policy.name: policy for policy in found}
    policies = tuple(seated)
    other = next((name for name in policies if name not in POLICIES or seated[name].source != BUILT_IN), None)
    if wanted == LANES and other is not None:
        raise InputError(
            f"the engine of 64 lanes cannot play {other!r}; it plays {', '.join(POLICIES)}: "
            "take those, or --engine scalar"
        )
    if wanted == LANES and level is None:
        if best_level() is not None:
            raise InputError(f"{LEVEL} switches 64 lanes off; unset it, or take --engine scalar")
        raise InputError(
            "this processor has no vectors of 256 or 512 bits (AVX2, AVX-512), which 64 lanes need; "
            "take --engine scalar"
        )
    if other is not None or level is None:
        return None
    house = House(
        rules.players, rules.partners, rules.low_goes_to == "holder", rules.game_tie == "pitchers_opponents",
        rules.follow == "strict",
    )  # fmt: skip
    tables = tables_of(policies, [policy.notes(rules) for policy in seated.values()])
    return LaneTable(Program(house, policies), level, tables)


def played_by(rules: Rules, play: Sequence[str], pitching: Sequence[str], policies: Sequence[str]) -> np.ndarray:
    """Which seats play by each policy but the first, one bit a seat counted from the pitcher: int64 (pitcher, policy).

    `pitching` are the policies of the seats when they are on the pitcher's side.
    """
    numbers, when_pitching = (np.array([[policies.index(name) for name in each]]) for each in (play, pitching))
    return seats_of(rules, numbers, when_pitching, len(policies))[0]


def seats_of(rules: Rules, play: np.ndarray, pitching: np.ndarray, policies: int) -> np.ndarray:
    """The same for several tables, whose policies are numbered: int64 (table, pitcher, policy)."""
    players = rules.players
    masks = np.zeros((len(play), players, policies - 1), np.int64)
    for pitcher in range(players):
        for place in range(players):
            on_side = place == 0 or (rules.partners and place == 2)
            number = (pitching if on_side else play)[:, (pitcher + place) % players]
            for policy in range(1, policies):
                masks[:, pitcher, policy - 1] |= (number == policy).astype(np.int64) << place
    return masks
