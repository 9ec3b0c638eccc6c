"""What several studies measure: means of bid tables, what a card is worth, how far two calls or leads differ."""

from collections import Counter
from collections.abc import Callable, Container, Sequence
from math import hypot, inf
from typing import Any

import numpy as np
import pandas as pd
from study import Study

import pitchsim
from pitchsim.cards import RANKS
from pitchsim.charts import TRACES
from pitchsim.holdings import all_holdings, frequency_of, holding_name
from pitchsim.statistics import Estimate, score_as_pitcher

SURE = 1.96
SMALL = "9876543"
LOW_TO: dict[str, dict[str, Any]] = {"winner": {}, "holder": {"low_goes_to": "holder"}}
FREQUENCY = {holding_name(ranks): frequency_of(ranks) for ranks in all_holdings()}


def holdings(study: Study, pattern: str, deals: int, **how: Any) -> pd.DataFrame:
    """The rows of a bid table for one holding, or for a pattern such as A x x."""
    return pitchsim.bid_table(holding=pattern, deals=study.deals(deals), **study.how, **how).to_frame()


def errors_of(frame: pd.DataFrame, column: str) -> pd.Series:
    """The standard error of every row: of the points, of a chance, or of the score change as pitcher of a bid."""
    if column == "points":
        return frame["points_se"].fillna(0)
    if not column.startswith("ev"):
        return np.sqrt(frame[column] * (1 - frame[column]) / frame["deals"])
    chances = frame[["p1", "p2", "p3", "p4"]].values.tolist()
    rows = zip(chances, frame["deals"].tolist(), strict=True)
    return pd.Series([score_as_pitcher(row, int(column[-1]), deals).se for row, deals in rows], frame.index)


def weighted(frame: pd.DataFrame, shares: Any, column: str = "points") -> Estimate:
    """The sum of a column, each holding counting with its share; every row is on deals of its own."""
    share = frame["holding"].map(shares).astype(float).fillna(0)
    return Estimate(float(share @ frame[column]), float(np.sqrt(share**2 @ errors_of(frame, column) ** 2)))


def mean(frame: pd.DataFrame, column: str = "points") -> Estimate:
    """The mean of a column over holdings, as often as each comes up."""
    often = frame["holding"].map(FREQUENCY).astype(float)
    return weighted(frame, pd.Series((often / often.sum()).values, frame["holding"]), column)


def minus(one: Estimate, other: Estimate) -> Estimate:
    """The difference of two figures from different deals."""
    return Estimate(one.mean - other.mean, hypot(one.se, other.se))


def instead(holding: str, card: str) -> str:
    """The holding with the highest small trump that it lacks in place of this card.

    >>> instead("A94", "A")
    '984'
    """
    cards = holding.replace(card, next(other for other in SMALL if other not in holding))
    return "".join(sorted(cards, key=RANKS.index, reverse=True))


def worth(frame: pd.DataFrame, card: str, lengths: Container[int], column: str = "points") -> Estimate:
    """What a trump brings more than a small one in its place, over all holdings with it, as often as they come up."""
    with_it = [name for name in frame["holding"] if card in name and len(name) in lengths]
    total = sum(FREQUENCY[name] for name in with_it)
    shares: Counter[str] = Counter()
    for name in with_it:
        shares[name] += FREQUENCY[name] / total
        shares[instead(name, card)] -= FREQUENCY[name] / total
    return weighted(frame, shares, column)


def hand_of(trumps: str) -> str:
    """These spades, and small side cards.

    >>> hand_of("A J")
    'AS JS 9D 8C 7D 5H'
    """
    return " ".join([*(f"{rank}S" for rank in trumps.split()), *["9D", "8C", "7D", "5H", "3C"]][:6])


def trumps_and_side(study: Study, low: str, cards: str, deals: int) -> dict[str, float]:
    """Points and score changes of some trumps (and a side card, behind a slash), with their errors."""
    trumps, _, side = cards.partition("/")
    found = holdings(study, trumps, deals, side=side or None, **LOW_TO[low])
    return {f: v for c in ("points", "ev2", "ev3") for f, v in ((c, found[c][0]), (f"{c}_se", errors_of(found, c)[0]))}


def claimed(low: float, high: float) -> str:
    """Between which figures a claim is true.

    >>> claimed(0.9, 1.1), claimed(0, inf)
    ('+0.90 to +1.10', 'above +0.00')
    """
    if inf in (-low, high):
        return f"above {low:+.2f}" if high == inf else f"below {high:+.2f}"
    return f"{low:+.2f} to {high:+.2f}"


def tested(claim: dict, found: Estimate, tolerance: float) -> dict[str, Any]:
    """One claim, the figure with its 95 % interval, and the verdict."""
    ends = {"low": found.mean - SURE * found.se, "high": found.mean + SURE * found.se}
    told = {"claim": claim["claim"], "measured": claim["measured"], "claimed": claimed(*claim["between"])}
    told |= {"figure": found.mean, "se": found.se} | ends
    return told | {"verdict": verdict(found, *claim["between"], tolerance), "command": claim["command"]}


def call_gap(study: Study, deals: int, hand: str, auction: str, call: int, other: int) -> Estimate:
    """What one call brings more than another, on the same deals."""
    where: dict[str, Any] = {"auction": auction} if auction else {"seat": 1}
    weighing = pitchsim.advise(hand, deals=study.deals(deals), **where, **study.how).weighing
    return weighing.difference(weighing.calls.index(call), weighing.calls.index(other))


def lead_gap(study: Study, deals: int, holding: str, column: str) -> Estimate:
    """What the best of the lower trumps brings more than the top one when it is pitched."""
    table = pitchsim.bid_table(holding=holding, leads=True, deals=study.deals(deals), **study.how)
    leads = {row["lead"]: row for row in table.lead_records()}
    top = leads.pop(holding[0])
    small = max(leads.values(), key=lambda row: row["points"])
    if column == "points":
        return Estimate(top["behind"] - small["behind"], max(top["behind_se"], small["behind_se"]))
    both = pd.DataFrame([small, top])
    errors = errors_of(both, column)
    return Estimate(float(both[column][0] - both[column][1]), float(np.hypot(*errors)))


def verdict(found: Estimate, low: float, high: float, tolerance: float) -> str:
    """What becomes of a claim that a figure is between low and high, when 95 of 100 such intervals hold the truth."""
    tolerance = 0.0 if inf in (-low, high) else tolerance  # "More than nothing" is that or not.
    least, most = found.mean - SURE * found.se, found.mean + SURE * found.se
    if low <= least and most <= high:
        return "true"
    if most < low - tolerance or least > high + tolerance:
        return "false"
    return "roughly" if low - tolerance <= least and most <= high + tolerance else "too close"


def dots(
    axes: Any, rows: Sequence[dict], column: str, y: Sequence[float], place: int, label: str | None = None
) -> None:
    """Dots in a line each, with bars of two standard errors."""
    values, errors = [row[column] for row in rows], [2 * (row[f"{column}_se"] or 0) for row in rows]
    look = {key: TRACES[place][key] for key in ("color", "marker")}
    axes.errorbar(values, y, xerr=errors, linestyle="", capsize=3, markersize=6, elinewidth=1, label=label, **look)


def dots_by_low(axes: Any, rows: Sequence[dict], names: Callable[[dict], str]) -> None:
    """The points under both rules for Low, a line a row."""
    for place, low in enumerate(LOW_TO):
        of = [row for row in rows if row["low_to"] == low]
        dots(axes, of, "points", [k + 0.2 * (place - 0.5) for k in range(len(of))], place, f"Low to the {low}")
    name_lines(axes, [names(row) for row in of])


def name_lines(axes: Any, names: Sequence[str]) -> None:
    """Name the lines, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)


def draw_costs(figure: Any, rows: Sequence[dict], players: Sequence[int], names: Sequence[str], title: str) -> None:
    """What each card of a holding costs, a panel for each number of players; its rank stands above or below."""
    panels = figure.subplots(1, len(players), sharey=True)
    figure.suptitle(title, fontsize=10)
    for axes, number in zip(panels, players, strict=True):
        for row in (row for row in rows if row["players"] == number):
            y, height = names.index(row["holding"]), -12 if row["place"] % 2 else 5
            dots(axes, [row], "behind", [y], 0)
            axes.annotate(row["lead"], (row["behind"], y), (0, height), textcoords="offset points", ha="center", size=8)
        name_lines(axes, names)
        axes.set(xlabel="points behind the best card", title=f"{number} players")


def draw_worth(figure: Any, rows: Sequence[dict], title: str) -> None:
    """What cards are worth, under both rules for Low."""
    axes = figure.subplots()
    dots_by_low(axes, rows, lambda row: f"{row['card']}: {row['with']} for {row['without']}")
    axes.axvline(0, color="grey", linewidth=0.8)
    axes.set_xlabel("more points as pitcher")
    figure.suptitle(title, fontsize=10)
    axes.legend(frameon=False)


def draw_low(figure: Any, rows: Sequence[dict], holdings: Sequence[str], title: str) -> None:
    """A panel for each holding, a line for each lowest trump."""
    panels = figure.subplots(1, len(holdings), sharey=True)
    for axes, holding in zip(panels, holdings, strict=True):
        dots_by_low(axes, [row for row in rows if row["holding"] == holding], lambda row: f"and the {row['lowest']}")
        axes.set(title=holding, xlabel="points as pitcher")
    figure.legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=2)
    figure.suptitle(title, fontsize=10)
