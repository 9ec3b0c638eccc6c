"""The backing for speed: the same steps written down as vector instructions, which LLVM turns into machine code.

Nothing is computed here: every operator adds one instruction to the function that is being written. Loops are written
once, whatever they count.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, ClassVar

import numpy as np
from llvmlite import binding as llvm
from llvmlite import ir

from pitchsim.cards import HAND_SIZE
from pitchsim.lanes.vectors import LANE_OF_WORD, LANES, Backing, Bytes, Lanes, Longs, Table, Words

BIT, I8, I16, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
ROW = ir.ArrayType(I8, LANES)
ROW_OF_WORDS = ir.VectorType(I64, LANES // 8)
SIXTEEN = ir.VectorType(I8, 16)
POINTER = ir.PointerType()
STAGE = ir.FunctionType(ir.VoidType(), [POINTER, POINTER, POINTER, POINTER, I64])
"""Every stage is given its desk, its tables, its numbers, its tallies, and one number more."""

MASK64 = (1 << 64) - 1


def _interleaved(quarters: int, width: int, high: bool) -> list[int]:
    """Which quarters stand where when two vectors of so many are interleaved by `width`, 128 bits at a time."""
    mask = []
    for lane in range(quarters // 8):
        for piece in range(4 // width):
            start = 8 * lane + 4 * high + piece * width
            mask += [*range(start, start + width), *range(quarters + start, quarters + start + width)]
    return mask


class Functions(dict[str, ir.Function]):
    """The functions of a module; whichever is asked for will be written, too."""

    def __init__(self, name: str) -> None:
        """Begin a module."""
        super().__init__()
        self.module = ir.Module(name)
        self.module.triple = llvm.get_process_triple()

    def __missing__(self, name: str) -> ir.Function:
        """Declare another."""
        self[name] = ir.Function(self.module, STAGE, name)
        return self[name]

    def from_(self, first: str) -> Iterator[tuple[str, ir.Function]]:
        """Go through all that must be written: the first, and those that are asked for meanwhile."""
        found = [first]
        for name in found:
            yield name, self[name]
            found += [other for other in self if other not in found]


@cache
def _vector(kind: ir.VectorType, numbers: tuple[int, ...]) -> ir.Constant:
    """A constant vector; most of them are used again and again, and to write one down takes long."""
    return ir.Constant(kind, list(numbers))


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


class Machine(Backing):
    """Writes one function, with vectors of 512 bits: a choice among the lanes is a number of 64 bits."""

    lanes = LANES
    """How many lanes a vector has; the others follow in a second turn."""
    outside: ClassVar = {
        "look_up": "llvm.x86.avx512.permvar.qi.512",
        "product_high": "llvm.x86.avx512.pmulhu.w.512",
        "narrow": "llvm.x86.avx512.packuswb.512",
    }
    """Instructions that LLVM knows by name."""

    def __init__(self, function: ir.Function, functions: Functions) -> None:
        """Begin at its first line."""
        self.function, self.functions = function, functions
        self.module = functions.module
        self.builder = ir.IRBuilder(function.append_basic_block())
        self.of_bytes, self.of_quarters, self.of_longs, self.of_words, self.of_lanes = (
            ir.VectorType(kind, self.lanes * 8 // bits)
            for kind, bits in ((I8, 8), (I16, 16), (I32, 32), (I64, 64), (BIT, 8))
        )
        self.first_lane: Any = 0
        self._room: Any = None

    def write(self, stage: Callable[..., None], desk: Any, *more: Any) -> None:
        """Write a stage, for all lanes."""
        stage(self, desk, *more)

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
            held.global_constant, held.linkage, held.align = True, "internal", LANES
        return self.builder.load(held, align=self.lanes, typ=kind)

    def byte(self, number: int) -> Any:
        return self._constant(self.of_bytes, [number & 255] * self.lanes)

    def quarter(self, number: Any) -> Any:
        if isinstance(number, Number):
            value = self._spread(self.builder.trunc(number.value, I16), self.of_quarters)
        else:
            value = self._constant(self.of_quarters, [number & 0xFFFF] * (self.lanes // 2))
        return [value, value]

    def _all(self, kind: ir.VectorType, number: int) -> Any:
        """The same number in every lane, as part of an instruction."""
        return _vector(kind, (number,) * kind.count)

    def _spread(self, number: Any, kind: ir.VectorType) -> Any:
        """The same number in every lane."""
        one = self.builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(I32, 0))
        zeros = ir.Constant(ir.VectorType(I32, kind.count), None)
        return self.builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros)

    def spread(self, number: Any) -> Bytes:
        if isinstance(number, Number):
            return Bytes(self, self._spread(self.builder.trunc(number.value, I8), self.of_bytes))
        return self.bytes(number)

    def first_lanes(self, count: Number) -> Lanes:
        places = Bytes(self, self._constant(self.of_bytes, list(range(self.lanes))))
        return places + self.spread(self.first_lane) < self.spread(count)

    def no_lanes(self) -> Lanes:
        return Lanes(self, ir.Constant(self.of_lanes, None))

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
        return self.builder.bitcast(self.builder.xor(number, ir.Constant(I64, MASK64)), self.of_lanes)

    def less(self, left: Any, right: Any) -> Any:
        return self.builder.icmp_unsigned("<", left, right)

    def at_least(self, left: Any, right: Any) -> Any:
        return self.builder.icmp_unsigned(">=", left, right)

    def equal(self, left: Any, right: Any) -> Any:
        return self.builder.icmp_unsigned("==", left, right)

    def has(self, left: Any, right: Any) -> Any:
        return self.builder.icmp_unsigned("!=", self.builder.and_(left, right), ir.Constant(self.of_bytes, None))

    def smaller(self, left: Any, right: Any) -> Any:
        return self.builder.select(self.builder.icmp_unsigned("<", left, right), left, right)

    def larger(self, left: Any, right: Any) -> Any:
        return self.builder.select(self.builder.icmp_unsigned("<", left, right), right, left)

    def choose(self, lanes: Any, here: Any, elsewhere: Any) -> Any:
        return self.builder.select(lanes, here, elsewhere)

    def ones(self, value: Any) -> Any:
        return self._outside(f"llvm.ctpop.v{self.lanes}i8", self.of_bytes, value)

    def look_up(self, table: Any, where: Any) -> Any:
        return self._outside("look_up", self.of_bytes, table, where)

    def _outside(self, name: str, answer: Any, *given: Any) -> Any:
        """Use an instruction that LLVM knows by name."""
        name = self.outside.get(name, name)
        known = self.module.globals.get(name)
        if known is None:
            known = ir.Function(self.module, ir.FunctionType(answer, [value.type for value in given]), name)
        return self.builder.call(known, given)

    def _shuffled(self, left: Any, right: Any, places: list[int]) -> Any:
        return self.builder.shuffle_vector(left, right, _vector(ir.VectorType(I32, len(places)), tuple(places)))

    # Quarters: two vectors ----------------------------------------------------------------------

    def _by_half(self, work: Callable[..., Any], *values: Any) -> Any:
        return [work(*parts) for parts in zip(*values, strict=True)]

    def add_quarters(self, left: Any, right: Any) -> Any:
        return self._by_half(self.builder.add, left, right)

    def product_low(self, left: Any, right: Any) -> Any:
        return self._by_half(self.builder.mul, left, right)

    def product_high(self, left: Any, right: Any) -> Any:
        return self._by_half(lambda *parts: self._outside("product_high", self.of_quarters, *parts), left, right)

    def carry(self, value: Any, left: Any, right: Any) -> Any:
        one = self._constant(self.of_quarters, [1] * (self.lanes // 2))

        def more(number: Any, smaller: Any, larger: Any) -> Any:
            less = self.builder.icmp_unsigned("<", smaller, larger)
            return self.builder.select(less, self.builder.add(number, one), number)

        return self._by_half(more, value, left, right)

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
        """Two choices among half the lanes as one, in the order of bytes."""
        places = [lane // 16 * 8 + lane % 8 + lane % 16 // 8 * self.lanes // 2 for lane in range(self.lanes)]
        return self._shuffled(halves[0], halves[1], places)

    def widen(self, value: Any) -> Any:
        answer, zero = [], ir.Constant(self.of_bytes, None)
        for part in (0, 1):
            places = [lane // 16 * 16 + 8 * part + lane % 16 // 2 for lane in range(self.lanes)]
            places[1::2] = [self.lanes] * (self.lanes // 2)
            answer.append(self.builder.bitcast(self._shuffled(value, zero, places), self.of_quarters))
        return answer

    def narrow(self, value: Any) -> Any:
        return self._outside("narrow", self.of_bytes, *value)

    # Words: eight vectors ------------------------------------------------------------------------

    def words(self, start: Any, step: int) -> Words:
        """Word `start` in the first lane, and `step` more in each that follows."""
        first = self._word(start + self.first_lane * step)
        ahead = [[int(lane) * step & MASK64 for lane in lanes[: self.lanes // 8]] for lanes in LANE_OF_WORD]
        return Words(self, [self.builder.add(first, self._constant(self.of_words, steps)) for steps in ahead])

    def _word(self, number: Any) -> Any:
        if isinstance(number, Number):
            return self._spread(number.value, self.of_words)
        return self._constant(self.of_words, [int(number) & MASK64] * (self.lanes // 8))

    def add_word(self, value: Any, number: Any) -> Any:
        other = self._word(number)
        return [self.builder.add(part, other) for part in value]

    def multiply_word(self, value: Any, number: int) -> Any:
        other = self._word(number)
        return [self.builder.mul(part, other) for part in value]

    def fold(self, value: Any, bits: int) -> Any:
        by = self._all(self.of_words, bits)
        return [self.builder.xor(part, self.builder.lshr(part, by)) for part in value]

    def shift(self, value: Any, bits: int, kept: int) -> Any:
        by, mask = self._all(self.of_words, bits), self._all(self.of_words, kept & MASK64)
        return [self.builder.and_(self.builder.lshr(part, by), mask) for part in value]

    def quartered(self, value: Any) -> list[Any]:
        """The quarters of words, by interleaving four vectors of words three times."""
        answer: list[Any] = [[], [], [], []]
        for start in (0, 4):
            rows = [self.builder.bitcast(part, self.of_quarters) for part in value[start : start + 4]]
            pairs = [self._interleave(rows[k], rows[k + 1], 1, high) for high in (False, True) for k in (0, 2)]
            fours = [self._interleave(pairs[k], pairs[k + 1], 2, high) for k in (0, 2) for high in (False, True)]
            for part in range(4):
                answer[part].append(self._interleave(fours[part // 2], fours[part // 2 + 2], 4, part % 2 == 1))
        return answer

    def _interleave(self, left: Any, right: Any, width: int, high: bool) -> Any:
        return self._shuffled(left, right, _interleaved(self.lanes // 2, width, high))

    # Longs: four vectors -------------------------------------------------------------------------

    def _joined(self, parts: list[Any]) -> Any:
        """Four vectors as one."""
        halves = [self._shuffled(parts[k], parts[k + 1], list(range(self.lanes // 2))) for k in (0, 2)]
        return self._shuffled(halves[0], halves[1], list(range(self.lanes)))

    def _fourths(self, value: Any) -> list[Any]:
        """One vector as four."""
        size = self.lanes // 4
        return [self._shuffled(value, value, list(range(size * k, size * k + size))) for k in range(4)]

    def less_longs(self, left: Any, right: Any) -> Any:
        return self._joined(self._by_half(lambda one, other: self.builder.icmp_signed("<", one, other), left, right))

    def choose_longs(self, lanes: Any, here: Any, elsewhere: Any) -> Any:
        return self._by_half(self.builder.select, self._fourths(lanes), here, elsewhere)

    def low_bits(self, value: Any, kept: int) -> Any:
        mask, narrow = self._all(self.of_longs, kept), ir.VectorType(I8, self.lanes // 4)
        return self._joined([self.builder.trunc(self.builder.and_(part, mask), narrow) for part in value])

    def look_far(self, memory: Any, place: int, low: Bytes, high: Bytes) -> Longs:
        start, eight, found = self._at(memory, place, ROW), self._all(self.of_longs, 8), []
        for low_part, high_part in zip(self._fourths(low.value), self._fourths(high.value), strict=True):
            above = self.builder.shl(self.builder.zext(high_part, self.of_longs), eight)
            found.append(self._gathered(start, self.builder.or_(self.builder.zext(low_part, self.of_longs), above)))
        return Longs(self, found)

    def _gathered(self, start: Any, where: Any) -> Any:
        """Sixteen numbers from as many places."""
        everywhere = self._all(ir.VectorType(BIT, 16), 1)
        return self._outside(
            "llvm.x86.avx512.mask.gather.dpi.512", self.of_longs,
            ir.Constant(self.of_longs, None), start, where, everywhere, ir.Constant(I32, 4),
        )  # fmt: skip

    # Memory -------------------------------------------------------------------------------------------

    def _at(self, memory: Any, place: Any, kind: Any) -> Any:
        where = place.value if isinstance(place, Number) else ir.Constant(I64, place)
        return self.builder.gep(memory, [where], source_etype=kind)

    def load(self, memory: Any, place: Any) -> Bytes:
        return Bytes(self, self.builder.load(self._at(memory, place, ROW), align=self.lanes, typ=self.of_bytes))

    def store(self, memory: Any, place: Any, value: Bytes) -> None:
        self.builder.store(value.value, self._at(memory, place, ROW), align=self.lanes)

    def load_lanes(self, memory: Any, place: Any) -> Lanes:
        row = self.load(memory, place).value
        return Lanes(self, self.has(row, row))

    def store_lanes(self, memory: Any, place: Any, value: Lanes) -> None:
        self.store(memory, place, value.choose(self.bytes(1), self.bytes(0)))

    def load_words(self, memory: Any, place: Any) -> Words:
        where = [self._at(memory, place + row, ROW) for row in range(8)]
        return Words(self, [self.builder.load(row, align=self.lanes, typ=self.of_words) for row in where])

    def store_words(self, memory: Any, place: Any, value: Words) -> None:
        for row, part in enumerate(value.value):
            self.builder.store(part, self._at(memory, place + row, ROW), align=self.lanes)

    def table(self, numbers: list[int]) -> Table:
        return Table(self, self._constant(self.of_bytes, numbers))

    def table_at(self, memory: Any, place: int) -> Table:
        return Table(self, self.load(memory, place).value)

    def number(self, memory: Any, place: Any) -> Number:
        return Number(self, self.builder.load(self._at(memory, place, I64), typ=I64))

    def set_number(self, memory: Any, place: int, number: Number) -> None:
        self.builder.store(number.value, self._at(memory, place, I64))

    def add_to(self, memory: Any, place: Any, number: Any) -> None:
        where = self._at(memory, place, I64)
        self.builder.store(self.builder.add(self.builder.load(where, typ=I64), number.value), where)

    def size(self, lanes: Lanes) -> Number:
        return Number(self, self._outside("llvm.ctpop.i64", I64, self._bits(lanes.value)))

    def _bits(self, lanes: Any) -> Any:
        """A choice as a number, one bit a lane."""
        return self.builder.bitcast(lanes, I64)

    def from_row(self, memory: Any, place: Any) -> Any:
        return self._at(memory, place, ROW)

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
        words = builder.load(self._at(memory, place, ROW), align=LANES, typ=ROW_OF_WORDS)
        left = self._outside(f"llvm.vector.reduce.or.v{ROW_OF_WORDS.count}i64", I64, words)
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
        self.builder.call(self.functions[stage], given)


class Narrow(Machine):
    """The same with vectors of 256 bits, in two turns; a choice among the lanes is bytes, all bits or none."""

    lanes = LANES // 2
    outside: ClassVar = {
        "look_up": "llvm.x86.avx2.pshuf.b",
        "product_high": "llvm.x86.avx2.pmulhu.w",
        "narrow": "llvm.x86.avx2.packuswb",
        "join": "llvm.x86.avx2.packsswb",
    }

    def write(self, stage: Callable[..., None], desk: Any, *more: Any) -> None:
        """Write a stage, for one half of the lanes after the other."""
        for turn in self.times(LANES // self.lanes):
            self.first_lane = turn * self.lanes
            stage(self, self._at(desk, self.first_lane, I8), *more)

    def _chosen(self, bits: Any) -> Any:
        return self.builder.sext(bits, self.of_bytes)

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
        return Lanes(self, ir.Constant(self.of_bytes, None))

    def _signs(self, lanes: Any) -> Any:
        return self.builder.icmp_signed("<", lanes, ir.Constant(self.of_bytes, None))

    def choose(self, lanes: Any, here: Any, elsewhere: Any) -> Any:
        return self.builder.select(self._signs(lanes), here, elsewhere)

    def _bits(self, lanes: Any) -> Any:
        return self.builder.zext(self.builder.bitcast(self._signs(lanes), I32), I64)

    # A table is four of 16 bytes, each twice in a vector. The processor looks up by the low four bits of a place, and
    # finds nothing where the place is negative; so each of the four is kept as what changes from the one before.

    def table(self, numbers: list[int]) -> Table:
        parts = np.array(numbers, np.uint8).reshape(4, 16)
        parts[1:] ^= parts[:-1].copy()
        return Table(self, [self._constant(self.of_bytes, part.tolist() * 2) if part.any() else None for part in parts])

    def table_at(self, memory: Any, place: int) -> Table:
        parts = []
        for start in range(0, LANES, 16):
            row = self.builder.load(self._at(memory, place * LANES + start, I8), align=16, typ=SIXTEEN)
            parts.append(self._shuffled(row, row, [*range(16)] * 2))
        return Table(self, [parts[0], *map(self.differ, parts[1:], parts[:-1])])

    def look_up(self, table: Any, where: Any) -> Any:
        place, answer = self.both(where, self.byte(LANES - 1)), ir.Constant(self.of_bytes, None)
        for start, part in zip(range(0, LANES, 16), table, strict=True):
            if part is not None:
                lower = self.subtract(place, self._all(self.of_bytes, start)) if start else place
                answer = self.differ(answer, super().look_up(part, lower))
        return answer

    # What is done with every card is written once: the code of all cards together is more than the processor can keep
    # at hand.

    def each(self, values: Sequence[Bytes], step: Callable[..., tuple], *found: Bytes) -> tuple:
        builder = self.builder
        if self._room is None:
            with builder.goto_entry_block():
                self._room = builder.alloca(ROW, HAND_SIZE)
                self._room.align, self._room.type = LANES, POINTER
        for place, value in enumerate(values):
            self.store(self._room, place, value)
        before, body, done = builder.block, *(self.function.append_basic_block() for _ in range(2))
        builder.branch(body)
        builder.position_at_end(body)
        place, carried = builder.phi(I64), [builder.phi(self.of_bytes) for _ in found]
        later = step(self.load(self._room, Number(self, place)), *(Bytes(self, value) for value in carried))
        following = builder.add(place, ir.Constant(I64, 1))
        place.add_incoming(ir.Constant(I64, 0), before)
        place.add_incoming(following, builder.block)
        for value, sooner, again in zip(carried, found, later, strict=True):
            value.add_incoming(sooner.value, before)
            value.add_incoming(again.value, builder.block)
        builder.cbranch(builder.icmp_signed("<", following, ir.Constant(I64, len(values))), body, done)
        builder.position_at_end(done)
        return later

    # Quarters and longs -------------------------------------------------------------------------------

    def _lanes_of(self, halves: Any) -> Any:
        return self._outside("join", self.of_bytes, *(self.builder.sext(half, self.of_quarters) for half in halves))

    def less_longs(self, left: Any, right: Any) -> Any:
        return self._chosen(super().less_longs(left, right))

    def choose_longs(self, lanes: Any, here: Any, elsewhere: Any) -> Any:
        return super().choose_longs(self._signs(lanes), here, elsewhere)

    def _gathered(self, start: Any, where: Any) -> Any:
        everywhere = self._all(self.of_longs, -1)
        return self._outside(
            "llvm.x86.avx2.gather.d.d.256", self.of_longs,
            ir.Constant(self.of_longs, None), start, where, everywhere, ir.Constant(I8, 4),
        )  # fmt: skip


WRITERS: dict[str, type[Machine]] = {"avx512": Machine, "avx2": Narrow}
"""By the width of the processor's vectors, the widest first."""


def _runs(numbers: list[int]) -> list[int]:
    """A short name for a vector: the number itself when all are the same."""
    return [numbers[0]] if len(set(numbers)) == 1 else numbers
