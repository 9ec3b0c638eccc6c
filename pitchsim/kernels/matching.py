"""Games between policies, each in every seating on the same deals; a single deal is a game of one deal."""

import numpy as np

from pitchsim.auction import NOBODY, hold_auction
from pitchsim.deck import deal_hands, side_of
from pitchsim.engine import CUBE, NUMBERS, POLICY_PITCHES, TABLE, changes_of, laid_out, note_hands, play_deal
from pitchsim.house import ENDING, HOUSE
from pitchsim.jit import borrowed, inlined, int64, jitted, kernel, popcount, types, uint64
from pitchsim.kernels.laying import DESKS, LUCKS, lay_ready, points_on
from pitchsim.log import BID, DEAL, PITCHER
from pitchsim.play import pitch
from pitchsim.scoring import game_winner, next_dealer, points_won, sides_of
from pitchsim.stream import luck_of

# Columns of the tally, one row a contestant; `products` has the sums of products of DIFFERENCE.
CHANGE, CHANGE_SQUARED, DIFFERENCE, WINS, WINS_SQUARED, PITCHES, POINTS, MADE, COLUMNS = range(9)
DEALS, STOPPED, TOTALS = range(3)

WHOLE_GAME = 420
"""A game won, in parts that can be shared by 2 to 7 winners without a rest."""

SCORES, STANDING, SHEET_ROWS = range(3)

DEALER, COUNTED, WINNERS, DEALS_PLAYED, PLACE_COLUMNS = range(7, 12)
"""Where a game stands, one row for each seating that it is played in: the scores by side in front, then who deals, the
deals that count, the winners (one bit a side, 0 while it goes on) and all deals."""
NOT_YET = -1
CONTRACT_DESK, CONTRACT_PITCHER, CONTRACT_BID, CONTRACT_COLUMNS = range(4)


def new_sheet() -> np.ndarray:
    """The score sheet: scores by side, and the same as the dealer's left sees them; its caller owns it."""
    return np.zeros((SHEET_ROWS, 16), np.int64)


@jitted
def person_at(place, dealer, players):
    """Who sits so many places behind the dealer's left, persons counted from 0 round the table."""
    person = dealer + 1 + place
    return person - (players & -int64(person >= players))


@inlined
def leaders(scores, sides):
    """The sides with the most points, one bit each."""
    most = scores[0]
    for side in range(sides):
        most = max(most, scores[side])
    leading = int64(0)
    for side in range(sides):
        leading |= int64(scores[side] == most) << side
    return leading


@inlined
def write_down(scores, standing, house, dealer, pitchers_side, bid, high, low, jack, game, tricks):
    """Add the score change of a deal; `standing` has the new scores as sides of this deal, speaking order first."""
    for side in range(sides_of(house)):
        person = side_of(person_at(side, dealer, house.players), house.partners)
        scores[person] += changes_of(side, pitchers_side, bid, high, low, jack, game, tricks, house)
        standing[side] = scores[person]


@inlined
def deal_out(deck, room_words, room, dealt, players, key, number, log):
    """Deal a deal of this number, and note the hands."""
    log[DEAL] = number
    log[PITCHER] = NOBODY
    deal_hands(deck, room_words, room, dealt, 0, players, int64(52), key, number)
    note_hands(dealt, players, log)


@inlined
def call_at(bidders, notes, house, dealt, row, luck, log):
    """Hold the auction of the seating in this row; returns the pitcher (NOBODY: thrown in) and his bid."""
    log[PITCHER] = NOBODY
    return hold_auction(
        borrowed(bidders[row]), borrowed(notes[row]), house, dealt,
        int64(0), int64(0), int64(NOBODY), int64(0), luck, log,
    )  # fmt: skip


@inlined
def settle(
    scores, standing, house, ending, who, dealer, deals, counted, pitcher, bid, high, low, jack, most, tricks,
    tally, totals,
):  # fmt: skip
    """Score a deal, the last of so many; returns how many of them count, and who has won (0: the game goes on).

    `who` are the contestants at the table in speaking order.
    """
    players, sides = house.players, sides_of(house)
    thrown_in = pitcher == NOBODY
    pitchers_side = int64(NOBODY)
    made = False
    if not thrown_in:
        pitchers_side = side_of(pitcher, house.partners)
        won = points_won(high, low, jack, most, pitchers_side)
        made = won >= bid
        contestant = who[pitcher]
        tally[contestant, PITCHES] += 1
        tally[contestant, POINTS] += won
        tally[contestant, MADE] += int64(made)
        write_down(scores, standing, house, dealer, pitchers_side, bid, high, low, jack, most, tricks)
    counted += int64(not (thrown_in and ending.same_again != 0))
    winners = int64(0)
    if ending.end_after != 0:
        if counted == ending.end_after:
            winners = leaders(scores, sides)
    else:
        winner = game_winner(standing, sides, pitchers_side, made, high, low, jack, most, ending.target, ending.winning)
        if winner != NOBODY and not thrown_in:
            winners = int64(1) << side_of(person_at(winner, dealer, players), house.partners)
    if winners == 0 and deals == ending.most_deals:
        winners = leaders(scores, sides)
        totals[STOPPED] += 1
    return counted, winners


@inlined
def share_out(sums, scores, winners, persons, house):
    """What a finished game means to every contestant: his score, that minus the others', his share of the win."""
    total = int64(0)
    for person in range(house.players):
        total += scores[side_of(person, house.partners)]
    share = WHOLE_GAME // popcount(winners)
    for person in range(house.players):
        contestant = persons[person]
        side = side_of(person, house.partners)
        sums[contestant, CHANGE] += scores[side]
        sums[contestant, DIFFERENCE] += house.players * scores[side] - total
        sums[contestant, WINS] += ((winners >> side) & 1) * share


@inlined
def add_up(sums, tally, products):
    """All seatings of one game are one observation: add it with its squares and products, and begin anew."""
    for row in range(len(sums)):
        tally[row, CHANGE] += sums[row, CHANGE]
        tally[row, CHANGE_SQUARED] += sums[row, CHANGE] * sums[row, CHANGE]
        tally[row, DIFFERENCE] += sums[row, DIFFERENCE]
        tally[row, WINS] += sums[row, WINS]
        tally[row, WINS_SQUARED] += sums[row, WINS] * sums[row, WINS]
        for other in range(len(sums)):
            products[row, other] += sums[row, DIFFERENCE] * sums[other, DIFFERENCE]
    for row in range(len(sums)):
        for column in range(COLUMNS):
            sums[row, column] = 0


@kernel(
    types.void(
        TABLE, TABLE, TABLE, TABLE, int64, HOUSE, ENDING, NUMBERS, uint64, uint64, int64, int64,
        TABLE, TABLE, TABLE, NUMBERS, NUMBERS, TABLE, TABLE, NUMBERS,
    )
)  # fmt: skip
def play_games(
    lines, bidders, notes, who, orders, house, ending, deck, key, luck_key, first, count,
    tally, products, sums, totals, at, sheet, desk, log,
):  # fmt: skip
    """Games `first` .. `first` + `count` - 1, each in every seating; adds to tally, products and totals.

    `lines`, `bidders`, `notes` and `who` (contestants) have one row for every order round the table, seating in it and
    dealer, in speaking order; the games take the orders in turn. `at` tells the row of the deal at hand. The last
    seat deals first.
    """
    room_words, room, dealt, hands, piles = laid_out(desk)
    log = borrowed(log)
    scores = borrowed(sheet[SCORES])
    standing = borrowed(sheet[STANDING])
    players = house.players
    seatings = len(who) // players // orders
    for game in range(first, first + count):
        for seating in range(game % orders * seatings, game % orders * seatings + seatings):
            for side in range(sides_of(house)):
                scores[side] = 0
            dealer = int64(players - 1)
            deals = int64(0)
            counted = int64(0)
            winners = int64(0)
            while winners == 0:
                row = seating * players + dealer
                number = game * ending.most_deals + deals
                at[0] = row
                deal_out(deck, room_words, room, dealt, players, key, number, log)
                luck = luck_of(luck_key, number)
                pitcher, bid = call_at(bidders, notes, house, dealt, row, luck, log)
                high = low = jack = most = int64(NOBODY)
                tricks = int64(0)
                if pitcher != NOBODY:
                    high, low, jack, most, _, tricks = play_deal(
                        borrowed(lines[row]), house, dealt, hands, piles, pitcher, bid, int64(POLICY_PITCHES), luck, log
                    )
                deals += 1
                counted, winners = settle(
                    scores, standing, house, ending, borrowed(who[row]), dealer, deals, counted, pitcher, bid,
                    high, low, jack, most, tricks, tally, totals,
                )  # fmt: skip
                dealer = int64(next_dealer(dealer, players, pitcher == NOBODY, ending.same_again != 0))
            totals[DEALS] += deals
            share_out(sums, scores, winners, borrowed(who[seating * players + players - 1]), house)
        add_up(sums, tally, products)


@kernel(
    types.int64(
        TABLE, TABLE, TABLE, TABLE, int64, int64, HOUSE, ENDING, NUMBERS, CUBE, uint64, uint64, int64, int64,
        TABLE, DESKS, LUCKS, TABLE, NUMBERS, NUMBERS, TABLE, NUMBERS,
    )
)  # fmt: skip
def lay_round(
    lines, bidders, notes, who, all_bid_alike, orders, house, ending, deck, played_by, key, luck_key, first, games,
    places, desks, lucks, contracts, pitched, at, desk, log,
):  # fmt: skip
    """Deal, call and pitch the next deal of every game that goes on, and lay it ready for 64 lanes.

    `places` and `contracts` (its desk, the pitcher or NOBODY, the bid) have one row a game and seating; `played_by` one
    a row of `lines`. Returns how many deals lie ready.
    All seatings of a game have dealt equally often, so they get the same cards; the same bidders call the same, and a
    contestant who is the pitcher again pitches the same (`pitched`).
    """
    room_words, room, dealt, _hands, _piles = laid_out(desk)
    log = borrowed(log)
    players = house.players
    seatings = len(lines) // players // orders
    ready = int64(0)
    pitcher, bid = int64(NOBODY), int64(0)
    for game in range(first, first + games):
        number = luck = int64(NOT_YET)
        for seating in range(seatings):
            place = (game - first) * seatings + seating
            if places[place, WINNERS] != 0:
                continue
            row = (game % orders * seatings + seating) * players + places[place, DEALER]
            at[0] = row
            is_new = number == NOT_YET
            if is_new:
                number = game * ending.most_deals + places[place, DEALS_PLAYED]
                luck = luck_of(luck_key, number)
                deal_out(deck, room_words, room, dealt, players, key, number, log)
                for contestant in range(players):
                    pitched[contestant] = NOT_YET
            if is_new or all_bid_alike == 0:
                pitcher, bid = call_at(bidders, notes, house, dealt, row, luck, log)
            contracts[place, CONTRACT_PITCHER] = pitcher
            contracts[place, CONTRACT_BID] = bid
            if pitcher != NOBODY:
                log[PITCHER] = pitcher
                log[BID] = bid
                contestant = who[row, pitcher]
                if pitched[contestant] == NOT_YET or all_bid_alike == 0:
                    pitched[contestant] = pitch(borrowed(lines[row]), house, dealt, pitcher, bid, luck, log)
                contracts[place, CONTRACT_DESK] = ready
                lay_ready(
                    desks, lucks, borrowed(played_by[row]), ready, house, dealt, pitcher, pitched[contestant], luck
                )
                ready += 1
    return ready


@kernel(types.int64(TABLE, int64, HOUSE, ENDING, int64, int64, TABLE, DESKS, TABLE, NUMBERS, TABLE, NUMBERS))
def settle_round(who, orders, house, ending, first, games, places, desks, contracts, standing, tally, totals):
    """Score the deals on the desks; returns how many games (each seating counted) go on."""
    standing = borrowed(standing)
    players = house.players
    seatings = len(who) // players // orders
    going_on = int64(0)
    for game in range(first, first + games):
        for seating in range(seatings):
            place = (game - first) * seatings + seating
            scores = borrowed(places[place])
            if scores[WINNERS] != 0:
                continue
            dealer = scores[DEALER]
            row = (game % orders * seatings + seating) * players + dealer
            pitcher, bid = contracts[place, CONTRACT_PITCHER], contracts[place, CONTRACT_BID]
            high = low = jack = most = int64(NOBODY)
            tricks = int64(0)
            if pitcher != NOBODY:
                high, low, jack, most, _, tricks = points_on(desks, contracts[place, CONTRACT_DESK], house, pitcher)
            scores[DEALS_PLAYED] += 1
            counted, winners = settle(
                scores, standing, house, ending, borrowed(who[row]), dealer, scores[DEALS_PLAYED], scores[COUNTED],
                pitcher, bid, high, low, jack, most, tricks, tally, totals,
            )  # fmt: skip
            scores[COUNTED], scores[WINNERS] = counted, winners
            scores[DEALER] = next_dealer(dealer, players, pitcher == NOBODY, ending.same_again != 0)
            going_on += int64(winners == 0)
    return going_on


@kernel(types.void(TABLE, int64, HOUSE, int64, int64, TABLE, TABLE, TABLE, TABLE, NUMBERS))
def share_games(who, orders, house, first, games, places, tally, products, sums, totals):
    """Add up games that are over."""
    players = house.players
    seatings = len(who) // players // orders
    for game in range(first, first + games):
        for seating in range(seatings):
            scores = borrowed(places[(game - first) * seatings + seating])
            row = (game % orders * seatings + seating) * players + players - 1
            totals[DEALS] += scores[DEALS_PLAYED]
            share_out(sums, scores, scores[WINNERS], borrowed(who[row]), house)
        add_up(sums, tally, products)
