"""Looking ahead: options, no peeking, guesses against counting, the last tricks against brute force, any position."""

import copy
import itertools
import json
import math
import random as chance
import re
import shlex
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner
from random_deals import random_rules
from test_policies import HOUSES, hidden_cards_dealt_anew, house_name, lane_of, view_of, walk

import pitchsim
from pitchsim import InputError, Rules, api
from pitchsim.bidding import BIDDING
from pitchsim.cards import parse_card, parse_hand
from pitchsim.cli import main
from pitchsim.deck import (
    HAND_SIZE,
    LANE_BITS,
    SUIT_CARDS,
    TRUMP_LANE,
    card_of,
    cards_to_set,
    set_to_cards,
    turn,
    turned_card,
    unturned_card,
)
from pitchsim.guessing import (
    WRONG_CALL,
    card_at,
    fit_of_calls,
    guess_hands,
    luck_in,
    may_hold,
    past_of,
    resample,
    weight_of,
)
from pitchsim.house import house_of
from pitchsim.jit import PLAIN
from pitchsim.log import BID, CALLS, PITCHER, PUBLIC, TRUMP_SUIT, new_log
from pitchsim.plugins import find
from pitchsim.policies import PLAY
from pitchsim.policies.search import OPTIONS, OTHERS_BIDDING, OTHERS_PLAY, best_card, others_in, worth
from pitchsim.position import beginning, play_on, put
from pitchsim.question import read_names
from pitchsim.records import make_record
from pitchsim.rules import Deal, deal_hands, full_deck, side_of
from pitchsim.seating import Keys, seat_players
from pitchsim.serving import Brain
from pitchsim.simulation import replay
from pitchsim.solving import LINES, SIDES, solve
from pitchsim.stream import luck_of
from pitchsim.view import unseen

SEED = 20


# Names with options ----------------------------------------------------------------------------------


def run(line):
    """Run one command line in this process."""
    return CliRunner().invoke(main, shlex.split(line), prog_name="pitchsim")


def options_of(name):
    """What is read behind a name."""
    return find(PLAY, name).notes.keywords["options"]


def test_options_behind_a_name():
    assert options_of("search:worlds=40,solve=3") == {"worlds": 40, "solve": 3}
    assert options_of("search:worlds=40:solve=3") == {"worlds": 40, "solve": 3}
    assert options_of("search:prior=.25:objective=margin") == {"prior": 0.25, "objective": "margin"}
    assert options_of("search: play = sound, bidding=passive") == {"play": "sound", "bidding": "passive"}
    assert find(PLAY, "search:worlds=40").name == "search:worlds=40"


def test_an_option_may_name_a_policy_of_ones_own(tmp_path):
    (tmp_path / "own.py").write_text("def mine(view):\n    return 0\n")
    name = f"{tmp_path}/own.py:mine"
    assert options_of(f"search:bidding={name}:worlds=3") == {"bidding": name, "worlds": 3}


@pytest.mark.parametrize(
    "option", ["worlds=3", "prior=0", "solve=2", "objective=margin", "play=greedy", "bidding=passive"]
)
def test_every_option_changes_the_notes(option):
    """Also the mark by which a run that goes on recognises them."""
    usual, other = find(PLAY, "search"), find(PLAY, f"search:{option}")
    assert list(usual.notes(Rules())) != list(other.notes(Rules()))
    assert usual.mark(Rules()) != other.mark(Rules())


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "search:",
            "'' is no option of the play policy 'search'; there are worlds, prior, solve, objective, play",
        ),
        ("search:depth=3", "'depth=3' is no option of the play policy 'search'; there are worlds"),
        ("search:worlds=3,worlds=4", "the play policy 'search' is given worlds twice; give it once"),
        ("search:worlds=0", "'0' is not a number of worlds; give a whole number from 1 to 100000"),
        ("search:worlds=", "'' is not a number of worlds; give a whole number from 1 to 100000"),
        ("search:worlds=1e3", "'1e3' is not a number of worlds; give a whole number from 1 to 100000"),
        ("search:worlds=100001", "'100001' is not a number of worlds; give a whole number from 1 to 100000"),
        ("search:solve=4", "'4' is not a number of tricks to solve; give a whole number from 0 to 3"),
        ("search:prior=-1", "'-1' is not a head start; give standard errors from 0 to 100"),
        ("search:prior=nan", "'nan' is not a head start; give standard errors from 0 to 100"),
        ("search:objective=win", "'win' is not an objective of search; there are score, margin"),
        ("search:play=search", "search plays its worlds out by a quick policy; give another than search"),
        ("search:play=nobody", "there is no play policy 'nobody'"),
        ("search:bidding=nobody", "there is no bidding policy 'nobody'"),
        ("greedy:worlds=3", "the play policy 'greedy' takes no options; give the name alone"),
    ],
)
def test_options_that_cannot_be(name, why):
    with pytest.raises(InputError) as refused:
        find(PLAY, name)
    assert str(refused.value).startswith(why)
    assert "\n" not in str(refused.value)
    answer = run(f"simulate --deals 1 --play '{name},greedy,greedy,greedy'")
    assert answer.exit_code == 2
    assert f"\nError: {why}" in answer.stderr


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("search:worlds=40,solve=3,greedy", ("search:worlds=40,solve=3", "greedy")),
        ("greedy,search:worlds=40,solve=3", ("greedy", "search:worlds=40,solve=3")),
        ("search:worlds=4, play=a.py:f ,search:solve=3", ("search:worlds=4, play=a.py:f", "search:solve=3")),
        ("search:worlds=4,a=b/own.py:f", ("search:worlds=4,a=b/own.py:f",)),
        ("greedy,a=b/own.py:f", ("greedy", "a=b/own.py:f")),
        ("search,greedy", ("search", "greedy")),
    ],
)
def test_lists_of_names_with_options(text, names):
    assert read_names(text) == names


def test_names_with_options_work_in_every_command():
    few, deals = "search:worlds=2,solve=1", 4
    lines = [
        f"simulate -n 2 --deals {deals} --play {few},greedy",
        f"simulate -n 3 --deals {deals} --play {few}",
        f"match {few} greedy/passive -n 2 --deals {deals}",
    ]
    if not PLAIN:
        lines.append("advise 'AS KS 4S JD 10C 2H' -n 2 --deals 60 --play search:worlds=1,greedy")
    for line in lines:
        answer = run(line)
        assert answer.exit_code == 0, answer.output
        assert "search:worlds=" in answer.stdout
    asked = "play n=4 seat=1 dealer=0 hand=AS,KS,4S,9D,3C,2C said=2,0,0,0\nquit\n"
    answer = CliRunner().invoke(main, ["serve", "--play", few], input=asked)
    assert answer.stdout.startswith("card ")


def test_the_policy_tells_its_options():
    """With what is usual, in the words that one would type."""
    told = find(PLAY, "search").description
    usual = re.search("`(search:.*)`", told)[1]
    assert options_of(usual) == {name: value for name, (value, _) in OPTIONS.items()}


def test_search_takes_the_others_to_bid_and_play_as_all_do():
    """The program's usual policies; when they change, the search must too."""
    assert OTHERS_BIDDING == api.DEFAULT_BIDDING
    assert OTHERS_PLAY == "expert"


QUICK_TO_SEAT = "search:bidding=thresholds"
"""Under house rules whose plans do not come with the program the usual bidders would have to be worked out first."""


# Moments of a deal -----------------------------------------------------------------------------------


def moment(rules, hands, calls, plays):
    """A moment of a deal as the kernels see it: position, hands dealt and held, piles, log (the dealer sits last)."""
    house, deal = house_of(rules), started(rules, hands, calls)
    lane = plays[0][1].suit if plays else TRUMP_LANE
    dealt = np.array([turn(cards_to_set(hand), lane) for hand in hands] + [0] * (8 - len(hands)), np.int64)
    held, piles, log = dealt.copy(), np.zeros(8, np.int64), new_log()
    log[CALLS] = sum((call + 1) << 4 * seat for seat, call in enumerate(calls))
    log[PITCHER], log[BID], log[TRUMP_SUIT] = deal.pitcher, deal.bid, lane if plays else 0
    position = beginning(deal.pitcher, rules.players)
    for _, card in plays:
        number = turned_card(LANE_BITS * card.suit + card.rank, lane)
        position = put(position, held, piles, number, house, log)
    return position, dealt, held, piles, log


def started(rules, hands, calls):
    """Deal and bid; the dealer sits last."""
    deal = Deal(rules, rules.players - 1, hands)
    for call in calls:
        deal.call(deal.to_speak, call)
    return deal


def address(array):
    """Where an array is (in plain Python the array itself)."""
    return array if PLAIN else array.ctypes.data


def seen_by_search(name, deal, plays, luck=0):
    """What `search` sees here: the View, with its notes and the public part of the log."""
    notes = find(PLAY, name).notes(deal.rules)
    page = moment(deal.rules, deal.hands, deal.calls, plays)[-1][PUBLIC:].copy()
    return view_of(deal, plays, luck)._replace(notes=address(notes), page=address(page)), page


def card_of_search(name, deal, plays, luck=0):
    """The card that `search` plays here."""
    view, _page = seen_by_search(name, deal, plays, luck)
    return card_of(unturned_card(int(find(PLAY, name).function(view)), lane_of(deal)))


def replayed(rules, play, number, bidding="thresholds"):
    """A deal as the engine plays it: hands, calls, plays."""
    record = replay(seat_players(rules, [play], [bidding]), SEED, number)
    hands = [parse_hand(hand) for hand in record["hands"]]
    return hands, [call["bid"] for call in record["auction"]], [(s, parse_card(card)) for s, card in record["plays"]]


def some_deals(rng, number):
    """Random deals by the readable rules that were not thrown in: rules, hands, calls, plays; the dealer sits last."""
    while number:
        rules = random_rules(rng)
        deal, plays = Deal(rules, rules.players - 1, deal_hands(rng.sample(full_deck(), 52), rules.players)), []
        while deal.to_speak is not None:
            deal.call(deal.to_speak, rng.choice(deal.legal_calls()))
        while deal.to_play is not None:
            plays.append((deal.to_play, rng.choice(deal.legal_cards())))
            deal.play(*plays[-1])
        if plays:
            number -= 1
            yield rules, deal.hands, deal.calls, plays


# No peeking ------------------------------------------------------------------------------------------


def compare_with_cards_dealt_anew(rules, name, deals):
    """The engine's choice in a position is what search plays when all unseen cards are dealt anew; how often."""
    rng, compared = chance.Random(3), 0
    for number in deals:
        hands, calls, plays = replayed(rules, name, number)
        luck = int(luck_of(Keys.of(SEED).luck, number))
        for deal, before in walk(rules, hands, calls, plays):
            again = hidden_cards_dealt_anew(deal, before, rng)
            if again is not None and len(deal.held[deal.to_play]) > 1:
                assert card_of_search(name, again, before, luck) == plays[len(before)][1]
                compared += 1
    return compared


@pytest.mark.parametrize("rules", HOUSES, ids=house_name)
def test_search_does_not_peek(rules):
    """Given the same stream; the calls and cards heard are told, the hidden cards are not."""
    name = QUICK_TO_SEAT + (",worlds=2,solve=1" if PLAIN else ",worlds=12")
    compared = compare_with_cards_dealt_anew(rules, name, range(1 if PLAIN else 6))
    assert compared >= (1 if PLAIN else 6 * rules.players)


@pytest.mark.slow
@pytest.mark.parametrize("options", ["worlds=20", "worlds=8,solve=2", "worlds=8,objective=margin"])
@pytest.mark.parametrize("rules", HOUSES, ids=house_name)
def test_search_does_not_peek_in_thousands_of_positions(rules, options):
    assert compare_with_cards_dealt_anew(rules, f"{QUICK_TO_SEAT},{options}", range(100, 106)) >= 6 * rules.players


def test_the_same_on_any_number_of_threads():
    one, two = (
        pitchsim.match("search:worlds=3", "greedy", deals=6 if PLAIN else 300, threads=threads).to_dict()
        for threads in (1, 2)
    )
    assert json.dumps(one) == json.dumps(two)


# Guesses ---------------------------------------------------------------------------------------------


def late_moments(rng, players, left, number):
    """Moments with so many cards left in every hand, in which some void was shown."""
    rules = Rules(players=players, follow=rng.choice(["or_trump", "strict"]))
    while number:
        deal = started(rules, deal_hands(rng.sample(full_deck(), 52), players), [0] * (players - 1) + [2])
        plays = []
        while len(plays) < (HAND_SIZE - left) * players:
            plays.append((deal.to_play, rng.choice(deal.legal_cards())))
            deal.play(*plays[-1])
        view = view_of(deal, plays)
        if len({seat for seat in range(players) if seat != view.seat and view.voids >> 4 * seat & 15}) >= 1:
            number -= 1
            yield deal, plays, view


def ways_to_hold(view, players, left):
    """By counting every deal of the unseen cards: how many give this card to this seat; and how many there are."""
    others = [seat for seat in range(players) if seat != view.seat]
    counts, total = Counter(), 0

    def deal_rest(seats, free, given):
        nonlocal total
        if not seats:
            total += 1
            counts.update((seat, card) for seat, cards in given.items() for card in cards)
            return
        allowed = [card for card in free if int(may_hold(view, seats[0])) >> card & 1]
        for cards in itertools.combinations(allowed, left):
            deal_rest(seats[1:], [card for card in free if card not in cards], {**given, seats[0]: cards})

    deal_rest(others, [card for card in range(64) if int(unseen(view)) >> card & 1], {})
    return counts, total


@pytest.mark.skipif(PLAIN, reason="too many guesses for plain Python")
@pytest.mark.parametrize(("players", "left"), [(2, 1), (2, 2), (3, 1), (4, 1)])
def test_guesses_count_as_all_deals_that_can_be(players, left):
    """Chance that a seat holds a card, by guesses with their weights, against counting all deals under the voids."""
    rng = chance.Random(players + left)
    for deal, plays, view in late_moments(rng, players, left, 2):
        counts, total = ways_to_hold(view, players, left)
        shown = np.array([cards_to_set([card for who, card in plays if who == seat]) for seat in range(8)], np.int64)
        held, weights, guess = Counter(), [], np.zeros(8, np.int64)
        for number in range(20_000):
            weights.append(guess_hands(view, players, shown, luck_in(view, number), guess))
            for seat in range(players):
                if seat != view.seat:
                    for card in set_to_cards(int(guess[seat])):
                        held[seat, LANE_BITS * card.suit + card.rank] += weights[-1]
        weight, squares = sum(weights), sum(w * w for w in weights)
        assert weight > 0
        for key in counts.keys() | held.keys():
            expected, found = counts[key] / total, held[key] / weight
            error = math.sqrt(max(expected * (1 - expected), 1e-6) * squares) / weight
            assert abs(found - expected) < 5 * error, (key, expected, found)
        assert deal.to_play == view.seat


@pytest.mark.parametrize("strict", [False, True])
def test_r9_no_guess_gives_a_suit_that_was_shown_to_be_missing(strict):
    """A plain discard on a plain lead shows the suit led to be missing, and nothing about trumps."""
    rules = Rules(players=3, follow="strict" if strict else "or_trump")
    # Seat 0 pitches spades and leads hearts; seat 1 throws off a club; seat 2 trumps.
    hands = [parse_hand("AS AH KH QH 2D 3D"), parse_hand("2S 4C 5C 6C 7D 8D"), parse_hand("3S 4S 5S 9D TD JD")]
    plays = list(zip([0, 1, 2, 0, 1, 2], parse_hand("AS 2S 3S AH 4C 4S"), strict=True))
    deal = started(rules, hands, [2, 0, 0])
    for seat, card in plays:
        deal.play(seat, card)
    view = view_of(deal, plays)
    assert view.seat == 2
    deal.to_play = 0  # Seat 0 looks, though it is seat 2 who leads: he is to guess both others.
    view = view_of(deal, plays)
    shown = np.array([cards_to_set([card for who, card in plays if who == seat]) for seat in range(8)], np.int64)
    hearts, trumps = SUIT_CARDS << turned_card(LANE_BITS * plays[3][1].suit, deal.trump), SUIT_CARDS << 48
    some_hearts, some_trumps, guess = set(), set(), np.zeros(8, np.int64)
    for number in range(100 if PLAIN else 1000):
        assert guess_hands(view, 3, shown, luck_in(view, number), guess) > 0
        some_hearts |= {seat for seat in (1, 2) if int(guess[seat]) & hearts}
        some_trumps |= {seat for seat in (1, 2) if int(guess[seat]) & trumps}
    assert some_trumps == {1, 2}
    assert some_hearts == (set() if strict else {2})


@pytest.mark.parametrize("rules", HOUSES, ids=house_name)
def test_guesses_are_deals_that_can_be(rules):
    """Everybody gets as many cards as he holds, all unseen and different, of no suit that he showed to be out of."""
    guess, made = np.zeros(8, np.int64), 0
    for number in range(1 if PLAIN else 3):
        hands, calls, plays = replayed(rules, "greedy", number)
        for deal, before in walk(rules, hands, calls, plays):
            view, _page = seen_by_search(QUICK_TO_SEAT, deal, before)
            past = past_of(view, house_of(rules))
            for luck in range(5):
                if guess_hands(view, rules.players, past.shown, luck_in(view, luck), guess) > 0:
                    cards = [int(guess[seat]) for seat in range(rules.players)]
                    made += 1
                    assert [held.bit_count() for held in cards] == [len(held) for held in deal.held]
                    assert sum(cards) & ~int(unseen(view) | view.hand) == 0
                    assert sum(held.bit_count() for held in cards) == sum(cards).bit_count()
                    assert cards[view.seat] == view.hand
                    for seat, held in enumerate(cards):
                        assert seat == view.seat or held & ~int(may_hold(view, seat)) == 0
    assert made > 20


@pytest.mark.parametrize("rules", HOUSES, ids=house_name)
def test_what_was_seen_is_put_on_the_table_once_more(rules):
    hands, calls, plays = replayed(rules, "greedy", 7)
    for deal, before in walk(rules, hands, calls, plays):
        view, page = seen_by_search(QUICK_TO_SEAT, deal, before)
        position, dealt, held, piles, _log = moment(rules, hands, calls, before)
        past = past_of(view, house_of(rules))
        assert (past.position, past.played) == (position, len(before))
        assert (list(past.piles), list(past.shown)) == (list(piles), list(dealt & ~held))
        assert list(past.log[PUBLIC:]) == list(page)
        assert (past.position.voids, past.position.gone) == (view.voids, view.gone)


@pytest.mark.parametrize("rules", HOUSES, ids=house_name)
def test_the_true_hands_fit_what_such_players_did(rules):
    """Experts who bid by thresholds, guessed right, would have made every call and played every card."""
    desk, doubted = np.zeros((3, 8), np.int64), 0
    for number in range(1 if PLAIN else 4):
        hands, calls, plays = replayed(rules, OTHERS_PLAY, number)
        other_hands = replayed(rules, OTHERS_PLAY, number + 50)[0]
        for deal, before in walk(rules, hands, calls, plays):
            view, _page = seen_by_search(QUICK_TO_SEAT, deal, before)
            others = others_in(view.notes)
            past = past_of(view, others.house)
            held = moment(rules, hands, calls, before)[2]
            assert weight_of(view, others, past, held, 5, desk) == 1
            assert list(past.log[PUBLIC:]) == list(_page)
            if not before:
                wrong = moment(rules, other_hands, calls, [])[2]
                bidders = [seat for seat in range(len(calls)) if seat != view.seat]
                wishes = [replayed_call(rules, other_hands, calls, seat) for seat in bidders]
                doubts = sum(wish != calls[seat] for seat, wish in zip(bidders, wishes, strict=True))
                assert math.isclose(fit_of_calls(view, others, past.log[CALLS], wrong, 5), WRONG_CALL**doubts)
                doubted += doubts
    assert doubted or PLAIN


def replayed_call(rules, hands, calls, seat):
    """What the usual bidder would call in this seat after these calls, asked through `serve`."""
    brain = Brain(rules, find(PLAY, "greedy"), find(BIDDING, "thresholds"), 1)
    cards = ",".join(card_text(card) for card in hands[seat])
    said = ",".join(map(str, calls[:seat]))
    answer = brain.answer(
        f"bid n={rules.players} partners={int(rules.partners)} seat={seat} dealer={rules.players - 1} "
        f"hand={cards} said={said}".encode()
    )
    return int(answer.split()[1])


def card_text(card):
    """A card as in a request."""
    return str(card).replace("10", "T")


def test_likely_guesses_are_kept_often():
    """In proportion to their weights, spread evenly: never more than one off."""
    weights = np.array([1.0, 0, 2.5, 0.5, 4])
    for luck in range(50):
        kept = Counter(int(guess) for guess in resample(weights, 16, luck))
        assert sum(kept.values()) == 16
        assert all(abs(kept[guess] - 2 * weight) < 1 for guess, weight in enumerate(weights))
    assert len(resample(np.zeros(3), 16, 1)) == 0


def test_places_in_a_set_of_cards():
    assert [card_at(0b1011000, place) for place in range(3)] == [3, 4, 6]


# The end of a deal -----------------------------------------------------------------------------------


def copied(deal):
    """The same deal once more, to be played on."""
    twin = copy.copy(deal)
    twin.held, twin.piles = [list(held) for held in deal.held], [list(pile) for pile in deal.piles]
    twin.trick, twin.trick_winners = list(deal.trick), list(deal.trick_winners)
    return twin


def brute_force(deal):
    """Everybody plays for his own side's score change with open cards; of cards that bring the same, the first."""
    if deal.over:
        return deal.outcome().delta
    side = side_of(deal.to_play, deal.rules.partners)
    best = None
    for card in sorted(deal.legal_cards(), key=lambda card: turned_card(LANE_BITS * card.suit + card.rank, deal.trump)):
        after = copied(deal)
        after.play(deal.to_play, card)
        changes = brute_force(after)
        best = changes if best is None or changes[side] > best[side] else best
    return best


def solved(rules, hands, calls, plays):
    """The same by `solve`; hands and piles must be left as they were."""
    position, dealt, held, piles, log = moment(rules, hands, calls, plays)
    values, deal = np.zeros((LINES, SIDES), np.int64), started(rules, hands, calls)
    before = (list(held), list(piles))
    solve(
        dealt, held, piles, house_of(rules), int(np.bitwise_or.reduce(dealt)), position, deal.pitcher, deal.bid, log,
        values, 0,
    )  # fmt: skip
    assert (list(held), list(piles)) == before
    return tuple(int(value) for value in values[0, : rules.sides])


def check_endings(deals, most):
    """Endings of one to so many cards each, begun at any card of a trick."""
    for rules, hands, calls, plays in deals:
        rng = chance.Random(len(calls))
        for left in range(1, most(rules.players) + 1):
            before = plays[: (HAND_SIZE - left) * rules.players + rng.randrange(rules.players)]
            deal = started(rules, hands, calls)
            for seat, card in before:
                deal.play(seat, card)
            assert solved(rules, hands, calls, before) == brute_force(deal), make_record(
                rules, rules.players - 1, hands, calls, before
            )


def test_the_last_tricks_are_solved_as_by_brute_force():
    """All players, partners, house rules; three cards each where that is quick in plain Python."""
    deals = list(some_deals(chance.Random(5), 6 if PLAIN else 60))
    assert PLAIN or {(rules.players, rules.partners) for rules, *_ in deals} >= {(n, False) for n in range(2, 8)}
    check_endings(deals, lambda players: 3 if players < 4 else 2)


@pytest.mark.slow
def test_three_tricks_are_solved_as_by_brute_force():
    check_endings(some_deals(chance.Random(6), 40), lambda players: 3 if players < 6 else 2)


@pytest.mark.slow
def test_three_tricks_of_six_and_seven_are_solved_as_by_brute_force():
    check_endings(itertools.islice((d for d in some_deals(chance.Random(7), 60) if d[0].players > 5), 4), lambda _: 3)


def test_what_a_side_wants():
    """Its score change, or that minus the mean of the other sides'."""
    values = np.array([3, -2, 1, 0], np.int64)
    assert worth(0, values, house_of(Rules()), 0) == 3
    assert worth(0, values, house_of(Rules()), 1) == pytest.approx(3 - (-2 + 1 + 0) / 3)
    assert worth(1, values[:2], house_of(Rules(partners=True)), 1) == -5


# From any position on --------------------------------------------------------------------------------


def test_a_deal_goes_on_from_any_position_as_the_engine_plays_it():
    """All house rules, everybody by another policy: the rest of the deal is what `play_cards` played."""
    rng = chance.Random(9)
    for number in range(4 if PLAIN else 60):
        rules = random_rules(rng)
        names = [rng.choice(["random", "greedy", "sound"]) for _ in range(rules.players)]
        seating = seat_players(rules, names, ["thresholds"])
        record = replay(seating, SEED, number)
        hands = [parse_hand(hand) for hand in record["hands"]]
        calls = [call["bid"] for call in record["auction"]]
        plays = [(seat, parse_card(card)) for seat, card in record["plays"]]
        if not plays:
            continue
        luck, pitcher = int(luck_of(Keys.of(SEED).luck, number)), plays[0][0]
        whole = moment(rules, hands, calls, plays)[-1]
        for count in range(1, len(plays), 1 if number < 10 else 7):
            position, _dealt, held, piles, log = moment(rules, hands, calls, plays[:count])
            points, tricks = play_on(
                seating.line, seating.house, held, piles, position, pitcher, max(calls), luck + count, log
            )
            assert list(log) == list(whole)
            result = pitchsim.records.score(record)
            assert sum(int(tricks) >> 4 * side & 15 for side in range(7)) == HAND_SIZE
            by_seat = result["trick_points_by_seat"]
            sides = [side_of(seat, rules.partners) for seat in range(rules.players)]
            for side in set(sides):
                mine = sum(won for seat, won in enumerate(by_seat) if sides[seat] == side)
                assert int(points) >> 8 * side & 255 == mine


# Choosing --------------------------------------------------------------------------------------------


def test_the_favourite_has_a_head_start():
    """Card 3 is the favourite; card 9 is better on the mean, but not in every world."""
    legal = 1 << 3 | 1 << 9
    close = np.array([[1.0, 0, 1, 0, 1, 0], [0.0, 1, 1, 1, 1, 0]])
    clear = np.array([[1.0, 0, 1, 0, 1, 0], [2.0, 1, 2, 1, 2, 1]])
    assert best_card(legal, close, 3, 0.0) == 9
    assert best_card(legal, close, 3, 2.0) == 3
    assert best_card(legal, clear, 3, 2.0) == 9
    assert best_card(legal, clear[::-1].copy(), 3, 0.0) == 3
    assert best_card(legal, clear[::-1].copy(), 9, 0.0) == 3


def test_search_keeps_the_ten_from_the_pitcher():
    """A sure thing whatever the others hold: the last to play does not give a ten to a trick that is lost."""
    rules = Rules()
    hands = [
        parse_hand(h) for h in ("AS AH 2H 3H 4H 5H", "5S 8H 6C 7C 8C 9C", "6S 3D 4D 5D 6D 7D", "7S TH 9H AD JC 5C")
    ]
    plays = list(zip([0, 1, 2, 3, 0, 1, 2], parse_hand("AS 5S 6S 7S AH 8H 3D"), strict=True))
    deal = started(rules, hands, [2, 0, 0, 0])
    for seat, card in plays:
        deal.play(seat, card)
    assert str(card_of_search("search:worlds=20,prior=0", deal, plays)) == "9H"
