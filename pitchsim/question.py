"""What somebody asks, read and checked before anything is computed: hand, auction, seat, scores, how many deals.

Seats are those of people here: 1 at the dealer's left, the dealer last. A bid of 0 is a pass. The readers take
what was typed as well as Python's numbers.
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pitchsim.cards import Card, parse_six, quoted
from pitchsim.errors import InputError
from pitchsim.rules import HIGHEST_BID, PASS, Rules, check_call, ends_auction

OBJECTIVES = ("score", "margin", "win")
AUTO, LANES, SCALAR = ENGINES = ("auto", "lanes", "scalar")
DEFAULT_DEALS = 100_000
DEFAULT_STUDY_DEALS = 200_000
MOST_DEALS = 10**10
LARGEST_SEED = 2**63 - 1
MOST_THREADS = 1024
FINEST_PRECISION = 1e-6
LARGEST_SCORE = 10**6
CLASSES_OF_HANDS = 962_988
SHARD, LARGEST_SHARD = 1 << 10, 1 << 14
"""Classes in a shard: at .01 points half a second of one core with 64 deals at a time, half a minute with one."""
FINEST_IN_BOOK = 1e-4
MOST_IN_BOOK = 10**9


class Question(NamedTuple):
    """What should I call, with these cards, in this seat, after these calls, at this score?"""

    hand: tuple[Card, ...]
    calls: tuple[int, ...]
    seat: int
    scores: tuple[int, ...] | None


def ask(
    hand: str | Iterable[str | Card],
    rules: Rules,
    auction: str | Iterable[str | int] = (),
    seat: str | int | None = None,
    scores: str | Iterable[str | int] | None = None,
) -> Question:
    """Read a question to the adviser; with a seat and no auction, everybody before is taken to have passed.

    Raises InputError for what cannot be read, a call that is not legal (R4 to R7), an auction that is over, a
    seat that is not the next to speak, and another number of scores than there are sides.

    >>> ask("AS KS 4S JD 10C 2H", Rules(), auction="pass 2").seat
    3
    """
    cards = parse_six(hand)
    calls = read_auction(auction, rules)
    place = None if seat is None else read_seat(seat, rules)
    if place is not None and not calls:
        calls = (PASS,) * (place - 1)
    if place not in (None, len(calls) + 1):
        raise InputError(f"after {len(calls)} call{'s' * (len(calls) != 1)} it is the turn of seat {len(calls) + 1}, "
                         f"not of seat {place}")  # fmt: skip
    return Question(cards, calls, len(calls) + 1, None if scores is None else read_scores(scores, rules))


def read_auction(auction: str | Iterable[str | int], rules: Rules) -> tuple[int, ...]:
    """Read the calls so far, seat 1 first, after which somebody is still to speak.

    Raises InputError for what is no call, and its subclass Violation for a call that is not legal.
    """
    calls: list[int] = []
    for call in _pieces(auction):
        bid, highest = _read_call(call), max(calls, default=PASS)
        if len(calls) == rules.players:
            raise InputError(f"there are more calls than players; each of the {rules.players} speaks once")
        check_call(rules, len(calls), highest, bid, who=f"seat {len(calls) + 1}")
        calls.append(bid)
    if len(calls) == rules.players:
        raise InputError(f"all {rules.players} players have spoken, so there is nothing left to call")
    if calls and ends_auction(max(calls), rules):
        raise InputError("the 4 has ended the auction, so there is nothing left to call")
    return tuple(calls)


def _read_call(call: str | int) -> int:
    """Read one call: pass, or a bid of 1 to 4."""
    text = str(call).strip().lower()
    if text in ("pass", "p", "0"):
        return PASS
    if len(text) == 1 and text in "1234"[:HIGHEST_BID]:
        return int(text)
    raise InputError(f"{quoted(call)} is not a call; a call is pass, 1, 2, 3 or 4")


def read_seat(seat: str | int, rules: Rules) -> int:
    """Read a seat: 1 at the dealer's left to the last, who is the dealer."""
    text = str(seat).strip().lower()
    if text == "dealer":
        return rules.players
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII) or not 1 <= int(text) <= rules.players:
        raise InputError(f"{quoted(seat)} is not a seat; the seats are 1 to {rules.players}, the last the dealer's")
    return int(text)


def read_scores(scores: str | Iterable[str | int], rules: Rules) -> tuple[int, ...]:
    """Read the running scores: one for each seat from 1, or one for each team, that of seat 1 first."""
    numbers = tuple(_read_score(score) for score in _pieces(scores))
    if len(numbers) != rules.sides:
        given = f"{len(numbers)} score{'s' * (len(numbers) != 1)} given"
        raise InputError(f"{given}; there are {rules.sides} {'teams' if rules.partners else 'players'}")
    return numbers


def _read_score(score: str | int) -> int:
    """Read one running score."""
    text = str(score).strip()
    if not re.fullmatch(r"[+-]?\d{1,9}", text, re.ASCII) or abs(int(text)) > LARGEST_SCORE:
        raise InputError(f"{quoted(score)} is not a score; give whole numbers, as in 5 3 -1 6")
    return int(text)


def _pieces(given: str | Iterable[str | int]) -> Sequence[str | int]:
    """Take apart what was typed with spaces or commas between."""
    if isinstance(given, str):
        return given.replace(",", " ").split()
    return list(given) if isinstance(given, Iterable) else [given]


def read_objective(objective: str) -> str:
    """Read what the call shall be best for."""
    if objective not in OBJECTIVES:
        raise InputError(f"{quoted(objective)} is not an objective; there are {', '.join(OBJECTIVES)}")
    if objective == "win":
        raise InputError("advice for winning the game is not there yet; ask for the objective score or margin")
    return objective


# How it is computed ---------------------------------------------------------------------------------

_ADDRESS = re.compile(r"(?:[a-z]+://)?(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})", re.ASCII)
_NUMBER = re.compile(r"\d+(?:_\d+)*(\.\d+)?(e\+?\d{1,3})?", re.ASCII | re.IGNORECASE)


def read_deals(deals: Any) -> int:
    """Read a number of deals: 50000, 200_000 or 1e6."""
    text = str(deals).strip()
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if number > MOST_DEALS:
        raise InputError(f"{quoted(deals)} deals are more than anybody can wait for; give at most 1e10")
    if not number.is_integer() or number < 1:
        raise InputError(f"{quoted(deals)} is not a number of deals; give a whole one, as in 200_000 or 1e6")
    return int(number)


def read_games(games: Any) -> int:
    """Read a number of games: 500, 20_000 or 1e5."""
    try:
        return read_deals(games)
    except InputError as error:
        raise InputError(str(error).replace("deals", "games")) from None


def read_precision(precision: Any) -> float:
    """Read a standard error to stop at."""
    number = _float(precision)
    if not math.isfinite(number) or number <= 0:
        raise InputError(f"{quoted(precision)} is not a standard error; give a number above 0, as in .01")
    if number < FINEST_PRECISION:
        raise InputError(f"{quoted(precision)} is finer than anybody can wait for; give 1e-6 or more")
    return number


def read_chance(chance: Any) -> float:
    """Read a chance that is neither 0 nor 1: .01 or 1%."""
    text = str(chance).strip()
    number = _float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if not 0 < number < 1:
        raise InputError(f"{quoted(chance)} is not a chance between 0 and 1; give one as in .01 or 1%")
    return number


def read_book_precision(precision: Any) -> float:
    """Read a standard error to which the hands of a book are played."""
    number = read_precision(precision)
    if number < FINEST_IN_BOOK:
        raise InputError(
            f"{quoted(precision)} is finer than anybody can wait for; a book takes {FINEST_IN_BOOK} or more"
        )
    return number


def read_book_deals(deals: Any) -> int:
    """Read how many deals each hand of a book is played."""
    number = read_deals(deals)
    if number > MOST_IN_BOOK:
        raise InputError(f"{quoted(deals)} deals a hand are more than anybody can wait for; a book takes at most 1e9")
    return number


def read_every(every: Any) -> int:
    """Read K of one class of hands in K."""
    return _between(1, every, CLASSES_OF_HANDS, "one in so many")


def read_shard(shard: Any) -> int:
    """Read how many classes of hands make a shard."""
    return _between(1, shard, LARGEST_SHARD, "a size of shards")


def read_sample(sample: Any) -> int:
    """Read how many hands are looked at."""
    number = _whole(sample)
    if number is None or number < 1:
        raise InputError(f"{quoted(sample)} is not a number of hands; give a whole number from 1")
    return min(number, CLASSES_OF_HANDS)


def read_scheduler(address: Any) -> str:
    """Read the address of a Dask scheduler: tcp://host:8786, or host:8786."""
    text = str(address).strip()
    found = _ADDRESS.fullmatch(text)
    if not found or not 0 < int(found[1]) < 1 << 16:
        raise InputError(f"{quoted(address)} is not the address of a scheduler; give one as in tcp://host:8786")
    return text


def read_points(points: Any) -> float:
    """Read some points of a deal, as in .36."""
    number = _float(points)
    if not math.isfinite(number) or abs(number) > HIGHEST_BID:
        raise InputError(f"{quoted(points)} is not a score change; give a number from -4 to 4, as in .36")
    return number


def read_count(count: Any) -> int:
    """Read a number of rows."""
    return _between(1, count, MOST_DEALS, "a number of rows")


def read_seed(seed: Any) -> int:
    """Read a seed."""
    return _between(0, seed, LARGEST_SEED, "a seed", "2^63-1")


def read_first(first: Any) -> int:
    """Read the number of a deal; they count from 0."""
    return _between(0, first, MOST_DEALS, "the number of a deal", "1e10")


def read_threads(threads: Any) -> int:
    """Read a number of threads."""
    number = _whole(threads)
    if number is None or not 1 <= number <= MOST_THREADS:
        raise InputError(f"{quoted(threads)} is not a number of threads; give one from 1 to {MOST_THREADS}")
    return number


def read_engine(engine: Any) -> str:
    """Read which engine shall play: 64 deals at a time, one, or the first where it can."""
    if engine not in ENGINES:
        raise InputError(f"{quoted(engine)} is not an engine; there are {', '.join(ENGINES)}")
    return engine


def _between(least: int, given: Any, most: int, what: str, most_in_words: str = "") -> int:
    """Read a whole number that is neither too small nor too large."""
    number = _whole(given)
    if number is None or not least <= number <= most:
        wanted = f"give a whole number from {least} to {most_in_words or most}"
        raise InputError(f"{quoted(given)} is not {what}; {wanted}")
    return number


def _whole(given: Any) -> int | None:
    """Read a whole number that is not negative."""
    text = str(given).strip()
    return int(text) if re.fullmatch(r"\d+(?:_\d+)*", text, re.ASCII) and len(text) < 100 else None


def _float(given: Any) -> float:
    """Read a number; what is none is not a number."""
    try:
        return float(str(given))
    except ValueError:
        return math.nan


def read_names(names: str | Iterable[str]) -> tuple[str, ...]:
    """Read the names of policies, with commas between them.

    >>> read_names("search:worlds=40,solve=3,greedy")
    ('search:worlds=40,solve=3', 'greedy')
    """
    several = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else _split(str(names))
    read = tuple(str(name).strip() for name in several)
    if not read or not all(read):
        raise InputError(f"{quoted(names)} leaves out the name of a policy; give NAME or NAME,NAME")
    return read


def _split(names: str) -> list[str]:
    """Take names apart at the commas; NAME=VALUE behind an option is one more option of the name before."""
    several: list[str] = []
    for piece in names.split(","):
        if several and "=" in several[-1] and "=" in piece.partition(":")[0]:
            several[-1] += "," + piece
        else:
            several.append(piece)
    return several


def read_pair(pair: str) -> str:
    """Read PLAY/BIDDING: both names."""
    play, slash, bidding = pair.strip().rpartition("/")
    if not (play.strip() and slash and bidding.strip()):
        raise InputError(f"{quoted(pair)} is not PLAY/BIDDING, as in greedy/thresholds")
    return pair.strip()


def check_players_open(given: object) -> None:
    """Refuse a number of players where the question goes through all of them."""
    if given is not None:
        raise InputError("2, 3, ... 7 players are compared side by side, so leave the number of players out")


def check_solo(rules: Rules) -> None:
    """Refuse partners where the question goes through all tables."""
    if rules.partners:
        raise InputError("partners are always four, but 2, 3, ... 7 players are compared, each for himself; "
                         "give --no-partners where a house file says otherwise")  # fmt: skip


def read_name(names: str | Iterable[str], what: str) -> str:
    """Read the name of one policy for everybody."""
    several = read_names(names)
    if len(several) > 1:
        raise InputError(f"{len(several)} {what} policies given; at 2, 3, ... 7 players all are alike, so give one")
    return several[0]


def check_names(names: Sequence[str] | None, allowed: int, what: str) -> None:
    """Refuse another number of names than one for all, or as many as there are roles or seats."""
    if names is not None and len(names) not in (1, allowed):
        raise InputError(f"{len(names)} {what} policies given; give one for all, or {allowed}")
