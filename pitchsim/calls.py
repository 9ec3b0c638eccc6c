"""What a bidding policy calls with a hand, in every seat and after every bid: asked again and again, as it may mix."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from pitchsim.advice import CALL_NAMES, grid_situations
from pitchsim.bidding import BIDDING
from pitchsim.errors import RunError
from pitchsim.jit import PLAIN
from pitchsim.kernels.asking import ask_for_call
from pitchsim.report import Table
from pitchsim.rules import Rules, legal_calls
from pitchsim.seating import Keys, Seating
from pitchsim.weighing import Situation

ASKED = 255
"""How often a policy is asked: those that mix calls do it by chance."""
MIXED = 0.9
"""A policy that makes its usual call less often than this is of two minds."""
SEED = 1


@dataclass(frozen=True)
class Call:
    """The call that a policy makes most often in a seat (from 0) after a highest bid, and how often."""

    seat: int
    highest: int
    call: int
    share: float

    @property
    def mixed(self) -> bool:
        """Whether the policy is of two minds."""
        return self.share < MIXED

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "seat": self.seat + 1, "highest": self.highest, "call": CALL_NAMES[self.call],
            "share": self.share, "too_close": self.mixed,
        }  # fmt: skip


def call_in(seating: Seating, situation: Situation) -> Call:
    """What the policy of this seat calls.

    Raises RunError when it fails.
    """
    rules, seat = seating.rules, situation.seat
    legal = legal_calls(rules, seat, situation.highest)
    if len(legal) == 1:
        return Call(seat, situation.highest, legal[0], 1.0)
    house, key = seating.house, Keys.of(SEED).luck
    heard = np.array(
        [
            situation.hand, seat, situation.highest, situation.bidder, situation.packed,
            sum(1 << call for call in legal), house.players, house.partners, house.low_to_holder, house.strict,
            house.lowest_bid,
        ],
        np.int64,
    )  # fmt: skip
    where, notes = seating.bidders[seat], seating.notes[seat]
    place = (where, notes) if PLAIN else (int(where), int(notes))
    name = f"the {BIDDING.noun} {seating.bidding[seat].name!r}"
    try:
        made = Counter(int(ask_for_call(*place, heard, key, moment)) for moment in range(ASKED))
    except Exception as error:
        raise RunError(f"{name} raised {type(error).__name__} ({error})") from error
    if wrong := [call for call in made if call not in legal]:
        raise RunError(f"{name} answered {wrong[0]}, an illegal call")
    call, times = min(made.items(), key=lambda item: (-item[1], item[0]))
    return Call(seat, situation.highest, call, times / ASKED)


def calls_of(seating: Seating, hand: int) -> list[Call]:
    """The calls of a hand in every seat, after every highest bid."""
    return [call_in(seating, situation) for situation in grid_situations(seating.rules, hand)]


def table_of_calls(calls: list[Call], rules: Rules, title: str) -> Table:
    """Rows are seats, columns the highest bid so far."""
    columns = sorted({call.highest for call in calls})
    entries = {(call.seat, call.highest): _entry(call) for call in calls}
    names = {0: "all passed"} | {bid: f"over a {bid}" for bid in range(1, 5)}
    rows = []
    for seat in range(rules.players):
        name = f"{seat + 1} (dealer)" if seat == rules.players - 1 else str(seat + 1)
        rows.append([name, *(entries.get((seat, highest), "") for highest in columns)])
    return Table("calls", ["seat", *(names[highest] for highest in columns)], rows, title)


def _entry(call: Call) -> str:
    """A cell as a player reads it."""
    return ("steal" if 0 < call.call == call.highest else CALL_NAMES[call.call]) + "?" * call.mixed
