"""The questions as Python functions: each checks what it is asked, then calls the room that answers.

House rules are keywords in the spelling of `Rules` (`players=5, lowest_bid=2`), or one `rules=Rules(...)`.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pitchsim import question
from pitchsim.cards import Card
from pitchsim.counting import Odds
from pitchsim.counting import odds as count_odds
from pitchsim.errors import InputError
from pitchsim.report import check_out_path
from pitchsim.rules import RULE_NAMES, Rules

if TYPE_CHECKING:
    from pitchsim.advice import Advice
    from pitchsim.matching import Match
    from pitchsim.simulation import Simulation

DEFAULT_PLAY, DEFAULT_BIDDING = "expert", "equilibrium"

Names = str | Iterable[str] | None


def advise(
    hand: str | Iterable[str | Card],
    players: int | None = None,
    auction: str | Iterable[str | int] = (),
    *,
    rules: Rules | None = None,
    seat: str | int | None = None,
    scores: str | Iterable[int] | None = None,
    objective: str = "score",
    play: Names = None,
    bidding: Names = None,
    others: str | None = None,
    deals: float | None = None,
    precision: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    error_chance: float = 0.01,
    progress: bool = False,
    **house: Any,
) -> "Advice":
    """Tell what to call with this hand in this seat after this auction, and what to pitch.

    Raises InputError for a question that makes no sense.
    """
    table = _table(rules, players, house)
    asked = question.ask(hand, table, auction, seat, scores)
    names = _policies(play, bidding, 2)
    if others is not None:
        question.read_pair(others)
        if any(len(several) > 1 for several in names.values()):
            raise InputError("others and a second name both say how the defenders play; give one of them")
    how: dict[str, Any] = {
        "objective": question.read_objective(objective),
        "deals": None if deals is None else question.read_deals(deals),
        "precision": None if precision is None else question.read_precision(precision),
        "seed": question.read_seed(seed),
        "threads": None if threads is None else question.read_threads(threads),
        "error_chance": question.read_chance(error_chance),
    }
    from pitchsim import advice

    nothing_said = seat is None and not asked.calls
    return advice.advise(
        asked.hand,
        table,
        auction=asked.calls,
        seat=None if nothing_said else asked.seat,
        scores=asked.scores,
        others=others,
        progress=progress,
        **names,
        **how,
    )


def odds(
    hand: str | Iterable[str | Card],
    players: int | None = None,
    trump: str | None = None,
    *,
    rules: Rules | None = None,
    **house: Any,
) -> Odds:
    """Count the exact chances of a hand, for every suit held or for one trump suit.

    Raises InputError for what is not six cards, and for a trump suit that the hand does not hold.

    >>> round(odds("KS 9S 4H 3H 8D 7C").suits[0].high, 4)
    0.6087
    """
    return count_odds(hand, _table(rules, players, house).players, trump)


def simulate(
    players: int | None = None,
    deals: float | None = None,
    *,
    rules: Rules | None = None,
    play: Names = None,
    bidding: Names = None,
    precision: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: bool = False,
    first: int = 0,
    **house: Any,
) -> "Simulation":
    """Deal and play so many deals, and tell what happened.

    Without `deals`, 100,000; with `precision` until the standard error of every seat's score change is below it,
    and `deals` are the most. Raises InputError for a question that makes no sense, RunError when a policy fails.
    """
    table = _table(rules, players, house)
    names = _policies(play, bidding, table.players)
    fine = None if precision is None else question.read_precision(precision)
    most = None if deals is None else question.read_deals(deals)
    checked_seed = question.read_seed(seed)
    checked_threads = None if threads is None else question.read_threads(threads)
    begin = question.read_first(first)
    from pitchsim import simulation

    return simulation.simulate(
        table,
        **names,
        deals=most,
        precision=fine,
        seed=checked_seed,
        threads=checked_threads,
        progress=progress,
        first=begin,
    )


def match(
    *names: str | Iterable[str],
    players: int | None = None,
    rules: Rules | None = None,
    deals: float | None = None,
    games: float | None = None,
    precision: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: bool = False,
    out: str | Path | None = None,
    **house: Any,
) -> "Match":
    """Let policies play each other: PLAY or PLAY/BIDDING, as many as players, or one against another at all seats.

    Without `deals`, 100,000 (400 with `search`); `games` are whole games beside them. With `precision` until no
    standard error of a score change or difference reaches it. A long run that writes a file `out` goes on where it
    was interrupted. Raises InputError for a question that makes no sense, RunError when a policy fails.
    """
    table = _table(rules, players, house)
    how: dict[str, Any] = {
        "deals": None if deals is None else question.read_deals(deals),
        "games": 0 if games is None else question.read_games(games),
        "precision": None if precision is None else question.read_precision(precision),
        "seed": question.read_seed(seed),
        "threads": None if threads is None else question.read_threads(threads),
        "out": None if out is None else check_out_path(out),
    }
    from pitchsim import matching

    each = [name for given in names for name in ([given] if isinstance(given, str) else given)]
    return matching.match(table, each, DEFAULT_BIDDING, progress=progress, **how)


def write_records(
    file: IO[str],
    players: int | None = None,
    deals: float = question.DEFAULT_DEALS,
    *,
    rules: Rules | None = None,
    play: Names = None,
    bidding: Names = None,
    seed: int = 1,
    progress: bool = False,
    first: int = 0,
    **house: Any,
) -> None:
    """Write down the deals that `simulate` plays with this seed, one JSON line each.

    Raises InputError for a question that makes no sense, RunError when a policy or the disk fails.
    """
    table = _table(rules, players, house)
    names = _policies(play, bidding, table.players)
    number, checked_seed, begin = question.read_deals(deals), question.read_seed(seed), question.read_first(first)
    from pitchsim import simulation

    simulation.write_records(table, **names, deals=number, seed=checked_seed, file=file, progress=progress, first=begin)


def _table(rules: Rules | None, players: int | None, house: Mapping[str, Any]) -> Rules:
    """Put together what the table has agreed on."""
    unknown = [name for name in house if name not in RULE_NAMES]
    if unknown:
        raise TypeError(f"there is no option and no house rule {unknown[0]!r}; the rules are {', '.join(RULE_NAMES)}")
    if rules is None:
        return Rules(**(dict(house) if players is None else {"players": players, **house}))
    if house or players not in (None, rules.players):
        raise InputError("the house rules are given twice; put all of them into rules, or give each by its name")
    return rules


def _policies(play: Names, bidding: Names, allowed: int) -> dict[str, Any]:
    """Read the names of the policies: one for all, or as many as there are roles or seats."""
    names = {
        "play": question.read_names(DEFAULT_PLAY if play is None else play),
        "bidding": question.read_names(DEFAULT_BIDDING if bidding is None else bidding),
    }
    for what, several in names.items():
        question.check_names(several, allowed, what)
    return names
