"""Printing a report: notices to standard error, the result alone to standard output, files beside it."""

import os
import sys
from pathlib import Path
from typing import TextIO

import click

from pitchsim.cards import SUIT_SYMBOLS
from pitchsim.report import Report


def emit(report: Report, form: str, out: Path | None = None) -> None:
    """Write the file that was asked for, then print the report."""
    if out is not None:
        report.write(out)
    for notice in report.notices:
        click.echo(f"Note: {notice}", err=True)
    say(_written(report, form))


def say(text: str) -> None:
    """Print a part of the result; click would send UTF-8 to a terminal that only has ASCII."""
    sys.stdout.write(text)
    sys.stdout.flush()


def _written(report: Report, form: str) -> str:
    """Write a report in one of FORMATS."""
    if form == "text":
        return _first_line_bold(report.to_text(symbols=can_print(SUIT_SYMBOLS)))
    return {"json": report.to_json, "csv": report.to_csv, "markdown": report.to_markdown}[form]()


def can_print(letters: str) -> bool:
    """Tell whether standard output has these letters."""
    try:
        letters.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def on_a_terminal(stream: TextIO) -> bool:
    """Tell whether somebody is looking."""
    return stream is not None and stream.isatty()


def _first_line_bold(text: str) -> str:
    """Make the answer stand out, on a terminal whose user likes that."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or os.name == "nt"
    plain = plain or not on_a_terminal(sys.stdout)
    first, newline, rest = text.partition("\n")
    return text if plain or not rest else click.style(first, bold=True) + newline + rest
