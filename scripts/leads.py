"""Which card do I pitch from K-5-3, A-J-2, K-3, A-K, and what does another one cost? `results/leads.csv`."""

from measures import draw_costs
from study import Study, as_table, main, plus_minus

import pitchsim
from pitchsim.holdings import spelled

DEALS = 100_000
PLAYERS = (2, 4, 6)
HOLDINGS = "A K Q,A K,A Q 6,A J 2,A J 8,A 10 6,A 6 4,A 2,K Q,K J 6,K 5 3,K 3,Q J 10,Q 6 4,J 10 6,J 6 4,10 6 4,8 6 4"
SHOWN = {"holding": "", "lead": "", "2 players": "", "4 players": "", "6 players": "", "points": ".2f"}
SHOWN |= dict.fromkeys(["high", "low", "jack", "game"], ".0%")
ABOUT = "What a card costs, in points a deal (0: the best); with four players what it brings, side cards at random."


def rows_of(study: Study, players: int, holding: str) -> list[dict]:
    """Every card of a holding, best first, on the same deals; behind: how many points less than the best."""
    leads = pitchsim.bid_table(players, holding, leads=True, deals=study.deals(DEALS), **study.how).lead_records()
    asked = {"players": players, "holding": holding}
    return [asked | {"place": place} | row | {**asked, "lead": spelled(row["lead"])} for place, row in enumerate(leads)]


def make(study: Study) -> None:
    rows = [row for players in PLAYERS for name in HOLDINGS.split(",") for row in rows_of(study, players, name)]
    study.csv(rows, deals=DEALS)
    costs = {(row["players"], row["holding"], row["lead"]): plus_minus(row["behind"], row["behind_se"]) for row in rows}
    told = [r | {f"{n} players": costs[n, r["holding"], r["lead"]] for n in PLAYERS} for r in rows if r["players"] == 4]
    study.page(ABOUT, as_table(told, SHOWN))
    title = study.title("What another card than the best costs", "2, 4 and 6 players", DEALS, bids=False)
    study.chart(lambda figure: draw_costs(figure, rows, PLAYERS, HOLDINGS.split(","), title), (11, 8))


if __name__ == "__main__":
    main(make)
