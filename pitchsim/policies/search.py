"""A player who looks ahead: he deals the unseen cards many times and plays every card of his out.

Perfect-information Monte Carlo: a *world* is a guess at the other hands that fits what was shown, called and played
(see `guessing`). In every world each legal card is played, and everybody goes on by a play policy; the card with the
best mean is chosen.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from pitchsim.bidding import BIDDING
from pitchsim.cards import quoted
from pitchsim.deck import HAND_SIZE, TRUMP_LANE, side_mask, turn, turned_card
from pitchsim.errors import InputError
from pitchsim.guessing import Others, forget_tricks, likely_worlds, luck_in, past_of
from pitchsim.house import House, house_of
from pitchsim.jit import PLAIN, addresses, array_at, float64, int64, jitted, long_entry, lowest, policy, popcount
from pitchsim.log import TRUMP_SUIT
from pitchsim.play import NOTES
from pitchsim.plugins import Found, Kind, find
from pitchsim.policies import PLAY
from pitchsim.position import ask_card, page_of, put_card
from pitchsim.rules import Rules
from pitchsim.scoring import sides_of
from pitchsim.solving import LINES, solve
from pitchsim.view import CALL, CARD, View, bid, card_policy_at, facts_of, pitcher, pitching

WORLDS, HEAD_START, SOLVE, MARGIN, HOUSE_RULES, LINE, BIDDERS, BIDDERS_NOTES, PAGE = 0, 1, 2, 3, 8, 24, 40, 48, 56
"""Places in the notes."""

SEATS = 7
MOST_WORLDS, MOST_SOLVED, LONGEST_HEAD_START = 100_000, 3, 100
OBJECTIVES = ("score", "margin")
OTHERS_PLAY, OTHERS_BIDDING = "expert", "equilibrium"


# What is brought along ------------------------------------------------------------------------------


def _read_worlds(text: str) -> int:
    """Read how many worlds."""
    return _whole(text, 1, MOST_WORLDS, "a number of worlds")


def _read_solve(text: str) -> int:
    """Read how many tricks are solved at the end."""
    return _whole(text, 0, MOST_SOLVED, "a number of tricks to solve")


def _whole(text: str, least: int, most: int, what: str) -> int:
    """Read a whole number between two."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and least <= int(text) <= most):
        raise InputError(f"{quoted(text)} is not {what}; give a whole number from {least} to {most}")
    return int(text)


def _read_prior(text: str) -> float:
    """Read the head start of the policy's own choice."""
    try:
        prior = float(text)
    except ValueError:
        prior = -1
    if not 0 <= prior <= LONGEST_HEAD_START:
        raise InputError(f"{quoted(text)} is not a head start; give standard errors from 0 to {LONGEST_HEAD_START}")
    return prior


def _read_objective(text: str) -> str:
    """Read what the card shall be best for."""
    if text not in OBJECTIVES:
        raise InputError(f"{quoted(text)} is not an objective of search; there are {', '.join(OBJECTIVES)}")
    return text


def _read_play(text: str) -> str:
    """Read the policy by which worlds are played out; a searcher in the search would never come to an end."""
    if find(PLAY, text).function is search:
        raise InputError("search plays its worlds out by a quick policy; give another than search")
    return text


def _read_bidding(text: str) -> str:
    """Read the policy by which the others are taken to bid."""
    return find(BIDDING, text).name


OPTIONS: dict[str, tuple[Any, Any]] = {
    "worlds": (160, _read_worlds),
    "prior": (0.6, _read_prior),
    "solve": (0, _read_solve),
    "objective": ("score", _read_objective),
    "play": (OTHERS_PLAY, _read_play),
    "bidding": (OTHERS_BIDDING, _read_bidding),
}
"""What may be said behind the name, as in `search:worlds=640`: what is usual, and how it is read."""


def notes(rules: Rules, options: Mapping[str, Any] | None = None) -> np.ndarray:
    """What `search` brings along: its options, the house rules, and whom it takes the others to be."""
    return _notes(rules, **_all(options))


def leans_on(rules: Rules, options: Mapping[str, Any] | None = None) -> bytes:
    """The options, and the numbers of the tables that the notes point to."""
    chosen = _all(options)
    tables = [_known(PLAY, chosen["play"], rules)[1], _known(BIDDING, chosen["bidding"], rules)[1]]
    return repr(chosen).encode() + b"".join(table.tobytes() for table in tables)


def _all(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is usual, except where something else was said."""
    return {name: value for name, (value, _) in OPTIONS.items()} | dict(options or {})


@cache
def _notes(rules: Rules, worlds: int, prior: float, solve: int, objective: str, play: str, bidding: str) -> np.ndarray:
    """The same, made once for each table."""
    page = np.zeros(PAGE, object if PLAIN else np.int64)
    page[[WORLDS, HEAD_START, SOLVE, MARGIN]] = worlds, round(100 * prior), solve, OBJECTIVES.index(objective)
    page[HOUSE_RULES : HOUSE_RULES + len(House._fields)] = house_of(rules)
    (player, players_table), (bidder, bidders_table) = _known(PLAY, play, rules), _known(BIDDING, bidding, rules)
    if PLAIN:
        page[LINE] = [*[player.function] * SEATS, None, *[players_table] * SEATS]
        page[BIDDERS], page[BIDDERS_NOTES] = [bidder.function] * SEATS, [bidders_table] * SEATS
        return page
    page[LINE : LINE + SEATS] = addresses([player.function], CARD)
    page[LINE + NOTES : LINE + NOTES + SEATS] = players_table.ctypes.data
    page[BIDDERS : BIDDERS + SEATS] = addresses([bidder.function], CALL)
    page[BIDDERS_NOTES : BIDDERS_NOTES + SEATS] = bidders_table.ctypes.data
    return page


@cache
def _known(kind: Kind, name: str, rules: Rules) -> tuple[Found, np.ndarray]:
    """A policy and its table; kept for good, since notes hold no more than where they are."""
    found = find(kind, name)
    return found, np.ascontiguousarray(found.notes(rules))


@jitted
def others_in(notes):
    """Whom the notes take the others to be."""
    house = House(
        long_entry(notes, HOUSE_RULES), long_entry(notes, HOUSE_RULES + 1), long_entry(notes, HOUSE_RULES + 2),
        long_entry(notes, HOUSE_RULES + 3), long_entry(notes, HOUSE_RULES + 4), long_entry(notes, HOUSE_RULES + 5),
        long_entry(notes, HOUSE_RULES + 6), long_entry(notes, HOUSE_RULES + 7), long_entry(notes, HOUSE_RULES + 8),
    )  # fmt: skip
    line = array_at(notes, int64(LINE), int64(NOTES + SEATS))
    bidders, tables = array_at(notes, int64(BIDDERS), int64(SEATS)), array_at(notes, int64(BIDDERS_NOTES), int64(SEATS))
    return Others(house, line, bidders, tables)


# The search -----------------------------------------------------------------------------------------


@jitted
def policys_choice(view, line):
    """What the play policy would do here, without looking ahead."""
    seen = View(
        view.hand, view.legal, view.table, view.led, view.best, view.gone, view.pitchers, view.points, view.voids,
        view.seat, view.winner, view.to_act, view.facts, view.luck, line[view.seat + NOTES], view.page,
    )  # fmt: skip
    return card_policy_at(line[view.seat])(seen)


@jitted
def values_of_cards(view, others, past, worlds):
    """What each of my legal cards (one a row) is worth in each world."""
    values = np.zeros((popcount(view.legal), len(worlds)), np.float64)
    desk = np.zeros((3 + LINES, 8), np.int64)
    for world in range(len(worlds)):
        luck = luck_in(view, world)
        cards = view.legal
        for row in range(len(values)):
            values[row, world] = play_out(view, others, past, worlds[world], lowest(cards), luck, desk)
            cards &= cards - 1
    return values


@jitted
def play_out(view, others, past, world, card, luck, desk):
    """Play this card, and the deal to its end, in this world; returns what that is worth to me.

    The last tricks are solved when wanted. The pitch is the moment at which the suits are turned.
    """
    house, pitchers_seat, dealt, hands, piles = others.house, pitcher(view), desk[0], desk[1], desk[2]
    lane = card >> 4 if pitching(view) else int64(TRUMP_LANE)
    in_play = int64(0)
    for seat in range(house.players):
        hands[seat] = turn(world[seat], lane)
        dealt[seat] = hands[seat] | past.shown[seat]
        in_play |= dealt[seat]
        piles[seat] = past.piles[seat]
    forget_tricks(past.log, past.position.trick)
    past.log[TRUMP_SUIT] = lane if pitching(view) else past.lane
    position = put_card(past.position, hands, piles, turned_card(card, lane), house, past.log)
    facts, page = facts_of(pitchers_seat, bid(view), house), page_of(past.log)
    while position.trick < HAND_SIZE - long_entry(view.notes, SOLVE):
        luck += 1
        wish = ask_card(others.line, house, hands, piles, position, pitchers_seat, facts, luck, page)
        position = put_card(position, hands, piles, wish, house, past.log)
    values = desk[3:]
    solve(dealt, hands, piles, house, in_play, position, pitchers_seat, bid(view), past.log, values, int64(0))
    return worth(view.seat & side_mask(house.partners), values[0], house, long_entry(view.notes, MARGIN))


@jitted
def worth(side, changes, house, margin):
    """What a side wants: its score change, or that minus the mean of the others."""
    own = float64(changes[side])
    if margin == 0:
        return own
    everybody = float64(0.0)
    for other in range(sides_of(house)):
        everybody += changes[other]
    return own - (everybody - own) / (sides_of(house) - 1)


@jitted
def best_card(legal, values, favourite, head_start):
    """The card with the best mean; the favourite stays until another leads by so many standard errors.

    Errors are those of the difference in the same worlds. Without a head start, chance would overrule it too often.
    """
    usual = popcount(legal & ((int64(1) << favourite) - 1))
    worlds = values.shape[1]
    best, most = favourite, float64(0.0)
    cards = legal
    for row in range(len(values)):
        total = squares = float64(0.0)
        for world in range(worlds):
            gap = values[row, world] - values[usual, world]
            total += gap
            squares += gap * gap
        mean = total / worlds
        lead = mean - head_start * np.sqrt(max(squares / worlds - mean * mean, 0.0) / worlds)
        best, most = (lowest(cards), lead) if lead > most else (best, most)
        cards &= cards - 1
    return best


@policy(CARD)
def search(view):
    """Deal the unseen cards many times, play each of my cards out in all of these worlds, and take the best; as a rule
    `search:worlds=160,prior=.6,solve=0,objective=score,play=expert,bidding=equilibrium`.

    In a card player's words: what if East holds the jack, and what if he does not? `worlds` says how many deals I think
    of, of four times as many guesses those that fit best what `bidding` would have called and `play` would have played.
    By `play` I also play them out, but for the last tricks, `solve` of them, which I see through with open cards.
    Another card than that of `play` must be better by `prior` standard errors. `objective` is what I play for: my own
    `score`, or the `margin` to the mean of the others.
    """
    if view.legal & (view.legal - 1) == 0:
        return lowest(view.legal)
    others = others_in(view.notes)
    past = past_of(view, others.house)
    worlds = likely_worlds(view, others, past, long_entry(view.notes, WORLDS))
    favourite = policys_choice(view, others.line)
    if len(worlds) == 0:
        return favourite
    values = values_of_cards(view, others, past, worlds)
    return best_card(view.legal, values, favourite, long_entry(view.notes, HEAD_START) / 100.0)
