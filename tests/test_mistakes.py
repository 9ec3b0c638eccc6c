"""Mistakes that other programs make at the card table, each as a test that the referee does not make it."""

import copy
import random

import pytest
from random_deals import random_record, random_rules

from pitchsim.cards import SUITS
from pitchsim.records import score
from pitchsim.rules import Game, Rules, deal_hands, full_deck


def two_handed(pitcher_hand, other_hand, plays, bid=2, **rules):
    """Record a deal of two: seat 1 bids and is the pitcher, seat 0 deals and passes; cards as text."""
    seats = {0: other_hand.split(), 1: pitcher_hand.split()}
    return {
        "rules": {"players": 2, **rules},
        "dealer": 0,
        "hands": [seats[0], seats[1]],
        "auction": [{"seat": 1, "bid": bid}, {"seat": 0, "bid": 0}],
        "plays": [[next(s for s in seats if card in seats[s]), card] for card in plays.split()],
    }


def auction_of(*bids, **rules):
    """Record an auction of four; the dealer is seat 3."""
    hands = [[str(card) for card in hand] for hand in deal_hands(full_deck(), 4)]
    calls = [{"seat": seat, "bid": bid} for seat, bid in enumerate(bids)]
    return {"rules": rules, "dealer": 3, "hands": hands, "auction": calls}


def rule_broken(record):
    return score(record).get("violation", {}).get("rule")


# Ace and king of spades to the pitcher, king and ace of clubs to the dealer: seven trick points each.
TIED = two_handed("AS 2S 3D 4D 5D 6D", "KS 3S KC AC 7C 8C", "AS KS 2S 3S KC 3D AC 4D 7C 5D 8C 6D")
# The pitcher of spades has no jack to win; the dealer takes the deuce, which was dealt to the pitcher.
NO_JACK = two_handed("AS 2S 3H 4H 5H 6H", "KS 3S TC 7C 8C 9C", "AS 3S 2S KS TC 3H 7C 4H 8C 5H 9C 6H")


def test_a_tied_game_is_not_given_to_the_first_in_the_list():
    answer = score(TIED)
    assert answer["trick_points_by_seat"] == [7, 7]
    assert answer["game_side"] is None
    assert answer["points_won"] == [1, 1]
    rng = random.Random(11)
    for _ in range(200):
        answer = score(random_record(rng, Rules(players=rng.randint(2, 7))))
        points = answer["trick_points_by_seat"]
        most = [seat for seat, won in enumerate(points) if won == max(points)]
        assert answer["game_side"] == (most[0] if len(most) == 1 else None)


def test_low_goes_to_who_took_it_and_to_the_holder_only_where_the_house_says_so():
    assert score(NO_JACK)["low_seat"] == 0
    holder = copy.deepcopy(NO_JACK)
    holder["rules"]["low_goes_to"] = "holder"
    assert score(holder)["low_seat"] == 1
    assert score(holder)["points_won"] == [1, 2]
    assert score(NO_JACK)["points_won"] == [2, 1]


def test_no_jack_out_is_neither_a_crash_nor_a_stray_key():
    answer = score(NO_JACK)
    assert answer["jack_seat"] is None
    assert sum(answer["points_won"]) == 3
    assert set(answer) == set(score(TIED)) == set(score(random_record(random.Random(1), Rules())))


def test_a_player_who_took_no_trick_is_in_the_score():
    hands = [[str(card) for card in full_deck()[13 * suit + 7 : 13 * suit + 13]] for suit in range(3)]
    plays = [[seat, hands[seat][5 - trick]] for trick in range(6) for seat in range(3)]
    calls = [{"seat": 0, "bid": 4}]
    answer = score({"rules": {"players": 3}, "dealer": 2, "hands": hands, "auction": calls, "plays": plays})
    assert answer["trick_winners"] == [0] * 6
    assert answer["trick_points_by_seat"] == [60, 0, 0]
    assert answer["delta"] == [4, 0, 0]


def test_bids_of_the_last_deal_do_not_leak_into_the_next():
    game = Game(Rules(players=2))
    hands = deal_hands(full_deck(), 2)
    first = game.deal(hands)
    first.call(1, 4)
    while first.to_play is not None:
        first.play(first.to_play, first.legal_cards()[0])
    game.add(first.outcome())
    second = game.deal(hands)
    assert second.legal_calls() == (0, 1, 2, 3, 4)
    assert second.pitcher is second.trump is None
    assert second.piles == [[], []]


@pytest.mark.parametrize("stuck", ["must_bid", "throw_in_next", "throw_in_same"])
def test_everybody_passed_is_read_from_the_highest_bid_and_not_from_the_last_speaker(stuck):
    answer = score(auction_of(0, 2, 0, 0, stuck_dealer=stuck))
    assert (answer["pitcher"], answer["bid"]) == (1, 2)


def test_a_stuck_dealer_may_not_pass():
    assert rule_broken(auction_of(0, 0, 0, 0)) == "R7"
    assert score(auction_of(0, 0, 0, 0, stuck_dealer="throw_in_next"))["thrown_in"] is True


@pytest.mark.parametrize("bid", [1, 2, 3])
def test_the_dealer_may_match_and_nobody_else(bid):
    assert score(auction_of(0, bid, 0, bid))["pitcher"] == 3
    assert rule_broken(auction_of(0, bid, bid)) == "R4"


def test_a_four_is_not_stolen():
    assert rule_broken(auction_of(0, 0, 4, 4)) == "R5"
    assert score(auction_of(0, 0, 4))["pitcher"] == 2
    assert score(auction_of(0, 0, 4, 4, dealer_may_steal="any"))["pitcher"] == 3


def test_a_bid_of_one_is_not_refused():
    assert score(auction_of(1, 0, 0, 0))["pitcher"] == 0
    assert rule_broken(auction_of(1, lowest_bid=2)) == "R4"


def test_trumping_while_able_to_follow_is_not_refused():
    record = two_handed("9S 2S TH 3H 4D 5D", "KS 3S 4H TD 6C AC", "2S 3S 4H 9S")
    assert score(record)["trick_winners"] == [0, 1]


def test_a_trump_lead_is_not_answered_off_suit():
    assert rule_broken(two_handed("2S TH 3H 4D 5D 6D", "KS 3S 4H TD 6C AC", "2S TD")) == "R9"


def test_an_off_suit_card_does_not_win_the_trick():
    record = two_handed("2S TH 3H 4D 5D 6D", "3S KS 7C TD 6C AC", "2S 3S 7C 4D")
    assert score(record)["trick_winners"] == [0, 0]
    record = two_handed("AS TH 3H 4D 5D 6D", "3S KS 7C TD 6C AC", "AS 3S 3H AC")
    assert score(record)["trick_winners"] == [1, 1]


def test_the_last_trick_is_credited_to_its_winner():
    record = two_handed("AS 2H 3H 4H 5H 6H", "2S TC 7H 8H 9H TH", "AS 2S 2H 7H 8H 3H 9H 4H TH 5H TC 6H")
    answer = score(record)
    assert answer["trick_winners"] == [1, 0, 0, 0, 0, 0]
    assert answer["trick_points_by_seat"] == [20, 4]


def test_a_set_pitcher_loses_his_bid_and_his_points_and_nobody_else_pays():
    answer = score(NO_JACK | {"auction": [{"seat": 1, "bid": 3}, {"seat": 0, "bid": 0}]})
    assert answer["made"] is False
    assert answer["points_won"] == [2, 1]
    assert answer["delta"] == [2, -3]


def test_the_high_score_does_not_beat_the_pitcher_who_goes_out_at_13_11_11():
    rng = random.Random(12)
    rules = Rules(players=3, target=11)
    seen = 0
    while seen < 5:
        record = random_record(rng, rules) | {"scores_before": [12, 9, 10]}
        answer = score(record)
        if answer["pitcher"] == 1 and answer["scores_after"][1] >= 11 and answer["scores_after"][0] > 11:
            seen += 1
            assert answer["game_winner"] == 1


def test_a_game_is_not_over_because_somebody_else_is_past_the_target():
    answer = score(TIED | {"scores_before": [20, 0]})
    assert answer["scores_after"] == [21, -2]
    assert answer["game_winner"] is None


def test_the_dealer_rotates():
    game = Game(Rules(players=3, target=100), dealer=1)
    dealers = []
    for _ in range(4):
        dealers.append(game.dealer)
        deal = game.deal(deal_hands(full_deck(), 3))
        while deal.to_speak is not None:
            deal.call(deal.to_speak, deal.legal_calls()[-1])
        while deal.to_play is not None:
            deal.play(deal.to_play, deal.legal_cards()[0])
        game.add(deal.outcome())
    assert dealers == [1, 2, 0, 1]


def rotated(record, by):
    """Move everybody some seats on, teams included."""
    players = record["rules"]["players"]

    def by_seat(values):
        return [values[(seat - by) % len(values)] for seat in range(len(values))]

    return record | {
        "dealer": (record["dealer"] + by) % players,
        "hands": by_seat(record["hands"]),
        "scores_before": by_seat(record["scores_before"]),
        "auction": [call | {"seat": (call["seat"] + by) % players} for call in record["auction"]],
        "plays": [[(seat + by) % players, card] for seat, card in record["plays"]],
    }


def test_a_player_is_not_taken_for_a_seat_when_the_seats_rotate():
    rng = random.Random(13)
    for _ in range(60):
        record = random_record(rng, random_rules(rng))
        by = rng.randrange(1, record["rules"]["players"])
        before, after = score(record), score(rotated(record, by))
        for key in ("delta", "points_won", "scores_after", "trick_points_by_seat"):
            if key in before:
                seats = len(before[key])
                assert after[key] == [before[key][(seat - by) % seats] for seat in range(seats)]
        for key in ("made", "bid", "trump"):
            assert after.get(key) == before.get(key)


def test_the_names_of_the_suits_do_not_matter():
    rng = random.Random(14)
    for _ in range(60):
        record = random_record(rng, random_rules(rng))
        renamed = str.maketrans(SUITS, "".join(rng.sample(SUITS, 4)))

        def rename(card, renamed=renamed):
            return card[0] + card[1].translate(renamed)

        other = record | {
            "hands": [[rename(card) for card in hand] for hand in record["hands"]],
            "auction": [
                call | ({"pitched": rename(call["pitched"])} if "pitched" in call else {}) for call in record["auction"]
            ],
            "plays": [[seat, rename(card)] for seat, card in record["plays"]],
        }
        assert score(other) | {"trump": None} == score(record) | {"trump": None}


def test_with_the_same_cards_a_higher_bid_never_scores_the_pitcher_more():
    rng = random.Random(15)
    for _ in range(60):
        record = random_record(rng, Rules(players=rng.randint(2, 7)))
        pitcher = score(record)["pitcher"]
        order = [(record["dealer"] + 1 + place) % len(record["hands"]) for place in range(len(record["hands"]))]
        changes = []
        for bid in (2, 3, 4):
            calls = [{"seat": seat, "bid": bid if seat == pitcher else 0} for seat in order]
            calls = calls[: order.index(pitcher) + 1] if bid == 4 else calls
            changes.append(score(record | {"auction": calls})["delta"][pitcher])
        assert changes == sorted(changes, reverse=True)
