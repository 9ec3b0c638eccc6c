"""Results as people and programs read them: text, markdown, CSV, JSON, HTML, a DataFrame, a file.

Every answer of this program is a `Report`. A subclass says what it found (`to_dict`, `tables`) and how a
player wants to read it (`headline`, `text_tables`, `notes`); the formats are made here.
"""

import html
import io
import json
import math
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pitchsim.cards import quoted
from pitchsim.errors import InputError, RunError
from pitchsim.storage import whole_file

if TYPE_CHECKING:
    import pandas

FORMATS = ("text", "json", "csv", "markdown")
OUT_SUFFIXES = (".csv", ".json", ".md", ".html", ".parquet")
CHART_SUFFIXES = (".png", ".svg", ".pdf")


@dataclass
class Table:
    """One table: what its rows are (`kind`), the columns, and the rows with raw values, None for nothing.

    `title` stands above it in text, markdown and HTML. Columns of numbers are aligned right and others left;
    `align` says otherwise for a column by its name.

    >>> Table("bids", ["bid", "made"], [[2, 0.91], [3, None]]).records()[1]
    {'bid': 3, 'made': None}
    """

    kind: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    title: str = ""
    align: Mapping[str, str] = field(default_factory=dict)

    def records(self) -> list[dict[str, Any]]:
        """Give every row by the names of the columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class Report(ABC):
    """An answer, in every form in which one may want it.

    `notices` are sentences about the run that belong on standard error (a small sample, an option without
    effect), not into the result.
    """

    notices: Sequence[str] = ()

    # What a subclass says ---------------------------------------------------------------------------

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Give the whole answer as plain names, numbers and lists: what JSON has."""

    @abstractmethod
    def tables(self) -> list[Table]:
        """Give the answer as tables of raw values: what CSV and DataFrames have."""

    def headline(self, symbols: bool = False) -> str:
        """Answer the question in a line or two; `symbols` where suit symbols can be shown."""
        return ""

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """Give the tables as a player reads them, cells rounded."""
        return self.tables()

    def notes(self, symbols: bool = False) -> list[str]:
        """Say below the tables how the answer was found: method, deals, seed."""
        return []

    def __getattr__(self, name: str) -> Any:
        """Give what JSON has under this name, so that `answer.seats[0].score_change` works in a notebook."""
        if not name.startswith("_") and name not in getattr(type(self), "__dataclass_fields__", ()):
            answer = self.to_dict()
            if name in answer:
                return _row(answer[name])
        raise AttributeError(f"a {type(self).__name__} has no {name!r}")

    # The formats ------------------------------------------------------------------------------------

    def to_text(self, symbols: bool = False) -> str:
        """Write what a player reads at the terminal: the answer first, then tables, then the method."""
        parts = [self.headline(symbols)]
        for table in self.text_tables(symbols):
            parts += [table.title, _drawn(table)]
        return "\n\n".join(part for part in [*parts, "\n".join(self.notes(symbols))] if part) + "\n"

    def to_markdown(self) -> str:
        """Write the same with GitHub's tables."""
        parts = [self.headline()]
        for table in self.text_tables():
            parts += [f"**{table.title}**" if table.title else "", _drawn(table, "pipe")]
        return "\n\n".join(part for part in [*parts, *self.notes()] if part) + "\n"

    def to_csv(self) -> str:
        """Write the raw tables; several become one long table with a `kind` column."""
        import csv

        table = self._long_table()
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(table.columns)
        rows.writerows([_csv_cell(value) for value in row] for row in table.rows)
        return text.getvalue()

    def to_json(self, indent: int | None = None) -> str:
        """Write the whole answer as one JSON object."""
        return json.dumps(plain(self.to_dict()), allow_nan=False, indent=indent) + "\n"

    def to_html(self) -> str:
        """Write a page that needs no other file."""
        title = html.escape(next(iter(self.headline().splitlines()), "pitchsim"))
        return _PAGE.format(title=title, body=self._repr_html_())

    def to_frame(self, kind: str | None = None) -> "pandas.DataFrame":
        """Give one table as a DataFrame: the first, or the one of this kind.

        Raises InputError for a kind that there is not.
        """
        import pandas

        tables = {table.kind: table for table in reversed(self.tables())}
        if kind is not None and kind not in tables:
            raise InputError(f"there is no table {quoted(kind)}; there are {', '.join(reversed(tables))}")
        table = self.tables()[0] if kind is None else tables[kind]
        return pandas.DataFrame([list(row) for row in table.rows], columns=list(table.columns))

    def write(self, path: str | Path) -> None:
        """Write a file, whole or not at all; the suffix says in which form.

        Raises InputError for a place or a suffix that cannot be, RunError when writing fails.
        """
        target = check_out_path(path)
        if target.suffix.lower() == ".parquet":
            _write_parquet(self._long_table(), target)
            return
        writers = {
            ".csv": self.to_csv,
            ".json": lambda: self.to_json(indent=2),
            ".md": self.to_markdown,
            ".html": self.to_html,
        }
        text = writers[target.suffix.lower()]()
        with whole_file(target) as file:
            file.write(text)

    def __str__(self) -> str:
        """Print as a player reads it."""
        return self.to_text()

    def _repr_html_(self) -> str:
        """Show the answer in a notebook."""
        parts = [f"<p><b>{_lines(self.headline())}</b></p>"] if self.headline() else []
        for table in self.text_tables():
            parts += [f"<h4>{html.escape(table.title)}</h4>"] if table.title else []
            parts.append(_drawn(table, "html"))
        return "\n".join([*parts, *(f"<p>{_lines(note)}</p>" for note in self.notes())])

    def _long_table(self) -> Table:
        """Put several tables below each other; the kind tells them apart."""
        tables = self.tables()
        if len(tables) == 1:
            return tables[0]
        columns = list(dict.fromkeys(column for table in tables for column in table.columns))
        rows = [[table.kind, *(row.get(column) for column in columns)] for table in tables for row in table.records()]
        return Table("all", ["kind", *columns], rows)


class Row(dict[str, Any]):
    """Named values that may be asked for as `row["made"]` and as `row.made`."""

    def __getattr__(self, name: str) -> Any:
        """Give the value of this name."""
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}; there are {', '.join(self)}") from None


def _row(value: Any) -> Any:
    """Turn mappings, and those in lists, into rows."""
    if isinstance(value, Mapping):
        return Row({name: _row(item) for name, item in value.items()})
    return [_row(item) for item in value] if isinstance(value, list) else value


# Where a file may go --------------------------------------------------------------------------------


def check_out_path(path: str | Path, suffixes: Sequence[str] = OUT_SUFFIXES) -> Path:
    """Check before any computing that a result can be written there.

    Raises InputError for another suffix, a folder that does not exist, and a name that is a folder.
    """
    target = Path(path)
    if suffixes and target.suffix.lower() not in suffixes:
        *others, last = suffixes
        what = f"cannot be written as {target.suffix}" if target.suffix else "has no suffix to go by"
        raise InputError(f"{quoted(path)} {what}; give {', '.join(others)} or {last}")
    if "\0" in str(path):
        raise InputError(f"{quoted(path)} cannot be the name of a file")
    if target.is_dir():
        raise InputError(f"{quoted(path)} is a folder; give the name of a file")
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {quoted(target.parent)} to write {quoted(target.name)} in")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"nothing can be written in the folder {quoted(target.parent)}")
    if target.suffix.lower() == ".parquet" and not _have_parquet():
        raise InputError("writing .parquet needs pyarrow; install pitchsim[parquet], or give .csv")
    return target


SHIPPED = "shipped"
"""The word for the book of hands that comes with the program."""
PACKED_SUFFIX = ".npz"
BOOK_SUFFIXES = (".parquet", PACKED_SUFFIX)


def check_book_path(path: str | Path, suffixes: Sequence[str] = BOOK_SUFFIXES) -> Path:
    """Check the name of a book of hands; whether it is there, or can be written, shows later.

    Raises InputError for another suffix, and a name that is a folder.
    """
    target = Path(path)
    if target.suffix.lower() not in suffixes or "\0" in str(path):
        wanted = " or ".join(f"a {suffix} file" for suffix in suffixes)
        wanted += f", or the word {SHIPPED}" if suffixes == BOOK_SUFFIXES else ""
        raise InputError(f"{quoted(path)} is not the name of a book; give {wanted}")
    if target.is_dir():
        raise InputError(f"{quoted(path)} is a folder; give the name of a file")
    return target


def check_apart(first: str | Path | None, second: str | Path | None) -> None:
    """Refuse to write one file over another one of the same command.

    Raises InputError when both are the same place.
    """
    if first is not None and second is not None and str(first) != "-" and _same_place(Path(first), Path(second)):
        raise InputError(f"{quoted(first)} is named twice, and one would overwrite the other; give two names")


def _same_place(first: Path, second: Path) -> bool:
    """Tell whether two names are one file."""
    return first.resolve() == second.resolve()


def _have_parquet() -> bool:
    """Tell whether the extra is installed."""
    from importlib.util import find_spec

    return find_spec("pyarrow") is not None


def _write_parquet(table: Table, target: Path) -> None:
    """Write one table through pandas."""
    import pandas

    columns = {name: _of_one_kind([row[place] for row in table.rows]) for place, name in enumerate(table.columns)}
    try:
        with whole_file(target, "wb") as file:
            pandas.DataFrame(columns).to_parquet(file, index=False)
    except (ImportError, ValueError, TypeError) as error:
        raise RunError(f"cannot write {target}: {error}") from error


def _of_one_kind(cells: list[Any]) -> list[Any]:
    """Keep a column as it is, or all of it as text where words and numbers are mixed, or lists are in it."""
    values = [plain(cell) for cell in cells]
    kinds = {str if isinstance(value, str) else Real if isinstance(value, Real) else type(value)
             for value in values if value is not None}  # fmt: skip
    if kinds <= {str} or kinds <= {Real}:
        return values
    return [None if value is None else _csv_cell(value) for value in values]


# Values ---------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Turn a value into what JSON has: numpy's numbers into Python's, nan and infinity into null."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # numpy scalars and arrays, without importing numpy
        return plain(value.tolist())
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Iterable):
        return [plain(item) for item in value]
    return str(value)


def _csv_cell(value: Any) -> str:
    """Write a raw value: numbers in full, nothing for None, the items of a list with spaces between."""
    value = plain(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(_csv_cell(item) for item in value)
    return value if isinstance(value, str) else json.dumps(value)


def _shown(value: Any) -> str:
    """Write a value for people, three decimals and thousands apart."""
    value = plain(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, int) and abs(value) >= 10_000:
        return f"{value:,}"
    if isinstance(value, list):
        return " ".join(_shown(item) for item in value)
    return "" if value is None else str(value)


def engine_in_words(engine: str) -> str:
    """Say which engine has played: the one of 64 lanes, or the scalar one."""
    return f"Played {'64 deals' if engine == 'lanes' else 'one deal'} at a time."


def percent(share: float | None, decimals: int = 1) -> str:
    """Write a share as a player says it; 0% and 100% only where it is certain.

    >>> [percent(share) for share in (0, 0.00001, 0.6087, 0.99999, 1, None)]
    ['0%', '<0.1%', '60.9%', '>99.9%', '100%', '']
    """
    if share is None or not math.isfinite(share):
        return ""
    if share in (0, 1):
        return f"{share * 100:.0f}%"
    least, rounded = 10**-decimals, round(share * 100, decimals)
    if rounded <= 0:
        return f"<{least:.{decimals}f}%"
    if rounded >= 100:
        return f">{100 - least:.{decimals}f}%"
    return f"{rounded:.{decimals}f}%"


def signed(number: float | None, decimals: int = 2) -> str:
    """Write a score change with its sign; a zero has none.

    >>> [signed(number) for number in (1.234, -0.5, 0.001, None)]
    ['+1.23', '-0.50', '0.00', '']
    """
    if number is None or not math.isfinite(number):
        return ""
    rounded = round(number, decimals)
    return f"{rounded:+.{decimals}f}" if rounded else f"{0:.{decimals}f}"


def deals_in_words(counts: Sequence[int]) -> str:
    """Say how many deals: the fewest and the most of some numbers.

    >>> [deals_in_words(counts) for counts in ([1], [2_000, 2_000], [1, 5])]
    ['1 deal', '2,000 deals', '1 to 5 deals']
    """
    fewest, most = min(counts), max(counts)
    spanned = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return f"{spanned} deal{'s' * (most != 1)}"


# Tables ---------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"[<>+-]?\d[\d.,]*(e[+-]?\d+)?\s?%?|")


def _drawn(table: Table, style: str = "simple") -> str:
    """Draw a table: for the terminal with letters that every one has, `pipe` for GitHub, `html` for a browser."""
    import tabulate

    body = [[_shown(value) for value in row] for row in table.rows]
    if style == "pipe":
        body = [[cell.replace("|", "\\|") for cell in row] for row in body]
    sides = [
        table.align.get(column) or ("right" if all(_NUMBER.fullmatch(row[place]) for row in body) else "left")
        for place, column in enumerate(table.columns)
    ]
    head = [str(column) for column in table.columns]
    padding, tabulate.MIN_PADDING = tabulate.MIN_PADDING, 0  # Else every heading gets two blanks more.
    try:
        text = tabulate.tabulate(body, head, style, colalign=sides if body else None, disable_numparse=True)
    finally:
        tabulate.MIN_PADDING = padding
    return "\n".join(line.rstrip() for line in text.splitlines())


def _lines(text: str) -> str:
    """Keep the lines of a text apart in HTML."""
    return html.escape(text).replace("\n", "<br>\n")


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 64em; margin: 2em auto; padding: 1em; }}
table {{ border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .25em .8em; border-bottom: 1px solid #ddd; text-align: left; }}
th {{ border-bottom: 2px solid #888; }}
tbody tr:hover {{ background: #f4f4ee; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""
