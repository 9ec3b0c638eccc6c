"""The studies: the figures in README.md are those of the files, and the files are what the scripts make."""

import csv
import importlib
import re
import sys
from math import comb
from pathlib import Path

import pytest

from pitchsim.jit import PLAIN

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def rows_of(name):
    """The rows of a study, without the line that says how they were made."""
    lines = (ROOT / "results" / name).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# pitchsim ")
    return list(csv.DictReader(lines[1:]))


def test_the_strengths_told_are_those_measured():
    table = (ROOT / "results" / "strength.md").read_text(encoding="utf-8").splitlines()
    told = [line for line in table if line.startswith("| `pitchsim match")]
    assert len(told) == len(rows_of("strength.csv")) > 20
    assert all(line in README.splitlines() for line in told)


AT_LEAST = {2: 0.18, 3: 0.17, 4: 0.16, 5: 0.13, 6: 0.13, 7: 0.13}


def test_the_players_are_as_strong_as_they_should_be():
    found = {(row["policy"], row["others"], row["command"]): row for row in rows_of("strength.csv")}
    for (policy, others, command), row in found.items():
        difference, se = float(row["difference"]), float(row["difference_se"])
        if "--partners" not in command and (policy, others) == ("expert", "greedy"):
            assert difference > AT_LEAST[int(row["players"])] + 3 * se
        if (policy, others) == ("greedy", "random"):
            assert difference > (0.5 if int(row["players"]) < 6 else 0.46) + 3 * se
        if (policy, others) == ("expert", "sound"):
            assert difference > 3 * se
        if row["game_wins"]:
            assert float(row["game_wins"]) > 0.45 + 3 * float(row["game_wins_se"])


def test_advice_hardly_depends_on_who_plays_if_they_play_well():
    rows = {row["play"]: row for row in rows_of("advice_by_player.csv")}
    hands = int(rows["random"]["hands"])
    assert hands == 100
    assert 0.15 * hands <= int(rows["random"]["clearly_changed"]) <= 0.4 * hands
    searched = rows["search:worlds=16"]
    assert float(searched["cost"]) < float(rows["random"]["cost"]) / 4
    assert int(searched["clearly_changed"]) == 0
    assert f"{searched['calls_changed']} of {hands}" in README
    assert f"{rows['random']['calls_changed']} of {hands}" in README


# The studies ---------------------------------------------------------------------------------------

sys.path.insert(0, str(ROOT / "scripts"))
everything, shared, story = map(importlib.import_module, ("all", "study", "story"))

SMALL = {
    "bid_tables": {"TABLES": {"4_winner": (0.01, {}), "2_holder": (0.03, {"players": 2, "low_goes_to": "holder"})}},
    "advice_by_player": {"DEALS": {"expert": 8_000, "random": 8_000}},
    "strength": {"MATCHES": [("greedy random", " -n 3", {"players": 3, "games": 2_000}, 100_000)]},
    "house_rules": {"HOUSES": {"book": {}, "--lowest-bid 2": {"lowest_bid": 2}, "--partners": {"partners": True}}},
    "leads": {"HOLDINGS": "A J 2,K 3"},
}
"""The parts of the studies that are run here; the whole of one that is not named."""
SHARE = 0.001


def head_of(path):
    """How a file was made, without how many deals, and its columns."""
    about, columns = path.read_text(encoding="utf-8").splitlines()[:2]
    return re.sub(r"\d+ deals", "deals", about), columns


@pytest.fixture
def few_holdings(monkeypatch):
    """A whole bid table takes some seconds; one holding in sixty is enough here."""
    from pitchsim import bidtable

    some = bidtable.all_holdings()[::60]
    monkeypatch.setattr(bidtable, "all_holdings", lambda: some)


def run_small(name, folder, monkeypatch, threads=None):
    """A study in small, into another folder; its module."""
    module = importlib.import_module(name)
    for constant, less in SMALL.get(name, {}).items():
        assert hasattr(module, constant)
        monkeypatch.setattr(module, constant, less)
    module.make(shared.Study(module.make, folder, SHARE, threads))
    return module


@pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
@pytest.mark.parametrize("name", everything.STUDIES)
def test_a_study_in_small_has_the_columns_of_the_whole(name, tmp_path, monkeypatch, few_holdings):
    run_small(name, tmp_path, monkeypatch)
    made = sorted(tmp_path.iterdir())
    assert f"{name}.csv" in [path.name for path in made]
    for path in made:
        whole = ROOT / "results" / path.name
        assert whole.exists(), f"{path.name} is not in results"
        if path.suffix == ".csv":
            assert head_of(path) == head_of(whole)
        if path.suffix == ".md":
            assert path.read_text(encoding="utf-8").startswith(whole.read_text(encoding="utf-8").partition("\n")[0])


@pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("leads", "2, 4 and 6 players, rules of the book, play expert, 200 deals; bars"),
        ("low", "4 players, rules of the book but for Low, play expert, 200 deals; bars"),
        ("card_values", "4 players, rules of the book but for Low, play expert, 200 deals; bars"),
        ("house_rules", "rules of the book but for the one named, play expert, bidding equilibrium, 4,000 deals; bars"),
        ("seats", "2 to 7 players, rules of the book, play expert, bidding equilibrium, 4,000 deals; bars"),
    ],
)
def test_a_picture_says_who_played_and_how_many_deals(name, who, tmp_path, monkeypatch):
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    def written(self, draw, size=None, name=None):
        figure = Figure()
        draw(figure)
        told.extend(text.get_text() for text in figure.findobj(Text))

    told = []
    monkeypatch.setattr(shared.Study, "chart", written)
    run_small(name, tmp_path, monkeypatch)
    assert [text for text in told if who in text]


@pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
@pytest.mark.parametrize("name", ["seats", "bid_tables"])
def test_a_study_has_the_same_bytes_on_one_thread_and_on_two(name, tmp_path, monkeypatch, few_holdings):
    for threads in (1, 2):
        run_small(name, tmp_path / str(threads), monkeypatch, threads)
    for one in sorted((tmp_path / "1").iterdir()):
        assert one.read_bytes() == (tmp_path / "2" / one.name).read_bytes(), one.name


@pytest.mark.parametrize("name", everything.STUDIES)
def test_a_study_is_short_and_its_first_line_is_the_question(name):
    lines = (ROOT / "scripts" / f"{name}.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 40
    assert "?" in lines[0]
    assert (ROOT / "results" / f"{name}.csv").exists()
    assert f"({name}." in (ROOT / "results" / "README.md").read_text(encoding="utf-8")


def test_the_results_are_those_of_the_studies_and_small():
    files = [path for path in (ROOT / "results").iterdir() if path.name != "README.md"]
    known = (*everything.STUDIES, "low_bids")
    assert [path.name for path in files if path.stem not in known and not path.stem.startswith("bid_table_")] == []
    assert sum(path.stat().st_size for path in files) < 10_000_000


def test_every_figure_of_the_story_is_that_of_a_study():
    assert (ROOT / "results" / "README.md").read_text(encoding="utf-8") == story.story()
    assert len(story.PLACE.findall(story.TEXT.read_text(encoding="utf-8"))) > 40


def test_the_story_takes_a_figure_from_exactly_one_row(tmp_path):
    (tmp_path / "seats.csv").write_text("# pitchsim\nplayers,seat,points,call\n4,1,0.5,-\n4,2,-0.25,3\n")

    def tell(text):
        return story.told(tmp_path, story.PLACE.search(text))

    assert tell("{seats players=4; seat=1 | points:+.2f}") == "+0.50"
    assert tell("{seats seat=2 | -points:.1%}") == "25.0%"
    assert [tell(f"{{seats seat={seat} | call}}") for seat in (1, 2)] == ["pass", "3"]
    with pytest.raises(ValueError, match="2 rows are"):
        tell("{seats players=4 | points:+.2f}")


@pytest.mark.parametrize("holding", ["AKJ", "A", "T94"])
def test_the_tables_agree_on_what_does_not_depend_on_how_one_bids(holding):
    rows = [row for name in ("winner", "lowest_bid_2", "steal_never") for row in rows_of(f"bid_table_4_{name}.csv")]
    several = [row for row in rows if row["holding"] == holding]
    assert len(several) == 3
    assert len({(row["lead"], row["points"], row["p4"]) for row in several}) == 1


@pytest.mark.parametrize("table", ["4_winner", "4_holder", "4_lowest_bid_2", "4_steal_never"])
def test_the_tables_of_four_players_are_as_fine_as_they_say(table):
    rows = rows_of(f"bid_table_{table}.csv")
    assert len(rows) == 4_095
    assert max(float(row["points_se"]) for row in rows) <= 0.0105


@pytest.mark.parametrize("players", range(2, 8))
def test_the_tables_agree_with_what_can_be_counted(players):
    rows = {row["holding"]: row for row in rows_of(f"bid_table_{players}_winner.csv")}
    assert sum(float(row["frequency"]) for row in rows.values()) == pytest.approx(
        1 - comb(39, 6) / comb(52, 6), abs=1e-4
    )
    assert float(rows["AKQJT9"]["points"]) == 4
    jack_is_out = 6 * (players - 1) / 46
    for holding, row in rows.items():
        if "J" not in holding:
            error = (jack_is_out * (1 - jack_is_out) / int(row["deals"])) ** 0.5
            assert float(row["p4"]) <= jack_is_out + 5 * error + 0.001, holding
