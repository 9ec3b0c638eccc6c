"""Every auction at once, over deals whose contracts have all been played: what each call of each seat is worth."""

from pitchsim.bidding.thresholds import worth_of_bids
from pitchsim.engine import CUBE, TABLE
from pitchsim.house import HOUSE
from pitchsim.jit import borrowed, float64, int64, kernel, types, uint8, uint64
from pitchsim.view import BidView

ROOM_FOR_SEATS = 8
"""Seven seats and one more: a row of eight numbers is worked on at once."""

CLASSES = uint8[:, ::1]
PAYMENTS = types.int8[:, :, ::1]
PLANS = types.float32[:, :, ::1]
WORTH = float64[:, :, ::1]
FLOATS = float64[::1]
CHANCES = types.float32[::1]
VALUES = types.float32[:, ::1]
STEPS = uint64[:, ::1]
HERE, CALL, THERE, SPEAKER = range(4)
"""The columns of a table of steps."""


@kernel(types.void(int64, HOUSE, TABLE, int64, int64, CUBE))
def worth_of_hands(notes, house, hands, first, count, worth):
    """Fill in (deal, seat, bid - 1) what every hand should score as pitcher of 1, 2, 3, 4, in thousandths."""
    none = int64(0)
    for deal in range(first, first + count):
        for seat in range(house.players):
            view = BidView(
                hands[deal, seat], none, none, int64(-1), none, none, house.players, house.partners,
                house.low_to_holder, house.strict, house.lowest_bid, notes, none,
            )  # fmt: skip
            one, two, three, four = worth_of_bids(view)
            worth[deal, seat, 0] = one
            worth[deal, seat, 1] = two
            worth[deal, seat, 2] = three
            worth[deal, seat, 3] = four


@kernel(types.void(STEPS, CLASSES, PAYMENTS, VALUES, PLANS, int64, int64, WORTH, FLOATS, CHANCES, VALUES))
def expect_auctions(steps, classes, payments, thrown_in, plans, first, count, worth, means, reach, values):
    """Add up what every call is worth to its speaker, deal by deal, when all others keep to their plans.

    A situation is what a speaker has heard. `steps` has a row for every call that the rules allow: the situation,
    the call, the situation that follows (or, from the number of situations on, an end of the auction: a contract,
    column of `payments`, or last the throw-in), and who speaks; situations are numbered in speaking order. Adds to
    `worth` (class, situation, call; `plans` are laid out likewise, so that what one seat may need lies together),
    weighted with the chance that the others let the situation come about, and to `means` (seat), what the plans
    bring. `reach` and `values` are working memory.
    """
    steps = borrowed(steps)
    classes = borrowed(classes)
    payments = borrowed(payments)
    plans = borrowed(plans)
    worth = borrowed(worth)
    reach = borrowed(reach)
    values = borrowed(values)
    situations = len(reach)
    contracts = payments.shape[1]
    for seat in range(ROOM_FOR_SEATS):
        values[situations + contracts, seat] = thrown_in[0, seat]
    for deal in range(first, first + count):
        for end in range(contracts):
            for seat in range(ROOM_FOR_SEATS):
                values[situations + end, seat] = payments[deal, end, seat]
        for here in range(situations):
            reach[here] = 0
            for seat in range(ROOM_FOR_SEATS):
                values[here, seat] = 0
        reach[0] = 1
        for step in range(len(steps)):
            here, there = steps[step, HERE], steps[step, THERE]
            if there < situations:
                reach[there] += reach[here] * plans[classes[deal, steps[step, SPEAKER]], here, steps[step, CALL]]
        for step in range(len(steps) - 1, -1, -1):
            here, call, there, speaker = steps[step, HERE], steps[step, CALL], steps[step, THERE], steps[step, SPEAKER]
            mine = classes[deal, speaker]
            worth[mine, here, call] += reach[here] * values[there, speaker]
            chance = plans[mine, here, call]
            for seat in range(ROOM_FOR_SEATS):
                values[here, seat] += chance * values[there, seat]
        for seat in range(len(means)):
            means[seat] += values[0, seat]
