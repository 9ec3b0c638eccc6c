"""Exact facts of the game against the simulator, and mistakes of other programs that a simulator could make."""

import math
import random

import numpy as np
import pytest
from random_deals import random_rules
from scipy import stats
from test_stream import many_deals

from pitchsim import simulation
from pitchsim.bidding import BIDDING, thresholds
from pitchsim.cards import SUITS, Card, parse_hand, parse_six
from pitchsim.deck import (
    ALL_CARDS,
    JACKS,
    TRUMP_JACK,
    TRUMPS,
    card_number,
    cards_to_set,
    packed_deck,
    set_to_cards,
)
from pitchsim.engine import LEAD_COLUMNS, changes_of, new_desk, play_deal
from pitchsim.jit import PLAIN, highest, jitted, lowest, policy
from pitchsim.kernels import simulating
from pitchsim.kernels.pitching import pitch_deals
from pitchsim.log import new_log
from pitchsim.plugins import Found, find, no_notes
from pitchsim.policies import PLAY
from pitchsim.records import score
from pitchsim.rules import TRICK_POINTS, Rules, deal_hands, full_deck
from pitchsim.rules import trick_points as points_in
from pitchsim.seating import Keys, Seating, seat_players
from pitchsim.simulation import replay, simulate
from pitchsim.view import CALL, CARD, BidView

pytestmark = pytest.mark.skipif(PLAIN, reason="many deals; test_engine.py and test_twins.py compare the plain twins")
HIGH, LOW, JACK, GAME = 1, 2, 4, 8
DEALS = 20_000
PLAYERS = range(2, 8)


def out(players):
    """How many cards are in the other hands."""
    return 6 * (players - 1)


def none_is_out(unseen, players):
    """The chance that none of so many given unseen cards is in another hand."""
    return math.comb(46 - unseen, out(players)) / math.comb(46, out(players))


def near(count, deals, chance):
    """Within four standard errors of the exact chance."""
    return abs(count - deals * chance) <= 4 * math.sqrt(deals * chance * (1 - chance)) + 1e-9


def seated(rules, *players):
    """Play policies by name or as functions, one for all or one a seat; everybody bids passively."""
    found = [
        find(PLAY, player) if isinstance(player, str) else Found("test", player, no_notes, "test", "")
        for player in players
    ]
    found = tuple(found) if len(found) > 1 else tuple(found) * rules.players
    return Seating(rules, found, (find(BIDDING, "passive"),) * rules.players)


def pitched(hand, leads, *players, rules, deals=DEALS, seed=1, deck=None):
    """Pitch each of these leads from this hand: deals by the set of points won (one row a lead)."""
    cards, seating, keys = cards_to_set(parse_six(hand)), seated(rules, *players), Keys.of(seed)
    numbers = np.array([card_number(card) for card in parse_hand(leads)], np.int64)
    tally = np.zeros((len(numbers), LEAD_COLUMNS), np.int64)
    deck = packed_deck(ALL_CARDS & ~cards) if deck is None else deck
    pitch_deals(
        seating.line, seating.house, deck, cards, 2, numbers, keys.deal, keys.luck, 0, deals,
        tally, new_desk(), new_log(),
    )  # fmt: skip
    return tally


def won(tally, point):
    """In how many deals the pitcher won this point, by lead."""
    return tally[:, [column for column in range(LEAD_COLUMNS) if column & point]].sum(axis=1)


# Counted exactly --------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", PLAYERS)
def test_the_jack_of_a_suit_is_dealt_with_6n_52(players):
    dealt = np.bitwise_or.reduce(many_deals(DEALS, 31, players=players), axis=1)
    for lane in range(4):
        jack = JACKS & 0xFFFF << 16 * lane
        assert near(np.count_nonzero(dealt & jack), DEALS, 6 * players / 52)


@pytest.mark.parametrize("players", PLAYERS)
def test_the_jack_of_a_suit_pitched_at_random_is_out_or_pitched(players):
    run = simulate(Rules(players=players), ["random"], ["passive"], deals=DEALS)
    chance = 1 / 13 + 12 / 13 * (6 * players - 1) / 51
    assert near(run.tally.totals[simulating.JACK], DEALS, chance)


@pytest.mark.parametrize("players", PLAYERS)
def test_80_trick_points_times_the_share_of_the_deck_are_in_play(players):
    run = simulate(Rules(players=players), ["random"], ["passive"], deals=DEALS)
    values, cards = np.array(TRICK_POINTS * 4), 6 * players
    variance = cards * values.var() * (52 - cards) / 51
    mean = run.to_dict()["trick_points_in_play"]
    assert abs(mean - 80 * 6 * players / 52) < 4 * math.sqrt(variance / DEALS)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize(("hand", "above"), [("KS 9S", 1), ("QS 9S", 2), ("JS 9S", 3), ("AS 9S", 0), ("KS AS", 0)])
def test_the_top_trump_is_high_when_no_higher_one_is_out_whatever_the_play(players, hand, above):
    counts = {
        int(won(pitched(f"{hand} 4H 3H 8D 7C", hand.split()[1], play, rules=Rules(players=players)), HIGH)[0])
        for play in ("random", "greedy", "sound")
    }
    assert len(counts) == 1
    assert near(counts.pop(), DEALS, none_is_out(above, players))


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize(("hand", "below"), [("3S QS", 1), ("4S QS", 2), ("5S 9S", 3), ("2S 9S", 0), ("3S 2S", 0)])
def test_the_lowest_trump_is_the_lowest_in_play_when_no_lower_one_is_out(players, hand, below):
    rules = Rules(players=players, low_goes_to="holder")
    counts = {
        int(won(pitched(f"{hand} 4H 3H 8D 7C", hand.split()[1], play, rules=rules), LOW)[0])
        for play in ("random", "greedy", "sound")
    }
    assert len(counts) == 1
    assert near(counts.pop(), DEALS, none_is_out(below, players))


@pytest.mark.parametrize("rules", [*(Rules(players=players) for players in PLAYERS), Rules(partners=True)])
@pytest.mark.parametrize("play", ["random", "greedy", "sound"])
def test_ace_king_queen_jack_ten_nine_is_four_in_every_deal(rules, play):
    hand = "AD KD QD JD TD 9D"
    tally = pitched(hand, hand, play, rules=rules, deals=3_000)
    assert tally[:, HIGH | LOW | JACK | GAME].tolist() == [3_000] * 6


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("play", ["random", "greedy", "sound"])
def test_without_the_jack_a_bid_of_4_needs_it_to_be_out(players, play):
    tally = pitched("AS KS QS TS 9S 8S", "AS 8S", play, rules=Rules(players=players))
    assert (tally[:, HIGH | LOW | JACK | GAME] <= won(tally, JACK)).all()
    chance = out(players) / 46
    assert won(tally, JACK).max() <= DEALS * chance + 4 * math.sqrt(DEALS * chance * (1 - chance))


@policy(CARD)
def from_the_top(view):
    """Lead my highest card, trumps first."""
    return highest(view.legal)


@policy(CARD)
def keep_the_jack(view):
    """Keep the jack of trumps as long as the rules let me."""
    others = view.legal & ~TRUMP_JACK
    trumps = others & TRUMPS
    return lowest(trumps if trumps != 0 else others if others != 0 else view.legal)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize(("hand", "drawn"), [("AS KS QS 2H 3D 4C", 0.9529), ("AS KS 2H 5H 3D 4C", 0.6943)])
def test_the_top_trumps_draw_a_jack_that_is_out_whatever_the_number_of_players(players, hand, drawn):
    trumps = hand.count("S")
    unseen = 12 - trumps
    ways = sum(math.comb(unseen, k) * math.comb(45 - unseen, 5 - k) for k in range(trumps)) / math.comb(45, 5)
    assert round(ways, 4) == drawn
    tally = pitched(hand, "AS", from_the_top, *[keep_the_jack] * (players - 1), rules=Rules(players=players))
    assert near(won(tally, JACK)[0], DEALS, ways * out(players) / 46)


# Sums and symmetries ------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("bidding", ["passive", "thresholds"])
def test_points_awarded_add_up(players, bidding):
    run = simulate(Rules(players=players, stuck_dealer="throw_in_next"), ["random"], [bidding], deals=10_000)
    tally, totals = run.tally, run.tally.totals
    assert totals[simulating.HIGH] == totals[simulating.LOW] == run.played >= totals[simulating.GAME]
    awarded = int(totals[simulating.HIGH : simulating.GAME + 1].sum())
    by_pitchers = tally.by_bid[:, simulating.BID_POINTS].sum()
    others_change = tally.by_seat[:, simulating.SEAT_CHANGE].sum() - tally.by_bid[:, simulating.BID_CHANGE].sum()
    assert awarded - by_pitchers == others_change


@pytest.mark.parametrize("rules", [*(Rules(players=players) for players in PLAYERS), Rules(partners=True)])
def test_all_trick_points_won_are_all_trick_points_dealt(rules):
    run = simulate(rules, ["greedy"], ["passive"], deals=3_000, seed=12)
    dealt = np.bitwise_or.reduce(many_deals(3_000, Keys.of(12).deal, players=rules.players), axis=1)
    assert run.tally.totals[simulating.TRICK_POINTS] == sum(points_in(set_to_cards(int(cards))) for cards in dealt)


@jitted
def play_given(line, house, dealt, pitcher, bid, lead, luck, hands, piles, log, changes):
    """Play a deal with these hands; fills the score changes by side."""
    high, low, jack, game, points, tricks = play_deal(line, house, dealt, hands, piles, pitcher, bid, lead, luck, log)
    pitchers_side = pitcher & 1 if house.partners != 0 else pitcher
    for side in range(2 if house.partners != 0 else house.players):
        changes[side] = changes_of(side, pitchers_side, bid, high, low, jack, game, tricks, house)
    return high, low, jack, game, points, tricks


def played(seating, hands, pitcher, bid, lead, luck):
    """How these hands are played by these policies, and the score changes by side."""
    dealt, changes = np.zeros(8, np.int64), np.zeros(8, np.int64)
    dealt[: len(hands)] = [cards_to_set(hand) for hand in hands]
    rooms = np.zeros(8, np.int64), np.zeros(8, np.int64), new_log()
    how = play_given(
        seating.line, seating.house, dealt, pitcher, bid, card_number(lead), luck, *rooms, changes
    )  # fmt: skip
    return [int(number) for number in how], changes[: seating.rules.sides].tolist()


def random_question(rng):
    """A table with policies, hands, a pitcher and his lead."""
    rules = random_rules(rng)
    seating = seated(rules, *rng.choices(["random", "greedy", "sound"], k=rules.players))
    hands = deal_hands(rng.sample(full_deck(), 52), rules.players)
    pitcher = rng.randrange(rules.players)
    return seating, hands, pitcher, rng.choice(hands[pitcher]), rng.getrandbits(61)


def rotated(values, by):
    return [values[(place - by) % len(values)] for place in range(len(values))]


@pytest.mark.slow
def test_when_the_seats_rotate_the_results_rotate():
    rng = random.Random(41)
    for _ in range(400):
        seating, hands, pitcher, lead, luck = random_question(rng)
        by, rules = rng.randrange(1, seating.rules.players), seating.rules
        moved = Seating(rules, tuple(rotated(seating.play, by)), seating.bidding)
        here, changes = played(seating, hands, pitcher, 3, lead, luck)
        there, other_changes = played(moved, rotated(hands, by), (pitcher + by) % rules.players, 3, lead, luck)
        assert other_changes == rotated(changes, by)
        assert there[:4] == [side if side < 0 else (side + by) % rules.sides for side in here[:4]]


def test_when_the_suits_turn_round_nothing_changes():
    rng = random.Random(42)
    for _ in range(400):
        seating, hands, pitcher, lead, luck = random_question(rng)
        by = rng.randrange(1, 4)

        def turn(card, by=by):
            return Card(card.rank, (card.suit + by) % 4)

        turned = [[turn(card) for card in hand] for hand in hands]
        assert played(seating, hands, pitcher, 2, lead, luck) == played(seating, turned, pitcher, 2, turn(lead), luck)


@pytest.mark.parametrize("names", ["SHDC", "CSHD", "HSDC", "DCSH", "SDHC", "CDHS"])
def test_when_the_suits_are_renamed_the_points_are_distributed_alike(names):
    hand = "AS JS 8S KH 4D 2C"
    renamed = hand.translate(str.maketrans(SUITS, names))
    counts = [
        pitched(text, text.split()[1], "random", rules=Rules(), seed=seed)[0]
        for seed, text in ((3, hand), (4, renamed))
    ]
    table = np.array([column for column in zip(*counts, strict=True) if sum(column) > 20])
    assert stats.chi2_contingency(table).pvalue > 0.001


def test_on_the_same_cards_and_play_a_higher_bid_never_raises_the_pitchers_score_change():
    rng = random.Random(43)
    made = set()
    for _ in range(400):
        seating, hands, pitcher, lead, luck = random_question(rng)
        rules = Rules(**seating.rules.to_dict() | {"smudge": False})
        seating = Seating(rules, seating.play, seating.bidding)
        side = pitcher % 2 if rules.partners else pitcher
        runs = [played(seating, hands, pitcher, bid, lead, luck) for bid in (1, 2, 3, 4)]
        assert len({tuple(how) for how, _ in runs}) == 1, "the same play"
        changes = [changes[side] for _, changes in runs]
        assert changes == sorted(changes, reverse=True)
        made.add(tuple(change > 0 for change in changes))
    assert len(made) == 5


# Mistakes of other programs --------------------------------------------------------------------------


def test_bids_of_one_deal_do_not_leak_into_the_next():
    names = ["greedy"], ["thresholds"]
    run = simulate(Rules(), *names, deals=200, seed=2)
    alone = [replay(seat_players(Rules(), *names), 2, deal) for deal in range(200)]
    bids = [max(call["bid"] for call in record["auction"]) for record in alone]
    assert run.tally.by_bid[:, simulating.BID_DEALS].tolist() == [bids.count(bid) for bid in range(5)]
    assert len(set(bids)) >= 3
    changes = np.sum([score(record)["delta"] for record in alone], axis=0)
    assert run.tally.by_seat[:4, simulating.SEAT_CHANGE].tolist() == changes.tolist()


def test_no_jack_out_is_no_stray_key_and_who_takes_no_trick_is_in_the_score():
    shapes = set()
    for seed in range(30):
        answer = simulate(Rules(players=7), ["greedy"], ["passive"], deals=1, seed=seed).to_dict()
        shapes.add((answer["points"]["jack"], tuple(answer), tuple(answer["points"]), len(answer["seats"])))
    assert {shape[0] for shape in shapes} == {0.0, 1.0}
    assert len({shape[1:] for shape in shapes}) == 1
    assert shapes.pop()[3] == 7


@policy(CALL)
def eager(view):
    """Bid four."""
    return 4 if (view.legal >> 4) & 1 != 0 else 0


@pytest.mark.parametrize("seat", range(5))
def test_a_policy_named_for_a_seat_sits_in_that_seat(seat):
    passive, bold = find(BIDDING, "passive"), Found("eager", eager, no_notes, "test", "")
    bidding = [bold if place == seat else passive for place in range(5)]
    seating = Seating(Rules(players=5), (find(PLAY, "greedy"),) * 5, tuple(bidding))
    for deal in range(20):
        answer = score(replay(seating, 3, deal))
        assert (answer["pitcher"], answer["bid"]) == (seat, 4)


def test_everybody_passed_is_not_read_from_the_last_speaker():
    bidding = [find(BIDDING, "passive")] * 4
    bidding[1] = Found("eager", eager, no_notes, "test", "")
    seating = Seating(Rules(dealer_may_steal="any"), (find(PLAY, "greedy"),) * 4, tuple(bidding))
    run = simulation.Simulation(seating, 1, simulation._run(seating, Keys.of(1), 0, 100, 1, False))
    assert run.to_dict()["stuck"] == 0
    assert run.to_dict()["seats"][1]["pitcher"] == 1


def test_an_estimate_is_not_divided_as_whole_numbers():
    answer = simulate(Rules(), ["greedy"], ["passive"], deals=1_000).to_dict()
    assert 0 < answer["pitcher"]["made"] < 1
    assert answer["seats"][0]["score_change"] % 1 != 0


def test_400_games_are_not_called_proof():
    from pitchsim import advise

    answer = advise("AS 9S 4H 8D 7D 2C", auction="pass pass pass", deals=400, play="greedy", rules=Rules())
    close = [row for row in answer.call_rows() if abs(row["difference"]) <= 2 * row["difference_se"]]
    assert all(row["difference_se"] > 0 for row in answer.call_rows())
    assert answer.weighing.too_close() == (len(close) >= 2)
    run = simulate(Rules(), ["greedy"], ["thresholds"], deals=400).to_dict()
    assert all(seat["se"] > 0.04 for seat in run["seats"])


def bid_view(hand, highest_bid, notes, seat=0):
    """What a seat of four hears and holds; the legal calls are those of R4."""
    legal = 1 | 0b11111 >> highest_bid + 1 << highest_bid + 1
    bidder = 0 if highest_bid else -1
    calls = (highest_bid + 1) if seat else 0
    return BidView(hand, seat, highest_bid, bidder, calls, legal, 4, 0, 0, 0, 1, notes.ctypes.data, 0)


@pytest.mark.parametrize(("seat", "highest_bid"), [(0, 0), (1, 1), (1, 2), (1, 3)])
def test_thresholds_have_no_gaps(seat, highest_bid):
    notes = thresholds.notes(Rules())
    view = bid_view(cards_to_set(parse_six("AS 9S 4H 8D 7D 2C")), highest_bid, notes, seat)
    calls = [int(thresholds.others_to_speak(view, *[worth] * 4)) for worth in range(-5_000, 5_000, 7)]
    assert all(call == 0 or call > highest_bid for call in calls)
    assert calls == sorted(calls), "who has more never bids less"
    assert (calls[0], calls[-1]) == (0, 4)


def test_the_best_suit_is_not_chosen_before_bids_are_compared():
    """Every bid is weighed in the suit that is best for it: spades have the higher cards, hearts the higher bid."""
    hand = parse_six("AS KS 8H 7H 6H 5H")
    scores = np.full((8192, 4), thresholds.NEVER, np.int16)
    ranks = {suit: sum(1 << card.rank for card in hand if card.suit == suit) for suit in (0, 1)}
    scores[ranks[0]] = [900, 700, -500, -2000]
    scores[ranks[1]] = [400, 500, 1600, -1000]
    notes = thresholds.arrange([0] * 9, scores)
    view = bid_view(cards_to_set(hand), 0, notes)
    assert int(thresholds.thresholds(view)) == 3, "spades alone are worth a 2, hearts a 3"
