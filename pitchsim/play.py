"""The play of the cards, R8 to R10, for the kernels; suits are turned so that trump is the top lane."""

from pitchsim.deck import (
    HAND_SIZE,
    TRUMPS,
    side_mask,
    suit_cards_of,
    trick_points,
    turn,
)
from pitchsim.jit import address_from, inlined, int64, jitted, lowest
from pitchsim.log import CARD_BITS, PLAYS, PUBLIC
from pitchsim.view import View, any_card, card_policy_at, facts_of

AT_RANDOM = 0
"""In place of an address: the engine itself plays any legal card for this seat, as `random` does, without a call."""

NOTES = 8
"""In a line of policies: seven addresses of functions, and from here on those of the tables that they brought along."""

SEAT_INDEX = 7
"""`seat & SEAT_INDEX` is `seat`, but the compiler then knows that it is not negative."""


class IllegalCard(Exception):
    """A play policy chose a card that the rules do not allow."""


@jitted
def trump_of(card):
    """R8: the suit of the pitcher's first card is trump."""
    return card >> 4


@jitted
def excuses(led, strict):
    """The cards that show no void when this suit is led: the suit itself, and trumps unless following is strict."""
    return led if strict != 0 else led | TRUMPS


@jitted
def legal_cards(hand, led, strict):
    """R9: follow suit or trump; with no card of the suit led, anything. Strict houses let only the void trump."""
    void = -int64(hand & led == 0)  # all bits, or none: a branch taken by chance is mispredicted
    return hand & (excuses(led, strict) | void)


@jitted
def trick_winner(best, winner, card, seat, led):
    """R10: the highest trump wins, else the highest card of the suit led.

    Takes one card more into account; returns the best card and the winner so far.
    """
    counts = card & (led | TRUMPS)
    wins = -int64(counts > best)
    return max(best, counts), winner ^ ((winner ^ seat) & wins)


@jitted
def shown_void(card, excused, lane):
    """The suit led, as one bit a lane, when this card shows that its player is out of it; 0 when it shows nothing.

    Throwing off shows the suit led to be missing, and nothing about trumps unless trumps were led. Written without a
    branch: one that is taken by chance costs 150 ns a deal.
    """
    return int64(card & excused == 0) << lane


@inlined
def pitch(line, house, dealt, pitcher, bid, luck, log):
    """R8: the high bidder leads; returns the card, suits not turned yet."""
    hand = dealt[pitcher]
    where = line[pitcher]
    if where == AT_RANDOM:
        return any_card(hand, luck)
    none = int64(0)
    to_act = house.players - 1
    facts = facts_of(pitcher, bid, house)
    view = View(
        hand, hand, none, none, none, none, none, none, none, pitcher, pitcher, to_act, facts, luck,
        line[pitcher + NOTES], address_from(log, PUBLIC),
    )  # fmt: skip
    card = card_policy_at(where)(view)
    if card < 0 or card > 63 or (hand >> card) & 1 == 0:
        raise IllegalCard
    return card


@inlined
def turn_hands(dealt, hands, piles, players, lane):
    """Take up the hands with this lane as the top one, no tricks won yet; returns all cards in play."""
    in_play = int64(0)
    for seat in range(players):
        hand = turn(dealt[seat], lane)
        hands[seat] = hand
        piles[seat] = 0
        in_play |= hand
    return in_play


@inlined
def play_cards(line, house, hands, piles, pitcher, bid, first, luck, log):
    """Six tricks, from the pitcher's first card on; returns trick points (8 bits a side) and tricks (4 bits a side).

    `hands` (emptied) and `piles` (filled: the cards won, by side) are int64 arrays, one entry a seat.
    """
    players = house.players
    mask = side_mask(house.partners)
    facts = facts_of(pitcher, bid, house)
    page = address_from(log, PUBLIC)
    leader = pitcher
    card = first
    gone = int64(0)
    voids = int64(0)
    points = int64(0)
    tricks = int64(0)
    for trick in range(HAND_SIZE):
        table = int64(0)
        led = int64(0)
        lane = int64(0)
        excused = int64(0)
        best = int64(0)
        line_of_play = int64(1)
        winner = leader
        seat = leader
        pitchers = piles[pitcher & mask]
        for to_act in range(players - 1, -1, -1):
            hand = hands[seat & SEAT_INDEX]
            if trick == HAND_SIZE - 1:
                card = lowest(hand)
            elif trick > 0 or to_act < players - 1:
                legal = legal_cards(hand, led, house.strict)
                where = line[seat & SEAT_INDEX]
                if where == AT_RANDOM:
                    card = any_card(legal, luck)
                else:
                    view = View(
                        hand, legal, table, led, best, gone, pitchers, points, voids,
                        seat, winner, to_act, facts, luck, line[(seat & SEAT_INDEX) + NOTES], page,
                    )  # fmt: skip
                    card = card_policy_at(where)(view)
                    if card < 0 or card > 63 or (legal >> card) & 1 == 0:
                        raise IllegalCard
            bit = int64(1) << card
            hands[seat & SEAT_INDEX] = hand ^ bit
            line_of_play = line_of_play << CARD_BITS | card
            log[PLAYS + trick] = line_of_play
            luck += 1
            if to_act == players - 1:
                led = suit_cards_of(card)
                lane = trump_of(card)
                excused = excuses(led, house.strict)
            voids |= shown_void(bit, excused, lane) << (4 * seat)
            best, winner = trick_winner(best, winner, bit, seat, led)
            table |= bit
            seat = (seat + 1) & -int64(seat + 1 < players)
        gone |= table
        side = winner & mask
        piles[side] |= table
        points += trick_points(table) << (8 * side)
        tricks += int64(1) << (4 * side)
        leader = winner
    return points, tricks
