"""pitchsim: what should I bid with this hand? Monte Carlo analysis of Pitch (Auction Pitch, Setback).

>>> import pitchsim
>>> round(pitchsim.odds("AS KS 4S JD 10C 2H", players=4).suits[0].low, 4)
0.3652
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Where each public name lives; a room is imported when its name is asked for, so that importing the package
# takes no time.
_ROOMS = {
    "advise": "pitchsim.api",
    "odds": "pitchsim.api",
    "build_book": "pitchsim.api",
    "book_status": "pitchsim.api",
    "look_up": "pitchsim.api",
    "pack_book": "pitchsim.api",
    "verify_book": "pitchsim.api",
    "bid_table": "pitchsim.api",
    "simulate": "pitchsim.api",
    "match": "pitchsim.api",
    "players_study": "pitchsim.api",
    "write_records": "pitchsim.api",
    "score": "pitchsim.verdicts",
    "score_file": "pitchsim.verdicts",
    "Rules": "pitchsim.rules",
    "Card": "pitchsim.cards",
    "parse_hand": "pitchsim.cards",
    "format_hand": "pitchsim.cards",
    "InputError": "pitchsim.errors",
    "RunError": "pitchsim.errors",
}

if TYPE_CHECKING:
    from pitchsim.api import (
        advise,
        bid_table,
        book_status,
        build_book,
        look_up,
        match,
        odds,
        pack_book,
        players_study,
        simulate,
        verify_book,
        write_records,
    )
    from pitchsim.cards import Card, format_hand, parse_hand
    from pitchsim.errors import InputError, RunError
    from pitchsim.rules import Rules
    from pitchsim.verdicts import score, score_file

__all__ = [
    "Card",
    "InputError",
    "Rules",
    "RunError",
    "__version__",
    "advise",
    "bid_table",
    "book_status",
    "build_book",
    "format_hand",
    "look_up",
    "match",
    "odds",
    "pack_book",
    "parse_hand",
    "players_study",
    "score",
    "score_file",
    "simulate",
    "verify_book",
    "write_records",
]


def __getattr__(name: str) -> Any:
    """Import the room of a public name when it is asked for."""
    if name not in _ROOMS:
        raise AttributeError(f"module 'pitchsim' has no attribute {name!r}")
    value = getattr(import_module(_ROOMS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Name what is public."""
    return sorted(__all__)
