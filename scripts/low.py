"""Low to who wins its trick, or to its holder: what is the deuce worth, and what changes? `results/low.csv`."""

from measures import LOW_TO, draw_low, errors_of, holdings
from study import Study, aloud, as_table, main, said

import pitchsim
from pitchsim.cards import RANKS

DEALS, RUN = 200_000, 1_000_000
RULES = "rules of the book but for low_to"
HOLDINGS = ["A 7", "K 9", "Q 8", "9 7"]
CALLS = {"speaks first": "call_1_0", "dealer over a 2": "call_4_2"}


def row_of(study: Study, low: str, holding: str, lowest: str) -> dict:
    """One holding with this lowest trump, under one rule."""
    found = holdings(study, f"{holding} {lowest}", DEALS, **LOW_TO[low])
    columns = [column for name in ("points", "low", "ev2", "ev3") for column in (name, f"{name}_se")]
    figures = found.assign(**{f"{name}_se": errors_of(found, name) for name in ("low", "ev2", "ev3")}).iloc[0]
    told = {name: figures[column] for name, column in CALLS.items()}
    return {"low_to": low, "holding": holding, "lowest": lowest} | {name: figures[name] for name in columns} | told


def make(study: Study) -> None:
    rows = [row_of(study, low, name, lowest) for low in LOW_TO for name in HOLDINGS for lowest in RANKS[:5]]
    study.csv(rows, rules=RULES, deals=DEALS)
    runs = {low: pitchsim.simulate(deals=study.deals(RUN), **study.how, **rule) for low, rule in LOW_TO.items()}
    bids = [{"low_to": low} | row for low, run in runs.items() for row in run.to_frame("bid").to_dict("records")]
    study.csv(bids, "low_bids", rules=RULES, deals=RUN)
    told = [aloud(row) | {f"as {bid}": row[f"ev{bid}"] for bid in (2, 3)} for row in rows]
    shown = {"low_to": "", "holding": "", "lowest": "", "points": ".2f", "low": ".0%", "as 2": "+.2f", "as 3": "+.2f"}
    runs_shown = {"low_to": "", "bid": "", "deals": ",", "made": ".1%", "points": ".2f", "score_change": "+.2f"}
    study.page(*said("low"), as_table(told, shown | dict.fromkeys(CALLS, "")), as_table(bids, runs_shown))
    title = study.title("Two trumps and a low one", "4 players", DEALS, "rules of the book but for Low", bids=False)
    study.chart(lambda figure: draw_low(figure, rows, HOLDINGS, title), (11, 4))


if __name__ == "__main__":
    main(make)
