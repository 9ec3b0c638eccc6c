"""The backing that anybody can follow: 64 lanes as numpy arrays, step by step, slowly."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from pitchsim.lanes.vectors import LANE_OF_WORD, LANES, Backing, Bytes, Lanes, Longs, Table, Words

MASK64 = (1 << 64) - 1


class Plain(Backing):
    """Arrays of 64 numbers; memory is arrays, too. What a method does is told where `vectors` uses it."""

    def __init__(self, stages: dict[str, Any]) -> None:
        """Know the stages that can be called."""
        self.stages = stages

    # Bytes and lanes ----------------------------------------------------------------------------------

    def byte(self, number: int) -> np.ndarray:
        return np.full(LANES, number & 255, np.uint8)

    def spread(self, number: int) -> Bytes:
        return Bytes(self, self.byte(int(number)))

    def first_lanes(self, count: int) -> Lanes:
        return Lanes(self, np.arange(LANES) < count)

    def no_lanes(self) -> Lanes:
        return Lanes(self, np.zeros(LANES, bool))

    add = staticmethod(np.add)
    subtract = staticmethod(np.subtract)
    both = staticmethod(np.bitwise_and)
    either = staticmethod(np.bitwise_or)
    differ = staticmethod(np.bitwise_xor)
    others = staticmethod(np.logical_not)
    less = staticmethod(np.less)
    at_least = staticmethod(np.greater_equal)
    equal = staticmethod(np.equal)
    smaller = staticmethod(np.minimum)
    larger = staticmethod(np.maximum)
    choose = staticmethod(np.where)
    ones = staticmethod(np.bitwise_count)

    def has(self, value: np.ndarray, bits: np.ndarray) -> np.ndarray:
        return (value & bits) != 0

    def look_up(self, table: np.ndarray, where: np.ndarray) -> np.ndarray:
        return table[where & 63]

    # Quarters and words -------------------------------------------------------------------------------

    def quarter(self, number: Any) -> np.ndarray:
        return np.full(LANES, int(number) & 0xFFFF, np.uint16)

    add_quarters = staticmethod(np.add)
    product_low = staticmethod(np.multiply)
    smaller_quarters = staticmethod(np.minimum)
    less_quarters = staticmethod(np.less)
    equal_quarters = staticmethod(np.equal)

    def product_high(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return (left.astype(np.uint32) * right >> 16).astype(np.uint16)

    def carry(self, value: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return value + (left < right)

    def widen(self, value: np.ndarray) -> np.ndarray:
        return value.astype(np.uint16)

    def narrow(self, value: np.ndarray) -> np.ndarray:
        return value.astype(np.uint8)

    def words(self, start: int, step: int) -> Words:
        """Word `start` in the first lane, and `step` more in each that follows."""
        return Words(self, np.array([(start + step * lane) & MASK64 for lane in range(LANES)], np.uint64))

    def add_word(self, value: np.ndarray, number: Any) -> np.ndarray:
        return value + np.uint64(int(number) & MASK64)

    def multiply_word(self, value: np.ndarray, number: int) -> np.ndarray:
        return value * np.uint64(number)

    def fold(self, value: np.ndarray, bits: int) -> np.ndarray:
        return value ^ (value >> np.uint64(bits))

    def shift(self, value: np.ndarray, bits: int, kept: int) -> np.ndarray:
        return (value >> np.uint64(bits)) & np.uint64(kept & MASK64)

    def quartered(self, value: np.ndarray) -> list[np.ndarray]:
        return [(value >> np.uint64(16 * part)).astype(np.uint16) for part in range(4)]

    less_longs = staticmethod(np.less)
    choose_longs = staticmethod(np.where)

    def low_bits(self, value: np.ndarray, kept: int) -> np.ndarray:
        return (value & kept).astype(np.uint8)

    def look_far(self, memory: np.ndarray, place: int, low: Bytes, high: Bytes) -> Longs:
        """What stands in a table of 32-bit numbers that begins at this row."""
        where = low.value.astype(np.int64) | high.value.astype(np.int64) << 8
        return Longs(self, memory[place * LANES :].view(np.int32)[where])

    # Memory -------------------------------------------------------------------------------------------

    def row(self, memory: np.ndarray, place: int) -> np.ndarray:
        return memory[place * LANES : (place + 1) * LANES]

    def load(self, memory: np.ndarray, place: int) -> Bytes:
        return Bytes(self, self.row(memory, place).copy())

    def store(self, memory: np.ndarray, place: int, value: Bytes) -> None:
        self.row(memory, place)[:] = value.value

    def load_lanes(self, memory: np.ndarray, place: int) -> Lanes:
        return Lanes(self, self.row(memory, place) != 0)

    def store_lanes(self, memory: np.ndarray, place: int, value: Lanes) -> None:
        self.row(memory, place)[:] = value.value

    def load_words(self, memory: np.ndarray, place: int) -> Words:
        words = np.zeros(LANES, np.uint64)
        words[LANE_OF_WORD] = memory[place * LANES : (place + 8) * LANES].view(np.uint64).reshape(8, 8)
        return Words(self, words)

    def store_words(self, memory: np.ndarray, place: int, value: Words) -> None:
        memory[place * LANES : (place + 8) * LANES].view(np.uint64)[:] = value.value[LANE_OF_WORD].reshape(-1)

    def table(self, numbers: list[int]) -> Table:
        return Table(self, np.array(numbers, np.uint8))

    def table_at(self, memory: np.ndarray, place: int) -> Table:
        return Table(self, self.row(memory, place))

    def number(self, memory: np.ndarray, place: Any) -> int:
        return int(memory[place])

    def set_number(self, memory: np.ndarray, place: int, number: int) -> None:
        memory[place] = number

    def add_to(self, memory: np.ndarray, place: Any, number: int) -> None:
        memory[place] += number

    def size(self, lanes: Lanes) -> int:
        return int(np.count_nonzero(lanes.value))

    def from_row(self, memory: np.ndarray, place: Any) -> np.ndarray:
        return memory[int(place) * LANES :]

    # The order of things ------------------------------------------------------------------------------

    def times(self, count: int) -> Iterator[int]:
        """Do what follows so often."""
        yield from range(count)

    def until_none(self, memory: np.ndarray, place: int) -> Iterator[int]:
        """Do what follows as long as this row has lanes."""
        attempt = 0
        while self.row(memory, place).any():
            yield attempt
            attempt += 1

    def at_most(self, number: int, most: int) -> int:
        return min(number, most)

    def call(self, stage: str, *arguments: Any) -> None:
        self.stages[stage](self, *arguments)
