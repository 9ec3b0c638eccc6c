"""A player who knows what his trumps are worth, and a few thresholds.

What a trump holding is worth comes from a table that `scripts/make_thresholds.py` makes by simulation, one
for each number of players, for partners, and for Low to the winner or the holder. The thresholds come from
the same script: with them nobody gains by bidding more or less than the others.
"""

import csv
from functools import cache
from importlib import resources

import numpy as np

from pitchsim.deck import LANE_BITS, SUIT_CARDS, side_of
from pitchsim.jit import entry, highest, int64, jitted, policy
from pitchsim.rules import Rules
from pitchsim.view import CALL

ONE, TWO, JUMP, OVER, FOUR, LAST, OVER_PARTNER, LAST_OVER_PARTNER, THROW_IN = range(9)
"""The places of the thresholds in the notes."""

THRESHOLDS = ("one", "two", "jump", "over", "four", "last", "over_partner", "last_over_partner", "dealer")
"""Their columns in `thresholds.csv`: the worth, in points, from which on one bids 1; bids 2; jumps to 3; bids 3
over a 2; bids 4; as the last to speak takes the bid at all; bids one more than the partner; as the last takes
the bid from the partner. The last column is what the dealer's seat is worth: with less a hand is thrown in
where the same dealer deals again."""

FIRST_HOLDING = 16
HIGHEST_BID = 4
HOLDINGS = SUIT_CARDS + 1
NEVER = -32768
"""What no holding is worth (a suit that I do not hold)."""
THOUSANDTHS = 1000


def table_name(rules: Rules) -> str:
    """The name of the table for these rules: the players, and who gets Low."""
    line_up = "partners" if rules.partners else str(rules.players)
    return f"{line_up}-{'winner' if rules.low_goes_to == 'trick_winner' else 'holder'}"


def row_name(rules: Rules) -> str:
    """The name of the line of thresholds: the same, and whether the dealer may steal a 1, 2 or 3."""
    steals = rules.dealer_may_steal in (True, "any")
    return table_name(rules) + ("" if steals else "-no-steal")


@cache
def expected_scores(name: str) -> np.ndarray:
    """What each holding scores as pitcher of a bid of 1, 2, 3, 4, in thousandths; int16 (8192, 4), row = ranks held."""
    return _array(name)


@cache
def best_leads(name: str) -> np.ndarray:
    """The rank to pitch from each holding; uint8 (8192,), place = ranks held."""
    return _array(name + "-leads")


def _array(name: str) -> np.ndarray:
    """One array of the file that `scripts/fit_expert.py` makes."""
    with resources.files("pitchsim").joinpath("data", "holdings.npz").open("rb") as file, np.load(file) as tables:
        return tables[name]


@cache
def threshold_rows() -> dict[str, dict[str, str]]:
    """The lines of the table of thresholds, by name."""
    text = resources.files("pitchsim").joinpath("data", "thresholds.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {row["rules"]: row for row in csv.DictReader(lines)}


def arrange(thresholds: list[int], scores: np.ndarray) -> np.ndarray:
    """Lay thresholds and expected scores (thousandths) out as the policy reads them."""
    notes = np.zeros(FIRST_HOLDING + HIGHEST_BID * HOLDINGS, np.int32)
    notes[: len(thresholds)] = thresholds
    notes[FIRST_HOLDING:] = scores.reshape(-1)
    return notes


@cache
def _notes(table: str, row: str, same_dealer_again: bool) -> np.ndarray:
    """The notes for some rules. Thrown in, a hand scores nothing, or brings the dealer another deal of his."""
    thresholds = [round(float(threshold_rows()[row][column]) * THOUSANDTHS) for column in THRESHOLDS]
    if not same_dealer_again:
        thresholds[THROW_IN] = 0
    return arrange(thresholds, expected_scores(table))


def notes(rules: Rules) -> np.ndarray:
    """What `thresholds` brings along: its thresholds, then four expected scores a holding (int32, thousandths)."""
    return _notes(table_name(rules), row_name(rules), rules.stuck_dealer == "throw_in_same")


@jitted
def worth_of_bids(view):
    """What my best trump suit is expected to score as pitcher of a bid of 1, 2, 3 and 4, in thousandths."""
    one = two = three = four = int64(NEVER)
    for lane in range(4):
        place = FIRST_HOLDING + HIGHEST_BID * ((view.hand >> (LANE_BITS * lane)) & SUIT_CARDS)
        one = max(one, entry(view.notes, place))
        two = max(two, entry(view.notes, place + 1))
        three = max(three, entry(view.notes, place + 2))
        four = max(four, entry(view.notes, place + 3))
    return one, two, three, four


@jitted
def over_partners_bid(view):
    """Whether the highest bid so far is my partner's."""
    return view.partners != 0 and view.bidder >= 0 and side_of(view.bidder, 1) == side_of(view.seat, 1)


@jitted
def last_to_speak(view, one, two, three, four):
    """The dealer takes the bid when his best bid, the lowest of equals, is worth it, or when he must."""
    legal = view.legal
    most = int64(NEVER)
    choice = int64(0)
    for bid, value in ((4, four), (3, three), (2, two), (1, one)):
        better = (legal >> bid) & 1 != 0 and value >= most
        choice = int64(bid) if better else choice
        most = value if better else most
    least = entry(view.notes, LAST_OVER_PARTNER if over_partners_bid(view) else LAST)
    least = entry(view.notes, THROW_IN) if view.highest == 0 else least
    return choice if legal & 1 == 0 or most >= least else 0


@jitted
def others_to_speak(view, one, two, three, four):
    """The highest bid that passes its threshold: a 3 over a 2 needs less than a jump, over my partner more."""
    notes = view.notes
    raising = entry(notes, OVER_PARTNER) if over_partners_bid(view) else int64(NEVER)
    for_two = max(entry(notes, TWO), raising if view.highest == 1 else NEVER)
    for_three = entry(notes, JUMP)
    for_three = max(entry(notes, OVER), raising) if view.highest == 2 else for_three
    calls = int64(one >= entry(notes, ONE)) << 1 | int64(two >= for_two) << 2
    calls |= int64(three >= for_three) << 3 | int64(four >= entry(notes, FOUR)) << 4
    return highest(calls & view.legal | 1)


@policy(CALL)
def thresholds(view):
    """Know what each suit is worth as trump; bid from a threshold on, and as the dealer steal what pays.

    In a card player's words: for each of my suits I know what I should score on average if I pitched it for
    1, 2, 3 or 4, whatever my other cards. With four players I open with 2 when that is worth .6, jump to 3 when a 3
    is worth 1.2, so that the dealer pays more to steal it, raise a 2 to 3 when that is worth .6, and bid 4 only when it
    is nearly sure (3.3). As the dealer I take the bid when I should score half a point at that price; stuck, I
    bid 2, or throw in a hand that should lose where the house allows it. I raise or steal my partner's bid only
    with clearly more.
    """
    one, two, three, four = worth_of_bids(view)
    if view.seat == view.players - 1:
        return last_to_speak(view, one, two, three, four)
    return others_to_speak(view, one, two, three, four)
