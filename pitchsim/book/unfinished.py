"""A book in the making: a folder beside it with the recipe and one file a shard, each whole or not there."""

import contextlib
import json
import os
import re
from collections.abc import Sequence
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
DAMAGED = "damaged"
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

        Raises InputError when shards of another book are here, or a shard is another book's: then nothing is touched.
        """
        begun = self.recipe()
        if begun is None or (not self.shards() and recipe.difference(begun)):
            self._open(recipe)
        elif other := recipe.difference_of_book(begun):
            raise InputError(f"{quoted(self.folder)} was begun otherwise: {other}; {GO_ON}")
        elif begun.shard != recipe.shard:
            raise InputError(
                f"{quoted(self.folder)} was begun with --shard {begun.shard}, not {recipe.shard}; the finished book is "
                f"the same, so go on with --shard {begun.shard}, or remove the folder"
            )
        flaws = [(shard, flaw) for shard in self.shards() if (flaw := self._flaw(recipe, shard))]
        for shard, flaw in flaws:
            self._set_aside(shard, flaw)
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
        numbers = {int(found[1]) for name in names if (found := SHARD_NAME.fullmatch(name))}
        return sorted(shard for shard in numbers if self.place(shard).name in names)

    def sound_shards(self, recipe: Recipe) -> list[int]:
        """The shards that are there and can be used, as far as the foot of each file tells."""
        return [shard for shard in self.shards() if self._has_head(recipe, shard)]

    def _has_head(self, recipe: Recipe, shard: int) -> bool:
        """Whether a file says that it is this shard of this book."""
        try:
            with Pages(self.place(shard)) as pages:
                return pages.head == head_of(recipe, shard) and len(pages) == len(recipe.classes_of(shard))
        except (Damaged, InputError, FileNotFoundError):
            return False

    def place(self, shard: int) -> Path:
        """Where a shard is."""
        return self.folder / f"shard-{shard:05}.parquet"

    def _flaw(self, recipe: Recipe, shard: int) -> str | None:
        """What is wrong with a shard, every byte of which is read; another book's is refused."""
        try:
            with Pages(self.place(shard)) as pages:
                self._check_head(recipe, shard, pages.head)
                if pages.head.get("shard") != shard:
                    return "another shard under this name"
                good = pages.table()["class"].to_pylist() == list(recipe.classes_of(shard))
                return None if good else DAMAGED
        except Damaged:
            return DAMAGED

    def _check_head(self, recipe: Recipe, shard: int, head: dict[str, Any]) -> None:
        """Refuse a shard of another book."""
        place = quoted(self.place(shard).name)
        try:
            other = recipe.difference(Recipe.from_dict(head.get("recipe", {})))
        except InputError as error:
            other = str(error)
        if other:
            raise InputError(f"{place} in {quoted(self.folder)} belongs to another book: {other}; move it away")

    def _set_aside(self, shard: int, flaw: str) -> None:
        """Keep a file of no use under another name; the shard is made anew."""
        place = self.place(shard)
        try:
            place.replace(place.with_name(place.name + ".damaged"))
        except OSError as error:
            raise RunError(f"cannot rename {place}: {error.strerror or error}") from error
        self.notices.append(f"{place.name} was {flaw}, so it is set aside and made anew")

    def keep(self, recipe: Recipe, shard: int, rows: list[dict[str, Any]]) -> None:
        """Write a shard, whole or not at all.

        Raises RunError when the disk refuses, or another book was begun here meanwhile.
        """
        begun = self.recipe() if (self.folder / RUN).exists() else None
        if begun is not None and (other := recipe.difference(begun)):
            raise RunError(f"another book was begun in {self.folder} meanwhile: {other}")
        write_rows(self.place(shard), rows, head_of(recipe, shard))

    def bind(self, recipe: Recipe) -> None:
        """Put all shards together, in order, and leave the book alone."""
        bound = self.folder / "book.parquet"
        try:
            shards = (self._read(recipe, shard) for shard in range(recipe.shards))
            write_tables(bound, shards, {"recipe": recipe.of_book()})
            os.replace(bound, self.book)
        except Damaged as error:
            raise RunError(f"{error}; start again, and that shard is made anew") from error
        except OSError as error:
            raise RunError(f"cannot write {self.book}: {error.strerror or error}") from error
        self.clear()

    def _read(self, recipe: Recipe, shard: int) -> Any:
        """All hands of a shard."""
        with Pages(self.place(shard)) as pages:
            self._check_head(recipe, shard, pages.head)
            return pages.table()

    def clear(self) -> None:
        """Remove what a finished book needs no more, and nothing else."""
        with contextlib.suppress(OSError):
            for path in self.folder.iterdir():
                if OURS.fullmatch(path.name):
                    path.unlink(missing_ok=True)
            self.folder.rmdir()

    def times(self, shards: Sequence[int]) -> list[float]:
        """When each of these shards was finished, in order of time."""
        return sorted(self.place(shard).stat().st_mtime for shard in shards)


def head_of(recipe: Recipe, shard: int) -> dict[str, Any]:
    """What the file of a shard says of itself."""
    return {"recipe": recipe.to_dict(), "shard": shard}
