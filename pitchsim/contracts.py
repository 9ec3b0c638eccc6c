"""Every contract of many deals played out: what bidding plans and thresholds are worked out from."""

from typing import Any

import numpy as np

from pitchsim.deck import ALL_CARDS, packed_deck
from pitchsim.engine import new_desk
from pitchsim.kernels.holdings import HIGHEST_BID, lay_contracts, play_contracts, read_contracts
from pitchsim.lanes.engine import AT_ONCE, Desks
from pitchsim.log import new_log
from pitchsim.seating import Keys, Seating, watched


def play_every_contract(
    seating: Seating, keys: Keys, first: int, count: int, hands: np.ndarray, changes: np.ndarray
) -> None:
    """Deal, and play every deal with every seat as pitcher of every bid.

    Fills rows `first` .. of `hands` (deal, seat) and `changes` (deal, pitcher, bid - 1, seat: int8).
    Raises RunError when the play policy fails.
    """
    deck, log = packed_deck(ALL_CARDS), new_log()
    with watched(seating, log):
        if seating.lanes is None:
            play_contracts(
                seating.line, seating.house, deck, keys.deal, keys.luck, first, count, hands, changes, new_desk(), log
            )
        else:
            _in_lanes(seating, keys, deck, first, count, hands, changes, log)


def _in_lanes(
    seating: Seating, keys: Keys, deck: Any, first: int, count: int, hands: np.ndarray, changes: np.ndarray, log: Any
) -> None:
    """The same 64 deals at a time."""
    players, lanes = seating.rules.players, seating.lanes
    assert lanes is not None
    at_once = AT_ONCE // (players * HIGHEST_BID)
    desks, places = Desks(AT_ONCE), np.zeros((at_once, players, HIGHEST_BID), np.int64)
    for start in range(first, first + count, at_once):
        number = min(at_once, first + count - start)
        taken = lay_contracts(
            seating.line, seating.house, deck, seating.played_by, keys.deal, keys.luck, start, number,
            hands, desks.bytes, desks.lucks, places, new_desk(), log,
        )  # fmt: skip
        lanes.play_desks(desks.first(taken))
        read_contracts(seating.house, start, number, desks.bytes, places, changes)
