"""The fitted player, 64 decisions at a time: the tables of `pitchsim.policies.expert`, laid out in 64 bytes each.

What is known while the code is written (cards left, players behind) chooses the tables; the situation of a deal stands
in the upper bits of a place in them, the card in the lower ones. Numbers are bytes, and so is their sum.
"""

from typing import Any

import numpy as np

from pitchsim.lanes.deck import Luck
from pitchsim.lanes.play import JACK_POINTS, KIND, ONE_CARD, View, on_pitchers_side, ranks_by_suit
from pitchsim.lanes.vectors import LANES, Bytes, Lanes, table_of
from pitchsim.policies import expert

LEADS_FROM, LEAD_TABLES = 1, len(expert.LEAD)
FOLLOW_TABLES = 7
"""Own trumps, lowest trump seen, whose trick (two tables), stake (two), the card."""
FOLLOWS_FROM = LEADS_FROM + 4 * LEAD_TABLES
OPENINGS_FROM = FOLLOWS_FROM + 20 * FOLLOW_TABLES
"""Rows of the tables; before them stands the deck."""
PITCH_BID = 2
"""Where the lanes pitch, nobody has bid: as `LEAD_BID` of the scalar engine, the suit is chosen as for a 2."""
ROW = 16
"""The situation stands above the four bits of a class."""
UPPER = 0x20
WORTH_SOMETHING, WORTH_MUCH = 3, 10


def expert_tables(notes: np.ndarray) -> bytes:
    """The tables of the notes that `expert` brings along, in rows of 64 bytes, then the openings for a bid of 2."""
    numbers = notes[: expert.OPENINGS].view(np.uint8)
    terms = [
        numbers[start : start + np.prod(term.shape)].reshape(term.shape)
        for term, start in zip(expert.TERMS, expert.STARTS, strict=False)
    ]
    lead = np.stack([term.reshape(4, LANES) for term in terms[:LEAD_TABLES]], axis=1)
    own, low, whose, stake, card = terms[LEAD_TABLES:]
    follow = np.zeros((20, FOLLOW_TABLES, LANES), np.uint8)
    follow[:, 0], follow[:, 1] = own.reshape(20, LANES), low.reshape(20, LANES)
    follow[:, 2], follow[:, 3, : 2 * ROW] = whose[:, :4].reshape(20, LANES), whose[:, 4:].reshape(20, 2 * ROW)
    follow[:, 4], follow[:, 5] = stake[:, :2].reshape(20, LANES), stake[:, 2:].reshape(20, LANES)
    kinds = card.reshape(20, 2, 2, 13)
    follow[:, 6].reshape(20, 2, 2, ROW)[..., :13] = kinds
    openings = notes[expert.OPENINGS :].reshape(expert.HIGHEST_BID, -1)[PITCH_BID - 1]
    return lead.tobytes() + follow.tobytes() + openings.astype(np.int32).tobytes()


def classes_of() -> list[int]:
    """The class of a card by its kind, and in the upper half when it is lower than every trump seen."""
    table = np.zeros((2, 2, ROW), np.uint8)
    table[..., :13] = expert.CLASS_OF.reshape(2, 2, 13)
    return table_of(table.reshape(-1).tolist())


def expert_plays(on: Any, view: View, tables: Any) -> Bytes:
    """The card that is liked most; of several the highest."""
    numbers = leading(on, view, tables) if view.leading else following(on, view, tables)

    def look_at(slot: Bytes, card: Bytes, most: Bytes) -> tuple[Bytes, Bytes]:
        liking = numbers(slot)
        better = liking >= most
        if not view.leading:
            better = better & view.legal(slot)
        return better.choose(slot, card), better.choose(liking, most)

    return on.each(view.hand, look_at, view.hand[0], on.bytes(0))[0]


def class_of(view: View, classes: Any, slot: Bytes, kind: Bytes) -> Bytes:
    """What kind of card it is, roughly; Low counts where its winner gets it."""
    if view.house.low_to_holder:
        return classes[kind]
    return classes[kind.plus(slot < view.lowest, UPPER)]


def own_trumps(on: Any, view: View) -> Bytes:
    """No trump, 1, 2, 3 or more, as rows."""
    row = on.bytes(0)
    for number in range(1, min(len(view.hand), 3) + 1):
        row = row.plus(view.trumps_held(number), ROW)
    return row


def lowest_seen(on: Any, view: View) -> Bytes:
    """None, 2-3, 4-6, 7 or more, as rows: by the low six bits of the lowest trump seen."""
    rows = [0] * 48 + [ROW * (1 + (rank > 1) + (rank > 4)) for rank in range(13)]
    return on.table(table_of(rows))[view.lowest]


def leading(on: Any, view: View, tables: Any) -> Any:
    """The numbers of a card that is led."""
    moment = len(view.hand) - 2
    own, low, trump, place = (
        on.table_at(tables, LEADS_FROM + LEAD_TABLES * moment + term) for term in range(LEAD_TABLES)
    )
    behind = [ROW * min(max(view.to_act - out, 0), 3) for out in range(8)]
    places = [2 * ROW, ROW, 3 * ROW * view.house.partners]
    rows = (
        (own, own_trumps(on, view)),
        (low, lowest_seen(on, view)),
        (trump, on.table(table_of(behind))[view.behind_out_of_trumps(on)]),
        (place, on.table(table_of(places))[view.leader]),
    )
    classes = on.table(classes_of())

    def numbers(slot: Bytes) -> Bytes:
        like = class_of(view, classes, slot, slot & KIND)
        first, second, third, fourth = (table[like | row] for table, row in rows)
        return (first + second) + (third + fourth)

    return numbers


def whose_trick(on: Any, view: View) -> tuple[Bytes, Lanes | None]:
    """Who wins the trick so far, as rows; and where it is one of the rows of the second table (partners only)."""
    if not view.house.partners:
        # A defender wins: the pitcher is to come (0), is beaten (1), or it is me (3).
        players, seats = view.house.players, range(view.house.players)
        pitcher = [-leader % players for leader in seats]
        rows = [ROW * (3 * (place == view.position) or int(place < view.position)) for place in pitcher]
        return view.pitchers.choose(on.bytes(2 * ROW), on.table(table_of(rows))[view.leader]), None
    mate = on_pitchers_side(view)
    mine = (mate & view.pitchers) | ~(mate | view.pitchers)
    # I am the pitcher and a defender wins: 3; he is my partner: 5; I defend and his side wins: 2; my side wins: 4.
    row = mate.choose(view.is_pitcher().choose(on.bytes(3 * ROW), on.bytes(ROW)), on.bytes(2 * ROW))
    return mine.choose(on.bytes(0), row), mine | (mate & ~view.is_pitcher())


def following(on: Any, view: View, tables: Any) -> Any:
    """The numbers of a card that follows."""
    moment = (len(view.hand) - 2) * 4 + min(view.to_act, 3)
    own, low, whose, whose_more, stake, stake_more, card = (
        on.table_at(tables, FOLLOWS_FROM + FOLLOW_TABLES * moment + term) for term in range(FOLLOW_TABLES)
    )
    own_row, low_row = own_trumps(on, view), lowest_seen(on, view)
    whose_row, more_whose = whose_trick(on, view)
    # Two tables, by whether there is much to win, and two rows in each:
    #              not odd             odd
    #   not much   nothing             3 trick points
    #   much       10, or Low is here  the jack
    much = view.points >= WORTH_MUCH
    if not view.house.low_to_holder:
        much = much | view.low_here
    odd = (~much & (view.points >= WORTH_SOMETHING)) | (view.points >= JACK_POINTS)
    stake_row = odd.choose(on.bytes(UPPER), on.bytes(0))
    classes = on.table(classes_of())

    def numbers(slot: Bytes) -> Bytes:
        kind, wins = slot & KIND, view.wins(slot)
        like = class_of(view, classes, slot, kind)
        of_stake = (like | stake_row).plus(wins, ROW)
        of_whose = like | whose_row
        number = whose[of_whose]
        if more_whose is not None:
            number = more_whose.choose(whose_more[of_whose], number)
        beside = (own[like | own_row] + low[like | low_row]) + (number + card[kind.plus(wins, UPPER)])
        return beside + much.choose(stake_more[of_stake], stake[of_stake])

    return numbers


def pitch_best(on: Any, hand: list[Bytes], luck: Luck, tables: Any) -> Bytes:
    """The suit that promises most for a bid of 2, and the card to lead from it."""
    best: Any = None
    best_suit = on.bytes(0)
    for suit, (low, high) in enumerate(ranks_by_suit(on, hand)):
        worth = on.look_far(tables, OPENINGS_FROM, low, high & (ONE_CARD - 1))
        if best is None:
            best = worth
        else:
            better = worth > best
            best, best_suit = best.instead(better, worth), better.choose(on.bytes(16 * suit), best_suit)
    return best.low_bits(15) | best_suit
