"""The play policies: legal cards, no peeking, the engine's View against the readable rules, and card sense."""

import itertools
import random as chance

import pytest

from pitchsim.cards import RANKS, Card, parse_card, parse_hand
from pitchsim.deck import (
    ALL_CARDS,
    LANE_BITS,
    SUIT_CARDS,
    TRUMP_LANE,
    card_of,
    cards_to_set,
    turn,
    turned_card,
    unturned_card,
)
from pitchsim.house import house_of
from pitchsim.jit import PLAIN, lowest, policy, popcount
from pitchsim.plugins import Found, no_notes
from pitchsim.policies.expert import expert
from pitchsim.policies.expert import notes as notes_of_expert
from pitchsim.policies.greedy import greedy
from pitchsim.policies.random import random
from pitchsim.policies.sound import BOOK, FOLLOWS, LEADS, SUIT_WORTH, UNNAMED, sound
from pitchsim.rules import Deal, Rules, Violation, deal_hands, full_deck, side_of, trick_points, trick_winner
from pitchsim.seating import Keys, Seating, seat_players
from pitchsim.simulation import replay, simulate
from pitchsim.stream import luck_of
from pitchsim.view import CARD, View, facts_of

LINE_UPS = [*((players, False) for players in range(2, 8)), (4, True)]
HOUSES = [
    Rules(players=players, partners=partners, follow=follow, low_goes_to=low)
    for (players, partners), (follow, low) in itertools.product(
        LINE_UPS, [("or_trump", "trick_winner"), ("strict", "holder")]
    )
]
SEED = 20


def house_name(rules):
    return f"{rules.players}{' partners' if rules.partners else ''} {rules.follow}"


@policy(CARD)
def fussy(view):
    """A player whose card depends on every number that it sees; the two addresses are no numbers."""
    mixed = 7
    for number in view[:14]:
        mixed = (mixed * 31 + ((number ^ (number >> 31)) & 0x7FFFFFFF)) % 1000003
    cards = view.legal
    for _ in range(mixed % popcount(cards)):
        cards = cards & (cards - 1)
    return lowest(cards)


POLICIES = {"random": random, "greedy": greedy, "sound": sound, "expert": expert, "fussy": fussy}
NOTES = {"expert": notes_of_expert}


def seating_of(rules, name):
    """A table at which everybody plays by one policy, and the auction falls to a stuck dealer."""
    seating = seat_players(rules, ["random"], ["passive"])
    found = Found(name, POLICIES[name], NOTES.get(name, no_notes), "test", "")
    return Seating(rules, (found,) * rules.players, seating.bidding)


def lane_of(deal):
    """The lane that trump was dealt in; the top one, which nothing is turned from, before the pitch."""
    return TRUMP_LANE if deal.trump is None else deal.trump


def as_seen(deal, cards):
    """A set of cards as a View shows them."""
    return turn(cards_to_set(cards), lane_of(deal))


def shown_voids(deal, plays):
    """Who has shown to hold none of which suit, from the cards played alone."""
    voids = 0
    for number, (seat, card) in enumerate(plays):
        led = plays[number - number % deal.rules.players][1].suit
        trumped = card.suit == deal.trump and deal.rules.follow == "or_trump"
        if card.suit != led and not trumped:
            voids |= 1 << (4 * seat + turned_card(LANE_BITS * led, deal.trump) // LANE_BITS)
    return voids


def view_of(deal, plays, luck=0):
    """What the seat to play sees, put together from public facts by the readable rules (the dealer sits last)."""
    rules, seat, table = deal.rules, deal.to_play, deal.trick
    led, best, winner = 0, 0, seat
    if table:
        place = trick_winner(table, deal.trump)
        led = SUIT_CARDS << turned_card(LANE_BITS * table[0].suit, deal.trump)
        best, winner = as_seen(deal, [table[place]]), (seat - len(table) + place) % rules.players
    piles = [[] for _ in range(rules.sides)]
    for owner, pile in enumerate(deal.piles):
        piles[side_of(owner, rules.partners)] += pile
    return View(
        hand=as_seen(deal, deal.held[seat]),
        legal=as_seen(deal, deal.legal_cards()),
        table=as_seen(deal, table),
        led=led,
        best=best,
        gone=as_seen(deal, itertools.chain(*piles)),
        pitchers=as_seen(deal, piles[side_of(deal.pitcher, rules.partners)]),
        points=sum(trick_points(pile) << 8 * side for side, pile in enumerate(piles)),
        voids=shown_voids(deal, plays),
        seat=seat,
        winner=winner,
        to_act=rules.players - 1 - len(table),
        facts=facts_of(deal.pitcher, deal.bid, house_of(rules)),
        luck=luck + len(plays),
        notes=0,
        page=0,
    )


def start(rules, hands, calls):
    """Deal and bid; the dealer sits last, so that seats are in speaking order."""
    deal = Deal(rules, rules.players - 1, hands)
    for bid in calls:
        deal.call(deal.to_speak, bid)
    return deal


def walk(rules, hands, calls, plays):
    """Every position of a deal that is played so, with the plays before it."""
    deal = start(rules, hands, calls)
    for number, (seat, card) in enumerate(plays):
        yield deal, plays[:number]
        deal.play(seat, card)


def chosen(name, deal, plays, luck=0):
    """The card that a policy plays here."""
    notes = NOTES.get(name, no_notes)(deal.rules)
    view = view_of(deal, plays, luck)._replace(notes=notes if PLAIN else notes.ctypes.data)
    number = int(POLICIES[name](view))
    return card_of(unturned_card(number, lane_of(deal)))


def replayed(rules, name, number):
    """A deal as the engine plays it: hands, calls, plays."""
    record = replay(seating_of(rules, name), SEED, number)
    hands = [parse_hand(hand) for hand in record["hands"]]
    plays = [(seat, parse_card(card)) for seat, card in record["plays"]]
    return hands, [0] * (rules.players - 1) + [2], plays


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("rules", HOUSES, ids=house_name)
def test_the_engine_shows_what_the_readable_rules_show(rules, name):
    """The engine plays what the policy answers to Views made by hand; `fussy` looks at every field."""
    for number in range(1 if PLAIN else 6):
        hands, calls, plays = replayed(rules, name, number)
        luck = int(luck_of(Keys.of(SEED).luck, number))
        assert len(plays) == 6 * rules.players
        for deal, before in walk(rules, hands, calls, plays):
            if len(deal.held[deal.to_play]) > 1:  # The engine asks nobody for his last card.
                assert (deal.to_play, chosen(name, deal, before, luck)) == plays[len(before)]


def hidden_cards_dealt_anew(deal, plays, rng):
    """The deal as the seat to play knows it, the cards that it does not see dealt anew; None when that cannot be."""
    me = deal.to_play
    unseen = [card for card in full_deck() if card not in deal.held[me] and card not in {card for _, card in plays}]
    rng.shuffle(unseen)
    hands = []
    for seat, held in enumerate(deal.held):
        kept = list(held) if seat == me else [unseen.pop() for _ in held]
        hands.append(kept + [card for player, card in plays if player == seat])
    again = start(deal.rules, hands, deal.calls)
    try:
        for seat, card in plays:
            again.play(seat, card)
    except Violation:  # Somebody would not have followed suit with this hand.
        return None
    return again


@pytest.mark.parametrize("name", ["random", "greedy", "sound", "expert"])
@pytest.mark.parametrize("rules", HOUSES, ids=house_name)
def test_a_card_does_not_depend_on_cards_that_one_cannot_see(rules, name):
    """The engine's choice in a position is what the policy plays when all unseen cards are dealt anew."""
    rng, compared = chance.Random(3), 0
    for number in range(1 if PLAIN else 5):
        hands, calls, plays = replayed(rules, name, number)
        luck = int(luck_of(Keys.of(SEED).luck, number))
        for deal, before in walk(rules, hands, calls, plays):
            again = hidden_cards_dealt_anew(deal, before, rng)
            if again is not None and len(deal.held[deal.to_play]) > 1:
                assert chosen(name, again, before, luck) == plays[len(before)][1]
                compared += 1
    assert compared >= (1 if PLAIN else 5) * rules.players


@pytest.mark.parametrize("name", ["random", "greedy", "sound", "expert"])
@pytest.mark.parametrize("rules", HOUSES, ids=house_name)
def test_every_card_is_legal_wherever_random_players_lead(rules, name):
    """Also in positions that no sensible player reaches, and in auctions of every kind."""
    rng = chance.Random(rules.players)
    for _ in range(1 if PLAIN else 5):
        deal, plays = start(rules, deal_hands(rng.sample(full_deck(), 52), rules.players), []), []
        while deal.to_speak is not None:
            deal.call(deal.to_speak, rng.choice(deal.legal_calls()))
        while deal.to_play is not None:
            assert chosen(name, deal, plays) in deal.legal_cards()
            plays.append((deal.to_play, rng.choice(deal.legal_cards())))
            deal.play(*plays[-1])


def renamed(cards, lanes):
    """The set of cards with every lane moved to where `lanes` says."""
    return sum((cards >> LANE_BITS * lane & SUIT_CARDS) << LANE_BITS * to for lane, to in enumerate(lanes))


def renamed_voids(voids, lanes):
    """Known voids, suits moved alike."""
    return sum((voids >> 4 * seat + lane & 1) << 4 * seat + to for seat in range(7) for lane, to in enumerate(lanes))


def test_plain_suits_are_alike_to_sound():
    """Names of plain suits change nothing but which of two cards of one rank is played."""
    rules, rng = Rules(), chance.Random(8)
    for _ in range(4 if PLAIN else 40):
        deal, plays = start(rules, deal_hands(rng.sample(full_deck(), 52), 4), [0, 0, 0, 2]), []
        while deal.to_play is not None:
            if plays:
                view, lanes = view_of(deal, plays), [*rng.sample(range(TRUMP_LANE), TRUMP_LANE), TRUMP_LANE]
                sets = ("hand", "legal", "table", "led", "best", "gone", "pitchers")
                moved = {field: renamed(getattr(view, field), lanes) for field in sets}
                other = view._replace(voids=renamed_voids(view.voids, lanes), **moved)
                mine, theirs = card_of(int(sound(view))), card_of(int(sound(other)))
                assert (mine.rank, mine.suit == TRUMP_LANE) == (theirs.rank, theirs.suit == TRUMP_LANE)
            plays.append((deal.to_play, rng.choice(deal.legal_cards())))
            deal.play(*plays[-1])


def pitched(cards):
    """What sound pitches from these cards."""
    hand = cards_to_set(parse_hand(cards))
    return str(card_of(int(sound(View(hand, hand, *[0] * 7, 0, 0, 3, facts_of(0, 2, house_of(Rules())), 0, 0, 0)))))


def test_all_suits_are_alike_to_sound_at_the_pitch():
    rng = chance.Random(4)
    for _ in range(300):
        hand, suits = rng.sample(full_deck(), 6), rng.sample(range(4), 4)
        worths = sorted(sum(int(SUIT_WORTH[card.rank]) for card in hand if card.suit == suit) for suit in range(4))
        if worths[3] > worths[2]:
            moved = [Card(card.rank, suits[card.suit]) for card in hand]
            first, other = (parse_card(pitched(" ".join(map(str, cards)))) for cards in (hand, moved))
            assert other == Card(first.rank, suits[first.suit])


def test_every_order_names_every_card_that_there_can_be():
    """Only a losing trump ace has no place, since nothing beats it; leads are looked up as if they lost."""
    for row, order in enumerate(LEADS + FOLLOWS):
        losing, winning = BOOK[row, : 4 * LANE_BITS], BOOK[row, 4 * LANE_BITS :]
        half = [losing] if row < len(LEADS) else [losing, winning]
        for places, number in itertools.product(half, [n for n in range(64) if ALL_CARDS >> n & 1]):
            trumpless = row < len(LEADS) and row // 2 % 3 == 0 and number // LANE_BITS == TRUMP_LANE
            lost_ace = row >= len(LEADS) and places is losing and number == TRUMP_LANE * LANE_BITS + RANKS.index("A")
            assert places[number] < UNNAMED or trumpless or lost_ace, (order, card_of(number))


# How a card player would put it.


@pytest.mark.parametrize(
    ("hand", "card"),
    [
        ("AS KS 4S JD 10C 2H", "KS"),  # The ace stays to catch the jack.
        ("AH 5H 3H KD 9C 2S", "AH"),
        ("JC 7C 3C QD 8D 4H", "7C"),  # Never the jack.
        ("KD JD 4D 9S 5H 3C", "KD"),
        ("QS JS 4S 9D 5H 3C", "QS"),
    ],
)
def test_the_pitch(hand, card):
    assert pitched(hand) == card


@pytest.mark.parametrize(("holding", "card"), [("AH KH 5H", "KH"), ("AH 5H", "AH"), ("JS 8S 3S", "8S"), ("3D", "3D")])
def test_the_pitch_from_a_holding_alone(holding, card):
    assert pitched(holding) == card


def at_table(hand, tricks, rules=None, name="sound"):
    """What a policy plays from this hand after these cards: seat 0 pitches, tricks as text, the last one unfinished.

    Cards that do not matter are dealt to the others from the rest of the deck.
    """
    rules = rules or Rules()
    played = [parse_hand(trick) for trick in tricks]
    trump, leader, plays = played[0][0].suit, 0, []
    for trick in played:
        plays += [((leader + place) % rules.players, card) for place, card in enumerate(trick)]
        leader = (leader + trick_winner(trick, trump)) % rules.players
    me = (plays[-1][0] + 1) % rules.players if len(played[-1]) < rules.players else leader
    used = {card for _, card in plays} | set(parse_hand(hand))
    rest = [card for card in full_deck() if card not in used]
    hands = []
    for seat in range(rules.players):
        cards = [card for player, card in plays if player == seat] + (list(parse_hand(hand)) if seat == me else [])
        hands.append(cards + [rest.pop(0) for _ in range(6 - len(cards))])
    deal = start(rules, hands, [2] + [0] * (rules.players - 1))
    for number, (seat, card) in enumerate(plays):
        deal.held[seat].remove(card)
        deal.trick.append(card)
        deal.trump, deal.cards_played = trump, number + 1
        deal.to_play = (seat + 1) % rules.players
        if len(deal.trick) == rules.players:
            deal._take_trick(deal.to_play, trump)
    assert deal.to_play == me
    return str(chosen(name, deal, plays))


@pytest.mark.parametrize(
    ("hand", "tricks", "card"),
    [
        # The ace catches the jack.
        pytest.param("AS 9S 4D KD 5H 2C", ["KS JS 3S"], "AS", id="ace takes the jack"),
        pytest.param("AH 3H 4D KD 5S 2C", ["JH"], "AH", id="ace takes the jack in second hand"),
        # A trump must be played on a trump: not the jack, not Low.
        pytest.param("JS 5S 4D KD 5H 2C", ["AS 3S"], "5S", id="no jack under the ace"),
        pytest.param("6S 2S 4D KD 5H 2C", ["AS 3S 4S"], "6S", id="no Low to the pitcher"),
        # The last hand, no trump in the trick yet.
        pytest.param("QS 3S 4D KC 5C", ["AS 5S 6S 7S", "TH 2H 3H"], "3S", id="last hand trumps a ten cheaply"),
        pytest.param("2S QS AD JC 5C", ["AS 5S 6S 7S", "8H 9H 3H"], "2S", id="last hand brings Low home"),
        pytest.param("TH 4H AD JC 5C", ["AS 5S 6S 7S", "9H 8H 3H"], "TH", id="last hand brings the ten home"),
        # Nothing to win: small cards first, the ten late.
        pytest.param("TH 4H AD JC 5C", ["AS 5S 6S 7S", "AH 8H 3H"], "4H", id="no ten to the pitcher"),
        pytest.param("TD 4D AD JC 5C", ["AS 5S 6S 7S", "AH 8H 3H"], "4D", id="throws off a small card"),
    ],
)
def test_following(hand, tricks, card):
    assert at_table(hand, tricks) == card


@pytest.mark.parametrize(
    ("hand", "tricks", "card"),
    [
        pytest.param("KS QS 5S 4D 9H", ["AS 6S 7S 8S"], "KS", id="the pitcher pulls trumps from the top"),
        pytest.param("JS 3S 4D 9H", ["AS 6S 7S 8S", "KS 5D 6D 9S"], "4D", id="the pitcher keeps jack and Low"),
        pytest.param("8H 4D 6C", ["3S AS 7S 8S", "AD 5D 6D 7D", "KD 2D 3D 8D"], "8H", id="a defender without trumps"),
    ],
)
def test_leading(hand, tricks, card):
    assert at_table(hand, tricks) == card


def test_a_ten_goes_on_the_partners_safe_trick():
    """Seat 2 wins the trick so far, seat 0 plays last: the ten is for a partner, not for a stranger."""
    hand, tricks = "TD 4D AD JC 5C", ["QS AS 6S 7S", "5H AH 3H"]
    assert at_table(hand, tricks, Rules(partners=True)) == "TD"
    assert at_table(hand, tricks) == "4D"


def test_greedy_takes_and_throws_off_as_it_says():
    assert at_table("QS 3S 4D KC 5C", ["AS 5S 6S 7S", "TH 2H 3H"], name="greedy") == "3S"
    assert at_table("TD 4D AD JC 5C", ["AS 5S 6S 7S", "AH 8H"], name="greedy") == "4D"
    assert at_table("KS QS 5S 4D 9H", ["AS 6S 7S 8S"], name="greedy") == "KS"


def test_random_plays_every_legal_card_alike():
    hand = cards_to_set(parse_hand("AS KS 4S JD 10C 2H"))
    counts: dict[int, int] = {}
    for luck in range(600 if PLAIN else 6000):
        card = int(random(View(hand, hand, *[0] * 7, 0, 0, 3, facts_of(0, 2, house_of(Rules())), luck, 0, 0)))
        counts[card] = counts.get(card, 0) + 1
    expected = sum(counts.values()) / 6
    assert len(counts) == 6
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 20.5  # 5 degrees of freedom, p = .001


@pytest.mark.skipif(PLAIN, reason="too many deals for plain Python")
@pytest.mark.parametrize(("players", "least"), [(2, 0.2), (4, 0.2), (7, 0.15)])
def test_sound_scores_above_greedy_and_greedy_above_random(players, least):
    """One seat plays better than the others by far more than the error, at any size of table."""
    rules = Rules(players=players)
    for better, worse, margin in (("sound", "greedy", least), ("greedy", "random", least)):
        ahead = 0.0
        for seat in range(players):
            line = [worse] * players
            line[seat] = better
            run = simulate(rules, line, ["thresholds"], deals=8000, seed=3)
            changes = [run.seat_change(other).mean for other in range(players)]
            ahead += changes[seat] - (sum(changes) - changes[seat]) / (players - 1)
        assert ahead / players > margin
