"""A user's own policies: how to name them, what is refused without being called, and what happens when one fails."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from pitchsim.bidding import BIDDING
from pitchsim.errors import InputError, RunError
from pitchsim.jit import PLAIN
from pitchsim.plugins import find
from pitchsim.policies import PLAY
from pitchsim.records import score
from pitchsim.rules import Rules
from pitchsim.simulation import simulate

jit_only = pytest.mark.skipif(PLAIN, reason="it is the compiler that refuses")

POLICIES = '''
from numba import njit
from pitchsim.jit import lowest
from pitchsim.view import any_card


def lazy(view):
    """Play my lowest legal card."""
    return lowest(view.legal)


@njit
def jitted_lazy(view):
    """Play my lowest legal card, jitted already."""
    return lowest(view.legal)


def shuffler(view):
    """Play any legal card."""
    return any_card(view.legal, view.luck)


def shy(view):
    """Pass, or bid 2 when stuck."""
    return 0 if view.legal & 1 else 2
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a file of policies, from which modules can be imported too."""
    (tmp_path / "mine.py").write_text(POLICIES)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    yield tmp_path
    sys.modules.pop("mine", None)


def write(folder, text, name="own.py"):
    """A file of policies; answers its path."""
    path = folder / name
    path.write_text(textwrap.dedent(text))
    return path


def tallies(play, bidding="passive", deals=20, **how):
    return simulate(Rules(), [play], [bidding], deals=deals, **how).to_dict()["seats"]


def refusal(name, kind=PLAY):
    """The one sentence with which a name is refused."""
    with pytest.raises(InputError) as refused:
        find(kind, str(name))
    sentence = str(refused.value)
    assert "\n" not in sentence
    assert len(sentence) < 400
    assert "Traceback" not in sentence
    return sentence


# Ways to name one -------------------------------------------------------------------------------------


def test_a_function_of_a_file(folder):
    found = find(PLAY, f"{folder / 'mine.py'}:lazy")
    assert found.description == "Play my lowest legal card."
    assert tallies(f"{folder / 'mine.py'}:lazy")


def test_a_file_is_found_from_the_folder_one_is_in(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert tallies("mine.py:lazy") == tallies(f"{folder}/mine.py:lazy")


def test_two_files_of_one_name_do_not_mix(folder):
    other = folder / "other"
    other.mkdir()
    write(other, "from pitchsim.jit import highest\ndef lazy(view):\n    return highest(view.legal)\n", "mine.py")
    low, high = tallies(f"{folder}/mine.py:lazy", deals=300), tallies(f"{other}/mine.py:lazy", deals=300)
    assert low != high


def test_a_function_of_a_module(folder):
    assert tallies("mine:lazy") == tallies(f"{folder}/mine.py:lazy")


def test_a_function_of_a_package(folder):
    (folder / "mypackage").mkdir()
    write(folder / "mypackage", "", "__init__.py")
    write(folder / "mypackage", POLICIES, "players.py")
    assert tallies("mypackage.players:lazy") == tallies("mine:lazy")


def test_a_function_that_is_jitted_already(folder):
    assert tallies("mine:jitted_lazy") == tallies("mine:lazy")


JITTED = """
from numba import njit
from pitchsim.jit import lowest, policy
from pitchsim.view import CARD, CALL

@{decorator}
def own(view):
    return {answer}
"""


@pytest.mark.parametrize("decorator", ["njit(CARD)", "njit(cache=True)", "policy(CARD)"])
def test_a_function_that_is_jitted_with_its_signature_already(folder, decorator):
    path = write(folder, JITTED.format(decorator=decorator, answer="lowest(view.legal)"))
    assert tallies(f"{path}:own") == tallies("mine:lazy")


@pytest.mark.parametrize("signatures", ["CARD, CALL", "CALL, CARD", "CALL, 'float64(float64)'"])
def test_a_function_that_is_jitted_for_several_signatures_is_known_by_the_right_one(folder, signatures):
    path = write(folder, JITTED.format(decorator=f"njit([{signatures}])", answer="0"))
    assert find(BIDDING, f"{path}:own").source == str(path)


def test_a_policy_of_an_installed_package(folder):
    name = "mine-lazy"
    package = folder / "mine-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(
        f"[pitchsim.policies]\n{name} = mine:lazy\n\n[pitchsim.bidding]\n{name} = mine:shy\n"
    )
    assert find(PLAY, name).source == "installed: mine:lazy"
    assert tallies(name, name) == tallies("mine:lazy", "mine:shy") == tallies("mine:lazy", "passive")
    assert name in refusal("nobody")


def test_a_broken_policy_of_an_installed_package_is_told_by_name(folder):
    package = folder / "bad-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: bad\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[pitchsim.policies]\nbroken = not_there:lazy\n")
    assert "broken" in refusal("broken")
    assert find(PLAY, "random").source == "built in"


def test_a_bidding_policy(folder):
    assert tallies("greedy", "mine:shy") == tallies("greedy", "passive")


def test_a_policy_of_ones_own_plays_like_the_built_in_one_that_does_the_same(folder):
    assert tallies("mine:shuffler", deals=200) == tallies("random", deals=200)


def test_own_and_built_in_policies_sit_at_one_table(folder):
    names = ["mine:lazy", "random", "greedy", "mine:jitted_lazy"]
    assert simulate(Rules(), names, ["passive"], deals=20).to_dict()["play"] == names


@pytest.mark.parametrize("answer", ["0", "int(view.legal == 1)", "int8(0)"])
def test_any_whole_number_is_an_answer(folder, answer):
    path = write(folder, f"from numba import int8\ndef odd(view):\n    return {answer} if view.legal & 1 else 2\n")
    assert tallies("random", f"{path}:odd") == tallies("random", "passive")


# Refused without being called -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["os:system", "os:abort", "builtins:print", "shutil:rmtree", "subprocess:run", "os:_exit", "json:JSONDecoder"],
)
def test_what_is_no_function_of_one_view_is_refused_without_being_called(name, capfd):
    sentence = refusal(name)
    assert name in sentence
    assert capfd.readouterr() == ("", "")


@jit_only
@pytest.mark.parametrize("name", ["os:removedirs", "os:makedirs", "glob:escape"])
def test_a_function_of_one_argument_that_is_no_policy_is_refused_without_being_called(name, capfd):
    refusal(name)
    assert capfd.readouterr() == ("", "")


CALLED = "    open('called', 'w').close()\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("class own:\n    def __init__(self, view):\n    {called}", "is not a Python function"),
        ("class Own:\n    def __call__(self, view):\n    {called}\nown = Own()", "is not a Python function"),
        ("own = 7", "is not a Python function"),
        ("own = None", "is not a Python function"),
        ("def own(view, more):\n{called}", "exactly one argument"),
        ("def own():\n{called}", "exactly one argument"),
        ("def own(*views):\n{called}", "exactly one argument"),
        ("def own(*, view):\n{called}", "exactly one argument"),
        ("def own(view, more=1):\n{called}", "exactly one argument"),
        ("import numba\n@numba.njit\ndef own(view, more):\n    return 1", "exactly one argument"),
    ],
)
def test_a_thing_that_is_no_function_of_one_argument_is_refused(folder, monkeypatch, text, says):
    monkeypatch.chdir(folder)
    path = write(folder, text.replace("{called}", CALLED))
    assert says in refusal(f"{path}:own")
    assert not (folder / "called").exists()


@jit_only
@pytest.mark.parametrize("kind", [PLAY, BIDDING])
@pytest.mark.parametrize("answer", ["view.legal / 2", "True", "None", "'AS'"])
def test_an_answer_that_is_no_whole_number_is_refused(folder, kind, answer):
    path = write(folder, f"def own(view):\n    return {answer}\n")
    assert "a whole number" in refusal(f"{path}:own", kind)


@jit_only
@pytest.mark.parametrize(
    "body",
    [
        "return lowest(view.legal)",
        "return view.nothing",
        "return view.partners_hand",
        "import os; return os.getpid()",
        "return {}[view.legal]",
        "return eval('1')",
        "yield 1",
        "return [card for card in open('x')][0]",
        "return int(str(view))",
    ],
)
def test_what_numba_does_not_compile_is_refused_in_one_sentence(folder, body):
    path = write(folder, f"def own(view):\n    {body}\n")
    assert "Numba compiles" in refusal(f"{path}:own") or "whole number" in refusal(f"{path}:own")


@jit_only
def test_a_function_that_is_jitted_for_something_else_is_refused(folder):
    path = write(folder, "import numba\n@numba.njit('int64(int64)')\ndef own(number):\n    return number\n")
    assert "compil" in refusal(f"{path}:own")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def own(view:\n    return 1\n", "SyntaxError"),
        ("import not_there_at_all\n", "not_there_at_all"),
        ("raise ValueError('one line\\nand another')\n", "one line"),
        ("import sys\nsys.exit(3)\n", "SystemExit"),
    ],
)
def test_a_file_that_cannot_be_imported_is_refused(folder, text, says):
    assert says in refusal(f"{write(folder, text)}:own")


def test_a_file_a_module_or_a_function_that_is_not_there_is_refused(folder):
    assert "there is no file" in refusal(f"{folder}/nothing.py:own")
    assert "there is no file" in refusal(f"{folder}:own".replace(":own", ".py:own"))
    assert "no_such_module" in refusal("no_such_module:own")
    assert "has no function 'own'" in refusal(f"{folder}/mine.py:own")
    assert "has no function" in refusal("mine:nothing")


@pytest.mark.parametrize("name", ["", ":", "nobody", "mine:", ":lazy", "mine:1lazy", "mine:a b", "mine.lazy", "Random"])
def test_a_name_that_is_none_is_told_which_there_are(folder, name):
    sentence = refusal(name)
    assert "random, greedy, sound" in sentence
    assert "file.py:function" in sentence


# When one fails -----------------------------------------------------------------------------------------


def failure(play=("random",), bidding=("passive",), rules=None, **how):
    """The sentence of a run that a policy stops, and the record at its end."""
    with pytest.raises(RunError) as stopped:
        simulate(rules or Rules(), list(play), list(bidding), deals=3_000, **how)
    sentence = str(stopped.value)
    assert "\n" not in sentence
    return sentence, json.loads(sentence[sentence.index(" in {") + 4 :])


FAILING = """
from pitchsim.jit import lowest, highest
from pitchsim.view import pitching

def raises(view):
    if view.gone != 0:
        raise ValueError("no idea")
    return lowest(view.legal)

def never_pitches(view):
    if pitching(view):
        raise RuntimeError("which suit?")
    return lowest(view.legal)

def revokes(view):
    return lowest(view.hand)

def no_card(view):
    return 99 if view.gone != 0 else lowest(view.legal)

def minus_one(view):
    return -1 if view.gone != 0 else lowest(view.legal)

def not_mine(view):
    return (lowest(view.hand) + 1) & 63 if view.hand & (view.hand - 1) else lowest(view.hand)

def hushed(view):
    if view.seat == 2:
        raise ValueError("no idea")
    return 0

def five(view):
    return 5

def below(view):
    return -2

def one_too(view):
    return 1 if view.highest else 0

def stubborn(view):
    return 0
"""


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("raises", "raised ValueError (no idea)"),
        ("revokes", "answered an illegal card"),
        ("no_card", "answered an illegal card"),
        ("minus_one", "answered an illegal card"),
        ("not_mine", "answered an illegal card"),
    ],
)
@pytest.mark.parametrize("seat", [1, 3])
def test_a_play_policy_that_fails_is_named_with_a_record_that_score_reads(folder, name, says, seat):
    path = write(folder, FAILING)
    play = ["random"] * 4
    play[seat] = f"{path}:{name}"
    sentence, record = failure(play)
    assert sentence.startswith(f"the play policy {play[seat]!r} {says} in ")
    answer = score(record)
    assert answer["finished"] is False
    assert answer["next"]["seat"] == seat
    assert "cards" in answer["next"]


def test_a_policy_that_fails_at_the_pitch_is_named(folder):
    path = write(folder, FAILING)
    sentence, record = failure([f"{path}:never_pitches"])
    assert "RuntimeError (which suit?)" in sentence
    answer = score(record)
    assert (answer["finished"], answer["next"]["seat"], record["plays"]) == (False, 3, [])


@pytest.mark.parametrize(
    ("name", "seat", "says"),
    [
        ("hushed", 2, "raised ValueError (no idea)"),
        ("five", 1, "answered an illegal call"),
        ("below", 0, "answered an illegal call"),
        ("stubborn", 3, "answered an illegal call"),
    ],
)
def test_a_bidding_policy_that_fails_is_named_with_a_record_that_score_reads(folder, name, seat, says):
    bidding = ["passive"] * 4
    bidding[seat] = f"{write(folder, FAILING)}:{name}"
    sentence, record = failure(bidding=bidding)
    assert sentence.startswith(f"the bidding policy {bidding[seat]!r} {says} in ")
    answer = score(record)
    assert answer["finished"] is False
    assert answer["next"]["seat"] == seat
    assert "calls" in answer["next"]


def test_a_call_that_is_not_higher_is_named_after_the_call_before(folder):
    path = write(folder, FAILING + "def two(view):\n    return 2\n")
    sentence, record = failure(bidding=[f"{path}:two", f"{path}:one_too", "passive", "passive"])
    assert "one_too" in sentence
    assert [call["bid"] for call in record["auction"]] == [2]
    assert score(record)["next"] == {"seat": 1, "calls": [0, 3, 4]}


def test_a_policy_that_fails_stops_a_run_on_several_threads_too(folder):
    path = write(folder, FAILING)
    sentences = {failure([f"{path}:raises"], threads=threads)[0] for threads in (1, 2)}
    assert len(sentences) == 1


def test_a_failing_partner_is_named_by_his_seat(folder):
    path = write(folder, FAILING)
    sentence, record = failure(["random", "random", f"{path}:no_card", "random"], rules=Rules(partners=True))
    assert "no_card" in sentence
    assert score(record)["next"]["seat"] == 2


# Without the compiler ---------------------------------------------------------------------------------


@pytest.mark.slow
@jit_only
def test_they_are_found_and_blamed_alike_with_the_compiler_switched_off():
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-k",
            "a_function_of or fails",
            str(Path(__file__)),
        ],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-3000:]
