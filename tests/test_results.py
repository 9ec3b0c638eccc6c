"""The studies: the figures in README.md are those of the files, and the files are what the scripts make."""

import ast
import csv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def rows_of(name):
    """The rows of a study, without the line that says how they were made."""
    lines = (ROOT / "results" / name).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# pitchsim ")
    return list(csv.DictReader(lines[1:]))


def constants_of(script):
    """The constants at the top of a script."""
    tree = ast.parse((ROOT / "scripts" / script).read_text(encoding="utf-8"))
    return {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


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


@pytest.mark.parametrize("script", ["strength.py", "advice_by_player.py"])
def test_every_study_has_its_files_and_its_seed(script):
    assert ast.literal_eval(constants_of(script)["SEED"]) == 1
    assert (ROOT / "results" / script).with_suffix(".csv").exists()
    assert script.removesuffix(".py") in (ROOT / "results" / "README.md").read_text(encoding="utf-8")
