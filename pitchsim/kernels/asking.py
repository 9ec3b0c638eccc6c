"""Questions to a policy from outside the engine.

A policy called from Python with a view costs tens of microseconds; through one array and its address, two.
"""

from pitchsim.auction import NOBODY, speak
from pitchsim.engine import DEALT, NUMBERS, TABLE
from pitchsim.house import HOUSE
from pitchsim.jit import address_from, borrowed, int64, kernel, types, uint64
from pitchsim.log import CALLS, PITCHER
from pitchsim.play import AT_RANDOM
from pitchsim.stream import luck_of
from pitchsim.view import BidView, View, any_card, call_policy_at, card_policy_at


@kernel(int64(int64, int64, NUMBERS, NUMBERS, uint64, int64))
def ask_for_card(where, notes, seen, page, luck_key, moment):
    """Let a play policy choose a card; `seen` are the fields of its `View` before `luck`, in order."""
    luck = luck_of(luck_key, moment)
    view = View(
        seen[0], seen[1], seen[2], seen[3], seen[4], seen[5], seen[6], seen[7], seen[8],
        seen[9], seen[10], seen[11], seen[12], luck, notes, address_from(page, 0),
    )  # fmt: skip
    if where == AT_RANDOM:
        return any_card(view.legal, luck)
    return card_policy_at(where)(view)


@kernel(int64(int64, int64, NUMBERS, uint64, int64))
def ask_for_call(where, notes, heard, luck_key, moment):
    """Let a bidding policy make its call; `heard` are the fields of its `BidView` before `notes`, in order."""
    view = BidView(
        heard[0], heard[1], heard[2], heard[3], heard[4], heard[5], heard[6], heard[7], heard[8],
        heard[9], heard[10], notes, luck_of(luck_key, moment),
    )  # fmt: skip
    return call_policy_at(where)(view)


@kernel(types.void(NUMBERS, NUMBERS, HOUSE, int64, TABLE, uint64, int64, TABLE, TABLE, NUMBERS))
def hear_calls(bidders, notes, house, hand, situations, luck_key, count, tally, desk, log):
    """Let the bidding policies speak `count` times in every situation, each time with other luck.

    A row of `situations` is the seat, the highest bid, whose it is, and the calls so far (as `BidView` has them).
    Adds to `tally` (situation, call).
    """
    bidders = borrowed(bidders)
    notes = borrowed(notes)
    dealt = borrowed(desk[DEALT])
    for row in range(len(situations)):
        seat, highest, bidder, calls = situations[row, 0], situations[row, 1], situations[row, 2], situations[row, 3]
        dealt[seat] = hand
        log[CALLS] = calls
        log[PITCHER] = NOBODY
        for draw in range(count):
            luck = luck_of(luck_key, draw)
            tally[row, speak(bidders, notes, house, dealt, seat, highest, bidder, calls, luck)] += 1
