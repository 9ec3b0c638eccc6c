"""What the engine of 64 lanes can do with deals: the stages, and the runs made of them.

A stage is a function of a desk, its tables, its numbers, its tallies and one number more; so is a run, which only says
in which order the stages follow. Both are written once: `plain` runs them with numpy, `machine` writes them down as
vector instructions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from pitchsim.deck import DECK_SIZE
from pitchsim.desk import (
    ALIVE,
    DEALT,
    FIRST_CARD,
    GAME,
    HIGH,
    JACK,
    LOW,
    PLAYED_BY,
    POINTS,
    ROWS,
    SWEPT,
    UNDEALT,
)
from pitchsim.lanes.deck import Deck, Luck, after_side_cards, deal_hands, deal_side_cards, shuffle_luck
from pitchsim.lanes.play import HAND_SIZE, House, View, in_order, play_cards
from pitchsim.lanes.policies import PITCHES, POLICIES
from pitchsim.lanes.scoring import score
from pitchsim.lanes.vectors import LANES, Bytes

KEY, LUCK_KEY, FIRST, COUNT, BLOCKS, BLOCK, HOW_MANY_LEADS, SIDE_CARDS, SIDE_NUMBER = range(9)
LIMITS, LEADS, NUMBERS = 9, 13, 32
"""Places of the numbers of a run: the keys, the first deal, how many deals and blocks, the deal at hand; how many
leads; the cards that may be side cards, how many are dealt, four quarters of thresholds; the leads."""

DECK, OWN_TABLES = 0, 1
"""The tables: the deck that is dealt from, in order; then those of the policies."""

SETS, SET_COLUMNS = 16, 17
MOST_LEADS = 6
SQUARES = MOST_LEADS * SET_COLUMNS
TALLIES = SQUARES + MOST_LEADS * MOST_LEADS
"""Tallies: for each lead deals by the set of points won, and all six tricks with it; then the squares of gaps."""

Stage = Callable[..., None]


@dataclass(frozen=True)
class Program:
    """Who plays: the house, and the policies at the table, each once."""

    house: House
    policies: tuple[str, ...]

    @property
    def name(self) -> str:
        """What tells it from all others."""
        house = self.house
        rules = (house.partners, house.low_to_holder, house.tie_to_opponent, house.strict)
        return f"{house.players}-{''.join(str(int(rule)) for rule in rules)}-{'-'.join(self.policies)}"

    def stages(self) -> dict[str, Stage]:
        """What is done with the lanes, by name."""
        house = self.house
        everybody = partial(deal_from, house, 0, False)
        others = partial(deal_from, house, 1, False)
        others_after_side = partial(deal_from, house, 1, True)
        found: dict[str, Stage] = {
            "begin": begin,
            "luck": partial(luck, self.policies),
            "pitch": partial(pitch, self.policies),
            "lead": lead,
            "play": partial(play, house, self.policies),
            "count": count,
            "gaps": gaps,
        }
        for name, stage in (
            ("everybody", everybody),
            ("others", others),
            ("others_after_side", others_after_side),
            ("side", side),
        ):
            found[name] = partial(stage, False)
            found[name + AGAIN] = partial(stage, True)
        return found


AGAIN = "_again"
LUCKY = "random"


# Stages ----------------------------------------------------------------------------------------------


def begin(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, deals: Any) -> None:
    """Note which lanes have a deal: the first ones."""
    on.store_lanes(desk, ALIVE, on.first_lanes(deals))


def deal_from(
    house: House, first: int, after_side: bool, again: bool,
    on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, attempt: Any,
) -> None:  # fmt: skip
    """Deal to the seats from `first` on, from the cards that those before them do not hold."""
    moved = []
    if after_side:
        moved = after_side_cards(on, desk, on.number(numbers, SIDE_CARDS), on.number(numbers, SIDE_NUMBER))
    deck = Deck(on, DECK_SIZE - HAND_SIZE * first, on.table_at(tables, DECK), moved)
    key, deal = on.number(numbers, KEY), on.number(numbers, BLOCK)
    deal_hands(on, desk, deck, list(range(first, house.players)), key, deal, attempt if again else 0, again)


def side(again: bool, on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, attempt: Any) -> None:
    """Deal the pitcher's side cards."""
    limits = [(on.number(numbers, LIMITS + 2 * part), on.number(numbers, LIMITS + 2 * part + 1)) for part in (0, 1)]
    deal_side_cards(
        on, desk, on.table_at(tables, DECK), on.number(numbers, SIDE_CARDS), on.number(numbers, SIDE_NUMBER), limits,
        on.number(numbers, KEY), on.number(numbers, BLOCK), attempt if again else 0, again,
    )  # fmt: skip


def luck(policies: tuple[str, ...], on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any) -> None:
    """Shuffle the luck of the players, where one trusts to it."""
    if LUCKY not in policies:
        return
    shuffle_luck(on, desk, on.number(numbers, LUCK_KEY), on.number(numbers, BLOCK))


def pitch(policies: tuple[str, ...], on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any) -> None:
    """R8: let the pitcher choose his first card, by the first policy."""
    dealt = [on.load(desk, DEALT + slot) for slot in range(HAND_SIZE)]
    on.store(desk, FIRST_CARD, PITCHES[policies[0]](on, in_order(dealt), Luck(on, desk), tables))


def lead(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, card: Any) -> None:
    """Let the pitcher begin with this card in all deals."""
    on.store(desk, FIRST_CARD, on.spread(card))


def play(
    house: House, policies: tuple[str, ...],
    on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any,
) -> None:  # fmt: skip
    """Play the deals out, and score them."""
    by = [on.load(desk, PLAYED_BY + place) for place in range(len(policies) - 1)]

    def choose(view: View) -> Bytes:
        card = POLICIES[policies[0]](on, view, tables)
        for name, seats in zip(policies[1:], by, strict=True):
            card = view.is_one_of(seats).choose(POLICIES[name](on, view, tables), card)
        return card

    score(on, house, play_cards(on, house, choose, desk, Luck(on, desk)), desk)


def count(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, row: Any) -> None:
    """Count deals by the set of points that the pitcher's side won, and leave how many they are."""
    alive = on.load_lanes(desk, ALIVE)
    won = points_set(on, desk)
    start = row * SET_COLUMNS
    for number in range(SETS):
        on.count(tallies, start + number, won.equals(number) & alive)
    on.count(tallies, start + SETS, won.equals(SETS - 1) & on.load_lanes(desk, SWEPT) & alive)
    on.store(on.from_row(desk, row + POINTS), 0, won.ones())


def points_set(on: Any, desk: Any) -> Bytes:
    """Which of the four points the pitcher's side won: High 1, Low 2, Jack 4, Game 8, added up."""
    won = on.bytes(0)
    for bit, row in enumerate((HIGH, LOW, JACK, GAME)):
        won = won.plus(on.load(desk, row).equals(0), 1 << bit)
    return won


def gaps(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, row: Any) -> None:
    """Add up the squares of the gaps between this lead and every one before it."""
    alive = on.load_lanes(desk, ALIVE)
    for other in on.times(row):
        one, two = (on.load(on.from_row(desk, lead + POINTS), 0) for lead in (row, other))
        gap = one.larger(two) - one.smaller(two)
        for points in range(1, 5):  # A square is the sum of the first odd numbers.
            found = on.size((gap >= points) & alive) * (2 * points - 1)
            on.add_to(tallies, row * MOST_LEADS + other + SQUARES, found)


# Runs: in which order, and how often -----------------------------------------------------------------


def blocks(on: Any, *memory: Any) -> Iterator[None]:
    """Go through the deals, 64 at a time."""
    numbers = memory[2]
    first, number = on.number(numbers, FIRST), on.number(numbers, COUNT)
    for block in on.times(on.number(numbers, BLOCKS)):
        on.set_number(numbers, BLOCK, first + block * LANES)
        on.call("begin", *memory, on.at_most(number - block * LANES, LANES))
        yield


def until_fair(on: Any, stage: str, *memory: Any) -> None:
    """Deal; those deals whose words would favour some hands are dealt again."""
    on.call(stage, *memory, 0)
    for attempt in on.until_none(memory[0], UNDEALT):
        on.call(stage + AGAIN, *memory, attempt)


def deal_only(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any) -> None:
    """Deal hands and do nothing with them."""
    memory = desk, tables, numbers, tallies
    for _ in blocks(on, *memory):
        until_fair(on, "everybody", *memory)


def pitch_deals(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any) -> None:
    """Whole deals, seat 0 the pitcher."""
    memory = desk, tables, numbers, tallies
    for _ in blocks(on, *memory):
        until_fair(on, "everybody", *memory)
        for stage in ("luck", "pitch", "play", "count"):
            on.call(stage, *memory, 0)


def try_leads(dealing: tuple[str, ...], on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any) -> None:
    """Seat 0 is the pitcher and leads each of the leads on the same deals; his cards lie on the desk.

    `dealing` are the stages by which the others, and he where he lacks some to six, are dealt theirs.
    """
    memory = desk, tables, numbers, tallies
    leads = on.number(numbers, HOW_MANY_LEADS)
    for _ in blocks(on, *memory):
        for stage in dealing:
            until_fair(on, stage, *memory)
        on.call("luck", *memory, 0)
        for row in on.times(leads):
            on.call("lead", *memory, on.number(numbers, row + LEADS))
            on.call("play", *memory, 0)
            on.call("count", *memory, row)
        for row in on.times(leads):
            on.call("gaps", *memory, row)


def play_desks(on: Any, desk: Any, tables: Any, numbers: Any, tallies: Any, _: Any) -> None:
    """Play hands that lie ready, one desk behind the other."""
    for block in on.times(on.number(numbers, BLOCKS)):
        on.call("play", on.from_row(desk, block * ROWS), tables, numbers, tallies, 0)


RUNS: dict[str, Stage] = {
    "deal_only": deal_only,
    "pitch_deals": pitch_deals,
    "try_leads": partial(try_leads, ("others",)),
    "try_leads_of_holding": partial(try_leads, ("side", "others_after_side")),
    "play_desks": play_desks,
}
"""What can be called from outside, by name."""
