"""Where things are kept between runs, and how a file is written whole or not at all."""

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from pitchsim.errors import RunError


def cache_root() -> Path:
    """The user's cache folder of this program (PITCHSIM_CACHE moves it)."""
    moved = os.environ.get("PITCHSIM_CACHE")
    if moved:
        return Path(moved)
    from platformdirs import user_cache_path

    return user_cache_path("pitchsim", appauthor=False)


def code_root() -> Path:
    """Where compiled code is kept: there, unless NUMBA_CACHE_DIR moves it alone."""
    return Path(os.environ.get("NUMBA_CACHE_DIR") or cache_root())


KEPT_FOLDERS = 3


def keep_few(folder: Path) -> None:
    """Of the folders that are called alike but for a hash, keep the few used last, this one among them.

    They are more than one since two installations side by side must not evict each other.
    """
    name, _, _ = folder.name.rpartition("-")
    with contextlib.suppress(OSError):
        os.utime(folder)
        alike = sorted(folder.parent.glob(f"{name}-{'[0-9a-f]' * 16}"), key=lambda path: path.stat().st_mtime)
        for old in alike[:-KEPT_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def whole_file(path: Path, mode: str = "w") -> Iterator[IO]:
    """Write a file that appears complete or not at all; `-` and devices are the caller's business."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent or Path("."), prefix=f".{path.name}.")
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror}") from error
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    try:
        with os.fdopen(handle, mode, **text) as file:  # type: ignore[call-overload]
            yield file
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except OSError as error:
        _discard(temporary)
        raise RunError(f"cannot write {path}: {error.strerror or error}") from error
    except BaseException:
        _discard(temporary)
        raise


class LineFile:
    """A file of lines that an interruption leaves with whole lines: what is written goes out at once."""

    def __init__(self, path: Path, raw: Any) -> None:
        """Write to an open file without buffer."""
        self._path, self._raw = path, raw

    def write(self, lines: str) -> int:
        """Write whole lines; when that fails half-way, take the half back.

        Raises RunError when it fails.
        """
        left = memoryview(lines.encode("utf-8"))
        start = self._raw.tell() if self._raw.seekable() else None
        try:
            while left:
                left = left[self._raw.write(left) :]
        except BaseException as error:
            if start is not None:
                with contextlib.suppress(OSError):
                    self._raw.truncate(start)
            if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
                raise RunError(f"cannot write {self._path}: {error.strerror or error}") from error
            raise
        return len(lines)


@contextlib.contextmanager
def line_file(path: Path) -> Iterator[LineFile]:
    """Open a file that is written line by line; `.gz` is packed."""
    import gzip

    try:
        raw = open(path, "wb", buffering=0)  # noqa: SIM115 - closed below
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror}") from error
    with raw:
        if path.suffix.lower() != ".gz":
            yield LineFile(path, raw)
            return
        with gzip.open(raw, "wb") as packed:
            yield LineFile(path, packed)


def _discard(temporary: str) -> None:
    """Leave nothing half written behind."""
    with contextlib.suppress(OSError):
        os.unlink(temporary)


class Place(NamedTuple):
    """A folder of the cache: what is kept there, how many files, how large."""

    what: str
    path: Path
    files: int
    bytes: int


BOOKS = "books of hands"
"""What takes minutes or hours to make: it is listed with the rest, and only ever removed by hand."""

# Only what this program has named itself is ever counted or removed: the user may have moved the cache into a
# folder that holds other things.
_OWN_FOLDERS = (
    (re.compile(r"code-[0-9a-f]{16}"), "compiled code"),
    (re.compile(r"lanes-[0-9a-f]{16}"), "compiled code for 64 lanes"),
    (re.compile(r"equilibrium-[0-9a-f]{16}"), "bidding plans for house rules"),
    (re.compile(r"hand-books"), BOOKS),
)


def book_folder() -> Path:
    """Where books of hands are kept that have no place of their own."""
    return cache_root() / "hand-books"


def kept_places() -> list[Place]:
    """Find what is kept between runs."""
    roots = dict.fromkeys([cache_root(), code_root()])
    return [
        Place(what, folder, *_measure(folder))
        for root in roots
        for folder in (sorted(root.iterdir()) if root.is_dir() else [])
        for pattern, what in _OWN_FOLDERS
        if pattern.fullmatch(folder.name) and folder.is_dir()
    ]


def clear_cache() -> list[Place]:
    """Remove what is kept between runs and soon made again, and tell what it was; books stay.

    Raises RunError for what cannot be removed.
    """
    places = [place for place in kept_places() if place.what != BOOKS]
    for place in places:
        try:
            shutil.rmtree(place.path)
        except OSError as error:
            raise RunError(f"cannot remove {place.path}: {error.strerror or error}") from error
    return places


def _measure(folder: Path) -> tuple[int, int]:
    """Count the files below a folder and their bytes; files that vanish meanwhile count nothing."""
    files = size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.stat(os.path.join(place, name)).st_size
                files += 1
    return files, size
