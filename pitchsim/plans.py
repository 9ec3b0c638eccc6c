"""Bidding plans as people can read them: for every situation in the auction, what each class of hands calls.

A hand belongs to a class by what it should score as pitcher of a bid of 2; when a 3 is worth enough, by that; when a 4
is, by that. Classes count from the weakest. A plan names its calls from the weakest class to the strongest: `0x14
0:60+2:195 2x8` passes with fourteen classes, with the next one passes 60 times in 255 and bids 2 otherwise, and bids
2 with eight more.
"""

import csv
import io
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import NamedTuple

from pitchsim.errors import InputError
from pitchsim.rules import OPTION_FIELDS, OPTION_VALUES, Rules, ends_auction, legal_calls

WHOLE = 255
"""Chances are counted in 255ths, so that a byte holds them."""
CALLS = 5
COLUMNS = ("seat", "highest", "bidder", "calls")
BOUNDS = ("two", "three", "four")

Mix = tuple[int, ...]
"""How often, in 255ths, a pass, 1, 2, 3 and 4 are called."""


class Heard(NamedTuple):
    """What a speaker knows beside his hand: his seat, the highest bid (0: none) and whose it is (-1: nobody's)."""

    seat: int
    highest: int
    bidder: int


@dataclass
class Plans:
    """A full set of plans for one table.

    `bounds`: from which worth on (thousandths, as pitcher of 2, 3, 4) each class begins; `calls`: the mix of every
    class, by what was heard; `about`: how they were found.
    """

    bounds: tuple[list[int], list[int], list[int]]
    calls: dict[Heard, list[Mix]]
    about: dict[str, str] = field(default_factory=dict)

    @property
    def classes(self) -> int:
        """How many classes of hands there are."""
        return 1 + sum(map(len, self.bounds))

    def class_of(self, two: int, three: int, four: int) -> int:
        """The class of a hand that is worth so much as pitcher of a 2, a 3, a 4."""
        first, place = 0, 0
        for bounds, worth in zip(self.bounds, (two, three, four), strict=True):
            above = bisect_right(bounds, worth)
            place = first + above if above else place
            first += len(bounds)
        return place

    def text(self) -> str:
        """The plans as they are kept in a file."""
        lines = [f"# {name}: {value}" for name, value in self.about.items()]
        lines += [f"# {name}: {_row(bounds)}" for name, bounds in zip(BOUNDS, self.bounds, strict=True)]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for heard, mixes in self.calls.items():
            bidder = heard.bidder + 1 if heard.highest else ""
            writer.writerow([heard.seat + 1, heard.highest, bidder, _line(mixes)])
        return "\n".join(lines) + "\n" + text.getvalue()

    @classmethod
    def read(cls, text: str) -> "Plans":
        """Read what `text` wrote.

        >>> rows = "seat,highest,bidder,calls\\n1,0,,0x1 0:55+2:200\\n"
        >>> Plans.read("# two: 0.5\\n# three:\\n# four:\\n" + rows).calls[Heard(0, 0, -1)]
        [(255, 0, 0, 0, 0), (55, 0, 200, 0, 0)]
        """
        lines = text.splitlines()
        about = dict(_named(line) for line in lines if line.startswith("#"))
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        calls = {
            Heard(int(row["seat"]) - 1, int(row["highest"]), int(row["bidder"] or 0) - 1): list(_mixes(row["calls"]))
            for row in rows
        }
        two, three, four = ([round(1000 * float(bound)) for bound in about.pop(name).split()] for name in BOUNDS)
        return cls((two, three, four), calls, about)


def _row(bounds: list[int]) -> str:
    """Bounds in points."""
    return " ".join(f"{bound / 1000:.1f}" for bound in bounds)


def _named(line: str) -> tuple[str, str]:
    """A line of the head: `# name: value`."""
    name, _, value = line.removeprefix("#").partition(":")
    return name.strip(), value.strip()


def _line(mixes: list[Mix]) -> str:
    """The calls from the weakest class to the strongest, equal ones together."""
    return " ".join(_part(mix, len(list(equal))) for mix, equal in groupby(mixes))


def _part(mix: Mix, classes: int) -> str:
    """What so many classes call."""
    called = [(call, chance) for call, chance in enumerate(mix) if chance]
    if len(called) == 1:
        return f"{called[0][0]}x{classes}"
    return " ".join(["+".join(f"{call}:{chance}" for call, chance in called)] * classes)


def _mixes(line: str) -> Iterator[Mix]:
    """The mix of every class, from a line of calls."""
    for part in line.split():
        if "x" in part:
            call, classes = map(int, part.split("x"))
            yield from [tuple(WHOLE * (call == other) for other in range(CALLS))] * classes
        else:
            yield _mix(part)


def _mix(part: str) -> Mix:
    """The mix of one class: `0:55+2:200`."""
    mix = [0] * CALLS
    for called in part.split("+"):
        call, chance = map(int, called.split(":"))
        mix[call] = chance
    return tuple(mix)


def after(rules: Rules, heard: Heard, call: int) -> Heard:
    """What the next one has heard after this call."""
    return Heard(heard.seat + 1, call or heard.highest, heard.seat if call else heard.bidder)


def situations(rules: Rules) -> list[Heard]:
    """Everything that a speaker can have heard under these rules, in speaking order."""
    found = [Heard(0, 0, -1)]
    for heard in found:
        if heard.seat + 1 < rules.players:
            following = {
                after(rules, heard, call)
                for call in legal_calls(rules, heard.seat, heard.highest)
                if not ends_auction(call, rules)
            }
            found += sorted(following - set(found))
    return sorted(found)


def rules_for_bidding(rules: Rules) -> Rules:
    """The same rules without what cannot change a bid that looks at the points of one deal."""
    return replace(rules, target=Rules.target, winning=Rules.winning, end_after=None)


def plan_name(rules: Rules, margin: bool) -> str:
    """The name of the plans for some rules: the table, and what is not by the book, in the words of the options.

    >>> plan_name(Rules(players=5, lowest_bid=2, dealer_may_steal=False), margin=False)
    '5-lowest-bid-2-steal-never'
    """
    rules = rules_for_bidding(rules)
    parts = ["margin"] if margin else []
    parts.append("partners" if rules.partners else str(rules.players))
    for option, name in OPTION_FIELDS.items():
        value = getattr(rules, name)
        if option in ("players", "partners") or value == getattr(Rules, name):
            continue
        word = {chosen: word for word, chosen in OPTION_VALUES.get(option, {}).items()}.get(value, str(value).lower())
        parts.append(f"{option.replace('_', '-')}-{word}" if word != "true" else option)
    return "-".join(parts)


def check_plans(plans: Plans, rules: Rules) -> None:
    """Refuse plans that do not fit the rules: InputError."""
    for heard in situations(rules):
        mixes = plans.calls.get(heard, [])
        legal = legal_calls(rules, heard.seat, heard.highest)
        fits = len(mixes) == plans.classes and all(
            sum(mix) == WHOLE and all(call in legal for call in range(CALLS) if mix[call]) for mix in mixes
        )
        if not fits:
            raise InputError(f"these bidding plans do not fit the rules after {heard}; have them made anew")
