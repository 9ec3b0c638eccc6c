"""Is it good to speak first, or to deal? What each seat is worth with 2 to 7 players."""

from study import Study, as_table, main, plus_minus

import pitchsim
from pitchsim.charts import LINE, TRACES

DEALS = 4_000_000
PLAYERS = range(2, 8)


def seats_of(study: Study, players: int) -> list[dict]:
    seats = pitchsim.simulate(players, study.deals(DEALS), **study.how).to_dict()["seats"]
    mean = sum(row["score_change"] for row in seats) / players
    where = [{"players": players, "seat": row["seat"], "from_dealer": players - row["seat"]} for row in seats]
    return [place | row | {"above_mean": row["score_change"] - mean} for place, row in zip(where, seats, strict=True)]


def make(study: Study) -> None:
    rows = [row for players in PLAYERS for row in seats_of(study, players)]
    study.csv(rows, deals=DEALS)
    told = [row | {"score change": plus_minus(row["score_change"], row["se"])} for row in rows]
    study.page(as_table(told, {"players": "", "seat": "", "score change": "", "above_mean": "+.3f", "pitcher": ".1%"}))
    title = study.title("What each seat is worth", "2 to 7 players", DEALS)
    study.chart(lambda figure: draw(figure.subplots(), rows, title))


def draw(axes, rows: list[dict], title: str) -> None:
    for place, players in enumerate(PLAYERS):
        seats = [[row[k] for k in ("from_dealer", "score_change", "se")] for row in rows if row["players"] == players]
        x, y, errors = zip(*seats, strict=True)
        axes.errorbar(x, y, [2 * se for se in errors], **LINE, **TRACES[place % len(TRACES)])
        axes.annotate(f"{players} players", (x[0], y[0]), (-9, 0), textcoords="offset points", ha="right", va="center")
    axes.set(xlabel="seats before the dealer (0: the dealer)", ylabel="score change, points a deal", xlim=(7, -0.3))
    axes.set_title(title, fontsize=10)


if __name__ == "__main__":
    main(make)
