"""The auction, R4 to R7, for the kernels. Calls are whole numbers: 0 is a pass; seats count in speaking order."""

from pitchsim.house import ANY, NEVER, ONLY_4, UP_TO_3
from pitchsim.jit import inlined, int64, jitted
from pitchsim.log import CALLS
from pitchsim.view import BidView, call_policy_at

PASS = 1
"""Bit 0 of a set of calls: the pass."""

NOBODY = -1
AUCTION_LUCK = 64
"""Draws of the auction begin behind those of the (at most 42) cards."""


class IllegalCall(Exception):
    """A bidding policy made a call that the rules do not allow."""


@jitted
def may_steal(bid, house):
    """R6: the dealer may match the highest bid: 1, 2 or 3 as a rule; the house may say never, also a 4, or only a 4."""
    if house.steal == NEVER or bid == 0:
        return False
    if house.steal == UP_TO_3:
        return bid < 4
    return bid == 4 or house.steal == ANY


@jitted
def ends_auction(bid, house):
    """R5: a 4 ends the auction, unless the house lets the dealer steal it."""
    return bid == 4 and house.steal != ANY and house.steal != ONLY_4


@jitted
def stuck_calls(house):
    """R7: a dealer to whom everybody passed must bid 2, 3 or 4; some houses let him throw the hand in."""
    return 0b11101 if house.throw_in != 0 else 0b11100


@jitted
def legal_calls(house, seat, highest):
    """R4: pass, or bid higher than every bid before; the dealer may also steal (R6), or is stuck (R7)."""
    if seat == house.players - 1:
        if highest == 0:
            return int64(stuck_calls(house))
        if may_steal(highest, house):
            return int64(PASS | (0b11111 >> highest << highest))
    lowest_bid = max(highest + 1, house.lowest_bid)
    return int64(PASS | (0b11111 >> lowest_bid << lowest_bid))


@inlined
def speak(bidders, notes, house, hands, seat, highest, bidder, calls, luck):
    """One seat makes its call; a call that is not legal stops everything."""
    legal = legal_calls(house, seat, highest)
    view = BidView(
        hands[seat],
        seat,
        highest,
        bidder,
        calls,
        legal,
        house.players,
        house.partners,
        house.low_to_holder,
        house.strict,
        house.lowest_bid,
        notes[seat],
        luck + AUCTION_LUCK + seat,
    )
    call = call_policy_at(bidders[seat])(view)
    if call < 0 or call > 4 or (legal >> call) & 1 == 0:
        raise IllegalCall
    return call


@inlined
def hold_auction(bidders, notes, house, hands, seat, highest, bidder, calls, luck, log):
    """Everybody from this seat on speaks once; returns the pitcher (NOBODY: thrown in) and the bid."""
    while seat < house.players and not ends_auction(highest, house):
        log[CALLS] = calls
        call = speak(bidders, notes, house, hands, seat, highest, bidder, calls, luck)
        calls |= (call + 1) << (4 * seat)
        if call > 0:
            highest = call
            bidder = seat
        seat += 1
    log[CALLS] = calls
    return bidder, highest
