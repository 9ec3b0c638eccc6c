"""Which engine plays: 64 deals at a time or one, the same answer, and a sentence where it cannot be."""

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import pitchsim
from pitchsim import InputError, api
from pitchsim.book.shards import pitcher_of
from pitchsim.cli import main
from pitchsim.jit import PLAIN
from pitchsim.lanes.engine import LEVEL, level_here

pytestmark = pytest.mark.skipif(PLAIN, reason="minutes long without compiling")
FEW = 3_000
COMMANDS = {
    "simulate": f"simulate --deals {FEW} -n 5 --play greedy,random,greedy,random,random --steal any --smudge",
    "match": f"match greedy random --deals {FEW} --games 3 --partners",
    "advise": f"advise AS KS 4S JD 10C 2H --auction 'pass 2' --deals {FEW} --play greedy,random",
    "table": "table --holding 'A 5 x' --deals 200 --play random,greedy",
    "book": "book build --every 300_000 --deals 100 --play random --book new.parquet",
    "dry run": "book build --dry-run --every 300_000 --deals 3 --play random",
    "players": f"players --deals {FEW} --play random --bidding casual",
}
wide = pytest.mark.skipif(level_here() is None, reason="this processor has no wide vectors")
every_command = pytest.mark.parametrize("line", COMMANDS.values(), ids=COMMANDS)


FIGURES = [(name, line) for name, line in COMMANDS.items() if name != "dry run"]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    """Files go nowhere else, and nobody remembers who pitched before."""
    monkeypatch.chdir(tmp_path)
    pitcher_of.cache_clear()


def run(line):
    """Run one command line in this process; what another has left is gone."""
    for left in Path().glob("*.parquet"):
        left.unlink()
    return CliRunner().invoke(main, shlex.split(line), prog_name="pitchsim")


@wide
@pytest.mark.parametrize("line", dict(FIGURES).values(), ids=dict(FIGURES))
def test_both_engines_give_the_same_answer_and_their_name(line):
    lanes, scalar = (json.loads(run(f"{line} -f json --engine {engine}").stdout) for engine in ("lanes", "scalar"))
    assert (lanes.pop("engine"), scalar.pop("engine")) == ("lanes", "scalar")
    assert lanes == scalar
    assert json.loads(run(f"{line} -f json").stdout) == lanes | {"engine": "lanes"}


@wide
def test_a_book_has_the_same_bytes_with_either_engine():
    books = []
    for engine in ("lanes", "scalar"):
        assert run(f"{COMMANDS['book']} --engine {engine}").exit_code == 0
        books.append(Path("new.parquet").read_bytes())
    assert books[0] == books[1]


@wide
@pytest.mark.parametrize("line", dict(FIGURES).values(), ids=dict(FIGURES))
def test_the_text_says_who_played(line):
    lanes, scalar = (run(f"{line} --engine {engine}").stdout for engine in ("lanes", "scalar"))
    assert "Played 64 deals at a time." in lanes
    assert scalar == lanes.replace("Played 64 deals at a time.", "Played one deal at a time.")


@wide
def test_the_card_box_says_who_played():
    text = run("table --card-box --deals 3 --play greedy").stdout
    assert "Played 64 deals at a time." in text


@every_command
def test_an_engine_that_there_is_not_is_refused(line):
    result = run(f"{line} --engine fast")
    assert result.exit_code == 2
    assert "'fast' is not one of 'auto', 'lanes', 'scalar'" in result.stderr.splitlines()[-1]


@wide
@pytest.mark.parametrize("name", ["sound", "search:worlds=3"])
@every_command
def test_policies_that_64_lanes_cannot_play_are_named(line, name):
    line = line.replace("random", name)
    result = run(f"{line} --engine lanes")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"the engine of 64 lanes cannot play '{name}'" in result.stderr.splitlines()[-1]
    if "search" not in name:
        assert json.loads(run(f"{line} -f json").stdout)["engine"] == "scalar"


@every_command
def test_where_the_lanes_are_off_it_is_no_reason_to_complain(line, monkeypatch):
    monkeypatch.setenv(LEVEL, "none")
    result = run(f"{line} -f json")
    assert (json.loads(result.stdout)["engine"], result.stderr) == ("scalar", "")
    result = run(f"{line} --engine lanes")
    assert result.exit_code == 2
    assert "PITCHSIM_LANES switches 64 lanes off; unset it" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "ask",
    [
        lambda **how: pitchsim.simulate(deals=3, **how),
        lambda **how: pitchsim.match("greedy", "random", deals=3, **how),
        lambda **how: pitchsim.advise("AS KS 4S JD 10C 2H", deals=3, **how),
        lambda **how: pitchsim.players_study(deals=3, **how),
        lambda **how: pitchsim.bid_table(holding="A 5 x", deals=3, **how),
        lambda **how: pitchsim.build_book("new.parquet", every=300_000, deals=3, **how),
        lambda **how: api.cost_of_book("new.parquet", every=300_000, deals=3, **how),
    ],
    ids=["simulate", "match", "advise", "players", "table", "book", "cost"],
)
def test_the_functions_of_the_api_refuse_it_too(ask):
    with pytest.raises(InputError, match="'fast' is not an engine; there are auto, lanes, scalar"):
        ask(engine="fast")
