"""What if the others are beginners, `greedy/casual`? Calls among them and among experts: `results/beginners.csv`."""

from measures import hand_of
from study import Study, aloud, as_table, main

import pitchsim
from pitchsim.advice import CALL_NAMES

DEALS, OTHERS = 32_000, {"experts": None, "beginners": "greedy/casual"}
AUCTIONS = {"first to speak": {"seat": 1}, "third over a 2": {"auction": "pass 2"}}
AUCTIONS |= {"dealer over a 2": {"auction": "2 pass pass"}}
TRUMPS = """A K 4, A Q 6, A J 5, A 10 6, A 8 4, A 6 2, A K, A J, A 5, K Q 5, K J 4, K 8 3, K 8 6 4, Q J 10, Q J 5,
Q 9 4, J 10 4, J 8 6 4, 9 7 2, 8 6 4"""


def row_of(study: Study, trumps: str, where: str) -> dict:
    calls, row = [], {"hand": hand_of(trumps), "seat": where}
    for table, others in OTHERS.items():
        advice = pitchsim.advise(row["hand"], **AUCTIONS[where], others=others, deals=study.deals(DEALS), **study.how)
        values = {line["call"]: line["value"] for line in advice.call_rows()}
        calls.append(advice.call)
        row |= {f"call_{table}": CALL_NAMES[advice.call], f"value_{table}": values[CALL_NAMES[advice.call]]}
        row |= {f"ceiling_{table}": max((call for call in values if values[call] > values["pass"]), default="pass")}
    gap = advice.weighing.difference(*(advice.weighing.calls.index(call) for call in reversed(calls)))
    return row | {"cost": gap.mean if calls[0] != calls[1] else 0.0, "cost_se": gap.se if calls[0] != calls[1] else 0.0}


def make(study: Study) -> None:
    rows = [row_of(study, trumps.strip(), where) for where in AUCTIONS for trumps in TRUMPS.split(",")]
    study.csv(rows, play="play expert, bidding equilibrium, or the others greedy/casual", deals=DEALS)
    shown = {"hand": "", "seat": ""} | {f"call_{table}": "" for table in OTHERS}
    shown |= {f"value_{table}": "+.2f" for table in OTHERS} | {"cost": ".2f", "cost_se": ".2f"}
    changed = [row for row in rows if row["call_experts"] != row["call_beginners"]]
    said = f"{len(changed)} of {len(rows)} calls change, these. Cost: of calling as among experts, in points a deal."
    study.page(said, as_table([aloud(row) for row in changed or rows], shown))


if __name__ == "__main__":
    main(make)
