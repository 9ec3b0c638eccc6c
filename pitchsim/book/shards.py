"""A shard of a book: what stands in it depends on the recipe and its number alone, not on who makes it, or when."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from pitchsim.book.classes import LANES, all_classes, size_of
from pitchsim.book.recipe import Recipe, sources
from pitchsim.cards import RANKS, SUITS
from pitchsim.deck import SUIT_CARDS
from pitchsim.errors import InputError
from pitchsim.leading import Aim, Leader, Pitched, cards_of
from pitchsim.seating import Keys, seat_players

Rows = list[dict[str, Any]]


@cache
def pitcher_of(recipe: Recipe, engine: str) -> Leader:
    """The pitcher who tries the hands of a book."""
    return Leader.at(seat_players(recipe.rules, [recipe.play], ["passive"], engine), Keys.of(recipe.seed))


def engine_for(recipe: Recipe, engine: str) -> str:
    """Which engine plays the hands of a book here, when this one is asked for.

    Raises InputError where 64 lanes cannot.
    """
    return pitcher_of(recipe, engine).seating.engine_used


def rows_of(
    recipe: Recipe, numbers: Sequence[int], after_each: Callable[[], object] = lambda: None, engine: str = "auto"
) -> Rows:
    """Some classes: the canonical hand, the best card of the six to pitch, and what that brings.

    The deals are numbered by the class, so a class comes out the same in whatever book or shard it stands.
    `after_each` may stop the work by raising.
    """
    pitcher, aim = pitcher_of(recipe, engine), Aim(recipe.precision, recipe.deals)
    hands = all_classes()[np.array(numbers, np.int64)]
    rows = []
    for number, hand, size in zip(numbers, hands.tolist(), size_of(hands).tolist(), strict=True):
        best = pitcher.choose(Pitched.hand(hand), number, aim)
        lead, gap = best.lead, best.gap
        rows.append(
            {
                "class": number,
                "hand": suit_by_suit(hand),
                "size": size,
                "trump": SUITS[lead.card.suit],
                "lead": str(lead.card),
                "deals": lead.deals,
                **lead.figures(),
                "next_lead": str(best.next_card),
                "behind": gap.mean,
                "behind_se": gap.se,
            }
        )
        after_each()
    return rows


def row_of(recipe: Recipe, number: int, engine: str = "auto") -> dict[str, Any]:
    """One class."""
    return rows_of(recipe, [number], engine=engine)[0]


def make_shard(
    recipe: Recipe, shard: int, after_each: Callable[[], object] = lambda: None, engine: str = "auto"
) -> Rows:
    """All classes of a shard."""
    return rows_of(recipe, recipe.classes_of(shard), after_each, engine)


def make_shard_elsewhere(recipe: Mapping[str, Any], shard: int, engine: str) -> Rows | str:
    """Make a shard in another process, or say in a sentence why not."""
    wanted = Recipe.from_dict(recipe)
    if wanted.sources != sources():
        return "a worker of the cluster has another version of pitchsim; install the same one everywhere"
    try:
        return make_shard(wanted, shard, engine=engine)
    except InputError as error:
        return f"a worker of the cluster cannot: {error}"


def suit_by_suit(hand: int) -> str:
    """A hand as `format_suit_by_suit` writes it.

    >>> suit_by_suit(0b1_1000_0000_0100 | 1 << 16)
    'AK4.2..'
    """
    return ".".join(_ranks_in_letters(hand >> lane & SUIT_CARDS) for lane in LANES.tolist())


@cache
def _ranks_in_letters(held: int) -> str:
    """The cards of one suit, highest first."""
    return "".join(RANKS[rank] for rank in reversed(cards_of(held)))
