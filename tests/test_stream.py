"""Chance: known answers, deals that are all equally likely, and the same deals however a run is cut up."""

import itertools
import math
import random

import numpy as np
import pytest
from scipy import stats

from pitchsim import advice, simulation, stream
from pitchsim.cards import parse_six
from pitchsim.deck import ALL_CARDS, deal_hands, packed_deck
from pitchsim.engine import new_desk
from pitchsim.jit import PLAIN, jitted
from pitchsim.records import score
from pitchsim.rules import Rules
from pitchsim.seating import CHUNK, Keys, seat_players
from pitchsim.simulation import replay, simulate
from pitchsim.view import any_card

pytestmark = pytest.mark.skipif(PLAIN, reason="many deals; test_twins.py compares the plain twins")
HALVES = 2**32
# The first numbers of SplitMix64 from the seed 1234567, as published with other implementations of it.
SPLITMIX64 = (
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
)
LEFT = sorted({52 - 3 * threes for threes in range(14)} | {46 - 3 * threes for threes in range(12)} | {39, 36})
"""How many cards can be left when three are dealt (39 and 36: side cards)."""


def plausible(statistic, degrees):
    """Whether a chi-square is neither too large nor too small for chance."""
    return 0.0005 < stats.chi2.cdf(statistic, degrees) < 0.9995


@jitted
def fill(deck, room_words, room, hands, players, left, key, first, dealt):
    for deal in range(len(dealt)):
        deal_hands(deck, room_words, room, hands, 0, players, left, key, first + deal)
        for seat in range(players):
            dealt[deal, seat] = hands[seat]


def many_deals(count, key, cards=ALL_CARDS, players=4, first=0):
    """Hands by deal and seat."""
    desk, dealt = new_desk(), np.zeros((count, players), np.int64)
    fill(
        packed_deck(cards), desk[0], desk[0].view(np.uint8), desk[1], players, cards.bit_count(),
        np.uint64(key), first, dealt,
    )  # fmt: skip
    return dealt


def holds(hands):
    """One row a hand and one column a card: 1 where it holds the card."""
    numbers = [number for number in range(64) if ALL_CARDS >> number & 1]
    return (hands[:, None] >> np.array(numbers)) & 1


# Words and picks --------------------------------------------------------------------------------------


def test_known_answers_of_splitmix64():
    assert tuple(int(stream.word(np.uint64(1234567), k)) for k in range(1, 6)) == SPLITMIX64


def test_the_plain_twins_give_the_same_words_and_picks():
    rng = random.Random(1)
    for _ in range(3_000):
        key, counter, sides = rng.getrandbits(64), rng.getrandbits(62), rng.choice(LEFT)
        drawn = int(stream.word(np.uint64(key), counter))
        assert drawn == stream._plain_word(key, counter)
        assert stream.below(np.uint64(drawn), sides) == stream._plain_below(drawn, sides) < sides
        halves = [int(stream.half_of(np.uint64(drawn), part)) for part in (0, 1)]
        assert halves[0] << 32 | halves[1] == drawn
        luck = int(stream.luck_of(np.uint64(key), counter))
        assert luck == drawn >> 2 & ~127
        assert stream.chance(luck, 3, sides) == stream._plain_word(luck, 4) * sides >> 64
        quarters = [int(stream.quarter(luck + 4 + k)) for k in range(4)]
        assert sum(quarters[k] << 16 * k for k in range(4)) == stream._plain_lucky_word(luck, 1)
        assert int(stream.lucky_word(luck, 1)) == stream._plain_lucky_word(luck, 1)


@pytest.mark.parametrize("left", LEFT)
def test_a_rest_is_unfair_when_it_is_below_what_is_left_over(left):
    threshold = HALVES % math.perm(left, 3)
    rng = random.Random(left)
    near = [0, 1, threshold - 1, threshold, threshold + 1, math.perm(left, 3), stream.MOST_WAYS, HALVES - 1]
    for rest in [*near, *(rng.randrange(stream.MOST_WAYS) for _ in range(50)), rng.getrandbits(32)]:
        assert stream.unfair(rest, left) == (rest < threshold)


def picks(word, sides, number, bits):
    """Pick one after the other from a word of so many bits; answers the picks, and whether the word is fair."""
    picked = []
    for step in range(number):
        word *= sides - step
        picked.append(word >> bits)
        word &= (1 << bits) - 1
    return tuple(picked), word >= (1 << bits) % math.perm(sides, number)


@pytest.mark.parametrize(("sides", "number", "bits"), [(6, 6, 12), (7, 4, 13), (10, 3, 14), (52, 2, 15), (13, 3, 16)])
def test_every_ordering_has_exactly_as_many_words_when_all_words_are_tried(sides, number, bits):
    counts = {}
    for word in range(1 << bits):
        picked, fair = picks(word, sides, number, bits)
        counts[picked] = counts.get(picked, 0) + fair
    assert sorted(counts) == sorted(itertools.product(*(range(sides - step) for step in range(number))))
    assert set(counts.values()) == {(1 << bits) // math.perm(sides, number)}


def test_the_engine_picks_like_that_from_32_bits():
    rng = random.Random(2)
    for case in range(1_000):
        sides = rng.choice(LEFT)
        half = rng.getrandbits(32) if case else 0
        left, picked = half, []
        for step in range(3):
            picked.append(int(stream.pick(left, sides - step)))
            left = int(stream.rest(left, sides - step))
        assert (tuple(picked), not stream.unfair(left, sides)) == picks(half, sides, 3, 32)


@pytest.mark.parametrize("left", LEFT)
def test_every_ordering_of_three_has_exactly_as_many_of_the_2_to_the_32_halves(left):
    # Ordering p comes from the halves from p x 2^32 / ways on. Rests begin below `ways` and rise in steps of it, so
    # only the first can be unfair: counted exactly, for every ordering.
    ways = math.perm(left, 3)
    ordering = np.arange(ways, dtype=np.int64)
    first = -(-ordering * HALVES // ways)
    halves = -(-(ordering + 1) * HALVES // ways) - first
    rest = first * ways - ordering * HALVES
    assert ((rest >= 0) & (rest < ways)).all()
    unfair = rest < HALVES % ways
    assert (halves - unfair == HALVES // ways).all()
    assert all(stream.unfair(int(rest[k]), left) == unfair[k] for k in range(0, ways, 97))


# Deals ------------------------------------------------------------------------------------------------


def test_every_hand_of_six_from_eight_cards_is_equally_likely():
    hands = many_deals(280_000, 11, cards=0xFF, players=1)[:, 0]
    _, counts = np.unique(hands, return_counts=True)
    assert len(counts) == math.comb(8, 6)
    assert plausible(stats.chisquare(counts).statistic, 27)


def test_every_deal_of_two_hands_from_twelve_cards_is_equally_likely():
    hands = many_deals(300_000, 12, cards=0x3F003F, players=2)
    assert (hands[:, 0] | hands[:, 1] == 0x3F003F).all()
    _, counts = np.unique(hands[:, 0], return_counts=True)
    assert len(counts) == math.comb(12, 6)
    assert plausible(stats.chisquare(counts).statistic, 923)


@pytest.mark.parametrize("players", range(2, 8))
def test_every_seat_gets_every_card_equally_often(players):
    deals = 60_000
    dealt = many_deals(deals, 100 + players, players=players)
    seats = np.array([holds(dealt[:, seat]).sum(axis=0) for seat in range(players)])
    out = deals - seats.sum(axis=0)
    expected = np.full((players + 1, 1), deals * 6 / 52)
    expected[players] = deals * (52 - 6 * players) / 52
    # Each deal is a permutation of 52 cards, which are drawn without putting back: hence 51/52.
    statistic = (51 / 52) * ((np.vstack([seats, out]) - expected) ** 2 / expected).sum()
    assert plausible(statistic, 51 * players)


def test_every_pair_of_cards_is_in_one_hand_equally_often():
    deals = 200_000
    for seat in (0, 3):
        held = holds(many_deals(deals, 21)[:, seat]).astype(np.float64)
        pairs = held.T @ held
        np.fill_diagonal(pairs, 0)
        # What single cards do not explain: the pairs less the effects of their cards, of known variance.
        surplus = (pairs.sum(axis=1) - pairs.sum() / 52) / 50
        expected = pairs.sum() / (52 * 51) + surplus[:, None] + surplus
        rest = (pairs - expected)[np.triu_indices(52, 1)]
        variance = deals * math.comb(48, 4) / math.comb(52, 6)
        assert plausible((rest**2).sum() / variance, 52 * 49 // 2)


def test_the_cards_of_two_seats_do_not_depend_on_each_other_beyond_the_deck():
    deals = 200_000
    dealt = many_deals(deals, 22)
    first, second = (holds(dealt[:, seat]).astype(np.float64) for seat in (0, 1))
    together = (first.T @ second)[~np.eye(52, dtype=bool)]
    expected = deals * 36 / (52 * 51)
    assert abs(together - expected).max() < 5.2 * math.sqrt(expected)
    assert (np.diag(first.T @ second) == 0).all()


def test_neighbouring_deals_do_not_depend_on_each_other():
    hands = holds(many_deals(200_000, 23, players=1)[:, 0]).astype(np.float64)
    common = (hands[1:] * hands[:-1]).sum(axis=1)
    expected = np.array([math.comb(6, k) * math.comb(46, 6 - k) for k in range(4)]) / math.comb(52, 6)
    counts = np.array([(common == k).sum() for k in range(4)])
    expected, counts = np.append(expected, 1 - expected.sum()), np.append(counts, (common > 3).sum())
    assert plausible(stats.chisquare(counts, expected * len(common)).statistic, 4)


def test_luck_is_even_for_every_number_of_sides_and_does_not_repeat_from_card_to_card():
    luck = [int(stream.luck_of(np.uint64(9), deal)) for deal in range(20_000)]
    for sides in range(2, 7):
        table = np.zeros((sides, sides))
        for deal in luck:
            table[stream.chance(deal, 0, sides), stream.chance(deal + 1, 0, sides)] += 1
        assert plausible(stats.chisquare(table.ravel()).statistic, sides * sides - 1)


def test_any_card_is_any_card_and_does_not_hang_together_with_the_next():
    luck = [int(stream.luck_of(np.uint64(9), deal)) for deal in range(20_000)]
    for sides, apart in itertools.product(range(2, 7), (1, 4, 8)):
        table = np.zeros((sides, sides))
        for deal in luck:
            table[any_card((1 << sides) - 1, deal + 3), any_card((1 << sides) - 1, deal + 3 + apart)] += 1
        assert plausible(stats.chisquare(table.ravel()).statistic, sides * sides - 1)


# Seeds, places and threads -----------------------------------------------------------------------------


def test_seeds_1_and_2_share_no_deals():
    deals = 100_000
    first, second = ({hands.tobytes() for hands in many_deals(deals, Keys.of(seed).deal)} for seed in (1, 2))
    assert len(first) == len(second) == deals, "nor does a seed deal the same twice"
    assert not first & second


def test_no_two_streams_have_a_key_in_common():
    keys = [
        int(key)
        for seed in [*range(500), 2**32, 2**63 - 1]
        for stream_number in range(3)
        for key in vars(Keys.of(seed, stream_number)).values()
    ]
    assert len(set(keys)) == len(keys)


def test_the_seed_is_not_ignored():
    first, again, other = (simulate(Rules(), ["random"], ["passive"], deals=500, seed=seed) for seed in (1, 1, 2))
    assert first.to_json() == again.to_json()
    assert first.to_dict()["seats"] != other.to_dict()["seats"]


@pytest.mark.parametrize("rules", [Rules(), Rules(players=7, lowest_bid=2), Rules(partners=True)])
def test_no_worker_has_a_seed_of_its_own_a_simulation_is_the_same_to_the_last_byte_on_1_2_or_5_threads(rules):
    answers = {
        simulate(rules, ["random"], ["thresholds"], deals=5 * CHUNK + 7, seed=3, threads=threads).to_json()
        for threads in (1, 2, 5)
    }
    assert len(answers) == 1


def test_a_simulation_to_a_precision_is_the_same_with_1_2_or_5_threads():
    answers = {
        simulate(Rules(), ["greedy"], ["passive"], precision=0.008, seed=3, threads=threads).to_json()
        for threads in (1, 2, 5)
    }
    assert len(answers) == 1


def test_advice_is_the_same_to_the_last_byte_with_1_2_or_5_threads():
    hand = parse_six("AS JS 8S KH 4D 2C")
    for how in ({"auction": (0, 2), "seat": 3}, {"deals": 700}):
        answers = {
            advice.advise(hand, Rules(), **how, play=("greedy",), seed=4, threads=threads).to_json()
            for threads in (1, 2, 5)
        }
        assert len(answers) == 1


def test_a_deal_replayed_alone_is_the_deal_in_its_place_of_the_run():
    rules, how = Rules(players=3), {"seed": 8, "threads": 2}
    names = ["random"], ["thresholds"]
    first, last = CHUNK - 6, CHUNK + 6
    runs = [simulate(rules, *names, deals=deals, **how).tally.by_seat for deals in (first, last)]
    seating = seat_players(rules, *names)
    alone = np.array([score(replay(seating, 8, deal))["delta"] for deal in range(first, last)])
    assert (runs[1] - runs[0])[:3, 1].tolist() == alone.sum(axis=0).tolist()


def test_records_are_the_deals_of_the_run_in_order(tmp_path):
    seating = seat_players(Rules(), ["greedy"], ["thresholds"])
    path = tmp_path / "deals.jsonl"
    with path.open("w") as file:
        simulation.write_records(Rules(), ["greedy"], ["thresholds"], 20, 5, file)
    answers = [score(line) for line in path.read_text().splitlines()]
    assert answers == [score(replay(seating, 5, deal)) for deal in range(20)]
    total = simulate(Rules(), ["greedy"], ["thresholds"], deals=20, seed=5).tally.by_seat[:4, 1]
    assert np.sum([answer["delta"] for answer in answers], axis=0).tolist() == total.tolist()


def test_the_luck_of_a_policy_does_not_change_the_cards():
    for deal in range(50):
        random_play, greedy_play = (
            replay(seat_players(Rules(), [name], ["thresholds"]), 6, deal) for name in ("random", "greedy")
        )
        assert random_play["hands"] == greedy_play["hands"]
        assert random_play["auction"] == greedy_play["auction"]


def test_numpys_seed_does_not_reach_the_deals():
    runs = []
    for seed in (1, 2):
        np.random.seed(seed)
        random.seed(seed)
        runs.append(simulate(Rules(), ["random"], ["thresholds"], deals=300, seed=1).to_json())
    assert runs[0] == runs[1]
