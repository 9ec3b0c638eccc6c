"""Shards made by the workers of a Dask cluster: the same shards as at home, wherever and however often made."""

import asyncio
import contextlib
import logging
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from pitchsim.book.recipe import Recipe
from pitchsim.book.shards import Rows, make_shard_elsewhere
from pitchsim.errors import InputError, RunError

PATIENCE = 5.0
"""Seconds to find the scheduler."""
WORKERS_PATIENCE = 30.0
"""Seconds without any worker before it is given up."""
AHEAD = 2
"""Shards handed out for each thread of the cluster."""
KEPT = "what is done is kept, and the same command goes on"


def check_dask() -> None:
    """Refuse to begin without the extra: InputError."""
    if find_spec("distributed") is None:
        raise InputError("a Dask cluster needs dask.distributed; install pitchsim[cluster]")


@contextlib.contextmanager
def connected(address: str) -> Iterator[Any]:
    """Speak with a cluster for a while.

    Raises RunError when there is no scheduler or worker.
    """
    with _quiet(), _client(address) as client:
        yield client


def made_there(
    client: Any, engine: str, recipe: Recipe, shards: Sequence[int], advance: Callable[[int], object]
) -> Generator[tuple[int, Rows]]:
    """The shards as the cluster finishes them, a few more handed out than it has threads.

    Raises RunError when a shard cannot be made, and when the cluster is gone.
    """
    todo = iter(shards)
    running: dict[Any, int] = {}
    while True:
        wanted = AHEAD * max(sum(client.nthreads().values()), 1)
        while len(running) < wanted and (shard := next(todo, None)) is not None:
            future = client.submit(make_shard_elsewhere, recipe.to_dict(), shard, engine, pure=False)
            running[future] = shard
        if not running:
            return
        for future in _finished(client, list(running)):
            shard = running.pop(future)
            rows = _result(future, shard)
            future.release()
            advance(len(rows))
            yield shard, rows


@contextlib.contextmanager
def _client(address: str) -> Iterator[Any]:
    """Speak with the scheduler for a while."""
    from distributed import Client

    try:
        # A client that cannot connect leaves threads and complaints behind, so somebody else knocks first; and what
        # answers there may be anything but a scheduler.
        asyncio.run(_knock(address))
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except Exception as error:
        raise RunError(f"no scheduler answers at {address}; is it running there?") from error
    try:
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(1, timeout=PATIENCE)
        _check_workers(client, address)
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=PATIENCE)


async def _knock(address: str) -> None:
    """See whether a scheduler answers."""
    from distributed.core import rpc

    async with asyncio.timeout(PATIENCE), rpc(address, timeout=PATIENCE) as scheduler:
        await scheduler.identity()


def _check_workers(client: Any, address: str) -> None:
    """Refuse to wait for workers that there are not."""
    if not client.nthreads():
        raise RunError(f"the scheduler at {address} has no workers; start some (dask worker {address}), {KEPT}")


def _finished(client: Any, futures: list[Any]) -> list[Any]:
    """Wait for some of the shards; a cluster that is gone is not waited for."""
    from distributed import wait

    while True:
        try:
            with client.as_current():
                return list(wait(futures, timeout=WORKERS_PATIENCE, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            try:
                left = client.nthreads()
            except Exception as error:
                raise RunError(f"the scheduler of the cluster is gone; {KEPT}") from error
            if not left:
                raise RunError(f"all workers of the cluster are gone; {KEPT}") from None
        except Exception as error:
            raise RunError(f"the scheduler of the cluster is gone; {KEPT}") from error


def _result(future: Any, shard: int) -> Rows:
    """A shard that a worker has made, or the reason why not, in a sentence."""
    try:
        rows = future.result()
    except RunError as error:
        raise RunError(f"{error}; {KEPT}") from error
    except ImportError as error:
        raise RunError(f"a worker of the cluster lacks {error.name or error}; install pitchsim there") from error
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            raise RunError(f"shard {shard} was lost with one worker after the other; {KEPT}") from error
        if type(error).__name__ in ("CancelledError", "FutureCancelledError"):
            raise RunError(f"the scheduler of the cluster is gone; {KEPT}") from error
        why = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise RunError(f"shard {shard} failed on the cluster ({why}); {KEPT}") from error
    if isinstance(rows, str):
        raise RunError(rows)
    return rows


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the cluster's log off standard error: whatever matters is told in one sentence."""
    import distributed  # noqa: F401 - it sets its loggers up when it is imported

    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in ("distributed", "tornado")]
    loggers = [logging.getLogger(name) for name in ("asyncio", *names)]
    levels = [logger.level for logger in loggers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        try:
            yield
        finally:
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)
