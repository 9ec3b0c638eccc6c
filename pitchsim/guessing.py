"""What the other hands may be: guesses that fit what was shown, called and played.

A guess deals the unseen cards to the others, each what he may still hold. Guesses count by how likely they are, and the
likely ones are kept: the *worlds* in which a searching player tries his cards.
"""

from typing import Any, NamedTuple

import numpy as np

from pitchsim.auction import AUCTION_LUCK, NOBODY, legal_calls
from pitchsim.deck import ALL_CARDS, HAND_SIZE, LANE_BITS, SUIT_CARDS, TRUMP_LANE, turn, turned_card
from pitchsim.engine import call_of
from pitchsim.house import House
from pitchsim.jit import float64, highest, int64, jitted, long_entry, lowest, popcount, uint64
from pitchsim.log import BID, CALLS, CARD_BITS, LENGTH, PITCHER, PLAYS, PUBLIC, TRUMP_SUIT
from pitchsim.play import pitch
from pitchsim.position import Position, ask_card, beginning, page_of, put_card
from pitchsim.stream import chance, luck_of
from pitchsim.view import (
    BidView,
    bid,
    call_policy_at,
    facts_of,
    known_void,
    pitcher,
    pitching,
    trick_played,
    unseen,
)  # fmt: skip

GUESSES = 4
"""Guesses for each world that is kept."""

WRONG_CALL, WRONG_CARD = 0.1, 0.5
"""How much less a guess counts for each call, and each card, that the policies would not have chosen with it."""

OWN_LUCK, KEEPING = 1 << 40, 1 << 41
"""The searcher's own draws: far from those of the bidders and players, whose luck he must not share."""


class Others(NamedTuple):
    """Whom a player takes the others to be: the house rules, and where their policies are."""

    house: House
    line: Any
    bidders: Any
    bidders_notes: Any


class Past(NamedTuple):
    """What everybody has seen: the position, the cards shown by each seat and in order, the tricks won, the log."""

    position: Position
    shown: Any
    order: Any
    played: int
    piles: Any
    lane: int
    log: Any


@jitted
def past_of(view, house):
    """Everything played so far, put on the table once more."""
    shown, piles = np.zeros(8, np.int64), np.zeros(8, np.int64)
    order, log = np.zeros(6 * 8, np.int64), np.zeros(LENGTH, np.int64)
    log[CALLS], log[PITCHER], log[BID] = long_entry(view.page, CALLS - PUBLIC), pitcher(view), bid(view)
    position = beginning(pitcher(view), house.players)
    if pitching(view):
        return Past(position, shown, order, int64(0), piles, int64(TRUMP_LANE), log)
    log[TRUMP_SUIT] = long_entry(view.page, TRUMP_SUIT - PUBLIC)
    count = int64(0)
    for trick in range(HAND_SIZE):
        line = trick_played(view, trick)
        size = highest(line | 1) // CARD_BITS
        for place in range(size):
            card = (line >> (CARD_BITS * (size - 1 - place))) & 63
            order[count] = card
            count += 1
            # From empty hands: a card that was put down is then one that was shown.
            position = put_card(position, shown, piles, card, house, log)
    return Past(position, shown, order, count, piles, log[TRUMP_SUIT], log)


@jitted
def luck_in(view, number):
    """The luck of a guess, or of a world."""
    return luck_of(uint64(view.luck), OWN_LUCK + number)


@jitted
def may_hold(view, seat):
    """The cards that this seat may hold, as far as it has shown what it is out of."""
    cards = int64(ALL_CARDS)
    for lane in range(TRUMP_LANE + 1):
        cards &= ~(known_void(view, seat, lane) * (int64(SUIT_CARDS) << (LANE_BITS * lane)))
    return cards


@jitted
def card_at(cards, place):
    """The card at this place of a set, counted from the lowest."""
    for _ in range(place):
        cards &= cards - 1
    return lowest(cards)


@jitted
def guess_hands(view, players, shown, luck, guess):
    """Deal the unseen cards to the others, each what he may hold; returns how many ways there were (0: it failed).

    One takes his cards after the other, any that is left with the same chance, so that a deal counts by the product
    of the ways that there were: then all deals that can be are alike.
    """
    free = unseen(view)
    ways = float64(1.0)
    draw = int64(0)
    for tight in range(1, -1, -1):  # Who has shown a void takes first: there is less for him.
        for seat in range(players):
            allowed = may_hold(view, seat)
            if seat == view.seat or int64(allowed != ALL_CARDS) != tight:
                continue
            guess[seat] = int64(0)
            for _ in range(HAND_SIZE - popcount(shown[seat])):
                choice = popcount(free & allowed)
                if choice == 0:
                    return float64(0.0)
                card = int64(1) << card_at(free & allowed, chance(luck, draw, choice))
                free ^= card
                guess[seat] |= card
                ways *= choice
                draw += 1
    guess[view.seat] = view.hand
    return ways


@jitted
def fit_of_calls(view, others, calls, dealt, luck):
    """How well these hands (suits not turned) fit the calls heard: less for every call that one would not make."""
    house = others.house
    fit = float64(1.0)
    heard = highest_bid = int64(0)
    bidder = int64(NOBODY)
    for seat in range(house.players):
        call = call_of(calls, seat)
        if call < 0:
            break
        asked = BidView(
            dealt[seat], int64(seat), highest_bid, bidder, heard, legal_calls(house, int64(seat), highest_bid),
            house.players, house.partners, house.low_to_holder, house.strict, house.lowest_bid,
            others.bidders_notes[seat], luck + AUCTION_LUCK + seat,
        )  # fmt: skip
        if seat != view.seat and call_policy_at(others.bidders[seat])(asked) != call:
            fit *= WRONG_CALL
        heard |= (call + 1) << (4 * seat)
        highest_bid, bidder = (call, int64(seat)) if call > 0 else (highest_bid, bidder)
    return fit


@jitted
def fit_of_cards(view, others, past, dealt, hands, piles, luck):
    """Play the cards shown once more with these hands: less for every card that one would not play."""
    house, position = others.house, beginning(pitcher(view), others.house.players)
    facts = facts_of(pitcher(view), bid(view), house)
    forget_tricks(past.log, int64(0))
    fit = float64(1.0)
    for number in range(past.played):
        wish = card = past.order[number]
        if number == 0 and position.seat != view.seat:
            wish = turned_card(pitch(others.line, house, dealt, position.seat, bid(view), luck, past.log), past.lane)
        elif position.seat != view.seat:
            page = page_of(past.log)
            wish = ask_card(others.line, house, hands, piles, position, pitcher(view), facts, luck + number, page)
        fit *= 1.0 if wish == card else WRONG_CARD
        position = put_card(position, hands, piles, card, house, past.log)
    return fit


@jitted
def forget_tricks(log, trick):
    """Take this trick and those after it out of the log."""
    for place in range(PLAYS + trick, LENGTH):
        log[place] = 0


@jitted
def weight_of(view, others, past, guess, luck, desk):
    """How likely this guess is, in proportion: it fits the calls, and the cards played."""
    dealt, hands, piles = desk[0], desk[1], desk[2]
    for seat in range(others.house.players):
        hands[seat] = guess[seat] | past.shown[seat]
        dealt[seat] = turn(hands[seat], (TRUMP_LANE - 1 - past.lane) & 3)  # Back to the suits as they were dealt.
        piles[seat] = 0
    fit = fit_of_calls(view, others, past.log[CALLS], dealt, luck)
    return fit * fit_of_cards(view, others, past, dealt, hands, piles, luck)


@jitted
def resample(weights, wanted, luck):
    """Pick so many guesses in proportion to their weights, evenly spread; none when nothing fits."""
    total = float64(0.0)
    for weight in weights:
        total += weight
    chosen = np.zeros(wanted, np.int64)
    step = total / wanted
    point = step * chance(luck, int64(KEEPING), int64(1 << 30)) / (1 << 30)
    so_far = float64(0.0)
    count = int64(0)
    for guess in range(len(weights)):
        so_far += weights[guess]
        while count < wanted and point < so_far:
            chosen[count] = guess
            count += 1
            point += step
    return chosen[:count]


@jitted
def likely_worlds(view, others, past, wanted):
    """So many worlds, one a row: what everybody still holds. The likely ones come often, the unlikely seldom."""
    guesses, weights = np.zeros((GUESSES * wanted, 8), np.int64), np.zeros(GUESSES * wanted, np.float64)
    desk = np.zeros((3, 8), np.int64)
    for number in range(GUESSES * wanted):
        luck = luck_in(view, number)
        weights[number] = guess_hands(view, others.house.players, past.shown, luck, guesses[number])
        if weights[number] > 0.0:
            weights[number] *= weight_of(view, others, past, guesses[number], luck, desk)
    chosen = resample(weights, wanted, view.luck)
    worlds = np.zeros((len(chosen), 8), np.int64)
    for world in range(len(chosen)):
        for seat in range(others.house.players):
            worlds[world, seat] = guesses[chosen[world], seat]
    return worlds
