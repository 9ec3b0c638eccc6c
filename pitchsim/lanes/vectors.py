"""The values that the engine of 64 lanes computes with: one lane a deal.

`Bytes` are 64 whole numbers from 0 to 255, `Lanes` a choice among the 64 deals, `Quarters` 64 numbers of 16 bits and
`Words` 64 of 64 bits. They are added and compared with the usual operators, all unsigned, and belong to a backing,
which knows how that is done: `plain` with numpy, `machine` with the processor's vector instructions. Code that is
written with them runs on either without a change, as long as it keeps to this:

- What differs from lane to lane is chosen by `Lanes.choose`, never by `if`: `machine` writes every line down for all
  lanes, and knows no value. Plain numbers, lists and tables of Python are known while the code is written.
- A loop over deals or leads is `for step in on.times(count)`, one that waits for lanes is
  `for step in on.until_none(...)`. `machine` writes what stands in it once, with a jump back; so nothing may leave it
  early. What passes from one round to the next lies in memory, or goes through `on.each`.
- Whole numbers in memory (`on.number`) can be added, subtracted and multiplied, no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

LANES = 64


def _lane_order() -> np.ndarray:
    """Which lane has word `place` of vector `number`, as (number, place).

    When words are cut into quarters, and these into bytes, by instructions that work within 128 bits, the bytes come
    out in the order of the lanes.
    """
    lane = np.arange(LANES)
    place = 2 * (lane >> 4) + ((lane & 7) >> 2)
    number = 4 * (lane >> 3 & 1) + (lane & 3)
    order = np.zeros((8, 8), np.int64)
    order[number, place] = lane
    return order


LANE_OF_WORD = _lane_order()


class Vector:
    """A value of a backing."""

    __slots__ = ("on", "value")

    def __init__(self, on: Any, value: Any) -> None:
        """Wrap what the backing has made."""
        self.on = on
        self.value = value


class Lanes(Vector):
    """A choice among the 64 deals."""

    __slots__ = ()

    def __and__(self, other: Lanes) -> Lanes:
        """Those that are in both."""
        return Lanes(self.on, self.on.both(self.value, other.value))

    def __or__(self, other: Lanes) -> Lanes:
        """Those that are in one at least."""
        return Lanes(self.on, self.on.either(self.value, other.value))

    def __invert__(self) -> Lanes:
        """The others."""
        return Lanes(self.on, self.on.others(self.value))

    def choose(self, here: Bytes, elsewhere: Bytes) -> Bytes:
        """In these lanes the first, in the others the second."""
        return Bytes(self.on, self.on.choose(self.value, here.value, elsewhere.value))


class Bytes(Vector):
    """Sixty-four numbers from 0 to 255; sums wrap round."""

    __slots__ = ()

    def _of(self, other: Bytes | int) -> Any:
        return other.value if isinstance(other, Bytes) else self.on.byte(other)

    def __add__(self, other: Bytes | int) -> Bytes:
        """Lane by lane."""
        return Bytes(self.on, self.on.add(self.value, self._of(other)))

    def __sub__(self, other: Bytes | int) -> Bytes:
        """Lane by lane."""
        return Bytes(self.on, self.on.subtract(self.value, self._of(other)))

    def __and__(self, other: Bytes | int) -> Bytes:
        """The bits that both have."""
        return Bytes(self.on, self.on.both(self.value, self._of(other)))

    def __or__(self, other: Bytes | int) -> Bytes:
        """The bits that one of them has."""
        return Bytes(self.on, self.on.either(self.value, self._of(other)))

    def __xor__(self, other: Bytes | int) -> Bytes:
        """The bits in which they differ."""
        return Bytes(self.on, self.on.differ(self.value, self._of(other)))

    def __lt__(self, other: Bytes | int) -> Lanes:
        """Where it is smaller."""
        return Lanes(self.on, self.on.less(self.value, self._of(other)))

    def __ge__(self, other: Bytes | int) -> Lanes:
        """Where it is at least as large."""
        return Lanes(self.on, self.on.at_least(self.value, self._of(other)))

    def __le__(self, other: Bytes | int) -> Lanes:
        """Where it is at most as large."""
        return Lanes(self.on, self.on.at_least(self._of(other), self.value))

    def __gt__(self, other: Bytes | int) -> Lanes:
        """Where it is larger."""
        return Lanes(self.on, self.on.less(self._of(other), self.value))

    def equals(self, other: Bytes | int) -> Lanes:
        """Where both are the same."""
        return Lanes(self.on, self.on.equal(self.value, self._of(other)))

    def has(self, bits: Bytes | int) -> Lanes:
        """Where one of these bits is set."""
        return Lanes(self.on, self.on.has(self.value, self._of(bits)))

    def ones(self) -> Bytes:
        """How many bits are set."""
        return Bytes(self.on, self.on.ones(self.value))

    def plus(self, where: Lanes, number: int) -> Bytes:
        """Add a number in these lanes."""
        return where.choose(self + number, self)

    def smaller(self, other: Bytes | int) -> Bytes:
        """The smaller of the two."""
        return Bytes(self.on, self.on.smaller(self.value, self._of(other)))

    def larger(self, other: Bytes | int) -> Bytes:
        """The larger of the two."""
        return Bytes(self.on, self.on.larger(self.value, self._of(other)))

    def wide(self) -> Quarters:
        """The same numbers with 16 bits each."""
        return Quarters(self.on, self.on.widen(self.value))


class Quarters(Vector):
    """Sixty-four numbers of 16 bits: quarters of words."""

    __slots__ = ()

    def _of(self, other: Quarters | int) -> Any:
        return other.value if isinstance(other, Quarters) else self.on.quarter(other)

    def __add__(self, other: Quarters | int) -> Quarters:
        """Lane by lane; sums wrap round."""
        return Quarters(self.on, self.on.add_quarters(self.value, self._of(other)))

    def __mul__(self, other: Quarters | int) -> Quarters:
        """The lower half of the product."""
        return Quarters(self.on, self.on.product_low(self.value, self._of(other)))

    def top(self, other: Quarters | int) -> Quarters:
        """The upper half of the product."""
        return Quarters(self.on, self.on.product_high(self.value, self._of(other)))

    def one_more_where_less(self, left: Quarters, right: Quarters) -> Quarters:
        """Carry: add one where `left` is smaller than `right`."""
        return Quarters(self.on, self.on.carry(self.value, left.value, right.value))

    def smaller(self, other: Quarters) -> Quarters:
        """The smaller of the two."""
        return Quarters(self.on, self.on.smaller_quarters(self.value, other.value))

    def __lt__(self, other: Quarters | int) -> Lanes:
        """Where it is smaller."""
        return Lanes(self.on, self.on.less_quarters(self.value, self._of(other)))

    def equals(self, other: Quarters | int) -> Lanes:
        """Where both are the same."""
        return Lanes(self.on, self.on.equal_quarters(self.value, self._of(other)))

    def narrow(self) -> Bytes:
        """The same as bytes: they must be below 256."""
        return Bytes(self.on, self.on.narrow(self.value))


class Words(Vector):
    """Sixty-four numbers of 64 bits."""

    __slots__ = ()

    def __add__(self, other: int) -> Words:
        """Add the same to all."""
        return Words(self.on, self.on.add_word(self.value, other))

    def __mul__(self, other: int) -> Words:
        """Multiply all by the same."""
        return Words(self.on, self.on.multiply_word(self.value, other))

    def folded(self, bits: int) -> Words:
        """Each with itself shifted down, as exclusive or."""
        return Words(self.on, self.on.fold(self.value, bits))

    def shifted(self, bits: int, kept: int) -> Words:
        """Shifted down; only the bits of `kept` stay."""
        return Words(self.on, self.on.shift(self.value, bits, kept))

    def quarters(self) -> list[Quarters]:
        """The four quarters of every word, the lowest first."""
        return [Quarters(self.on, value) for value in self.on.quartered(self.value)]


class Longs(Vector):
    """Sixty-four numbers of 32 bits, with a sign."""

    __slots__ = ()

    def __gt__(self, other: Longs) -> Lanes:
        """Where it is larger."""
        return Lanes(self.on, self.on.less_longs(other.value, self.value))

    def instead(self, where: Lanes, other: Longs) -> Longs:
        """The other in these lanes."""
        return Longs(self.on, self.on.choose_longs(where.value, other.value, self.value))

    def low_bits(self, kept: int) -> Bytes:
        """The lowest bits as bytes."""
        return Bytes(self.on, self.on.low_bits(self.value, kept))


class Table:
    """A table of 64 bytes, to look up 64 numbers at once by their low six bits."""

    def __init__(self, on: Any, value: Any) -> None:
        """Wrap what the backing has made."""
        self.on = on
        self.value = value

    def __getitem__(self, where: Bytes) -> Bytes:
        """What stands at these places."""
        return Bytes(self.on, self.on.look_up(self.value, where.value))


class Backing:
    """What both backings do alike."""

    byte: Callable[[int], Any]
    size: Callable[[Lanes], Any]
    add_to: Callable[[Any, Any, Any], None]

    def bytes(self, number: int) -> Bytes:
        """The same number in every lane."""
        return Bytes(self, self.byte(number))

    def count(self, memory: Any, place: Any, lanes: Lanes) -> None:
        """Add to a whole number in memory how many lanes these are."""
        self.add_to(memory, place, self.size(lanes))

    def each(self, values: Sequence[Bytes], step: Callable[..., tuple], *found: Bytes) -> tuple:
        """Take one value after the other; every step gets what the one before has found."""
        for value in values:
            found = step(value, *found)
        return found


def table_of(numbers: Sequence[int]) -> list[int]:
    """Fill up to 64 entries."""
    return [*(int(number) & 255 for number in numbers), *([0] * (LANES - len(numbers)))]
