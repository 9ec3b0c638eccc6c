"""What the referee says of recorded deals, told to people and to DataFrames."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pitchsim import records
from pitchsim.cards import SUIT_NAMES, SUITS
from pitchsim.report import Report, Table

COLUMNS = ["deal", "verdict", "rule", "where", "why", "pitcher", "bid", "trump", "made"]
COLUMNS += [
    "high_seat",
    "low_seat",
    "jack_seat",
    "game_side",
    "points_won",
    "delta",
    "scores_after",
    "game_winner",
]
COLUMNS += ["trick_winners", "trick_points_by_seat"]


class Verdicts(Report):
    """What the referee says of every recorded deal."""

    def __init__(self, answers: list[dict[str, Any]]) -> None:
        """Keep the answers in the order of the records."""
        self.answers = answers

    def to_dict(self) -> dict[str, Any]:
        """Give the answers, one for each deal."""
        return {"deals": self.answers}

    def tables(self) -> list[Table]:
        """Give one row for each deal."""
        rows = [_row(place, answer) for place, answer in enumerate(self.answers, start=1)]
        return [Table("deals", COLUMNS, rows)]

    def to_text(self, symbols: bool = False) -> str:
        """Write one sentence for each deal."""
        return "".join(sentence(place, answer) + "\n" for place, answer in enumerate(self.answers, start=1))

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """Give only the columns in which something stands."""
        if not self.answers:
            return []
        table = self.tables()[0]
        used = [place for place in range(len(COLUMNS)) if any(row[place] is not None for row in table.rows)]
        rows = [[row[place] for place in used] for row in table.rows]
        return [Table("deals", [COLUMNS[place] for place in used], rows)]


def verdict(answer: dict[str, Any]) -> str:
    """Tell in one word how a record fared."""
    for word in ("error", "violation", "thrown_in"):
        if word in answer:
            return word
    return "legal" if answer.get("finished", True) else "unfinished"


def is_legal(answer: dict[str, Any]) -> bool:
    """Tell whether the referee has nothing to say against it."""
    return "violation" not in answer and "error" not in answer


def _row(place: int, answer: dict[str, Any]) -> list[Any]:
    """Write an answer into the columns."""
    said = {**answer, **answer.get("violation", {}), **answer.get("error", {})}
    return [place, verdict(answer), *(said.get(column) for column in COLUMNS[2:])]


def sentence(place: int, answer: dict[str, Any]) -> str:
    """Tell a player what became of a deal; seats are those of the record.

    >>> sentence(1, records.score({"dealer": 0, "hands": []}))
    'deal 1: breaks R1 at deal; 0 hands for 4 players; everybody gets one'
    """
    return f"deal {place}: " + {
        "error": _tell_error,
        "violation": _tell_violation,
        "thrown_in": _tell_thrown_in,
        "unfinished": _tell_unfinished,
        "legal": _tell_score,
    }[verdict(answer)](answer)


def _tell_error(answer: dict[str, Any]) -> str:
    return f"no record; {answer['error']['why']}"


def _tell_violation(answer: dict[str, Any]) -> str:
    broken = answer["violation"]
    return f"breaks {broken['rule']} at {broken['where']}; {broken['why']}"


def _tell_thrown_in(answer: dict[str, Any]) -> str:
    return f"thrown in{_tell_scores(answer)}"


def _tell_unfinished(answer: dict[str, Any]) -> str:
    turn = answer["next"]
    return f"legal so far; seat {turn['seat']} is to {'play' if 'cards' in turn else 'speak'}"


def _tell_score(answer: dict[str, Any]) -> str:
    """Tell who bid what, who won which point, and what it brought."""
    came_out = "made" if answer["made"] else "set"
    points = [f"{point} to seat {answer[key]}" for point, key in _POINTS if answer[key] is not None]
    if answer["game_side"] is not None and len(answer["delta"]) < len(answer["trick_points_by_seat"]):
        points[-1] = f"Game to team {answer['game_side']}"  # A team's number is not a seat's.
    trump = SUIT_NAMES[SUITS.index(answer["trump"])]
    bid = f"seat {answer['pitcher']} bid {answer['bid']} in {trump}, {came_out}"
    taken = f"trick points {_numbers(answer['trick_points_by_seat'])}"
    return f"{bid}; {', '.join(points)}; {taken}; score change {_numbers(answer['delta'])}{_tell_scores(answer)}"


_POINTS = (("High", "high_seat"), ("Low", "low_seat"), ("Jack", "jack_seat"), ("Game", "game_side"))


def _tell_scores(answer: dict[str, Any]) -> str:
    """Tell the scores after the deal, and who has won."""
    winner = answer["game_winner"]
    won = "" if winner is None else f"; side {winner} wins the game"
    return f"; scores {_numbers(answer['scores_after'])}{won}"


def _numbers(numbers: list[int]) -> str:
    """Write numbers in a row."""
    return " ".join(str(number) for number in numbers)


class Verdict(dict):
    """What the referee says of one deal: the keys of `pitchsim score`, which are attributes too."""

    def __getattr__(self, name: str) -> Any:
        """Read a key as an attribute."""
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"this verdict has no {name}; it has {', '.join(self)}") from None

    @property
    def legal(self) -> bool:
        """Tell whether the referee has nothing to say against the deal."""
        return is_legal(self)

    def to_frame(self) -> Any:
        """Give the verdict as a DataFrame of one row."""
        return Verdicts([self]).to_frame()

    def _repr_html_(self) -> str:
        """Show the verdict in a notebook."""
        return Verdicts([self])._repr_html_()


def score(record: Mapping[str, Any] | str | bytes) -> Verdict:
    """Judge and score one recorded deal, given as an object or as the text of its line.

    >>> score({"dealer": 0, "hands": []}).violation["rule"]
    'R1'
    """
    return Verdict(records.score(record))


def score_file(path: str | Path) -> Verdicts:
    """Judge and score every line of a file of records; `-` is standard input, and .gz is read too.

    Raises InputError when there is no such file, RunError when it cannot be read to its end.
    """
    return Verdicts(list(records.score_lines(records.read_lines(path))))
