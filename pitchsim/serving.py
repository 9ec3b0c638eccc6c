"""Lend the brain to another program: one request a line, one answer a line.

A request is read and checked by the readable rules (see `request`); what the seat sees is then written as the engine
writes it, and the policy is asked as the engine asks it. A request that makes no sense, and a policy that fails, get
`error` and one sentence, and the next line is read.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

import numpy as np

from pitchsim.bidding import BIDDING
from pitchsim.cards import SUITS, Card
from pitchsim.deck import LANE_BITS, SUIT_CARDS, TRUMP_LANE, card_number
from pitchsim.errors import InputError, RunError
from pitchsim.house import House
from pitchsim.jit import PLAIN
from pitchsim.kernels.asking import ask_for_call, ask_for_card
from pitchsim.log import BID, CALLS, CARD_BITS, LENGTH, PITCHER, PLAYS, PUBLIC, TRUMP_SUIT
from pitchsim.play import NOTES
from pitchsim.plugins import Found, Kind, find
from pitchsim.policies import PLAY
from pitchsim.request import BID as TO_BID
from pitchsim.request import (
    LONGEST,
    QUIT,
    Auction,
    Request,
    Tricks,
    check_cards,
    check_hand,
    check_player,
    check_seats,
    check_speaker,
    read_request,
    rules_of,
    walk_auction,
    walk_tricks,
)
from pitchsim.rules import Rules, Violation, full_deck, legal_calls, legal_cards, side_of, trick_points
from pitchsim.seating import Keys, Seating
from pitchsim.view import facts_of

NUMBER = [
    {card: (card_number(card) + LANE_BITS * (TRUMP_LANE - lane)) % (LANE_BITS * len(SUITS)) for card in full_deck()}
    for lane in range(TRUMP_LANE + 1)
]
"""The numbers of the cards, with the suits turned so that this lane is the top one; not turned for the top lane."""

CARD = [{number: card for card, number in numbers.items()} for numbers in NUMBER]
"""The same the other way round."""

pack_facts = getattr(facts_of, "py_func", facts_of)
MOMENT_BYTES = 8
MOMENT_BITS = 62


class Place(NamedTuple):
    """Where a policy and the table that it brings along are, as `Seating` tells it."""

    where: int
    notes: int


class Table:
    """The players of one table: its rules, and where their policies are, by position."""

    def __init__(self, rules: Rules, play: Found, bidding: Found) -> None:
        """Seat the same player everywhere, and make the tables that he brings along."""
        self.rules = rules
        self.seating = Seating(rules, (play,) * rules.players, (bidding,) * rules.players)
        self.house: House = self.seating.house
        line, bidders, notes = self.seating.line, self.seating.bidders, self.seating.notes
        seats = range(rules.players)
        self.players = [_place(line[seat], line[seat + NOTES]) for seat in seats]
        self.bidders = [_place(bidders[seat], notes[seat]) for seat in seats]


def _place(where: int, notes: int) -> Place:
    """Turn addresses into Python's numbers; in plain Python the policy and its table stay what they are."""
    return Place(where, notes) if PLAIN else Place(int(where), int(notes))


class Brain:
    """A player who answers for any seat of any table that asks."""

    def __init__(self, rules: Rules, play: Found, bidding: Found, seed: int) -> None:
        """Be ready before the first question comes: the table of the command line is seated at once."""
        self.rules, self.play, self.bidding, self.luck_key = rules, play, bidding, Keys.of(seed).luck
        self.tables: dict[tuple[int | None, bool | None], Table] = {}
        self.page = np.zeros(LENGTH - PUBLIC, np.int64)
        self._table(Request(QUIT))

    def answer(self, line: bytes) -> str | None:
        """Answer one line with one line; None to `quit`."""
        try:
            request = read_request(line)
            return None if request.command == QUIT else self._reply(request)
        except Violation as broken:
            return _error(f"{broken} ({broken.rule})")
        except (InputError, RunError) as error:
            return _error(str(error))
        except Exception as error:
            return _error(f"this is a mistake in pitchsim, please report it ({type(error).__name__}: {error})")

    def _reply(self, request: Request) -> str:
        """Rebuild the moment, and ask the policy."""
        table = self._table(request)
        check_seats(request, table.rules)
        check_cards(request)
        auction = walk_auction(request, table.rules)
        if request.command == TO_BID:
            check_speaker(request, table.rules, auction)
            return f"bid {self._call(table, request, auction)}"
        pitcher = check_player(request, table.rules, auction)
        tricks = walk_tricks(request, table.rules, pitcher)
        check_hand(request, table.rules, tricks)
        return f"card {self._card(table, request, auction, tricks)}"

    def _table(self, request: Request) -> Table:
        """Find the table, or seat it when it asks for the first time."""
        key = (request.players, request.partners)
        if key not in self.tables:
            self.tables[key] = Table(rules_of(request, self.rules), self.play, self.bidding)
        return self.tables[key]

    def _call(self, table: Table, request: Request, auction: Auction) -> int:
        """Ask for a call; when only one is legal nobody is asked."""
        position = len(auction.calls)
        legal = legal_calls(table.rules, position, auction.highest)
        if len(legal) == 1:
            return legal[0]
        heard = np.array(_heard(table.house, request, auction, position, legal), np.int64)
        moment = _moment(table.rules, request, position)
        try:
            call = int(ask_for_call(*table.bidders[position], heard, self.luck_key, moment))
        except Exception as error:
            raise _failed(BIDDING, self.bidding, f"raised {type(error).__name__} ({error})") from error
        if call not in legal:
            raise _failed(BIDDING, self.bidding, f"answered {call}, an illegal call")
        return call

    def _card(self, table: Table, request: Request, auction: Auction, tricks: Tricks) -> Card:
        """Ask for a card; when only one is legal nobody is asked."""
        lane = request.cards[0].suit if request.cards else TRUMP_LANE
        on_table = tricks.tricks[-1] if len(request.cards) % table.rules.players else ()
        led = on_table[0].suit if on_table else None
        legal = legal_cards(request.hand, led, lane, table.rules.follow == "strict")
        if len(legal) == 1:
            return legal[0]
        seen = np.array(_seen(table.house, request, auction, tricks, on_table, legal, lane), np.int64)
        self.page[:] = _page(request, auction, tricks, NUMBER[lane])
        moment = _moment(table.rules, request, tricks.to_play)
        try:
            number = int(ask_for_card(*table.players[tricks.to_play], seen, self.page, self.luck_key, moment))
        except Exception as error:
            raise _failed(PLAY, self.play, f"raised {type(error).__name__} ({error})") from error
        card = CARD[lane].get(number)
        if card not in legal:
            raise _failed(PLAY, self.play, f"answered {number if card is None else card}, an illegal card")
        return card


def _error(why: str) -> str:
    """Say what is wrong, in one line that every program can read."""
    return "error " + " ".join(why.encode("ascii", "backslashreplace").decode("ascii").split())


def _failed(kind: Kind, found: Found, what: str) -> RunError:
    """One sentence about a policy that failed; the other program knows the situation."""
    return RunError(f"the {kind.noun} {found.name!r} {what}")


# What a seat hears and sees, as the engine writes it ----------------------------------------------------


def _moment(rules: Rules, request: Request, position: int) -> int:
    """A number for what the seat knows, the same for the same moment: the policy's luck is drawn from it.

    Where the dealer sits does not matter, nor the order of the hand, nor the score.
    """
    numbers = NUMBER[TRUMP_LANE]
    hand, cards = sorted(numbers[card] for card in request.hand), [numbers[card] for card in request.cards]
    told = bytes([rules.players, rules.partners, position, len(request.said), *request.said, len(hand), *hand, *cards])
    return int.from_bytes(hashlib.blake2b(told, digest_size=MOMENT_BYTES).digest()) >> (8 * MOMENT_BYTES - MOMENT_BITS)


def _heard(house: House, request: Request, auction: Auction, position: int, legal: Sequence[int]) -> tuple[int, ...]:
    """The fields of `BidView` before `notes`."""
    bidder = -1 if auction.bidder is None else auction.bidder
    calls = sum(1 << call for call in legal)
    return (
        _set(request.hand, NUMBER[TRUMP_LANE]), position, auction.highest, bidder, _packed_calls(auction.calls), calls,
        house.players, house.partners, house.low_to_holder, house.strict, house.lowest_bid,
    )  # fmt: skip


def _seen(
    house: House, request: Request, auction: Auction, tricks: Tricks, on_table: Sequence[Card], legal: Sequence[Card],
    lane: int,
) -> tuple[int, ...]:  # fmt: skip
    """The fields of `View` before `luck`."""
    numbers, winners = NUMBER[lane], tricks.winners
    hand, table = _set(request.hand, numbers), _set(on_table, numbers)
    led = best = 0
    if on_table:
        led = SUIT_CARDS << (numbers[on_table[0]] & ~(LANE_BITS - 1))
        best = 1 << numbers[on_table[(winners[-1] - winners[-2]) % house.players]]
    gone, pitchers, points = _won(tricks, len(tricks.tricks) - (len(on_table) > 0), numbers, bool(house.partners))
    voids = _voids(tricks, lane)
    return (
        hand, _set(legal, numbers), table, led, best, gone, pitchers, points, voids, tricks.to_play, winners[-1],
        house.players - 1 - len(on_table), pack_facts(winners[0], auction.highest, house),
    )  # fmt: skip


def _won(tricks: Tricks, whole: int, numbers: dict[Card, int], partners: bool) -> tuple[int, int, int]:
    """The cards of the whole tricks, those that the pitcher's side has won, and trick points, 8 bits a side."""
    gone = pitchers = points = 0
    pitchers_side = side_of(tricks.winners[0], partners)
    for trick, winner in zip(tricks.tricks[:whole], tricks.winners[1:], strict=False):
        taken, side = _set(trick, numbers), side_of(winner, partners)
        gone |= taken
        pitchers |= taken if side == pitchers_side else 0
        points += trick_points(trick) << (8 * side)
    return gone, pitchers, points


def _voids(tricks: Tricks, lane: int) -> int:
    """The suits that each position has shown not to hold, 4 bits a position, one a lane."""
    voids = 0
    for position, shown in enumerate(tricks.voids):
        for suit in shown:
            voids |= 1 << (4 * position + (suit + TRUMP_LANE - lane) % len(SUITS))
    return voids


def _page(request: Request, auction: Auction, tricks: Tricks, numbers: dict[Card, int]) -> list[int]:
    """What everybody has heard and seen, as the engine writes it from PUBLIC on."""
    page = [0] * (LENGTH - PUBLIC)
    page[CALLS - PUBLIC] = _packed_calls(auction.calls)
    page[PITCHER - PUBLIC], page[BID - PUBLIC] = tricks.winners[0], auction.highest
    page[TRUMP_SUIT - PUBLIC] = request.cards[0].suit if request.cards else 0
    for place, trick in enumerate(tricks.tricks, start=PLAYS - PUBLIC):
        line = 1
        for card in trick:
            line = line << CARD_BITS | numbers[card]
        page[place] = line
    return page


def _set(cards: Sequence[Card], numbers: dict[Card, int]) -> int:
    """The set of these cards as one number."""
    together = 0
    for card in cards:
        together |= 1 << numbers[card]
    return together


def _packed_calls(calls: Sequence[int]) -> int:
    """Calls as policies hear them: 4 bits a position, call + 1."""
    return sum((call + 1) << (4 * position) for position, call in enumerate(calls))


# Line by line -------------------------------------------------------------------------------------------


def serve(rules: Rules, play: str, bidding: str, seed: int, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer line by line, until `quit` or the end of the requests.

    Raises InputError for a policy that there is not.
    """
    brain = Brain(rules, find(PLAY, play), find(BIDDING, bidding), seed)
    for line in _lines(requests):
        answer = brain.answer(line)
        if answer is None:
            return
        answers.write(answer.encode("ascii") + b"\n")
        answers.flush()


def _lines(requests: BinaryIO) -> Iterator[bytes]:
    """The lines, as they come; of a line without end only a beginning is kept."""
    while line := requests.readline(LONGEST + 2):
        rest = line
        while len(line) == LONGEST + 2 and rest and not rest.endswith(b"\n"):
            rest = requests.readline(LONGEST)
        yield line
