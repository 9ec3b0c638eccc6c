"""A shard of a book: what stands in it depends on the recipe and its number alone, not on who makes it, or when."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pitchsim.book.classes import all_classes, size_of
from pitchsim.book.recipe import Recipe, sources
from pitchsim.cards import SUITS, format_suit_by_suit
from pitchsim.deck import set_to_cards
from pitchsim.errors import InputError
from pitchsim.leading import Aim, Leader, Pitched
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


def row_of(recipe: Recipe, number: int, engine: str = "auto") -> dict[str, Any]:
    """One class: its canonical hand, the best card of the six to pitch, and what that brings.

    The deals are numbered by the class, so a class comes out the same in whatever book or shard it stands.
    """
    hand = int(all_classes()[number])
    best = pitcher_of(recipe, engine).choose(Pitched.hand(hand), number, Aim(recipe.precision, recipe.deals))
    return {
        "class": number,
        "hand": format_suit_by_suit(set_to_cards(hand)),
        "size": int(size_of(hand)),
        "trump": SUITS[best.lead.card.suit],
        "lead": str(best.lead.card),
        "deals": best.lead.deals,
        **best.lead.figures(),
        "next_lead": str(best.next_card),
        "behind": best.gap.mean,
        "behind_se": best.gap.se,
    }


def make_shard(
    recipe: Recipe, shard: int, after_each: Callable[[], object] = lambda: None, engine: str = "auto"
) -> Rows:
    """All classes of a shard; `after_each` may stop the work by raising."""
    rows = []
    for number in recipe.classes_of(shard):
        rows.append(row_of(recipe, number, engine))
        after_each()
    return rows


def make_shard_elsewhere(recipe: Mapping[str, Any], shard: int, engine: str) -> Rows | str:
    """Make a shard in another process, or say in a sentence why not."""
    wanted = Recipe.from_dict(recipe)
    if wanted.sources != sources():
        return "a worker of the cluster has another version of pitchsim; install the same one everywhere"
    try:
        return make_shard(wanted, shard, engine=engine)
    except InputError as error:
        return f"a worker of the cluster cannot: {error}"
