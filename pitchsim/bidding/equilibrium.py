"""A player at an equilibrium of the auction: with nobody's plan could anybody gain by calling otherwise.

The plans for the common rules come with the program (`data/equilibrium`, made by `scripts/make_equilibrium.py`); for
any other house rules they are worked out when they are first needed, and kept. Those files can be read:
`pitchsim.plans` says how.
"""

import hashlib
import importlib
import sys
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from pitchsim.bidding.thresholds import FIRST_HOLDING, HIGHEST_BID, HOLDINGS, worth_of_bids
from pitchsim.bidding.thresholds import notes as notes_on_worth
from pitchsim.errors import RunError
from pitchsim.jit import PACKAGE, entry, int64, jitted, policy, source_hash
from pitchsim.plans import WHOLE, Plans, check_plans, plan_name, rules_for_bidding
from pitchsim.rules import Rules
from pitchsim.storage import cache_root, keep_few, whole_file
from pitchsim.view import CALL, draw

WORTH_NOTES = FIRST_HOLDING + HIGHEST_BID * HOLDINGS
"""The notes begin with those that `worth_of_bids` reads; ours follow."""
TENTH = 100
"""Bounds of classes are tenths of a point (in thousandths)."""
LEAST, MOST = -4000, 4000
TENTHS = (MOST - LEAST) // TENTH + 1
CLASS_BY_TWO, CLASS_BY_THREE, CLASS_BY_FOUR = (WORTH_NOTES + place * TENTHS for place in range(3))
WHERE = WORTH_NOTES + 3 * TENTHS
"""From here on: where the plans of a situation begin, by seat, highest bid and bidder."""
BIDS, BIDDERS = 5, 8
PLANS = WHERE + 7 * BIDS * BIDDERS


@jitted
def class_by(notes, place, worth):
    """The class that a worth gives, 0 when it is below all bounds of this bid."""
    return entry(notes, place + (min(max(worth, LEAST), MOST) - LEAST) // TENTH)


@jitted
def class_of(view):
    """How strong my hand is, from 0 upward: by what a 4 is worth, or else a 3, or else a 2."""
    _, two, three, four = worth_of_bids(view)
    notes = view.notes
    by_four, by_three = class_by(notes, CLASS_BY_FOUR, four), class_by(notes, CLASS_BY_THREE, three)
    return max(by_four, by_three, class_by(notes, CLASS_BY_TWO, two))


@jitted
def planned_call(view):
    """The call that my plan names for this class of hands, or one of them by chance."""
    heard = (view.seat * BIDS + view.highest) * BIDDERS + view.bidder + 1
    mix = entry(view.notes, entry(view.notes, WHERE + heard) + class_of(view))
    chance = draw(view, 0, WHOLE)
    call = int64(chance >= (mix & 255)) + int64(chance >= (mix >> 8 & 255))
    return call + int64(chance >= (mix >> 16 & 255)) + int64(chance >= (mix >> 24 & 255))


@policy(CALL)
def equilibrium(view):
    """Bid so that nobody at the table could score more by calling otherwise, hand for hand of the same strength.

    In a card player's words: I know what my best suit should score as pitcher of a 2, a 3, a 4. What I call with it
    depends on where I sit, on the highest bid and on whose it is, as it pays against players who think likewise:
    I bid 2 with what I can afford to lose to a steal, jump to 3 to make that steal dear, and as the dealer I take what
    pays at the price. Where two calls are worth the same I mix them, so that nobody can count on either.
    """
    return planned_call(view)


def notes(rules: Rules) -> np.ndarray:
    """What `equilibrium` brings along: what holdings are worth, the classes, and its plans (int32)."""
    return notes_of(rules, margin=False)


def notes_of(rules: Rules, margin: bool) -> np.ndarray:
    """The notes for one of the two aims: own points, or own points minus the others'."""
    return _notes(rules_for_bidding(rules), margin)


@cache
def _notes(rules: Rules, margin: bool) -> np.ndarray:
    return arrange(plans_for(rules, margin), notes_on_worth(rules))


def arrange(plans: Plans, worth: np.ndarray) -> np.ndarray:
    """Lay plans out as the policy reads them."""
    mixes = np.array([mix for row in plans.calls.values() for mix in row], np.int64)
    laid_out = np.zeros(PLANS + len(mixes), np.int64)
    laid_out[:WORTH_NOTES] = worth
    grid = np.arange(LEAST, MOST + TENTH, TENTH)
    first = 0
    for place, bounds in zip((CLASS_BY_TWO, CLASS_BY_THREE, CLASS_BY_FOUR), plans.bounds, strict=True):
        above = np.searchsorted(bounds, grid, side="right")
        laid_out[place : place + TENTHS] = np.where(above > 0, first + above, 0)
        first += len(bounds)
    for number, heard in enumerate(plans.calls):
        key = (heard.seat * BIDS + heard.highest) * BIDDERS + heard.bidder + 1
        laid_out[WHERE + key] = PLANS + number * plans.classes
    laid_out[PLANS:] = mixes[:, :4].cumsum(axis=1) @ (1 << np.array([0, 8, 16, 24]))
    return (laid_out & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def plans_for(rules: Rules, margin: bool) -> Plans:
    """The plans for some rules: those that come with the program, those kept, or worked out now and kept."""
    name = plan_name(rules, margin)
    shipped = resources.files("pitchsim").joinpath("data", "equilibrium", f"{name}.csv")
    if shipped.is_file():
        return Plans.read(shipped.read_text(encoding="utf-8"))
    path = cache_folder() / f"{name}.csv"
    try:
        plans = Plans.read(path.read_text(encoding="utf-8"))
        check_plans(plans, rules)
        return plans
    except (OSError, ValueError, KeyError):
        pass
    # The room that works plans out seats players, who come from this room: so it is asked for only now.
    plans = importlib.import_module("pitchsim.equilibrium").work_out(rules, margin)
    keep(plans, path)
    return plans


def cache_folder() -> Path:
    """Where plans are kept: another program, another table of worths or another play policy never meets them."""
    digest = hashlib.sha256(source_hash().encode())
    for path in sorted((PACKAGE / "data").glob("*")):
        if path.is_file():
            digest.update(path.name.encode() + path.read_bytes())
    return cache_root() / f"equilibrium-{digest.hexdigest()[:16]}"


def keep(plans: Plans, path: Path) -> None:
    """Write plans into the cache; where that cannot be, say so once and go on."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            file.write(plans.text())
        keep_few(path.parent)
    except (OSError, RunError):
        sys.stderr.write(
            f"pitchsim: cannot write to {path.parent}, so these bidding plans are kept for this run only.\n"
        )
