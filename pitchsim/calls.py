"""What a bidding policy calls with a hand, in every seat and after every bid: asked again and again, as it may mix."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from pitchsim.advice import CALL_NAMES, as_said, grid_situations
from pitchsim.cards import HAND_SIZE
from pitchsim.deck import ALL_CARDS, cards_to_set, set_to_cards
from pitchsim.engine import call_of, new_desk
from pitchsim.errors import RunError
from pitchsim.kernels.asking import hear_calls
from pitchsim.log import CALLS, HANDS, new_log
from pitchsim.report import Table
from pitchsim.rules import Rules
from pitchsim.seating import Keys, Seating, blame
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


def calls_in(seating: Seating, situations: Sequence[Situation], key: np.uint64 | None = None) -> list[Call]:
    """What the policy of the seat that is to speak calls, in each of these situations (all with the same hand).

    Raises RunError when a policy fails.
    """
    heard = [(situation.seat, situation.highest, situation.bidder, situation.packed) for situation in situations]
    made = np.zeros((len(heard), len(CALL_NAMES)), np.int64)
    luck = Keys.of(SEED).luck if key is None else key
    log = new_log()
    with _told(seating, situations[0].hand, log):
        hear_calls(
            seating.bidders, seating.notes, seating.house, situations[0].hand, np.array(heard, np.int64), luck, ASKED,
            made, new_desk(), log,
        )  # fmt: skip
    return [
        Call(situation.seat, situation.highest, int(np.argmax(row)), float(row.max()) / ASKED)
        for situation, row in zip(situations, made, strict=True)
    ]


def call_in(seating: Seating, situation: Situation) -> Call:
    """What the policy of the seat that is to speak calls.

    Raises RunError when it fails.
    """
    return calls_in(seating, [situation])[0]


@contextmanager
def _told(seating: Seating, hand: int, log: np.ndarray) -> Iterator[None]:
    """Say which policy failed, and in which auction; what the others hold does not matter to it."""
    try:
        yield
    except (KeyboardInterrupt, MemoryError, SystemError):
        raise
    except Exception as error:
        speaker = sum(call_of(int(log[CALLS]), seat) >= 0 for seat in range(seating.rules.players))
        rest = iter(set_to_cards(ALL_CARDS & ~hand))
        for seat in range(seating.rules.players):
            log[HANDS + seat] = hand if seat == speaker else cards_to_set([next(rest) for _ in range(HAND_SIZE)])
        raise RunError(blame(seating, log, error)) from error


def calls_of(seating: Seating, hand: int, key: np.uint64 | None = None) -> list[Call]:
    """The calls of a hand in every seat, after every highest bid."""
    return calls_in(seating, grid_situations(seating.rules, hand), key)


def in_one_letter(call: int, over: int) -> str:
    """One call over a highest bid, as it stands in a row of calls; a dash is a pass, s a steal.

    >>> [in_one_letter(call, 2) for call in (0, 2, 3)]
    ['-', 's', '3']
    """
    return "-" if call == 0 else "s" if call == over else str(call)


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
    return as_said(CALL_NAMES[call.call], call.highest) + "?" * call.mixed
