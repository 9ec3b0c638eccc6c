"""2 to 7 players side by side: the columns, the deals behind them, a hand as the table grows, the chart."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import pitchsim
from pitchsim import InputError, Rules
from pitchsim.advice import best_lead
from pitchsim.cli import main
from pitchsim.jit import PLAIN
from pitchsim.kernels import simulating
from pitchsim.records import score
from pitchsim.seating import seat_players
from pitchsim.simulation import replay, simulate
from pitchsim.statistics import ratio

DEALS = 20 if PLAIN else 4_000
QUICK = {"play": "greedy", "bidding": "thresholds", "deals": DEALS}
HAND_DEALS = 2_000
HAND = "AS KS 4S JD 10C 2H"
SIMULATED = [
    *(f"seat_{seat}" for seat in range(1, 8)),
    *(f"pitcher_{seat}" for seat in range(1, 8)),
    *("points_pitcher", "made", "made_1", "made_2", "made_3", "made_4", "stuck", "stolen", "thrown_in"),
    *("final_bid_1", "final_bid_2", "final_bid_3", "final_bid_4"),
    *("called_pass", "called_1", "called_2", "called_3", "called_4"),
    *("trick_points_in_play", "game_won", "ace_in_play", "jack_in_play", "deuce_in_play"),
]
OF_THE_HAND = ["points", "p1", "p2", "p3", "p4", "ev1", "ev2", "ev3", "ev4"]
CALLS = ("first", "dealer", "dealer_over_2")


def with_errors(names):
    return [column for name in names for column in (name, f"{name}_se")]


def run(line):
    return CliRunner().invoke(main, ["players", *line.split()])


@pytest.fixture(scope="module")
def study():
    return pitchsim.players_study(**QUICK)


@pytest.fixture(scope="module")
def with_a_hand():
    if PLAIN:
        pytest.skip("minutes long without compiling")
    return pitchsim.players_study(HAND, **QUICK | {"deals": HAND_DEALS})


def test_one_row_for_each_number_of_players_with_these_columns(study):
    frame = study.to_frame()
    assert frame["players"].tolist() == [2, 3, 4, 5, 6, 7]
    assert list(frame.columns) == ["players", "deals", *with_errors(SIMULATED), "given_card_in_play"]
    assert study.to_csv().splitlines()[0] == ",".join(frame.columns)
    answer = json.loads(study.to_json())
    assert list(answer) == ["rules", "play", "bidding", "engine", "seed", "hand", "rows"]
    assert [list(row) for row in answer["rows"]] == [list(frame.columns)] * 6
    assert (answer["play"], answer["bidding"], answer["seed"], answer["hand"]) == ("greedy", "thresholds", 1, None)
    assert "players" not in answer["rules"]


def test_a_seat_that_a_table_does_not_have_is_empty(study):
    for row in study.table_rows:
        for seat in range(1, 8):
            assert (row[f"seat_{seat}"] is None) == (row[f"pitcher_{seat}"] is None) == (seat > row["players"])


def test_a_hand_adds_its_columns(with_a_hand):
    names = [column for column in with_a_hand.to_frame().columns if column.startswith("hand_")]
    figures = with_errors([f"hand_{name}" for name in OF_THE_HAND])
    calls = [column for name in CALLS for column in (f"hand_call_{name}", f"hand_call_{name}_too_close")]
    assert names == ["hand_lead", *figures, *calls]
    assert with_a_hand.to_dict()["hand"] == "AS KS 4S JD TC 2H"


@pytest.mark.parametrize("players", range(2, 8))
def test_each_row_is_the_simulation_of_the_same_seed(study, players):
    row = study.table_rows[players - 2]
    run = pitchsim.simulate(players=players, **QUICK).to_dict()
    assert [row[f"seat_{seat['seat']}"] for seat in run["seats"]] == [seat["score_change"] for seat in run["seats"]]
    assert [row[f"seat_{seat['seat']}_se"] for seat in run["seats"]] == [seat["se"] for seat in run["seats"]]
    assert (row["points_pitcher"], row["made"]) == (run["pitcher"]["points"], run["pitcher"]["made"])
    assert (row["stuck"], row["stolen"], row["thrown_in"]) == (run["stuck"], run["stolen"], run["thrown_in"])
    assert row["jack_in_play"] == run["points"]["jack"] == run["in_play"]["jack"]
    assert row["game_won"] == run["points"]["game"]
    for bid, of_bid in run["pitcher"]["by_bid"].items():
        assert row[f"final_bid_{bid}"] * DEALS == pytest.approx(of_bid["deals"])
        assert row[f"made_{bid}"] == of_bid["made"]


@pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
def test_the_same_bytes_on_any_number_of_threads():
    asked = QUICK | {"deals": 30_000}
    assert len({pitchsim.players_study(HAND, **asked, threads=threads).to_json() for threads in (1, 2, 5)}) == 1
    assert pitchsim.players_study(**asked, seed=2).to_json() != pitchsim.players_study(**asked).to_json()


def test_shares_add_up():
    study = pitchsim.players_study(**QUICK, stuck_dealer="throw_in_next")
    for row in study.table_rows:
        bids = [row[f"final_bid_{bid}"] for bid in range(1, 5)]
        assert sum(bids) + row["thrown_in"] == pytest.approx(1)
        assert sum(row[f"called_{call}"] for call in ("pass", "1", "2", "3", "4")) == pytest.approx(1)
        assert sum(row[f"pitcher_{seat}"] or 0 for seat in range(1, 8)) + row["thrown_in"] == pytest.approx(1)
        made = sum(share * (row[f"made_{bid}"] or 0) for bid, share in enumerate(bids, 1))
        assert made == pytest.approx(row["made"] * (1 - row["thrown_in"]))
        assert row["given_card_in_play"] == 6 * row["players"] / 52


def test_what_is_in_play_is_told_of_the_deals_that_were_played():
    study = pitchsim.players_study(**QUICK | {"bidding": "casual"}, stuck_dealer="throw_in_next")
    assert study.table_rows[0]["thrown_in"] > 0
    for run, row in zip(study.runs, study.table_rows, strict=True):
        answer = run.to_dict()
        for name, share in (
            ("game_won", answer["points"]["game"]),
            *((f"{c}_in_play", s) for c, s in answer["in_play"].items()),
        ):
            assert row[name] * (1 - row["thrown_in"]) == pytest.approx(share)
        assert row["trick_points_in_play"] * (1 - row["thrown_in"]) == pytest.approx(answer["trick_points_in_play"])


def test_errors_are_those_of_shares_and_means(study):
    for row in study.table_rows:
        for name in ("made", "stolen", "final_bid_2", "ace_in_play"):
            assert row[f"{name}_se"] == pytest.approx((row[name] * (1 - row[name]) / row["deals"]) ** 0.5)
        of_bid = row["made_2"] * (1 - row["made_2"])
        assert row["made_2_se"] ** 2 * row["final_bid_2"] * row["deals"] == pytest.approx(of_bid)


@pytest.mark.parametrize("rules", [Rules(players=3, lowest_bid=2), Rules(players=6, stuck_dealer="throw_in_same")])
def test_what_is_counted_is_what_the_records_show(rules):
    """Calls by seat, cards in play, and their errors, against deals written down one by one."""
    names, count, ranks = (["greedy"], ["casual"]), 40 if PLAIN else 300, {"A": "ace", "J": "jack", "2": "deuce"}
    run = simulate(rules, *names, deals=count, seed=4)
    called, per_deal = np.zeros((7, 5), int), np.zeros((count, 5), int)
    in_play, trick_points = dict.fromkeys(ranks.values(), 0), np.zeros(count)
    for deal in range(count):
        record = replay(seat_players(rules, *names), 4, deal)
        for call in record["auction"]:
            called[call["seat"], call["bid"]] += 1
            per_deal[deal, call["bid"]] += 1
        if record.get("plays"):
            judged, dealt = score(record), {card for hand in record["hands"] for card in hand}
            trick_points[deal] = sum(judged["trick_points_by_seat"])
            for rank, name in ranks.items():
                in_play[name] += rank + judged["trump"] in dealt
    assert run.tally.by_seat[:, simulating.SEAT_CALLS :].tolist() == called.tolist()
    assert run.to_dict()["in_play"] == {name: pytest.approx(times / count) for name, times in in_play.items()}
    played = trick_points[trick_points > 0]
    assert len(played) == run.played
    assert run.trick_points.mean == pytest.approx(played.mean())
    assert run.trick_points.se == pytest.approx(played.std() / len(played) ** 0.5)
    spoken = per_deal.sum(axis=1)
    for call in range(5):
        found, times = run.call_share(call), per_deal[:, call]
        assert found.mean == pytest.approx(times.sum() / spoken.sum())
        spread = ((times - found.mean * spoken) ** 2).sum() ** 0.5
        assert found.se == pytest.approx(spread / spoken.sum(), abs=1e-12)


def test_a_ratio_without_anything_below_it_is_nothing():
    assert (ratio(0, 0, 0, 0, 0).mean, ratio(0, 0, 0, 0, 0).se) == (None, None)
    assert ratio(6, 12, 12, 48, 24).se == 0  # Always one half.


def test_what_each_seat_calls_is_told_by_simulate():
    run = pitchsim.simulate(**QUICK, players=5)
    for row in run.to_dict()["calls"]:
        assert sum(row[call] for call in ("pass", "1", "2", "3", "4")) == pytest.approx(1)
    assert list(run.to_frame("call").columns) == ["seat", "pass", "1", "2", "3", "4"]
    assert run.calls[4].seat == 5
    assert "seat calls" in run.to_text()


@pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
def test_trumps_in_play_where_any_card_is_pitched():
    """The trump is the card pitched in one case of thirteen, else one of the other 51, of which 6 n - 1 are dealt."""
    for row in pitchsim.players_study(play="random", bidding="passive", deals=40_000).table_rows:
        players = row["players"]
        assert row[f"pitcher_{players}"] == row["stuck"] == 1
        assert row["called_2"] == pytest.approx(1 / players)
        assert row["called_2_se"] == pytest.approx(0, abs=1e-9)
        exact = 1 / 13 + 12 / 13 * (6 * players - 1) / 51
        for card in ("ace", "jack", "deuce"):
            assert row[f"{card}_in_play"] == pytest.approx(exact, abs=4.5 * row[f"{card}_in_play_se"])
        in_play = 80 * row["given_card_in_play"]
        assert row["trick_points_in_play"] == pytest.approx(in_play, abs=4.5 * row["trick_points_in_play_se"])


def test_all_that_is_scored_is_won_by_somebody(study):
    """The pitcher loses his bid when set, and otherwise every point that is awarded is scored by some seat."""
    for run, row in zip(study.runs, study.table_rows, strict=True):
        seats = sum(row[f"seat_{seat}"] for seat in range(1, row["players"] + 1))
        bids = run.tally.by_bid
        awarded = sum(int(run.tally.totals[place]) for place in (simulating.HIGH, simulating.LOW, simulating.JACK))
        awarded += int(run.tally.totals[simulating.GAME])
        lost = int(bids[:, simulating.BID_POINTS].sum() - bids[:, simulating.BID_CHANGE].sum())
        assert seats * run.deals == pytest.approx(awarded - lost)


def test_the_hand_is_what_advise_says(with_a_hand):
    for players in (2, 5):
        row = with_a_hand.table_rows[players - 2]
        names = {"play": "greedy", "bidding": "thresholds"}
        advice = pitchsim.advise(HAND, players=players, deals=HAND_DEALS, **names)
        best = best_lead(advice.alone, 2)
        assert row["hand_lead"] == str(best.card)
        assert (row["hand_points"], row["hand_points_se"]) == (best.points.mean, best.points.se)
        assert [row[f"hand_p{points}"] for points in range(1, 5)] == pytest.approx(best.at_least)
        assert [row[f"hand_ev{bid}"] for bid in range(1, 5)] == pytest.approx(
            [best.score_change(b) for b in range(1, 5)]
        )
        # A grid of so few deals and this study weigh the same deals.
        assert row["hand_call_first"] == advice.grid[0].call
        assert row["hand_call_first_too_close"] == advice.grid[0].too_close


def test_errors_of_the_hand(with_a_hand):
    for row in with_a_hand.table_rows:
        p = row["hand_p4"]
        assert row["hand_p4_se"] == pytest.approx((p * (1 - p) / HAND_DEALS) ** 0.5)
        assert row["hand_ev4_se"] == pytest.approx(8 * row["hand_p4_se"])  # It is 4 or -4.


@pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
def test_a_hand_that_cannot_lose_is_worth_the_same_at_every_table():
    for row in pitchsim.players_study("AS KS QS JS 10S 9S", play="sound", bidding="casual", deals=500).table_rows:
        assert (row["hand_points"], row["hand_p4"], row["hand_ev4"], row["hand_ev4_se"]) == (4, 1, 4, 0)
        # A defender wins less with it than its pitcher.
        assert row["hand_call_dealer_over_2"] != "pass"


def test_text_has_a_column_for_each_number_of_players(with_a_hand):
    text = with_a_hand.to_text()
    assert text.startswith("From 2 players to 7 the jack of trumps is in play in ")
    for table in with_a_hand.text_tables():
        assert list(table.columns) == ["players", "2", "3", "4", "5", "6", "7"]
    for line in (
        "seat 1 (speaks first)",
        "dealer",
        "makes a 3",
        "+/-",
        "any given card",
        "pitch",
        "score of a bid of 4",
    ):
        assert f"\n{line} " in text
    assert "What AS KS 4S JD 10C 2H is worth" in text
    assert "seed 1, play greedy, bidding thresholds" in text
    assert "<table" in with_a_hand.to_html()
    assert with_a_hand.to_markdown().count("| players") == len(with_a_hand.text_tables())


def test_lines_of_what_never_happens_are_left_out(study):
    assert "final bid 1" in study.to_text()
    quick = QUICK | {"deals": 50}
    text = pitchsim.players_study(**quick, lowest_bid=2, dealer_may_steal=False).to_text()
    for line in ("final bid 1", "makes a 1", "dealer steals", "thrown in"):
        assert line not in text


def test_all_thrown_in_is_told():
    quick = QUICK | {"deals": 20, "bidding": "passive"}
    study = pitchsim.players_study(**quick, stuck_dealer="throw_in_next")
    assert study.headline() == "All deals were thrown in."
    assert {(row["made"], row["points_pitcher"], row["seat_1"]) for row in study.table_rows} == {(None, None, 0)}
    assert study.to_text()


@pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
def test_precision_is_that_of_the_score_change():
    study = pitchsim.players_study(play="greedy", bidding="casual", precision=0.012)
    for row in study.table_rows:
        assert max(row[f"seat_{seat}_se"] for seat in range(1, row["players"] + 1)) < 0.012
        assert row["deals"] in {10_000 * 2**k for k in range(6)}
    assert (
        f"{study.runs[-1].deals:,} to {study.runs[0].deals:,} deals" in study.to_text()
        or len({run.deals for run in study.runs}) == 1
    )


def test_house_rules_hold_at_every_table():
    quick = QUICK | {"deals": 50}
    rules = Rules(players=6, lowest_bid=2, low_goes_to="holder")
    study = pitchsim.players_study(rules=rules, **quick)
    assert [run.seating.rules.players for run in study.runs] == [2, 3, 4, 5, 6, 7]
    assert all(run.seating.rules.lowest_bid == 2 for run in study.runs)
    assert study.to_json() == pitchsim.players_study(lowest_bid=2, low_goes_to="holder", **quick).to_json()
    assert study.to_dict()["rules"]["low_goes_to"] == "holder"
    assert "2 to 7 players, lowest bid 2, low holder." in study.to_text()


@pytest.mark.parametrize("form", ["csv", "json", "markdown", "text"])
def test_the_command_prints_what_the_function_gives(form):
    result = run(f"--deals 50 --play greedy --bidding casual --smudge --seed 3 -j 1 --format {form}")
    assert result.exit_code == 0, result.stderr
    study = pitchsim.players_study(play="greedy", bidding="casual", deals=50, seed=3, smudge=True)
    forms = {"csv": study.to_csv, "json": study.to_json, "markdown": study.to_markdown, "text": study.to_text}
    assert result.stdout == forms[form]()


def test_a_house_file_may_have_any_number_of_players_but_no_partners(tmp_path):
    house = tmp_path / "house.toml"
    house.write_text("players = 5\nlowest-bid = 2\n")
    how = "--deals 20 --play greedy --bidding casual --format csv"
    assert run(f"{how} --house {house}").stdout == run(f"{how} --lowest-bid 2").stdout
    house.write_text("partners = true\n")
    result = run(f"{how} --house {house}")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "give --no-partners" in result.stderr
    assert run(f"{how} --house {house} --no-partners").exit_code == 0


BAD_INPUT = [
    ("--players 9", "2, 3, ... 7 players are compared side by side, so leave the number of players out"),
    ("-n 4", "leave the number of players out"),
    ("--partners", "partners are always four"),
    ("--play greedy,sound", "2 play policies given; at 2, 3, ... 7 players all are alike, so give one"),
    ("--bidding casual,passive", "2 bidding policies given"),
    ("--play nosuch --deals 10", "nosuch"),
    ("--hand ASKS4SJD10C2H3H", "7 cards given; a hand has six"),
    ("--hand AK", "is not a card"),
    ("--out x.xls", "cannot be written as .xls; give .csv"),
    ("--chart x.csv", "cannot be written as .csv; give .png"),
    ("--chart x.svg --out ./x.svg", "cannot be written as .svg"),
    ("--deals ten", "'ten' is not a number of deals"),
    ("--precision 0", "'0' is not a standard error"),
    ("--seed -1", "'-1' is not a seed"),
    ("--threads 0", "'0' is not a number of threads"),
    ("AS", "unexpected extra argument"),
]


@pytest.mark.parametrize(("line", "why"), BAD_INPUT, ids=[line for line, _ in BAD_INPUT])
def test_bad_input_is_told_in_one_sentence(line, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert why in result.stderr.splitlines()[-1]
    assert result.stderr.count("Error: ") == 1
    assert not list(tmp_path.iterdir())


def test_bad_questions_in_python():
    for wrong in ({"players": 4}, {"partners": True}, {"play": ["greedy", "sound"]}, {"hand": "AS"}):
        with pytest.raises(InputError):
            pitchsim.players_study(**wrong)
    with pytest.raises(TypeError, match="no house rule 'lowest'"):
        pitchsim.players_study(lowest=2)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_chart_is_drawn(with_a_hand, study, suffix, tmp_path):
    from pitchsim.charts import draw_players

    for name, drawn in (("with", with_a_hand), ("without", study)):
        draw_players(drawn, tmp_path / f"{name}.{suffix}")
    assert (tmp_path / f"with.{suffix}").stat().st_size > (tmp_path / f"without.{suffix}").stat().st_size > 10_000


def test_the_chart_tells_what_it_is_about(with_a_hand, tmp_path):
    from pitchsim.charts import draw_players

    draw_players(with_a_hand, tmp_path / "chart.svg")
    # Letters are drawn as shapes, each text with itself as a comment before it.
    picture = (tmp_path / "chart.svg").read_text()
    for words in (
        "AS KS 4S JD 10C 2H; 2 to 7 players, rules of the book",
        "2,000 deals for each",
        "two standard errors",
    ):
        assert words in picture
    for words in ("play greedy, bidding thresholds", "first to speak", "dealer", "bid of 4", "any given card (exact)"):
        assert words in picture
    draw_players(with_a_hand, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text() == picture


def test_the_chart_of_a_table_where_all_is_thrown_in(tmp_path):
    from pitchsim.charts import draw_players

    study = pitchsim.players_study(play="greedy", bidding="passive", deals=5, stuck_dealer="throw_in_next")
    draw_players(study, tmp_path / "chart.png")
    assert (tmp_path / "chart.png").exists()


def test_files_and_chart_are_written_by_the_command(tmp_path):
    out, chart = tmp_path / "players.csv", tmp_path / "players.png"
    result = run(f"--deals 20 --play greedy --bidding casual --out {out} --chart {chart} --format json")
    assert result.exit_code == 0, result.stderr
    assert out.read_text().startswith("players,deals,seat_1,seat_1_se,")
    assert chart.read_bytes().startswith(b"\x89PNG")
    assert len(json.loads(result.stdout)["rows"]) == 6


@pytest.mark.parametrize("hand", ["", "--hand AK4.2.J.T "])
def test_one_deal_tells_nothing_of_errors(hand):
    said = run(f"{hand}--deals 1 --play greedy --bidding thresholds").stdout
    assert ". 1 deal for each number of players, seed 1" in said
    assert "With one deal the standard errors are not known." in said
    assert "Standard errors are at most" not in said
    assert "1 deals" not in said
    if hand:
        assert (
            "The hand: 1 deal for each card to pitch, no auction behind it, their standard errors are not known" in said
        )
