"""What the studies of cards, leads and claims measure: by hand, and against what the program says elsewhere."""

import importlib
import sys
import tomllib
from math import comb, inf
from pathlib import Path

import pandas as pd
import pytest
from test_policies import as_seen, start, view_of

import pitchsim
from pitchsim.cards import parse_hand
from pitchsim.jit import PLAIN, jitted
from pitchsim.statistics import Estimate

SCRIPTS = Path(__file__).parents[1] / "scripts"
sys.path.insert(0, str(SCRIPTS))
measures = importlib.import_module("measures")

pytestmark = pytest.mark.skipif(PLAIN, reason="many deals")


def frame_of(rows):
    """Some rows of a bid table."""
    return pd.DataFrame(rows, columns=["holding", "points", "points_se"])


def test_the_mean_of_a_pattern_counts_each_holding_as_often_as_it_comes_up():
    table = frame_of([("A", 2.0, 0.3), ("A4", 1.0, 0.4)])
    often = measures.FREQUENCY["A"], measures.FREQUENCY["A4"]
    found = measures.mean(table)
    assert found.mean == pytest.approx((2 * often[0] + often[1]) / sum(often))
    assert found.se == pytest.approx(((0.3 * often[0]) ** 2 + (0.4 * often[1]) ** 2) ** 0.5 / sum(often))


def test_a_card_is_worth_what_a_small_one_in_its_place_lacks():
    assert [measures.instead(name, "J") for name in ("J", "AJ9", "KJ98")] == ["9", "A98", "K987"]
    table = frame_of([("AJ", 2.5, 0.03), ("A9", 2.0, 0.04), ("J", 1.0, 0.1), ("9", 0.75, 0.1)])
    found = measures.worth(table, "J", [2])
    assert (found.mean, found.se) == (pytest.approx(0.5), pytest.approx(0.05))
    both = measures.worth(table, "J", [1, 2])
    assert 0.25 < both.mean < 0.5


def test_the_error_of_a_score_is_that_of_its_distribution():
    table = pitchsim.bid_table(holding="A J 5", deals=2_000).to_frame()
    row = table.iloc[0]
    at_least = [1, row["p1"], row["p2"], row["p3"], row["p4"], 0]
    chances = [at_least[won] - at_least[won + 1] for won in range(5)]
    for bid in (2, 3, 4):
        changes = [won if won >= bid else -bid for won in range(5)]
        mean = sum(chance * change for chance, change in zip(chances, changes, strict=True))
        square = sum(chance * change**2 for chance, change in zip(chances, changes, strict=True))
        assert mean == pytest.approx(row[f"ev{bid}"])
        error = measures.errors_of(table, f"ev{bid}")[0]
        assert error == pytest.approx(((square - mean**2) / 2_000) ** 0.5)


def test_verdicts():
    near_one = (0.9, 1.1, 0.15)
    assert measures.verdict(Estimate(1.0, 0.01), *near_one) == "true"
    assert measures.verdict(Estimate(1.15, 0.01), *near_one) == "roughly"
    assert measures.verdict(Estimate(1.5, 0.01), *near_one) == "false"
    assert measures.verdict(Estimate(1.25, 0.2), *near_one) == "too close"
    assert measures.verdict(Estimate(-0.1, 0.01), 0, inf, 0.15) == "false"
    assert measures.verdict(Estimate(0.1, 0.01), 0, inf, 0.15) == "true"
    assert measures.verdict(Estimate(0.01, 0.01), -inf, 0, 0.15) == "too close"


def test_leads_and_calls_differ_as_the_program_says(tmp_path):
    study = importlib.import_module("study").Study(lead_study, tmp_path, 1.0)
    rows = pitchsim.bid_table(holding="K 7 5 3", leads=True, deals=500).lead_records()
    assert rows[0]["lead"] == "K"
    found = measures.lead_gap(study, 500, "K 7 5 3", "points")
    assert (found.mean, found.se) == (-rows[1]["behind"], rows[1]["behind_se"])
    hand = "AS JS 5S KD 8C 4H"
    calls = {row["call"]: row["value"] for row in pitchsim.advise(hand, auction="pass 2", deals=500).call_rows()}
    gap = measures.call_gap(study, 500, hand, "pass 2", 3, 0)
    assert gap.mean == pytest.approx(calls["3"] - calls["pass"])


def lead_study(study):
    """A study that is not run."""


def test_every_claim_is_measured_by_something_that_there_is():
    claims = tomllib.loads((SCRIPTS / "claims.toml").read_text(encoding="utf-8"))["claim"]
    kinds = {"worth": 2, "call": 4, "lead": 2, "partner": 1, "fed_pitcher": 0, "feeder": 0}
    for claim in claims:
        name, *given = claim["measure"]
        assert len(given) == kinds[name]
        low, high = claim["between"]
        assert low < high
        assert claim["command"].startswith("pitchsim ")


def test_the_feeder_gives_the_ten_to_another_defender_and_the_starver_does_not():
    feeder = importlib.import_module("feeder")
    hands = ["4S 3S AH KH QD 9C", "KS 5H 4H 9D 8D 7C", "10H 9H 3C AD 4D 5C", "QS 2S JC 8C 2C 2H"]
    deal = start(pitchsim.Rules(), [parse_hand(hand) for hand in hands], [2, 0, 0, 0])
    plays = [(0, parse_hand("4S")[0]), (1, parse_hand("KS")[0])]
    for seat, card in plays:
        deal.play(seat, card)
    view = view_of(deal, plays)
    assert 1 << jitted(feeder.feeder)(view) == as_seen(deal, parse_hand("10H"))
    assert 1 << jitted(feeder.starver)(view) & as_seen(deal, parse_hand("9H 3C 4D 5C"))


# What came out -----------------------------------------------------------------------------------------


def rows_of(name):
    """The rows of a study, figures as numbers."""
    return pd.read_csv(SCRIPTS.parent / "results" / f"{name}.csv", comment="#").to_dict("records")


def test_every_claim_has_a_verdict_that_its_interval_bears():
    claims = tomllib.loads((SCRIPTS / "claims.toml").read_text(encoding="utf-8"))["claim"]
    rows = rows_of("claims")
    assert [row["measured"] for row in rows] == [claim["measured"] for claim in claims]
    for row, claim in zip(rows, claims, strict=True):
        least, most = claim["between"]
        assert row["low"] <= row["figure"] <= row["high"]
        assert (row["verdict"] == "true") == (least <= row["low"] and row["high"] <= most)
        if row["verdict"] == "false":
            assert row["high"] < least or row["low"] > most


def test_low_to_the_holder_is_counted_and_to_the_winner_the_deuce_must_be_won():
    low = {(row["low_to"], row["holding"], row["lowest"]): row["low"] for row in rows_of("low")}
    for (rule, holding, lowest), chance in low.items():
        if rule == "holder":
            exactly = comb(48 - lowest, 18) / comb(46, 18)
            assert chance == pytest.approx(exactly, abs=4 * (exactly * (1 - exactly) / 200_000) ** 0.5 + 1e-9)
        elif lowest == 2:
            assert chance < low["holder", holding, 2] == 1


def test_high_is_the_same_whatever_is_pitched():
    for row in rows_of("leads"):
        above = 12 - "23456789TJQKA".index(row["holding"].replace("10", "T")[0])
        out = 6 * (row["players"] - 1)
        exactly = comb(46 - above, out) / comb(46, out)
        assert row["high"] == pytest.approx(exactly, abs=4.5 * (exactly * (1 - exactly) / row["deals"]) ** 0.5 + 1e-4)


def test_the_cards_are_worth_what_they_say():
    worth = {(row["low_to"], row["with"]): row["points"] for row in rows_of("card_values")}
    assert worth["winner", "A 7 4/10"] < 0 < worth["winner", "A 7 4/A"]
    for name in ("A 7 2", "K 8 2", "9 7 2", "A 2"):
        assert worth["holder", name] > worth["winner", name] + 0.2


def test_among_beginners_one_bids_no_less():
    rank = {"pass": 0, "1": 1, "2": 2, "3": 3, "4": 4}
    rows = rows_of("beginners")
    assert len(rows) == 60
    bolder = [rank[str(row["call_beginners"])] - rank[str(row["call_experts"])] for row in rows]
    assert sum(bolder) > 0
    assert sum(step < 0 for step in bolder) <= 3
    gains = {(row["hand"], row["seat"]): row["value_beginners"] - row["value_experts"] for row in rows}
    assert sum(gain > 0 for gain in gains.values()) >= 50  # Five in six; and those who lose, lose less than others win:
    assert sum(gains.values()) / len(rows) > 0.3
    bidders = [row for row in rows if row["seat"] == "first to speak" and rank[str(row["call_experts"])] >= 2]
    assert len(bidders) >= 12
    assert all(gains[row["hand"], row["seat"]] > 0.1 for row in bidders)
