"""Policies against each other: who sits where, what is counted, games by the rulebook, going on after an end."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise, product

import pytest
from click.testing import CliRunner

import pitchsim
from pitchsim import InputError, Rules, RunError, checkpoint, matching
from pitchsim.cards import CARD_OF_TEXT
from pitchsim.checkpoint import part_of
from pitchsim.cli import main
from pitchsim.house import ending_of
from pitchsim.jit import PLAIN
from pitchsim.kernels.matching import DEALS, STOPPED, WHOLE_GAME, WINS
from pitchsim.lanes.engine import level_here
from pitchsim.matching import (
    GAMES_STREAM,
    MOST_GAME_DEALS,
    ONE_DEAL,
    Runner,
    Tally,
    design_of,
    read_contestant,
    seatings_of,
)
from pitchsim.records import score
from pitchsim.rules import Game
from pitchsim.seating import Keys
from pitchsim.simulation import replay

COLUMNS = "policy deals score_change se difference difference_se points_pitcher made games game_wins game_wins_se"
FEW = 20 if PLAIN else 2_000


def run(line, **options):
    """Run one command line in this process."""
    return CliRunner().invoke(main, shlex.split(line), prog_name="pitchsim", **options)


# Who plays whom ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("sound", ("sound", "usual")),
        ("sound/passive", ("sound", "passive")),
        (" sound / passive ", ("sound", "passive")),
        ("a.py:f", ("a.py:f", "usual")),
        ("in/a.py:f", ("in/a.py:f", "usual")),
        ("/in/here/a.py:f", ("/in/here/a.py:f", "usual")),
        ("a.py:f/passive", ("a.py:f", "passive")),
        ("in/a.py:f/b.py:g", ("in/a.py:f", "b.py:g")),
        ("in/a.py:f/in/b.py:g", ("in/a.py:f", "in/b.py:g")),
        ("/in/a.py:f//in/b.py:g", ("/in/a.py:f", "/in/b.py:g")),
        ("sound/package.room:bold", ("sound", "package.room:bold")),
        ("sound:worlds=160", ("sound:worlds=160", "usual")),
        ("sound:worlds=160/thresholds", ("sound:worlds=160", "thresholds")),
        ("sound/nonsense", ("sound", "nonsense")),
        ("nonsense/passive", ("nonsense", "passive")),
        ("nonsense", ("nonsense", "usual")),
    ],
)
def test_a_name_is_play_or_play_and_bidding(name, pair):
    assert read_contestant(name, "usual") == pair


@pytest.mark.parametrize("players", range(2, 8))
def test_as_many_names_as_players_sit_in_every_seat_once(players):
    for seatings in seatings_of(Rules(players=players), players):
        assert len(seatings) == players
        assert all(sorted(column) == list(range(players)) for column in zip(*seatings, strict=True))
        assert all(sorted(seating) == list(range(players)) for seating in seatings)


@pytest.mark.parametrize("players", range(2, 8))
def test_everybody_is_equally_often_at_the_left_of_everybody_else(players):
    orders = [seatings[0] for seatings in seatings_of(Rules(players=players), players)]
    assert len(set(orders)) == len(orders)
    for apart in range(1, players):
        pairs = Counter((order[place - apart], order[place]) for order in orders for place in range(players))
        assert len(pairs) == players * (players - 1)
        assert len(set(pairs.values())) == 1


@pytest.mark.parametrize("players", range(3, 8))
def test_two_names_are_one_against_all_others(players):
    (seatings,) = seatings_of(Rules(players=players), 2)
    assert [seating.index(0) for seating in seatings] == list(range(players))
    assert all(sum(seating) == players - 1 for seating in seatings)


def test_partners_are_two_teams_or_everybody_with_everybody():
    rules = Rules(partners=True)
    assert seatings_of(rules, 2) == [[(0, 1, 0, 1), (1, 0, 1, 0)]]
    seatings = [seating for order in seatings_of(rules, 4) for seating in order]
    for contestant in range(4):
        seats = [seating.index(contestant) for seating in seatings]
        partners = [seating[(seat + 2) % 4] for seating, seat in zip(seatings, seats, strict=True)]
        assert all(partners.count(other) == len(seatings) // 3 for other in range(4) if other != contestant)


def test_the_rows_of_a_design_follow_the_dealer():
    design = design_of(Rules(players=3), ["sound", "greedy", "random"], "passive")
    assert len(design.who) == 2 * 3 * 3
    for row, who in enumerate(design.who):
        order, seating, dealer = row // 9, row // 3 % 3, row % 3
        sitting = design.orders[order][seating]
        assert who[2] == sitting[dealer]
        assert design.table_at(row).play[0].name == design.names[sitting[(dealer + 1) % 3]]


@pytest.mark.parametrize(
    ("names", "how", "why"),
    [
        ([], {}, "0 policies given; give 4 for 4 players, or 2"),
        (["sound"], {}, "1 policy given; give 4 for 4 players, or 2"),
        (["sound"] * 3, {}, "3 policies given"),
        (["sound"] * 3, {"players": 2}, "give 2 "),
        (["sound", "nonsense"], {}, "there is no play policy 'nonsense'"),
        (["sound", "sound/nonsense"], {}, "there is no bidding policy 'nonsense'"),
        (["sound", "sound/"], {}, "there is no bidding policy ''"),
        (["sound", "greedy"], {"games": 0}, "is not a number of games"),
        (["sound", "greedy"], {"games": 5, "end_after": 10_001}, "games of at most 10,000 deals"),
        (["sound", "greedy"], {"precision": -1}, "not a standard error"),
        (["sound", "greedy"], {"out": "match.xls"}, "give .csv"),
    ],
)
def test_what_cannot_be_is_refused(names, how, why):
    with pytest.raises(InputError, match=why.replace("(", r"\(")):
        pitchsim.match(*names, **how)


# What is counted --------------------------------------------------------------------------------------


@pytest.mark.parametrize("play", ["random", "greedy", "sound"])
@pytest.mark.parametrize("table", [{"players": 2}, {"players": 5}, {"partners": True}])
@pytest.mark.parametrize("every_seat", [True, False])
def test_a_policy_against_itself_differs_by_nothing(play, table, every_seat):
    names = [play] * (Rules(**table).players if every_seat else 2)
    found = pitchsim.match(*names, deals=FEW, games=5, **table)
    assert [(row.difference, row.difference_se) for row in found.rows] == [(0, 0)] * len(names)
    assert [row.policy for row in found.rows] == [f"{play} #{place + 1}" for place in range(len(names))]
    assert found.too_close
    assert "Too close to call" in found.headline()
    assert any("same policy" in notice for notice in found.notices)


TABLES = [
    (["sound", "greedy"], Rules(players=2)),
    (["sound", "greedy/passive", "random"], Rules(players=3, lowest_bid=2)),
    (["sound", "random"], Rules(players=5, stuck_dealer="throw_in_next")),
    (["sound", "random/passive"], Rules(partners=True, smudge=True)),
    (["sound", "greedy", "random", "sound/passive"], Rules(partners=True, dealer_may_steal="any")),
]


@pytest.mark.parametrize(("names", "rules"), TABLES)
def test_the_tallies_are_those_of_the_referee(names, rules):
    deals = 5 if PLAIN else 60
    found = pitchsim.match(*names, rules=rules, deals=deals, seed=7)
    design, players = found.design, rules.players
    changes = [[0.0] * deals for _ in names]
    differences = [[0.0] * deals for _ in names]
    pitches, points, made = ([0] * len(names) for _ in range(3))
    for place, deal in product(range(design.seatings), range(deals)):
        order = deal % len(design.orders)
        seating = design.orders[order][place]
        table = design.table_at((order * design.seatings + place) * players + players - 1)
        judged = score(replay(table, 7, deal))
        by_seat = [judged["delta"][seat % rules.sides] for seat in range(players)]
        if "thrown_in" not in judged:
            pitcher = seating[judged["pitcher"]]
            pitches[pitcher] += 1
            points[pitcher] += judged["points_won"][judged["pitcher"] % rules.sides]
            made[pitcher] += judged["made"]
        for seat, contestant in enumerate(seating):
            others = [other for at, other in enumerate(by_seat) if (at - seat) % rules.sides]
            share = 1 / design.appearances[contestant]
            changes[contestant][deal] += share * by_seat[seat]
            differences[contestant][deal] += share * (by_seat[seat] - sum(others) / len(others))
    for place, row in enumerate(found.rows):
        for figures, mean, se in ((changes, "score_change", "se"), (differences, "difference", "difference_se")):
            average = sum(figures[place]) / deals
            spread = sum((figure - average) ** 2 for figure in figures[place]) / deals
            assert row[mean] == pytest.approx(average)
            assert row[se] == pytest.approx((spread / deals) ** 0.5, abs=1e-9)
        assert row.points_pitcher == (pytest.approx(points[place] / pitches[place]) if pitches[place] else None)
        assert row.made == (pytest.approx(made[place] / pitches[place]) if pitches[place] else None)
    if len(names) > 2:
        lead = found.lead(0, 2)
        gaps = [one - other for one, other in zip(changes[0], changes[2], strict=True)]
        average = sum(gaps) / deals
        assert lead.mean == pytest.approx(average)
        assert lead.se == pytest.approx((sum((gap - average) ** 2 for gap in gaps) / deals / deals) ** 0.5)


def test_better_players_win_the_match():
    if PLAIN:
        pytest.skip("minutes long without compiling")
    for better, worse in (("greedy", "random"), ("sound", "greedy")):
        found = pitchsim.match(better, worse, deals=20_000, games=500)
        row, other = found.rows
        assert row.difference > 20 * row.difference_se
        assert row.game_wins > 0.25 + 5 * row.game_wins_se
        assert other.difference == pytest.approx(-row.difference / 3)
        assert other.difference_se == pytest.approx(row.difference_se / 3)
        assert not found.too_close
        assert found.headline().startswith(f"{better} is better than {worse} by")
        turned = pitchsim.match(worse, better, deals=20_000)
        assert turned.headline().startswith(f"{better} is better than {worse} by")


@pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
@pytest.mark.parametrize("table", [{"players": 5}, {"players": 6}, {"players": 7}, {"partners": True}])
def test_nobody_gains_by_the_place_of_his_name(table):
    names = ["sound", "random", "greedy", "sound/passive", "greedy/passive", "random"]
    names = [*names[: Rules(**table).players - 1], "sound"]
    found = pitchsim.match(*names, deals=20_000, **table)
    lead = found.lead(0, len(names) - 1)
    assert abs(lead.mean) < 4 * lead.se


def test_runs_depend_on_the_seed_and_on_nothing_else():
    how = {"deals": FEW, "games": 20, "players": 3}
    texts = {pitchsim.match("sound", "random", threads=threads, seed=5, **how).to_json() for threads in (1, 2, 5)}
    assert len(texts) == 1
    assert pitchsim.match("sound", "random", seed=6, **how).to_json() not in texts


def test_precision_stops_at_the_first_doubling_that_is_fine_enough():
    if PLAIN:
        pytest.skip("minutes long without compiling")
    found = pitchsim.match("sound", "greedy", precision=0.01)
    assert found.deals in {250 * 2**k for k in range(12)}
    assert all(row.se < 0.01 and row.difference_se < 0.01 for row in found.rows)
    half = pitchsim.match("sound", "greedy", deals=found.deals // 2)
    assert max(max(row.se, row.difference_se) for row in half.rows) >= 0.01
    assert pitchsim.match("sound", "greedy", precision=1e-6, deals=3_000).deals == 3_000
    assert any("doubling" in note for note in found.notes())


def test_two_that_can_hardly_be_told_apart_are_too_close_to_call():
    for deals, why in ((40, "two standard errors"), (20, "too few")):
        found = pitchsim.match("sound", "greedy", players=2, deals=deals, seed=2)
        assert found.too_close
        assert found.headline().startswith("Too close to call: ")
        assert any(why in notice for notice in found.notices)


# Whole games ------------------------------------------------------------------------------------------

GAMES = [
    Rules(players=2),
    Rules(players=3, target=11, lowest_bid=2),
    Rules(players=4, winning="pitcher_made"),
    Rules(players=5, winning="anyone"),
    Rules(players=7, stuck_dealer="throw_in_next", winning="anyone", low_goes_to="holder"),
    Rules(players=4, stuck_dealer="throw_in_same", smudge=True),
    Rules(players=3, stuck_dealer="throw_in_same", end_after=4),
    Rules(players=6, stuck_dealer="throw_in_next", end_after=3),
    Rules(partners=True),
    Rules(partners=True, winning="anyone", target=3, dealer_may_steal="only_4"),
    Rules(partners=True, end_after=2),
]


def in_words(rules):
    """House rules as the name of a test."""
    return " ".join(map(str, rules.to_dict().values()))


def played_by_the_book(design, row, game, seed):
    """Who wins this game by the readable rules, and how many deals it takes."""
    rules, count = design.rules, 0
    book = Game(rules, dealer=rules.players - 1)
    while not book.over:
        record = replayed(design.table_at(row + book.dealer), seed, game * MOST_GAME_DEALS + count)
        seats = [(book.dealer + 1 + place) % rules.players for place in range(rules.players)]
        hands = dict(zip(seats, record["hands"], strict=True))
        deal = book.deal([[CARD_OF_TEXT[card] for card in hands[seat]] for seat in range(rules.players)])
        for call in record["auction"]:
            deal.call(seats[call["seat"]], call["bid"])
        for place, card in record["plays"]:
            deal.play(seats[place], CARD_OF_TEXT[card])
        book.add(deal.outcome())
        count += 1
    return book.winners, count


def replayed(table, seed, deal):
    """A deal of the stream of games."""
    keys = Keys.of(seed, GAMES_STREAM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Keys, "of", staticmethod(lambda seed: keys))
        return replay(table, seed, deal)


@pytest.mark.parametrize("rules", GAMES, ids=in_words)
def test_games_end_as_the_rulebook_says(rules):
    names = ["sound", "greedy/passive", "random", "greedy", "sound/passive", "random", "sound"][: rules.players]
    design = design_of(rules, names, "thresholds")
    games = 1 if PLAIN else 12
    tally = Tally(len(names))
    runner = Runner(design, ending_of(rules, MOST_GAME_DEALS), Keys.of(3, GAMES_STREAM), tally, 1)
    list(runner.go(games))
    wins, deals = [0] * len(names), 0
    for game, place in product(range(games), range(design.seatings)):
        order = game % len(design.orders)
        row = (order * design.seatings + place) * rules.players
        winners, count = played_by_the_book(design, row, game, 3)
        deals += count
        for seat, contestant in enumerate(design.orders[order][place]):
            wins[contestant] += (seat % rules.sides in winners) * WHOLE_GAME // len(winners)
    assert tally.table[:, WINS].tolist() == wins
    assert tally.totals[DEALS] == deals
    assert tally.totals[STOPPED] == 0


@pytest.mark.parametrize("rules", [*GAMES[:5], Rules(players=5, end_after=2)])
def test_every_game_is_won_once(rules):
    names = ["sound", "random", "greedy", "random", "sound", "random", "greedy"][: rules.players]
    found = pitchsim.match(*names, rules=rules, deals=2, games=2 if PLAIN else 150)
    assert sum(row.game_wins for row in found.rows) == pytest.approx(1)
    assert found.games == found.rows[0].games == (2 if PLAIN else 150)
    one, others = pitchsim.match("sound", "random", rules=Rules(players=5), deals=2, games=2).rows
    assert one.game_wins + 4 * others.game_wins == pytest.approx(1)


def test_two_teams_share_all_games():
    found = pitchsim.match("sound", "random", partners=True, deals=2, games=2 if PLAIN else 100)
    assert sum(row.game_wins for row in found.rows) == pytest.approx(1)
    assert "a fair share is 50.0%" in found.headline()


def test_a_game_without_end_is_stopped_and_told(monkeypatch):
    monkeypatch.setattr(matching, "MOST_GAME_DEALS", 20)
    found = pitchsim.match("random/passive", "sound/passive", stuck_dealer="throw_in_next", deals=5, games=3)
    assert [row.game_wins for row in found.rows] == [0.25, 0.25]
    assert found.deals_per_game == 20
    assert any("12 of 12 games were stopped after 20 deals" in notice for notice in found.notices)
    assert found.rows[0].points_pitcher is None
    assert found.to_text()


# 64 deals at a time -----------------------------------------------------------------------------------


@pytest.mark.skipif(level_here() is None, reason="this processor has no wide vectors")
@pytest.mark.parametrize("rules", [*GAMES, Rules(players=5, stuck_dealer="throw_in_same", end_after=2)], ids=in_words)
@pytest.mark.parametrize("names", [["greedy", "random"], ["random", "greedy/passive", "greedy"]], ids=" ".join)
def test_64_deals_at_a_time_add_up_to_the_same_as_one(rules, names):
    if len(names) > 2 or rules.players == 2:
        names = (names * 3)[: rules.players]
    tallies = []
    for engine, ending in product(("lanes", "scalar"), (ONE_DEAL, ending_of(rules, 30))):
        tally = Tally(len(names))
        runner = Runner(design_of(rules, names, "casual", engine), ending, Keys.of(5, GAMES_STREAM), tally, 2)
        list(runner.go(5 if PLAIN else 150))
        tallies.append(tally.to_dict())
    assert tallies[:2] == tallies[2:]


@pytest.mark.skipif(level_here() is None, reason="this processor has no wide vectors")
def test_the_answer_is_the_same_with_either_engine_but_for_its_word(tmp_path):
    names, how = ("greedy", "random", "greedy/passive"), {"players": 3, "deals": FEW, "games": 7}
    lanes, scalar = (pitchsim.match(*names, engine=engine, **how) for engine in ("lanes", "scalar"))
    assert lanes.to_dict() == scalar.to_dict() | {"engine": "lanes"}
    assert lanes.to_csv() == scalar.to_csv()
    assert lanes.to_text() == scalar.to_text().replace("Played one deal at a time.", "Played 64 deals at a time.")
    assert pitchsim.match(*names, **how).engine == ("scalar" if PLAIN else "lanes")
    assert pitchsim.match("sound", *names[1:], **how).engine == "scalar"


def test_a_run_goes_on_with_either_engine():
    asked = {"deals": 5}
    designs = [design_of(Rules(), ["greedy", "random"], "casual", engine) for engine in ("auto", "scalar")]
    assert matching._identity(designs[0], asked) == matching._identity(designs[1], asked)


# Going on where it stopped ----------------------------------------------------------------------------

LONG = ["match", "sound", "greedy", "random", "-n", "3", "--deals", "1e5" if PLAIN else "2e6", "--games", "50"]


def spawned(folder, *more, **options):
    """Begin a long match in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "pitchsim", *LONG, "-j", "1", *more], cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def wait_for(path, process, lines=2):
    """Wait until so many lines are in a file."""
    until = time.monotonic() + 120
    while not (path.exists() and path.read_bytes().count(b"\n") >= lines):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
@pytest.mark.parametrize(
    "how",
    [pytest.param(signal.SIGKILL, id="kill"), pytest.param(signal.SIGINT, id="ctrl-c", marks=pytest.mark.slow)],
)
def test_a_stopped_match_goes_on_and_ends_with_the_same_bytes(how, tmp_path):
    out, part = tmp_path / "match.json", tmp_path / "match.json.part"
    process = spawned(tmp_path, "--out", "match.json")
    wait_for(part, process)
    os.kill(process.pid, how)
    printed, said = process.communicate(timeout=60)
    assert process.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 130)
    assert (printed, out.exists(), part.exists()) == ("", False, True)
    assert "Traceback" not in said
    assert all(json.loads(line) for line in part.read_text().splitlines())
    with part.open("a") as file:
        file.write('{"by_deal": {"pla')  # A line that was being written.

    process = spawned(tmp_path, "--out", "match.json")
    printed, said = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "went on after" in said
    assert not part.exists()
    whole = run(shlex.join([*LONG, "--out", str(tmp_path / "whole.json")]))
    assert printed == whole.stdout
    assert out.read_bytes() == (tmp_path / "whole.json").read_bytes()


@pytest.fixture
def interrupted(tmp_path, monkeypatch):
    """A run that was stopped in the middle, in this process."""
    monkeypatch.setattr(checkpoint, "PAUSE", 0)
    add, left = Tally.add, iter(range(5))

    def stop(self, other):
        if next(left, None) is None:
            raise KeyboardInterrupt
        add(self, other)

    with monkeypatch.context() as patch:
        patch.setattr(Tally, "add", stop)
        with pytest.raises(KeyboardInterrupt):
            pitchsim.match("sound", "greedy", deals=FEW, games=3, out=tmp_path / "match.csv", threads=1)
    return tmp_path / "match.csv"


def test_a_run_goes_on_in_the_same_process_too(interrupted):
    part = part_of(interrupted)
    kept = [json.loads(line) for line in part.read_text().splitlines()]
    assert kept[0]["policies"] == ["sound", "greedy"]
    assert all(first["by_deal"]["played"] <= second["by_deal"]["played"] for first, second in pairwise(kept[1:]))
    again = pitchsim.match("sound", "greedy", deals=FEW, games=3, out=interrupted)
    assert any("went on after" in notice for notice in again.notices)
    assert again.to_json() == pitchsim.match("sound", "greedy", deals=FEW, games=3).to_json()
    assert interrupted.read_text() == again.to_csv()
    assert not part.exists()


@pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
@pytest.mark.parametrize("stop_at", [0, 249, 250, 251, 1_000])
def test_a_run_with_a_precision_goes_on_at_any_point(stop_at, tmp_path, monkeypatch):
    asked = {"precision": 0.015, "seed": 3}
    whole = pitchsim.match("sound", "greedy", **asked)
    assert 1_000 < whole.deals < 200_000
    monkeypatch.setattr(checkpoint, "PAUSE", 0)

    def stop(self, state):
        keep(self, state)
        if state["by_deal"]["played"] >= stop_at:
            raise KeyboardInterrupt

    keep = checkpoint.Checkpoint.keep
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.Checkpoint, "keep", stop)
        with pytest.raises(KeyboardInterrupt):
            pitchsim.match("sound", "greedy", **asked, out=tmp_path / "match.csv")
    again = pitchsim.match("sound", "greedy", **asked, out=tmp_path / "match.csv")
    assert any("went on" in notice for notice in again.notices)
    assert again.to_json() == whole.to_json()


def test_names_may_come_as_a_list():
    assert pitchsim.match(["sound", "random"], deals=5).to_csv() == pitchsim.match("sound", "random", deals=5).to_csv()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"seed": 2}, "seed"),
        ({"deals": FEW + 1}, "deals"),
        ({"games": 4}, "games"),
        ({"lowest_bid": 2}, "rules"),
        ({"names": ["greedy", "sound"]}, "policies"),
    ],
)
def test_what_another_run_has_left_is_refused(change, what, interrupted):
    names = change.pop("names", ["sound", "greedy"])
    before = part_of(interrupted).read_bytes()
    with pytest.raises(InputError, match=f"not the same {what}"):
        pitchsim.match(*names, **{"deals": FEW, "games": 3, "out": interrupted} | change)
    assert part_of(interrupted).read_bytes() == before
    assert not interrupted.exists()


def test_what_is_no_part_of_a_run_is_refused(tmp_path):
    part = tmp_path / "match.csv.part"
    for text in ("hello\n", "[1]\n", '{"run": "pitchsim match"}\n7\n'):
        part.write_text(text)
        with pytest.raises(InputError, match=r"interrupted run"):
            pitchsim.match("sound", "greedy", deals=5, out=tmp_path / "match.csv")
        assert part.read_text() == text
    part.write_text('{"run": "pitchsim ma')
    pitchsim.match("sound", "greedy", deals=5, out=tmp_path / "match.csv")
    assert not part.exists()


def test_a_short_run_leaves_nothing_but_its_result(tmp_path):
    pitchsim.match("sound", "greedy", deals=5, out=tmp_path / "match.md")
    assert [path.name for path in tmp_path.iterdir()] == ["match.md"]


# The command line ------------------------------------------------------------------------------------


def test_every_option_arrives(monkeypatch, tmp_path):
    heard = {}
    real = pitchsim.api.match
    monkeypatch.setattr(
        pitchsim.api, "match", lambda *names, **how: heard.update(how, names=names) or real(*names, **how)
    )
    out, chart = tmp_path / "m.csv", tmp_path / "m.svg"
    line = (
        "match sound random -n 3 --deals 20 --games 3 --precision .5 --seed 7 -j 2 --engine scalar --steal any -f csv"
    )
    result = run(f"{line} -o {out} --chart {chart}")
    assert result.exit_code == 0, result.output
    assert heard == {
        "names": ("sound", "random"), "rules": Rules(players=3, dealer_may_steal="any"), "deals": 20, "games": 3,
        "precision": 0.5, "seed": 7, "threads": 2, "out": out, "progress": False,
        "engine": "scalar",
    }  # fmt: skip
    assert result.stdout == out.read_text()
    assert result.stdout.splitlines()[0] == COLUMNS.replace(" ", ",")
    assert b"<svg" in chart.read_bytes()


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown"])
def test_every_format(form):
    result = run(f"match sound random --deals 20 -f {form}")
    assert result.exit_code == 0
    assert "sound" in result.stdout
    if form == "json":
        answer = json.loads(result.stdout)
        assert list(answer["rows"][0]) == COLUMNS.split()
        assert (answer["deals"], answer["games"], answer["seed"], answer["seatings"]) == (20, 0, 1, 4)
        assert answer["rows"][0]["game_wins"] is None


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("match", "0 policies given; give 4 for 4 players, or 2"),
        ("match sound nonsense", "there is no play policy 'nonsense'"),
        ("match sound greedy --engine fast", "'fast' is not one of 'auto', 'lanes', 'scalar'"),
        ("match sound greedy --games none", "'none' is not a number of games"),
        ("match sound greedy --games 1e99", "games are more than anybody can wait for"),
        ("match sound greedy --deals 0", "is not a number of deals"),
        ("match sound greedy -o here/m.csv", "no folder 'here'"),
        ("match sound greedy -o m.svg", "give .csv"),
        ("match sound greedy --chart m.csv", "give .png"),
        ("match sound greedy --partners -n 5", "partners need exactly 4 players"),
    ],
)
def test_bad_input_is_told_in_one_sentence(line, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(line)
    assert result.exit_code == 2
    assert why in result.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_a_policy_that_fails_is_named_with_a_deal_that_the_referee_reads(tmp_path):
    (tmp_path / "bad.py").write_text("def bad(view):\n    return 5\n")
    name = f"{tmp_path / 'bad.py'}:bad"
    with pytest.raises(RunError, match="answered an illegal") as caught:
        pitchsim.match("sound", name, players=3, deals=FEW)
    said = str(caught.value)
    assert repr(name) in said
    judged = score(json.loads(said[said.index("{") :]))
    assert not judged["finished"]
    assert "violation" not in judged


@pytest.mark.skipif(level_here() is None, reason="this processor has no wide vectors")
def test_a_bidder_who_fails_is_named_when_64_deals_are_played_at_a_time(tmp_path):
    (tmp_path / "bad.py").write_text("def bad(view):\n    return 1 if view.highest == 0 else 9\n")
    name = f"greedy/{tmp_path / 'bad.py'}:bad"
    with pytest.raises(RunError, match="answered an illegal call") as caught:
        pitchsim.match("random/casual", name, players=3, deals=FEW, engine="lanes")
    said = str(caught.value)
    assert "bad.py:bad" in said
    assert "violation" not in score(json.loads(said[said.index("{") :]))


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
@pytest.mark.parametrize("games", [None, 3])
def test_the_chart(suffix, games, tmp_path):
    from pitchsim.charts import draw_match

    found = pitchsim.match("sound", "random", "greedy", players=3, deals=20, games=games)
    for place in (tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"):
        draw_match(found, place)
    assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
