"""How hands are written into the Parquet files of a book and read again: with checksums, and whole or not at all."""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pitchsim.cards import quoted
from pitchsim.errors import InputError, RunError
from pitchsim.storage import whole_file

KEY = b"pitchsim"
PAGE = 1 << 14
"""Hands to a group of rows: one group is read to find a hand."""
TEXTS = ("hand", "trump", "lead", "next_lead")
WHOLE = ("class", "size", "deals")
FIGURES = (
    *("points", "points_se", "high", "low", "jack", "game"),
    *("p1", "p2", "p3", "p4", "ev1", "ev2", "ev3", "ev4"),
    *("behind", "behind_se"),
)
COLUMNS = (*WHOLE[:1], "hand", "size", "trump", "lead", "deals", *FIGURES[:14], "next_lead", *FIGURES[14:])


class Damaged(Exception):
    """A file is not what was written."""


def check_pyarrow() -> None:
    """Refuse to begin without the library that writes and reads books: InputError."""
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        raise InputError("a book of hands needs pyarrow; install pitchsim[parquet]")


def _schema(head: Mapping[str, Any]) -> Any:
    """The columns, and what the file says of itself."""
    import pyarrow as pa

    kinds = dict.fromkeys(TEXTS, pa.string()) | {"class": pa.int32(), "size": pa.int8(), "deals": pa.int64()}
    fields = [pa.field(name, kinds.get(name, pa.float64())) for name in COLUMNS]
    return pa.schema(fields, metadata={KEY: json.dumps(head)})


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]], head: Mapping[str, Any]) -> None:
    """Write some hands.

    Raises RunError when the disk refuses.
    """
    import pyarrow as pa

    write_tables(path, [pa.Table.from_pylist([dict(row) for row in rows], schema=_schema(head))], head)


def write_tables(path: Path, tables: Any, head: Mapping[str, Any]) -> None:
    """Write many hands, in groups that do not depend on how they come.

    Raises RunError when the disk refuses.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema, waiting = _schema(head), _schema(head).empty_table()
    options: dict[str, Any] = {"compression": "zstd", "use_dictionary": list(TEXTS[1:]), "write_page_checksum": True}
    sink = pa.BufferOutputStream()  # Ctrl-C within a file of Python's that Arrow writes to could get lost.
    try:
        with pq.ParquetWriter(sink, schema, **options) as writer:
            for table in tables:
                waiting = pa.concat_tables([waiting, table.replace_schema_metadata(schema.metadata)])
                while len(waiting) >= PAGE:
                    # Written in pieces, the same hands would be cut into other pages.
                    writer.write_table(waiting.slice(0, PAGE).combine_chunks(), row_group_size=PAGE)
                    waiting = waiting.slice(PAGE)
            writer.write_table(waiting.combine_chunks(), row_group_size=PAGE)
    except pa.ArrowException as error:
        raise RunError(f"cannot write {path}: {error}") from error
    with whole_file(path, "wb") as file:
        file.write(sink.getvalue())


class Pages:
    """A file of hands, open for reading."""

    def __init__(self, path: Path) -> None:
        """Read the foot of the file.

        Raises InputError for a file that is none of ours, Damaged for one that cannot be read.
        """
        import pyarrow.parquet as pq

        self.path = path
        with self._damage_told(path):
            self._file = pq.ParquetFile(path, page_checksum_verification=True)
            text = (self._file.schema_arrow.metadata or {}).get(KEY, b"")
        if not text:
            raise InputError(f"{quoted(path)} is not a book that pitchsim book build has made")
        with self._damage_told(path):
            self.head: dict[str, Any] = json.loads(text)

    @staticmethod
    @contextlib.contextmanager
    def _damage_told(path: Path) -> Iterator[None]:
        """Tell a file that the system does not give from one that is not what was written.

        What a few wrong bytes lead to is any error at all.
        """
        try:
            yield
        except FileNotFoundError:
            raise
        except OSError as error:
            if error.errno:
                raise RunError(f"cannot read {path}: {error.strerror or error}") from error
            raise Damaged(f"{quoted(path)} is damaged") from error
        except Exception as error:
            raise Damaged(f"{quoted(path)} is damaged") from error

    def __len__(self) -> int:
        """How many hands there are."""
        return self._file.metadata.num_rows

    def table(self) -> Any:
        """All hands.

        Raises Damaged when the checksums are not right.
        """
        return self._read(range(self._file.num_row_groups))

    def find(self, number: int) -> dict[str, Any] | None:
        """The hand of this class; None when it is not there."""
        group = self._group_of(number)
        if group is None:
            return None
        table = self._read([group])
        with self._damage_told(self.path):
            row = table.slice(table["class"].to_numpy().searchsorted(number), 1).to_pylist()
        return row[0] if row and row[0]["class"] == number else None

    def _group_of(self, number: int) -> int | None:
        """The group of rows in which a class would stand."""
        with self._damage_told(self.path):
            for group in range(self._file.num_row_groups):
                bounds = self._file.metadata.row_group(group).column(0).statistics
                if bounds.min <= number <= bounds.max:
                    return group
        return None

    def _read(self, groups: Any) -> Any:
        """Some groups of rows."""
        with self._damage_told(self.path):
            table = self._file.read_row_groups(list(groups), use_threads=False)
            table.validate(full=True)
            return table.cast(_schema(self.head))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> "Pages":
        """Use the file for a while."""
        return self

    def __exit__(self, *unused: object) -> None:
        """Close it."""
        self.close()
