"""Advice from a book of hands: what the bidder calls, and the best card to pitch, without playing a deal."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitchsim.advice import CALL_NAMES, named
from pitchsim.bidding.thresholds import THOUSANDTHS, expected_scores, table_name
from pitchsim.book.answers import entry_table, from_the_book, made_how
from pitchsim.book.classes import holdings_of
from pitchsim.book.recipe import Recipe
from pitchsim.book.shelf import Entry, ev_error, name_of, open_book
from pitchsim.calls import Call, call_in, calls_of, table_of_calls
from pitchsim.cards import SUITS, Card, format_hand
from pitchsim.deck import cards_to_set
from pitchsim.report import Report, Table, percent, signed
from pitchsim.rules import PASS, Rules, legal_calls
from pitchsim.seating import seat_players
from pitchsim.weighing import Situation

BY_TRUMPS = ("thresholds", "equilibrium", "equilibrium-margin")
"""Bidding policies that go by what the trumps of a hand score on average."""
SURPRISE = 0.4
"""Points by which a hand must differ from that before it is said."""


@dataclass
class BookAdvice(Report):
    """What to call with a hand and what to pitch, as a book has it."""

    path: Path
    recipe: Recipe
    rules: Rules
    entry: Entry
    situation: Situation
    made: Call
    grid: list[Call]
    bidding: str
    scores: tuple[int, ...] | None
    notices: Sequence[str] = ()

    @property
    def call(self) -> int:
        """The recommended call, 0 for a pass."""
        return self.made.call

    def call_rows(self) -> list[dict[str, Any]]:
        """Every legal call: what its pitcher scores; what a pass brings, and who becomes the pitcher, no book tells."""
        row, rows = self.entry.row, []
        for call in legal_calls(self.rules, self.situation.seat, self.situation.highest):
            value, se = (None, None) if call == PASS else (row[f"ev{call}"], ev_error(row, call))
            rows.append(
                {
                    "call": CALL_NAMES[call],
                    "value": value,
                    "se": se,
                    "score_change": value,
                    "p_pitcher": 0.0 if call == PASS else None,
                    "p_made": None if call == PASS else row[f"p{call}"],
                    "difference": None,
                    "difference_se": None,
                }
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The same names as advice that was simulated, and `book`."""
        row, lead = self.entry.row, self.entry.lead
        chances = {name: row[name] for name in ("points", "points_se", "high", "low", "jack", "game")}
        answer = {
            "hand": format_hand(self.entry.hand, ten="T"),
            "players": self.rules.players,
            "seat": self.situation.seat + 1,
            "auction": [CALL_NAMES[call] for call in self.situation.heard],
            "rules": self.rules.to_dict(),
            "play": self.recipe.play,
            "bidding": self.bidding,
            "others": None,
            "objective": "score",
            "scores": None if self.scores is None else list(self.scores),
            "book": name_of(self.path),
            "deals": row["deals"],
            **made_how(self.recipe),
            "engine": None,
            "recommended": {
                "call": CALL_NAMES[self.call],
                "lead": None if self.call == PASS else str(lead),
                "too_close": self.made.mixed,
            },
            "calls": self.call_rows(),
            "leads": [
                {
                    "lead": str(lead),
                    "trump": SUITS[lead.suit],
                    "deals": row["deals"],
                    **chances,
                    "p_at_least": {str(points): self.entry.chance(points) for points in range(1, 5)},
                }
            ],
        }
        return answer | ({"grid": [call.to_dict() for call in self.grid]} if self.grid else {})

    def tables(self) -> list[Table]:
        """Calls, the lead, and the grid."""
        answer = self.to_dict()
        lead = answer["leads"][0]
        lead |= {f"p{points}": chance for points, chance in lead.pop("p_at_least").items()}
        kinds = {"call": answer["calls"], "lead": [lead], "grid": answer.get("grid", [])}
        return [
            Table(kind, list(rows[0]), [list(row.values()) for row in rows]) for kind, rows in kinds.items() if rows
        ]

    def headline(self, symbols: bool = False) -> str:
        """The call, and the card."""
        steal = " (a steal)" if self.call and self.call == self.situation.highest else ""
        said = f"Bid {self.call}{steal} and pitch the {named(self.entry.lead)}." if self.call else "Pass."
        mixes = f" {self.bidding} makes this call {percent(self.made.share, 0)} of the time." if self.made.mixed else ""
        return said + mixes

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """What each bid scores as pitcher, what the card brings, and the grid."""
        calls = [
            [
                row["call"],
                signed(row["value"], 3),
                "" if row["se"] is None else f"{row['se']:.3f}",
                percent(row["p_made"]),
            ]
            for row in self.call_rows()
        ]
        tables = [Table("call", ["call", "as pitcher", "+/-", "made"], calls), entry_table(self.entry, symbols)]
        title = f"What {self.bidding} calls in each seat, by the highest bid so far (? = it mixes calls)"
        return [*tables, table_of_calls(self.grid, self.rules, title)] if self.grid else tables

    def notes(self, symbols: bool = False) -> list[str]:
        """Where the answer comes from, and what it leaves out."""
        return [
            from_the_book(self.path, self.recipe, self.entry, self.rules),
            f"No deal was played for this answer: the call is what {self.bidding} makes here, the card is the best "
            "before anything is heard, and a call is worth what its pitcher scores.",
            *self.mind_the_side_cards(),
        ]

    def mind_the_side_cards(self) -> list[str]:
        """Say where the bidder, who goes by trumps alone, does not know how good or bad this very hand is."""
        if self.bidding not in BY_TRUMPS:
            return []
        legal = legal_calls(self.rules, self.situation.seat, self.situation.highest)
        bid = self.call or min((call for call in legal if call != PASS), default=PASS)
        if bid == PASS:
            return []
        scores = expected_scores(table_name(self.rules))[holdings_of(cards_to_set(self.entry.hand)), bid - 1]
        usual = float(scores.max()) / THOUSANDTHS
        more = self.entry.row[f"ev{bid}"] - usual
        if abs(more) < SURPRISE:
            return []
        compared = f"{abs(more):.2f} {'more' if more > 0 else 'less'}"
        return [
            f"Mind the side cards: as pitcher of a {bid} this hand scores {compared} than its trumps do as a rule "
            f"({usual:+.2f}), and {self.bidding} bids by trumps alone. Without --book this very hand is weighed."
        ]


def advise_from(
    path: Path,
    hand: Sequence[Card],
    rules: Rules,
    auction: Sequence[int],
    seat: int | None,
    scores: Sequence[int] | None,
    bidding: str,
) -> BookAdvice:
    """Answer from a book; all arguments are checked (see `question.ask`).

    Raises InputError for a hand that is not in the book.
    """
    with open_book(path) as book:
        entry, recipe = book.entry(hand), book.recipe
    seating = seat_players(rules, [recipe.play], [bidding])
    cards = cards_to_set(hand)
    situation = Situation(cards, len(auction) if seat is None else seat - 1, tuple(auction))
    grid = calls_of(seating, cards) if seat is None else []
    notices = ["the scores do not change the advice; a book looks at one deal alone"] if scores is not None else []
    return BookAdvice(
        path, recipe, rules, entry, situation, call_in(seating, situation), grid, bidding,
        None if scores is None else tuple(scores), notices,
    )  # fmt: skip
