"""What card players say, put to the test: is an ace worth a point, does A-J-small bid 3? `results/claims.csv`."""

import tomllib
from functools import partial
from pathlib import Path

from measures import SURE, call_gap, lead_gap, mean, minus, verdict, worth
from study import Study, as_table, main

import pitchsim

DEALS, PRECISION, TOLERANCE = 200_000, 0.05, 0.15
HERE = Path(__file__).parent
ABOUT, CLAIMS = tomllib.loads((HERE / "claims.toml").read_text(encoding="utf-8")).values()
SHOWN = {"claim": "", "measured": "", "figure": "+.2f", "low": "+.2f", "high": "+.2f", "verdict": "", "command": ""}
FEEDER, STARVER = f"{HERE}/feeder.py:feeder", f"{HERE}/feeder.py:starver"


def measures(study: Study) -> dict:
    """How each kind of claim is measured."""
    deals, how = study.deals(DEALS), {"precision": study.precision(PRECISION), **study.how}
    solo, team = (pitchsim.bid_table(partners=partners, **how).to_frame() for partners in (False, True))
    fed, starved = (pitchsim.simulate(deals=deals, play=name, **study.how) for name in (FEEDER, STARVER))
    return {
        "worth": partial(worth, solo),
        "call": partial(call_gap, study, DEALS // 4),
        "lead": partial(lead_gap, study, DEALS),
        "partner": lambda call: minus(*(mean(table[solo["call_1_0"] == call]) for table in (team, solo))),
        "fed_pitcher": lambda: minus(fed.pitcher_points, starved.pitcher_points),
        "feeder": lambda: pitchsim.match(FEEDER, STARVER, deals=deals, **study.how).best_lead,
    }


def row_of(claim: dict, found) -> dict:
    """One claim, the figure with its 95 % interval, and the verdict."""
    ends = {"low": found.mean - SURE * found.se, "high": found.mean + SURE * found.se}
    told = {"claim": claim["claim"], "measured": claim["measured"], "figure": found.mean, "se": found.se} | ends
    return told | {"verdict": verdict(found, *claim["between"], TOLERANCE), "command": claim["command"]}


def make(study: Study) -> None:
    how = measures(study)
    rows = [row_of(claim, how[name](*given)) for claim in CLAIMS for name, *given in [claim["measure"]]]
    study.csv(rows, deals=DEALS)
    figures = dict.fromkeys(["figure", "low", "high"], "+.2f")
    told = [row | {"command": f"`{row['command']}`"} for row in rows]
    study.page(ABOUT, as_table(told, {"claim": "", "measured": ""} | figures | {"verdict": "", "command": ""}))


if __name__ == "__main__":
    main(make)
