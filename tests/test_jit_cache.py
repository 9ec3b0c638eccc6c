"""Compiled code that is kept: never stale, in a folder of its own, and no failure where nothing can be written.

Most tests run a copy of the package with one small kernel more, in processes of their own: it compiles in a second.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import pitchsim
from pitchsim import jit, machinecode, storage

pytestmark = pytest.mark.skipif(jit.PLAIN, reason="nothing is compiled")
SMALL_KERNEL = '''
"""A kernel of one step, which lives in another room."""

from pitchsim.deck import trick_points
from pitchsim.jit import int64, kernel


@kernel(int64(int64))
def count(cards):
    """Count trick points."""
    return trick_points(cards)
'''
COUNT_A_TEN = "from pitchsim.kernels.small import count; print(count(1 << 8))"
WHERE = "from pitchsim.jit import CODE_FOLDER; print(CODE_FOLDER)"
CANNOT_WRITE = "pitchsim: cannot write to"
COMPILING = "pitchsim: compiling for this machine, once"


@pytest.fixture
def copy(tmp_path):
    """The folder that holds a copy of the package, with the small kernel."""
    package = tmp_path / "here" / "pitchsim"
    shutil.copytree(jit.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "kernels" / "small.py").write_text(SMALL_KERNEL)
    return package.parent


def start(code, copy, cache=None, **environment):
    """Start a new process on a copy."""
    inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=inherited | {"PYTHONPATH": str(copy), "PITCHSIM_CACHE": str(cache or copy.parent / "cache")} | environment,
        cwd=copy,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process):
    """What a process said, which must have succeeded."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out.strip(), err


def run(code, copy, cache=None, **environment):
    return ended(start(code, copy, cache, **environment))


def files(folder):
    """Every file below a folder, with the time when it was written."""
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def edit(copy, name, old, new):
    path = copy / "pitchsim" / name
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


# Never stale ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_compiled_code_does_not_outlive_a_helper_that_was_edited_in_another_room(copy):
    cache = copy.parent / "cache"
    assert run(COUNT_A_TEN, copy)[0] == "10"
    first = files(cache)
    assert run(COUNT_A_TEN, copy) == ("10", "")
    assert files(cache) == first, "the second process compiles nothing"

    edit(copy, "deck.py", "8 * popcount(cards & TENS)", "9 * popcount(cards & TENS)")
    assert run(COUNT_A_TEN, copy)[0] == "11"
    assert run(COUNT_A_TEN, copy, NUMBA_DISABLE_JIT="1") == ("11", "")
    assert {path.parts[0] for path in files(cache)} > {path.parts[0] for path in first}

    edit(copy, "deck.py", "9 * popcount(cards & TENS)", "8 * popcount(cards & TENS)")
    both = files(cache)
    assert run(COUNT_A_TEN, copy) == ("10", "")
    assert files(cache) == both, "and the first code is found again"


def test_an_edit_of_anything_that_is_compiled_names_another_folder(tmp_path, monkeypatch):
    package = tmp_path / "pitchsim"
    shutil.copytree(jit.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(jit, "PACKAGE", package)
    before = jit.source_hash()
    compiled = {
        "deck.py",
        "stream.py",
        "auction.py",
        "play.py",
        "scoring.py",
        "engine.py",
        "view.py",
        "log.py",
        "jit.py",
    }
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        path.write_text(text + "\n# edited\n", encoding="utf-8")
        name = path.relative_to(package)
        skin = name.parts[0] in jit.SKINS
        assert (jit.source_hash() == before) == skin, name
        assert not skin or (name.as_posix() not in compiled and name.parts[0] not in ("kernels", "policies", "bidding"))
        path.write_text(text, encoding="utf-8")
    assert jit.source_hash() == before


@pytest.mark.parametrize("module", ["numba", "llvmlite"])
def test_another_version_of_the_compiler_names_another_folder(monkeypatch, module):
    before, version_of = jit.source_hash(), jit.version_of
    monkeypatch.setattr(jit, "version_of", lambda name: b"99.0" if name == module else version_of(name))
    assert jit.source_hash() != before


def test_a_new_file_and_a_renamed_one_name_another_folder(tmp_path, monkeypatch):
    package = tmp_path / "pitchsim"
    shutil.copytree(jit.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(jit, "PACKAGE", package)
    names = [jit.source_hash()]
    new = package / "policies" / "another.py"
    new.write_text("")
    names.append(jit.source_hash())
    new.rename(new.with_name("other.py"))
    names.append(jit.source_hash())
    assert len(set(names)) == 3


# Called without Numba ---------------------------------------------------------------------------------------

CALLS = """
from pitchsim.jit import inlined, int64, jitted, kernel, types


class Twice(Exception):
    pass


@inlined
def doubled(numbers, place):
    numbers[place] *= 2


@jitted
def checked(number, limit):
    if number > limit:
        raise Twice
    if number == limit:
        raise ValueError("too many", 24)
    return number


@kernel(types.UniTuple(int64, 2)(types.int64[:, ::1], types.UniTuple(int64, 2), int64, types.boolean, types.float64))
def double(rows, pair, limit, more, share):
    numbers = rows[1]
    for place in range(len(numbers)):
        doubled(numbers, place)
    return checked(numbers[0], limit) + pair[1], int64(more) + int64(share * 4)
"""
TRY = """
import numpy as np
from pitchsim.kernels.small import Twice, double
rows = np.arange(6).reshape(2, 3)
print(double(rows, (1, -1), np.int64(9), True, 0.5), rows.tolist())
for limit in (5, 24):
    try:
        double(rows, (1, 1), limit, False, 0.0)
    except (Twice, ValueError) as error:
        print(type(error).__name__, error.args)
for wrong in (rows.T, rows[0], rows.astype(np.int32)):
    try:
        double(wrong, (1, 1), 9, False, 0.0)
    except TypeError as error:
        print("refused")
"""
TOLD = """(5, 3) [[0, 1, 2], [6, 8, 10]]
Twice ()
ValueError ('too many', 24)
refused
refused
refused"""


def test_a_kernel_takes_answers_and_fails_as_it_should_also_when_it_was_kept(copy):
    (copy / "pitchsim" / "kernels" / "small.py").write_text(CALLS)
    assert run(TRY, copy)[0] == TOLD
    assert run(TRY, copy) == (TOLD, "")


# Where it is kept ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_numba_cache_dir_is_respected_and_what_else_is_in_it_is_left_alone(copy):
    own, cache = copy.parent / "own", copy.parent / "cache"
    mine = ["code-mine", "code-2024", "code-0123456789abcdeX", "code-0123456789abcdef0", "notes"]
    for name in mine:
        (own / name).mkdir(parents=True)
        (own / name / "precious.txt").write_text("keep me")
    (own / "code-list.txt").write_text("keep me")
    before = files(own)
    assert run(COUNT_A_TEN, copy, NUMBA_CACHE_DIR=str(own))[0] == "10"
    new = {path.parts[0] for path in files(own)} - {path.parts[0] for path in before}
    assert len(new) == 1
    assert new.pop().startswith("code-")
    assert before.items() <= files(own).items()
    assert not cache.exists(), "and nothing is written anywhere else"


def test_only_the_few_folders_used_last_are_kept_and_the_one_in_use_though_it_was_the_oldest(copy):
    cache = copy.parent / "cache"
    for age in range(6):
        folder = cache / f"code-{age:016x}"
        folder.mkdir(parents=True)
        (folder / "complete").touch()
        os.utime(folder, (1_000_000 - age, 1_000_000 - age))
    now, _ = run(WHERE, copy)
    os.utime(now, (1, 1))
    (cache / f"code-{9:016x}").mkdir()
    os.utime(cache / f"code-{9:016x}", (2_000_000, 2_000_000))
    assert run(WHERE, copy)[0] == now
    kept = {folder.name for folder in cache.iterdir()}
    last_used = [9, 0, 1, 2, 3, 4, 5]
    assert kept == {Path(now).name} | {f"code-{age:016x}" for age in last_used[: storage.KEPT_FOLDERS - 1]}


@pytest.mark.parametrize(("variable", "place"), [("PITCHSIM_CACHE", "below-a-file"), ("NUMBA_CACHE_DIR", "proc")])
def test_where_nothing_can_be_written_it_runs_all_the_same_and_says_so_once(copy, variable, place):
    (copy / "file").write_text("")
    cache = copy / "file" / "cache" if place == "below-a-file" else Path("/proc/pitchsim-cache")
    if place == "proc" and not Path("/proc").is_dir():
        pytest.skip("there is no /proc here")
    code = f"{COUNT_A_TEN}\n{WHERE}"
    out, err = run(code, copy, **{variable: str(cache)})
    number, folder = out.split("\n")
    assert number == "10"
    told = err.splitlines()
    assert told[0].startswith(f"{CANNOT_WRITE} {cache}")
    assert told[1].startswith(COMPILING)
    assert len(told) == 2
    assert not Path(folder).exists(), "what was kept for this run is gone after it"


@pytest.mark.slow
def test_two_first_runs_side_by_side_both_succeed(copy):
    runs = [start(COUNT_A_TEN, copy) for _ in range(2)]
    assert [ended(process)[0] for process in runs] == ["10"] * 2
    kept = files(copy.parent / "cache")
    assert run(COUNT_A_TEN, copy) == ("10", "")
    assert files(copy.parent / "cache") == kept


def test_what_is_compiled_for_one_installation_is_not_taken_for_another_ones(copy):
    here, _ = run(WHERE, copy)
    moved = copy.with_name("there")
    shutil.copytree(copy, moved, ignore=shutil.ignore_patterns("__pycache__"))
    assert run(WHERE, moved)[0] != here


@pytest.mark.slow
def test_code_that_was_damaged_is_made_anew(copy):
    assert run(COUNT_A_TEN, copy)[0] == "10"
    (kept,) = (copy.parent / "cache").rglob("*small.count.o")
    whole = kept.read_bytes()
    for damaged in (whole[:1000], whole[:1000] + b"\0" + whole[1001:], b""):
        kept.write_bytes(damaged)
        out, err = run(COUNT_A_TEN, copy)
        assert out == "10"
        assert err.startswith(COMPILING)
        assert len(kept.read_bytes()) == len(whole)


@pytest.mark.skipif(sys.platform == "win32", reason="there Ctrl-C comes otherwise")
def test_ctrl_c_in_a_callback_of_the_compiler_is_heard(capfd):
    before = signal.getsignal(signal.SIGINT), sys.unraisablehook
    called_back = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt), machinecode._ctrl_c_is_heard():
        called_back()
    assert (signal.getsignal(signal.SIGINT), sys.unraisablehook) == before
    assert capfd.readouterr().err == ""


# The first run and the next ------------------------------------------------------------------------------

SIMULATE = (
    "import pitchsim; print(pitchsim.simulate(deals=200, players=3).to_json());"
    "print(pitchsim.advise('AS KS 4S JD TC 2H', deals=200).to_json())"
)


def test_a_process_on_a_warm_machine_compiles_nothing_and_says_nothing():
    here = Path(pitchsim.__file__).parents[1]
    run(SIMULATE, here, cache=jit.CODE_FOLDER.parent)
    before = files(jit.CODE_FOLDER)
    code = f"{SIMULATE}; import sys; print('numba' in sys.modules)"
    out, err = run(code, here, cache=jit.CODE_FOLDER.parent)
    assert err == ""
    assert out.endswith("False"), "and it does without Numba"
    assert files(jit.CODE_FOLDER) == before


@pytest.mark.slow
def test_first_runs_say_so_in_one_line_even_two_side_by_side_and_the_next_is_warm(copy):
    runs = [start(SIMULATE, copy) for _ in range(2)]
    answers = [ended(process) for process in runs]
    assert answers[0][0] == answers[1][0]
    for _, err in answers:
        assert err.startswith(COMPILING)
        assert err.count("\n") == 1
    kept = files(copy.parent / "cache")
    assert run(SIMULATE, copy) == (answers[0][0], "")
    assert files(copy.parent / "cache") == kept


@pytest.mark.slow
def test_a_first_run_where_nothing_can_be_written_gives_the_same_numbers(copy):
    (copy / "file").write_text("")
    out, err = run(SIMULATE, copy, cache=copy / "file" / "cache")
    assert sum(line.startswith(CANNOT_WRITE) for line in err.splitlines()) == 1
    here = Path(pitchsim.__file__).parents[1]
    assert out == run(SIMULATE, here, cache=jit.CODE_FOLDER.parent)[0]
