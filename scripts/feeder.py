"""Two defenders for `claims.py`: when a trick is another defender's for good, one feeds it, the other starves it.

`pitchsim simulate --play scripts/feeder.py:feeder`; in everything else both play as `sound` does.
"""

from pitchsim.deck import ACES, KINGS, QUEENS, TENS, TRUMPS
from pitchsim.jit import jitted, lowest
from pitchsim.policies.greedy import cheapest
from pitchsim.policies.sound import seats_to_act, sound
from pitchsim.view import leading, on_my_side, on_pitchers_side, pitcher, pitching, winning_cards


@jitted
def is_theirs(view):
    """Whether another defender wins this trick, and the pitcher has played."""
    if pitching(view) or leading(view) or on_pitchers_side(view) or on_my_side(view, view.winner):
        return False
    return view.winner != pitcher(view) and seats_to_act(view) & (1 << (4 * pitcher(view))) == 0


@jitted
def richest(cards):
    """The card with the most trick points; 0 for none."""
    for honours in (TENS, ACES, KINGS, QUEENS):
        if cards & honours:
            return cards & honours
    return 0


def feeder(view):
    """Give the trick of another defender the richest plain card that does not take it."""
    rich = richest(view.legal & ~TRUMPS & ~winning_cards(view))
    return lowest(rich) if is_theirs(view) and rich != 0 else sound(view)


def starver(view):
    """Give the trick of another defender the card that one misses least."""
    plain = view.legal & ~TRUMPS & ~winning_cards(view)
    return cheapest(plain) if is_theirs(view) and plain != 0 else sound(view)
