"""The backing for speed: the same steps written down as vector instructions, which LLVM turns into machine code.

Nothing is computed here: every operator adds one instruction to the function that is being written. Loops are written
once, whatever they count.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from llvmlite import ir

from pitchsim.lanes.vectors import LANE_OF_WORD, LANES, Bytes, Lanes, Longs, Table, Words

BIT, I8, I16, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
BYTES = ir.VectorType(I8, LANES)
MASK = ir.VectorType(BIT, LANES)
MASK16 = ir.VectorType(BIT, 16)
LONGS = ir.VectorType(I32, 16)
EIGHT = ir.VectorType(I32, 8)
HALF = ir.VectorType(I8, 32)
SIXTEEN = ir.VectorType(I8, 16)
QUARTERS = ir.VectorType(I16, LANES // 2)
WORDS = ir.VectorType(I64, 8)
POINTER = ir.PointerType()
STAGE = ir.FunctionType(ir.VoidType(), [POINTER, POINTER, POINTER, POINTER, I64])
"""Every stage is given its desk, its tables, its numbers, its tallies, and one number more."""

MASK64 = (1 << 64) - 1


def _interleaved(width: int, high: bool) -> list[int]:
    """Which of 32 quarters stand where when two vectors are interleaved in pieces of `width`, 128 bits at a time."""
    mask = []
    for lane in range(4):
        for piece in range(4 // width):
            start = 8 * lane + 4 * high + piece * width
            mask += [*range(start, start + width), *range(32 + start, 32 + start + width)]
    return mask


class Number:
    """One whole number of 64 bits."""

    def __init__(self, on: "Machine", value: Any) -> None:
        """Wrap an instruction."""
        self.on = on
        self.value = value

    def _of(self, other: Any) -> Any:
        return other.value if isinstance(other, Number) else ir.Constant(I64, int(other) & MASK64)

    def __add__(self, other: Any) -> "Number":
        """Sums wrap round."""
        return Number(self.on, self.on.builder.add(self.value, self._of(other)))

    def __sub__(self, other: Any) -> "Number":
        """Differences, too."""
        return Number(self.on, self.on.builder.sub(self.value, self._of(other)))

    def __mul__(self, other: Any) -> "Number":
        """And products."""
        return Number(self.on, self.on.builder.mul(self.value, self._of(other)))

    __radd__, __rmul__ = __add__, __mul__


class Machine:
    """Writes one function, with vectors of 512 bits: a choice among the lanes is a number of 64 bits."""

    def __init__(self, function: ir.Function, stages: dict[str, ir.Function]) -> None:
        """Begin at its first line."""
        self.function, self.stages = function, stages
        self.module = function.module
        self.builder = ir.IRBuilder(function.append_basic_block())

    # Constants ----------------------------------------------------------------------------------------

    def _constant(self, kind: ir.VectorType, numbers: list[int]) -> Any:
        """Load a constant vector from memory: LLVM would split sums of constants and choices in two."""
        if not any(numbers):
            return ir.Constant(kind, None)
        name = "constant." + "x".join(str(part) for part in (kind.element.width, kind.count, *_runs(numbers)))
        held = self.module.globals.get(name)
        if held is None:
            held = ir.GlobalVariable(self.module, kind, name)
            held.initializer = ir.Constant(kind, numbers)
            held.global_constant, held.linkage, held.align = True, "internal", 64
        return self.builder.load(held, align=64, typ=kind)

    def byte(self, number: int) -> Any:
        return self._constant(BYTES, [number & 255] * LANES)

    def bytes(self, number: int) -> Bytes:
        return Bytes(self, self.byte(number))

    def quarter(self, number: Any) -> Any:
        if isinstance(number, Number):
            value = self._spread(self.builder.trunc(number.value, I16), QUARTERS)
        else:
            value = self._constant(QUARTERS, [number & 0xFFFF] * 32)
        return [value, value]

    def _spread(self, number: Any, kind: ir.VectorType) -> Any:
        """The same number in every lane."""
        one = self.builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(I32, 0))
        zeros = ir.Constant(ir.VectorType(I32, kind.count), None)
        return self.builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros)

    def spread(self, number: Any) -> Bytes:
        if isinstance(number, Number):
            return Bytes(self, self._spread(self.builder.trunc(number.value, I8), BYTES))
        return self.bytes(number)

    def first_lanes(self, count: Number) -> Lanes:
        places = self._constant(BYTES, list(range(LANES)))
        return Lanes(self, self.less(places, self.spread(count).value))

    def no_lanes(self) -> Lanes:
        return Lanes(self, ir.Constant(MASK, None))

    # Bytes and lanes ----------------------------------------------------------------------------------

    def add(self, left: Any, right: Any) -> Any:
        return self.builder.add(left, right)

    def subtract(self, left: Any, right: Any) -> Any:
        return self.builder.sub(left, right)

    def both(self, left: Any, right: Any) -> Any:
        return self.builder.and_(left, right)

    def either(self, left: Any, right: Any) -> Any:
        return self.builder.or_(left, right)

    def differ(self, left: Any, right: Any) -> Any:
        return self.builder.xor(left, right)

    def others(self, lanes: Any) -> Any:
        number = self._bits(lanes)
        return self.builder.bitcast(self.builder.xor(number, ir.Constant(I64, MASK64)), MASK)

    def less(self, left: Any, right: Any) -> Any:
        return self.builder.icmp_unsigned("<", left, right)

    def at_least(self, left: Any, right: Any) -> Any:
        return self.builder.icmp_unsigned(">=", left, right)

    def equal(self, left: Any, right: Any) -> Any:
        return self.builder.icmp_unsigned("==", left, right)

    def has(self, left: Any, right: Any) -> Any:
        return self.builder.icmp_unsigned("!=", self.builder.and_(left, right), ir.Constant(BYTES, None))

    def smaller(self, left: Any, right: Any) -> Any:
        return self.builder.select(self.builder.icmp_unsigned("<", left, right), left, right)

    def larger(self, left: Any, right: Any) -> Any:
        return self.builder.select(self.builder.icmp_unsigned("<", left, right), right, left)

    def choose(self, lanes: Any, here: Any, elsewhere: Any) -> Any:
        return self.builder.select(lanes, here, elsewhere)

    def ones(self, value: Any) -> Any:
        return self.builder.call(self._outside("llvm.ctpop.v64i8", BYTES, BYTES), [value])

    def look_up(self, table: Any, where: Any) -> Any:
        permute = self._outside("llvm.x86.avx512.permvar.qi.512", BYTES, BYTES, BYTES)
        return self.builder.call(permute, [table, where])

    def _outside(self, name: str, answer: Any, *given: Any) -> Any:
        """An instruction that LLVM knows by name."""
        known = self.module.globals.get(name)
        return known if known is not None else ir.Function(self.module, ir.FunctionType(answer, given), name)

    def _shuffled(self, left: Any, right: Any, places: list[int]) -> Any:
        return self.builder.shuffle_vector(left, right, ir.Constant(ir.VectorType(I32, len(places)), places))

    # Quarters: two vectors of 32 ----------------------------------------------------------------------

    def _by_half(self, work: Callable[..., Any], *values: Any) -> Any:
        return [work(*parts) for parts in zip(*values, strict=True)]

    def add_quarters(self, left: Any, right: Any) -> Any:
        return self._by_half(self.builder.add, left, right)

    def product_low(self, left: Any, right: Any) -> Any:
        return self._by_half(self.builder.mul, left, right)

    def product_high(self, left: Any, right: Any) -> Any:
        multiply = self._outside("llvm.x86.avx512.pmulhu.w.512", QUARTERS, QUARTERS, QUARTERS)
        return self._by_half(lambda *parts: self.builder.call(multiply, parts), left, right)

    def carry(self, value: Any, left: Any, right: Any) -> Any:
        one = self._constant(QUARTERS, [1] * 32)

        def more(number: Any, smaller: Any, larger: Any) -> Any:
            less = self.builder.icmp_unsigned("<", smaller, larger)
            return self.builder.select(less, self.builder.add(number, one), number)

        return self._by_half(more, value, left, right)

    def shift_quarters(self, value: Any, bits: int, kept: int) -> Any:
        down, mask = ir.Constant(QUARTERS, [bits] * 32), ir.Constant(QUARTERS, [kept] * 32)
        return self._by_half(lambda part: self.builder.and_(self.builder.lshr(part, down), mask), value)

    def smaller_quarters(self, left: Any, right: Any) -> Any:
        return self._by_half(self.smaller, left, right)

    def less_quarters(self, left: Any, right: Any) -> Any:
        return self._lanes_of(
            self._by_half(lambda one, other: self.builder.icmp_unsigned("<", one, other), left, right)
        )

    def equal_quarters(self, left: Any, right: Any) -> Any:
        return self._lanes_of(
            self._by_half(lambda one, other: self.builder.icmp_unsigned("==", one, other), left, right)
        )

    def _lanes_of(self, halves: Any) -> Any:
        """Two choices among 32 as one among 64, in the order of bytes."""
        places = [lane // 16 * 8 + lane % 8 + lane % 16 // 8 * 32 for lane in range(LANES)]
        return self._shuffled(halves[0], halves[1], places)

    def widen(self, value: Any) -> Any:
        zero = ir.Constant(BYTES, None)
        return [
            self.builder.bitcast(
                self._shuffled(
                    value, zero,
                    [16 * lane + 8 * part + k // 2 if k % 2 == 0 else LANES for lane in range(4) for k in range(16)],
                ),
                QUARTERS,
            )
            for part in (0, 1)
        ]  # fmt: skip

    def narrow(self, value: Any) -> Any:
        pack = self._outside("llvm.x86.avx512.packuswb.512", BYTES, QUARTERS, QUARTERS)
        return self.builder.call(pack, value)

    # Words: eight vectors of 8 ------------------------------------------------------------------------

    def words(self, start: Any, step: int) -> Words:
        """Word `start` in the first lane, and `step` more in each that follows."""
        first = self._spread(start.value if isinstance(start, Number) else ir.Constant(I64, start & MASK64), WORDS)
        return Words(
            self,
            [
                self.builder.add(first, self._constant(WORDS, [int(lane) * step & MASK64 for lane in lanes]))
                for lanes in LANE_OF_WORD
            ],
        )

    def _word(self, number: Any) -> Any:
        if isinstance(number, Number):
            return self._spread(number.value, WORDS)
        return self._constant(WORDS, [int(number) & MASK64] * 8)

    def add_word(self, value: Any, number: Any) -> Any:
        other = self._word(number)
        return [self.builder.add(part, other) for part in value]

    def multiply_word(self, value: Any, number: int) -> Any:
        other = self._word(number)
        return [self.builder.mul(part, other) for part in value]

    def fold(self, value: Any, bits: int) -> Any:
        by = ir.Constant(WORDS, [bits] * 8)
        return [self.builder.xor(part, self.builder.lshr(part, by)) for part in value]

    def shift(self, value: Any, bits: int, kept: int) -> Any:
        by, mask = ir.Constant(WORDS, [bits] * 8), ir.Constant(WORDS, [kept & MASK64] * 8)
        return [self.builder.and_(self.builder.lshr(part, by), mask) for part in value]

    def quartered(self, value: Any) -> list[Any]:
        """The quarters of words, by interleaving four vectors of words three times."""
        answer: list[Any] = [[], [], [], []]
        for start in (0, 4):
            rows = [self.builder.bitcast(part, QUARTERS) for part in value[start : start + 4]]
            pairs = [
                self._shuffled(rows[k], rows[k + 1], _interleaved(1, high)) for high in (False, True) for k in (0, 2)
            ]
            fours = [
                self._shuffled(pairs[k], pairs[k + 1], _interleaved(2, high)) for k in (0, 2) for high in (False, True)
            ]
            for part in range(4):
                answer[part].append(
                    self._shuffled(fours[part // 2], fours[part // 2 + 2], _interleaved(4, part % 2 == 1))
                )
        return answer

    # Longs: four vectors of 16 -------------------------------------------------------------------------

    def less_longs(self, left: Any, right: Any) -> Any:
        parts = self._by_half(lambda one, other: self.builder.icmp_signed("<", one, other), left, right)
        halves = [self._shuffled(parts[k], parts[k + 1], list(range(32))) for k in (0, 2)]
        return self._shuffled(halves[0], halves[1], list(range(LANES)))

    def choose_longs(self, lanes: Any, here: Any, elsewhere: Any) -> Any:
        parts = [self._shuffled(lanes, lanes, list(range(16 * k, 16 * k + 16))) for k in range(4)]
        return self._by_half(self.builder.select, parts, here, elsewhere)

    def low_bits(self, value: Any, kept: int) -> Any:
        mask = ir.Constant(LONGS, [kept] * 16)
        parts = [self.builder.trunc(self.builder.and_(part, mask), ir.VectorType(I8, 16)) for part in value]
        halves = [self._shuffled(parts[k], parts[k + 1], list(range(32))) for k in (0, 2)]
        return self._shuffled(halves[0], halves[1], list(range(LANES)))

    def look_far(self, memory: Any, place: int, low: Bytes, high: Bytes) -> Longs:
        start = self._at(memory, place, BYTES)
        eight = ir.Constant(LONGS, [8] * 16)
        found = []
        for k in range(4):
            places = list(range(16 * k, 16 * k + 16))
            low_part, high_part = (
                self.builder.zext(self._shuffled(part.value, part.value, places), LONGS) for part in (low, high)
            )
            where = self.builder.or_(low_part, self.builder.shl(high_part, eight))
            found.append(self._gathered(start, where))
        return Longs(self, found)

    def _gathered(self, start: Any, where: Any) -> Any:
        """Sixteen numbers from as many places."""
        gather = self._outside("llvm.x86.avx512.mask.gather.dpi.512", LONGS, LONGS, POINTER, LONGS, MASK16, I32)
        everywhere = ir.Constant(MASK16, [1] * 16)
        return self.builder.call(gather, [ir.Constant(LONGS, None), start, where, everywhere, ir.Constant(I32, 4)])

    # Memory -------------------------------------------------------------------------------------------

    def _at(self, memory: Any, place: Any, kind: Any) -> Any:
        where = place.value if isinstance(place, Number) else ir.Constant(I64, place)
        return self.builder.gep(memory, [where], source_etype=kind)

    def load(self, memory: Any, place: int) -> Bytes:
        return Bytes(self, self.builder.load(self._at(memory, place, BYTES), align=LANES, typ=BYTES))

    def store(self, memory: Any, place: int, value: Bytes) -> None:
        self.builder.store(value.value, self._at(memory, place, BYTES), align=LANES)

    def load_lanes(self, memory: Any, place: int) -> Lanes:
        row = self.load(memory, place).value
        return Lanes(self, self.has(row, row))

    def store_lanes(self, memory: Any, place: int, value: Lanes) -> None:
        ones = self.choose(value.value, self.byte(1), ir.Constant(BYTES, None))
        self.store(memory, place, Bytes(self, ones))

    def load_words(self, memory: Any, place: int) -> Words:
        where = [self._at(memory, place + row, BYTES) for row in range(8)]
        return Words(self, [self.builder.load(row, align=LANES, typ=WORDS) for row in where])

    def store_words(self, memory: Any, place: int, value: Words) -> None:
        for row, part in enumerate(value.value):
            self.builder.store(part, self._at(memory, place + row, BYTES), align=LANES)

    def table(self, numbers: list[int]) -> Table:
        return Table(self, self._constant(BYTES, numbers))

    def table_at(self, memory: Any, place: int) -> Table:
        return Table(self, self.load(memory, place).value)

    def number(self, memory: Any, place: Any) -> Number:
        return Number(self, self.builder.load(self._at(memory, place, I64), typ=I64))

    def set_number(self, memory: Any, place: int, number: Number) -> None:
        self.builder.store(number.value, self._at(memory, place, I64))

    def count(self, memory: Any, place: Any, lanes: Lanes) -> None:
        self.add_to(memory, place, self.size(lanes))

    def add_to(self, memory: Any, place: Any, number: Any) -> None:
        where = self._at(memory, place, I64)
        self.builder.store(self.builder.add(self.builder.load(where, typ=I64), number.value), where)

    def size(self, lanes: Lanes) -> Number:
        count = self._outside("llvm.ctpop.i64", I64, I64)
        return Number(self, self.builder.call(count, [self._bits(lanes.value)]))

    def _bits(self, lanes: Any) -> Any:
        """A choice as a number, one bit a lane."""
        return self.builder.bitcast(lanes, I64)

    def from_row(self, memory: Any, place: Any) -> Any:
        return self._at(memory, place, BYTES)

    # The order of things ------------------------------------------------------------------------------

    def times(self, count: Any) -> Iterator[Number]:
        builder, before = self.builder, self.builder.block
        most = count.value if isinstance(count, Number) else ir.Constant(I64, count)
        head, body, done = (self.function.append_basic_block() for _ in range(3))
        builder.branch(head)
        builder.position_at_end(head)
        step = builder.phi(I64)
        step.add_incoming(ir.Constant(I64, 0), before)
        builder.cbranch(builder.icmp_signed("<", step, most), body, done)
        builder.position_at_end(body)
        yield Number(self, step)
        step.add_incoming(builder.add(step, ir.Constant(I64, 1)), builder.block)
        builder.branch(head)
        builder.position_at_end(done)

    def until_none(self, memory: Any, place: int) -> Iterator[Number]:
        builder, before = self.builder, self.builder.block
        head, body, done = (self.function.append_basic_block() for _ in range(3))
        builder.branch(head)
        builder.position_at_end(head)
        attempt = builder.phi(I64)
        attempt.add_incoming(ir.Constant(I64, 0), before)
        left = self._bits(self.load_lanes(memory, place).value)
        builder.cbranch(builder.icmp_unsigned("!=", left, ir.Constant(I64, 0)), body, done)
        builder.position_at_end(body)
        yield Number(self, attempt)
        attempt.add_incoming(builder.add(attempt, ir.Constant(I64, 1)), builder.block)
        builder.branch(head)
        builder.position_at_end(done)

    def at_most(self, number: Number, most: int) -> Number:
        limit = ir.Constant(I64, most)
        less = self.builder.icmp_signed("<", number.value, limit)
        return Number(self, self.builder.select(less, number.value, limit))

    def call(self, stage: str, *arguments: Any) -> None:
        *memory, more = arguments
        given = [*memory, more.value if isinstance(more, Number) else ir.Constant(I64, more)]
        self.builder.call(self.stages[stage], given)


class Narrow(Machine):
    """The same with vectors of 256 bits, two for 64 lanes; a choice among the lanes is bytes, all bits or none."""

    def _chosen(self, bits: Any) -> Any:
        return self.builder.sext(bits, BYTES)

    def less(self, left: Any, right: Any) -> Any:
        return self._chosen(super().less(left, right))

    def at_least(self, left: Any, right: Any) -> Any:
        return self._chosen(super().at_least(left, right))

    def equal(self, left: Any, right: Any) -> Any:
        return self._chosen(super().equal(left, right))

    def has(self, left: Any, right: Any) -> Any:
        return self._chosen(super().has(left, right))

    def others(self, lanes: Any) -> Any:
        return self.builder.xor(lanes, self.byte(255))

    def no_lanes(self) -> Lanes:
        return Lanes(self, ir.Constant(BYTES, None))

    def _signs(self, lanes: Any, kind: ir.VectorType) -> Any:
        return self.builder.icmp_signed("<", lanes, ir.Constant(kind, None))

    def choose(self, lanes: Any, here: Any, elsewhere: Any) -> Any:
        return self.builder.select(self._signs(lanes, BYTES), here, elsewhere)

    def _bits(self, lanes: Any) -> Any:
        return self.builder.bitcast(self._signs(lanes, BYTES), I64)

    # A table is four of 16 bytes, each twice in a vector. The processor looks up the low four bits of a place, and finds
    # nothing where the place is negative; so each of the four is kept as what changes from the one before.

    def table(self, numbers: list[int]) -> Table:
        parts = np.array(numbers, np.uint8).reshape(4, 16)
        parts[1:] ^= parts[:-1].copy()
        return Table(self, [self._constant(HALF, [*part.tolist()] * 2) if part.any() else None for part in parts])

    def table_at(self, memory: Any, place: int) -> Table:
        parts = []
        for part in range(4):
            where = self.builder.gep(self._at(memory, place, BYTES), [ir.Constant(I64, 16 * part)], source_etype=I8)
            row = self.builder.load(where, align=16, typ=SIXTEEN)
            parts.append(self._shuffled(row, row, [*range(16)] * 2))
        return Table(self, [parts[0], *map(self.differ, parts[1:], parts[:-1])])

    def look_up(self, table: Any, where: Any) -> Any:
        permute = self._outside("llvm.x86.avx2.pshuf.b", HALF, HALF, HALF)
        kept = self.both(where, self.byte(63))
        found = []
        for half in (0, 32):
            place = self._shuffled(kept, kept, list(range(half, half + 32)))
            answer: Any = ir.Constant(HALF, None)
            for start, part in zip(range(0, LANES, 16), table, strict=True):
                if part is not None:
                    lower = self.subtract(place, ir.Constant(HALF, [start] * 32)) if start else place
                    answer = self.differ(answer, self.builder.call(permute, [part, lower]))
            found.append(answer)
        return self._shuffled(found[0], found[1], list(range(LANES)))

    # Quarters and longs -------------------------------------------------------------------------------

    def product_high(self, left: Any, right: Any) -> Any:
        wide = ir.VectorType(I32, 32)
        sixteen = ir.Constant(wide, [16] * 32)

        def high(one: Any, other: Any) -> Any:
            product = self.builder.mul(self.builder.zext(one, wide), self.builder.zext(other, wide))
            return self.builder.trunc(self.builder.lshr(product, sixteen), QUARTERS)

        return self._by_half(high, left, right)

    def narrow(self, value: Any) -> Any:
        halves = [self.builder.bitcast(part, BYTES) for part in value]
        places = [lane // 16 * 16 + lane % 8 * 2 + lane % 16 // 8 * LANES for lane in range(LANES)]
        return self._shuffled(halves[0], halves[1], places)

    def _lanes_of(self, halves: Any) -> Any:
        return self.narrow([self.builder.sext(half, QUARTERS) for half in halves])

    def less_longs(self, left: Any, right: Any) -> Any:
        return self._chosen(super().less_longs(left, right))

    def choose_longs(self, lanes: Any, here: Any, elsewhere: Any) -> Any:
        return super().choose_longs(self._signs(lanes, BYTES), here, elsewhere)

    def _gathered(self, start: Any, where: Any) -> Any:
        gather = self._outside("llvm.x86.avx2.gather.d.d.256", EIGHT, EIGHT, POINTER, EIGHT, EIGHT, I8)
        everywhere = ir.Constant(EIGHT, [-1] * 8)
        halves = [
            self.builder.call(
                gather,
                [
                    ir.Constant(EIGHT, None), start, self._shuffled(where, where, list(range(k, k + 8))),
                    everywhere, ir.Constant(I8, 4),
                ],
            )
            for k in (0, 8)
        ]  # fmt: skip
        return self._shuffled(halves[0], halves[1], list(range(16)))


WRITERS: dict[str, type[Machine]] = {"avx512": Machine, "avx2": Narrow}
"""By the width of the processor's vectors, the widest first."""


def _runs(numbers: list[int]) -> list[int]:
    """A short name for a vector: the number itself when all are the same."""
    return [numbers[0]] if len(set(numbers)) == 1 else numbers
