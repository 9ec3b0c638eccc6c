"""The door of the engine of 64 lanes: a table of players, ready to play."""

import ctypes
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import llvmlite
import numpy as np

from pitchsim.lanes import code
from pitchsim.lanes.desk import DEALT, PLAYED_BY, ROWS, SIDE_PLACES
from pitchsim.lanes.program import (
    BLOCKS,
    COUNT,
    FIRST,
    HOW_MANY_LEADS,
    LEADS,
    LIMITS,
    MOST_LEADS,
    NUMBERS,
    OWN_TABLES,
    SET_COLUMNS,
    SIDE_CARDS,
    SIDE_NUMBER,
    SQUARES,
    TALLIES,
    Program,
)
from pitchsim.lanes.vectors import LANES
from pitchsim.storage import cache_root, whole_file

AT_ONCE = 2048
"""So many deals are laid ready at a time: their desks still fit into the second cache."""
FOLDER = Path(__file__).parent
CALL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int64)
LEVEL = "PITCHSIM_LANES"
"""Of the environment: `avx2` or `numpy` plays with less than the processor has, `none` with nothing at all."""
PLAIN = "numpy"


def aligned(shape: Sequence[int], kind: Any = np.uint8) -> np.ndarray:
    """An empty array that begins at a whole row."""
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    room = np.zeros(size + LANES, np.uint8)
    start = -room.ctypes.data % LANES
    return room[start : start + size].view(kind).reshape(shape)


class Desks:
    """Desks for some deals: `bytes` (blocks, rows, 64), and the same memory as numbers of 64 bits, `lucks`."""

    def __init__(self, deals: int) -> None:
        """Lay out as many as are needed."""
        self.bytes = aligned([-(-deals // LANES), ROWS, LANES])
        self.lucks = self.bytes.view(np.int64).reshape(len(self.bytes), -1)


def level_here() -> str | None:
    """How wide the vectors are that this processor plays with; None: it cannot."""
    asked = os.environ.get(LEVEL, "")
    best = code.best_level()
    if asked in (PLAIN, *code.WANTED) and (asked == PLAIN or best is not None):
        return asked if asked != code.WIDE else best
    return None if asked == "none" else best


@cache
def sources() -> str:
    """Name the sources of the engine as they are now, and the compiler."""
    digest = hashlib.sha256(llvmlite.__version__.encode())
    for path in sorted(FOLDER.glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def functions(program: Program, level: str) -> dict[str, Any]:
    """The runs of a program as functions that can be called; compiled when it is first needed, and kept."""
    if level == PLAIN:
        from pitchsim.lanes.plain import Plain

        return {"": Plain(program.stages())}
    name, features = code.host()
    mark = hashlib.sha256(f"{level} {name} {sorted(features.items())}".encode()).hexdigest()[:8]
    path = cache_root() / f"lanes-{sources()}" / f"{program.name}-{mark}.o"
    try:
        found = path.read_bytes()
    except OSError:
        found = code.compiled(program, level)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(path, "wb") as file:
                file.write(found)
        except Exception:  # Kept for this run only.
            pass
    engine = code.loaded(found, level)
    return {"": engine} | {
        run: CALL(engine.get_function_address(run)) for run in ("deal_only", "pitch_deals", "try_leads", "play_desks")
    }


@dataclass(frozen=True)
class LaneTable:
    """Players who play 64 deals at a time; seats count from the pitcher.

    `tables` are the rows of 64 bytes that the policies want; `played_by` for the second and third policy which seats
    play by it, one bit a seat, where that is the same in all deals.
    """

    program: Program
    level: str
    tables: bytes
    played_by: tuple[int, ...] = ()

    @cached_property
    def _functions(self) -> dict[str, Any]:
        return functions(self.program, self.level)

    def _run(
        self, name: str, desk: np.ndarray, deck: np.ndarray, numbers: np.ndarray, tallies: np.ndarray, more: int
    ) -> None:
        """Call one run; the interpreter is free meanwhile."""
        tables = aligned([LANES * OWN_TABLES + len(self.tables)])
        tables[: len(deck)] = deck
        tables[LANES * OWN_TABLES :] = np.frombuffer(self.tables, np.uint8)
        memory = desk, tables, numbers, tallies
        if self.level == PLAIN:
            flat = [array.reshape(-1) for array in memory]
            self._functions[""].call(name, *flat, more)
        else:
            self._functions[name](*(array.ctypes.data for array in memory), more)

    def _desk(self) -> np.ndarray:
        """A desk with the policies of the seats."""
        desk = aligned([ROWS, LANES])
        desk[PLAYED_BY : PLAYED_BY + len(self.played_by)] = np.array(self.played_by, np.uint8)[:, None]
        desk[SIDE_PLACES : SIDE_PLACES + 5] = 255
        return desk

    def pitch_deals(
        self, deck: np.ndarray, key: int, luck_key: int, first: int, count: int, run: str = "pitch_deals"
    ) -> np.ndarray:
        """Whole deals, seat 0 the pitcher: deals by the set of points that he won, and how often he won all tricks."""
        tallies = aligned([TALLIES], np.int64)
        self._run(run, self._desk(), deck, _numbers(key, luck_key, first, count), tallies, 0)
        return tallies[:SET_COLUMNS]

    def try_leads(
        self, deck: np.ndarray, held: Sequence[int], side_cards: int, leads: Sequence[int],
        key: int, luck_key: int, first: int, count: int,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Each lead on the same deals; the pitcher holds the cards `held` and is dealt what he lacks.

        Returns deals by the set of points won (leads, 17), and the squares of gaps (lead, other lead below it).
        """
        number = 6 - len(held)
        desk, numbers = self._desk(), _numbers(key, luck_key, first, count)
        desk[DEALT : DEALT + len(held)] = np.array(held, np.uint8)[:, None]
        numbers[HOW_MANY_LEADS], numbers[SIDE_CARDS], numbers[SIDE_NUMBER] = len(leads), side_cards, number
        numbers[LIMITS : LIMITS + 4] = _limits(side_cards)
        numbers[LEADS : LEADS + len(leads)] = leads
        tallies = aligned([TALLIES], np.int64)
        self._run("try_leads", desk, deck, numbers, tallies, int(number > 0))
        squares = tallies[SQUARES:].reshape(MOST_LEADS, MOST_LEADS)[: len(leads), : len(leads)]
        return tallies[: len(leads) * SET_COLUMNS].reshape(-1, SET_COLUMNS), squares

    def play_desks(self, desks: np.ndarray) -> None:
        """Play the hands that lie on desks (blocks, ROWS, 64), and leave the points there."""
        numbers = aligned([NUMBERS], np.int64)
        numbers[BLOCKS] = len(desks)
        self._run("play_desks", desks, np.zeros(0, np.uint8), numbers, aligned([TALLIES], np.int64), 0)


@cache
def _limits(side_cards: int) -> tuple[int, ...]:
    from pitchsim.lanes.deck import threshold

    return (*threshold(side_cards), *threshold(side_cards - 3))


def _numbers(key: int, luck_key: int, first: int, count: int) -> np.ndarray:
    """The numbers of a run."""
    numbers = aligned([NUMBERS], np.int64)
    numbers[:3].view(np.uint64)[:2] = key, luck_key
    numbers[FIRST], numbers[COUNT], numbers[BLOCKS] = first, count, -(-count // LANES)
    return numbers
