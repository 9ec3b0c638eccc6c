"""What is every trump holding worth, and what to bid with it? For 2 to 7 players and the common house rules."""

from study import Study, as_table, main

import pitchsim
from pitchsim.tablecharts import draw_table

HOLDER = {"low_goes_to": "holder"}
TABLES = {"4_winner": (0.01, {}), "4_holder": (0.01, HOLDER), "4_lowest_bid_2": (0.01, {"lowest_bid": 2})}
TABLES |= {"4_steal_never": (0.01, {"dealer_may_steal": False})}
TABLES |= {f"{n}_winner": (0.03, {"players": n}) for n in (2, 3, 5, 6, 7)}
TABLES |= {f"{n}_holder": (0.03, {"players": n} | HOLDER) for n in (2, 3, 5, 6, 7)}
LEFT_OUT = ["players", "high_exact", "ev1", "ev2", "ev3", "ev4", "pass_value", "next_lead", "behind", "behind_se"]
TEXT = "Means by how often a holding comes up; `call_3_2` in the files is what seat 3 calls over a 2, `-` is a pass."


def make(study: Study) -> None:
    index = [one_table(study, name, *how) for name, how in TABLES.items()]
    study.csv(index)
    study.page(TEXT, as_table(index, dict.fromkeys(index[0], ".3f") | {"precision": ""}))


def one_table(study: Study, name: str, precision: float, house: dict) -> dict:
    """One table into its own file; what it comes to for the index."""
    table = pitchsim.bid_table(precision=study.precision(precision), **house, **study.how)
    if name == "4_winner":
        draw_table(table, study.place(".png"))
    frame = table.to_frame()
    often, lower = frame.frequency / frame.frequency.sum(), frame.lead != frame.holding.str[0]
    kept = frame.drop(columns=LEFT_OUT).replace("pass", "-").assign(frequency=frame.frequency.map("{:.4g}".format))
    study.csv(kept.to_dict("records"), f"bid_table_{name}", rules=f"rules {house or 'of the book'}", decimals=3)
    means = {column: often @ frame[column] for column in ("points", "high", "low", "jack", "game")}
    means |= {f"up_to_{bid}": often @ (frame.ceiling == bid) for bid in range(5)}
    means |= {"lower_lead": often @ lower, "of_holdings": lower.mean()}
    return {"table": f"bid_table_{name}", "precision": precision} | {key: float(mean) for key, mean in means.items()}


if __name__ == "__main__":
    main(make)
