"""Where things are kept between runs, and how a file is written whole or not at all."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from pitchsim.errors import RunError


def cache_root() -> Path:
    """The user's cache folder of this program (PITCHSIM_CACHE moves it)."""
    moved = os.environ.get("PITCHSIM_CACHE")
    if moved:
        return Path(moved)
    from platformdirs import user_cache_path

    return user_cache_path("pitchsim", appauthor=False)


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


def _discard(temporary: str) -> None:
    """Leave nothing half written behind."""
    with contextlib.suppress(OSError):
        os.unlink(temporary)
