"""The README: every example in it runs and prints what stands below it, and nothing that a user needs is missing."""

import difflib
import importlib.util
import inspect
import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import pitchsim
from pitchsim.cli import COMMANDS, main
from pitchsim.jit import PLAIN
from pitchsim.lanes import code
from pitchsim.report import engine_in_words
from pitchsim.rules import OPTION_FIELDS, OPTION_VALUES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SET_UP = (
    'python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/pitchsim advise "AS KS 4S JD 10C 2H"',
    "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/python -m pytest",
)


def load_script():
    """The script that runs the examples and writes their outputs."""
    spec = importlib.util.spec_from_file_location("readme_outputs", ROOT / "scripts" / "readme_outputs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = load_script()
COMMAND_LINES = script.commands(README)


def test_the_first_two_blocks_are_one_command_each():
    blocks = re.findall(r"^```\w*\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert tuple(block.strip() for block in blocks[:2]) == SET_UP


@pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
def test_every_example_runs_and_prints_what_stands_below_it():
    again, shown = script.refreshed(README), README
    if code.best_level() is None:
        shown = README.replace(engine_in_words("lanes"), engine_in_words("scalar"))
    change = difflib.unified_diff(shown.splitlines(), again.splitlines(), "README.md", "now", lineterm="", n=1)
    if again != shown:
        pytest.fail("\n".join(change) + "\npython scripts/readme_outputs.py writes the outputs anew", pytrace=False)


def test_outputs_are_written_below_their_examples_and_nowhere_else():
    text = "".join(f"```sh\n{line}\n```\n\n" for line in SET_UP)
    text += "```sh\npitchsim rules\n```\n\n```text\nold\n```\n\n```text\na picture\n```\n\n"
    text += "```toml\n# house.toml\ntarget = 9\n```\n\n"
    text += "```sh\npitchsim rules --house house.toml | grep -c 9\n```\n\n```text\n```\n\n```python\nprint(7)\n```\n"
    again = script.refreshed(text)
    assert "old" not in again
    assert "```text\nThe rules in force\n" in again
    assert "```text\na picture\n```" in again
    assert again.endswith("```text\n1\n```\n\n```python\nprint(7)\n```\n")
    assert script.refreshed(again) == again


def test_an_example_that_fails_is_told():
    text = "".join(f"```sh\n{line}\n```\n\n" for line in SET_UP)
    with pytest.raises(AssertionError, match="ended with 2"):
        script.refreshed(text + "```sh\npitchsim rules -n 9\n```\n")
    with pytest.raises(AssertionError, match="ended with 0"):
        script.refreshed(text + "```sh\npitchsim rules # exit code 2\n```\n")


def test_every_option_in_an_example_is_one_of_the_command():
    for line in COMMAND_LINES:
        words = shlex.split(line.replace("$(", " "), comments=True)
        for place, word in enumerate(words):
            if word == "pitchsim" and words[place + 1 : place + 2] and words[place + 1] in COMMANDS:
                command = main.get_command(None, words[place + 1])
                if hasattr(command, "commands_by_place"):
                    command = command.get_command(None, words[place + 2])
                known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
                assert {other for other in words[place:] if re.match(r"--?[a-z]", other)} <= known, line


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_an_example_and_a_line_in_the_table(name):
    assert any(re.search(rf"\bpitchsim {name}\b", line) for line in COMMAND_LINES)
    assert f"| `pitchsim {name}` |" in README


QUESTIONS = re.findall(r"^\| .+? \| `(pitchsim [^`]+)` \| .+ \|$", README, re.MULTILINE)
FEW = {"advise": "--deals 300", "table": "--deals 20", "simulate": "--deals 300", "players": "--deals 300"}
FEW |= {"match": "--deals 50 --games 5"}


def test_every_question_of_players_has_its_command():
    section = README.partition("## What players ask")[2].partition("\n## ")[0]
    assert len(QUESTIONS) == len([line for line in section.splitlines() if line.startswith("| ")]) - 2 > 20


@pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
@pytest.mark.parametrize("line", QUESTIONS)
def test_the_command_of_every_question_answers(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(main, ["simulate", "--deals", "3", "--records", "deals.jsonl"])
    words = shlex.split(line.replace(" --quick", ""))[1:]
    result = CliRunner().invoke(main, [*words, *shlex.split(FEW.get(words[0], ""))])
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) > 1


@pytest.mark.parametrize("option", sorted(OPTION_FIELDS))
def test_every_house_rule_is_in_the_table_with_all_its_values(option):
    flag = f"--{option.replace('_', '-')}"
    rows = re.findall(rf"^\| `(?:-n, )?{flag}` \|.*$", README, re.MULTILINE)
    assert len(rows) == 1
    for value in OPTION_VALUES.get(option, {}):
        assert f"`{value}`" in rows[0]


def test_all_seventeen_rules_are_told_in_order():
    assert re.findall(r"^- \*\*R(\d+)\*\* ", README, re.MULTILINE) == [str(number) for number in range(1, 18)]


def test_every_public_name_is_told():
    for name in set(pitchsim.__all__) - {"__version__"}:
        assert f"pitchsim.{name}" in README, name


def test_every_environment_variable_is_told():
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "pitchsim").rglob("*.py"))
    named = set(re.findall(r"""environ[^\n]*?["']([A-Z][A-Z_]+)["']|envvar="([A-Z_]+)\"""", sources))
    for name in {name for pair in named for name in pair if name} - {"TERM"}:
        assert f"`{name}`" in README, name


def test_every_link_leads_somewhere():
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", README, flags=re.DOTALL), re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    for target in re.findall(r"\]\(([^)]+)\)", README):
        place, _, anchor = target.partition("#")
        assert (ROOT / place).exists(), target
        assert not anchor or place or anchor in anchors, target


def test_the_plugged_in_policies_are_about_ten_lines():
    for name in ("ducker", "bold"):
        body = re.search(rf"^```python\n# {name}\.py\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)[1]
        assert len([line for line in body.splitlines() if line]) <= 12


def test_the_readme_speaks_of_the_project_alone():
    assert not re.search(r"/(home|root|tmp|work|Users)/|pypi\.org|\.\./", README)


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_bench_prints_a_table_of_the_same_form_as_in_the_readme():
    shown = script.BENCH.search(README)[0]
    rows = json.loads(CliRunner().invoke(main, ["bench", "--format", "json"]).stdout)["rows"]
    assert {row["policy"] for row in rows} == set(
        re.findall(r"^(?:(?:scalar|lanes) +)?([\w:=]+) +[\d.]+ +\d", shown, re.MULTILINE)
    )
    assert {row["players"] for row in rows} == set(range(2, 8))


def test_the_changelog_tells_this_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{pitchsim.__version__}]" in changelog
    for name in COMMANDS:
        assert f"`pitchsim {name}`" in changelog


def test_the_functions_of_the_api_take_the_arguments_that_the_readme_gives():
    for call in ("advise", "odds", "simulate", "match", "write_records"):
        known = set(inspect.signature(getattr(pitchsim, call)).parameters) | set(OPTION_FIELDS.values())
        for given in re.findall(rf"pitchsim\.{call}\(([^)]*)\)", README):
            assert set(re.findall(r"(\w+)=", given)) <= known
