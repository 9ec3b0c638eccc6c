"""Deals that lie on the desks of 64 lanes, written down as records and judged by the readable rules.

It needs plain rooms only, so that other processes begin at once.
"""

from pitchsim import desk
from pitchsim.cards import Card
from pitchsim.records import make_record, score
from pitchsim.rules import Rules, ends_auction

HAND_SIZE, TRUMP_SUIT = 6, 3
CARDS = [Card(number % 16, number // 16) if number % 16 < 13 else None for number in range(64)]
TURNED_SUITS = {2: 0, 4: 1, 8: 2, 15: TRUMP_SUIT}
"""The suits, as if trumps were the last, by the upper four bits of a code."""


def card_played(code, trump):
    """The card that a code means when this suit is trump."""
    return CARDS[(TURNED_SUITS[code >> 4] - TRUMP_SUIT + trump) % 4 * 16 + (code & 15)]


def record_on(rules, rows, pitcher, bid):
    """The deal of one lane (`rows` of its desk), seats in speaking order; all but the pitcher pass, where they may."""
    players = rules.players
    hands = [[] for _ in range(players)]
    for place in range(players):
        first = desk.DEALT + HAND_SIZE * place
        hands[(pitcher + place) % players] = [CARDS[number] for number in rows[first : first + HAND_SIZE]]
    owner = {card: seat for seat, hand in enumerate(hands) for card in hand}
    trump = rows[desk.FIRST_CARD] // 16
    played = [card_played(code, trump) for code in rows[desk.PLAYS : desk.PLAYS + HAND_SIZE * players]]
    speakers = range(pitcher + 1) if ends_auction(bid, rules) else range(players)
    calls = [bid if seat == pitcher else 0 for seat in speakers]
    if bid == 1 and pitcher == players - 1:
        calls[0] = 1  # A dealer who is stuck must bid more: he has stolen it.
    return make_record(rules, players - 1, hands, calls, [(owner[card], card) for card in played])


def points_on(rules, rows, pitcher):
    """What lies on the desk: the sides of High, Low, Jack and Game, all trick points, whether the pitcher took all."""
    sides = [rows[row] for row in (desk.HIGH, desk.LOW, desk.JACK, desk.GAME)]
    named = [None if side == desk.NOBODY else (side + pitcher) % rules.players % rules.sides for side in sides]
    return [*named, rows[desk.TRICK_POINTS], rows[desk.SWEPT] != 0]


def judged(rules, answer):
    """The same, from the referee's answer."""
    seats = (answer["high_seat"], answer["low_seat"], answer["jack_seat"])
    sides = [None if seat is None else seat % rules.sides for seat in seats]
    mine = {seat % rules.sides for seat in answer["trick_winners"]} == {answer["pitcher"] % rules.sides}
    return [*sides, answer["game_side"], sum(answer["trick_points_by_seat"]), mine]


def judge(wanted, deals):
    """Judge deals (rows of the desk, pitcher, bid).

    Answers what is wrong, a line each, and what all add up to: score changes by seat, points and bids made by bid.
    """
    rules = Rules.from_dict(wanted)
    wrong, changes, points, made = [], [0] * rules.players, [0] * 5, [0] * 5
    for rows, pitcher, bid in deals:
        record = record_on(rules, rows, pitcher, bid)
        answer = score(record)
        if (answer.get("pitcher"), answer.get("bid"), answer.get("finished", True)) != (pitcher, bid, True):
            wrong.append(f"{answer} in {record}")
            continue
        if judged(rules, answer) != points_on(rules, rows, pitcher):
            wrong.append(f"{judged(rules, answer)} is {points_on(rules, rows, pitcher)} on the desk: {record}")
        points[bid] += answer["points_won"][pitcher % rules.sides]
        made[bid] += answer["made"]
        for seat in range(rules.players):
            changes[seat] += answer["delta"][seat % rules.sides]
    return wrong, changes, points, made
