"""What the engine of 64 lanes can do with deals: the stages, and the runs made of them.

A stage is a function of a desk, its tables, its numbers, its tallies and one number more. It is written once: `plain`
runs it with numpy, `code` has it written down as machine code.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pitchsim.lanes.deck import Deck, Luck, deal_hands, shuffle_luck
from pitchsim.lanes.desk import ALIVE, DEALT, FIRST_CARD, GAME, HIGH, JACK, LOW, SWEPT, TODO
from pitchsim.lanes.play import HAND_SIZE, House, in_order, play_cards
from pitchsim.lanes.policies import POLICIES
from pitchsim.lanes.scoring import score
from pitchsim.lanes.vectors import LANES, Bytes, Lanes

KEY, LUCK_KEY, FIRST, COUNT, ROWS_OF_LEADS, BLOCK, LEADS = range(7)
"""Places of the numbers of a run: the keys, the first deal, how many, how many leads, and the leads."""

DECK_ROW = 0
"""The table of the deck: what is dealt from, in order."""

SETS = 16
POINTS_ROW = 200
"""Rows behind the desk: the pitcher's points with each lead."""

Stage = Callable[..., None]


@dataclass(frozen=True)
class Table:
    """Who plays: the house, the policies, and by what each policy needs."""

    house: House
    policies: tuple[str, ...]

    @property
    def name(self) -> str:
        """What tells it from all others."""
        house = self.house
        switches = "".join(str(int(switch)) for switch in (house.partners, house.low_to_holder, house.tie_to_opponent, house.strict))
        return f"{house.players}-{switches}-{'-'.join(self.policies)}"


def stages(table: Table) -> dict[str, Stage]:
    """All stages, in an order in which each calls only those before it."""
    house = table.house
    policy = POLICIES[table.policies[0]]

    def deal_from(first: int, again: bool, on: Any, desk: Any, tables: Any, numbers: Any, attempt: Any) -> None:
        """Deal to the seats from `first` on, from the cards that those before them do not hold."""
        deck = Deck(on, 52 - HAND_SIZE * first, on.table_at(tables, DECK_ROW), [])
        key, deal = on.number(numbers, KEY), on.number(numbers, BLOCK)
        deal_hands(on, desk, deck, list(range(first, house.players)), key, deal, attempt, again)

    def deal_all(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any) -> None:
        """Deal to everybody from the whole deck."""
        deal_from(0, False, on, desk, tables, numbers, 0)

    def deal_all_again(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, attempt: Any) -> None:
        """The same, where the words were unfair."""
        deal_from(0, True, on, desk, tables, numbers, attempt + 1)

    def luck(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any) -> None:
        """Shuffle the luck of the players."""
        shuffle_luck(on, desk, on.number(numbers, LUCK_KEY), on.number(numbers, BLOCK))

    def play(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any) -> None:
        """Play the deals out, and score them."""
        score(on, house, play_cards(on, house, policy, desk, Luck(on, desk)), desk)

    def pitch(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any) -> None:
        """Let the pitcher choose his first card."""
        dealt = [on.load(desk, DEALT + slot) for slot in range(HAND_SIZE)]
        on.store(desk, FIRST_CARD, PITCHES[table.policies[0]](on, in_order(dealt), Luck(on, desk)))

    def deal_only(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any) -> None:
        """Deal and do nothing."""
        for alive in blocks(on, desk, numbers):
            deal_until_fair(on, "deal_all", alive, desk, tables, numbers, tallies)
            on.count(tallies, 0, alive)

    def pitch_deals(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any) -> None:
        """Whole deals, seat 0 the pitcher: tallies by the set of points that he won."""
        for alive in blocks(on, desk, numbers):
            deal_until_fair(on, "deal_all", alive, desk, tables, numbers, tallies)
            on.call("luck", desk, tables, numbers, tallies, 0)
            on.call("pitch", desk, tables, numbers, tallies, 0)
            on.call("play", desk, tables, numbers, tallies, 0)
            on.call("count", desk, tables, numbers, tallies, 0)

    def count(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, row: Any) -> None:
        """Count deals by the set of points that the pitcher's side won."""
        alive = on.load_lanes(desk, ALIVE)
        won = points_set(on, desk)
        for number in range(SETS):
            on.count(tallies, row * (SETS + 1) + number, won.equals(number) & alive)
        on.count(tallies, row * (SETS + 1) + SETS, won.equals(SETS - 1) & on.load_lanes(desk, SWEPT) & alive)

    return {stage.__name__: stage for stage in (deal_all, deal_all_again, luck, pitch, play, count, deal_only, pitch_deals)}


def blocks(on: Any, desk: Any, numbers: Any) -> Any:
    """Go through the deals, 64 at a time; yields those that there are."""
    first, count = on.number(numbers, FIRST), on.number(numbers, COUNT)
    for block in on.times(on.number(numbers, ROWS_OF_LEADS)):
        on.set_number(numbers, BLOCK, first + block * LANES)
        alive = on.first_lanes(on.at_most(count - block * LANES, LANES))
        on.store_lanes(desk, ALIVE, alive)
        yield alive


def deal_until_fair(on: Any, stage: str, alive: Lanes, *memory: Any) -> None:
    """Deal; those deals whose words would favour some hands are dealt again."""
    on.store_lanes(memory[0], TODO, alive)
    on.call(stage, *memory, 0)
    for attempt in on.until_none(memory[0], TODO):
        on.call(stage + "_again", *memory, attempt)


def points_set(on: Any, desk: Any) -> Bytes:
    """Which of the four points the pitcher's side won: High 1, Low 2, Jack 4, Game 8, added up."""
    won = on.bytes(0)
    for bit, row in enumerate((HIGH, LOW, JACK, GAME)):
        won = won.plus(on.load(desk, row).equals(0), 1 << bit)
    return won


def pitch_any(on: Any, hand: list[Bytes], luck: Luck) -> Bytes:
    """Any of the six cards."""
    left = luck(0).top(on.bytes(HAND_SIZE).wide()).narrow()
    card = hand[0]
    for place in range(1, HAND_SIZE):
        card = left.equals(place).choose(hand[place], card)
    return card


def pitch_longest(on: Any, hand: list[Bytes], luck: Luck) -> Bytes:
    """The top of the longest suit; of two equally long ones the one with the higher cards."""
    lows = on.table([1 << (number & 15) & 255 for number in range(64)])
    highs = on.table([(1 << (number & 15) >> 8) + 32 for number in range(64)])  # And how many, from bit 5 on.
    bits = [(lows[card], highs[card], card & 48) for card in hand]
    best, best_high, best_low = on.bytes(0), on.bytes(0), on.bytes(0)
    for lane in range(4):
        high, low = on.bytes(0), on.bytes(0)
        for low_bit, high_bit, suit in bits:
            here = suit.equals(16 * lane)
            low, high = here.choose(low + low_bit, low), here.choose(high + high_bit, high)
        better = (high > best_high) | (high.equals(best_high) & (low > best_low))
        best = better.choose(on.bytes(16 * lane), best)
        best_high, best_low = better.choose(high, best_high), better.choose(low, best_low)
    card = on.bytes(0)
    for slot in hand:
        card = (slot & 48).equals(best).choose(slot, card)
    return card


PITCHES = {"random": pitch_any, "greedy": pitch_longest}
