"""The door of the engine of 64 lanes: a table of players, ready to play."""

import ctypes
import hashlib
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pitchsim.cards import quoted
from pitchsim.deck import HAND_SIZE
from pitchsim.desk import DEALT, NOWHERE, PLAYED_BY, ROWS, SIDE_PLACES
from pitchsim.errors import InputError
from pitchsim.jit import source_hash
from pitchsim.lanes import code
from pitchsim.lanes.deck import threshold
from pitchsim.lanes.program import (
    BLOCKS,
    COUNT,
    FIRST,
    HOW_MANY_LEADS,
    KEY,
    LEADS,
    LIMITS,
    LUCK_KEY,
    MOST_LEADS,
    NUMBERS,
    OWN_TABLES,
    RUNS,
    SET_COLUMNS,
    SIDE_CARDS,
    SIDE_NUMBER,
    SQUARES,
    TALLIES,
    Program,
)
from pitchsim.lanes.vectors import LANES
from pitchsim.machinecode import kept_or_made, loaded
from pitchsim.storage import code_root, keep_few

AT_ONCE = 2048
"""So many deals are laid ready at a time: their desks still fit into the second cache."""
FOLDER = Path(__file__).parent
CALL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int64)
LEVEL = "PITCHSIM_LANES"
"""Of the environment: `avx2` or `numpy` plays with less than the processor has, `none` with nothing at all."""
PLAIN, NOTHING = "numpy", "none"
COMPILING = threading.Lock()


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

    def first(self, deals: int) -> np.ndarray:
        """The desks of the first deals."""
        return self.bytes[: -(-deals // LANES)]


def level_here() -> str | None:
    """How wide the vectors are that this processor plays with; None: it cannot.

    Raises InputError when the environment asks for something else than there is.
    """
    asked, best = os.environ.get(LEVEL, ""), code.best_level()
    if asked == PLAIN:
        return PLAIN
    if asked == NOTHING:
        return None
    if asked not in ("", *code.WANTED):
        raise InputError(f"{LEVEL} is {quoted(asked)}; it takes {', '.join((*code.WANTED, PLAIN))} or {NOTHING}")
    return code.NARROW if asked == code.NARROW and best else best


@cache
def sources() -> str:
    """Name the sources of the engine as they are now, and of all that is compiled, and the compiler."""
    digest = hashlib.sha256(source_hash().encode())  # Rows of the desk, the stream and tables are from other rooms.
    for path in sorted(FOLDER.glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def function(program: Program, run: str, level: str) -> tuple[Any, Any]:
    """A run as a function that can be called, and what must be held as long; compiled when first needed, and kept."""
    name, features = code.host()
    mark = hashlib.sha256(f"{level} {name} {sorted(features.items())}".encode()).hexdigest()[:8]
    path = code_root() / f"lanes-{sources()}" / f"{program.name}-{run}-{mark}.o"
    engine = loaded(kept_or_made(path, lambda: code.compiled(program, run, level)), code.machine(level))
    keep_few(path.parent)
    return CALL(engine.get_function_address(run)), engine


class Memory:
    """What a run works on: a desk, tables, numbers and tallies; used again and again by one thread."""

    def __init__(self, tables: bytes, played_by: Sequence[int]) -> None:
        """Lay out the desk with the policies of the seats, and the tables."""
        self.desk = aligned([ROWS, LANES])
        self.desk[PLAYED_BY : PLAYED_BY + len(played_by)] = np.array(played_by, np.uint8)[:, None]
        self.desk[SIDE_PLACES : SIDE_PLACES + 5] = NOWHERE
        self.tables = aligned([LANES * OWN_TABLES + len(tables)])
        self.tables[LANES * OWN_TABLES :] = np.frombuffer(tables, np.uint8)
        self.numbers, self.tallies = aligned([NUMBERS], np.int64), aligned([TALLIES], np.int64)
        self.keys = self.numbers.view(np.uint64)
        self.held: tuple[int, ...] = ()
        self.arrays = self.desk, self.tables, self.numbers, self.tallies
        self.addresses = [array.ctypes.data for array in self.arrays]

    def begin(self, key: Any, luck_key: Any, first: int, count: int) -> None:
        """Set the numbers of a run, and its tallies to nothing."""
        self.keys[KEY], self.keys[LUCK_KEY] = key, luck_key
        self.numbers[FIRST], self.numbers[COUNT], self.numbers[BLOCKS] = first, count, -(-count // LANES)
        self.tallies[:] = 0

    def give(self, deck: np.ndarray, held: Sequence[int], side_cards: int) -> None:
        """Give the pitcher these cards; the deck is what they leave, side cards first."""
        if self.held != tuple(held):
            self.tables[: len(deck)] = deck
            self.desk[DEALT : DEALT + len(held)] = np.array(held, np.uint8)[:, None]
            self.numbers[SIDE_CARDS], self.numbers[SIDE_NUMBER] = side_cards, HAND_SIZE - len(held)
            self.numbers[LIMITS : LIMITS + 4] = _limits(side_cards)
            self.held = tuple(held)


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
    def _plain(self) -> Any:
        from pitchsim.lanes.plain import Plain

        return Plain(self.program.stages() | RUNS)

    @cached_property
    def _threads(self) -> threading.local:
        return threading.local()

    def _memory(self) -> Memory:
        """What this thread works on."""
        if not hasattr(self._threads, "memory"):
            self._threads.memory = Memory(self.tables, self.played_by)
        return self._threads.memory

    def _run(self, name: str, memory: Memory, desks: np.ndarray | None = None) -> None:
        """Call one run; the interpreter is free meanwhile."""
        if self.level == PLAIN:
            arrays = [array.reshape(-1) for array in memory.arrays]
            self._plain.call(name, arrays[0] if desks is None else desks.reshape(-1), *arrays[1:], 0)
            return
        desk, *others = memory.addresses
        with COMPILING:
            run, _ = function(self.program, name, self.level)
        run(desk if desks is None else desks.ctypes.data, *others, 0)

    def pitch_deals(
        self, deck: np.ndarray, key: Any, luck_key: Any, first: int, count: int, run: str = "pitch_deals"
    ) -> np.ndarray:
        """Whole deals, seat 0 the pitcher: deals by the set of points that he won, and how often he won all tricks."""
        memory = self._memory()
        memory.begin(key, luck_key, first, count)
        memory.tables[: len(deck)] = deck
        memory.held = ()
        self._run(run, memory)
        return memory.tallies[:SET_COLUMNS].copy()

    def try_leads(
        self, deck: np.ndarray, held: Sequence[int], side_cards: int, leads: Sequence[int],
        key: Any, luck_key: Any, first: int, count: int,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Each lead on the same deals; the pitcher holds the cards `held` and is dealt what he lacks.

        Returns deals by the set of points won (leads, 17), and the squares of gaps (lead, other lead below it).
        """
        memory, size = self._memory(), len(leads)
        memory.begin(key, luck_key, first, count)
        memory.give(deck, held, side_cards)
        memory.numbers[HOW_MANY_LEADS] = size
        memory.numbers[LEADS : LEADS + size] = leads
        self._run("try_leads" if len(held) == HAND_SIZE else "try_leads_of_holding", memory)
        squares = memory.tallies[SQUARES:].reshape(MOST_LEADS, MOST_LEADS)[:size, :size].copy()
        return memory.tallies[: size * SET_COLUMNS].reshape(size, SET_COLUMNS).copy(), squares

    def play_desks(self, desks: np.ndarray) -> None:
        """Play the hands that lie on desks (blocks, ROWS, 64), and leave the points there."""
        memory = self._memory()
        memory.numbers[BLOCKS] = len(desks)
        self._run("play_desks", memory, desks)


@cache
def _limits(side_cards: int) -> tuple[int, ...]:
    return (*threshold(side_cards), *threshold(side_cards - 3))
