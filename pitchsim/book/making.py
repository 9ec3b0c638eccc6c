"""Making a book of hands, by the threads of this machine or the workers of a cluster; and playing some of it anew."""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from pitchsim.book import crew, packed
from pitchsim.book.answers import BookCheck, BookCost, BookStatus, status
from pitchsim.book.pages import FIGURES
from pitchsim.book.recipe import Recipe, sources
from pitchsim.book.shards import Rows, engine_for, make_shard, row_of, rows_of
from pitchsim.book.shelf import Book, ev_error, open_book
from pitchsim.book.unfinished import Unfinished
from pitchsim.cards import quoted
from pitchsim.errors import InputError, RunError
from pitchsim.question import LANES
from pitchsim.rules import Rules
from pitchsim.seating import threads_of
from pitchsim.simulation import progress_bar

MEASURED, LONGEST = 1024, 6.0
"""A dry run plays so many classes, or as many as it can in so many seconds."""
FEWEST = 6
CLEAR = 4.5
"""Standard errors beyond which a figure of another version is not the same; twenty hands have hundreds of figures."""

Row = dict[str, Any]
Maker = Callable[..., Generator[tuple[int, Rows]]]
"""Makes shards, and gives them in whatever order they are finished."""


class Stopped(Exception):
    """Somebody has stopped the work."""


def build(
    recipe: Recipe,
    path: Path,
    threads: int | None = None,
    scheduler: str | None = None,
    progress: bool = False,
    engine: str = "auto",
) -> BookStatus:
    """Make a book, or go on with one; shards that are there already are kept.

    Raises InputError when another book is or was begun at this place, RunError when it cannot go on.
    """
    unfinished, used = Unfinished(path), engine if scheduler else engine_for(recipe, engine)
    if not path.exists():
        try:
            _finish(unfinished, recipe, _makers(threads, scheduler, engine), progress)
        except RunError:
            if not path.exists():
                raise
            # Another process made the same book, was faster, and has cleared the folder away.
    _check_same(path, recipe)
    unfinished.clear()
    answer = status(path)
    answer.notices, answer.engine = unfinished.notices, used
    return answer


def _check_same(path: Path, recipe: Recipe) -> None:
    """Refuse another book at this place: InputError."""
    with Book(path) as there:
        if other := recipe.difference_of_book(there.recipe):
            raise InputError(f"{quoted(path)} is another book: {other}; remove it, or give another --book")


def _finish(
    unfinished: Unfinished, recipe: Recipe, makers: contextlib.AbstractContextManager[Maker], progress: bool
) -> None:
    """Make the shards that are missing, and put all together."""
    with makers as make:  # First of all: without workers nothing is written.
        missing = unfinished.begin(recipe)
        with progress_bar(len(recipe.classes), "hands", progress) as advance:
            advance(len(recipe.classes) - sum(len(recipe.classes_of(shard)) for shard in missing))
            with contextlib.closing(make(recipe, missing, advance)) as made:
                for shard, rows in made:
                    unfinished.keep(recipe, shard, rows)
    unfinished.bind(recipe)


@contextlib.contextmanager
def _makers(threads: int | None, scheduler: str | None, engine: str) -> Iterator[Maker]:
    """Those who make shards and give them in whatever order they are finished: threads, or the workers of a cluster."""
    if scheduler is None:
        yield partial(made_here, threads_of(threads), engine)
        return
    from pitchsim.book.cluster import connected, made_there

    with connected(scheduler) as client:
        yield partial(made_there, client, engine)


def made_here(
    threads: int, engine: str, recipe: Recipe, shards: Sequence[int], advance: Callable[[int], object]
) -> Generator[tuple[int, Rows]]:
    """Each thread makes a shard; when one fails, or somebody interrupts, all stop after the hand that they are at.

    Where threads would wait for each other, and there is much to do, each has a process.
    """
    stopped, counting = threading.Event(), threading.Lock()

    def made(hands: int) -> None:
        with counting:
            advance(hands)

    def after_each() -> None:
        if stopped.is_set():
            raise Stopped
        made(1)

    hands = sum(len(recipe.classes_of(shard)) for shard in shards)
    if threads > 1 and hands >= crew.WORTH and engine_for(recipe, engine) == LANES:
        yield from crew.made_by_crew(threads, engine, recipe, shards, made)
        return

    pool = ThreadPoolExecutor(threads)
    try:
        waiting = {pool.submit(make_shard, recipe, shard, after_each, engine): shard for shard in shards}
        for future in as_completed(list(waiting)):
            yield waiting.pop(future), future.result()
    finally:
        stopped.set()
        pool.shutdown(wait=True, cancel_futures=True)


def pack(path: Path, out: Path, rules: Rules | None = None) -> BookStatus:
    """Write a finished book small, a byte for each figure.

    Raises InputError where there is none or its rules are others, RunError when it is damaged or the disk refuses.
    """
    with Book(path) as book:
        book.check_rules(rules)
        packed.write(out, book.recipe, book.columns())
    return status(out)


def dry_run(recipe: Recipe, threads: int | None = None, engine: str = "auto") -> BookCost:
    """What a book costs: some classes from all over it are played, and timed."""
    numbers = [recipe.classes[place] for place in _spread(len(recipe.classes))]
    row_of(recipe, numbers[0], engine)  # The first one compiles, and counts for nothing.
    begun, times = time.perf_counter(), [time.thread_time()]

    def after_each() -> None:
        times.append(time.thread_time())
        if time.perf_counter() - begun > LONGEST and len(times) > FEWEST:
            raise Stopped

    with contextlib.suppress(Stopped):
        rows_of(recipe, numbers, after_each, engine)
    seconds = [after - before for before, after in pairwise(times)]
    return BookCost(recipe, seconds, threads_of(threads), engine_for(recipe, engine))


def _spread(count: int) -> list[int]:
    """Places from all over a row of so many, in an order that any beginning of it is spread too."""
    golden = (5**0.5 - 1) / 2
    return [int(count * ((place + 0.5) * golden % 1)) for place in range(min(MEASURED, count))]


def verify(
    path: Path, sample: int, seed: int, threads: int | None = None, progress: bool = False, rules: Rules | None = None
) -> BookCheck:
    """Play some hands of a book anew and compare every figure; hands of another version within standard errors.

    Raises InputError for rules that are not the book's, RunError when a hand is not the same.
    """
    with open_book(path) as book:
        book.check_rules(rules)
        recipe, rows = book.recipe, book.sample(sample, seed)
    again = []
    with progress_bar(len(rows), "hands", progress) as advance, ThreadPoolExecutor(threads_of(threads)) as pool:
        for row in pool.map(lambda old: row_of(recipe, old["class"]), rows):
            again.append(row)
            advance(1)
    again = book.as_kept(again)
    wrong = _differing(rows, again, _difference)
    exact = not wrong
    if wrong and recipe.sources != sources():
        wrong = _differing(rows, again, _clear_difference)
    if wrong:
        old, name = wrong[0]
        new = again[rows.index(old)]
        raise RunError(
            f"{len(wrong)} of {len(rows)} hands in {quoted(path)} do not come out as they stand there, "
            f"first {old['hand']}: {name} is {old[name]} there and {new[name]} now"
        )
    return BookCheck(path, recipe, [row["hand"] for row in rows], seed, exact)


def _differing(
    rows: Sequence[Row], again: Sequence[Row], difference: Callable[[Row, Row], str | None]
) -> list[tuple[Row, str]]:
    """The hands that did not come out again as they stand there, each with the first figure that is not the same."""
    pairs = zip(rows, again, strict=True)
    return [(old, name) for old, new in pairs if (name := difference(old, new)) is not None]


def _difference(old: Row, new: Row) -> str | None:
    """The first figure that is not the same to the last bit."""
    return next((name for name in old if old[name] != new[name]), None)


def _clear_difference(old: Row, new: Row) -> str | None:
    """The first figure that two runs by chance would not have so far apart."""
    for name in FIGURES:
        if name in ("behind", "behind_se", "points_se") or (name != "points" and old["lead"] != new["lead"]):
            continue
        if abs(old[name] - new[name]) > CLEAR * _error(name, old, new):
            return name
    return None


def _error(name: str, old: Row, new: Row) -> float:
    """The standard error of the difference of a figure in two rows; a deal more or less is never a difference."""
    deals = 1 / old["deals"] + 1 / new["deals"]
    if name == "points":
        return math.hypot(old["points_se"], new["points_se"], deals)
    if name.startswith("ev"):
        return math.hypot(ev_error(old, int(name[2:])), ev_error(new, int(name[2:])), deals)
    share = (old[name] * old["deals"] + new[name] * new["deals"]) / (old["deals"] + new["deals"])
    return math.hypot(math.sqrt(share * (1 - share) * deals), deals)
