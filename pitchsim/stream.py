"""Chance: a counter-based random stream, so that every deal of a seed can be replayed alone.

Word `k` of a stream is a bijection of `key + k * GAMMA` (the SplitMix64 finalizer: Steele, Lea, Flood, OOPSLA 2014).
Whole numbers below a bound come from the high half of a 128-bit product; six picks share one word, and the rare
words that would favour some picks are redrawn, so every ordering of cards has exactly the same chance
(Brackett-Rozinsky, Lemire: Batched Ranged Random Integer Generation, 2024).

This is the only room with unsigned numbers; words leave it as int64.
"""

from llvmlite import ir
from numba import int64, types, uint64
from numba.extending import intrinsic

from pitchsim.jit import jitted, plain_twin

MASK64 = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15
FIRST_MULTIPLIER = 0xBF58476D1CE4E5B9
SECOND_MULTIPLIER = 0x94D049BB133111EB
LUCK_BITS = 62
MOST_PICKS = 52 * 51 * 50 * 49 * 48 * 47


def _plain_word(key, counter):
    """The plain twin of `word`."""
    z = (int(key) + GAMMA * int(counter)) & MASK64
    z = ((z ^ (z >> 30)) * FIRST_MULTIPLIER) & MASK64
    z = ((z ^ (z >> 27)) * SECOND_MULTIPLIER) & MASK64
    return z ^ (z >> 31)


def _plain_pick(word, sides):
    """The plain twin of `pick`."""
    return (int(word) * int(sides)) >> 64


def _plain_rest(word, sides):
    """The plain twin of `rest`."""
    return (int(word) * int(sides)) & MASK64


def _plain_unfair(word, sides):
    """The plain twin of `unfair`."""
    return word < (1 << 64) % _ways(int(sides))


def _ways(sides):
    """How many ordered picks of six there are when `sides` cards are left."""
    return sides * (sides - 1) * (sides - 2) * (sides - 3) * (sides - 4) * (sides - 5)


_ways_jitted = jitted(_ways)


@intrinsic
def _high_half(typingctx, first, second):
    def codegen(context, builder, signature, args):
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


@plain_twin(_plain_word)
@jitted
def word(key, counter):
    """Word number `counter` of the stream `key`: 64 bits."""
    z = key + uint64(GAMMA) * uint64(counter)
    z = (z ^ (z >> uint64(30))) * uint64(FIRST_MULTIPLIER)
    z = (z ^ (z >> uint64(27))) * uint64(SECOND_MULTIPLIER)
    return z ^ (z >> uint64(31))


@plain_twin(_plain_pick)
@jitted
def pick(word, sides):
    """A whole number below `sides`, from the top of the word."""
    return int64(_high_half(word, uint64(sides)))


@plain_twin(_plain_rest)
@jitted
def rest(word, sides):
    """What is left of the word after `pick`."""
    return word * uint64(sides)


@plain_twin(_plain_unfair)
@jitted
def unfair(word, sides):
    """Whether this rest, after six picks from `sides` cards downward, would favour some orderings."""
    if word >= uint64(MOST_PICKS):
        return False
    ways = uint64(_ways_jitted(sides))
    return word < (uint64(0) - ways) % ways


@jitted
def luck_of(key, counter):
    """The luck of one deal: a whole number that policies draw from, apart from the cards."""
    return int64(word(key, counter) >> uint64(64 - LUCK_BITS))


@jitted
def chance(luck, draw, sides):
    """A whole number from 0 to `sides` - 1, all alike; `draw` numbers the draws of one decision from 0.

    The bias is below `sides` / 2**64.
    """
    return pick(word(uint64(luck), draw + 1), sides)
