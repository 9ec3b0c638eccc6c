"""Exact odds: against the closed forms, against counting every choice of cards by hand, and as it is shown."""

import json
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from click.testing import CliRunner

import pitchsim
from pitchsim.cards import JACK, RANKS, SUITS, format_hand, parse_six
from pitchsim.cli import main
from pitchsim.counting import odds
from pitchsim.errors import InputError
from pitchsim.rules import full_deck

HANDS = ["AS KS 4S JD 10C 2H", "AKQJT9...", "KS 9S 4H 3H 8D 7C", "K.Q.J.T92", "3S 4S 5S 6S 7S 8S", "2.2.2.AK2"]


def none_of(cards, players):
    """FACTS: the chance that none of so many given unseen cards is in another hand, by a fraction."""
    others = 6 * (players - 1)
    return Fraction(comb(46 - cards, others), comb(46, others))


@pytest.mark.parametrize("players", range(2, 8))
@pytest.mark.parametrize("hand", HANDS)
def test_every_chance_is_the_closed_form(hand, players):
    cards = parse_six(hand)
    answer = odds(hand, players)
    assert {suit.trump for suit in answer.suits} == {SUITS[card.suit] for card in cards}
    for suit in answer.suits:
        mine = {card.rank for card in cards if SUITS[card.suit] == suit.trump}
        higher = [rank for rank in range(13) if rank > max(mine)]
        lower = [rank for rank in range(13) if rank < min(mine)]
        assert suit.holding == "".join(RANKS[rank] for rank in sorted(mine, reverse=True))
        assert suit.high == pytest.approx(float(none_of(len(higher), players)), rel=1e-12)
        assert suit.low == pytest.approx(float(none_of(len(lower), players)), rel=1e-12)
        assert suit.lone == pytest.approx(float(none_of(13 - len(mine), players)), rel=1e-12)
        jack = 1 if JACK in mine else 1 - none_of(1, players)
        assert suit.jack_in_play == pytest.approx(float(jack), rel=1e-12)


@pytest.mark.parametrize("players", range(2, 8))
@pytest.mark.parametrize("hand", HANDS)
def test_trumps_out_is_a_distribution_with_the_right_mean(hand, players):
    for suit in odds(hand, players).suits:
        assert sum(suit.trumps_out) == pytest.approx(1, rel=1e-12)
        assert suit.trumps_out[0] == suit.lone
        mean = sum(number * chance for number, chance in enumerate(suit.trumps_out))
        assert mean == pytest.approx(suit.expected_out, rel=1e-12)
        assert suit.expected_out == pytest.approx((13 - len(suit.holding)) * 6 * (players - 1) / 46, rel=1e-12)


def test_facts_by_number():
    king, queen, jack = (odds(f"{rank}S 2H 3H 4D 5D 6C", trump="S").suits[0] for rank in "KQJ")
    assert [round(suit.high, 4) for suit in (king, queen, jack)] == [0.6087, 0.3652, 0.2158]
    assert round(odds("3S 2H 3H 4D 5D 6C", trump="S").suits[0].low, 4) == 0.6087
    out = [round(odds("3S 2H 3H 4D 5D 6C", n, trump="S").suits[0].jack_in_play, 4) for n in (2, 4, 7)]
    assert out == [0.1304, 0.3913, 0.7826]


def test_counting_every_other_hand_of_two_players_gives_the_same():
    # Two players: 9,366,819 other hands are too many, but which unseen *trumps* are in it is all that matters.
    hand = parse_six("KS 9S 4S JD 10C 2H")
    unseen = [card for card in full_deck() if card not in hand]
    trumps = [card.rank for card in unseen if card.suit == 0]
    low = high = total = 0
    for number in range(7):
        ways = comb(len(unseen) - len(trumps), 6 - number)
        for out in combinations(trumps, number):
            total += ways
            high += ways * all(rank < 11 for rank in out)
            low += ways * all(rank > 2 for rank in out)
    spades = odds(hand, 2, "S").suits[0]
    assert total == comb(46, 6)
    assert spades.high == pytest.approx(high / total, rel=1e-12)
    assert spades.low == pytest.approx(low / total, rel=1e-12)


def test_seven_players_hold_at_least_two_of_twelve_trumps():
    suit = odds("2S 3H 4H 5D 6D 7C", 7, "S").suits[0]
    assert suit.trumps_out[:2] == (0.0, 0.0)
    assert suit.lone == 0.0
    assert suit.trumps_out[2] > 0


def test_suits_change_nothing_but_their_names():
    spades, hearts = odds("A42.K.J.T"), odds("K.A42.J.T")
    assert [suit[2:] for suit in spades.suits] == [suit[2:] for suit in hearts.suits]


def test_trump_picks_one_suit_however_it_is_spelled():
    for name in ("S", "s", "♠", "spades", "Spade"):
        assert [suit.trump for suit in odds(HANDS[0], trump=name).suits] == ["S"]
    with pytest.raises(InputError, match="holds no hearts to make trump; it holds spades"):
        odds("AKQJT9...", trump="H")
    with pytest.raises(InputError, match="'X' is not a suit"):
        odds(HANDS[0], trump="X")


def test_json_has_the_keys_of_the_contract():
    result = CliRunner().invoke(main, ["odds", *HANDS[0].split(), "--format", "json"])
    answer = json.loads(result.stdout)
    assert (answer["hand"], answer["players"]) == ("AS KS 4S JD TC 2H", 4)
    first = answer["suits"][0]
    assert (first["trump"], first["holding"], first["high"]) == ("S", "AK4", 1.0)
    assert set(first) >= {"low", "jack_in_play", "lone", "trumps_out"}
    assert list(first["trumps_out"]) == [str(number) for number in range(11)]
    assert first["low"] == comb(44, 18) / comb(46, 18)


def test_text_is_what_a_player_reads():
    text = odds(HANDS[0]).to_text()
    lines = text.splitlines()
    assert lines[0] == "AS KS 4S JD 10C 2H   (4 players)"
    assert "top is High" in lines[2]
    assert lines[4].split() == ["spades", "A", "K", "4", "100%", "36.5%", "39.1%", "0.3%"]
    assert lines[5].split()[-2:] == ["mine", "0.1%"]
    assert max(map(len, lines[:10])) <= 80
    assert text.isascii()
    assert "A♠ K♠ 4♠ J♦ 10♣ 2♥" in odds(HANDS[0]).to_text(symbols=True)


def test_players_of_the_house_file_count(tmp_path):
    house = tmp_path / "house.toml"
    house.write_text("players = 6\n")
    for options, players in (([], 6), (["-n", "3"], 3)):
        result = CliRunner().invoke(main, ["odds", "AKQJT9...", "-f", "json", "--house", str(house), *options])
        assert json.loads(result.stdout)["players"] == players


def test_python_gives_the_same_as_a_frame():
    answer = pitchsim.odds(HANDS[0], players=5)
    frame = answer.to_frame()
    assert list(frame["trump"]) == ["S", "D", "C", "H"]
    assert frame["high"][0] == 1.0
    assert answer.hand == format_hand(parse_six(HANDS[0]), ten="T")
    assert "<table>" in answer._repr_html_()
    assert pitchsim.odds(HANDS[0], rules=pitchsim.Rules(players=5)).to_dict() == answer.to_dict()
