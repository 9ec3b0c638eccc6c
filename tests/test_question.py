"""Questions are read and checked before anything is computed; every reading has a refusal beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitchsim import question
from pitchsim.errors import InputError
from pitchsim.question import ask, read_auction, read_deals, read_seat
from pitchsim.rules import Rules, Violation

HAND = "AS KS 4S JD 10C 2H"


def test_with_neither_auction_nor_seat_the_first_speaks():
    asked = ask(HAND, Rules())
    assert (asked.calls, asked.seat, asked.scores) == ((), 1, None)


def test_with_a_seat_alone_everybody_before_passed():
    assert ask(HAND, Rules(), seat=3).calls == (0, 0)
    assert ask(HAND, Rules(players=6), seat="dealer").calls == (0,) * 5


def test_with_an_auction_the_next_speaks_and_a_seat_must_agree():
    assert ask(HAND, Rules(), "pass 2", seat="3").calls == (0, 2)
    assert ask(HAND, Rules(), ["pass", 2]).seat == 3
    assert ask(HAND, Rules(), "P,2,pass").seat == 4
    with pytest.raises(InputError, match="after 1 call it is the turn of seat 2, not of seat 4"):
        ask(HAND, Rules(), "pass", seat=4)


@pytest.mark.parametrize(
    ("auction", "rule", "why"),
    [
        ("2 1", "R4", "seat 2 bids 1, but must pass or bid higher than the 2 before"),
        ("4 pass", "R5", "seat 2 speaks after a 4 has ended the auction"),
        ("pass pass 2 2", "R6", "may not steal"),
        ("pass pass pass pass", "R7", "stuck dealer"),
    ],
)
def test_a_call_that_is_not_legal_names_its_rule(auction, rule, why):
    with pytest.raises(Violation, match=why) as broken:
        read_auction(auction, Rules(dealer_may_steal=False))
    assert broken.value.rule == rule


@pytest.mark.parametrize("auction", ["5", "two", "-1", "1.0", "pass!", ["4S"], 7, [None], [2.5], "²"])
def test_what_is_no_call_is_refused(auction):
    with pytest.raises(InputError, match="a call is pass, 1, 2, 3 or 4"):
        read_auction(auction, Rules())


def test_an_auction_that_is_over_has_no_question():
    with pytest.raises(InputError, match="the 4 has ended the auction"):
        read_auction("pass 4", Rules())
    with pytest.raises(InputError, match="all 4 players have spoken"):
        read_auction("pass 2 3 3", Rules())
    with pytest.raises(InputError, match="more calls than players"):
        read_auction("pass 2 3 3 pass", Rules())
    assert read_auction("pass 4 pass", Rules(dealer_may_steal="any")) == (0, 4, 0)


@pytest.mark.parametrize("seat", [0, 5, -1, "five", "1.0", "", None, True, "²"])
def test_a_seat_that_is_not_at_the_table(seat):
    with pytest.raises(InputError, match="the seats are 1 to 4"):
        read_seat(seat, Rules())


def test_scores_are_one_for_each_side():
    assert question.read_scores("5 3 -1 6", Rules()) == (5, 3, -1, 6)
    assert question.read_scores("5,-3", Rules(partners=True)) == (5, -3)
    assert question.read_scores([0, 0], Rules(players=2)) == (0, 0)
    for wrong, why in (("1 2 3 4 5 6", "6 scores given; there are 4 players"), ("1 2 3 x", "not a score")):
        with pytest.raises(InputError, match=why):
            question.read_scores(wrong, Rules())
    with pytest.raises(InputError, match="1 score given; there are 2 teams"):
        question.read_scores(5, Rules(partners=True))


def test_deals_as_people_write_them():
    assert [read_deals(n) for n in ("1e6", "200_000", "1", 5, 1e5, "2.5e3")] == [10**6, 200_000, 1, 5, 10**5, 2500]
    wrong = (
        "0",
        "-5",
        "1e99",
        "1e999",
        "nan",
        "inf",
        "1.5",
        "1_",
        "_1",
        "1__0",
        "",
        "x",
        "0x10",
        0,
        -1,
        2.5,
        True,
        None,
    )
    for text in wrong:
        with pytest.raises(InputError, match="deals"):
            read_deals(text)


def test_the_largest_and_smallest_of_every_number():
    assert question.read_seed("0") == 0
    assert question.read_seed(2**63 - 1) == 2**63 - 1
    for wrong in (2**63, -1, "1.5", "1e3", "", "x"):
        with pytest.raises(InputError, match=r"a whole number from 0 to 2\^63-1"):
            question.read_seed(wrong)
    assert question.read_threads("1024") == 1024
    for wrong in (0, 1025, "two"):
        with pytest.raises(InputError, match="one from 1 to 1024"):
            question.read_threads(wrong)
    assert question.read_precision(".01") == 0.01
    for wrong in ("nan", "inf", 0, -0.1, "x", 1e-9):
        with pytest.raises(InputError, match="give"):
            question.read_precision(wrong)
    assert (question.read_chance("1%"), question.read_chance(".5")) == (0.01, 0.5)
    for wrong in ("0", "1", "150%", "nan", "x", "%"):
        with pytest.raises(InputError, match="a chance between 0 and 1"):
            question.read_chance(wrong)


def test_names_of_policies():
    assert question.read_names("sound, greedy") == ("sound", "greedy")
    assert question.read_names(["sound"]) == ("sound",)
    for wrong in ("", ",", "sound,", []):
        with pytest.raises(InputError, match="leaves out the name"):
            question.read_names(wrong)
    assert question.read_pair("my/file.py:f/thresholds") == "my/file.py:f/thresholds"
    for wrong in ("sound", "/x", "x/", ""):
        with pytest.raises(InputError, match="PLAY/BIDDING"):
            question.read_pair(wrong)
    question.check_names(("a",), 4, "play")
    with pytest.raises(InputError, match="3 play policies given; give one for all, or 4"):
        question.check_names(("a", "b", "c"), 4, "play")


def test_winning_the_game_is_said_to_be_missing():
    assert [question.read_objective(name) for name in ("score", "margin")] == ["score", "margin"]
    with pytest.raises(InputError, match="not there yet"):
        question.read_objective("win")
    with pytest.raises(InputError, match="there are score, margin, win"):
        question.read_objective("money")


@given(st.text(max_size=12))
def test_garbage_is_refused_and_never_crashes(text):
    readers = [read_deals, question.read_seed, question.read_threads, question.read_precision, question.read_chance,
               question.read_names, question.read_pair, lambda t: read_auction(t, Rules()),
               lambda t: read_seat(t, Rules()), lambda t: question.read_scores(t, Rules())]  # fmt: skip
    refusals = [refusal for read in readers if (refusal := refused(read, text))]
    assert all(refusal.isascii() and "\n" not in refusal for refusal in refusals)


def refused(read, text):
    """What a reader says against a text; anything but InputError fails the test."""
    try:
        read(text)
    except InputError as error:
        return str(error)
    return ""
