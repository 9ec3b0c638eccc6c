"""What is the deuce worth, the jack, a side ten, a side ace, a further trump? `results/card_values.csv`."""

from measures import LOW_TO, draw_worth, trumps_and_side
from study import Study, as_table, main, plus_minus, said

DEALS = 200_000
PAIRS = """ace: A 7 4 for 9 7 4; A J 4 for J 9 4; A 8 7 4 for 9 8 7 4 | king: K 7 4 for 9 7 4; A K 4 for A 9 4
queen: Q 7 4 for 9 7 4; A Q 4 for A 9 4
jack: J 7 4 for 9 7 4; K J 4 for K 9 4; A J for A 9; A J 4 for A 9 4; A J 7 4 for A 9 7 4; J 8 7 4 for 9 8 7 4
deuce: A 7 2 for A 7 4; K 8 2 for K 8 4; 9 7 2 for 9 7 4; A 2 for A 4
further trump: A 8 for A; A 8 7 for A 8; A 8 7 5 for A 8 7; A 8 7 6 5 for A 8 7 5; K 8 5 for K 8; K 8 6 5 for K 8 5
side ten: A 7 4/10 for A 7 4/5; K 8 5/10 for K 8 5/5; A K 4/10 for A K 4/5; A 8 7 4/10 for A 8 7 4/5
side ace: A 7 4/A for A 7 4/5; K 8 5/A for K 8 5/5; A K 4/A for A K 4/5; A 8 7 4/A for A 8 7 4/5"""

SHOWN = {"points": "points", "ev2": "as 2", "ev3": "as 3"}


def row_of(study: Study, low: str, card: str, pair: str) -> dict:
    """What the first hand of a pair brings more than the second; each is played on deals of its own."""
    one, other = pair.split(" for ")
    first, second = (trumps_and_side(study, low, cards, DEALS) for cards in (one, other))
    gaps = {f: (first[f] ** 2 + second[f] ** 2) ** 0.5 if "_se" in f else first[f] - second[f] for f in first}
    return {"low_to": low, "card": card, "with": one, "without": other} | gaps


def make(study: Study) -> None:
    pairs = [line.strip().split(": ") for line in PAIRS.replace("|", "\n").splitlines()]
    asked = [(low, card, pair) for low in LOW_TO for card, several in pairs for pair in several.split("; ")]
    rows = [row_of(study, *question) for question in asked]
    study.csv(rows, rules="rules of the book but for low_to", deals=DEALS)
    told = [row | {name: plus_minus(row[f], row[f"{f}_se"], "+.3f") for f, name in SHOWN.items()} for row in rows]
    study.page(*said("card_values"), as_table(told, ["low_to", "card", "with", "without", *SHOWN.values()]))
    title = study.title("What a card is worth", "4 players", DEALS, "rules of the book but for Low", bids=False)
    study.chart(lambda figure: draw_worth(figure, rows, title), (8, 9))


if __name__ == "__main__":
    main(make)
