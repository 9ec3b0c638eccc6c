"""The bid table and the card box: counted facts, order of hands, the same answer as advice on the same cards."""

import json
import math
import random
import re
from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner

import pitchsim
from pitchsim import tablecharts
from pitchsim.advice import seat_for_advice
from pitchsim.bidtable import FILLERS, Shown, bid_table, columns_of, filled
from pitchsim.calls import calls_of
from pitchsim.cardbox import MOST_KINDS, NAMED, CardBox, Kind
from pitchsim.cards import RANKS, Card, parse_six
from pitchsim.cli import main
from pitchsim.deck import card_number, cards_to_set
from pitchsim.holdings import all_holdings, frequency_of, high_exact, holding_name, read_holding, read_line, read_side
from pitchsim.jit import PLAIN
from pitchsim.leading import Aim, Leader, Pitched, points_of
from pitchsim.rules import Rules
from pitchsim.seating import Keys

QUICK = {"play": "greedy", "bidding": "thresholds"}
COLUMNS = "holding players frequency lead points points_se high high_exact low jack game p1 p2 p3 p4 ev1 ev2 ev3 ev4"
COLUMNS += " pass_value ceiling deals"
pytestmark = pytest.mark.skipif(PLAIN, reason="whole tables take minutes in plain Python")


@pytest.fixture(scope="module")
def whole():
    return bid_table(Rules(), ["expert"], ["thresholds"], aim=Aim(0.06))


@pytest.fixture(scope="module")
def two_handed():
    return {
        row["holding"]: row
        for row in bid_table(Rules(players=2), ["greedy"], ["thresholds"], aim=Aim(0.06)).to_dict()["rows"]
    }


def run(*words, exit_code=0):
    result = CliRunner().invoke(main, ["table", *words])
    assert result.exit_code == exit_code, result.output
    return result.output


# Counted ----------------------------------------------------------------------------------------------


def test_there_are_4095_holdings_and_their_chances_are_hypergeometric():
    holdings = all_holdings()
    assert len(holdings) == len(set(holdings)) == 4095
    assert sum(map(frequency_of, holdings)) == pytest.approx(1 - math.comb(39, 6) / math.comb(52, 6))
    for length in range(1, 7):
        chance = sum(frequency_of(ranks) for ranks in holdings if ranks.bit_count() == length)
        assert chance == pytest.approx(math.comb(13, length) * math.comb(39, 6 - length) / math.comb(52, 6))


@pytest.mark.parametrize(("holding", "chance"), [("A", 1), ("K", 0.6087), ("Q", 0.3652), ("J", 0.2158)])
def test_high_is_counted(holding, chance):
    assert high_exact(read_holding(holding)[0], Rules()) == pytest.approx(chance, abs=5e-5)


def test_high_agrees_with_counting_for_every_holding(whole):
    rows = whole.to_dict()["rows"]
    exact = np.array([row["high_exact"] for row in rows])
    found = np.array([row["high"] for row in rows])
    spread = np.sqrt(exact * (1 - exact) / [row["deals"] for row in rows])
    assert np.all(found[exact == 1] == 1)
    z = (found - exact)[exact < 1] / spread[exact < 1]
    assert np.abs(z).max() < 4.6
    assert 0.9 < np.mean(z**2) < 1.1


def test_partners_win_high_as_often_as_counted():
    rules = Rules(partners=True)
    for row in bid_table(rules, ["greedy"], ["passive"], shown=Shown("x"), aim=Aim(None, 20_000)).holdings:
        exact = high_exact(row.ranks, rules)
        spread = math.sqrt(exact * (1 - exact) / 20_000)
        assert abs(row.best.lead.chances[0] - exact) <= 4 * spread


def test_four_points_need_the_jack(whole):
    for row in whole.to_dict()["rows"]:
        if "J" not in row["holding"]:
            most = 18 / 46
            assert row["p4"] <= most + 4.6 * math.sqrt(most * (1 - most) / row["deals"])


def test_six_from_the_top_win_all_four_points(whole):
    rows = {row["holding"]: row for row in whole.to_dict()["rows"]}
    best = rows["AKQJT9"]
    assert (best["points"], best["points_se"], best["p4"], best["ev4"], best["ceiling"]) == (4, 0, 1, 4, 4)


def test_a_higher_top_trump_of_equal_length_never_lowers_high(whole):
    by_length = {}
    for row in whole.to_dict()["rows"]:
        by_length.setdefault(len(row["holding"]), []).append(row)
    for rows in by_length.values():
        by_top = sorted((RANKS.index(row["holding"][0]), row["high_exact"]) for row in rows)
        exact = [chance for _, chance in by_top]
        assert exact == sorted(exact)
        found = {top: [row for row in rows if RANKS.index(row["holding"][0]) == top] for top, _ in by_top}
        means = [np.mean([row["high"] for row in several]) for several in found.values()]
        errors = [0.5 / math.sqrt(sum(row["deals"] for row in several)) for several in found.values()]
        for lower, higher, error in zip(means, means[1:], errors, strict=False):
            assert higher > lower - 4 * error


def test_scores_follow_from_chances(whole):
    for row in whole.to_dict()["rows"][::97]:
        p = [row[f"p{points}"] for points in range(1, 5)]
        assert row["points"] == pytest.approx(sum(p))
        assert row["points"] == pytest.approx(row["high"] + row["low"] + row["jack"] + row["game"])
        for bid in range(1, 5):
            expected = bid * p[bid - 1] + sum(p[bid:]) - bid * (1 - p[bid - 1])
            assert row[f"ev{bid}"] == pytest.approx(expected)
        paying = [bid for bid in range(1, 5) if row[f"ev{bid}"] > 0.36]
        assert row["ceiling"] == max(paying, default=0)


# Read as a card player ----------------------------------------------------------------------------------


def test_two_handed_holdings_are_in_the_order_of_the_published_table(two_handed):
    """Among weak players at a table of two, an ace with two small ones beats a king, a queen, three small ones."""
    mean = {
        pattern: np.mean([two_handed[holding_name(ranks)]["ev2"] for ranks in read_holding(pattern)])
        for pattern in ("A x x", "K x x", "Q x x", "x x x")
    }
    assert list(mean.values()) == sorted(mean.values(), reverse=True)
    three = sorted((row for row in two_handed.values() if len(row["holding"]) == 3), key=lambda row: -row["points"])
    best = [row["holding"] for row in three[: len(three) // 10]]
    assert {"AKJ", "AJT"} <= set(best)


def test_the_best_card_is_not_always_the_top_one(whole):
    rows = whole.to_dict()["rows"]
    other = np.array([row["lead"] != row["holding"][0] for row in rows])
    weights = np.array([row["frequency"] for row in rows])
    assert 0.15 < other.mean() < 0.7
    assert 0.08 < weights[other].sum() / weights.sum() < 0.25


def test_a_row_is_the_mean_of_hands_with_these_trumps():
    """A holding with side cards at random brings what hands with it bring, each dealt by itself."""
    ranks, lead = read_holding("K J 7")[0], "K"
    rules, keys, draw = Rules(), Keys.of(5), random.Random(5)
    leader = Leader.at(seat_for_advice(rules, 0, ["sound"], ["passive"], None), keys)
    row = leader.choose(Pitched.holding(ranks), ranks, Aim(None, 40_000))
    assert str(row.lead.card)[0] == lead
    trumps = [Card(RANKS.index(rank), 3) for rank in "KJ7"]
    side = [Card(rank, suit) for suit in range(3) for rank in range(13)]
    means = []
    for number in range(300):
        hand = cards_to_set([*trumps, *draw.sample(side, 3)])
        trial = leader.try_all(
            Pitched(hand, (card_number(trumps[0]),), 46), number << 32, Aim(0.3, 400, compare_all=True)
        )
        means.append(points_of(trial.tally[0]).mean)
    spread = math.hypot(np.std(means) / math.sqrt(len(means)), row.lead.points.se)
    assert abs(np.mean(means) - row.lead.points.mean) < 3.5 * spread


def test_the_lead_that_advice_likes_is_the_same():
    advice = pitchsim.advise("KS 5S 3S 9H 7D 6C", seat=1, play="expert", bidding="thresholds", deals=20_000)
    table = pitchsim.bid_table(4, "K 5 3", play="expert", bidding="thresholds", deals=20_000, leads=True)
    points = {lead.card.rank: lead.points.mean for lead in advice.alone if lead.card.suit == 0}
    order = sorted(points, key=lambda rank: -points[rank])
    leads = table.to_dict()["leads"]
    assert [RANKS.index(row["lead"]) for row in leads] == order
    assert leads[0]["behind"] == 0
    assert all(row["behind"] > 10 * row["behind_se"] for row in leads[1:])


def test_dropped_leads_were_worse_on_the_same_deals():
    leader = Leader.at(seat_for_advice(Rules(), 0, ["sound"], ["passive"], None), Keys.of(2))
    for holding in ("AJ2", "K53", "QT9742", "543"):
        ranks = read_holding(holding)[0]
        trial = leader.choose(Pitched.holding(ranks), ranks, Aim(0.02)).trial
        everything = leader.choose(Pitched.holding(ranks), ranks + 8192, Aim(None, 8000, compare_all=True)).trial
        tried = trial.tally.sum(axis=1)
        best = everything.ranking(range(len(holding)))[0]
        for row in range(len(holding)):
            if tried[row] < tried.max():
                gap = everything.gap(best, row)
                assert gap.mean > -0.02 or gap.mean + 4 * gap.se > 0


def test_the_deals_of_the_answer_are_not_those_that_chose_the_lead(monkeypatch):
    """Luck in being chosen counts for nothing, and no two sets of cards share deals."""
    leader = Leader.at(seat_for_advice(Rules(), 0, ["random"], ["passive"], None), Keys.of(3))
    spans, run_kernel = [], Leader._run

    def watched(self, cards, rows, first, count):
        spans.append((first, first + count))
        return run_kernel(self, cards, rows, first, count)

    monkeypatch.setattr(Leader, "_run", watched)
    for number in (0, 1, 962_987):
        leader.choose(Pitched.holding(read_holding("6 5 4 3")[0]), number, Aim(0.05))
    spans.sort()
    assert len(spans) >= 9
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert max(spans)[1] * 8 < 1 << 60


# Calls --------------------------------------------------------------------------------------------------


def test_nobody_bids_on_the_side_cards_that_fill_a_hand_up():
    seating = seat_for_advice(Rules(), 0, ["greedy"], ["equilibrium"], None)
    hand = filled(0) | 1 << FILLERS[-1]
    assert hand.bit_count() == 6
    for call in calls_of(seating, hand, Keys.of(1).luck):
        assert call.call < 2 or (call.seat, call.highest) == (3, 0)


def test_calls_are_those_of_the_bidding_policy():
    rules = Rules(players=3, lowest_bid=2)
    row = bid_table(rules, ["greedy"], ["passive"], aim=Aim(0.3), shown=Shown("A")).holdings[0]
    assert set(row.calls) == {(0, 0), (1, 0), (1, 2), (1, 3), (2, 0), (2, 2), (2, 3)}
    assert all(call == (2 if cell == (2, 0) else 0) for cell, call in row.calls.items())
    bold = bid_table(rules, ["greedy"], ["thresholds", "passive"], aim=Aim(0.3), shown=Shown("A K J x")).holdings
    assert all(row.calls[0, 0] >= 2 for row in bold)


# The command --------------------------------------------------------------------------------------------


def test_the_columns_are_there_in_csv_and_json():
    words = ["--holding", "A J x", "--deals", "300", "--play", "greedy", "--bidding", "thresholds"]
    head, *lines = run(*words, "--format", "csv").splitlines()
    calls = [column for column in head.split(",") if column.startswith("call_")]
    assert head.split(",")[: len(COLUMNS.split())] == COLUMNS.split()
    assert calls == [f"call_1_{bid}" for bid in [0]] + [f"call_{seat}_{bid}" for seat in (2, 3, 4) for bid in range(4)]
    assert len(lines) == 7
    answer = json.loads(run(*words, "--format", "json"))
    assert [row["holding"] for row in answer["rows"]] == ["AJ9", "AJ8", "AJ7", "AJ6", "AJ5", "AJ4", "AJ3"]
    assert (answer["players"], answer["seed"], answer["rows"][0]["deals"]) == (4, 1, 300)
    assert "A J x: " in run(*words)


def test_x_moves_the_line():
    words = ["--holding", "A x", "--deals", "40", "--play", "greedy", "--bidding", "passive", "--format", "csv"]
    assert [line[:2] for line in run(*words, "--x", "5").splitlines()[1:]] == ["A5", "A4", "A3"]
    assert [line[:2] for line in run(*words, "--x", "T").splitlines()[1:3]] == ["AT", "A9"]


def test_rows_are_sorted_and_cut():
    words = ["--holding", "x x", "--deals", "200", "--play", "greedy", "--bidding", "passive", "--format", "json"]
    rows = json.loads(run(*words, "--sort", "ev2", "--top", "5"))["rows"]
    assert len(rows) == 5
    assert [row["ev2"] for row in rows] == sorted((row["ev2"] for row in rows), reverse=True)
    names = [row["holding"] for row in json.loads(run(*words, "--sort", "holding"))["rows"]]
    assert names[:2] == ["98", "97"]


def test_side_cards_are_held():
    """A side ace lets the pitcher win more; a hand has six cards, so that no holding of six is left."""
    rows = [
        pitchsim.bid_table(4, "J 10 3", side=side, deals=20_000, **QUICK).to_dict()["rows"][0]
        for side in (None, "A/A/A")
    ]
    assert rows[1]["game"] > rows[0]["game"] + 0.1
    assert "side cards A/A/A and others at random" in str(
        pitchsim.bid_table(4, "J 10 3", side="A/A/A", deals=20, **QUICK)
    )
    assert read_side("A 10/2") == tuple(parse_six("AS 10S 2H 3C 4C 5C")[:3])


def test_the_ceiling_follows_the_pass_value_and_the_lowest_bid():
    row = pitchsim.bid_table(4, "K", deals=4000, **QUICK).to_dict()["rows"][0]
    ceilings = {}
    for lowest in (1, 2):
        for value in (row["ev2"] - 0.1, row["ev2"] + 0.1, 3.9):
            table = pitchsim.bid_table(4, "K", pass_value=value, lowest_bid=lowest, deals=4000, **QUICK)
            ceilings[lowest, round(value - row["ev2"], 1)] = table.to_dict()["rows"][0]["ceiling"]
    assert row["ev1"] > row["ev2"] + 0.1
    assert list(ceilings.values()) == [2, 1, 0, 2, 0, 0]


def test_precision_is_reached_and_deals_are_the_most():
    rows = pitchsim.bid_table(4, "K x", precision=0.02, **QUICK).to_dict()["rows"]
    assert all(0.012 < row["points_se"] < 0.02 for row in rows)
    rows = pitchsim.bid_table(4, "K x", precision=0.001, deals=3000, **QUICK).to_dict()["rows"]
    assert {row["deals"] for row in rows} == {3000}


def test_the_same_seed_gives_the_same_table_on_any_number_of_threads():
    words = ["--holding", "Q x x", "--precision", ".1", "--play", "greedy", "--format", "csv", "--threads"]
    one, two, five = (run(*words, threads) for threads in ("1", "2", "5"))
    assert one == two == five
    assert run(*words, "2", "--seed", "2") != one


def test_a_holding_alone_is_a_row_of_the_whole_table(whole):
    alone = bid_table(Rules(), ["expert"], ["thresholds"], aim=Aim(0.06), shown=Shown("Q 7 4")).to_dict()["rows"][0]
    assert alone == next(row for row in whole.to_dict()["rows"] if row["holding"] == "Q74")
    assert list(alone) == columns_of(Rules())


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            ["--holding", "A Z"],
            "'Z' is not a rank; the ranks are A K Q J 10 9 .. 2, and x is any card from 9 down to 3",
        ),
        (["--holding", "A K Q J 10 9 8"], "7 cards given; a holding is one to six trumps, as in A J x"),
        (["--holding", ""], "0 cards given"),
        (["--holding", "A A"], "A is given twice"),
        (["--holding", "5 4 3 x x", "--x", "5"], "x is given 2 times, but only 0 other cards go from 5 down to 3"),
        (["--x", "2"], "cannot be the highest x"),
        (["--side", "A/A/A/A"], "4 side suits given; there are three"),
        (["--side", "1"], "'1' is not a rank"),
        (["--side", "A A"], "A is given twice"),
        (["--holding", "A K Q J 10", "--side", "A 10"], "more than six"),
        (["--sort", "pints"], "there is no column 'pints'; there are holding, players"),
        (["--top", "0"], "is not a number of rows"),
        (["--pass-value", "9"], "is not a score change"),
        (["--players", "9"], "players"),
        (["--quick", "--precision", ".1"], "quick is a precision of its own"),
        (["--out", "table.xls"], "cannot be written as .xls"),
        (["--chart", "table.gif"], "cannot be written as .gif"),
        (["--card-box", "--holding", "A"], "the card box is made of the whole table; leave out holding"),
        (["--play", "greedy,sound", "--others", "greedy/passive"], "give one of them"),
        (["--play", "nobody"], "nobody"),
    ],
)
def test_bad_input_is_told_in_one_sentence(words, why):
    output = run(*words, exit_code=2)
    assert why in output.replace("\n", " ")
    assert "Traceback" not in output


def test_lines_of_x_are_read():
    assert [read_line(text) for text in ("T", "10", "a", "3")] == [8, 8, 12, 1]


# The card box -------------------------------------------------------------------------------------------


def found_by_the_rule_on_the_page(holding, names):
    """Find a holding as the page says: its 2, 10, and a queen beside an ace or king become x; then fewer x and a +."""
    named = [rank for rank in holding if rank in NAMED]
    road = [list(named)]
    for rank in "2TQ":
        if rank in named and (rank != "Q" or {"A", "K"} & set(named)):
            named = [other for other in named if other != rank]
            road.append(named)
    for cards in road:
        label = " ".join([*(rank.replace("T", "10") for rank in cards), *"x" * (len(holding) - len(cards))])
        if label in names:
            return label
    for small in range(len(holding) - len(named), -1, -1):
        label = " ".join([*(rank.replace("T", "10") for rank in named), *"x" * small]) + "+"
        if label in names:
            return label
    raise AssertionError(f"{holding} is not on the page")


def test_every_holding_is_found_on_the_page(whole):
    box = whole.card_box()
    assert len(box.kinds) <= MOST_KINDS
    names = {row.name: 0.0 for row in box.kinds}
    assert len(names) == len(box.kinds)
    for row in whole.holdings:
        names[found_by_the_rule_on_the_page(row.name, names)] += frequency_of(row.ranks)
    assert [row.frequency for row in box.kinds] == pytest.approx(list(names.values()))
    assert sum(names.values()) == pytest.approx(1 - math.comb(39, 6) / math.comb(52, 6))


def test_the_page_keeps_apart_what_is_bid_differently(whole):
    rows = {row.name: row for row in whole.card_box().kinds}
    weighted = sum(row.frequency * row.figures["points"] for row in rows.values())
    exact = sum(frequency_of(row.ranks) * row.best.lead.points.mean for row in whole.holdings)
    assert weighted == pytest.approx(exact)
    assert rows["A J x"].figures["ev3"] > 1.5 > rows["A x"].figures["ev3"]
    fewer = CardBox.of(whole, most=40)
    assert len(fewer.kinds) <= 40


def test_kinds_give_up_names_in_the_order_of_the_page():
    assert [*Kind.of("KQT2").road][:4] == [
        Kind("KQT", 1), Kind("KQ", 2), Kind("K", 3), Kind("K", 3, or_more=True),
    ]  # fmt: skip
    assert Kind("QJ", 0).wider == Kind("QJ", 0, or_more=True)
    assert Kind("", 1, or_more=True).wider is None


def test_the_card_box_goes_to_every_format(whole, tmp_path):
    box = whole.card_box()
    for suffix in ("csv", "json", "md", "html"):
        box.write(tmp_path / f"box.{suffix}")
    text = box.to_text()
    assert all(len(line) <= 130 for line in text.splitlines() if not line.startswith(("x is", "1 in:", "4 players")))
    page = (tmp_path / "box.html").read_text()
    assert "@page" in page
    assert page.count("<tr>") == len(box.kinds) + 1
    assert not re.search(r"(?:src|href)=", page)


def test_charts_are_drawn_and_the_same_each_time(whole, tmp_path):
    few = pitchsim.bid_table(4, "K J x", deals=100, **QUICK)
    pictures = {"map": (tablecharts.draw_table, whole), "few": (tablecharts.draw_table, few)}
    pictures["box"] = (tablecharts.draw_card_box, whole.card_box())
    for name, (draw, what) in pictures.items():
        draw(what, tmp_path / f"{name}.svg")
        first = (tmp_path / f"{name}.svg").read_bytes()
        draw(what, tmp_path / f"{name}.svg")
        assert first == (tmp_path / f"{name}.svg").read_bytes()
        assert len(first) > 10_000
    tablecharts.draw_card_box(whole.card_box(), tmp_path / "box.pdf")
    assert (tmp_path / "box.pdf").read_bytes().count(b"/Type /Page ") <= 1


def test_the_command_writes_page_and_chart(tmp_path):
    words = ["--card-box", "--deals", "20", "--play", "random", "--bidding", "thresholds", "-n", "3"]
    output = run(*words, "--out", str(tmp_path / "box.html"), "--chart", str(tmp_path / "box.png"))
    assert output.startswith("What to bid and what to pitch: 3 players")
    assert (tmp_path / "box.html").exists()
    assert (tmp_path / "box.png").read_bytes().startswith(b"\x89PNG")


# Houses and one's own players --------------------------------------------------------------------------


def test_a_smudge_is_worth_one_more():
    """Six tricks with all four points: a bid of 4 scores 5, and no other bid does."""
    words = {"deals": 400, "bidding": "thresholds"}
    sure = pitchsim.bid_table(4, "A K Q J 10 9", smudge=True, **words).to_dict()["rows"][0]
    assert [sure[f"ev{bid}"] for bid in range(1, 5)] == [4, 4, 4, 5]
    often = pitchsim.bid_table(4, "A K J 7", smudge=True, **words).to_dict()["rows"][0]
    plain = pitchsim.bid_table(4, "A K J 7", **words).to_dict()["rows"][0]
    assert plain["ev4"] < often["ev4"] < plain["ev4"] + plain["p4"]
    assert [plain[f"ev{bid}"] for bid in (1, 2, 3)] == [often[f"ev{bid}"] for bid in (1, 2, 3)]
    advice = pitchsim.advise("AS KS QS JS 10S 9S", smudge=True, seat=1, deals=100, bidding="thresholds")
    assert advice.alone[0].score_change(4) == advice.calls[-1].value == 5


PLUGINS = """
def badcard(view):
    return 51

def undecided(view):
    return 1 // (view.to_act - view.to_act)

def always_5(view):
    return 5
"""


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--play", "bad.py:badcard"], "the play policy 'bad.py:badcard' answered an illegal card in {"),
        (["--others", "bad.py:undecided/passive"], "the play policy 'bad.py:undecided' raised ZeroDivisionError"),
        (["--bidding", "bad.py:always_5"], "the bidding policy 'bad.py:always_5' answered an illegal call in {"),
    ],
)
def test_a_policy_that_fails_is_named_with_the_deal(words, why, tmp_path, monkeypatch):
    (tmp_path / "bad.py").write_text(PLUGINS)
    monkeypatch.chdir(tmp_path)
    output = run("--holding", "A 9 3", "--deals", "20", *words, exit_code=1)
    assert why in output
    record = json.loads(output[output.index("{") :].splitlines()[0])
    assert pitchsim.score(record).get("violation") is None


def test_one_deal_tells_no_error():
    assert "+/- unknown" in run("--holding", "A J 5", "--deals", "1", "--play", "greedy", "--leads")
    row = json.loads(run("--holding", "A J 5", "--deals", "1", "--play", "greedy", "--format", "json"))["rows"][0]
    assert row["points_se"] is None


def test_all_cards_to_pitch_are_drawn(tmp_path):
    run("--holding", "A-J-5", "--leads", "--deals", "50", "--play", "greedy", "--chart", str(tmp_path / "leads.svg"))
    assert len((tmp_path / "leads.svg").read_text()) > 10_000


# Interrupted --------------------------------------------------------------------------------------------


def test_an_interrupted_table_goes_on_to_the_same_bytes(tmp_path, monkeypatch):
    how = {"holding": "A x x", "precision": 0.05, **QUICK}
    pitchsim.bid_table(4, out=tmp_path / "whole.csv", **how)
    choose, counted = Leader.choose, []

    def stopped(self, cards, number, aim):
        counted.append(number)
        if len(counted) > 9:
            raise KeyboardInterrupt
        return choose(self, cards, number, aim)

    monkeypatch.setattr(Leader, "choose", stopped)
    with pytest.raises(KeyboardInterrupt):
        pitchsim.bid_table(4, out=tmp_path / "stopped.csv", threads=1, **how)
    part = tmp_path / "stopped.csv.part"
    assert len(part.read_text().splitlines()) == 1 + 8
    part.write_text(part.read_text() + '{"ranks": 41')  # Killed in the middle of a line.
    counted[:] = []
    monkeypatch.setattr(Leader, "choose", lambda *asked: counted.append(1) or choose(*asked))
    again = pitchsim.bid_table(4, out=tmp_path / "stopped.csv", **how)
    assert len(counted) == 21 - 8
    assert "went on after 8 holdings" in again.notices[0]
    assert (tmp_path / "stopped.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert not part.exists()


def test_what_another_table_has_left_is_refused(tmp_path):
    part = tmp_path / "table.csv.part"
    part.write_text('{"run": "pitchsim match"}\n')
    output = run("--holding", "A", "--out", str(tmp_path / "table.csv"), exit_code=2)
    assert "was left by an interrupted run of something else" in output.replace("\n", " ")
    assert part.exists()
