"""A book in the making: a folder beside it with the recipe and one file a shard, each whole or not there."""

import contextlib
import json
import os
import re
from pathlib import Path
from typing import Any

from pitchsim.book.pages import Damaged, Pages, write_rows, write_tables
from pitchsim.book.recipe import Recipe
from pitchsim.cards import quoted
from pitchsim.errors import InputError, RunError
from pitchsim.storage import whole_file

SUFFIX = ".part"
RUN = "run.json"
SHARD_NAME = re.compile(r"shard-(\d+)\.parquet")
OURS = re.compile(
    r"run\.json|shard-\d+\.parquet(\.damaged)?|book\.parquet|\.(run\.json|shard-\d+\.parquet|book\.parquet)\..*"
)
GO_ON = "go on with that one, remove the folder, or give another --book"


class Unfinished:
    """The folder of a book that is being made, and what of it there is already."""

    def __init__(self, book: Path) -> None:
        """Look beside the book."""
        self.book, self.folder = book, book.with_name(book.name + SUFFIX)
        self.notices: list[str] = []

    def recipe(self) -> Recipe | None:
        """The recipe by which the book was begun; None when nothing was.

        Raises InputError for a folder that is none of ours, RunError for one that cannot be read.
        """
        try:
            return Recipe.from_dict(json.loads((self.folder / RUN).read_text(encoding="utf-8")))
        except FileNotFoundError:
            if self.folder.exists() and not self._only_ours():
                raise InputError(
                    f"{quoted(self.folder)} is not what pitchsim book build leaves; remove it or give another --book"
                ) from None
            return None
        except OSError as error:
            raise RunError(f"cannot read {self.folder}: {error.strerror or error}") from error
        except ValueError as error:
            why = str(error) if isinstance(error, InputError) else "it cannot be read"
            raise InputError(f"{quoted(self.folder / RUN)} is of no use here, {why}; remove the folder") from error

    def _only_ours(self) -> bool:
        """Whether nothing else is there."""
        return self.folder.is_dir() and all(OURS.fullmatch(path.name) for path in self.folder.iterdir())

    def begin(self, recipe: Recipe) -> list[int]:
        """Begin, or go on: the shards that are still to be made.

        Raises InputError when another book was begun here, or a shard is another book's: then nothing is touched.
        """
        begun = self.recipe()
        if begun is None:
            self._open(recipe)
        elif other := recipe.difference(begun):
            raise InputError(f"{quoted(self.folder)} was begun otherwise: {other}; {GO_ON}")
        damaged = [shard for shard in self.shards() if not self._is_good(recipe, shard)]
        for shard in damaged:
            self._set_aside(shard)
        there = set(self.shards())
        return [shard for shard in range(recipe.shards) if shard not in there]

    def _open(self, recipe: Recipe) -> None:
        """Make the folder, and write the recipe into it."""
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise RunError(f"cannot write {self.folder}: {error.strerror or error}") from error
        with whole_file(self.folder / RUN) as file:
            file.write(json.dumps(recipe.to_dict(), indent=2) + "\n")

    def shards(self) -> list[int]:
        """The numbers of the shards that are there."""
        names = [path.name for path in self.folder.iterdir()] if self.folder.is_dir() else []
        return sorted(int(found[1]) for name in names if (found := SHARD_NAME.fullmatch(name)))

    def place(self, shard: int) -> Path:
        """Where a shard is."""
        return self.folder / f"shard-{shard:05}.parquet"

    def _is_good(self, recipe: Recipe, shard: int) -> bool:
        """Whether a shard can be read, every byte of it; another book's is refused."""
        try:
            with Pages(self.place(shard)) as pages:
                self._check_head(recipe, shard, pages.head)
                return pages.table()["class"].to_pylist() == list(recipe.classes_of(shard))
        except Damaged:
            return False

    def _check_head(self, recipe: Recipe, shard: int, head: dict[str, Any]) -> None:
        """Refuse a shard of another book, or one under another's name."""
        place = quoted(self.place(shard).name)
        try:
            other = recipe.difference(Recipe.from_dict(head.get("recipe", {})))
        except InputError as error:
            other = str(error)
        if other is None and head.get("shard") != shard:
            other = f"it is shard {head.get('shard')}"
        if other:
            raise InputError(f"{place} in {quoted(self.folder)} belongs to another book: {other}; move it away")

    def _set_aside(self, shard: int) -> None:
        """Keep a damaged file under another name; the shard is made anew."""
        place = self.place(shard)
        try:
            place.replace(place.with_name(place.name + ".damaged"))
        except OSError as error:
            raise RunError(f"cannot rename {place}: {error.strerror or error}") from error
        self.notices.append(f"{place.name} was damaged, so it is set aside and made anew")

    def keep(self, recipe: Recipe, shard: int, rows: list[dict[str, Any]]) -> None:
        """Write a shard, whole or not at all."""
        write_rows(self.place(shard), rows, {"recipe": recipe.to_dict(), "shard": shard})

    def bind(self, recipe: Recipe) -> None:
        """Put all shards together, in order, and leave the book alone."""
        bound = self.folder / "book.parquet"
        try:
            write_tables(bound, (self._read(shard) for shard in range(recipe.shards)), {"recipe": recipe.to_dict()})
            os.replace(bound, self.book)
        except Damaged as error:
            raise RunError(f"{error}; start again, and that shard is made anew") from error
        except OSError as error:
            raise RunError(f"cannot write {self.book}: {error.strerror or error}") from error
        self.clear()

    def _read(self, shard: int) -> Any:
        """All hands of a shard."""
        with Pages(self.place(shard)) as pages:
            return pages.table()

    def clear(self) -> None:
        """Remove what a finished book needs no more, and nothing else."""
        with contextlib.suppress(OSError):
            for path in self.folder.iterdir():
                if OURS.fullmatch(path.name):
                    path.unlink(missing_ok=True)
            self.folder.rmdir()

    def times(self) -> list[float]:
        """When each shard was finished."""
        return sorted(self.place(shard).stat().st_mtime for shard in self.shards())
