"""The fitted player: what its files hold, what its numbers say in words, how strong it is, and that the fit repeats."""

import itertools
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
from pitchsim.orders import LED, follows_in_order, leads_in_order, pitches
from pitchsim.policies import expert
from pitchsim.policies.expert import (
    FOLLOW,
    LEAD,
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
            assert all(isinstance(number, int) and 0 <= number <= MOST_LIKING for number in row)


@pytest.mark.parametrize("rules", TABLES, ids=IDS)
def test_the_liking_of_a_card_fits_into_a_byte(rules):
    """Whatever rows and columns come together: in each moment the largest numbers of the terms are taken."""
    for terms in (LEAD, FOLLOW):
        for moment in itertools.product(*terms[0].moments):
            most = 0
            for term in terms:
                rows = tables_in(file_name(rules))[term.name]["rows"]
                names = ["; ".join((*moment, *words)) for words in itertools.product(*term.rows)]
                most += max(max(rows.get(name, [0])) for name in names)
            assert most <= MOST_LIKING


def test_no_row_and_no_column_has_the_name_of_another():
    assert len({term.name for term in TERMS}) == len(TERMS)
    for term in TERMS:
        for names in (row_names(term), column_names(term)):
            assert len(set(names)) == len(names)
        moments, rows, columns = term.shape
        assert (moments * rows, columns) == (len(row_names(term)), len(column_names(term)))


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


def lowest_seen(deal, plays):
    """The lowest trump played so far; one above the ace when there is none."""
    return min([card.rank for _, card in plays if card.suit == deal.trump], default=len(RANKS))


def out_of_trumps(deal, plays, seat):
    """Whether this seat has shown it: trumps were led, and it played none."""
    tricks = [plays[k : k + deal.rules.players] for k in range(0, len(plays), deal.rules.players)]
    return any(
        other == seat and card.suit != deal.trump
        for trick in tricks
        for other, card in trick
        if trick[0][1].suit == deal.trump
    )


def seats_behind(deal):
    """Who plays after me in this trick, in order."""
    players = deal.rules.players
    return [(deal.to_play + k) % players for k in range(1, players - len(deal.trick))]


def is_ours(deal, seat, other):
    """Whether two seats play together."""
    return seat % 2 == other % 2 if deal.rules.partners else seat == other


def whose_trick(deal):
    """The row of WHOSE_TRICK."""
    seat, players = deal.to_play, deal.rules.players
    winner = (seat - len(deal.trick) + trick_winner(deal.trick, deal.trump)) % players
    if is_ours(deal, seat, winner):
        return 4
    if is_ours(deal, seat, deal.pitcher):
        return 3 if seat == deal.pitcher else 5
    if is_ours(deal, winner, deal.pitcher):
        return 2
    return 0 if deal.pitcher in seats_behind(deal) else 1


def stake(deal, plays):
    """The row of STAKES."""
    trumps = [card.rank for card in deal.trick if card.suit == deal.trump]
    if JACK in trumps:
        return 3
    low_here = deal.rules.low_goes_to != "holder" and lowest_seen(deal, plays) in trumps
    return 2 if low_here else bucket(trick_points(deal.trick), 3, 10)


def my_place(deal):
    """The row of PLACES, of one who leads."""
    if is_ours(deal, deal.to_play, deal.pitcher):
        return 2 if deal.to_play == deal.pitcher else 3
    return int(seats_behind(deal)[-1] == deal.pitcher)


def rows_of(deal, plays):
    """The moment in the words of the tables, told by the readable rules: the name of a row of every term."""
    hand, behind = deal.held[deal.to_play], seats_behind(deal)
    own = expert.OWN_TRUMPS[min(sum(card.suit == deal.trump for card in hand), 3)]
    seen = lowest_seen(deal, plays)
    low = expert.LOWEST_SEEN[bucket(seen, 0, 2, 5) if seen < len(RANKS) else 0]
    left = expert.CARDS_LEFT[len(hand) - 2]
    if not deal.trick:
        may = min(sum(not out_of_trumps(deal, plays, seat) for seat in behind), 3)
        words = [own, low, expert.MAY_TRUMP[may], expert.PLACES[my_place(deal)]]
        return [f"{left}; {word}" for word in words]
    moment = f"{left}; {expert.BEHIND[min(len(behind), 3)]}"
    words = [own, low, expert.WHOSE_TRICK[whose_trick(deal)], expert.STAKES[stake(deal, plays)]]
    return [*(f"{moment}; {word}" for word in words), moment]


def columns_of(deal, plays, card):
    """The card in the words of the tables: the name of a column of every term."""
    trumps = card.suit == deal.trump
    kind = f"{'t' * trumps}{RANKS[card.rank]}"
    low = trumps and deal.rules.low_goes_to != "holder" and card.rank < lowest_seen(deal, plays)
    like = expert.CLASSES[expert.CLASS_OF[expert.KINDS.index(kind) + len(expert.KINDS) * low]]
    if not deal.trick:
        return [like] * 4
    wins = expert.WINS[trick_winner([*deal.trick, card], deal.trump) == len(deal.trick)]
    return [like, like, like, f"{wins} {like}", f"{wins} {kind}"]


def liking_in_words(deal, plays, card):
    """How much a card is liked: numbers looked up by their names."""
    total = 0
    terms = FOLLOW if deal.trick else LEAD
    for term, row, column in zip(terms, rows_of(deal, plays), columns_of(deal, plays, card), strict=True):
        numbers = tables_in(file_name(deal.rules))[term.name]["rows"].get(row)
        total += numbers[column_names(term).index(column)] if numbers else 0
    return total


def test_the_classes_of_cards():
    """Every kind has a class of its suit and rank; of trumps below all that were seen there are four more."""
    of_kind = dict(zip(expert.KINDS, expert.CLASS_OF[:26], strict=True))
    below = dict(zip(expert.KINDS, expert.CLASS_OF[26:], strict=True))
    assert len(expert.CLASSES) == 16
    assert [expert.CLASSES[of_kind[kind]] for kind in ("5", "6", "T", "Q", "t4", "tJ", "tK")] == [
        "2-5", "6-9", "T", "Q-K", "t2-4", "tJ", "tQ-K",
    ]  # fmt: skip
    assert [expert.CLASSES[below[kind]] for kind in ("5", "A", "t3", "t4", "t7", "tT", "tA")] == [
        "2-5", "A", "t2-3!", "t4-6!", "t7-9!", "tT-A!", "tT-A!",
    ]  # fmt: skip


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
        assert len(set(order.split())) == len(order.split()) in (6, 13)
    for led, most in ((LED[0], 26), (LED[1], 14)):
        for trick, stake, behind, order in follows_in_order(rules, led):
            assert len(set(order.split())) == len(order.split()) <= most
            assert not (trick.endswith("pitcher to come") and behind == "last to play")
            plain_winners = [card for card in order.split() if card.startswith("+") and "t" not in card]
            assert not (plain_winners and ("jack" in stake or led == LED[1]))


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
