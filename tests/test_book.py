"""The book of hands: the same bytes whoever makes it, nothing lost when it goes wrong, and answers that are right."""

import contextlib
import errno
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import pitchsim
from pitchsim import storage
from pitchsim.book import crew, making, packed, pages, shards, shelf
from pitchsim.book.classes import all_classes, class_of, size_of
from pitchsim.book.pages import COLUMNS, Pages
from pitchsim.book.recipe import recipe_of, sources
from pitchsim.book.shelf import Book, PackedBook, ev_error, open_book, usual_place
from pitchsim.book.unfinished import Unfinished
from pitchsim.cards import SUITS, Card, format_hand, parse_hand, quoted
from pitchsim.cli import main
from pitchsim.deck import cards_to_set, set_to_cards
from pitchsim.errors import InputError, RunError
from pitchsim.jit import PLAIN
from pitchsim.lanes.engine import level_here
from pitchsim.rules import Rules

EVERY = 20_000
DEALS = 2 if PLAIN else 64
HAND = "AS KS QH 4H 7D 4C"  # Class 700,000.
ELSEWHERE = "AD KD QS 4S 7C 4H"
slow_without_compiling = pytest.mark.skipif(PLAIN, reason="minutes long without compiling")


def recipe(**changes):
    """A book of some dozens of hands, in ten shards."""
    named = {"rules": Rules(), "play": "greedy" if PLAIN else "expert", "precision": None, "deals": DEALS, "seed": 1}
    return recipe_of(**{**named, "every": EVERY, "shard": 5, **changes})


def run(line, **options):
    return CliRunner().invoke(main, shlex.split(line), prog_name="pitchsim", **options)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A finished tiny book."""
    path = tmp_path_factory.mktemp("books") / "tiny.parquet"
    making.build(recipe(), path, threads=1)
    return path


@pytest.fixture
def begun(tmp_path):
    """A tiny book with some of its shards."""
    path = tmp_path / "begun.parquet"
    interrupted_after(path, 4)
    return path


def interrupted_after(path, count):
    """Begin a book, and stop after so many shards."""
    unfinished = Unfinished(path)
    unfinished.begin(recipe())
    for shard in range(count):
        unfinished.keep(recipe(), shard, shards.make_shard(recipe(), shard))


def contents(folder):
    """What is in a folder, to the last byte."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# What stands in it ------------------------------------------------------------------------------------


def rows_of(path):
    with Pages(path) as opened:
        return opened.table().to_pylist()


def test_every_class_of_the_recipe_stands_there_once_in_order(tiny):
    rows = rows_of(tiny)
    numbers = list(range(0, 962_988, EVERY))
    assert [row["class"] for row in rows] == numbers
    assert list(rows[0]) == list(COLUMNS)
    for row in rows:
        hand = int(all_classes()[row["class"]])
        assert cards_to_set(parse_hand(row["hand"])) == hand
        assert row["size"] == size_of(hand)


def test_the_figures_of_a_row_agree_with_each_other(tiny):
    for row in rows_of(tiny):
        cards = set_to_cards(int(all_classes()[row["class"]]))
        assert {row["lead"], row["next_lead"]} <= {str(card) for card in cards}
        assert row["lead"] != row["next_lead"]
        assert row["trump"] == row["lead"][1]
        assert row["deals"] == DEALS
        chances = [1.0, *(row[f"p{points}"] for points in range(1, 5)), 0.0]
        assert chances == sorted(chances, reverse=True)
        assert row["points"] == pytest.approx(sum(chances[1:]))
        assert row["points"] == pytest.approx(sum(row[name] for name in ("high", "low", "jack", "game")))
        for bid in range(1, 5):
            expected = bid * chances[bid] + sum(chances[bid + 1 :]) - bid * (1 - chances[bid])
            assert row[f"ev{bid}"] == pytest.approx(expected)


def test_a_class_is_a_function_of_the_seed_and_its_number_alone():
    alone = shards.row_of(recipe(), 700_000)
    other = recipe(every=50_000, shard=3)
    assert [row for row in shards.make_shard(other, 14 // 3) if row["class"] == 700_000] == [alone]
    assert shards.row_of(recipe(seed=2), 700_000) != alone


@slow_without_compiling
def test_a_book_says_what_advise_says():
    for number in (600_000, 700_000):
        row = shards.row_of(recipe(deals=None, precision=0.01), number)
        hand = set_to_cards(int(all_classes()[number]))
        leads = {lead.lead: lead for lead in pitchsim.advise(hand, deals=20_000, seed=5, seat=1).leads}
        told = leads[row["lead"]]
        assert row["points_se"] < 0.01
        assert abs(row["points"] - told.points) < 4 * np.hypot(row["points_se"], told.points_se)
        assert told.points > max(lead.points for lead in leads.values()) - 0.05
        for points in range(1, 5):
            chance = told.p_at_least[str(points)]
            spread = np.sqrt(max(chance * (1 - chance), 1e-4) * (1 / row["deals"] + 1 / 20_000))
            assert abs(row[f"p{points}"] - chance) < 4 * spread


@slow_without_compiling
def test_high_is_what_counting_says():
    row = shards.row_of(recipe(deals=20_000), 600_000)
    exact = next(suit for suit in pitchsim.odds(row["hand"]).suits if suit.trump == row["trump"])
    assert abs(row["high"] - exact.high) < 4 * np.sqrt(exact.high * (1 - exact.high) / 20_000)


@slow_without_compiling
def test_the_best_card_of_six_sure_points():
    number = int(class_of(cards_to_set(parse_hand("AKQJT9..."))))
    row = shards.row_of(recipe(), number)
    assert (row["points"], row["p4"], row["ev4"], row["size"]) == (4.0, 1.0, 4.0, 4)


def test_the_recipe_names_all_that_decides_and_nothing_else(tmp_path, monkeypatch):
    """Any edit of what plays makes another book; neither the engine asked for nor the skins do."""
    from pitchsim import jit

    shutil.copytree(jit.PACKAGE, tmp_path / "pitchsim", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(jit, "PACKAGE", tmp_path / "pitchsim")
    digest = sources.__wrapped__
    assert digest() == sources()
    for name in ("lanes/play.py", "lanes/machine.py", "leading.py", "kernels/leading.py", "data/expert-4.json"):
        path = tmp_path / "pitchsim" / name
        before = path.read_bytes()
        path.write_bytes(before + b"\n")
        assert digest() != sources(), name
        path.write_bytes(before)
    for name in ("report.py", "cli/book.py", "book/packed.py", "data/books/4.npz"):
        path = tmp_path / "pitchsim" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"another")
        assert digest() == sources(), name
    assert "engine" not in recipe().to_dict()


# The same bytes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [2, 5])
def test_any_number_of_threads_makes_the_same_bytes(tiny, tmp_path, threads):
    path = tmp_path / "other.parquet"
    making.build(recipe(), path, threads=threads)
    assert path.read_bytes() == tiny.read_bytes()
    assert not Unfinished(path).folder.exists()


@pytest.mark.parametrize("shard", [1, 7, 256])
def test_shards_of_any_size_make_the_same_bytes(tiny, tmp_path, shard):
    path = tmp_path / "other.parquet"
    making.build(recipe(shard=shard), path, threads=1)
    assert path.read_bytes() == tiny.read_bytes()
    assert making.build(recipe(shard=3), path).finished  # It is the same book.


def test_the_groups_of_rows_and_their_pages_do_not_depend_on_the_shards(tiny, tmp_path):
    pa = pytest.importorskip("pyarrow")
    hands, made = rows_of(tiny), []
    rows = [{**hands[number % len(hands)], "class": number} for number in range(pages.PAGE * 5 // 2)]
    for size in (len(rows), pages.PAGE, 999):
        tables = (
            pa.Table.from_pylist(rows[first : first + size], pages._schema({})) for first in range(0, len(rows), size)
        )
        pages.write_tables(tmp_path / f"{size}.parquet", tables, {})
        made.append((tmp_path / f"{size}.parquet").read_bytes())
    assert made[0] == made[1] == made[2]


def test_another_size_of_shards_goes_not_on_and_is_told_why(begun):
    before = contents(begun.parent)
    with pytest.raises(InputError) as told:
        making.build(recipe(shard=7), begun)
    assert str(told.value) == (
        f"{quoted(Unfinished(begun).folder)} was begun with --shard 5, not 7; the finished book is the same, "
        "so go on with --shard 5, or remove the folder"
    )
    assert contents(begun.parent) == before


def test_shards_made_in_any_order_make_the_same_bytes(tiny, tmp_path):
    path = tmp_path / "other.parquet"
    unfinished = Unfinished(path)
    missing = unfinished.begin(recipe())
    for shard in random.Random(5).sample(missing, len(missing)):
        unfinished.keep(recipe(), shard, shards.make_shard(recipe(), shard))
    unfinished.bind(recipe())
    assert path.read_bytes() == tiny.read_bytes()


def test_one_that_was_interrupted_goes_on_to_the_same_bytes(tiny, begun):
    before = {path.name: path.stat().st_mtime_ns for path in Unfinished(begun).folder.glob("shard-*")}
    made = []
    keep = Unfinished.keep

    def noted(self, recipe, shard, rows):
        made.append(shard)
        keep(self, recipe, shard, rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Unfinished, "keep", noted)
        making.build(recipe(), begun)
    assert not {f"shard-{shard:05}.parquet" for shard in made} & set(before)
    assert begun.read_bytes() == tiny.read_bytes()


def test_two_that_build_the_same_book_at_once_do_not_disturb_each_other(tiny, tmp_path, monkeypatch):
    path, keep = tmp_path / "both.parquet", Unfinished.keep

    def overtaken(self, recipe, shard, rows):
        """While the first one makes its last shard, a second one begins, goes on and ends."""
        if len(self.shards()) == recipe.shards - 1 and not path.exists():
            monkeypatch.setattr(Unfinished, "keep", keep)
            making.build(recipe, path)
        keep(self, recipe, shard, rows)

    monkeypatch.setattr(Unfinished, "keep", overtaken)
    assert making.build(recipe(), path).finished
    assert path.read_bytes() == tiny.read_bytes()
    assert [left.name for left in tmp_path.iterdir()] == ["both.parquet"]


def test_building_a_finished_book_again_only_says_so(tiny):
    before = tiny.read_bytes(), tiny.stat().st_mtime_ns
    assert making.build(recipe(), tiny).finished
    assert (tiny.read_bytes(), tiny.stat().st_mtime_ns) == before


def test_an_interruption_leaves_whole_shards(tiny, tmp_path, monkeypatch):
    path = tmp_path / "stopped.parquet"
    keep = Unfinished.keep

    def interrupted(self, recipe, shard, rows):
        if len(self.shards()) == 1:
            raise KeyboardInterrupt
        keep(self, recipe, shard, rows)

    with monkeypatch.context() as patch:
        patch.setattr(Unfinished, "keep", interrupted)
        with pytest.raises(KeyboardInterrupt):
            making.build(recipe(), path, threads=2)
    assert len(Unfinished(path).shards()) == 1
    assert not path.exists()
    making.build(recipe(), path)
    assert path.read_bytes() == tiny.read_bytes()


BUILD = "--every 20000 --shard 1 --deals 6000 --seed 3"


def start(path, *more):
    return subprocess.Popen(
        [sys.executable, "-m", "pitchsim", "book", "build", *BUILD.split(), "--book", str(path), *more],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def kill_at_random_moments(folder, times):
    """Kill a build again and again: at any moment from its start, or soon after it has written something."""
    luck, killed, path = random.Random(11), 0, folder / "killed.parquet"
    while killed < times:
        if path.exists():
            path.unlink()
        with start(path) as build:
            if luck.random() < 0.2:
                time.sleep(luck.uniform(0, 1))
            else:
                before, patience = set(folder.rglob("*")), time.monotonic() + 20
                while set(folder.rglob("*")) == before and build.poll() is None and time.monotonic() < patience:
                    time.sleep(0.002)
                time.sleep(luck.uniform(0, 0.15))
            build.kill()
            killed += build.wait() == -signal.SIGKILL
    return path


@slow_without_compiling
@pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_random_moments_it_goes_on_to_the_same_bytes(tmp_path, times):
    undisturbed = tmp_path / "undisturbed.parquet"
    with start(undisturbed) as build:
        assert build.wait() == 0, build.stderr.read()
    place = tmp_path / "place"
    place.mkdir()
    path = kill_at_random_moments(place, times)
    with start(path) as build:
        said = build.stderr.read()
        assert build.wait() == 0, said
    assert path.read_bytes() == undisturbed.read_bytes()
    assert [left.name for left in place.iterdir()] == ["killed.parquet"]
    assert "damaged" not in said


@slow_without_compiling
def test_ctrl_c_ends_with_130_and_keeps_whole_shards(tmp_path):
    path = tmp_path / "stopped.parquet"
    with start(path, "--precision", ".003") as build:  # Both given: refused before anything is done.
        assert build.wait() == 2
    with start(path, "--every", "2000", "--deals", "20000") as build:  # Half a minute, if nobody stops it.
        while not Unfinished(path).shards() and build.poll() is None:
            time.sleep(0.01)
        build.send_signal(signal.SIGINT)
        assert build.wait(timeout=20) == 130
        assert "Traceback" not in build.stderr.read()
    assert Unfinished(path).shards()
    assert Unfinished(path).begin(Unfinished(path).recipe())


# A crew of processes ------------------------------------------------------------------------------------

lanes_only = pytest.mark.skipif(
    level_here() is None or PLAIN, reason="threads serve where one deal is played at a time"
)


@pytest.fixture
def small_crew(monkeypatch):
    """A crew is worth its while from the first hand on."""
    monkeypatch.setattr(crew, "WORTH", 1)


@lanes_only
def test_a_crew_makes_the_same_bytes_and_counts_every_hand(tiny, tmp_path, small_crew, monkeypatch):
    path, counted, started, start = tmp_path / "other.parquet", [], [], crew._started
    monkeypatch.setattr(crew, "_started", lambda *how: started.append(start(*how)) or started[-1])
    unfinished = Unfinished(path)
    for shard, rows in making.made_here(2, "auto", recipe(), unfinished.begin(recipe()), counted.append):
        unfinished.keep(recipe(), shard, rows)
    unfinished.bind(recipe())
    assert path.read_bytes() == tiny.read_bytes()
    assert sum(counted) == len(recipe().classes)
    assert len(started) == 2
    assert all(process.returncode is not None for process in started)


@lanes_only
def test_a_process_of_the_crew_that_dies_is_one_sentence_and_keeps_the_shards(tiny, tmp_path, small_crew, monkeypatch):
    path, started, start, keep = tmp_path / "other.parquet", [], crew._started, Unfinished.keep
    monkeypatch.setattr(crew, "_started", lambda *how: started.append(start(*how)) or started[-1])

    def kill_one(self, recipe, shard, rows):
        keep(self, recipe, shard, rows)
        started[0].kill()

    with monkeypatch.context() as patch:
        patch.setattr(Unfinished, "keep", kill_one)
        with pytest.raises(RunError, match="a process that made a shard has died; start again"):
            making.build(recipe(shard=1), path, threads=2)
    assert Unfinished(path).shards()
    assert all(process.returncode is not None for process in started)
    making.build(recipe(shard=1), path, threads=2)
    assert path.read_bytes() == tiny.read_bytes()


@lanes_only
def test_what_goes_wrong_in_a_crew_is_told_as_it_is(small_crew):
    wrong = replace(recipe(), play="no-such")
    process = crew._started(wrong, "auto")
    try:
        with pytest.raises(InputError, match="there is no play policy"):
            crew._made_by(process, 0, print)
    finally:
        process.communicate()


@lanes_only
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_a_crew_ends_with_the_program(tmp_path, sign):
    path = tmp_path / "stopped.parquet"
    with start(path, "--every", "50", "--shard", "64", "--deals", "3000", "-j", "2") as build:
        while not Unfinished(path).shards() and build.poll() is None:
            time.sleep(0.01)
        build.send_signal(sign)
        assert build.wait(timeout=20) == (130 if sign == signal.SIGINT else -sign)
        patience = time.monotonic() + 20
        with contextlib.suppress(ProcessLookupError):
            while time.monotonic() < patience:
                os.killpg(build.pid, 0)  # It has a group of its own: somebody of it is still there.
                time.sleep(0.05)
            pytest.fail("the crew goes on without the program")
        assert "Traceback" not in build.stderr.read()
    assert Unfinished(path).begin(Unfinished(path).recipe())


# A cluster --------------------------------------------------------------------------------------------


@contextlib.contextmanager
def cluster(workers):
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=60
    ) as there:
        yield there


@pytest.mark.slow
@slow_without_compiling
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_makes_the_same_bytes_though_a_worker_is_killed(tmp_path, monkeypatch):
    wanted = recipe(shard=2, deals=20_000)
    here, there = tmp_path / "here.parquet", tmp_path / "there.parquet"
    making.build(wanted, here)
    keep, killed = Unfinished.keep, []
    with cluster(2) as workers:

        def kill_one(self, recipe, shard, rows):
            if len(self.shards()) == 3 and not killed:
                process = next(iter(workers.workers.values())).process.process
                os.kill(process.pid, signal.SIGKILL)
                killed.append(process.pid)
            keep(self, recipe, shard, rows)

        monkeypatch.setattr(Unfinished, "keep", kill_one)
        making.build(wanted, there, scheduler=workers.scheduler_address)
    assert killed
    assert there.read_bytes() == here.read_bytes()


@pytest.mark.slow
@slow_without_compiling
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_with_another_version_or_without_workers_is_refused(tmp_path, monkeypatch):
    from pitchsim.book import cluster as room

    with cluster(1) as workers:
        other = replace(recipe(), sources="0" * 16)
        with pytest.raises(RunError, match="another version of pitchsim"):
            making.build(other, tmp_path / "other.parquet", scheduler=workers.scheduler_address)
        monkeypatch.setattr(room, "PATIENCE", 1.0)
        workers.scale(0)
        time.sleep(2)
        with pytest.raises(RunError, match="has no workers"):
            making.build(recipe(), tmp_path / "none.parquet", scheduler=workers.scheduler_address)
        assert not list(tmp_path.glob("none*"))


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_does_not_answer_is_told_in_seconds(tmp_path, monkeypatch):
    from pitchsim.book import cluster as room

    monkeypatch.setattr(room, "PATIENCE", 0.5)
    begun = time.monotonic()
    result = run(f"book build --every {EVERY} --scheduler tcp://127.0.0.1:9 --book {tmp_path}/book.parquet")
    assert result.exit_code == 1
    assert result.stderr == "Error: no scheduler answers at tcp://127.0.0.1:9; is it running there?\n"
    assert time.monotonic() - begun < 10
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("address", ["", "here", "tcp://", "tcp://host", "tcp://host:0", "tcp://host:99999", "a b:1"])
def test_an_address_that_is_none_is_told(address, tmp_path):
    result = run(f"book build --scheduler {address!r} --book {tmp_path}/book.parquet")
    assert result.exit_code == 2
    assert "is not the address of a scheduler; give one as in tcp://host:8786" in result.stderr
    assert not any(tmp_path.iterdir())


def test_a_cluster_without_its_library_is_told(tmp_path, monkeypatch):
    from pitchsim.book import cluster as room

    monkeypatch.setattr(room, "find_spec", lambda name: None)
    result = run(f"book build --scheduler tcp://host:8786 --book {tmp_path}/book.parquet")
    assert (result.exit_code, "install pitchsim[cluster]" in result.stderr) == (2, True)


# What goes wrong --------------------------------------------------------------------------------------


def one_byte_wrong(path):
    """The bytes of a file, the last one of its first page changed."""
    import pyarrow.parquet as pq

    whole, column = path.read_bytes(), pq.read_metadata(path).row_group(0).column(0)
    last = column.data_page_offset + column.total_compressed_size - 1
    return whole[:last] + bytes([whole[last] ^ 1]) + whole[last + 1 :]


@pytest.mark.parametrize("harm", ["a byte", "cut short", "empty", "not parquet"])
def test_a_damaged_shard_is_set_aside_and_made_anew(tiny, begun, harm):
    place = Unfinished(begun).place(0)
    whole = place.read_bytes()
    half = len(whole) // 2
    place.write_bytes(
        {
            "a byte": one_byte_wrong(place),
            "cut short": whole[:half],
            "empty": b"",
            "not parquet": b"something else",
        }[harm]
    )
    answer = making.build(recipe(), begun)
    assert answer.notices == ["shard-00000.parquet was damaged, so it is set aside and made anew"]
    assert begun.read_bytes() == tiny.read_bytes()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"seed": 2}, "the seed is 2 there and 1 here"),
        ({"version": "0.0.9"}, "the version of pitchsim is 0.0.9 there and"),
        ({"sources": "f" * 16}, "it is by another state of the program"),
        ({"rules": Rules(low_goes_to="holder")}, "it is for --low holder there and winner here"),
        ({"rules": Rules(smudge=True)}, "it is for --smudge there and --no-smudge here"),
        ({"rules": Rules(players=5)}, "it is for --players 5 there and 4 here"),
        ({"deals": 65}, "the deals is 65 there and"),
        ({"every": 7}, "the --every is 7 there and"),
    ],
)
def test_another_book_at_the_same_place_is_refused_and_left_alone(begun, changes, why):
    other = replace(recipe(), **changes)
    run_file = Unfinished(begun).folder / "run.json"
    ours = run_file.read_text()
    for foreign in ("run", "shard", "book"):
        run_file.write_text(ours)
        if foreign == "run":
            run_file.write_text(json.dumps(other.to_dict()))
        elif foreign == "shard":
            rows = shards.make_shard(recipe(), 1)
            pages.write_rows(Unfinished(begun).place(1), rows, {"recipe": other.to_dict(), "shard": 1})
        else:
            pages.write_rows(begun, [shards.row_of(recipe(), 0)], {"recipe": other.to_dict()})
        before = contents(begun.parent)
        with pytest.raises(InputError, match=re.escape(why)):
            making.build(recipe(), begun)
        assert contents(begun.parent) == before


def test_a_shard_under_anothers_name_is_set_aside_and_made_anew(tiny, begun):
    unfinished = Unfinished(begun)
    unfinished.place(3).write_bytes(unfinished.place(2).read_bytes())
    unfinished.place(0).rename(unfinished.place(9))
    assert making.build(recipe(), begun).notices == [
        f"shard-0000{shard}.parquet was another shard under this name, so it is set aside and made anew"
        for shard in (3, 9)
    ]
    assert begun.read_bytes() == tiny.read_bytes()


def test_status_counts_only_shards_that_can_be_used(begun):
    unfinished = Unfinished(begun)
    sound = unfinished.place(2).read_bytes()
    unfinished.place(0).write_bytes(b"")
    unfinished.place(1).write_bytes(sound[:-20])
    unfinished.place(3).write_bytes(sound)
    (unfinished.folder / "shard-7.parquet").write_bytes(sound)
    answer = pitchsim.book_status(begun).to_dict()
    assert (answer["shards_done"], answer["classes_done"], answer["bytes"]) == (1, 5, len(sound))
    with pytest.raises(InputError, match=f"is not finished, 1 of {recipe().shards} shards are there"):
        pitchsim.look_up(HAND, begun)
    assert making.build(recipe(), begun).finished


@pytest.mark.parametrize("changes", [{"seed": 2}, {"shard": 7}, {"sources": "f" * 16}])
def test_a_folder_without_a_single_shard_refuses_no_book(tiny, tmp_path, changes):
    path = tmp_path / "book.parquet"
    Unfinished(path).begin(replace(recipe(), **changes))
    making.build(recipe(), path)
    assert path.read_bytes() == tiny.read_bytes()


def test_two_books_begun_at_once_at_one_place_are_never_mixed(tmp_path):
    first, second = Unfinished(tmp_path / "book.parquet"), Unfinished(tmp_path / "book.parquet")
    rows = shards.make_shard(recipe(), 0)
    first.begin(recipe())
    second.begin(recipe(seed=2))
    with pytest.raises(RunError, match="meanwhile: the seed is 2 there and 1 here"):
        first.keep(recipe(), 0, rows)
    pages.write_rows(second.place(0), rows, {"recipe": recipe().to_dict(), "shard": 0})
    with pytest.raises(InputError, match="belongs to another book: the seed is 1 there and 2 here"):
        second.bind(recipe(seed=2))


def test_a_folder_that_is_none_of_ours_is_left_alone(tmp_path):
    folder = tmp_path / "mine.parquet.part"
    folder.mkdir()
    (folder / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="is not what pitchsim book build leaves"):
        making.build(recipe(), tmp_path / "mine.parquet")
    assert [path.name for path in folder.iterdir()] == ["letter.txt"]
    (folder / "run.json").write_text("{")
    with pytest.raises(InputError, match="is of no use here"):
        making.build(recipe(), tmp_path / "mine.parquet")


def test_a_finished_book_leaves_what_is_not_its_own(tiny, begun):
    (Unfinished(begun).folder / "letter.txt").write_text("dear")
    making.build(recipe(), begun)
    assert [path.name for path in Unfinished(begun).folder.iterdir()] == ["letter.txt"]
    assert begun.read_bytes() == tiny.read_bytes()


def test_a_full_disk_is_one_sentence_and_keeps_the_shards(tiny, begun, monkeypatch):
    before = Unfinished(begun).shards()
    replace_file, count = os.replace, [0]

    def full(source, target):
        count[0] += 1
        if count[0] > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        replace_file(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(storage.os, "replace", full)
        with pytest.raises(RunError, match=r"^cannot write .*shard-\d+\.parquet: No space left on device$"):
            making.build(recipe(), begun)
    assert len(Unfinished(begun).shards()) == min(len(before) + 1, recipe().shards)
    making.build(recipe(), begun)
    assert begun.read_bytes() == tiny.read_bytes()


@pytest.mark.parametrize("most", [1000, 9000])
def test_a_disk_that_takes_no_more_bytes_is_one_sentence(tiny, tmp_path, most):
    """The first limit stops the first shard, the second (where a shard still fits) the whole book."""
    path = tmp_path / "large.parquet"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        with pytest.raises(RunError, match=r"^cannot write .*: File too large$"):
            making.build(recipe(), path, threads=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not path.exists()
    making.build(recipe(), path)
    assert path.read_bytes() == tiny.read_bytes()


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch):
    def refused(self, *args, **how):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refused)
    result = run(f"book build --every 300_000 --deals 2 --book {tmp_path}/book.parquet")
    assert result.exit_code == 1
    assert result.stderr == f"Error: cannot write {tmp_path}/book.parquet.part: Read-only file system\n"
    monkeypatch.setenv("PITCHSIM_CACHE", str(tmp_path / "cache"))
    result = run("book build --every 300_000 --deals 2")
    assert result.exit_code == 1
    assert result.stderr == f"Error: cannot write {tmp_path}/cache/hand-books: Read-only file system\n"


def test_a_damaged_book_is_told(tiny, tmp_path):
    path = tmp_path / "book.parquet"
    path.write_bytes(one_byte_wrong(tiny))
    result = run(f"book verify --book {path}")
    assert result.exit_code == 1
    assert re.fullmatch(r"Error: .* is damaged; remove it, and build it anew\n", result.stderr)


@pytest.mark.parametrize("wrong", ["cut short", "text", "empty"])
@pytest.mark.parametrize("command", ["status", "verify", f"show {HAND}", "build", "advise"])
def test_what_may_never_have_been_a_book_is_neither_removed_nor_told_to_be(tiny, tmp_path, command, wrong):
    path = tmp_path / "letter.parquet"
    path.write_bytes({"cut short": tiny.read_bytes()[:-10], "text": b"Dear Ann,\n", "empty": b""}[wrong])
    before = contents(tmp_path)
    result = run(f"{f'advise {HAND}' if command == 'advise' else f'book {command}'} --book {path}")
    assert result.exit_code == 1
    assert result.stderr == f"Error: {quoted(path)} is damaged, or no book at all; give another --book\n"
    assert contents(tmp_path) == before


def flipped(whole, luck):
    """The same bytes with one bit the other way round."""
    place = luck.randrange(len(whole))
    return whole[:place] + bytes([whole[place] ^ 1 << luck.randrange(8)]) + whole[place + 1 :]


def test_no_wrong_bit_anywhere_changes_a_figure(tiny, tmp_path):
    """Some bits tell nothing that is ever used (a bound in the head of a page); all others are noticed."""
    path, whole, rows, luck, noticed = tmp_path / "book.parquet", tiny.read_bytes(), rows_of(tiny), random.Random(1), 0
    for _ in range(200):
        path.write_bytes(flipped(whole, luck))
        try:
            with Book(path) as book:
                assert book.sample(10**6, 1) == rows or book.recipe.difference_of_book(recipe())
        except (InputError, RunError):
            noticed += 1
    assert noticed > 100


def test_no_wrong_bit_in_a_shard_changes_the_book(tiny, begun):
    unfinished, luck = Unfinished(begun), random.Random(2)
    whole = unfinished.place(0).read_bytes()
    for _ in range(10 if PLAIN else 100):
        unfinished.place(0).write_bytes(flipped(whole, luck))
        try:
            if 0 in unfinished.begin(recipe()):
                unfinished.keep(recipe(), 0, shards.make_shard(recipe(), 0))
        except InputError:  # The bit was in the recipe: a shard of another book, and it is told.
            unfinished.place(0).write_bytes(whole)
        assert unfinished.begin(recipe())[0] > 0
        with Pages(unfinished.place(0)) as opened:
            assert opened.table().to_pylist() == rows_of(tiny)[:5]


def test_a_file_that_is_no_book_is_told(tmp_path):
    pitchsim.simulate(deals=10, play="random").write(tmp_path / "run.parquet")
    for command in ("status", "verify", f"show {HAND}", "build"):
        before = contents(tmp_path)
        result = run(f"book {command} --book {tmp_path}/run.parquet")
        assert (result.exit_code, contents(tmp_path)) == (2, before), command
        assert "is not a book that pitchsim book build has made" in result.stderr


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("book status --book none.parquet", "there is no book 'none.parquet'; pitchsim book build makes one"),
        ("book verify --book none.parquet", "there is no book"),
        (f"book show {HAND} --book none.parquet", "there is no book"),
        (f"advise {HAND} --book none.parquet", "there is no book"),
        ("book show AS KS --book none.parquet", "2 cards given"),
        ("book status --book none.csv", "'none.csv' is not the name of a book; give a .parquet file"),
        ("book build --book nowhere/none.parquet", "there is no folder 'nowhere'"),
        ("book build --every 0", "'0' is not one in so many"),
        ("book build --every 1e3", "'1e3' is not one in so many"),
        ("book build --shard 0", "'0' is not a size of shards"),
        ("book build --precision 1e-5 --book b.parquet", "finer than anybody can wait for"),
        ("book build --deals 2e9 --book b.parquet", "2000000000 deals a hand are more than anybody can wait for"),
        ("book build --deals 10 --precision .1 --book b.parquet", "both say how long each hand is played"),
        ("book build --play expert,greedy --book b.parquet", "2 play policies given"),
        ("book build --play no-such --book b.parquet", "there is no play policy"),
        ("book verify --sample 0", "'0' is not a number of hands"),
        ("book nothing", "there is no command 'nothing'"),
    ],
)
def test_bad_input_is_one_sentence(line, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PITCHSIM_CACHE", str(tmp_path))
    result = run(line)
    assert result.exit_code == 2, result.output
    assert why in result.stderr
    assert not any(tmp_path.iterdir())


def test_a_book_without_pyarrow_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for line in ("book status", f"advise {HAND}"):
        result = run(f"{line} --book {tmp_path}/book.parquet")
        assert (result.exit_code, "install pitchsim[parquet]" in result.stderr) == (2, True)


def test_a_policy_of_ones_own_makes_no_book(tmp_path):
    (tmp_path / "mine.py").write_text("def mine(view):\n    return view.legal\n")
    with pytest.raises(InputError, match="a book is played by a policy that comes with the program"):
        recipe(play=f"{tmp_path}/mine.py:mine")


# Status, show, verify, the dry run ----------------------------------------------------------------------


def test_status_tells_how_far_a_book_is(tiny, begun):
    result = json.loads(run(f"book status --book {tiny} --format json").stdout)
    assert result["finished"] is True
    assert (result["classes"], result["classes_done"]) == (len(recipe().classes),) * 2
    assert (result["shards"], result["shards_done"]) == (None, None)
    assert result["recipe"] == recipe().of_book()
    result = json.loads(run(f"book status --book {begun} --format json").stdout)
    assert result["finished"] is False
    assert result["shards_done"] == len(Unfinished(begun).shards())
    assert result["classes_done"] == 5 * result["shards_done"]
    assert result["bytes"] > 0
    said = run(f"book status --book {begun}").stdout
    assert re.search(r"\d+\.\d% done, \d+ of \d+ classes of hands", said)
    assert "shards are there; pitchsim book build goes on." in said


@slow_without_compiling
def test_status_tells_the_time_that_is_left_whatever_pauses_there_were(begun):
    unfinished = Unfinished(begun)
    for shard, moment in enumerate((1000, 1010, 1020, 90_000)):
        os.utime(unfinished.place(shard), (moment, moment))
    answer = pitchsim.book_status(begun)
    assert answer.seconds_left == 10 * (recipe().shards - 4)
    assert "At the pace so far 60 seconds are left." in answer.to_text()


def test_a_book_that_is_not_finished_answers_nothing_yet(begun):
    done = len(Unfinished(begun).shards())
    result = run(f"book show {HAND} --book {begun}")
    assert result.exit_code == 2
    assert f"is not finished, {done} of {recipe().shards} shards are there" in result.stderr


def test_show_answers_every_renaming_in_its_own_suits(tiny):
    cards = parse_hand(HAND)
    told = {}
    for order in permutations(range(4)):
        hand = [Card(card.rank, order[card.suit]) for card in cards]
        answer = pitchsim.look_up(hand, tiny)
        lead = parse_hand(answer.lead)[0]
        assert lead in hand
        assert answer.trump == SUITS[lead.suit]
        assert parse_hand(answer.next_lead)[0] in hand
        back = Card(lead.rank, order.index(lead.suit))
        figures = {name: value for name, value in answer.to_dict().items() if isinstance(value, float)}
        told[order] = (back, answer.entry.row["class"], figures)
    assert len({repr(value) for value in told.values()}) == 1
    assert next(iter(told.values()))[1] == 700_000


def test_show_tells_the_calls_that_the_bidder_makes(tiny):
    result = run(f"book show {HAND} --book {tiny} --bidding casual --format json")
    answer = json.loads(result.stdout)
    assert answer["bidding"] == "casual"
    assert answer["book"] == str(tiny)
    served = run("serve --bidding casual", input="".join(
        f"bid n=4 seat={(call['seat']) % 4} dealer=0 hand={','.join(HAND.split())} said={said_before(call)}\n"
        for call in answer["calls"]
    )).stdout.split()  # fmt: skip
    assert [int(word) for word in served if word != "bid"] == [
        0 if call["call"] == "pass" else int(call["call"]) for call in answer["calls"]
    ]


def said_before(call):
    """The calls before a cell of the grid: the highest bid by the seat just before, the rest passed."""
    passes = [0] * (call["seat"] - 1)
    return ",".join(map(str, [*passes[:-1], call["highest"]] if call["highest"] else passes))


def test_show_as_text_names_card_and_calls(tiny):
    said = run(f"book show {ELSEWHERE} --book {tiny}").stdout
    assert re.match(r"Pitch the \w+ of \w+: \d\.\d\d points\. The next best card, the \w+ of \w+, is ", said)
    assert "What equilibrium calls in each seat" in said
    assert f"From the book {tiny}, class 700,000 (24 hands)." in said
    assert run(f"book show {ELSEWHERE} --book {tiny} --format csv").stdout.startswith("kind,hand,class,size,")


def test_a_hand_that_is_not_in_the_book_is_told(tiny):
    result = run(f"book show AS KS 4S JD 10C 2H --book {tiny}")
    assert result.exit_code == 2
    assert f"has only one class in {EVERY:,}; pitchsim advise without --book answers it" in result.stderr


def test_rules_that_are_not_the_books_are_told(tiny):
    for line in ANSWERING:
        result = run(f"{line} --book {tiny} --low holder")
        assert result.exit_code == 2
        assert f"{quoted(tiny)} is a book for --low winner, not holder; give that, or another book" in result.stderr
        assert run(f"{line} --book {tiny} --target 11").exit_code == 0  # The target changes nothing in one deal.


ANSWERING = ("book status", "book verify --sample 1", f"book show {HAND}", f"advise {HAND}")


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    """A book for five players who do not steal."""
    path = tmp_path_factory.mktemp("books") / "five.parquet"
    making.build(recipe(rules=Rules(players=5, dealer_may_steal=False), deals=2, every=100_000), path)
    return path


@pytest.mark.parametrize("line", ANSWERING)
def test_a_book_is_asked_by_its_own_rules_or_by_none(line, five, tmp_path, monkeypatch):
    asked = f"{line} --book {five} --format json"
    told = run(asked)
    assert told.exit_code == 0, told.stderr
    answer = json.loads(told.stdout)
    assert answer.get("recipe", answer)["rules"] == Rules(players=5, dealer_may_steal=False).to_dict()
    assert run(f"{asked} -n 5 --steal never").stdout == told.stdout
    for rules, why in (
        ("-n 4", "--players 5, not 4"),
        ("-n 5", "--steal never, not up-to-3"),
        ("-n 5 --steal never --lowest-bid 2", "--lowest-bid 1, not 2"),
    ):
        result = run(f"{asked} {rules}")
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{quoted(five)} is a book for {why}; give that, or another book" in result.stderr
    house = tmp_path / "house.toml"
    house.write_text('players = 5\nsteal = "any"\n')
    for result in (run(f"{asked} --house {house}"), run(asked, env={"PITCHSIM_HOUSE": str(house)})):
        assert result.exit_code == 2
        assert "is a book for --steal never, not any;" in result.stderr


def test_a_book_that_is_not_finished_has_rules_too(begun):
    assert run(f"book status --book {begun}").exit_code == 0
    result = run(f"book status --book {begun} --lowest-bid 2")
    assert result.exit_code == 2
    assert "is a book for --lowest-bid 1, not 2; give that, or another book" in result.stderr


def test_python_asks_a_book_by_its_own_rules_or_by_none(five):
    for ask in (
        pitchsim.book_status, lambda *book, **rules: pitchsim.look_up(HAND, *book, **rules), pitchsim.verify_book,
        lambda book, **rules: pitchsim.advise(HAND, book=book, **rules),
    ):  # fmt: skip
        assert ask(five).to_dict() == ask(five, players=5, dealer_may_steal=False).to_dict()
        for other in ({"rules": Rules()}, {"players": 5}, {"lowest_bid": 2}):
            with pytest.raises(InputError, match="is a book for --"):
                ask(five, **other)


def test_verify_plays_hands_anew(tiny):
    result = run(f"book verify --book {tiny} --sample 3 --seed 2 -j 2 --format json")
    answer = json.loads(result.stdout)
    assert (answer["sample"], answer["seed"], answer["same"], answer["exact"]) == (3, 2, True, True)
    assert answer["hands"] != json.loads(run(f"book verify --book {tiny} --sample 3 --seed 3 -f json").stdout)["hands"]
    said = run(f"book verify --book {tiny}").stdout
    assert f"{min(20, len(recipe().classes))} hands, played anew, come out the same to the last bit" in said


def rewritten(tiny, path, change, **how):
    """The same book with other figures."""
    rows = rows_of(tiny)
    for row in rows:
        change(row)
    pages.write_rows(path, rows, {"recipe": replace(recipe(), **how).to_dict()})


def test_verify_finds_the_smallest_difference(tiny, tmp_path):
    path = tmp_path / "other.parquet"
    rewritten(tiny, path, lambda row: row.update(p2=float(np.nextafter(row["p2"], 2))))
    result = run(f"book verify --book {path}")
    assert result.exit_code == 1
    count = min(20, len(recipe().classes))
    assert f"Error: {count} of {count} hands in " in result.stderr
    assert re.search(
        r"do not come out as they stand there, first \S+: p2 is [\d.]+ there and [\d.]+ now", result.stderr
    )


@slow_without_compiling  # Two deals tell nothing apart.
def test_verify_compares_a_book_by_another_version_within_errors(tiny, tmp_path):
    path = tmp_path / "other.parquet"
    rewritten(tiny, path, lambda row: row.update(points=row["points"] + 0.01), sources="0" * 16, version="0.0.9")
    said = run(f"book verify --book {path}").stdout
    assert "come out the same within standard errors" in said
    assert "another state of the program (pitchsim 0.0.9)" in said
    rewritten(tiny, path, lambda row: row.update(points=row["points"] + 3), sources="0" * 16)
    result = run(f"book verify --book {path}")
    assert (result.exit_code, "points is" in result.stderr) == (1, True)


def test_verify_misses_no_hand(tiny, tmp_path):
    path = tmp_path / "short.parquet"
    pages.write_rows(path, rows_of(tiny)[:-1], {"recipe": recipe().to_dict()})
    with pytest.raises(RunError, match="has not the hands that it should have"):
        pitchsim.verify_book(path)


@slow_without_compiling
def test_the_dry_run_tells_the_hours_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("PITCHSIM_CACHE", str(tmp_path))
    result = run("book build --dry-run --precision .1 --every 10 -j 3 --format json")
    answer = json.loads(result.stdout)
    assert (answer["classes"], answer["shards"], answer["cores"]) == (96_299, 95, 3)
    assert answer["cpu_hours"] == pytest.approx(answer["seconds_per_class"] * 96_299 / 3600)
    assert answer["wall_hours"] == pytest.approx(answer["cpu_hours"] / 3)
    assert answer["measured"] >= 6
    assert not any(tmp_path.iterdir())
    assert "96,299 classes of hands cost" in run("book build --dry-run --precision .1 --every 10").stdout


def test_the_options_of_build_are_the_recipe(tmp_path):
    line = (
        "book build --every 300_000 --shard 2 --deals 3 --seed 9 --play greedy -j 2 -n 5 --low holder --steal never "
        f"--format json -o {tmp_path}/five.parquet"
    )
    told = json.loads(run(line).stdout)
    assert told["finished"] is True
    made = told["recipe"]
    rules = Rules(players=5, low_goes_to="holder", dealer_may_steal=False)
    assert made == recipe_of(rules, "greedy", None, 3, 9, 300_000, 2).of_book()
    assert made["sources"] == sources()
    assert [row["deals"] for row in rows_of(tmp_path / "five.parquet")] == [3] * 4


@slow_without_compiling
def test_a_precision_is_kept(tmp_path):
    run(f"book build --every 300_000 --precision .1 --book {tmp_path}/b.parquet")
    rows = rows_of(tmp_path / "b.parquet")
    assert len(rows) == 4
    assert all(row["points_se"] < 0.1 for row in rows)


def test_without_a_name_there_is_one_book_for_each_house(tmp_path, monkeypatch):
    monkeypatch.setenv("PITCHSIM_CACHE", str(tmp_path))
    assert run("book build --every 300_000 --deals 2 --play greedy").exit_code == 0
    assert run("book build --every 300_000 --deals 2 --play greedy -n 5 --lowest-bid 2").exit_code == 0
    names = {path.name for path in (tmp_path / "hand-books").iterdir()}
    assert names == {"4.parquet", "5-lowest-bid-2.parquet"}
    assert usual_place(Rules(players=5, lowest_bid=2, target=21)).name == "5-lowest-bid-2.parquet"
    assert json.loads(run("book status -n 5 --lowest-bid 2 --format json").stdout)["recipe"]["rules"]["players"] == 5


def test_the_cache_lists_books_and_never_clears_them(tmp_path, monkeypatch):
    monkeypatch.setenv("PITCHSIM_CACHE", str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    run("book build --every 300_000 --deals 2 --play greedy")
    (tmp_path / f"equilibrium-{0:016x}").mkdir()
    said = run("cache").stdout
    assert "books of hands" in said
    assert "pitchsim cache --clear removes it all but the books" in said
    assert "equilibrium" in run("cache --clear").stdout
    assert [path.name for path in tmp_path.iterdir()] == ["hand-books"]


# Packed, and shipped -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tiny, tmp_path_factory):
    """The tiny book, packed."""
    path = tmp_path_factory.mktemp("packed") / "tiny.npz"
    answer = pitchsim.pack_book(tiny, path)
    assert (answer.path, answer.finished, answer.recipe) == (path, True, making.status(tiny).recipe)
    return path


def test_a_byte_is_finer_than_the_error_of_what_it_tells():
    """Half a step, beside the standard error of 20,000 deals; .01 points never takes more."""
    chances = np.linspace(0, 1, 10_001)[1:-1]
    codes = packed._angles(chances).astype(int)
    assert np.all(abs(packed.CHANCES[codes] - chances) < np.sqrt(chances * (1 - chances) / 20_000) + 2e-5)
    assert (packed.CHANCES[0], packed.CHANCES[255]) == (0.0, 1.0)
    assert packed._angles([0.0, 1.0]).tolist() == [0, 255]


def close(row, old, points=0.03):
    """Whether a row of a packed book says what the book says, but for the rounding."""
    same = all(row[name] == old[name] for name in ("class", "hand", "size", "trump", "lead", "next_lead"))
    chances = ("high", "low", "jack", "game", "p1", "p2", "p3", "p4")
    steps = [abs(np.arcsin(np.sqrt(row[name])) - np.arcsin(np.sqrt(old[name]))) for name in chances]
    near = all(abs(row[name] - old[name]) < points for name in ("points", "ev1", "ev2", "ev3", "ev4"))
    behind = abs(row["behind"] - max(old["behind"], 0)) < 0.016
    return same and near and behind and max(steps) < np.pi / 4 / 255 + 1e-9


def test_a_packed_book_says_what_the_book_says_but_for_the_rounding(tiny, small):
    with open_book(small) as book:
        assert isinstance(book, PackedBook)
        assert [row["class"] for row in rows_of(tiny)] == list(book.recipe.classes)
        for old in rows_of(tiny):
            row = book.row(old["class"])
            assert list(row) == list(old)
            assert row["deals"] == old["deals"]
            assert close(row, old), (row, old)
            assert row["points_se"] == pytest.approx(old["points_se"], abs=0.02)
        assert book.row(1) is None
        assert book.as_kept(rows_of(tiny)) == [book.row(number) for number in book.recipe.classes]


@slow_without_compiling
def test_deals_and_errors_are_worked_out_again(tmp_path):
    making.build(recipe(deals=None, precision=0.01, every=50_000), tmp_path / "fine.parquet")
    pitchsim.pack_book(tmp_path / "fine.parquet")
    with open_book(tmp_path / "fine.npz") as book:
        for old in rows_of(tmp_path / "fine.parquet"):
            row = book.row(old["class"])
            assert close(row, old, 0.02)
            assert row["deals"] == pytest.approx(old["deals"], rel=0.2)
            assert row["points_se"] == pytest.approx(old["points_se"], abs=0.0015)


@slow_without_compiling
def test_all_six_tricks_are_packed_where_the_house_smudges(tmp_path):
    number = int(class_of(cards_to_set(parse_hand("AKQJT9..."))))
    path = tmp_path / "smudge.parquet"
    making.build(recipe(rules=Rules(smudge=True), every=number), path)
    pitchsim.pack_book(path)
    with open_book(tmp_path / "smudge.npz") as book:
        assert all(close(book.row(old["class"]), old) for old in rows_of(path))
        assert book.row(number)["ev4"] == 5.0


def test_a_packed_book_is_found_block_by_block(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "BLOCK", 7)
    pitchsim.pack_book(tiny, tmp_path / "blocks.npz")
    with np.load(tmp_path / "blocks.npz") as file:
        assert len(file.files) == 1 + -(-len(recipe().classes) // 7)
    with open_book(tmp_path / "blocks.npz") as book:
        assert all(close(book.row(old["class"]), old) for old in rows_of(tiny))
        assert len(book.sample(1000, 1)) == len(recipe().classes)


@pytest.mark.parametrize("line", ["status", "verify --sample 3", f"show {ELSEWHERE}", "advise"])
def test_a_packed_book_answers_as_any_book(small, line):
    line = f"advise {ELSEWHERE}" if line == "advise" else f"book {line}"
    answer = json.loads(run(f"{line} --book {small} --format json").stdout)
    assert answer["book"] == str(small)
    said = run(f"{line} --book {small}")
    assert (said.exit_code, "tiny.npz" in said.stdout) == (0, True)


def test_verify_finds_the_smallest_difference_of_a_packed_book(tiny, tmp_path):
    path = tmp_path / "other.npz"
    figures = {name: [row[name] for row in rows_of(tiny)] for name in COLUMNS}
    figures["p2"] = [packed.CHANCES[max(int(packed._angles(chance)) - 1, 0)] for chance in figures["p2"]]
    packed.write(path, recipe(), figures)
    result = run(f"book verify --book {path}")
    assert (result.exit_code, "do not come out as they stand there" in result.stderr) == (1, True)


@slow_without_compiling
def test_one_packed_book_serves_all_who_differ_in_the_calls_alone(small):
    usual = json.loads(run(f"advise {ELSEWHERE} --book {small} --seat 2 --format json").stdout)
    other = run(f"advise {ELSEWHERE} --book {small} --seat 2 --lowest-bid 2 --steal never --format json")
    told = json.loads(other.stdout)
    assert told["leads"] == usual["leads"]
    assert [row["call"] for row in told["calls"]] == ["pass", "2", "3", "4"]
    assert (told["rules"]["lowest_bid"], told["rules"]["dealer_may_steal"]) == (2, False)
    assert "4 players, lowest bid 2;" in run(f"book show {ELSEWHERE} --book {small} --lowest-bid 2").stdout
    first = recipe(rules=Rules(lowest_bid=2, dealer_may_steal=False, stuck_dealer="throw_in_next"))
    assert shards.row_of(first, 700_000) == shards.row_of(recipe(), 700_000)
    for option, why in (("-n 5", "--players 4, not 5"), ("--low holder", "--low winner, not holder")):
        result = run(f"advise {ELSEWHERE} --book {small} {option}")
        assert (result.exit_code, f"is a book for {why}; give that, or another book" in result.stderr) == (2, True)


def test_a_damaged_packed_book_is_told(small, tmp_path):
    whole, luck, path, noticed = small.read_bytes(), random.Random(4), tmp_path / "book.npz", 0
    with open_book(small) as book:
        rows = book.sample(1000, 1)
    for _ in range(100):
        path.write_bytes(flipped(whole, luck))
        try:
            with open_book(path) as book:
                assert book.sample(1000, 1) == rows
        except RunError:
            noticed += 1
    assert noticed > 50
    for wrong in (b"", b"Dear Ann", whole[:-10]):
        path.write_bytes(wrong)
        result = run(f"advise {HAND} --book {path}")
        assert (result.exit_code, "is damaged, or no book at all" in result.stderr) == (1, True)
    np.savez(path, something=[1])
    assert run(f"book status --book {path}").exit_code == 1
    np.savez(path, head=np.frombuffer(b'{"recipe": {"rules": 4}}', np.uint8))
    result = run(f"book status --book {path}")
    assert (result.exit_code, "is of no use here" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("status --book none.npz", "there is no book 'none.npz'; pitchsim book pack makes one from a finished book"),
        ("pack --book none.parquet", "there is no book 'none.parquet'; pitchsim book build makes one"),
        ("pack --book none.npz", "'none.npz' is not the name of a book; give a .parquet file"),
        ("pack --book none.parquet -o none.parquet", "'none.parquet' is not the name of a book; give a .npz file"),
        ("pack --book none.parquet -o nowhere/none.npz", "there is no folder 'nowhere'"),
        ("build --book none.npz", "'none.npz' is not the name of a book; give a .parquet file"),
    ],
)
def test_packing_what_cannot_be_packed_is_one_sentence(line, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(f"book {line}")
    assert (result.exit_code, why in result.stderr) == (2, True), result.stderr
    assert not any(tmp_path.iterdir())


def test_the_book_that_comes_with_the_program_is_whole_and_small():
    place = shelf.shipped_place(Rules())
    assert place.stat().st_size < 12e6
    with open_book(place) as book:
        made = book.recipe
        assert (made.rules, made.play, made.precision, made.deals, made.every) == (Rules(), "expert", 0.01, None, 1)
        assert len(book.sample(5, 1)) == 5  # Every block is sound, and no class is missing.


@slow_without_compiling
@pytest.mark.parametrize("count", [20, pytest.param(2000, marks=pytest.mark.slow)])
def test_the_book_that_comes_with_the_program_comes_out_the_same(count):
    """Played anew each hand brings what stands there, rounded; within errors only, after an edit of the engine."""
    assert pitchsim.verify_book("shipped", sample=count, seed=count).to_dict()["same"]


def test_the_shipped_book_needs_neither_pyarrow_nor_pandas_nor_a_compiler():
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from pitchsim.book import shelf\nfrom pitchsim.cards import parse_hand\nfrom pitchsim.rules import Rules\n"
        f"print(shelf.open_book(shelf.shipped_place(Rules())).entry(parse_hand({HAND!r})).lead)\n"
        "print([name for name in ('numba', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lead, loaded = done.stdout.splitlines()
    assert lead in HAND.split()
    assert loaded == "[]"


@pytest.fixture
def shop(small, tmp_path, monkeypatch):
    """A program that ships the tiny book, and an empty cache."""
    books = tmp_path / "books"
    books.mkdir()
    (books / "4.npz").write_bytes(small.read_bytes())
    monkeypatch.setattr(shelf, "SHIPPED_BOOKS", books)
    monkeypatch.setenv("PITCHSIM_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize("option", ["--book", "--book shipped"])
def test_a_book_that_nobody_names_is_the_shipped_one(shop, option):
    answer = json.loads(run(f"advise {ELSEWHERE} --format json {option}").stdout)
    assert (answer["book"], answer["seed"], answer["version"]) == ("shipped", 1, pitchsim.__version__)
    assert answer["precision"] == recipe().precision
    said = run(f"advise {ELSEWHERE} {option}").stdout
    assert "From the book that comes with pitchsim, class 700,000 (24 hands). 4 players, rules of the book" in said
    assert f"seed 1, play {recipe().play}, pitchsim {pitchsim.__version__}." in said
    assert "Each figure is rounded to a byte" in said
    assert pitchsim.advise(ELSEWHERE, book=True).to_dict() == pitchsim.advise(ELSEWHERE, book="shipped").to_dict()
    for command in ("status", "verify --sample 1", f"show {ELSEWHERE}"):
        assert json.loads(run(f"book {command} --format json").stdout)["book"] == "shipped"


def test_ones_own_book_comes_before_the_shipped_one(shop):
    own = usual_place(Rules(), make_room=True)
    making.build(recipe(every=100_000, deals=2), own)
    assert json.loads(run(f"advise {HAND} --book --format json").stdout)["book"] == str(own)
    assert json.loads(run(f"advise {HAND} --book shipped --format json").stdout)["book"] == "shipped"


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("-n 5 --lowest-bid 2", "--players 5"),
        ("--low holder", "--low holder"),
        ("--partners --smudge --target 11", "--partners --smudge"),
    ],
)
def test_what_no_shipped_book_can_answer_names_the_command_that_makes_one(shop, rules, options):
    for line in (f"advise {HAND} --book", f"book show {HAND}", f"book show {HAND} --book shipped"):
        result = run(f"{line} {rules}")
        assert result.exit_code == 2
        assert result.stderr.splitlines()[-1] == (
            f"Error: no book for {options} comes with pitchsim; pitchsim book build {options} makes one, "
            "and --book finds it"
        )


def test_another_player_than_the_books_names_the_command_that_makes_one(shop):
    result = run(f"advise {HAND} --play greedy --book")
    assert result.exit_code == 2
    assert "pitchsim book build --play NAME makes a book by another policy" in result.stderr


# Advice from a book -------------------------------------------------------------------------------------


@slow_without_compiling
def test_advice_from_a_book_has_the_keys_of_advice(tiny):
    line = f'advise {ELSEWHERE} --auction "pass 1" --format json'
    told = json.loads(run(f"{line} --book {tiny}").stdout)
    played = json.loads(run(f"{line} --deals 50 --play random").stdout)
    assert told["book"] == str(tiny)
    assert "book" not in played
    assert told["engine"] is None  # Nobody plays.
    assert set(played) - set(told) <= {"effective_deals", "looks", "leads_heard"}
    assert [list(row) for row in told["calls"]] == [list(row) for row in played["calls"]]
    assert list(told["leads"][0]) == list(played["leads"][0])
    assert list(told["recommended"]) == list(played["recommended"])


def test_advice_from_a_book_is_what_stands_there(tiny):
    advice = pitchsim.advise(ELSEWHERE, book=tiny, seat=2)
    entry = pitchsim.look_up(ELSEWHERE, tiny)
    calls = {row.call: row for row in advice.calls}
    assert calls["pass"].value is None
    for bid in "234":
        assert calls[bid].value == calls[bid].score_change == getattr(entry, f"ev{bid}")
        assert calls[bid].p_made == getattr(entry, f"p{bid}")
        assert calls[bid].se == ev_error(entry.entry.row, int(bid))
    made = next(call for call in entry.calls if (call.seat, call.highest) == (2, 0))
    assert advice.recommended.call == made.call
    assert advice.recommended.lead == (None if made.call == "pass" else str(entry.lead))
    assert advice.leads[0].lead == str(entry.lead)


def test_advice_from_a_book_has_the_grid_when_nothing_is_said(tiny):
    told = json.loads(run(f"advise {ELSEWHERE} --book {tiny} --format json").stdout)
    assert told["grid"] == json.loads(run(f"book show {ELSEWHERE} --book {tiny} --format json").stdout)["calls"]
    assert "grid" not in json.loads(run(f"advise {ELSEWHERE} --seat 1 --book {tiny} --format json").stdout)


def test_advice_from_a_book_minds_the_side_cards():
    surprised = run("advise AS KS 4S JD 10C 2H --book shipped").stdout
    assert "Bid 3 and pitch the ace" in surprised
    assert "as pitcher of a 3 this hand scores 0.75 less than its trumps do as a rule (+1.63)" in surprised
    assert "Mind the side cards" not in run("advise AS KS 4S 9D 8C 7D --book shipped").stdout
    assert "Mind the side cards" not in run("advise AS KS 4S JD 10C 2H --book shipped --bidding casual").stdout


def test_advice_from_a_book_where_only_a_pass_is_left():
    said = run("advise AS KS 4S JD 10C 2H --book shipped --auction 4 --steal any").stdout
    assert said.startswith("Pass.")
    assert "Mind the side cards" not in said


def test_advice_from_a_book_says_so(tiny):
    result = run(f"advise {ELSEWHERE} --book {tiny} --seat dealer --auction '1 pass 2' --scores '1 2 3 4'")
    assert f"From the book {tiny}, class 700,000" in result.stdout
    assert "No deal was played for this answer" in result.stdout
    assert "a book looks at one deal alone" in result.stderr
    assert re.match(r"(Pass\.|Bid \d (\(a steal\) )?and pitch the )", result.stdout)


@pytest.mark.parametrize(
    "option",
    ["--deals 10", "--precision .1", "--others greedy/casual", "--objective margin", "--play greedy", "--seed 2",
     "--error-chance 2%", "--engine scalar", "--chart c.png", "--bidding casual,passive"],
)  # fmt: skip
def test_options_that_a_book_cannot_heed_are_refused(tiny, option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(f"advise {HAND} --book {tiny} {option}")
    assert result.exit_code == 2
    name = option.split()[0].removeprefix("--").replace("-", "_")
    assert name in result.stderr.splitlines()[-1]


def test_the_error_of_a_score_change_is_that_of_the_tally():
    luck = np.random.default_rng(3)
    points = luck.choice(5, 5000, p=[0.1, 0.2, 0.3, 0.3, 0.1])
    row = {f"p{least}": float((points >= least).mean()) for least in range(1, 5)} | {"deals": len(points)}
    changed = {bid: np.where(points >= bid, points, -bid) for bid in range(1, 5)}
    row |= {f"ev{bid}": float(changes.mean()) for bid, changes in changed.items()}
    for bid, changes in changed.items():
        assert ev_error(row, bid) == pytest.approx(changes.std() / np.sqrt(len(points)))


def test_the_answers_show_themselves_in_every_form(tiny, begun, tmp_path):
    answers = [
        pitchsim.look_up(HAND, tiny), pitchsim.book_status(begun), pitchsim.verify_book(tiny, sample=1),
        pitchsim.advise(HAND, book=tiny),
    ]  # fmt: skip
    for answer in answers:
        for suffix in ("csv", "json", "md", "html", "parquet"):
            answer.write(tmp_path / f"answer.{suffix}")
        assert len(answer.to_frame()) >= 1
    with Book(tiny) as book:
        assert format_hand(book.entry(parse_hand(HAND)).hand) == format_hand(parse_hand(HAND))
