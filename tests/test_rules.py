"""The rulebook, rule by rule: test_r9_* holds R9; then house rules, their spellings, a deal and a game."""

import doctest
import itertools
import re
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pitchsim.cards
import pitchsim.records
import pitchsim.rules as book
from pitchsim.cards import SUITS, Card, parse_card, parse_hand
from pitchsim.errors import InputError
from pitchsim.rules import (
    OPTION_FIELDS,
    OPTION_VALUES,
    TRICK_POINTS,
    Deal,
    Game,
    Outcome,
    Rules,
    Violation,
    check_call,
    deal_hands,
    describe,
    ends_auction,
    full_deck,
    game_point,
    game_winner,
    high_low_jack,
    house_rules,
    legal_calls,
    legal_cards,
    may_sit_down,
    may_steal,
    next_dealer,
    points_won,
    position_of,
    rules_from_options,
    score_change,
    seat_at,
    settle,
    side_of,
    stuck_calls,
    trick_points,
    trick_winner,
    trump_of,
)

S, H, D, C = range(4)
DEALER = 3  # his position at a table of four


def cards(text):
    return parse_hand(text)


def broken_by(step, *arguments, **named):
    """Name the rule that a step breaks."""
    with pytest.raises(Violation) as broken:
        step(*arguments, **named)
    return broken.value.rule


def test_every_rule_has_one_function_whose_docstring_begins_with_its_number():
    written = [
        match[1]
        for thing in vars(book).values()
        if callable(thing) and (match := re.match(r"(R\d+): ", thing.__doc__ or ""))
    ]
    assert sorted(written, key=lambda rule: int(rule[1:])) == [f"R{number}" for number in range(1, 18)]


# R1 to R3


def test_r1_two_to_seven_can_play():
    assert [players for players in range(-1, 12) if may_sit_down(players)] == [2, 3, 4, 5, 6, 7]


def test_r1_only_four_can_play_as_partners():
    assert [players for players in range(-1, 12) if may_sit_down(players, partners=True)] == [4]


@pytest.mark.parametrize("players", [-1, 0, 1, 8, 10**50])
def test_r1_other_numbers_of_players_are_refused(players):
    assert broken_by(Rules, players=players) == "R1"


@pytest.mark.parametrize("players", [2, 3, 5, 6, 7])
def test_r1_partners_with_another_number_are_refused(players):
    assert broken_by(Rules, players=players, partners=True) == "R1"


def test_r1_a_deal_needs_a_hand_for_everybody_and_a_dealer_at_the_table():
    hands = deal_hands(full_deck(), 4)
    assert broken_by(Deal, Rules(), 0, hands[:3]) == "R1"
    assert broken_by(Deal, Rules(players=3), 0, hands) == "R1"
    assert broken_by(Deal, Rules(), 4, hands) == "R1"
    assert broken_by(Deal, Rules(), -1, hands) == "R1"


def test_r2_the_deck_has_52_different_cards_thirteen_of_each_suit():
    deck = full_deck()
    assert len(deck) == len(set(deck)) == 52
    assert all(sum(card.suit == suit for card in deck) == 13 for suit in range(4))
    assert max(card.rank for card in deck) == parse_card("AS").rank
    assert min(card.rank for card in deck) == parse_card("2S").rank


def test_r2_a_card_dealt_twice_is_refused():
    hands = [*deal_hands(full_deck(), 4)[:3], full_deck()[:6]]
    assert broken_by(Deal, Rules(), 0, hands) == "R2"


@pytest.mark.parametrize("players", range(2, 8))
def test_r3_everybody_gets_six_different_cards_and_the_rest_is_out_of_play(players):
    hands = deal_hands(full_deck(), players)
    assert [len(hand) for hand in hands] == [6] * players
    assert {card for hand in hands for card in hand} == set(full_deck()[: 6 * players])


def test_r3_two_packets_of_three_beginning_at_the_dealers_left():
    first, _, last = deal_hands(full_deck(), 3)
    deck = full_deck()
    assert first == deck[0:3] + deck[9:12]
    assert last == deck[6:9] + deck[15:18]


def test_r3_a_hand_of_five_or_seven_is_refused():
    first, second = deal_hands(full_deck(), 2)
    assert broken_by(Deal, Rules(players=2), 0, [first[:5], second]) == "R3"
    assert broken_by(Deal, Rules(players=2), 0, [first, (*second, full_deck()[-1])]) == "R3"


# R4 to R8


def test_r4_the_first_may_pass_or_bid_anything():
    assert legal_calls(Rules(), 0, 0) == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(("highest", "calls"), [(1, (0, 2, 3, 4)), (2, (0, 3, 4)), (3, (0, 4))])
def test_r4_a_bid_must_be_higher_than_every_bid_before(highest, calls):
    for position in range(DEALER):
        assert legal_calls(Rules(), position, highest) == calls


def test_r4_the_auction_begins_at_the_dealers_left_and_goes_clockwise():
    assert [seat_at(position, dealer=1, players=4) for position in range(4)] == [2, 3, 0, 1]
    for players in range(2, 8):
        for dealer in range(players):
            seats = [seat_at(position, dealer, players) for position in range(players)]
            assert seats[-1] == dealer
            assert [position_of(seat, dealer, players) for seat in seats] == list(range(players))


def test_r4_everybody_speaks_exactly_once_in_turn():
    deal = Deal(Rules(), 1, deal_hands(full_deck(), 4))
    assert broken_by(deal.call, 0, 1) == "R4"
    for seat in (2, 3, 0):
        deal.call(seat, 0)
        assert broken_by(deal.call, seat, 0) == "R4"
    deal.call(1, 2)
    assert broken_by(deal.call, 2, 3) == "R4"
    assert broken_by(deal.call, 1, 3) == "R4"


@pytest.mark.parametrize("bid", [-1, 5, 10**50])
def test_r4_a_bid_is_one_to_four(bid):
    for position, highest in itertools.product(range(4), range(4)):
        assert broken_by(check_call, Rules(), position, highest, bid) == "R4"


def test_r4_lowest_bid_two_refuses_a_one():
    rules = Rules(lowest_bid=2)
    assert legal_calls(rules, 0, 0) == (0, 2, 3, 4)
    assert broken_by(check_call, rules, 0, 0, 1) == "R4"
    assert broken_by(Rules, lowest_bid=3) == "R4"
    assert broken_by(Rules, lowest_bid=0) == "R4"


def test_r5_a_four_ends_the_auction():
    assert [bid for bid in range(5) if ends_auction(bid, Rules())] == [4]
    assert legal_calls(Rules(), 2, 4) == ()
    deal = Deal(Rules(), 3, deal_hands(full_deck(), 4))
    deal.call(0, 4)
    assert deal.pitcher == 0
    for bid in (0, 4):
        assert broken_by(deal.call, 1, bid) == "R5"
        assert broken_by(check_call, Rules(), 1, 4, bid) == "R5"


def test_r5_a_pitched_card_is_the_first_lead():
    hands = deal_hands(full_deck(), 4)
    deal = Deal(Rules(), 3, hands)
    deal.call(0, 4, pitched=hands[0][2])
    assert deal.legal_cards() == (hands[0][2],)
    assert broken_by(deal.play, 0, hands[0][0]) == "R5"
    deal.play(0, hands[0][2])
    assert deal.trump == hands[0][2].suit


def test_r5_only_a_four_is_pitched_and_only_a_card_that_one_holds():
    hands = deal_hands(full_deck(), 4)
    deal = Deal(Rules(), 3, hands)
    assert broken_by(deal.call, 0, 3, pitched=hands[0][0]) == "R5"
    assert broken_by(deal.call, 0, 4, pitched=hands[1][0]) == "R5"
    assert deal.calls == []


@pytest.mark.parametrize("highest", [1, 2, 3])
def test_r6_the_dealer_may_bid_the_same(highest):
    assert legal_calls(Rules(), DEALER, highest) == (0, *range(highest, 5))
    check_call(Rules(), DEALER, highest, highest)


def test_r6_a_four_cannot_be_stolen_and_nothing_is_no_bid():
    assert [bid for bid in range(5) if may_steal(bid, Rules())] == [1, 2, 3]


def test_r6_the_dealer_takes_the_bid_from_his_partner_too():
    deal = Deal(Rules(partners=True), 3, deal_hands(full_deck(), 4))
    for seat, bid in ((0, 0), (1, 3), (2, 0), (3, 3)):
        deal.call(seat, bid)
    assert deal.pitcher == 3


@pytest.mark.parametrize(("steal", "bids"), [(False, []), ("any", [1, 2, 3, 4]), ("only_4", [4])])
def test_r6_house_rules_of_stealing(steal, bids):
    rules = Rules(dealer_may_steal=steal)
    assert [bid for bid in range(5) if may_steal(bid, rules)] == bids
    for bid in set(range(1, 4)) - set(bids):
        assert broken_by(check_call, rules, DEALER, bid, bid) == "R6"


@pytest.mark.parametrize("steal", ["any", "only_4"])
def test_r6_where_a_four_can_be_stolen_those_between_pass_and_the_dealer_passes_or_bids_four(steal):
    rules = Rules(dealer_may_steal=steal)
    assert not ends_auction(4, rules)
    assert legal_calls(rules, 1, 4) == (0,)
    assert legal_calls(rules, DEALER, 4) == (0, 4)
    assert broken_by(check_call, rules, 1, 4, 4) == "R4"
    assert broken_by(check_call, rules, DEALER, 4, 3) == "R4"


def test_r6_a_pitched_four_that_is_stolen_goes_back_to_the_hand():
    hands = deal_hands(full_deck(), 4)
    deal = Deal(Rules(dealer_may_steal="any"), 3, hands)
    deal.call(0, 4, pitched=hands[0][0])
    deal.call(1, 0)
    deal.call(2, 0)
    deal.call(3, 4)
    assert deal.pitcher == 3
    assert deal.legal_cards() == hands[3]
    assert deal.held[0] == list(hands[0])


def test_r7_a_stuck_dealer_must_bid_at_least_two():
    assert stuck_calls(Rules()) == legal_calls(Rules(), DEALER, 0) == (2, 3, 4)
    for bid in (0, 1):
        assert broken_by(check_call, Rules(), DEALER, 0, bid) == "R7"
        assert broken_by(check_call, Rules(lowest_bid=2), DEALER, 0, bid) == "R7"


@pytest.mark.parametrize("stuck", ["throw_in_next", "throw_in_same"])
def test_r7_a_dealer_who_may_throw_in_passes_or_bids_at_least_two(stuck):
    rules = Rules(stuck_dealer=stuck)
    assert legal_calls(rules, DEALER, 0) == (0, 2, 3, 4)
    assert broken_by(check_call, rules, DEALER, 0, 1) == "R7"


def test_r7_nothing_is_played_and_nobody_scores_after_a_throw_in():
    hands = deal_hands(full_deck(), 3)
    deal = Deal(Rules(players=3, stuck_dealer="throw_in_next"), 0, hands)
    for seat in (1, 2, 0):
        deal.call(seat, 0)
    assert deal.thrown_in
    assert deal.over
    assert deal.outcome().delta == (0, 0, 0)
    assert broken_by(deal.play, 1, hands[1][0]) == "R7"


def test_r8_the_suit_of_the_first_card_led_is_trump():
    assert [trump_of(card) for card in cards("2S AH TD JC")] == [S, H, D, C]


def test_r8_the_pitcher_leads_first_and_only_when_the_auction_is_over():
    hands = deal_hands(full_deck(), 2)
    deal = Deal(Rules(players=2), 0, hands)
    assert broken_by(deal.play, 1, hands[1][0]) == "R8"
    deal.call(1, 2)
    assert broken_by(deal.play, 1, hands[1][0]) == "R8"
    deal.call(0, 3)
    assert broken_by(deal.play, 1, hands[1][0]) == "R8"
    deal.play(0, hands[0][0])


def test_r8_six_tricks_and_no_more():
    hands = deal_hands(full_deck(), 2)
    deal = Deal(Rules(players=2), 0, hands)
    deal.call(1, 3)
    deal.call(0, 0)
    while deal.to_play is not None:
        deal.play(deal.to_play, deal.legal_cards()[0])
    assert len(deal.trick_winners) == 6
    assert broken_by(deal.play, 1, hands[1][0]) == "R8"


# R9 and R10

HAND = cards("AS 4S KH 9H TD 2D")


@pytest.mark.parametrize(
    ("hand", "led", "legal"),
    [
        (HAND, H, "AS 4S KH 9H"),  # follow hearts, or trump with a spade
        (HAND, D, "AS 4S TD 2D"),
        (HAND, C, "AS 4S KH 9H TD 2D"),  # void: anything
        (HAND, S, "AS 4S"),  # trumps led: a trump
        (HAND[2:], S, "KH 9H TD 2D"),  # trumps led, none held: anything
        (HAND[2:], H, "KH 9H"),  # no trump: follow
        (HAND, None, "AS 4S KH 9H TD 2D"),  # the leader: anything
    ],
)
def test_r9_follow_suit_or_play_a_trump(hand, led, legal):
    assert legal_cards(hand, led, S) == cards(legal)


@pytest.mark.parametrize(("led", "legal"), [(H, "KH 9H"), (C, "AS 4S KH 9H TD 2D"), (S, "AS 4S")])
def test_r9_strict_trump_only_when_void(led, legal):
    assert legal_cards(HAND, led, S, strict=True) == cards(legal)


@settings(deadline=None)
@given(st.sets(st.sampled_from(full_deck()), min_size=1, max_size=6), st.sampled_from([None, *range(4)]))
def test_r9_something_is_always_legal_and_strict_is_never_more(hand, led):
    hand = tuple(hand)
    for trump in range(4):
        legal = legal_cards(hand, led, trump)
        assert 0 < len(legal) <= len(hand)
        assert set(legal_cards(hand, led, trump, strict=True)) <= set(legal) <= set(hand)


def test_r9_a_deal_refuses_a_card_not_held_and_a_card_not_allowed():
    deal = Deal(Rules(players=2), 0, [cards("AH 2H 3S 4D 5D 6D"), cards("KH QH 7S 8C 9C TC")])
    deal.call(1, 2)
    deal.call(0, 0)
    deal.play(1, parse_card("7S"))
    assert broken_by(deal.play, 0, parse_card("AH")) == "R9"
    assert broken_by(deal.play, 0, parse_card("KH")) == "R9"
    deal.play(0, parse_card("3S"))
    deal.play(1, parse_card("KH"))
    with pytest.raises(Violation, match="seat 0 holds a heart and must follow or trump"):
        deal.play(0, parse_card("4D"))


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("9H KH 2H AH", 3),  # no trump: the highest of the suit led
        ("9H KD AC 2H", 0),  # other suits win nothing
        ("9H 2S AH AC", 1),  # a trump beats an ace
        ("9H 2S 3S AH", 2),  # a higher trump beats a trump
        ("2S AH KH AC", 0),
        ("TH 9H", 0),
    ],
)
def test_r10_the_highest_trump_wins_else_the_highest_of_the_suit_led(trick, winner):
    assert trick_winner(cards(trick), S) == winner


def test_r10_play_goes_clockwise_and_the_winner_leads():
    deal = Deal(
        Rules(players=3),
        0,
        [cards("AS 2H 3H 4H 5H 6H"), cards("KS 2D 3D 4D 5D 6D"), cards("QS 2C 3C 4C 5C 6C")],
    )
    for seat, bid in ((1, 2), (2, 0), (0, 0)):
        deal.call(seat, bid)
    deal.play(1, parse_card("KS"))
    assert broken_by(deal.play, 0, parse_card("AS")) == "R10"
    deal.play(2, parse_card("QS"))
    deal.play(0, parse_card("AS"))
    assert deal.trick_winners == [0]
    assert broken_by(deal.play, 1, parse_card("2D")) == "R10"
    deal.play(0, parse_card("2H"))


# R11 to R15

HANDS = [cards("AS 2S KH QH 3C 4C"), cards("JS 3S 4H 5H 6H 7H"), cards("TS 4S 5C 6C 7C 8C")]


def test_r11_high_low_and_jack_go_to_who_took_them():
    piles = [cards("AS JS"), cards("2S 3S"), cards("TS 4S")]
    assert high_low_jack(piles, HANDS, S, Rules(players=3)) == (0, 1, 0)


def test_r11_low_goes_to_the_holder_where_the_house_says_so():
    piles = [cards("AS JS"), cards("2S 3S"), cards("TS 4S")]
    assert high_low_jack(piles, HANDS, S, Rules(players=3, low_goes_to="holder")) == (0, 0, 0)


def test_r11_nobody_scores_a_jack_that_is_not_in_play():
    piles = [cards("KH QH"), cards("4H 5H 6H 7H"), ()]
    assert high_low_jack(piles, HANDS, H, Rules(players=3)) == (0, 1, None)


def test_r12_trick_points():
    assert dict(zip("23456789TJQKA", TRICK_POINTS, strict=True)) == dict.fromkeys("23456789", 0) | {
        "T": 10,
        "J": 1,
        "Q": 2,
        "K": 3,
        "A": 4,
    }
    assert trick_points(full_deck()) == 80


def test_r12_a_plurality_is_enough():
    assert game_point((10, 9, 9, 8), 1, Rules()) == 0


@pytest.mark.parametrize("tied", [(10, 10, 0, 0), (10, 10, 10, 0), (0, 0, 0, 0)])
def test_r12_a_tie_for_most_awards_the_point_to_nobody(tied):
    for pitcher in range(4):
        assert game_point(tied, pitcher, Rules()) is None


def test_r12_game_tie_goes_to_the_pitchers_opponent_when_just_the_two_are_tied():
    rules = Rules(game_tie="pitchers_opponents")
    assert game_point((10, 10, 0, 0), 0, rules) == 1
    assert game_point((10, 10, 0, 0), 1, rules) == 0
    assert game_point((10, 10, 0, 0), 2, rules) is None  # two opponents
    assert game_point((10, 10, 10, 0), 0, rules) is None  # two others
    assert game_point((12, 10, 10, 0), 1, rules) == 0
    assert game_point((18, 18), 1, Rules(partners=True, game_tie="pitchers_opponents")) == 0


@pytest.mark.parametrize(("jack", "points"), [(None, (2, 1, 0)), (0, (3, 1, 0))])
def test_r13_a_lone_trump_is_high_and_low_and_may_be_the_jack(jack, points):
    assert points_won(0, 0, jack, 1, 3) == points


def test_r13_a_lone_trump_counts_twice_in_a_whole_deal_and_the_jack_three_times():
    for lone, points in (("7S", (0, 2)), ("JS", (0, 3))):
        hands = [cards("2H 3H 4H 5H 6H 7H"), cards(f"{lone} 2D 3D 4D 5D 6D")]
        deal = Deal(Rules(players=2), 0, hands)
        deal.call(1, 2)
        deal.call(0, 0)
        deal.play(1, parse_card(lone))
        while deal.to_play is not None:
            deal.play(deal.to_play, deal.legal_cards()[0])
        outcome = deal.outcome()
        assert outcome.points_won[1] - (outcome.game_side == 1) == points[1]


def test_r14_the_pitcher_who_makes_his_bid_scores_all_that_he_won():
    assert score_change((1, 3, 0, 0), 1, 2, 3, Rules()) == (1, 3, 0, 0)
    assert score_change((1, 2, 0, 0), 1, 2, 3, Rules()) == (1, 2, 0, 0)


def test_r14_the_pitcher_who_is_set_scores_minus_his_bid_and_the_others_what_they_won():
    assert score_change((1, 2, 0, 1), 1, 3, 3, Rules()) == (1, -3, 0, 1)
    assert score_change((0, 3, 0, 1), 1, 4, 6, Rules()) == (0, -4, 0, 1)


def test_r14_smudge_scores_five_for_a_made_four_with_all_six_tricks():
    smudge = Rules(smudge=True)
    assert score_change((4, 0), 0, 4, 6, smudge) == (5, 0)
    assert score_change((4, 0), 0, 4, 6, Rules()) == (4, 0)
    assert score_change((4, 0), 0, 4, 5, smudge) == (4, 0)
    assert score_change((4, 0), 0, 3, 6, smudge) == (4, 0)
    assert score_change((3, 0), 0, 4, 6, smudge) == (-4, 0)  # no jack out: six tricks and set


def test_r14_smudge_counts_the_tricks_of_both_partners():
    hands = ["AS KS QS JS TS 2H", "3H 4H 5H 6H 7H 8H", "2S 2C 3C 4C 5C AH", "2D 3D 4D 5D 6D 7D"]
    deal = Deal(Rules(partners=True, smudge=True), 3, [cards(hand) for hand in hands])
    deal.call(0, 4)
    while deal.to_play is not None:
        deal.play(deal.to_play, deal.legal_cards()[0])
    assert deal.trick_winners == [0, 0, 0, 0, 0, 2]
    assert deal.outcome().delta == (5, 0)


def test_r15_partners_face_each_other_and_are_one_side():
    assert [side_of(seat, partners=True) for seat in range(4)] == [0, 1, 0, 1]
    assert [side_of(seat) for seat in range(7)] == list(range(7))
    assert (Rules(partners=True).sides, Rules(players=6).sides) == (2, 6)


def test_r15_partners_have_one_pile_and_one_score():
    # 10 + 4 against 10 + 3: neither partner of side 0 has the most alone, together they have Game.
    hands = [
        cards("AS 2H 3H 4H 5H 6H"),
        cards("KS TD 2D 3D 4D 5D"),
        cards("TS 2C 3C 4C 5C 6C"),
        cards("2S 7C 8C 9C 7H 8H"),
    ]
    deal = Deal(Rules(partners=True), 3, hands)
    for seat, bid in ((0, 2), (1, 0), (2, 0), (3, 0)):
        deal.call(seat, bid)
    deal.play(0, parse_card("AS"))
    while deal.to_play is not None:
        deal.play(deal.to_play, deal.legal_cards()[0])
    outcome = deal.outcome()
    assert len(outcome.points_won) == len(outcome.delta) == 2
    assert len(outcome.trick_points_by_seat) == 4
    assert outcome.points_won == (3, 0)  # High, Low, Game; no jack out
    assert outcome.game_side == 0


# R16 and R17


@pytest.mark.parametrize("players", range(2, 8))
def test_r16_the_deal_passes_to_the_left(players):
    rules = Rules(players=players)
    assert [next_dealer(dealer, rules) for dealer in range(players)] == [*range(1, players), 0]


def test_r16_after_a_throw_in_the_next_or_the_same_deals():
    assert next_dealer(3, Rules(stuck_dealer="throw_in_next"), thrown_in=True) == 0
    assert next_dealer(3, Rules(stuck_dealer="throw_in_same"), thrown_in=True) == 3
    assert next_dealer(3, Rules(stuck_dealer="throw_in_same")) == 0


NOBODY = (None, None, None, None)


def test_r17_the_pitcher_at_the_target_wins_and_nobody_else():
    assert game_winner((7, 0, 0, 0), 0, True, NOBODY, Rules()) == 0
    assert game_winner((6, 0, 0, 0), 0, True, NOBODY, Rules()) is None
    assert game_winner((7, 12, 0, 0), 0, True, NOBODY, Rules()) == 0  # fewer than the loser
    assert game_winner((6, 12, 0, 0), 0, True, NOBODY, Rules()) is None
    assert game_winner((9, 12, 0, 0), None, None, NOBODY, Rules()) is None  # thrown in


def test_r17_a_set_pitcher_still_at_the_target_wins_by_the_letter_but_not_when_he_must_have_made_it():
    scores = (8, 0, 0, 0)
    assert game_winner(scores, 0, False, NOBODY, Rules()) == 0
    assert game_winner(scores, 0, False, NOBODY, Rules(winning="pitcher_made")) is None
    assert game_winner(scores, 0, True, NOBODY, Rules(winning="pitcher_made")) == 0
    assert game_winner(scores, None, None, NOBODY, Rules(winning="pitcher_made")) is None


def test_r17_winning_anyone_the_pitcher_first_then_in_the_order_of_the_points():
    rules = Rules(winning="anyone")
    assert game_winner((7, 9, 8, 7), 0, False, (1, 2, 1, 3), rules) == 0
    assert game_winner((6, 9, 8, 7), 0, False, (3, 2, None, 1), rules) == 3
    assert game_winner((6, 9, 8, 6), 0, True, (3, 2, None, 1), rules) == 2
    assert game_winner((6, 9, 6, 6), 0, True, (3, 2, None, None), rules) == 1  # had it before: odd, but at the target
    assert game_winner((9, 9, 6, 6), None, None, NOBODY, rules, dealer=0) == 1  # the rest in speaking order
    assert game_winner((6, 6, 6, 6), 0, True, (3, 2, 1, 0), rules) is None


@pytest.mark.parametrize("target", [1, 7, 11, 15, 21, 1000])
def test_r17_target_is_any_number_from_one(target):
    rules = Rules(target=target)
    assert game_winner((target - 1, 0, 0, 0), 0, True, NOBODY, rules) is None
    assert game_winner((target, 0, 0, 0), 0, True, NOBODY, rules) == 0


@pytest.mark.parametrize("named", [{"target": 0}, {"target": -3}, {"end_after": 0}, {"end_after": -1}])
def test_r17_a_target_or_an_end_below_one_is_refused(named):
    assert broken_by(Rules, **named) == "R17"


def test_r17_with_a_fixed_number_of_deals_a_single_deal_has_no_winner():
    assert game_winner((70, 0, 0, 0), 0, True, NOBODY, Rules(end_after=5)) is None


# Rules and their spellings


def test_the_defaults_are_the_rules_of_the_book():
    assert Rules().to_dict() == {
        "players": 4,
        "partners": False,
        "target": 7,
        "lowest_bid": 1,
        "dealer_may_steal": True,
        "stuck_dealer": "must_bid",
        "low_goes_to": "trick_winner",
        "game_tie": "nobody",
        "follow": "or_trump",
        "winning": "pitcher_only",
        "smudge": False,
        "end_after": None,
    }


RULE_SETS = st.builds(
    Rules,
    players=st.integers(2, 7),
    target=st.integers(1, 30),
    lowest_bid=st.sampled_from([1, 2]),
    dealer_may_steal=st.sampled_from([True, False, "any", "only_4"]),
    stuck_dealer=st.sampled_from(["must_bid", "throw_in_next", "throw_in_same"]),
    low_goes_to=st.sampled_from(["trick_winner", "holder"]),
    game_tie=st.sampled_from(["nobody", "pitchers_opponents"]),
    follow=st.sampled_from(["or_trump", "strict"]),
    winning=st.sampled_from(["pitcher_only", "pitcher_made", "anyone"]),
    smudge=st.booleans(),
    end_after=st.none() | st.integers(1, 50),
)


@settings(deadline=None)
@given(RULE_SETS)
def test_rules_round_trip_through_records_and_options(rules):
    assert Rules.from_dict(rules.to_dict()) == rules
    options = {}
    for option, field in OPTION_FIELDS.items():
        value = getattr(rules, field)
        spellings = OPTION_VALUES.get(option)
        options[option] = next(s for s, v in spellings.items() if v is value or v == value) if spellings else value
    assert rules_from_options(options) == rules
    assert rules_from_options({option.replace("_", "-"): value for option, value in options.items()}) == rules


@settings(deadline=None)
@given(RULE_SETS, RULE_SETS)
def test_different_rules_are_described_differently(one, other):
    if one.to_dict() | {"winning": "", "target": 0} != other.to_dict() | {"winning": "", "target": 0}:
        assert describe(one) != describe(other)


def test_every_house_rule_is_described_in_words():
    for field, option in {field: option for option, field in OPTION_FIELDS.items()}.items():
        for value in OPTION_VALUES.get(option, {}).values():
            assert describe(Rules(**{field: value}))
    assert "The game is won by the pitcher (set or not) with 7 or more at the end of a deal." in describe(Rules())
    assert "The game is over after 1 deal; most points win, and ties share." in describe(Rules(end_after=1))


def test_every_field_of_rules_has_an_option_and_the_first_spelling_is_the_default():
    assert list(OPTION_FIELDS.values()) == [field.name for field in fields(Rules)]
    for option, spellings in OPTION_VALUES.items():
        assert next(iter(spellings.values())) == getattr(Rules(), OPTION_FIELDS[option])


@pytest.mark.parametrize(
    "named",
    [
        {"players": True},
        {"players": 4.0},
        {"players": "4"},
        {"players": None},
        {"target": None},
        {"partners": 1},
        {"smudge": "off"},
        {"dealer_may_steal": 1},
        {"dealer_may_steal": "never"},
        {"stuck_dealer": "pass"},
        {"low_goes_to": []},
        {"game_tie": {}},
        {"follow": None},
        {"winning": True},
        {"end_after": False},
    ],
)
def test_a_value_of_the_wrong_kind_is_no_rule_of_play_but_an_input_error(named):
    with pytest.raises(InputError) as refused:
        Rules(**named)
    assert not isinstance(refused.value, Violation)
    assert next(iter(named)) in str(refused.value)


def test_rules_take_the_whole_numbers_of_other_libraries():
    class Whole(int):
        pass

    assert type(Rules(players=Whole(5)).players) is int


def test_an_unknown_rule_is_refused_unless_it_is_to_be_ignored():
    with pytest.raises(InputError, match="there is no rule 'joker'"):
        Rules.from_dict({"joker": True})
    assert Rules.from_dict({"joker": True, "players": 3}, ignore_unknown=True) == Rules(players=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lowest-bit": 2}, "there is no house rule 'lowest-bit'; did you mean lowest-bid?"),
        ({"xyz": 2}, "there is no house rule 'xyz'; there are players, partners, target, lowest-bid"),
        ({"steal": "up-to-4"}, "steal is one of up-to-3, never, any, only-4, not 'up-to-4'"),
        ({"game-tie": True}, "game-tie is one of nobody, opponent, not true"),
        ({"lowest-bid": 2, "lowest_bid": 2}, "lowest-bid is given twice, with - and with _"),
        ({"players": "five"}, "players is a whole number, not 'five'"),
    ],
)
def test_a_misspelled_option_is_told_with_what_would_be_right(options, message):
    with pytest.raises(InputError) as refused:
        rules_from_options(options)
    assert str(refused.value).startswith(message)


def test_an_option_that_is_none_is_not_given():
    assert rules_from_options({"steal": None, "players": 5, "end_after": None}) == Rules(players=5)


def test_a_house_file_is_toml_with_the_names_of_the_command_line(tmp_path):
    file = tmp_path / "house.toml"
    file.write_bytes(b'\xef\xbb\xbfplayers = 5\r\nlowest-bid = 2\r\ngame_tie = "opponent"\r\n')
    assert house_rules(file) == {"players": 5, "lowest_bid": 2, "game_tie": "opponent"}
    flags = {"players": 3}
    assert rules_from_options(house_rules(file) | flags) == Rules(
        players=3, lowest_bid=2, game_tie="pitchers_opponents"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"players = ", "is not TOML"),
        (b"\x80\x00\xff", "is not TOML"),
        (b"players: 4", "is not TOML"),
        (b"a = " + b"[" * 100_000, "is not TOML"),
        (b"playres = 4", "did you mean players?"),
        (b"players = 9", "2 to 7 players can play, not 9"),
        (b"smudge = 1", "smudge is true or false, not 1"),
        (b"[rules]\nplayers = 4", "there is no house rule 'rules'"),
        (b"target = 1979-05-27", "target is a whole number"),
    ],
)
def test_a_house_file_that_is_none_is_refused_in_one_sentence(tmp_path, content, message):
    file = tmp_path / "house.toml"
    file.write_bytes(content)
    with pytest.raises(InputError) as refused:
        house_rules(file)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_house_file_that_is_missing_or_a_folder_is_refused(tmp_path):
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            house_rules(path)


# A deal and a game


def test_a_step_that_is_refused_changes_nothing_and_says_where():
    deal = Deal(Rules(), 3, deal_hands(full_deck(), 4))
    deal.call(0, 2)
    for step, where in (((deal.call, 1, 2), "call 1"), ((deal.play, 0, full_deck()[0]), "play 0")):
        with pytest.raises(Violation) as broken:
            step[0](*step[1:])
        assert broken.value.where == where
    assert deal.calls == [2]
    assert deal.to_speak == 1


def test_a_deal_that_is_not_over_has_no_score():
    with pytest.raises(InputError, match="not over"):
        Deal(Rules(), 3, deal_hands(full_deck(), 4)).outcome()


def outcome(pitcher, delta, bid=2, made=True, high=None, low=None, jack=None, game=None):
    """Make an outcome of which only the score matters."""
    return Outcome(pitcher, bid, S, (), high, low, jack, game, (), tuple(delta), made, tuple(delta))


THROWN_IN = Outcome(None, None, None, (), None, None, None, None, (), (0,) * 4, None, (0,) * 4)


def test_game_at_13_11_11_the_pitcher_goes_out_though_another_has_more():
    game = Game(Rules(players=3, target=11), scores=(12, 9, 10))
    game.add(outcome(pitcher=1, delta=(1, 2, 1)))
    assert game.scores == (13, 11, 11)
    assert game.winners == (1,)
    assert game.over
    with pytest.raises(InputError, match="the game is over"):
        game.add(outcome(1, (0, 0, 0)))


def test_game_goes_on_while_only_others_than_the_pitcher_are_past_the_target():
    game = Game(Rules(players=2), scores=(9, 3))
    game.add(outcome(pitcher=1, delta=(2, 2)))
    assert not game.over
    game.add(outcome(pitcher=0, delta=(-2, 1), made=False))
    assert game.winners == (0,)  # set, and still at the target


def test_game_under_pitcher_made_a_set_pitcher_plays_on():
    game = Game(Rules(players=2, winning="pitcher_made"), scores=(12, 3))
    game.add(outcome(pitcher=0, delta=(-2, 1), made=False))
    assert not game.over


def test_game_under_anyone_the_winner_of_high_goes_out_before_the_winner_of_low():
    game = Game(Rules(winning="anyone"), scores=(0, 6, 6, 6))
    game.add(outcome(pitcher=0, delta=(2, 1, 1, 0), low=1, high=2, game=0))
    assert game.winners == (2,)


def test_game_the_deal_goes_round_and_stays_only_after_a_throw_in_of_the_house():
    game = Game(Rules(stuck_dealer="throw_in_same"), dealer=2)
    game.add(outcome(0, (2, 0, 0, 0)))
    assert game.dealer == 3
    game.add(THROWN_IN)
    assert (game.dealer, game.deals) == (3, 1)
    game.add(outcome(0, (2, 0, 0, 0)))
    assert (game.dealer, game.deals) == (0, 2)


def test_game_of_a_fixed_number_of_deals_is_shared_by_ties_and_ignores_the_target():
    game = Game(Rules(end_after=3, target=1))
    game.add(outcome(0, (3, 1, 0, 0)))
    game.add(outcome(1, (0, 2, 1, 0)))
    assert not game.over
    game.add(outcome(2, (0, 0, -4, 1)))
    assert game.scores == (3, 3, -3, 1)
    assert game.winners == (0, 1)


def test_game_of_a_fixed_number_of_deals_counts_a_throw_in_unless_the_same_dealer_deals_again():
    for stuck, deals in (("throw_in_next", 1), ("throw_in_same", 0)):
        game = Game(Rules(end_after=2, stuck_dealer=stuck))
        game.add(THROWN_IN)
        assert game.deals == deals
        game.add(outcome(3, (0, 0, 0, 2)))
        assert game.over == (stuck == "throw_in_next")


def test_game_of_partners_has_two_scores():
    game = Game(Rules(partners=True), scores=(5, 6))
    game.add(outcome(pitcher=2, delta=(2, 1)))
    assert game.winners == (0,)
    with pytest.raises(InputError, match="there are 2 sides"):
        Game(Rules(partners=True), scores=(0, 0, 0, 0))


def test_settle_adds_the_score_change_and_names_the_winner():
    assert settle(outcome(1, (1, 3)), (0, 4), Rules(players=2), dealer=0) == ((1, 7), 1)


def test_game_deals_with_its_own_rules_and_dealer():
    game = Game(Rules(players=2), dealer=1)
    deal = game.deal(deal_hands(full_deck(), 2))
    assert (deal.dealer, deal.to_speak) == (1, 0)


def test_cards_are_named_in_messages():
    assert [str(Card(8, suit)) for suit in range(4)] == ["T" + suit for suit in SUITS]


@pytest.mark.parametrize("room", [pitchsim.cards, pitchsim.rules, pitchsim.records])
def test_the_examples_in_the_docstrings_run(room):
    done = doctest.testmod(room)
    assert done.attempted
    assert not done.failed
