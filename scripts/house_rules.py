"""What does each house rule change? Four players, the same deals under each rule, everybody bidding to it."""

from pictures import dots, stacked
from study import Study, as_table, main, paired, said

DEALS = 4_000_000
SEATS = ["seat_1", "seat_2", "seat_3", "dealer"]
SHOWN = [*SEATS, "dealers_edge", "points", "made", "bid_1", "bid_2", "bid_3", "bid_4", "stuck", "stolen"]
TEXT, HOUSES = said("house_rules")


def make(study: Study) -> None:
    runs = {rule: study.blocks(DEALS, **house) for rule, house in HOUSES.items()}
    of = {(rule, row["figure"]): row for rule, run in runs.items() for row in paired(run, runs["book"])}
    study.csv([{"rule": rule} | row for (rule, _), row in of.items()], deals=DEALS)
    wide = [{"rule": rule} | {name: of[rule, name]["difference"] for name in SHOWN} for rule in HOUSES]
    wide[0] |= {name: of["book", name]["value"] for name in SHOWN}
    study.page(TEXT, as_table(wide, dict.fromkeys(wide[0], "+.3f")))
    rules = [rule for rule in HOUSES if rule not in ("book", "--partners")]
    gaps = {s: [[of[rule, s][k] for rule in rules] for k in ("difference", "difference_se")] for s in SEATS}
    gains = {seat.replace("_", " "): gap for seat, gap in gaps.items()}
    bids = {f"a {bid}": [of[rule, f"bid_{bid}"]["value"] for rule in HOUSES] for bid in range(1, 5)}
    title = study.title("House rules", "4 players", DEALS, "rules of the book but for the one named")
    study.chart(lambda figure: draw(*figure.subplots(1, 2), title, rules, gains, bids), (13, 5.5))


def draw(left, right, title: str, rules: list[str], gains: dict, bids: dict) -> None:
    left.figure.suptitle(title)
    dots(left, rules, gains, "against the book, points a deal")
    stacked(right, list(HOUSES), bids, "final bids, of all deals")


if __name__ == "__main__":
    main(make)
