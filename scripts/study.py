"""What the studies share: each is one script `scripts/NAME.py`, and makes `results/NAME.csv`, `.md` and `.png`.

The docstring of a script is the question, its constants stand at the top, and its function `make(study)` answers:

    def make(study):
        rows = [...]                                # dictionaries, one a row
        study.csv(rows, deals=DEALS)                # results/NAME.csv
        study.page(as_table(rows, ["seat"]))        # results/NAME.md
        study.chart(draw)                           # results/NAME.png; draw(figure)

    if __name__ == "__main__":
        main(make)

`study.deals(DEALS)` and `study.precision(.01)` are what is to be played, less in a small run (`--share .01`);
`study.title(...)` says so above a picture.
"""

import argparse
import csv
import io
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pitchsim
from pitchsim.advice import as_said
from pitchsim.storage import whole_file

SEED = 1
SCRIPTS = Path(__file__).parent
RESULTS = SCRIPTS.parent / "results"
FEWEST_DEALS = 200
BLOCKS = 50
DECIMALS, SMALL = 4, 0.001

Rows = Sequence[Mapping[str, Any]]


class Study:
    """One run of a study: how much is played, and where the files go."""

    def __init__(
        self, make: Callable, folder: Path | str = RESULTS, share: float = 1.0, threads: int | None = None
    ) -> None:
        """A run of the script in which `make` stands; `share` 1 is the whole of it."""
        self.name = Path(make.__code__.co_filename).stem
        self.question = make.__globals__["__doc__"].partition("\n")[0].partition(" `results/")[0].rstrip(":.")
        self.folder, self.share, self.threads = Path(folder), share, threads
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def how(self) -> dict[str, Any]:
        """What every question to the program is asked with."""
        return {"seed": SEED, "threads": self.threads}

    def deals(self, whole: int) -> int:
        """So many deals of a whole run."""
        return max(round(whole * self.share), min(whole, FEWEST_DEALS))

    def precision(self, whole: float) -> float:
        """The standard error that so many fewer deals have."""
        return whole / self.share**0.5

    def blocks(self, deals: int, **house: Any) -> list[dict[str, float]]:
        """What `pitchsim.simulate` finds in blocks of deals, the same deals for every house and every policy."""
        size = max(self.deals(deals) // BLOCKS, 1)
        runs = (pitchsim.simulate(deals=size, first=k * size, **house, **self.how) for k in range(BLOCKS))
        return [_figures(run.to_dict()) for run in runs]

    def place(self, suffix: str, name: str | None = None) -> Path:
        """The path of a file of this study."""
        return self.folder / f"{name or self.name}{suffix}"

    def title(self, about: str, players: str, deals: int, rules: str = "rules of the book", bids: bool = True) -> str:
        """The title of a picture: what is seen, and below it who played what; `bids` where the bidding matters."""
        who = "play expert, bidding equilibrium" if bids else "play expert"
        return f"{about}\n{players}, {rules}, {who}, {self.deals(deals):,} deals; bars: two standard errors"

    def csv(
        self,
        rows: Rows,
        name: str | None = None,
        *,
        rules: str = "rules of the book",
        play: str = "play expert, bidding equilibrium",
        deals: int | None = None,
        decimals: int = DECIMALS,
    ) -> None:
        """Write the figures, and in the first line how they were made."""
        played = "" if deals is None else f", {self.deals(deals)} deals"
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(rows[0])
        table.writerows([cell(value, decimals) for value in row.values()] for row in rows)
        about = f"# pitchsim {pitchsim.__version__}, seed {SEED}, {rules}, {play}{played}\n"
        self.text(".csv", about + text.getvalue(), name)

    def page(self, *parts: str, name: str | None = None) -> None:
        """Write the page: the question, and below it paragraphs and tables."""
        self.text(".md", "\n\n".join([f"# {self.question}", *(part.strip() for part in parts if part)]) + "\n", name)

    def text(self, suffix: str, text: str, name: str | None = None) -> None:
        """Write any other text."""
        with whole_file(self.place(suffix, name)) as file:
            file.write(text)

    def chart(
        self, draw: Callable[[Any], None], size: tuple[float, float] = (9.0, 4.6), name: str | None = None
    ) -> None:
        """Draw on a new figure, and save it."""
        import matplotlib as mpl
        from matplotlib.figure import Figure

        from pitchsim.charts import STYLE, save_figure

        with mpl.rc_context(STYLE):
            figure = Figure(figsize=size, layout="constrained")
            draw(figure)
            save_figure(figure, self.place(".png", name))


def _figures(run: Mapping[str, Any]) -> dict[str, float]:
    """Score changes by seat; the pitcher's points, and how often he makes it; the final bids; what the dealer does."""
    *others, dealer = (row["score_change"] for row in run["seats"])
    found = {f"seat_{seat}": change for seat, change in enumerate(others, 1)} | {"dealer": dealer}
    found |= {"all_seats": sum(others) + dealer, "dealers_edge": dealer - fmean(others)}
    bids, pitcher = run["pitcher"]["by_bid"], run["pitcher"]
    found |= {"points": pitcher["points"], "made": pitcher["made"]}
    found |= {f"bid_{bid}": bids[str(bid)]["deals"] / run["deals"] if str(bid) in bids else 0.0 for bid in range(1, 5)}
    return found | {name: run[name] for name in ("stuck", "stolen", "thrown_in")}


def said(name: str) -> list[Any]:
    """What `scripts/NAME.toml` has to say: the text of a page, and whatever follows."""
    return list(tomllib.loads((SCRIPTS / f"{name}.toml").read_text(encoding="utf-8")).values())


def cell(value: Any, decimals: int = DECIMALS) -> Any:
    """A figure with as many digits as mean something; a small one keeps three.

    >>> cell(0.123456), cell(0.00012345), cell(2.0), cell(None), cell("2")
    ('0.1235', '0.000123', '2', '', '2')
    """
    if value is None or value != value:
        return ""
    if not isinstance(value, float):
        return value
    if 0 < abs(value) < SMALL and decimals >= DECIMALS:
        return f"{value:.3g}"
    return f"{round(value, decimals):.{decimals}f}".rstrip("0").rstrip(".") or "0"


def as_table(rows: Rows, columns: Iterable[str] | Mapping[str, str] | None = None) -> str:
    """A table in Markdown; `columns` are those to show, or formats by column, as in {"points": "+.3f"}.

    >>> print(as_table([{"seat": 1, "points": 0.5}], {"seat": "", "points": "+.2f"}))
    | seat | points |
    | ---: | ---: |
    | 1 | +0.50 |
    """
    shown = dict.fromkeys(columns or rows[0], "") if not isinstance(columns, Mapping) else columns
    sides = ["---" if isinstance(rows[0][column], str) else "---:" for column in shown]
    lines = [list(shown), sides, *([_written(row[column], how) for column, how in shown.items()] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def figure(value: float, how: str) -> str:
    """A figure as a reader writes it: without a sign when nothing is left of it.

    >>> figure(-0.001, "+.2f"), figure(-0.001, ".0%"), figure(1234.5, ",.1f")
    ('0.00', '0%', '1,234.5')
    """
    written = format(value, how)
    return written if any(digit in written for digit in "123456789") else written.lstrip("+-")


def as_call(call: str, over: int) -> str:
    """A call of a table, where a dash is a pass, as it is said at the table.

    >>> as_call("2", 2), as_call("3", 2), as_call("-", 2)
    ('steal', '3', 'pass')
    """
    return as_said("pass" if call == "-" else call, over)


def aloud(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with its calls as they are said at the table: the dealer over a bid (in column or row) steals.

    >>> aloud({"seat": "dealer over a 2", "call_experts": "2"}), aloud({"dealer over a 3": "3", "speaks first": "3"})
    ({'seat': 'dealer over a 2', 'call_experts': 'steal'}, {'dealer over a 3': 'steal', 'speaks first': '3'})
    """

    def over(name: str) -> int:
        where = name if "over a" in name else str(row.get("seat"))
        return int(where[-1]) if where.startswith("dealer over a") else 0

    calls = [name for name in row if name.startswith("call_") or "over a" in name or "speaks" in name]
    return {**row} | {name: as_call(row[name], over(name)) for name in calls}


def _written(value: Any, how: str) -> str:
    """One cell of a page; nothing where there is nothing."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return ""
    return figure(value, how) if isinstance(value, float) else format(value, how)


def plus_minus(value: float | None, se: float | None, how: str = "+.3f") -> str:
    """A figure with its standard error.

    >>> plus_minus(0.5, 0.01)
    '+0.500 +/- 0.010'
    """
    return "" if value is None else f"{figure(value, how)} +/- {se or 0:{how.replace('+', '')}}"


def summed_up(holdings: Any) -> dict[str, float]:
    """A bid table in a line: what is won, which bids are the highest that pay, how often not to lead the top card.

    By how often the holdings come up; in `of_holdings` each of them counts once.
    """
    often, lower = holdings.frequency / holdings.frequency.sum(), holdings.lead != holdings.holding.str[0]
    means = {figure: often @ holdings[figure] for figure in ("points", "high", "low", "jack", "game")}
    means |= {f"up_to_{bid}": often @ (holdings.ceiling == bid) for bid in range(5)}
    return means | {"lower_lead": often @ lower, "of_holdings": lower.mean()}


def paired(blocks: Sequence[Mapping[str, float]], others: Sequence[Mapping[str, float]]) -> list[dict[str, Any]]:
    """Each figure of a run in blocks of deals, and its difference to another run on the same deals, with errors.

    >>> paired([{"points": 2.0}, {"points": 3.0}], [{"points": 1.0}, {"points": 2.0}])[0]["difference"]
    1.0
    """
    rows = []
    for name in blocks[0]:
        mine = [block[name] for block in blocks]
        gaps = [block[name] - other[name] for block, other in zip(blocks, others, strict=True)]
        (value, value_se), (gap, gap_se) = mean_of(mine), mean_of(gaps)
        row = {"value": value, "value_se": value_se, "difference": gap, "difference_se": gap_se}
        rows.append({"figure": name} | row)
    return rows


def mean_of(values: Sequence[float]) -> tuple[float, float]:
    """The mean of some blocks and its standard error, from how they differ among each other."""
    return fmean(values), stdev(values) / len(values) ** 0.5


def main(make: Callable[[Study], None]) -> None:
    """Run one study from the command line."""
    parser = argparse.ArgumentParser(description=make.__globals__["__doc__"].partition("\n")[0])
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FOLDER", help="where the files go")
    parser.add_argument("--share", type=float, default=1.0, help="how much of the whole study is played (default 1)")
    parser.add_argument("--threads", type=int, help="default: all cores; the figures never depend on it")
    given = parser.parse_args()
    make(Study(make, given.out, given.share, given.threads))


if __name__ == "__main__":
    import doctest

    doctest.testmod()
