"""The house: `pitchsim rules`, `pitchsim policies` and `pitchsim cache`."""

from pathlib import Path
from typing import Any

import click

from pitchsim.cli.frame import Command
from pitchsim.cli.options import format_option, house_options, out_option
from pitchsim.cli.output import emit
from pitchsim.report import Report, Table
from pitchsim.rules import Rules, describe


class RulesInForce(Report):
    """What the table has agreed on, in words."""

    def __init__(self, rules: Rules) -> None:
        """Keep the rules, with every sentence about them and whether the house made it."""
        self.rules = rules
        by_the_book = describe(Rules())
        self.sentences = [
            (sentence, sentence != usual) for sentence, usual in zip(describe(rules), by_the_book, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Give the rules as records have them, and the sentences."""
        return {"rules": self.rules.to_dict(), "words": [sentence for sentence, _ in self.sentences]}

    def tables(self) -> list[Table]:
        """Give one row for each rule."""
        usual = Rules().to_dict()
        rows = [[name, value, usual[name]] for name, value in self.rules.to_dict().items()]
        return [Table("rules", ["rule", "value", "default"], rows)]

    def to_text(self, symbols: bool = False) -> str:
        """Write one sentence a line, those of the house marked."""
        lines = [f"{'*' if of_house else '-'} {sentence}" for sentence, of_house in self.sentences]
        note = ["", "* a house rule; the others are by the book"] if any(of for _, of in self.sentences) else []
        return "\n".join(["The rules in force", "", *lines, *note]) + "\n"

    def to_markdown(self) -> str:
        """Write the same as a list."""
        lines = [f"- **{words}** (house rule)" if of else f"- {words}" for words, of in self.sentences]
        return "\n".join(["**The rules in force**", "", *lines]) + "\n"

    def _repr_html_(self) -> str:
        """Show the rules in a notebook."""
        import html

        lines = [f"<li>{html.escape(words)}{' (house rule)' if of else ''}</li>" for words, of in self.sentences]
        return "\n".join(["<p><b>The rules in force</b></p>", "<ul>", *lines, "</ul>"])


class Cache(Report):
    """What is kept between runs, and where."""

    def __init__(self, places: list[Any], removed: bool = False) -> None:
        """Keep the places; `removed` when they have just been cleared."""
        self.places, self.removed = places, removed

    def to_dict(self) -> dict[str, Any]:
        """Give the places and their sum."""
        return {
            "root": str(_cache_root()),
            "removed": self.removed,
            "bytes": sum(place.bytes for place in self.places),
            "places": [{**place._asdict(), "path": str(place.path)} for place in self.places],
        }

    def tables(self) -> list[Table]:
        """Give one row for each place."""
        rows = [[place.what, place.files, place.bytes, str(place.path)] for place in self.places]
        return [Table("places", ["what", "files", "bytes", "path"], rows)]

    def headline(self, symbols: bool = False) -> str:
        """Say how much it is in all."""
        if not self.places:
            return f"Nothing is kept in {_cache_root()}"
        size = _size(sum(place.bytes for place in self.places))
        return f"{'Removed' if self.removed else 'Kept in'} {_cache_root()}: {size}"

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """Give the places with readable sizes."""
        rows = [[place.what, place.files, _size(place.bytes), str(place.path)] for place in self.places]
        return [Table("places", ["what", "files", "size", "where"], rows, align={"size": "right"})] if rows else []

    def notes(self, symbols: bool = False) -> list[str]:
        """Say how to be rid of it."""
        from pitchsim.storage import BOOKS

        if self.removed or not self.places:
            return []
        but_books = " all but the books" if any(place.what == BOOKS for place in self.places) else ""
        return [f"pitchsim cache --clear removes it{but_books}; it is made again when needed."]


def _cache_root() -> Path:
    """Name the cache folder."""
    from pitchsim.storage import cache_root

    return cache_root()


def _size(bytes: int) -> str:
    """Write a size for people."""
    return f"{bytes / 1e6:.1f} MB" if bytes >= 100_000 else f"{bytes / 1e3:.1f} kB"


@click.command(cls=Command)
@house_options
@format_option
@out_option
def rules(rules: Rules, form: str, out: Path | None) -> None:
    """The rules in force, with the options given, in words.

    \b
    Example:
      pitchsim rules
      pitchsim rules -n 5 --lowest-bid 2 --steal never
    """
    emit(RulesInForce(rules), form, out)


@click.command(cls=Command)
@click.option("--show", metavar="NAME", help="Tell one policy in full: for expert in which order it plays its cards.")
@house_options
@format_option
@out_option
def policies(show: str | None, rules: Rules, form: str, out: Path | None) -> None:
    """Which policies are there, built in and plugged in?

    Give their names to --play and --bidding. One's own: file.py:function or package.module:function. The house rules
    only matter with --show.

    \b
    Example:
      pitchsim policies
      pitchsim policies --show expert -n 5
    """
    if show is not None:
        from pitchsim.orders import show as show_policy

        emit(show_policy(show, rules), form, out)
        return
    from pitchsim.catalogue import list_policies

    emit(list_policies(), form, out)


@click.command(cls=Command)
@click.option(
    "--clear", is_flag=True, help="Remove it, it is made again when needed; books of hands took hours and stay."
)
@format_option
@out_option
def cache(clear: bool, form: str, out: Path | None) -> None:
    """What is kept where, and how large it is.

    \b
    Example:
      pitchsim cache
      pitchsim cache --format json
    """
    from pitchsim.storage import clear_cache, kept_places

    emit(Cache(clear_cache() if clear else kept_places(), clear), form, out)
