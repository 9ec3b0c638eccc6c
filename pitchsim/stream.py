"""Chance: a counter-based random stream, so that every deal of a seed can be replayed alone.

Word `k` of a stream is a bijection of `key + k * GAMMA` (the SplitMix64 finalizer: Steele, Lea, Flood, OOPSLA 2014).
Whole numbers below a bound come from the high half of a product. Three picks share each half of a word, and the rare
halves that would favour some picks are redrawn, so every ordering of cards has exactly the same chance
(Brackett-Rozinsky, Lemire: Batched Ranged Random Integer Generation, 2024). Halves, and not whole words, since the
engine of 64 lanes multiplies 16 bits at a time.

This is the only room with unsigned numbers; words leave it as int64.
"""

from pitchsim.jit import high_half, int64, jitted, plain_twin, uint64

MASK64 = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15
FIRST_MULTIPLIER = 0xBF58476D1CE4E5B9
SECOND_MULTIPLIER = 0x94D049BB133111EB
LUCK_BITS = 62
DRAWS_A_DEAL = 128
"""The luck of a deal is a multiple of it: the deal's own draws count from there."""
PICKS_A_HALF = 3
HALF_BITS = 32
HALF = (1 << HALF_BITS) - 1
MOST_WAYS = 52 * 51 * 50
QUARTER_BITS = 16
QUARTER = (1 << QUARTER_BITS) - 1


def _plain_word(key, counter):
    """The plain twin of `word`."""
    z = (int(key) + GAMMA * int(counter)) & MASK64
    z = ((z ^ (z >> 30)) * FIRST_MULTIPLIER) & MASK64
    z = ((z ^ (z >> 27)) * SECOND_MULTIPLIER) & MASK64
    return z ^ (z >> 31)


def _plain_lucky_word(luck, number):
    """The plain twin of `lucky_word`."""
    z = (int(luck) + GAMMA * (int(number) + 1)) & MASK64
    z = ((z ^ (z >> 30)) * FIRST_MULTIPLIER) & MASK64
    return z ^ (z >> 32)


def _plain_below(word, sides):
    """The plain twin of `below`."""
    return (int(word) * int(sides)) >> 64


@plain_twin(_plain_word)
@jitted
def word(key, counter):
    """Word number `counter` of the stream `key`: 64 bits."""
    z = key + uint64(GAMMA) * uint64(counter)
    z = (z ^ (z >> uint64(30))) * uint64(FIRST_MULTIPLIER)
    z = (z ^ (z >> uint64(27))) * uint64(SECOND_MULTIPLIER)
    return z ^ (z >> uint64(31))


@plain_twin(_plain_below)
@jitted
def below(word, sides):
    """A whole number below `sides`, from the top of the word."""
    return int64(high_half(word, uint64(sides)))


@jitted
def half_of(word, part):
    """The upper (part 0) or the lower half of a word."""
    return int64(word >> uint64(HALF_BITS)) if part == 0 else int64(word & uint64(HALF))


@jitted
def pick(half, sides):
    """A whole number below `sides`, from the top of half a word."""
    return (half * sides) >> HALF_BITS


@jitted
def rest(half, sides):
    """What is left of the half after `pick`."""
    return (half * sides) & HALF


@jitted
def ways(sides):
    """How many ordered picks of three there are when `sides` cards are left."""
    return sides * (sides - 1) * (sides - 2)


@jitted
def unfair(half, sides):
    """Whether this rest, after three picks from `sides` cards downward, would favour some orderings."""
    return half < MOST_WAYS and half < (1 << HALF_BITS) % ways(sides)


@jitted
def luck_of(key, counter):
    """The luck of one deal: a whole number that policies draw from, apart from the cards."""
    return int64(word(key, counter) >> uint64(64 - LUCK_BITS)) & -DRAWS_A_DEAL


@plain_twin(_plain_lucky_word)
@jitted
def lucky_word(luck, number):
    """Word `number` of the luck of a deal: luck is well mixed already, so that half of the mixing is enough."""
    z = uint64(luck) + uint64(GAMMA) * uint64(number + 1)
    z = (z ^ (z >> uint64(30))) * uint64(FIRST_MULTIPLIER)
    return z ^ (z >> uint64(32))


@jitted
def quarter(luck):
    """Sixteen bits of luck: four draws of a deal, one after the other, share a word."""
    draw = luck & (DRAWS_A_DEAL - 1)
    return int64(lucky_word(luck - draw, draw >> 2) >> uint64(QUARTER_BITS * (draw & 3))) & QUARTER


@jitted
def chance(luck, draw, sides):
    """A whole number from 0 to `sides` - 1, all alike; `draw` numbers the draws of one decision from 0.

    The bias is below `sides` / 2**64.
    """
    return below(word(uint64(luck), draw + 1), sides)
