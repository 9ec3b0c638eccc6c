"""Runs of deals: totals, records, replays, stopping, and the catalogue of policies and speeds."""

import io
import json

import pytest

import pitchsim
from pitchsim import Rules
from pitchsim.bench import bench
from pitchsim.catalogue import list_policies
from pitchsim.jit import PLAIN
from pitchsim.records import score
from pitchsim.seating import in_threads, seat_players
from pitchsim.simulation import replay, simulate, write_records

QUICK = {"play": "greedy", "deals": 5_000}


def answer(**asked):
    return json.loads(pitchsim.simulate(**{**QUICK, **asked}).to_json())


def test_shares_add_up():
    found = answer(stuck_dealer="throw_in_next")
    assert sum(row["pitcher"] for row in found["seats"]) + found["thrown_in"] == pytest.approx(1)
    bids = found["pitcher"]["by_bid"]
    assert sum(row["deals"] for row in bids.values()) == round(5_000 * (1 - found["thrown_in"]))
    made = sum(row["deals"] * row["made"] for row in bids.values()) / sum(row["deals"] for row in bids.values())
    assert found["pitcher"]["made"] == pytest.approx(made)


def test_a_passive_table_is_always_stuck_with_a_2():
    found = answer(bidding="passive")
    assert found["stuck"] == 1
    assert found["stolen"] == 0
    assert list(found["pitcher"]["by_bid"]) == ["2"]
    assert [row["pitcher"] for row in found["seats"]] == [0, 0, 0, 1]
    assert answer(bidding="passive", stuck_dealer="throw_in_next")["thrown_in"] == 1


def test_nothing_is_played_where_all_is_thrown_in():
    found = answer(bidding="passive", stuck_dealer="throw_in_same")
    assert found["pitcher"]["points"] is None
    assert all(row["score_change"] == 0 for row in found["seats"])
    assert "thrown in" in pitchsim.simulate(**QUICK, bidding="passive", stuck_dealer="throw_in_same").to_text()


def test_no_stealing_where_the_house_forbids_it():
    assert answer()["stolen"] > 0.05
    assert answer(dealer_may_steal=False)["stolen"] == 0


def test_no_bid_of_1_where_the_lowest_is_2():
    assert "1" not in answer(lowest_bid=2)["pitcher"]["by_bid"]


def test_one_policy_a_seat():
    found = answer(bidding=["passive", "passive", "thresholds", "passive"])
    assert [row["pitcher"] > 0 for row in found["seats"]] == [False, False, True, True]


def test_partners_have_one_score():
    seats = answer(partners=True)["seats"]
    assert seats[0]["score_change"] == seats[2]["score_change"]
    assert seats[1]["score_change"] == seats[3]["score_change"]


def test_runs_add_up_and_depend_on_nothing_but_the_seed():
    texts = {pitchsim.simulate(**QUICK, players=5, threads=threads, seed=7).to_json() for threads in (1, 2, 5)}
    assert len(texts) == 1
    assert pitchsim.simulate(**QUICK, players=5, seed=8).to_json() not in texts


def test_precision_looks_at_doublings_and_stops():
    report = pitchsim.simulate(play="greedy", precision=0.012)
    assert report.deals in {10_000 * 2**k for k in range(8)}
    assert max(row.se for row in report.seats) < 0.012
    half = simulate(Rules(), ["greedy"], ["thresholds"], deals=report.deals // 2)
    assert max(half.seat_change(seat).se for seat in range(4)) >= 0.012 or report.deals == 10_000


def test_precision_never_deals_more_than_allowed():
    assert pitchsim.simulate(play="greedy", precision=1e-5, deals=12_345).deals == 12_345


def test_records_are_the_simulated_deals_and_legal():
    rules = Rules(players=5, smudge=True, dealer_may_steal="any")
    file = io.StringIO()
    write_records(rules, ["greedy"], ["thresholds"], 300, 3, file)
    lines = file.getvalue().splitlines()
    assert len(lines) == 300
    judged = [score(json.loads(line)) for line in lines]
    assert all("violation" not in deal and "error" not in deal for deal in judged)
    totals = [sum(deal["delta"][seat] for deal in judged) for seat in range(5)]
    report = simulate(rules, ["greedy"], ["thresholds"], deals=300, seed=3)
    assert [row.score_change * 300 for row in report.seats] == pytest.approx(totals)


def test_a_deal_is_replayed_alone():
    seating = seat_players(Rules(), ["sound"], ["thresholds"])
    file = io.StringIO()
    write_records(Rules(), ["sound"], ["thresholds"], 20, 1, file)
    assert replay(seating, 1, 17) == json.loads(file.getvalue().splitlines()[17])
    alone = io.StringIO()
    write_records(Rules(), ["sound"], ["thresholds"], 1, 1, alone, first=17)
    assert json.loads(alone.getvalue()) == replay(seating, 1, 17)
    with pytest.raises(ValueError, match="count from 0"):
        replay(seating, 1, -1)


def test_work_is_handed_out_in_order_and_not_all_at_once():
    begun = []

    def work(first, size):
        begun.append(first)
        return first, size

    parts = in_threads(work, 0, 10**9, threads=2, chunk=10)
    assert [next(parts)[1] for _ in range(3)] == [(0, 10), (10, 10), (20, 10)]
    parts.close()
    assert len(begun) < 100
    assert list(in_threads(work, 5, 25, threads=3, chunk=10)) == [(10, (5, 10)), (10, (15, 10)), (5, (25, 5))]


def test_frames_and_notebooks():
    report = pitchsim.simulate(**QUICK)
    assert list(report.to_frame("seat")["seat"]) == [1, 2, 3, 4]
    assert set(report.to_frame("bid").columns) >= {"bid", "made", "score_change"}
    assert "<table" in report._repr_html_()
    assert report.seats[3].score_change == report.to_dict()["seats"][3]["score_change"]


def test_the_catalogue_has_every_builtin_with_a_sentence():
    rows = list_policies().to_dict()["policies"]
    assert {(row["kind"], row["name"]) for row in rows} >= {
        ("play", "random"), ("play", "greedy"), ("play", "sound"), ("bidding", "passive"), ("bidding", "thresholds"),
    }  # fmt: skip
    assert all(row["description"].endswith(".") for row in rows if row["source"] == "built in")


def test_bench_measures_dealing_and_one_policy():
    rows = bench(players=2, play="greedy", threads=1).to_dict()["rows"]
    engines = {"greedy": ["scalar"] + ["lanes"] * (seat_players(Rules(), ["greedy"], ["passive"]).lanes is not None)}
    assert [(row["policy"], row["engine"]) for row in rows] == [
        (policy, engine) for policy in ("deal", "greedy") for engine in engines["greedy"]
    ]
    for row in rows:
        assert row["ns_per_deal"] == pytest.approx(1e9 / row["deals_per_second"])
        assert row["times_plain_python"] > 1 or PLAIN
    for row in rows:
        playing = row["ms_per_decision"]
        assert (playing is None) == (row["policy"] == "deal")
        # Eleven cards of two, and not all a choice.
        assert playing is None or playing * 1e6 * 11 > row["ns_per_deal"] > playing * 1e6 * 4


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_bench_tells_how_long_a_decision_takes():
    """At most 5 milliseconds for the one who looks ahead, whom a crowded machine may slow down."""
    answer = bench(players=3)
    found = answer.to_dict()["rows"]
    rows = {row["policy"]: row for row in found if row["threads"] == 1 and row["engine"] == "scalar"}
    assert rows["expert"]["ms_per_decision"] < rows["search:worlds=160"]["ms_per_decision"] < 5 * 4
    table = answer.text_tables()[-1]
    assert table.title == "Milliseconds a decision, 3 players, 1 thread"
    assert [row[0] for row in table.rows] == ["expert", "search:worlds=160"]


def test_bench_measures_policies_with_options():
    rows = bench(players=2, play="search:worlds=2", threads=1).to_dict()["rows"]
    assert [row["policy"] for row in rows] == ["deal", "search:worlds=2"]
