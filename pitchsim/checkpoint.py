"""What a long run has done so far, kept line by line beside its result, so that it can go on where it stopped."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from pitchsim.cards import quoted
from pitchsim.errors import InputError, RunError
from pitchsim.storage import LineFile

SUFFIX = ".part"
PAUSE = 1.0
"""Seconds between two lines."""


def part_of(out: Path) -> Path:
    """Name the file in which a run keeps what it has done, beside its result."""
    return out.with_name(out.name + SUFFIX)


class Checkpoint:
    """The file of one run: its first line says which run it is, each line after it how far it had come.

    A state is cumulative, so the last whole line is all that counts. Without a path nothing is kept.
    """

    def __init__(self, path: Path | None, run: Mapping[str, Any]) -> None:
        """Find what an interrupted run has left.

        Raises InputError for a file that another run has left, or that is none of ours.
        """
        self.path, self.run = path, json.loads(json.dumps(run))
        self.state: dict[str, Any] | None = None
        self._newest: dict[str, Any] | None = None
        self._file: IO[bytes] | None = None
        self._whole, self._due = 0, time.monotonic() + PAUSE
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        """Take the last whole line; a half one, written when the run was killed, does not count."""
        try:
            text = path.read_bytes()
        except OSError as error:
            raise RunError(f"cannot read {path}: {error.strerror or error}") from error
        self._whole = text.rfind(b"\n") + 1
        lines = text[: self._whole].splitlines()
        try:
            values = [json.loads(line) for line in (lines[:1] + self._telling(lines[1:]))]
        except ValueError:
            values = [None]
        if not all(isinstance(value, dict) for value in values):
            raise InputError(f"{quoted(path)} is not what an interrupted run leaves; remove it or give another --out")
        if values:
            self._check(values[0])
        self._take(values[1:])

    def _telling(self, lines: list[bytes]) -> list[bytes]:
        """The lines that count."""
        return lines[-1:]

    def _take(self, states: list[dict[str, Any]]) -> None:
        """Go on from them."""
        self.state = states[-1] if states else None

    def _check(self, run: Mapping[str, Any]) -> None:
        """Refuse to mix two runs."""
        for name in (*self.run, *run):
            if run.get(name) != self.run.get(name):
                raise InputError(
                    f"{quoted(self.path)} was left by an interrupted run of something else (not the same {name}); "
                    "remove it, or give another --out"
                )

    def keep(self, state: dict[str, Any]) -> None:
        """Write down how far the run has come, at most once a second."""
        self._newest = state
        if time.monotonic() >= self._due:
            self._write()

    def _write(self) -> None:
        """Write the newest state as one line."""
        if self.path is None or self._newest is None:
            return
        if self._file is None:
            self._file = self._opened(self.path)
        LineFile(self.path, self._file).write(json.dumps(self._newest) + "\n")
        self._newest, self._due = None, time.monotonic() + PAUSE

    def _opened(self, path: Path) -> IO[bytes]:
        """Open the file behind its last whole line; a new one begins with what this run is."""
        try:
            file = open(path, "r+b" if self._whole else "wb", buffering=0)  # noqa: SIM115 - kept open
            file.truncate(self._whole)
            file.seek(self._whole)
        except OSError as error:
            raise RunError(f"cannot write {path}: {error.strerror or error}") from error
        if not self._whole:
            LineFile(path, file).write(json.dumps(self.run) + "\n")
        return file

    def remove(self) -> None:
        """Forget the run: its result is written."""
        self._close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        """Begin, or go on."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        """Keep what an interruption would lose."""
        try:
            if kind is not None:
                self._write()
        finally:
            self._close()


class Journal(Checkpoint):
    """The same for a run whose parts are done one by one: every line is a part, kept at once."""

    def __init__(self, path: Path | None, run: Mapping[str, Any]) -> None:
        """Find the parts that an interrupted run has done.

        Raises InputError for a file that another run has left, or that is none of ours.
        """
        self.parts: list[dict[str, Any]] = []
        super().__init__(path, run)

    def _telling(self, lines: list[bytes]) -> list[bytes]:
        """All of them."""
        return lines

    def _take(self, states: list[dict[str, Any]]) -> None:
        """Go on from them."""
        self.parts = states

    def add(self, part: dict[str, Any]) -> None:
        """Write one part down."""
        self._newest = part
        self._write()
