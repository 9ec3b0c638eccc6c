"""Which policies are there, built in and plugged in?"""

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

from pitchsim.bidding import BIDDING
from pitchsim.plugins import Kind, find
from pitchsim.policies import PLAY
from pitchsim.report import Report, Table


@dataclass
class Policies(Report):
    """The policies whose names --play and --bidding take."""

    rows: list[dict[str, str]]

    def to_dict(self) -> dict[str, Any]:
        """All rows."""
        return {"policies": self.rows}

    def tables(self) -> list[Table]:
        """One row a policy."""
        return [Table("policy", ["kind", "name", "source", "description"], [list(row.values()) for row in self.rows])]

    def notes(self, symbols: bool = False) -> list[str]:
        """How to bring one's own."""
        return ["Your own: --play file.py:function or package.module:function, and the same for --bidding."]


def list_policies() -> Policies:
    """List the built-in policies, and those that installed packages offer.

    One that cannot be loaded is listed with what is wrong.
    """
    return Policies([row for word, kind in (("play", PLAY), ("bidding", BIDDING)) for row in _rows(word, kind)])


def _rows(word: str, kind: Kind) -> list[dict[str, str]]:
    """The policies of one kind."""
    rows = []
    for name in [*kind.built_in, *sorted(point.name for point in entry_points(group=kind.group))]:
        try:
            found = find(kind, name)
            source, description = found.source, found.description
        except ValueError as error:
            source, description = "installed", f"cannot be used: {error}"
        rows.append({"kind": word, "name": name, "source": source, "description": description})
    return rows
