"""What should I call, and what should I pitch? The answer, and how it is told."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from pitchsim.bidding import BIDDING
from pitchsim.cards import SUIT_NAMES, Card, format_card, format_hand, sort_hand
from pitchsim.deck import HAND_SIZE, card_number, cards_to_set
from pitchsim.engine import LEAD_BID, SWEPT
from pitchsim.leading import Lead, Leader, Pitched, best_lead
from pitchsim.plugins import find
from pitchsim.policies import PLAY
from pitchsim.report import Report, Table, engine_in_words, percent, signed
from pitchsim.rules import HIGHEST_BID, OPTION_FIELDS, OPTION_VALUES, PASS, Rules, may_steal
from pitchsim.seating import Keys, Seating, in_threads, threads_of
from pitchsim.simulation import CALL_NAMES, progress_bar
from pitchsim.statistics import TIE, Estimate, lead_needed
from pitchsim.weighing import FIRST_LOOK, MOST_DEALS, Effort, Situation, Weigher, Weighing

DEFAULT_DEALS = 65_536
LEAD_DEALS = 32_768
GRID_DEALS = 4_096
GRID_MOST = 16_384
PROPOSALS = 4_000_000
GRID_PROPOSALS = 300_000
GRID_PILOT = 1 << 13
"""Deals proposed at the most when the effort is left to the program: a quarter of a second in all."""
FEW = 500
"""With fewer effective deals than this the answer says so."""


@dataclass(frozen=True)
class Cell:
    """One cell of the grid: a seat, the highest bid so far, and the best call there."""

    seat: int
    highest: int
    weighing: Weighing

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        best, *rivals = self.weighing.ranking()
        gap = self.weighing.difference(best, rivals[0]) if rivals else Estimate(None, None)
        return {
            "seat": self.seat + 1,
            "highest": self.highest,
            "call": CALL_NAMES[self.weighing.calls[best]],
            "too_close": self.weighing.too_close(),
            "difference": gap.mean,
            "difference_se": gap.se,
            "deals": self.weighing.deals,
        }


@dataclass
class Advice(Report):
    """What to call with a hand and what to pitch, with everything that speaks for it.

    `alone` and `heard` are the cards to pitch before anything is heard, and after the calls heard; `cells` the grid.
    What JSON has is there by its name too: `advice.recommended.call`, `advice.calls[0].value`.
    """

    cards: tuple[Card, ...]
    rules: Rules
    situation: Situation
    weighing: Weighing
    alone: list[Lead]
    heard: list[Lead]
    cells: list[Cell]
    play: str
    bidding: str
    others: str | None
    objective: str
    seed: int
    scores: tuple[int, ...] | None
    effort: Effort
    engine: str
    notices: Sequence[str] = ()

    @property
    def best(self) -> int:
        """The row of the best call."""
        return self.weighing.ranking()[0]

    @property
    def call(self) -> int:
        """The recommended call, 0 for a pass."""
        return self.weighing.calls[self.best]

    @property
    def lead(self) -> Card | None:
        """The card to pitch with the recommended bid; None for a pass."""
        return None if self.call == PASS else best_lead(self.heard or self.alone, self.call).card

    def call_rows(self) -> list[dict[str, Any]]:
        """Every legal call, as in JSON."""
        rows = []
        for row, call in enumerate(self.weighing.calls):
            value, own = self.weighing.value(row), self.weighing.own(row)
            rivals = [other for other in self.weighing.ranking() if other != row]
            gap = self.weighing.difference(row, rivals[0]) if rivals else Estimate(None, None)
            pitcher, made = self.weighing.pitcher_and_made(row)
            rows.append(
                {
                    "call": CALL_NAMES[call],
                    "value": value.mean,
                    "se": value.se,
                    "score_change": own.mean,
                    "p_pitcher": pitcher,
                    "p_made": None if call == PASS else made,
                    "difference": gap.mean,
                    "difference_se": gap.se,
                }
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The whole answer."""
        answer: dict[str, Any] = {
            "hand": format_hand(self.cards, ten="T"),
            "players": self.rules.players,
            "seat": self.situation.seat + 1,
            "auction": [CALL_NAMES[call] for call in self.situation.heard],
            "rules": self.rules.to_dict(),
            "play": self.play,
            "bidding": self.bidding,
            "others": self.others,
            "engine": self.engine,
            "objective": self.objective,
            "scores": None if self.scores is None else list(self.scores),
            "deals": self.weighing.deals,
            "effective_deals": self.weighing.effective,
            "looks": self.weighing.looked,
            "seed": self.seed,
            "recommended": {
                "call": CALL_NAMES[self.call],
                "lead": None if self.lead is None else str(self.lead),
                "too_close": self.weighing.too_close(),
            },
            "calls": self.call_rows(),
            "leads": [lead.to_dict() for lead in self.alone],
        }
        if self.heard:
            answer["leads_heard"] = [lead.to_dict() for lead in self.heard]
        if self.cells:
            answer["grid"] = [cell.to_dict() for cell in self.cells]
        return answer

    def tables(self) -> list[Table]:
        """Calls, leads, leads after what was heard, and the grid: raw values."""
        answer = self.to_dict()
        tables = []
        for kind in ("calls", "leads", "leads_heard", "grid"):
            rows = [_flat(row) for row in answer.get(kind, [])]
            if rows:
                tables.append(Table(kind.removesuffix("s"), list(rows[0]), [list(row.values()) for row in rows]))
        return tables

    def headline(self, symbols: bool = False) -> str:
        """The recommendation, and how sure it is."""
        lead = f" and pitch the {named(self.lead)}" if self.lead is not None else ""
        steal = " (a steal)" if self.call and self.call == self.situation.highest else ""
        said = f"Bid {self.call}{steal}{lead}." if self.call else "Pass."
        if len(self.weighing.calls) == 1:
            return f"{said} There is nothing else to call."
        best, second = self.weighing.ranking()[:2]
        gap = self.weighing.difference(best, second)
        rival = CALL_NAMES[self.weighing.calls[second]]
        rival = rival if rival == "pass" else f"a bid of {rival}"
        by = f"{gap.mean:.3f} points (+/- {'unknown' if gap.se is None else format(gap.se, '.3f')})"
        if self.weighing.too_close():
            return f"Too close to call: {_lower(said)[:-1]}, or {rival}; they differ by {by}."
        return f"{said} It is better than {rival} by {by}."

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """What a player reads: calls, cards to pitch, and the grid."""
        unit = "score change" if self.objective == "score" else "margin"
        calls = [
            [
                row["call"],
                signed(row["value"], 3),
                f"{row['se']:.3f}" if row["se"] is not None else "",
                percent(row["p_pitcher"]),
                percent(row["p_made"]),
                signed(row["difference"], 3),
                f"{row['difference_se']:.3f}" if row["difference_se"] is not None else "",
            ]
            for row in self.call_rows()
        ]
        tables = [Table("call", ["call", unit, "+/-", "pitcher", "made", "vs best other", "+/- "], calls)]
        bid = self.call or next((call for call in self.weighing.calls if call != PASS), LEAD_BID)
        for leads, heard in ((self.heard, True), (self.alone, False)):
            if leads and not (self.heard and not heard):
                tables.append(_lead_table(leads, bid, heard, symbols))
        if self.cells:
            tables.append(self._grid_table())
        return tables

    def _grid_table(self) -> Table:
        """Rows are seats, columns the highest bid so far."""
        columns = sorted({cell.highest for cell in self.cells})
        names = {0: "all passed"} | {bid: f"over a {bid}" for bid in range(1, 5)}
        entries = {(cell.seat, cell.highest): cell.to_dict() for cell in self.cells}
        rows = []
        for seat in range(self.rules.players):
            name = f"{seat + 1} (dealer)" if seat == self.rules.players - 1 else str(seat + 1)
            rows.append([name, *(cell_entry(entries.get((seat, highest))) for highest in columns)])
        title = (
            "What to call in each seat, by the highest bid so far (made by the seat just before; ? = too close to call)"
        )
        return Table("grid", ["seat", *(names[highest] for highest in columns)], rows, title)

    def notes(self, symbols: bool = False) -> list[str]:
        """Method, deals, seed."""
        heard = " that fit the calls heard" if self.situation.heard else ""
        effective = (
            f" (worth {self.weighing.effective:,.0f})" if self.weighing.effective < 0.995 * self.weighing.deals else ""
        )
        looked = ", ".join(f"{count:,}" for count in self.weighing.looked)
        others = f", others {self.others}" if self.others else ""
        how = (
            f"{table_in_words(self.rules)}. {self.weighing.deals:,} deals{heard}{effective}, seed {self.seed}, "
            f"play {self.play}, bidding {self.bidding}{others}; +/- is one standard error, "
            f"and leaves out how well the players play. {engine_in_words(self.engine)}"
        )
        rare = self.effort.precision is None and self.effort.early and self.weighing.deals < self.effort.first
        allowed = f" These calls are rare: of {self.weighing.proposals:,} deals so many fit." if rare else ""
        return [how, self._rule_of_stopping(looked) + allowed]

    def _rule_of_stopping(self, looked: str) -> str:
        """The rule by which the number of deals was chosen."""
        if self.effort.precision is not None:
            best, *rivals = self.weighing.ranking()
            se = self.weighing.difference(best, rivals[0]).se if rivals else 0.0
            if se is None or se >= self.effort.precision:
                return f"Looked after {looked} deals, all that were allowed; {self.effort.precision:g} was not reached."
            return (
                f"Looked after {looked} deals; stops when the standard error of the difference between the best two "
                f"calls is below {self.effort.precision:g}."
            )
        if not self.effort.early:
            return f"Played as many deals as asked for: {looked}."
        needed = lead_needed(len(self.weighing.calls) - 1)
        return (
            f"Looked after {looked} deals; stops when the best call leads every other by {needed:.2f} standard errors "
            f"of their difference, or surely by no more than {TIE:g} points."
        )


def cell_entry(cell: dict[str, Any] | None) -> str:
    """A cell of the grid as a player reads it."""
    if cell is None:
        return ""
    return as_said(cell["call"], cell["highest"]) + "?" * cell["too_close"]


def as_said(call: str, highest: int) -> str:
    """A call as it is said at the table: a bid of what is bid already is a steal.

    >>> as_said("2", 2), as_said("3", 2), as_said("pass", 0)
    ('steal', '3', 'pass')
    """
    return "steal" if call == str(highest) else call


def table_in_words(rules: Rules) -> str:
    """The table in a few words: how many play, and what the house does otherwise than the book."""
    table = "Partners" if rules.partners else f"{rules.players} players"
    usual = Rules(players=rules.players)
    spelled = []
    for option, field in OPTION_FIELDS.items():
        value = getattr(rules, field)
        if value != getattr(usual, field) and field not in ("players", "partners"):
            words = {made: word for word, made in OPTION_VALUES.get(option, {}).items()}
            word = "" if value is True else f" {words.get(value, value)}"
            spelled.append(option.replace("_", " ") + word)
    return f"{table}, {', '.join(spelled)}" if spelled else f"{table}, rules of the book (lowest bid 1)"


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """One level of names: p_at_least becomes p1 .. p4."""
    at_least = row.get("p_at_least")
    rest = {name: value for name, value in row.items() if name != "p_at_least"}
    return rest if at_least is None else rest | {f"p{points}": chance for points, chance in at_least.items()}


def named(card: Card | None) -> str:
    """A card in words."""
    assert card is not None
    ranks = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten"}
    rank = str(card)[0]
    return f"{ranks.get(rank, rank)} of {SUIT_NAMES[card.suit]}"


def _lower(sentence: str) -> str:
    """A sentence within a sentence."""
    return sentence[0].lower() + sentence[1:]


def _lead_table(leads: Sequence[Lead], bid: int, heard: bool, symbols: bool) -> Table:
    """The cards to pitch, best first."""
    ordered = sorted(leads, key=lambda lead: -lead.score_change(bid))
    rows = [
        [
            format_card(lead.card, symbols=symbols),
            f"{lead.points.mean:.2f}",
            *(percent(chance, 0) for chance in lead.chances),
            *(percent(chance, 0) for chance in lead.at_least),
        ]
        for lead in ordered
    ]
    after = "after the calls heard" if heard else "before anything is heard"
    title = f"If you are the pitcher ({after}; best first for a bid of {bid})"
    return Table("lead", ["pitch", "points", "High", "Low", "Jack", "Game", "1+", "2+", "3+", "4"], rows, title)


def seat_for_advice(
    rules: Rules,
    seat: int,
    play: Sequence[str],
    bidding: Sequence[str],
    others: str | None,
    engine: str = "auto",
) -> Seating:
    """Seat the caller and the others.

    Two play policies are those of the pitcher's side and of the defenders; two bidding policies, and `others`
    (PLAY/BIDDING), those of the caller and of everybody else.
    """
    players = range(rules.players)
    first, last = find(PLAY, play[0]), find(PLAY, play[-1])
    own, their = find(BIDDING, bidding[0]), find(BIDDING, bidding[-1])
    if others is not None:
        their_play, _, their_bidding = others.rpartition("/")
        last, their = find(PLAY, their_play), find(BIDDING, their_bidding)
    bidders = tuple(own if other == seat else their for other in players)
    if others is not None:
        return Seating(rules, tuple(first if other == seat else last for other in players), bidders, engine=engine)
    return Seating(rules, (last,) * rules.players, bidders, (first,) * rules.players, engine)


def advise(
    hand: Sequence[Card],
    rules: Rules,
    auction: Sequence[int] = (),
    seat: int | None = None,
    scores: Sequence[int] | None = None,
    objective: str = "score",
    play: Sequence[str] = ("expert",),
    bidding: Sequence[str] = ("equilibrium",),
    others: str | None = None,
    deals: int | None = None,
    precision: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    error_chance: float = 0.01,
    progress: bool = False,
    engine: str = "auto",
) -> Advice:
    """Weigh every legal call and every card to pitch; all arguments are checked (see `question.ask`).

    `seat` counts from 1; None asks for the grid of all seats too. Raises InputError for a policy that there is not,
    RunError when a policy fails.
    """
    cards = cards_to_set(hand)
    place = len(auction) if seat is None else seat - 1
    situation = Situation(cards, place, tuple(auction))
    seating = seat_for_advice(rules, place, play, bidding, others, engine)
    keys = Keys.of(seed)
    weigher = Weigher(seating, keys, objective == "margin", error_chance, threads, progress)
    ordered = sort_hand(hand)
    numbers = [card_number(card) for card in ordered]
    effort = effort_of(deals, precision)
    weighing = weigher.weigh(situation, numbers if auction else (), effort)
    leads = lead_alone(weigher, situation, ordered, deals or LEAD_DEALS)
    heard = []
    if auction:
        kept = weighing.kept
        heard = [Lead.of(card, weighing.weights, kept, weighing.lead_tally[:, row]) for row, card in enumerate(ordered)]
    grid = [] if seat is not None else weigh_grid(weigher, cards, play, bidding, others, deals)
    if grid:
        grid[0] = Cell(situation.seat, situation.highest, weighing)  # The first cell is this very question.
    return Advice(
        ordered, rules, situation, weighing, leads, heard, grid, ",".join(play), ",".join(bidding), others, objective,
        seed, None if scores is None else tuple(scores), effort, seating.engine_used,
        notices_of(weighing, scores, effort),
    )  # fmt: skip


def effort_of(deals: int | None, precision: float | None) -> Effort:
    """How long to go on: as many deals as asked for, or to a standard error, or what a second allows."""
    if precision is not None:
        return Effort(FIRST_LOOK, deals or MOST_DEALS, precision=precision)
    if deals is not None:
        return Effort(deals, deals, early=False)
    return Effort(FIRST_LOOK, DEFAULT_DEALS, PROPOSALS)


def notices_of(weighing: Weighing, scores: Sequence[int] | None, effort: Effort) -> list[str]:
    """What should be said about the run."""
    notices = []
    if scores is not None:
        notices.append("the scores do not change the advice yet; every call is weighed by this deal alone")
    if effort.early and weighing.effective < FEW:
        notices.append(
            f"only {weighing.effective:,.0f} effective deals fit the calls heard, so the errors are large; "
            "these calls are rare under the bidding policy (--deals and --error-chance change that)"
        )
    elif weighing.effective < FEW:
        few = "deal was" if round(weighing.effective) == 1 else "deals were"
        notices.append(f"only {weighing.effective:,.0f} effective {few} played, so the errors are large")
    return notices


def lead_alone(weigher: Weigher, situation: Situation, cards: Sequence[Card], deals: int) -> list[Lead]:
    """Every card pitched by this hand, no auction behind it: all on the same deals."""
    leader = Leader.at(weigher.seating, weigher.keys, situation.seat)
    pitched = Pitched(situation.hand, tuple(card_number(card) for card in cards), 52 - HAND_SIZE)

    def work(first: int, count: int) -> np.ndarray:
        return leader.compare(pitched, first, count)

    total = np.zeros((len(cards), SWEPT + 1), np.int64)
    with progress_bar(deals, "deals", weigher.progress) as advance:
        for size, tally in in_threads(work, 0, deals, weigher.threads, 4_096):
            total += tally
            advance(size)
    return [Lead.counted(card, row) for card, row in zip(cards, total, strict=True)]


def grid_situations(rules: Rules, hand: int) -> list[Situation]:
    """Every seat and every highest bid so far: made by the seat just before, the rest passed."""
    situations = []
    for seat in range(rules.players):
        situations.append(Situation(hand, seat, (PASS,) * seat))
        if seat > 0:
            dealer = seat == rules.players - 1
            highest = HIGHEST_BID if dealer and may_steal(HIGHEST_BID, rules) else HIGHEST_BID - 1
            bids = range(rules.lowest_bid, highest + 1)
            situations += [Situation(hand, seat, (PASS,) * (seat - 1) + (bid,)) for bid in bids]
    return situations


def weigh_grid(
    weigher: Weigher, hand: int, play: Sequence[str], bidding: Sequence[str], others: str | None, deals: int | None
) -> list[Cell]:
    """The best call of every cell; cells are small, so each thread takes whole ones."""
    wanted = GRID_DEALS if deals is None else min(deals, GRID_MOST)
    proposals = GRID_PROPOSALS * max(wanted, GRID_DEALS) // GRID_DEALS
    effort = Effort(wanted, wanted, proposals, early=False, pilot=GRID_PILOT)

    def cell(situation: Situation) -> Cell:
        seating = seat_for_advice(weigher.rules, situation.seat, play, bidding, others, weigher.seating.engine)
        alone = Weigher(seating, weigher.keys, weigher.margin, weigher.error_chance, threads=1)
        return Cell(situation.seat, situation.highest, alone.weigh(situation, (), effort))

    situations = grid_situations(weigher.rules, hand)
    with ThreadPoolExecutor(threads_of(weigher.threads)) as pool:
        return list(pool.map(cell, situations))
