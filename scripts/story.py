"""Writes results/README.md: the text of scripts/story.md, with every figure taken from the files of the studies.

In the text `{seats players=4; seat=1 | score_change:+.2f}` is the score change in that row of seats.csv where players
is 4 and seat is 1, so written; `-difference` is the figure with the other sign, and calls are said as at the table.
"""

import csv
import re
from functools import cache
from pathlib import Path

from study import RESULTS, as_call, figure

from pitchsim.storage import whole_file

TEXT = Path(__file__).with_suffix(".md")
CALL = re.compile(r"call_\d_(\d)")
PLACE = re.compile(r"\{(\w+) ([^{}|]*?) ?\| (-?)(\w+)(?::([^{}]*))?\}")


@cache
def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a study, without the line that says how they were made."""
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()[1:]))


def told(folder: Path, place: re.Match) -> str:
    """The figure that stands for a place in the text; there must be exactly one such row."""
    name, where, minus, column, how = place.groups()
    wanted = dict(part.strip().split("=", 1) for part in where.split(";"))
    rows = [row for row in rows_of(folder / f"{name}.csv") if wanted.items() <= row.items()]
    if len(rows) != 1:
        raise ValueError(f"{len(rows)} rows are {place[0]}")
    found = rows[0][column]
    if how is not None:
        return figure(-float(found) if minus else float(found), how)
    if heard := CALL.fullmatch(column):
        return as_call(found, int(heard[1]))
    return "10" if found == "T" else "pass" if found == "-" else found


def story(folder: Path = RESULTS) -> str:
    """The whole page, from the files in this folder."""
    return PLACE.sub(lambda place: told(folder, place), TEXT.read_text(encoding="utf-8"))


def main(folder: Path = RESULTS) -> None:
    text = story(folder)
    with whole_file(folder / "README.md") as file:
        file.write(text)


if __name__ == "__main__":
    main()
