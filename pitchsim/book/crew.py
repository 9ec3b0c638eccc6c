"""A crew of processes that make shards, where threads would wait for each other.

Of the threads of one Python process only one thinks at a time. With 64 deals at a time a hand takes as much thinking as
playing, and two threads make hardly more than one; two processes make nearly twice as many.
"""

import contextlib
import pickle
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from pitchsim.book.recipe import Recipe
from pitchsim.book.shards import Rows, make_shard
from pitchsim.errors import RunError
from pitchsim.machinecode import say_nothing

WORTH = 1 << 13
"""So many hands or more are worth the second that a process takes to start."""
TELL = 0.2
"""Seconds after which a process tells how many hands it has made since."""


def made_by_crew(
    number: int, engine: str, recipe: Recipe, shards: Sequence[int], advance: Callable[[int], object]
) -> Generator[tuple[int, Rows]]:
    """The shards as so many processes finish them; whoever asks for no more ends them all.

    Raises RunError when one of them has died.
    """
    crew: list[subprocess.Popen] = []
    free: queue.Queue[subprocess.Popen] = queue.Queue()

    def make(shard: int) -> Rows:
        process = free.get()
        try:
            return _made_by(process, shard, advance)
        finally:
            free.put(process)

    pool = ThreadPoolExecutor(number)
    try:
        for _ in range(number):
            crew.append(_started(recipe, engine))
            free.put(crew[-1])
        waiting = {pool.submit(make, shard): shard for shard in shards}
        for future in as_completed(list(waiting)):
            yield waiting.pop(future), future.result()
    finally:
        for process in crew:
            process.kill()
        pool.shutdown(wait=True, cancel_futures=True)
        for process in crew:
            process.communicate()


def _started(recipe: Recipe, engine: str) -> subprocess.Popen:
    """Start one process; it imports from where this one does, and knows the recipe.

    Raises RunError when the system lets no process start.
    """
    code = f"import sys; sys.path[:] = {sys.path!r}; from pitchsim.book.crew import work; work()"
    try:
        with _deaf():
            process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise RunError(f"cannot start a process: {error.strerror or error}; --threads 1 needs none") from error
    _say(process.stdin, (recipe, engine))
    return process


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """Start processes that never hear Ctrl-C, which is for the one that starts them: they inherit what is blocked."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _made_by(process: subprocess.Popen, shard: int, advance: Callable[[int], object]) -> Rows:
    """Let one process make a shard, which tells now and then how far it is."""
    try:
        _say(process.stdin, shard)
        while isinstance(told := pickle.load(process.stdout), int):  # type: ignore[arg-type]
            advance(told)
    except (OSError, EOFError, pickle.UnpicklingError) as error:
        raise RunError("a process that made a shard has died; start again, and all that is done is kept") from error
    if isinstance(told, Exception):
        raise told
    return told


def _say(stream: Any, what: Any) -> None:
    """Tell the other side something."""
    with contextlib.suppress(BrokenPipeError):  # Whoever listens no more has died, and reading tells so.
        pickle.dump(what, stream)
        stream.flush()


def work() -> None:
    """What each process of a crew does, until nobody asks for more: it never outlives the one that has started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Where it could not be blocked from the start.
    say_nothing()
    ask, answer = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    with contextlib.suppress(EOFError, BrokenPipeError):
        recipe, engine = pickle.load(ask)
        while True:
            shard = pickle.load(ask)
            pickle.dump(_made_here(recipe, shard, engine, answer), answer)
            answer.flush()


def _made_here(recipe: Recipe, shard: int, engine: str, answer: Any) -> Rows | Exception:
    """Make a shard, and tell how far it is; or say why it cannot be made."""
    made, told = 0, time.monotonic()

    def after_each() -> None:
        nonlocal made, told
        made += 1
        if time.monotonic() - told > TELL:
            pickle.dump(made, answer)
            answer.flush()
            made, told = 0, time.monotonic()

    try:
        rows = make_shard(recipe, shard, after_each, engine)
        pickle.dump(made, answer)
        return rows
    except BrokenPipeError:
        raise
    except Exception as error:
        return error
