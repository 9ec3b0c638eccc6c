"""The fitted player: what its files hold, what its numbers say in words, how strong it is, and that the fit repeats."""

import json
import os
import random as chance
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from random_deals import random_rules
from test_policies import as_seen, chosen, start

import pitchsim
from pitchsim.bidding.thresholds import HOLDINGS, best_leads, expected_scores, table_name
from pitchsim.cards import JACK, RANKS
from pitchsim.cli import main
from pitchsim.jit import PLAIN
from pitchsim.orders import follows_in_order, leads_in_order, pitches
from pitchsim.policies import expert
from pitchsim.policies.expert import (
    FOLLOW,
    LEAD,
    LED,
    MOST_LIKING,
    TERMS,
    column_names,
    file_name,
    row_names,
    tables_in,
)
from pitchsim.rules import Rules, deal_hands, full_deck, trick_points, trick_winner

ROOT = Path(__file__).parents[1]
TABLES = [*(Rules(players=players) for players in range(2, 8)), Rules(partners=True)]
IDS = [file_name(rules) for rules in TABLES]


# The files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", TABLES, ids=IDS)
def test_the_files_are_small_and_readable_and_say_how_they_were_made(rules):
    path = Path(expert.__file__).parents[1] / "data" / file_name(rules)
    assert path.stat().st_size < 80_000
    held = json.loads(path.read_text(encoding="utf-8"))
    assert "fit_expert" in held.pop("recipe")
    assert list(held) == [term.name for term in TERMS]
    for term in TERMS:
        assert held[term.name]["columns"] == column_names(term)
        assert set(held[term.name]["rows"]) <= set(row_names(term))
        for row in held[term.name]["rows"].values():
            assert len(row) == len(column_names(term))
            assert all(isinstance(number, int) and abs(number) <= MOST_LIKING for number in row)


def test_no_row_and_no_column_has_the_name_of_another():
    assert len({term.name for term in TERMS}) == len(TERMS)
    for term in TERMS:
        for names in (row_names(term), column_names(term)):
            assert len(set(names)) == len(names)
        assert term.size == len(row_names(term)) * len(column_names(term))


@pytest.mark.parametrize("low", ["trick_winner", "holder"])
@pytest.mark.parametrize("rules", TABLES, ids=IDS)
def test_what_is_pitched_is_held(rules, low):
    table = table_name(Rules(players=rules.players, partners=rules.partners, low_goes_to=low))
    leads = best_leads(table)
    held = [ranks for ranks in range(1, HOLDINGS) if ranks.bit_count() <= 6]
    assert all(ranks >> int(leads[ranks]) & 1 for ranks in held)
    assert expected_scores(table)[held].max() <= 4000


def test_openings_that_players_know():
    """Never the bare jack from under small ones; from ace-king the ace or the king; the king from king-jack-small."""
    leads = {row[0]: row[1] for row in pitches(Rules())}
    assert leads["J53"] != "J"
    assert leads["AK4"] in "AK"
    assert leads["KJ5"] == "K"
    assert leads["QJT"] in "QT"


# In words --------------------------------------------------------------------------------------------


def bucket(number, *starts):
    return sum(number >= start for start in starts)


def words_of(deal, plays):
    """The moment in the words of the tables, told by the readable rules: name of the rows of every term."""
    rules, seat, trump = deal.rules, deal.to_play, deal.trump
    hand, table = deal.held[seat], deal.trick
    side = rules.partners and seat % 2 == deal.pitcher % 2
    place = 1 if seat == deal.pitcher else 2 if side else 0
    played = [card for _, card in plays]
    trumps_seen = sorted(card.rank for card in played if card.suit == trump)
    unseen = [card for card in full_deck() if card not in played and card not in hand]
    out = {other: set() for other in range(rules.players)}
    for number, (other, card) in enumerate(plays):
        led = plays[number - number % rules.players][1].suit
        if card.suit != led and (card.suit != trump or rules.follow == "strict"):
            out[other].add(led)
    behind = [(seat + k) % rules.players for k in range(1, rules.players - len(table))]
    trumps_unseen = sum(card.suit == trump for card in unseen)
    own = min(sum(card.suit == trump for card in hand), 3)
    jack = (
        expert.JACK_WHERE[1]
        if any(card.suit == trump and card.rank == JACK for card in hand)
        else expert.JACK_WHERE[2 * any(card.suit == trump and card.rank == JACK for card in unseen)]
    )
    low = expert.LOWEST_SEEN[bucket(trumps_seen[0], 0, 2, 5) if trumps_seen else 0]
    away = (deal.pitcher - seat) % rules.players
    words = {"side": expert.SIDES[place], "low": low, "jack": jack}
    if not table:
        may = min(sum(trump not in out[other] for other in behind), 3) if trumps_unseen else 0
        rows = [
            (expert.SIDES[place], expert.CARDS_LEFT[len(hand) - 2], expert.OWN_TRUMPS[own]),
            (expert.SIDES[place], low),
            (expert.SIDES[place], expert.MAY_TRUMP[may]),
            (expert.SIDES[place], expert.LATE[len(hand) < 4]),
            (
                expert.SIDES[place],
                expert.PITCHERS_PLACE[away == rules.players - 1],
                expert.PITCHERS_TRUMPS[trump in out[deal.pitcher]],
            ),
        ]
        return rows, words, unseen, trumps_seen
    winner = (seat - len(table) + trick_winner(table, trump)) % rules.players
    mine = winner % 2 == seat % 2 if rules.partners else winner == seat
    pitchers = winner % 2 == deal.pitcher % 2 if rules.partners else winner == deal.pitcher
    whose = 4 if mine else (0, 3, 5)[place]
    if not mine and place == 0:
        whose = 2 if pitchers else 0 if 0 < away <= len(behind) else 1
    points = trick_points(table)
    low_here = rules.low_goes_to != "holder" and any(
        card.suit == trump and card.rank == trumps_seen[0] for card in table if trumps_seen
    )
    stake = 5 if any(card.suit == trump and card.rank == JACK for card in table) else bucket(points, 3, 10)
    stake = 3 + (points > 9) if low_here and stake != 5 else stake
    rows = [
        (expert.STAKES[stake], expert.WHOSE_TRICK[whose]),
        (expert.SIDES[place], expert.CARDS_LEFT[len(hand) - 2], expert.OWN_TRUMPS[own]),
        (expert.WHOSE_TRICK[whose], jack),
        (expert.BEHIND[min(len(behind), 3)],),
        (low,),
    ]
    return rows, words, unseen, trumps_seen


def liking_in_words(deal, plays, card):
    """How much a card is liked: five numbers looked up by their names."""
    rules, trump, hand, table = deal.rules, deal.trump, deal.held[deal.to_play], deal.trick
    rows, _, unseen, trumps_seen = words_of(deal, plays)
    like = RANKS[card.rank]
    trumps = card.suit == trump
    kind = f"{'t' * trumps}{like}"
    shape = expert.CLASSES[expert.CLASS_OF_KIND[expert.KINDS.index(kind)]]
    higher = sum(other.suit == card.suit and other.rank > card.rank for other in unseen)
    length = expert.LENGTHS[min(sum(other.suit == card.suit for other in hand), 3) - 1]
    lowest = expert.LOW[trumps and rules.low_goes_to != "holder" and (not trumps_seen or card.rank < trumps_seen[0])]
    if table:
        wins = expert.WINS[trick_winner([*table, card], trump) == len(table)]
        threats = higher + (0 if trumps else sum(other.suit == trump for other in unseen))
        led = expert.LED[table[0].suit == trump]
        columns = [(wins, kind), (wins, lowest, shape), (wins, lowest, shape)]
        columns += [(expert.THREATS[min(threats, 7)], wins, shape, led), (length, wins, lowest, shape)]
    else:
        wins = expert.WINS[higher == 0]
        columns = [(wins, kind), (wins, lowest, shape), (wins, lowest, shape)]
        columns += [(length, expert.HIGHER[min(higher, 3)], shape), (wins, lowest, shape)]
    total = 0
    for term, row, column in zip(FOLLOW if table else LEAD, rows, columns, strict=True):
        numbers = tables_in(file_name(rules))[term.name]["rows"].get("; ".join(row))
        place = column_names(term).index(" ".join(word for word in column if word))
        total += numbers[place] if numbers else 0
    return total


@pytest.mark.parametrize("number", range(3 if PLAIN else 60))
def test_the_card_played_is_the_most_liked_in_words(number):
    """The readable twin of the tables: at every table and under every house rule, wherever random players lead."""
    rng = chance.Random(number)
    rules = random_rules(rng)
    deal, plays = start(rules, deal_hands(rng.sample(full_deck(), 52), rules.players), []), []
    while deal.to_speak is not None:
        deal.call(deal.to_speak, rng.choice(deal.legal_calls()))
    while deal.to_play is not None:
        legal = deal.legal_cards()
        if plays and len(legal) > 1:
            liked = max(legal, key=lambda card: (liking_in_words(deal, plays, card), as_seen(deal, [card])))
            assert chosen("expert", deal, plays) == liked
        plays.append((deal.to_play, rng.choice(legal)))
        deal.play(*plays[-1])


@pytest.mark.parametrize("rules", [Rules(), Rules(players=7), Rules(partners=True)], ids=["4", "7", "partners"])
def test_the_orders_name_every_class_of_cards_once(rules):
    for *_, order in leads_in_order(rules):
        assert len(set(order.split())) == len(order.split()) in (4, 9)
    for led, most in ((LED[0], 18), (LED[1], 10)):
        for trick, stake, behind, order in follows_in_order(rules, led):
            assert len(set(order.split())) == len(order.split()) <= most
            assert not (trick.endswith("pitcher to come") and behind == "last to play")
            plain_winners = [card for card in order.split() if card.startswith("+") and "t" not in card]
            assert not (plain_winners and ("Low" in stake or "jack" in stake or led == LED[1]))


def test_show_prints_the_orders():
    text = CliRunner().invoke(main, ["policies", "--show", "expert", "-n", "5"]).output
    for part in ("What is pitched", "What is led", "What is played to a plain suit", "jack at stake", "pitcher"):
        assert part in text
    answer = json.loads(CliRunner().invoke(main, ["policies", "--show", "expert", "-f", "json"]).output)
    assert {"policy", "description", "pitch", "lead", "follow", "follow_trump"} <= set(answer)
    told = CliRunner().invoke(main, ["policies", "--show", "casual"]).output
    assert "honours" in told
    wrong = CliRunner().invoke(main, ["policies", "--show", "nobody"])
    assert wrong.exit_code == 2
    assert "there is no policy 'nobody'" in wrong.output


# Strength --------------------------------------------------------------------------------------------

AT_LEAST = {2: 0.18, 3: 0.17, 4: 0.16, 5: 0.13, 6: 0.13, 7: 0.13}
"""Points a deal above greedy, by players."""


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="many deals")
@pytest.mark.parametrize("players", AT_LEAST)
def test_expert_is_better_than_greedy_and_sound(players):
    for other, least in (("greedy", AT_LEAST[players]), ("sound", 0.0)):
        row = pitchsim.match("expert", other, players=players, deals=60_000, seed=4).rows[0]
        assert row.difference > least + 3 * row.difference_se


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="many deals")
def test_a_team_of_experts_is_better_than_one_of_greedy():
    row = pitchsim.match("expert", "greedy", partners=True, deals=40_000, seed=4).rows[0]
    assert row.difference > 0.35 + 3 * row.difference_se


# The fit ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="a fit takes compiled code")
def test_a_small_fit_run_twice_gives_the_same_files(tmp_path):
    held = []
    for threads in ("1", "2"):
        folder = tmp_path / threads
        folder.mkdir()
        command = [sys.executable, str(ROOT / "scripts" / "fit_expert.py"), "--only", "2", "--share", "60"]
        run = subprocess.run(
            [*command, "--threads", threads, "--folder", str(folder)], capture_output=True, text=True, check=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert re.search(r"^2: \d+ s of CPU$", run.stdout, re.MULTILINE)
        held.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    assert set(held[0]) == {"expert-2.json", "holdings.npz"}
    assert held[0]["expert-2.json"] == held[1]["expert-2.json"]
    tables = [np.load(tmp_path / threads / "holdings.npz") for threads in ("1", "2")]
    for name in tables[0].files:
        assert np.array_equal(tables[0][name], tables[1][name])
