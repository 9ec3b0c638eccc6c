"""What is every trump holding worth, and what to bid with it? For 2 to 7 players and the common house rules."""

from dataclasses import replace

from study import FEWEST_DEALS, Study, as_table, main, said, summed_up

import pitchsim
from pitchsim.advice import table_in_words
from pitchsim.tablecharts import draw_table

LOW, PRECISIONS = {"winner": "trick_winner", "holder": "holder"}, {4: 0.005} | dict.fromkeys((2, 3, 5, 6, 7), 0.01)
TABLES = {f"{n}_{low}": (PRECISIONS[n], {"players": n, "low_goes_to": LOW[low]}) for low in LOW for n in PRECISIONS}
OTHER_CALLS = {"4_lowest_bid_2": {"lowest_bid": 2}, "4_steal_never": {"dealer_may_steal": False}}  # As 4_winner else.
LEFT_OUT = ["players", "high_exact", "ev1", "ev2", "ev3", "ev4", "pass_value", "next_lead", "behind", "behind_se"]
(TEXT,) = said("bid_tables")


def make(study: Study) -> None:
    tables = {n: pitchsim.bid_table(precision=study.precision(p), **h, **study.how) for n, (p, h) in TABLES.items()}
    for name, house in OTHER_CALLS.items():
        table = tables[name] = pitchsim.bid_table(deals=FEWEST_DEALS, **house, **study.how)
        book = tables["4_winner"].holdings
        table.holdings = [replace(row, best=played.best) for row, played in zip(table.holdings, book, strict=True)]
    draw_table(tables["4_winner"], study.place(".png"))
    index = [written(study, f"bid_table_{name}", table) for name, table in tables.items()]
    study.csv(index)
    shown = [row | {"table": f"[{row['table']}]({row['table']}.csv)"} for row in index]
    study.page(TEXT, as_table(shown, dict.fromkeys(index[0], ".3f")))


def written(study: Study, name: str, table) -> dict:
    frame = table.to_frame()
    kept = frame.drop(columns=LEFT_OUT).replace("pass", "-").assign(frequency=frame.frequency.map("{:.4g}".format))
    study.csv(kept.to_dict("records"), name, rules=table_in_words(table.rules), decimals=3)
    return {"table": name} | summed_up(frame)


if __name__ == "__main__":
    main(make)
