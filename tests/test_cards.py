"""Cards and hands as text: every notation is read, and what is written is read back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitchsim.cards import (
    RANKS,
    SUITS,
    Card,
    format_card,
    format_hand,
    format_holding,
    format_suit_by_suit,
    parse_card,
    parse_hand,
    parse_six,
    quoted,
    sort_hand,
)
from pitchsim.errors import InputError

DECK = [Card(rank, suit) for suit in range(4) for rank in range(13)]
HANDS = st.lists(st.sampled_from(DECK), unique=True, max_size=12)
THE_HAND = parse_hand("AS KS 4S JD TC 2H")


@pytest.mark.parametrize(
    "text",
    [
        "AS KS 4S JD 10C 2H",
        "AS,KS,4S,JD,TC,2H",
        "askS4sJdTc2h",
        "ASKS4SJD10C2H",
        "  as, ks ,4s\tjd 10c\n2h ",
        "A♠ K♠ 4♠ J♦ 10♣ 2♥",
        "A♠K♠4♠J♦10♣2♥",
        "A♠\ufe0e K♠\ufe0f 4♠ J♦ T♣ 2♥",
        "AK4.2.J.T",
        "ak4.2.j.10",
        ["AS", "KS", "4S", "JD", "10C", "2H"],
        ["AS", "KS", "4S", "JD", Card(8, 3), "2h"],
        ("AK4.2.J.T",),
        (card for card in THE_HAND),
    ],
)
def test_every_notation_of_a_hand_is_read(text):
    assert set(parse_six(text)) == set(THE_HAND)


def test_a_void_is_nothing_between_two_dots():
    assert parse_hand(".AKQ.JT.2") == parse_hand("AH KH QH JD TD 2C")
    assert parse_hand("...") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AS KS 4S JD 10C 2H 3H", "7 cards given; a hand has six, as in AS KS 4S JD 10C 2H"),
        ("AS KS 4S JD 10C", "5 cards given; a hand has six, as in AS KS 4S JD 10C 2H"),
        ("AS", "1 card given; a hand has six, as in AS KS 4S JD 10C 2H"),
        ("", "0 cards given; a hand has six, as in AS KS 4S JD 10C 2H"),
        ("AS KS 4S JD 10C 1S", "'1S' is not a card"),
        ("AS KS 4S JD 10C 2X", "'2X' is not a card"),
        ("AS AS 4S JD 10C 2H", "AS is given twice"),
        ("TC 10c 4S JD 2C 2H", "10C is given twice"),
        ("AKQJT9..", "'AKQJT9..' has 2 dots; suit by suit is written with three, as in AK4.2.J.T"),
        ("AKQJT9....", "has 4 dots"),
        ("AKX.2.J.T", "'X' in 'AKX.2.J.T' is not a rank"),
        ("AK1.2.J.T", "'1' in 'AK1.2.J.T' is not a rank"),
        ("1 0C", "'1' is not a card"),
        ("Aſ", "is not a card"),
        ("٢S", "is not a card"),
    ],
)
def test_a_hand_that_is_none_is_refused_in_one_sentence(text, message):
    with pytest.raises(InputError) as refused:
        parse_six(text)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert str(refused.value).isascii()


@pytest.mark.parametrize("nothing", [5, None, [5], [None], [[]], [Card(0, 0), 7]])
def test_what_is_no_text_is_refused_too(nothing):
    with pytest.raises(InputError):
        parse_hand(nothing)


@settings(deadline=None)
@given(HANDS)
def test_hands_round_trip_in_every_notation(cards):
    for ten in ("T", "10"):
        for symbols in (False, True):
            text = format_hand(cards, ten=ten, symbols=symbols)
            for written in (text, text.lower(), text.replace(" ", ""), text.replace(" ", ", "), text.split()):
                assert set(parse_hand(written)) == set(cards)
        assert set(parse_hand(format_suit_by_suit(cards, ten=ten))) == set(cards)
    assert parse_hand(cards) == tuple(cards)


@pytest.mark.parametrize("card", DECK)
def test_cards_round_trip(card):
    for text in (str(card), format_card(card), format_card(card, symbols=True), f" {str(card).lower()} "):
        assert parse_card(text) == card


@settings(deadline=None)
@given(st.text() | st.text("AKQJT1098765432SHDC♠♥♦♣ ,.", max_size=20))
def test_garbage_is_a_hand_or_an_input_error(text):
    try:
        cards = parse_hand(text)
    except InputError as error:
        cards, message = (), str(error)
    else:
        message = ""
    assert set(parse_hand(format_hand(cards))) == set(cards)
    assert message.isascii()
    assert "\n" not in message


@settings(deadline=None)
@given(st.text(max_size=6))
def test_garbage_is_a_card_or_an_input_error(text):
    try:
        card = parse_card(text)
    except InputError:
        return
    assert parse_card(str(card)) == card


def test_a_hand_is_sorted_longest_suit_first_ranks_downward():
    assert format_hand(parse_hand("2H TC AS JD 4S KS")) == "AS KS 4S JD 10C 2H"
    assert format_hand(parse_hand("3C 2C 9D 3S 4S AS"), ten="T") == "AS 4S 3S 3C 2C 9D"
    assert format_hand(parse_hand("2D 2C 2H 2S")) == "2S 2H 2D 2C"


@settings(deadline=None)
@given(HANDS)
def test_sorting_keeps_the_cards_and_the_order_does_not_depend_on_theirs(cards):
    assert sorted(sort_hand(cards)) == sorted(cards)
    assert sort_hand(reversed(cards)) == sort_hand(cards)


def test_a_holding_is_written_highest_first():
    assert format_holding(THE_HAND, SUITS.index("S")) == "AK4"
    assert format_holding(THE_HAND, SUITS.index("C"), ten="10") == "10"
    assert format_suit_by_suit(THE_HAND) == "AK4.2.J.T"


def test_ranks_count_from_the_deuce_to_the_ace():
    assert [str(Card(rank, 0))[0] for rank in range(13)] == list(RANKS)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1S", "'1S'"),
        (None, "null"),
        (True, "true"),
        (4.0, "4.0"),
        (10**50, "a number without end"),
        (float("nan"), "a number without end"),
        ([[]], "a list"),
        ({}, "an object"),
        ("♠", r"'\u2660'"),
        ("x" * 30 + "y" * 30, "'" + "x" * 17 + "..." + "y" * 20 + "'"),
    ],
)
def test_what_somebody_wrote_is_shown_short_and_in_ascii(value, shown):
    assert quoted(value) == shown


def test_a_number_of_five_thousand_digits_is_shown_too():
    assert quoted(10**5000) == "a number without end"
