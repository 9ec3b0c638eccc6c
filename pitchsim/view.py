"""What a seat may see: the only thing that a policy is given.

A `View` is for playing a card, a `BidView` for making a call. Both hold whole numbers only; sets of cards are numbers
with one bit per card (see `deck`). After the pitch the suits are turned so that trump is the top lane (`TRUMPS`).
"""

from typing import NamedTuple

from pitchsim.deck import ALL_CARDS, TRUMPS, side_of
from pitchsim.jit import function_at, int64, jitted, long_entry, lowest, popcount, types
from pitchsim.log import CALLS, PLAYS, PUBLIC
from pitchsim.stream import QUARTER_BITS, chance, quarter


class View(NamedTuple):
    """What a seat sees when it is its turn to play a card.

    Sets of cards: `hand` mine; `legal` those I may play; `table` this trick so far; `led` the whole suit that was
    led, and `best` the card that wins the trick so far (both 0 when I lead); `gone` the tricks before this one;
    `pitchers` the tricks that the pitcher's side has won.

    Numbers: `points` trick points won, 8 bits a side; `voids` suits that a seat has shown not to hold, 4 bits a seat
    (one a lane); `seat` me and `winner` who wins the trick so far (seats in speaking order from 0); `to_act` how many
    play after me in this trick; `facts` what stays the same all deal: read it with `pitcher`, `bid`, `players`,
    `partners`, `low_to_holder`, `strict`; `luck` for `draw`; `notes` the address of the policy's own table, for
    `entry`; `page` the address of what everybody has heard and seen: read it with `call_heard` and `trick_played`.
    Few and packed, since every number costs time at every card.
    """

    hand: int
    legal: int
    table: int
    led: int
    best: int
    gone: int
    pitchers: int
    points: int
    voids: int
    seat: int
    winner: int
    to_act: int
    facts: int
    luck: int
    notes: int
    page: int


class BidView(NamedTuple):
    """What a seat hears and holds when it is its turn to speak.

    `hand` my six cards; `seat` when I speak (0 first, `players` - 1 the dealer); `highest` the highest bid so far
    (0: none) and `bidder` whose it is (-1: nobody's); `calls` all calls so far, 4 bits a seat (0 not yet, else
    call + 1); `legal` one bit for each call that I may make (bit 0 pass, bit 2 a bid of 2); `partners`,
    `low_to_holder`, `strict`, `lowest_bid` house rules; `notes` the address of the policy's own table, for `entry`;
    `luck` for `draw`.
    """

    hand: int
    seat: int
    highest: int
    bidder: int
    calls: int
    legal: int
    players: int
    partners: int
    low_to_holder: int
    strict: int
    lowest_bid: int
    notes: int
    luck: int


CARD = types.int64(types.NamedUniTuple(types.int64, len(View._fields), View))
CALL = types.int64(types.NamedUniTuple(types.int64, len(BidView._fields), BidView))

card_policy_at = function_at(CARD)
call_policy_at = function_at(CALL)


@jitted
def facts_of(pitcher, bid, house):
    """Pack what stays the same all deal."""
    switches = house.partners | house.low_to_holder << 1 | house.strict << 2
    return pitcher | bid << 3 | house.players << 6 | switches << 9


@jitted
def pitcher(view):
    """The seat of the pitcher."""
    return view.facts & 7


@jitted
def bid(view):
    """What the pitcher bid."""
    return view.facts >> 3 & 7


@jitted
def players(view):
    """How many play."""
    return view.facts >> 6 & 7


@jitted
def partners(view):
    """1 when two teams play, else 0."""
    return view.facts >> 9 & 1


@jitted
def low_to_holder(view):
    """1 when Low belongs to whom it was dealt, 0 when to the winner of its trick."""
    return view.facts >> 10 & 1


@jitted
def strict(view):
    """1 when only a player void in the suit led may trump."""
    return view.facts >> 11 & 1


@jitted
def call_heard(view, seat):
    """What this seat called in the auction, 0 for a pass; -1 when it did not speak, or nobody did."""
    return ((long_entry(view.page, CALLS - PUBLIC) >> (4 * seat)) & 15) - 1


@jitted
def trick_played(view, trick):
    """Trick number `trick` as far as it went: a 1, then its cards in the order played, CARD_BITS each; 0 before it."""
    return long_entry(view.page, PLAYS - PUBLIC + trick)


@jitted
def pitching(view):
    """Whether this is the pitch: the card that I choose now names trump (suits are not turned yet)."""
    return view.gone == 0 and view.led == 0


@jitted
def leading(view):
    """Whether I lead to this trick."""
    return view.led == 0


@jitted
def draw(view, number, sides):
    """My own luck: a whole number from 0 to `sides` - 1; `number` counts the draws of this decision from 0."""
    return chance(view.luck, number, sides)


@jitted
def any_card(cards, luck):
    """One of these cards, all with the same chance (to one part in ten thousand: there are 2**16 draws)."""
    left = (quarter(luck) * popcount(cards)) >> QUARTER_BITS
    # Five steps whatever was drawn: a loop of `left` steps is mispredicted and takes 8 ns more a card.
    for step in range(5):
        cards = cards & (cards - int64(step < left))
    return lowest(cards)


@jitted
def on_my_side(view, seat):
    """Whether this seat plays with me (with itself it always does)."""
    return side_of(seat, partners(view)) == side_of(view.seat, partners(view))


@jitted
def on_pitchers_side(view):
    """Whether I play with the pitcher, or am the pitcher."""
    return on_my_side(view, pitcher(view))


@jitted
def winning_cards(view):
    """Those of my legal cards that would win the trick as it stands."""
    return view.legal & (view.led | TRUMPS) & ~((view.best << 1) - 1)


@jitted
def unseen(view):
    """The cards that may be in other hands: neither mine nor played."""
    return ALL_CARDS & ~(view.hand | view.gone | view.table)


@jitted
def known_void(view, seat, lane):
    """1 when this seat has shown that it holds no card of this lane (TRUMP_LANE: no trump)."""
    return (view.voids >> (4 * seat + lane)) & 1


@jitted
def points_of(view, side):
    """The trick points that this side has won so far."""
    return (view.points >> (8 * side)) & 255
