"""Advice: the whole answer, its arithmetic, and what it says when it is not sure."""

import json
import math

import numpy as np
import pytest

import pitchsim
from pitchsim import Rules
from pitchsim.advice import Effort, Situation, Weigher, grid_situations, seat_for_advice
from pitchsim.cards import parse_six
from pitchsim.deck import cards_to_set
from pitchsim.errors import InputError
from pitchsim.seating import Keys

HAND = "AS KS 4S JD 10C 2H"
QUICK = {"deals": 2_000, "play": "greedy"}


def answer(hand=HAND, **asked):
    return json.loads(pitchsim.advise(hand, **{**QUICK, **asked}).to_json())


def test_every_legal_call_and_every_card_is_there():
    found = answer()
    assert [row["call"] for row in found["calls"]] == ["pass", "1", "2", "3", "4"]
    assert sorted(row["lead"] for row in found["leads"]) == sorted(HAND.replace("10", "T").split())
    assert found["hand"] == "AS KS 4S JD TC 2H"
    assert found["seat"] == 1
    assert found["auction"] == []
    assert "leads_heard" not in found
    assert {row["deals"] for row in found["leads"]} == {2_000}


def test_a_pass_is_no_bid_to_make():
    row = answer()["calls"][0]
    assert row["p_made"] is None
    assert row["p_pitcher"] == 0


def test_pass_has_no_lead():
    found = answer("7S 5S 3H 2H 8D 6C", seat=2)
    assert found["recommended"]["call"] == "pass"
    assert found["recommended"]["lead"] is None


def test_six_top_trumps_are_worth_exactly_four_whatever_happens():
    for players in range(2, 8):
        found = answer("AS KS QS JS TS 9S", players=players, auction=[3] if players > 2 else ["pass"], deals=500)
        by_call = {row["call"]: row for row in found["calls"]}
        assert by_call["4"]["value"] == 4
        assert by_call["4"]["se"] == 0
        assert by_call["4"]["p_made"] == 1
        top = {row["lead"]: row for row in found["leads"]}["AS"]
        assert top["points"] == 4
        assert top["p_at_least"] == {"1": 1, "2": 1, "3": 1, "4": 1}


def test_differences_are_against_the_best_other_call():
    rows = {row["call"]: row for row in answer()["calls"]}
    values = {call: row["value"] for call, row in rows.items()}
    for call, row in rows.items():
        best_other = max(value for other, value in values.items() if other != call)
        assert row["difference"] == pytest.approx(values[call] - best_other, abs=1e-9)
        assert row["difference_se"] > 0


def test_paired_errors_are_those_of_the_differences_deal_by_deal():
    """Two thousand deals weighed one at a time: their differences have the mean and error that is told."""
    rules = Rules()
    seating = seat_for_advice(rules, 0, ["greedy"], ["thresholds"], None)
    situation = Situation(cards_to_set(parse_six(HAND)), 0, ())
    weigher = Weigher(seating, Keys.of(1), threads=1)
    deals = 300
    whole = weigher.weigh(situation, (), Effort(deals, deals, early=False))
    from pitchsim.deck import ALL_CARDS, packed_deck
    from pitchsim.weighing import BATCH_SPAN, KEEP_ALL

    accept = np.full(7, KEEP_ALL, np.int64)
    singles = []
    for deal in range(deals):
        part = whole.empty()
        deck = packed_deck(ALL_CARDS & ~situation.hand)
        weigher._kernel(situation, part, accept, (1 << BATCH_SPAN) + deal, 1, 1, deck)
        singles.append([part.value(row).mean for row in range(len(part.calls))])
    values = np.array(singles)
    assert whole.value(2).mean == pytest.approx(values[:, 2].mean())
    assert whole.value(2).se == pytest.approx(values[:, 2].std() / math.sqrt(deals))
    gaps = values[:, 2] - values[:, 3]
    assert whole.difference(2, 3).mean == pytest.approx(gaps.mean())
    assert whole.difference(2, 3).se == pytest.approx(gaps.std() / math.sqrt(deals))


def test_margin_is_own_minus_the_mean_of_the_others():
    """With two players the margin is own minus the other's; a stuck dealer's set costs him his bid."""
    score = answer("7S 5S 3H 2H 8D 6C", players=2, auction=["pass"])
    margin = answer("7S 5S 3H 2H 8D 6C", players=2, auction=["pass"], objective="margin")
    for one, other in zip(score["calls"], margin["calls"], strict=True):
        assert one["score_change"] == other["score_change"]
        assert other["value"] < one["value"], "the other player wins points too"


def test_win_is_not_there_yet():
    with pytest.raises(InputError, match="not there yet"):
        pitchsim.advise(HAND, objective="win")


def test_scores_are_echoed_with_one_notice():
    report = pitchsim.advise(HAND, scores="5 3 -1 6", **QUICK)
    assert report.to_dict()["scores"] == [5, 3, -1, 6]
    assert len([notice for notice in report.notices if "scores" in notice]) == 1
    assert report.calls == pitchsim.advise(HAND, **QUICK).calls


def test_after_an_auction_both_lists_of_leads_are_there():
    found = answer(auction="pass 2")
    assert found["seat"] == 3
    assert found["auction"] == ["pass", "2"]
    assert [row["call"] for row in found["calls"]] == ["pass", "3", "4"]
    alone = {row["lead"]: row["points"] for row in found["leads"]}
    heard = {row["lead"]: row["points"] for row in found["leads_heard"]}
    assert alone.keys() == heard.keys()
    assert alone != heard
    assert "grid" not in found


def test_leads_do_not_depend_on_what_was_heard():
    assert answer(auction="pass 2")["leads"] == answer(auction="pass pass 3")["leads"] == answer()["leads"]


def test_a_seat_alone_means_that_all_before_passed():
    assert answer(seat=3)["calls"] == answer(auction="pass pass")["calls"]
    assert answer(seat="dealer")["auction"] == ["pass"] * 3


@pytest.mark.parametrize(
    ("auction", "bidding"), [("3 pass", "passive"), ("4 pass", "passive"), ("1 2 3", "thresholds")]
)
def test_no_call_is_impossible(auction, bidding):
    found = answer(auction=auction, bidding=bidding, dealer_may_steal="any", deals=300)
    assert found["deals"] == 300
    assert all(row["se"] is not None for row in found["calls"])


def test_hearing_bids_moves_the_aces():
    """Seat 1 has bid 3, so my king of a side suit is High less often than before he spoke."""
    found = answer("KS 9S 4S 8D 7C 2H", auction=["3"], deals=20_000)
    alone = {row["lead"]: row for row in found["leads"]}["KS"]
    heard = {row["lead"]: row for row in found["leads_heard"]}["KS"]
    assert alone["high"] - heard["high"] > 0.02


def test_rare_calls_say_how_little_they_are_worth():
    report = pitchsim.advise(HAND, auction="4 pass", dealer_may_steal="any", deals=400)
    assert report.effective_deals <= 400
    if report.effective_deals < 500:
        assert any("effective" in notice for notice in report.notices)


def test_too_close_is_said_in_words():
    report = pitchsim.advise(HAND, deals=2, play="random")
    text = report.to_text()
    assert report.recommended.too_close == text.startswith("Too close to call")


def test_one_legal_call_has_no_difference():
    found = answer(auction="pass 4", dealer_may_steal="any")
    assert [row["call"] for row in found["calls"]] == ["pass"]
    assert found["calls"][0]["difference"] is None
    assert found["recommended"] == {"call": "pass", "lead": None, "too_close": False}


def test_the_grid_has_every_seat_and_every_bid():
    cells = {(cell["seat"], cell["highest"]) for cell in answer(deals=100)["grid"]}
    assert cells == {(1, 0)} | {(seat, highest) for seat in (2, 3, 4) for highest in range(4)}
    no_ones = {(cell["seat"], cell["highest"]) for cell in answer(deals=100, lowest_bid=2)["grid"]}
    assert no_ones == {(1, 0)} | {(seat, highest) for seat in (2, 3, 4) for highest in (0, 2, 3)}
    assert (3, 4) not in cells


def test_a_4_that_may_be_stolen_is_in_the_dealers_row():
    situations = grid_situations(Rules(dealer_may_steal="any"), cards_to_set(parse_six(HAND)))
    assert {situation.seat for situation in situations if situation.highest == 4} == {3}


@pytest.mark.parametrize("players", range(2, 8))
def test_every_number_of_players_is_advised(players):
    found = answer(players=players, deals=200)
    assert found["players"] == players
    assert len({cell["seat"] for cell in found["grid"]}) == players


def test_partners_share_the_score_change():
    found = answer(partners=True, auction="2 pass", deals=3_000)
    by_call = {row["call"]: row for row in found["calls"]}
    assert by_call["pass"]["score_change"] > 0.8, "the partner's bid of 2 is our side's"


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads():
    texts = {pitchsim.advise(HAND, auction="pass 2", threads=threads, **QUICK).to_json() for threads in (1, 2, 5)}
    assert len(texts) == 1
    grids = {pitchsim.advise(HAND, threads=threads, deals=150).to_json() for threads in (1, 2, 5)}
    assert len(grids) == 1


def test_another_seed_gives_other_deals():
    assert answer(seed=1)["calls"] != answer(seed=2)["calls"]


def test_precision_stops_when_the_best_two_are_known_so_well():
    report = pitchsim.advise(HAND, play="greedy", seat=1, precision=0.006)
    best = next(row for row in report.calls if row.call == report.recommended.call)
    assert best.difference_se < 0.006
    assert report.looks == sorted(report.looks)
    assert pitchsim.advise(HAND, play="greedy", seat=1, precision=0.2).deals < report.deals


def test_pitcher_and_defenders_may_play_differently():
    pitching = {}
    for play in (("greedy",), ("random", "greedy"), ("greedy", "random")):
        leads = answer(play=play, seat=1)["leads"]
        pitching[play] = {row["lead"]: row for row in leads}["AS"]
    assert pitching["greedy", "random"]["points"] > pitching["greedy",]["points"] + 0.2, "weak defenders"
    assert pitching["random", "greedy"]["jack"] < pitching["greedy",]["jack"] - 0.03, "a weak pitcher"


def test_others_may_play_and_bid_differently():
    found = answer(others="random/passive", seat=1)
    by_call = {row["call"]: row for row in found["calls"]}
    assert by_call["2"]["p_pitcher"] == 1, "nobody else bids"
    assert by_call["pass"]["p_pitcher"] == 0


def test_random_play_is_random_for_the_pitcher_too():
    found = answer("AS JS 4S 8D 3D 2H", play="random")
    top = {row["lead"]: row for row in found["leads"]}["AS"]
    assert top["high"] == 1
    assert 0.5 < top["jack"] < 0.95, "he leads the jack under the king as gladly as after it"


def test_figures_are_those_of_the_text():
    report = pitchsim.advise(HAND, **QUICK)
    text = report.to_text()
    best = next(row for row in report.calls if row.call == report.recommended.call)
    assert text.splitlines()[0].startswith(f"Bid {best.call} and pitch the ")
    assert f"{best.value:+.3f}" in text
    assert "2,000 deals" in text
    assert "seed 1" in text


def test_frames_have_the_names_of_the_json():
    report = pitchsim.advise(HAND, auction="pass 2", **QUICK)
    calls, leads = report.to_frame("call"), report.to_frame("leads_heard")
    assert list(calls["call"]) == ["pass", "3", "4"]
    assert {"lead", "points", "points_se", "high", "p1", "p4"} <= set(leads.columns)
    assert "<table" in report._repr_html_()


def test_charts_are_drawn_in_each_format(tmp_path):
    from pitchsim.charts import draw_advice

    report = pitchsim.advise(HAND, auction="pass 2", **QUICK)
    for suffix, start in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        path = tmp_path / f"advice{suffix}"
        draw_advice(report, path)
        assert path.read_bytes().startswith(start)
    first = (tmp_path / "advice.svg").read_bytes()
    draw_advice(report, tmp_path / "advice.svg")
    assert (tmp_path / "advice.svg").read_bytes() == first
    with pytest.raises(InputError, match=r"\.png"):
        draw_advice(report, tmp_path / "advice.gif")


def test_a_chart_says_the_table_the_policies_and_the_deals(tmp_path):
    from pitchsim.charts import _title

    title = _title(pitchsim.advise(HAND, seat=2, others="random/passive", lowest_bid=2, **QUICK))
    for words in (
        "seat 2 after pass",
        "4 players, lowest bid 2",
        "play greedy",
        "others random/passive",
        "2,000 deals",
    ):
        assert words in title
