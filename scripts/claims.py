"""What card players say, put to the test: is an ace worth a point, does A-J-small bid 3? `results/claims.csv`."""

from functools import partial

from measures import call_gap, lead_gap, mean, minus, tested, worth
from study import SCRIPTS, Study, as_table, main, said

import pitchsim

DEALS, PRECISION, TOLERANCE = 200_000, 0.01, 0.15
ABOUT, CLAIMS = said("claims")
SHOWN = dict.fromkeys(["claim", "measured", "claimed"], "") | dict.fromkeys(["figure", "low", "high"], "+.2f")
SHOWN |= {"verdict": "", "command": ""}
FEEDER, STARVER = f"{SCRIPTS}/feeder.py:feeder", f"{SCRIPTS}/feeder.py:starver"


def measures(study: Study) -> dict:
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


def make(study: Study) -> None:
    how = measures(study)
    rows = [tested(claim, how[name](*given), TOLERANCE) for claim in CLAIMS for name, *given in [claim["measure"]]]
    study.csv(rows, deals=DEALS)
    study.page(ABOUT, as_table([row | {"command": f"`{row['command']}`"} for row in rows], SHOWN))


if __name__ == "__main__":
    main(make)
