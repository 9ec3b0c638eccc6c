"""The command line: help that works, options that arrive, bad input told in one sentence, quiet endings."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import CliRunner

import pitchsim
from pitchsim.cli import COMMANDS, main, output
from pitchsim.report import Report, Table
from pitchsim.rules import OPTION_FIELDS, OPTION_VALUES, Rules

GOLDEN = Path(__file__).parent / "golden" / "deals.jsonl"
HAND = "AS KS 4S JD 10C 2H"
NAMES = sorted(COMMANDS)
HEAVY = {"numpy", "numba", "pandas", "matplotlib", "scipy", "tqdm"}


def run(line, **options):
    """Run one command line in this process."""
    return CliRunner().invoke(main, shlex.split(line), prog_name="pitchsim", **options)


def spawn(*arguments, **options):
    """Run one command line in a process of its own."""
    defaults = {"capture_output": True, "text": True, "timeout": 60}
    return subprocess.run([sys.executable, "-m", "pitchsim", *arguments], **defaults | options)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """An empty folder to work in, with a few files that are wrong."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PITCHSIM_HOUSE", raising=False)
    (tmp_path / "folder").mkdir()
    (tmp_path / "no.toml").write_text("players: 5")
    (tmp_path / "typo.toml").write_text("lowest-bit = 2\n")
    (tmp_path / "value.toml").write_text('steal = "sometimes"\n')
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    return tmp_path


# Help -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_a_worked_example(name, flag):
    result = run(f"{name} {flag}")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: pitchsim {name}")
    assert f"    pitchsim {name}" in result.stdout.partition("Example:\n")[2]
    assert result.stdout.isascii()
    assert COMMANDS[name][1] == main.get_command(None, name).help.partition("\n")[0]


def test_help_lists_every_command_with_its_question():
    result = run("--help")
    assert result.exit_code == 0
    for name, (_, question) in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(question[:40])}", result.stdout, re.MULTILINE)
    assert run("-h").stdout == result.stdout


def examples(name):
    """The worked examples in the help of a command."""
    text = cleandoc(main.get_command(None, name).help)
    return [line.strip().removeprefix("pitchsim ") for line in text.splitlines() if line.startswith("  pitchsim ")]


@pytest.mark.parametrize("line", [line for name in NAMES if name not in ("bench", "serve") for line in examples(name)])
def test_every_example_in_the_help_runs(line, desk):
    with GOLDEN.open() as golden:
        (desk / "deals.jsonl").write_text("".join(next(golden) for _ in range(3)))
    result = run(line)
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    assert result.stdout


def test_help_shows_every_house_rule_in_a_section_of_its_own():
    rules = run("rules --help").stdout.partition("House rules:")[2]
    for option in OPTION_FIELDS:
        assert f"--{option.replace('_', '-')} " in rules
    for values in OPTION_VALUES.values():
        assert f"[{'|'.join(values)}]" in rules
        assert f"[default: {next(iter(values))}]" in re.sub(r"\s+", " ", rules)
    assert "--house FILE" in rules


def commands_of(name):
    """The command of this name, or those below it."""
    command = main.get_command(None, name)
    return [command.get_command(None, below) for below in getattr(command, "commands_by_place", ())] or [command]


@pytest.mark.parametrize("name", NAMES)
def test_shared_options_are_spelled_the_same_everywhere(name):
    spelled = {
        "form": ["-f", "--format"],
        "out": ["-o", "--out"],
        "players": ["-n", "--players"],
        "threads": ["-j", "--threads"],
        "seed": ["--seed"],
        "engine": ["--engine"],
        "deals": ["--deals"],
        "precision": ["--precision"],
        "bidding": ["--bidding"],
        "house": ["--house"],
        "chart": ["--chart"],
    }
    for command in commands_of(name):
        for option in command.params:
            if isinstance(option, click.Option) and option.name in spelled:
                assert option.opts == spelled[option.name]
        if name != "serve":
            assert {"--format", "--out"} <= {flag for option in command.params for flag in option.opts}


def test_version():
    assert run("--version").stdout == f"pitchsim {pitchsim.__version__}\n"


def test_tab_completion_as_click_gives_it():
    words = {"COMP_WORDS": "pitchsim rules --st", "COMP_CWORD": "2", "_PITCHSIM_COMPLETE": "bash_complete"}
    done = spawn(env=os.environ | words)
    assert done.stdout.split() == ["plain,--steal", "plain,--stuck"]
    names = spawn(env=os.environ | words | {"COMP_WORDS": "pitchsim o", "COMP_CWORD": "1"})
    assert names.stdout.split() == ["plain,odds"]


# What is imported -----------------------------------------------------------------------------------

WATCH = f"import sys; HEAVY = {HEAVY!r}\n"
TELL = "\nprint(sorted(HEAVY & set(sys.modules)), file=sys.stderr)"


@pytest.mark.parametrize(
    "code",
    [
        "import pitchsim",
        "import pitchsim; pitchsim.Rules(players=5); pitchsim.odds('AKQJT9...'); pitchsim.score('{}')",
        "import pitchsim.api",
        *(f"from pitchsim.cli import main; main({words!r}, standalone_mode=False)" for words in [
            ["--help"], ["--version"], ["rules"], ["odds", "AKQJT9..."], ["cache"], ["score", str(GOLDEN)],
            *([name, "--help"] for name in NAMES),
        ]),
    ],
)  # fmt: skip
def test_light_questions_import_nothing_heavy(code):
    done = subprocess.run([sys.executable, "-c", WATCH + code + TELL], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_help_imports_no_command():
    code = "from pitchsim.cli import main; main(['--help'], standalone_mode=False)"
    tell = "\nprint(sorted(n for n in sys.modules if n.startswith('pitchsim.')), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", WATCH + code + tell], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "['pitchsim.cli', 'pitchsim.cli.frame', 'pitchsim.errors']"


# House rules ----------------------------------------------------------------------------------------


def rules_of(line, **options):
    """The rules in force, as `pitchsim rules` tells them."""
    result = run(f"rules -f json {line}", **options)
    assert result.exit_code == 0, result.stderr
    return Rules.from_dict(json.loads(result.stdout)["rules"])


def test_without_options_the_rules_are_those_of_the_book(desk):
    assert rules_of("") == Rules()


@pytest.mark.parametrize(
    ("option", "spelled", "value"), [(o, s, v) for o, values in OPTION_VALUES.items() for s, v in values.items()]
)
def test_every_value_of_every_house_rule_arrives(option, spelled, value, desk):
    flag = "--" + option.replace("_", "-")
    assert rules_of(f"{flag} {spelled}").to_dict()[OPTION_FIELDS[option]] == value


def test_numbers_and_switches_of_the_house_arrive(desk):
    assert rules_of("-n 4 --partners --target 11 --lowest-bid 2 --smudge --end-after 12") == Rules(
        players=4, partners=True, target=11, lowest_bid=2, smudge=True, end_after=12
    )
    assert rules_of("--players 7").players == 7


def test_house_file_is_read_and_a_flag_wins(desk):
    (desk / "house.toml").write_text(
        'players = 5\nlowest-bid = 2\nsteal = "never"\nsmudge = true\ngame_tie = "opponent"\n'
    )
    in_file = Rules(players=5, lowest_bid=2, dealer_may_steal=False, smudge=True, game_tie="pitchers_opponents")
    assert rules_of("--house house.toml") == in_file
    over = rules_of("--house house.toml -n 3 --lowest-bid 1 --steal up-to-3 --no-smudge --game-tie nobody")
    assert over == Rules(players=3)


def test_house_file_of_the_environment(desk):
    (desk / "house.toml").write_text("players = 6\n")
    (desk / "other.toml").write_text("players = 3\n")
    environment = {"PITCHSIM_HOUSE": str(desk / "house.toml")}
    assert rules_of("", env=environment).players == 6
    assert rules_of("-n 2", env=environment).players == 2
    assert rules_of("--house other.toml", env=environment).players == 3
    assert rules_of("", env={"PITCHSIM_HOUSE": ""}).players == 4


def test_rules_mark_what_the_house_has_changed(desk):
    text = run("rules -n 5 --lowest-bid 2").stdout
    assert "* 5 players, each for himself." in text
    assert "* Lowest bid: 2." in text
    assert "- Low goes to the winner of the trick." in text
    assert "house rule" not in run("rules").stdout
    assert "- **Lowest bid: 2.** (house rule)" in run("rules --lowest-bid 2 -f markdown").stdout
    assert "lowest_bid,2,1" in run("rules --lowest-bid 2 -f csv").stdout


# Questions arrive where they are answered -------------------------------------------------------------


class Said(Report):
    """An answer that repeats what was asked."""

    notices = ("the sample is small",)

    def __init__(self, **asked):
        self.asked = asked

    def to_dict(self):
        return {"deals": 3}

    def tables(self):
        return [Table("asked", ["name", "value"], [[name, str(value)] for name, value in self.asked.items()])]

    def headline(self, symbols=False):
        return "Bid 2"


@pytest.fixture
def asked(monkeypatch, desk):
    """Put rooms that only listen in the place of those that compute; what they hear is kept."""
    heard = {}

    def listen(name):
        def answer(*values, **named):
            heard[name] = (values, named)
            return Said(**named)

        return answer

    def write_lines(*values, file, **named):
        heard["write_records"] = (values, named)
        file.write('{"schema": "pitch-deal/1"}\n')

    rooms = {
        "simulation": {"simulate": listen("simulate"), "write_records": write_lines},
        "advice": {"advise": listen("advise")},
        "charts": {"draw_advice": lambda advice, path: path.write_text("drawn")},
        "bench": {"bench": listen("bench")},
        "policies": {"list_policies": listen("policies")},
    }
    for room, functions in rooms.items():
        module = ModuleType(f"pitchsim.{room}")
        module.__dict__.update(functions)
        monkeypatch.setitem(sys.modules, f"pitchsim.{room}", module)
        monkeypatch.setattr(pitchsim, room, module, raising=False)
    everything = {
        "advise": ("pitchsim.cli.advice:advise", ""),
        "bench": ("pitchsim.cli.simulation:bench", ""),
        "policies": ("pitchsim.cli.house:policies", ""),
    }
    monkeypatch.setattr(main, "commands_by_place", everything | COMMANDS)
    return heard


def test_simulate_asks_for_what_was_typed(asked):
    line = "simulate --deals 1e4 --precision .5 --seed 7 -j 2 --play sound --bidding a,b,a,b,a -n 5 --steal any"
    line += " --engine scalar"
    assert run(line).exit_code == 0
    (rules,), named = asked["simulate"]
    assert rules == Rules(players=5, dealer_may_steal="any")
    assert named == {
        "play": ("sound",),
        "bidding": ("a", "b", "a", "b", "a"),
        "deals": 10_000,
        "precision": 0.5,
        "seed": 7,
        "threads": 2,
        "engine": "scalar",
        "progress": False,
        "first": 0,
    }


def test_simulate_without_options(asked):
    run("simulate")
    (rules,), named = asked["simulate"]
    assert rules == Rules()
    assert named["play"] == ("expert",)
    assert named["bidding"] == ("equilibrium",)
    assert (named["deals"], named["precision"], named["seed"], named["threads"]) == (None, None, 1, None)


def test_simulate_writes_the_records_of_the_same_deals(asked, desk):
    result = run("simulate --seed 5 --play greedy --records r.jsonl --out answer.csv")
    assert result.exit_code == 0
    (_rules,), named = asked["write_records"]
    assert (named["deals"], named["seed"], named["play"]) == (3, 5, ("greedy",))
    assert (desk / "r.jsonl").read_text() == '{"schema": "pitch-deal/1"}\n'
    assert (desk / "answer.csv").exists()
    assert result.stdout.startswith("Bid 2")


def test_records_to_standard_output_stand_there_alone(asked, desk):
    result = run("simulate --records - -o answer.json")
    assert result.stdout == '{"schema": "pitch-deal/1"}\n'
    assert (desk / "answer.json").exists()


def test_advise_asks_for_what_was_typed(asked, desk):
    line = f'advise {HAND} --auction "pass 2" --seat 3 --scores "5 3 -1 6" --objective margin --play sound,greedy'
    result = run(
        f"{line} --deals 2_000 --error-chance 2% --engine scalar --lowest-bid 2 --chart c.PNG -o a.json -f csv"
    )
    assert result.exit_code == 0, result.stderr
    (cards, rules), named = asked["advise"]
    assert pitchsim.format_hand(cards) == HAND
    assert rules == Rules(lowest_bid=2)
    assert named == {
        "auction": (0, 2),
        "seat": 3,
        "scores": (5, 3, -1, 6),
        "objective": "margin",
        "play": ("sound", "greedy"),
        "bidding": ("equilibrium",),
        "others": None,
        "deals": 2000,
        "precision": None,
        "seed": 1,
        "threads": None,
        "engine": "scalar",
        "error_chance": 0.02,
        "progress": False,
    }
    assert (desk / "c.PNG").read_text() == "drawn"
    assert json.loads((desk / "a.json").read_text()) == {"deals": 3}
    assert result.stdout.startswith("name,value\n")
    assert result.stderr == "Note: the sample is small\n"


@pytest.mark.parametrize(
    ("line", "auction", "seat"),
    [
        ("", (), None),
        ("--seat 1", (), 1),
        ("--seat dealer", (0, 0, 0), 4),
        ("--auction ''", (), 1),
        ("--auction 2", (2,), 2),
    ],
)
def test_advise_knows_when_nothing_was_said_about_the_auction(asked, line, auction, seat):
    run(f"advise {HAND} {line}")
    _, named = asked["advise"]
    assert (named["auction"], named["seat"]) == (auction, seat)


@pytest.mark.parametrize(
    "hand", [HAND, f"'{HAND}'", "askS4sJdTc2h", "AK4.2.J.T", "A♠,K♠,4♠ J♦ 10♣ 2♥", "'AS KS 4S' JD TC 2H"]
)
def test_a_hand_is_one_argument_or_six(asked, hand):
    assert run(f"advise {hand}").exit_code == 0
    assert pitchsim.format_hand(asked["advise"][0][0]) == HAND


def test_bench_and_policies(asked):
    assert run("bench -n 3 --play random -j 1").exit_code == 0
    assert asked["bench"] == ((3, "random", 1), {})
    assert run("bench").exit_code == 0
    assert asked["bench"] == ((None, None, None), {})
    assert run("policies").exit_code == 0


def test_python_asks_the_same_as_the_command_line(asked):
    pitchsim.advise(HAND, players=5, auction=["pass", 2], lowest_bid=2, play="sound", deals=1e4)
    (_, rules), named = asked["advise"]
    assert rules == Rules(players=5, lowest_bid=2)
    assert (named["auction"], named["seat"], named["deals"]) == ((0, 2), 3, 10_000)
    pitchsim.simulate(rules=Rules(partners=True), deals=5, play=["sound", "greedy", "sound", "greedy"])
    assert asked["simulate"][0] == (Rules(partners=True),)
    for wrong in ({"deals": 0}, {"play": "a,b"}, {"seed": -1}, {"rules": Rules(), "players": 5}, {"players": 9}):
        with pytest.raises(pitchsim.InputError):
            pitchsim.simulate(**wrong)
    with pytest.raises(TypeError, match="no house rule 'lowest'"):
        pitchsim.simulate(lowest=2)


def test_public_functions_stay_functions_whatever_is_imported():
    for name in ("odds", "score", "simulate", "advise"):
        assert callable(getattr(pitchsim, name))
        import_module("pitchsim.counting")
        assert callable(getattr(pitchsim, name))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = pitchsim.nonsense
    assert set(pitchsim.__all__) <= set(dir(pitchsim))


# Bad input --------------------------------------------------------------------------------------------

ADVISE = f"advise {HAND}"
BAD_INPUT = [
    ("advise AS KS 4S JD 10C", "5 cards given; a hand has six, as in AS KS 4S JD 10C 2H"),
    (f"advise {HAND} 3H", "7 cards given; a hand has six"),
    ("advise", "0 cards given"),
    ("advise AS KS AS JD 10C 2H", "AS is given twice"),
    ("advise 1S KS 4S JD 10C 2H", "'1S' is not a card"),
    ("advise AK4.2.J", "three"),
    (f"{ADVISE} --scores '1 2 3 4 5 6'", "6 scores given; there are 4 players"),
    (f"{ADVISE} --scores '1 2 3 4' --partners", "4 scores given; there are 2 teams"),
    (f"{ADVISE} --scores 'a b c d'", "not a score"),
    (f"{ADVISE} --auction '3 2'", "must pass or bid higher than the 3 before"),
    (f"{ADVISE} --auction '4 pass'", "after a 4 has ended the auction"),
    (f"{ADVISE} --auction 'pass 4'", "the 4 has ended the auction"),
    (f"{ADVISE} --auction 'pass pass pass pass'", "a stuck dealer must bid 2, 3 or 4"),
    (f"{ADVISE} --auction 'pass pass pass 2'", "all 4 players have spoken"),
    (f"{ADVISE} --auction 'maybe'", "a call is pass, 1, 2, 3 or 4"),
    (f"{ADVISE} --auction '1' --lowest-bid 2", "the lowest bid is 2"),
    (f"{ADVISE} --auction pass --seat 4", "it is the turn of seat 2, not of seat 4"),
    (f"{ADVISE} --seat 5", "the seats are 1 to 4"),
    (f"{ADVISE} --seat 0", "the seats are 1 to 4"),
    (f"{ADVISE} --partners -n 5", "partners need exactly 4 players, not 5"),
    (f"{ADVISE} --deals 0", "'0' is not a number of deals"),
    (f"{ADVISE} --deals -5", "'-5' is not a number of deals"),
    (f"{ADVISE} --deals 1e99", "more than anybody can wait for"),
    (f"{ADVISE} --deals 1.5", "is not a number of deals"),
    (f"{ADVISE} --precision nan", "'nan' is not a standard error"),
    (f"{ADVISE} --precision 0", "give a number above 0"),
    (f"{ADVISE} --precision -1", "give a number above 0"),
    (f"{ADVISE} --objective win", "not there yet"),
    (f"{ADVISE} --objective money", "'money' is not one of"),
    (f"{ADVISE} --others sound", "not PLAY/BIDDING"),
    (f"{ADVISE} --others a/b --play c,d", "both say how the defenders play"),
    (f"{ADVISE} --play a,b,c", "3 play policies given; give one for all, or 2"),
    (f"{ADVISE} --play ,", "leaves out the name"),
    (f"{ADVISE} --seed -1", "a whole number from 0 to 2^63-1"),
    (f"{ADVISE} --seed 9223372036854775808", "a whole number from 0 to 2^63-1"),
    (f"{ADVISE} -j 0", "is not a number of threads"),
    (f"{ADVISE} --error-chance 2", "not a chance between 0 and 1"),
    (f"{ADVISE} -o answer.xls", "give .csv, .json, .md, .html or .parquet"),
    (f"{ADVISE} -o missing/answer.csv", "no folder 'missing'"),
    (f"{ADVISE} -o folder", "no suffix to go by"),
    (f"{ADVISE} --chart picture.gif", "give .png, .svg or .pdf"),
    (f"{ADVISE} --chart missing/picture.png", "no folder 'missing'"),
    (f"{ADVISE} --house missing.toml", "'missing.toml' cannot be read"),
    (f"{ADVISE} --house folder", "'folder' cannot be read"),
    (f"{ADVISE} --house no.toml", "'no.toml' is not TOML"),
    (f"{ADVISE} --house binary.toml", "'binary.toml' is not TOML"),
    (f"{ADVISE} --house typo.toml", "did you mean lowest-bid?"),
    (f"{ADVISE} --house value.toml", "steal is one of up-to-3, never, any, only-4"),
    (f"{ADVISE} --format xml", "'xml' is not one of"),
    (f"{ADVISE} --format", "requires an argument"),
    (f"{ADVISE} --auktion pass", "--auction"),
    ("rules --steal sometimes", "'sometimes' is not one of"),
    ("rules --lowest-bid 3", "the lowest bid is 1 or 2, not 3"),
    ("rules --target 0", "the target is any number from 1"),
    ("rules --end-after 0", "any number of deals from 1"),
    ("rules -n 1", "2 to 7 players can play, not 1"),
    ("rules -n 8", "2 to 7 players can play, not 8"),
    ("rules -n four", "'four' is not a whole number"),
    ("rules -n 4.0", "'4.0' is not a whole number"),
    ("rules five", "unexpected extra argument"),
    ("simulate --play nosuch --deals 10", "nosuch"),
    ("simulate --bidding nosuch --deals 10", "nosuch"),
    ("simulate --play os:system --deals 10", "os:system"),
    ("simulate --play missing.py:play --deals 10", "missing.py"),
    ("simulate --play sound,greedy --deals 10", "2 play policies given; give one for all, or 4"),
    ("simulate --records folder", "'folder' is a folder"),
    ("simulate --records missing/r.jsonl", "no folder 'missing'"),
    ("simulate --deals ten", "'ten' is not a number of deals"),
    ("score missing.jsonl", "'missing.jsonl' cannot be read"),
    ("score folder", "'folder' cannot be read"),
    ("score", "Missing argument 'FILE'"),
    ("odds AKQJT9... --trump H", "holds no hearts"),
    ("odds AKQJT9... --trump X", "'X' is not a suit"),
    ("odds AKQJT9... -n 8", "2 to 7 players can play, not 8"),
    ("odds AKQJT9... -o answer.txt", "give .csv"),
    ("bench -n 9", "2 to 7 players can play, not 9"),
    ("policies extra", "unexpected extra argument"),
    ("cache --clean", "--clear"),
    ("advize AKQJT9...", "did you mean advise?"),
    ("--nonsense", "--nonsense"),
]


@pytest.mark.parametrize(("line", "why"), BAD_INPUT, ids=[line for line, _ in BAD_INPUT])
def test_bad_input_is_told_in_one_sentence_and_leaves_nothing(line, why, desk, request):
    if line.split()[0] not in COMMANDS:
        request.getfixturevalue("asked")
    before = sorted(path.name for path in desk.iterdir())
    result = run(line)
    assert result.exit_code == 2, result.output
    said = [line for line in result.stderr.splitlines() if not line.startswith("pitchsim: compiling")]
    usage, *_, sentence = said
    assert usage.startswith("Usage: pitchsim")
    assert sentence.startswith("Error: ")
    assert why in sentence
    assert sum(line.startswith("Error: ") for line in said) == 1
    assert result.stdout == ""
    assert sorted(path.name for path in desk.iterdir()) == before


def test_a_bad_option_is_found_before_a_bad_file_is_written(desk):
    assert run("odds AKQJT9... -n 8 -o answer.csv").exit_code == 2
    assert not (desk / "answer.csv").exists()


# Endings ----------------------------------------------------------------------------------------------


def test_a_wrong_hand_in_a_process_of_its_own():
    done = spawn("odds", "AS", "AS")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0] == "Usage: pitchsim odds [OPTIONS] HAND"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["rules", "--help", "odds AKQJT9...", f"score {GOLDEN} -f json", f"score {GOLDEN}"])
def test_a_closed_pipe_is_silent(command):
    reading, writing = os.pipe()
    os.close(reading)
    done = spawn(*command.split(), capture_output=False, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk here")
@pytest.mark.parametrize("command", ["rules", "odds AKQJT9... --format json"])
def test_a_full_disk_is_one_sentence(command):
    with open("/dev/full", "w") as full:
        done = spawn(*command.split(), capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C reaches a whole console there")
def test_ctrl_c_ends_with_130():
    command = [sys.executable, "-m", "pitchsim", "score", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(GOLDEN.read_bytes().splitlines(keepends=True)[0] * 2)
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"deal 1: ")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        (pitchsim.RunError("the policy 'mine' raised"), "Error: the policy 'mine' raised"),
        (OSError(28, "No space left on device", "r.csv"), "Error: the system refused: No space left on device (r.csv)"),
        (MemoryError(), "Error: there is not enough memory for that; ask for fewer deals or threads"),
        (ZeroDivisionError("division\nby zero"), "Error: this is a mistake in pitchsim, please report it "),
    ],
)
def test_what_fails_while_running_ends_with_1_and_one_sentence(monkeypatch, trouble, sentence):
    def fail(*_):
        raise trouble

    monkeypatch.setattr("pitchsim.counting.odds", fail)
    monkeypatch.delenv("PITCHSIM_TRACEBACK", raising=False)
    result = run("odds AKQJT9...")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(sentence)
    assert result.stderr.count("\n") == 1
    monkeypatch.setenv("PITCHSIM_TRACEBACK", "1")
    assert run("odds AKQJT9...").exception is trouble


def test_interrupted_and_unreadable_files_of_records(desk):
    import gzip

    packed = gzip.compress(GOLDEN.read_bytes())
    (desk / "damaged.gz").write_bytes(packed[: len(packed) // 2])
    result = run("score damaged.gz -f json")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert all(json.loads(line) for line in result.stdout.splitlines())


# Terminals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["rules", "odds AKQJT9...", f"score {GOLDEN}", "--help"])
def test_an_ascii_terminal_is_enough(command):
    done = spawn(*command.split(), env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert done.returncode == (1 if "score" in command else 0)
    assert done.stdout
    assert done.stdout.isascii()
    assert done.stderr == ""


def test_suit_symbols_where_they_can_be_shown():
    assert "A♠ K♠" in run("odds AKQJT9...").stdout
    assert "♠" not in run("odds AKQJT9... -f csv").stdout
    assert "♠" not in run("odds AKQJT9... -f json").stdout


def test_a_name_that_the_terminal_cannot_show_is_no_error(tmp_path):
    folder = tmp_path / "Kärtchen"
    (folder / "code-0123456789abcdef").mkdir(parents=True)
    done = spawn("cache", env=os.environ | {"PYTHONIOENCODING": "ascii", "PITCHSIM_CACHE": str(folder)})
    assert done.returncode == 0
    assert "K\\xe4rtchen" in done.stdout


def test_the_answer_is_bold_on_a_terminal_whose_user_likes_colour(monkeypatch):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert "\x1b" not in run("odds AKQJT9...", color=True).stdout
    monkeypatch.setattr(output, "on_a_terminal", lambda stream: True)
    assert run("odds AKQJT9...", color=True).stdout.startswith("\x1b[1mA♠")
    assert "\x1b" not in run("odds AKQJT9... -f csv", color=True).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("odds AKQJT9...", color=True).stdout
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in run("odds AKQJT9...", color=True).stdout


# The referee ------------------------------------------------------------------------------------------


def test_score_answers_every_line_as_the_golden_answers_say():
    result = run(f"score {GOLDEN} --format json")
    answers = (GOLDEN.parent / "answers.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in result.stdout.splitlines()] == [json.loads(line) for line in answers]
    assert result.exit_code == 1  # Some break a rule.


def test_score_ends_with_0_when_every_deal_is_legal(desk):
    (desk / "one.jsonl").write_text(GOLDEN.read_text().splitlines()[0] + "\n")
    (desk / "none.jsonl").write_text("")
    for form in ("text", "json", "csv", "markdown"):
        assert run(f"score one.jsonl -f {form}").exit_code == 0
    empty = run("score none.jsonl -f json")
    assert (empty.exit_code, empty.stdout) == (0, "")
    assert run("score none.jsonl -f markdown").stdout.strip() == ""
    bad = run("score -", input="{}\n" + (desk / "one.jsonl").read_text())
    assert bad.exit_code == 1
    assert "deal 1: no record; not a record: it has no hands\ndeal 2: seat 1 bid 3 in spades, made" in bad.stdout


def test_score_in_words(desk):
    text = run(f"score {GOLDEN}").stdout
    who = "High to seat 1, Low to seat 1, Jack to seat 1, Game to seat 0"
    assert f"deal 1: seat 1 bid 3 in spades, made; {who}; trick points 13 8; score change 1 3; scores 1 3\n" in text
    assert "breaks R9 at play 7; seat 3 holds a club and must follow or trump" in text
    assert "thrown in; scores 1 -2 3 0 0 6" in text
    assert "legal so far; seat 2 is to play" in text
    assert "Game to team 0" in text  # Partners: a team is not a seat.


def test_score_writes_files_and_frames(desk):
    shutil.copy(GOLDEN, desk / "deals.jsonl")
    run("score deals.jsonl -o verdicts.csv")
    lines = (desk / "verdicts.csv").read_text().splitlines()
    assert lines[0].startswith("deal,verdict,rule,where,why,pitcher,bid,trump,made")
    assert len(lines) == len(GOLDEN.read_text().splitlines()) + 1
    frame = pitchsim.score_file(GOLDEN).to_frame()
    assert list(frame["delta"][:1]) == [[1, 3]]
    assert set(frame["verdict"]) == {"legal", "violation", "thrown_in", "unfinished"}
    assert run("score deals.jsonl -f csv").stdout.splitlines() == lines
    assert "| deal | verdict" in run("score deals.jsonl -f markdown").stdout


def test_python_scores_a_record():
    verdict = pitchsim.score(GOLDEN.read_text().splitlines()[0])
    assert verdict.legal
    assert verdict.delta == verdict["delta"] == [1, 3]
    assert verdict.to_frame()["pitcher"][0] == 1
    assert "<table>" in verdict._repr_html_()
    with pytest.raises(AttributeError, match="this verdict has no violation"):
        _ = verdict.violation
    assert not pitchsim.score("{}").legal


# The cache ----------------------------------------------------------------------------------------------


def test_cache_shows_and_clears_only_what_is_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("PITCHSIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert "Nothing is kept" in run("cache").stdout
    own = tmp_path / "cache" / "code-0123456789abcdef"
    for folder in (own, tmp_path / "cache" / "code-review", tmp_path / "cache" / "letters"):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(bytes(1000))
    answer = json.loads(run("cache -f json").stdout)
    place = {"what": "compiled code", "path": str(own), "files": 1, "bytes": 1000}
    assert (answer["bytes"], answer["places"]) == (1000, [place])
    assert "1.0 kB" in run("cache").stdout
    assert run("cache --clear").stdout.startswith("Removed")
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == ["code-review", "letters"]
    assert json.loads(run("cache -f json").stdout)["places"] == []


@pytest.mark.parametrize(
    "line",
    ["score deals.json --out deals.json", "simulate --deals 5 --records ./deals.json --out deals.json"],
)
def test_no_file_is_written_over_another_one_of_the_command(desk, line):
    before = GOLDEN.read_bytes()
    (desk / "deals.json").write_bytes(before)
    result = run(line)
    assert result.exit_code == 2
    assert "is named twice" in result.stderr
    assert (desk / "deals.json").read_bytes() == before
