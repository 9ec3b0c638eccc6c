"""What another program asks, one request a line: read it, and check that such a moment can be, by the readable rules.

A request is text, `bid n=4 seat=2 dealer=0 hand=AS,KS,4S,9D,3C,2C said=0`, or a JSON object with the same keys. Its
seats count from 0, clockwise. What it tells is checked as far as the seat that is asked can know: the calls, whose
turn it is, the cards played, and what they have shown about the hands.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from pitchsim.cards import (
    A_CARD,
    CARD_OF_TEXT,
    HAND_SIZE,
    RANKS,
    SUIT_NAMES,
    SUITS,
    Card,
    parse_card,
    parse_hand,
    quoted,
)
from pitchsim.errors import InputError
from pitchsim.question import LARGEST_SCORE
from pitchsim.rules import (
    PASS,
    Rules,
    Violation,
    check_call,
    check_table,
    ends_auction,
    position_of,
    seat_at,
    trick_winner,
)

BID, PLAY, QUIT = COMMANDS = ("bid", "play", "quit")
KEYS = ("n", "partners", "seat", "dealer", "hand", "said", "cards", "scores")
LONGEST = 1 << 16
"""A line of more bytes than this is no request."""

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,4000}")
SWITCHES = {"0": False, "1": True, 0: False, 1: True}
SUIT_SETS = [set(suits) for size in range(len(SUITS)) for suits in combinations(range(len(SUITS)), size)]
"""Every set of suits but all four."""


class Request(NamedTuple):
    """What is asked (`bid`, `play` or `quit`), and what the seat sees; None where the command line decides."""

    command: str
    players: int | None = None
    partners: bool | None = None
    seat: int = 0
    dealer: int = 0
    hand: tuple[Card, ...] = ()
    said: tuple[int, ...] = ()
    cards: tuple[Card, ...] = ()
    scores: tuple[int, ...] | None = None


class Auction(NamedTuple):
    """The calls so far: the highest bid, whose it is (a position; None: nobody's), and whether it is over."""

    calls: tuple[int, ...]
    highest: int
    bidder: int | None
    over: bool


class Tricks(NamedTuple):
    """The play so far, by position: tricks (the last may be under way), who leads to or wins each, voids, whose turn.

    `winners` has one more than there are whole tricks: who wins the trick under way so far, or leads to the next.
    `voids` holds for every position the suits that it has shown not to hold, each with the card that showed it.
    """

    tricks: list[tuple[Card, ...]]
    winners: list[int]
    voids: list[dict[int, Card]]
    to_play: int


# Reading ----------------------------------------------------------------------------------------------


def read_request(line: bytes) -> Request:
    """Read one line.

    Raises InputError, in one sentence, for what is no request.

    >>> read_request(b"bid seat=1 dealer=0 hand=AS,KS,4S,9D,3C,2C said=").seat
    1
    """
    if len(line) - line.endswith(b"\n") > LONGEST:
        raise InputError(f"the line is longer than {LONGEST} bytes; a request is one short line")
    try:
        text = line.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise InputError("the line is not UTF-8 text; a request is written in plain letters") from None
    named = _read_object(text) if text.startswith("{") else _read_words(text)
    command = named.pop("cmd", None)
    if not isinstance(command, str) or command not in COMMANDS:
        raise InputError(f"there is no command {quoted(command)}; there are {', '.join(COMMANDS)}")
    unknown = [key for key in named if key not in KEYS]
    if unknown:
        raise InputError(f"there is no key {quoted(unknown[0])}; the keys are {', '.join(KEYS)}")
    return Request(command) if command == QUIT else _filled(command, named)


def _read_words(text: str) -> dict[str, Any]:
    """Read a command and its key=value words."""
    command, *words = text.split() or [""]
    if not command:
        raise InputError("the line is empty; a request begins with bid, play or quit")
    named: dict[str, Any] = {"cmd": command}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise InputError(f"{quoted(word)} is not key=value; lists are written with commas and without spaces")
        if key in named:
            raise InputError(f"{quoted(key)} is given twice; give it once")
        named[key] = value
    return named


def _read_object(text: str) -> dict[str, Any]:
    """Read a JSON object; keys with null are not given."""
    try:
        return json.loads(text, object_pairs_hook=_read_pairs)
    except InputError:
        raise
    except (ValueError, RecursionError):
        why = 'the line begins like JSON and is not; a request is one object, as in {"cmd": "quit"}'
        raise InputError(why) from None


def _read_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Take every key once."""
    named: dict[str, Any] = {}
    for key, value in pairs:
        if key in named:
            raise InputError(f"{quoted(key)} is given twice; give it once")
        named[key] = value
    return {key: value for key, value in named.items() if value is not None}


def _filled(command: str, named: Mapping[str, Any]) -> Request:
    """Read every value that a request has."""
    missing = [key for key in ("seat", "dealer", "hand") if key not in named]
    if missing:
        raise InputError(f"{missing[0]} is missing; a request has seat, dealer, hand and said, and to play cards too")
    return Request(
        command,
        _number("n", named["n"]) if "n" in named else None,
        _switch(named["partners"]) if "partners" in named else None,
        _number("seat", named["seat"]),
        _number("dealer", named["dealer"]),
        _cards("hand", named["hand"]),
        _numbers("said", named.get("said", "")),
        _cards("cards", named.get("cards", "")),
        _numbers("scores", named["scores"]) if "scores" in named else None,
    )


def _number(key: str, value: Any) -> int:
    """Read a whole number."""
    if isinstance(value, str) and WHOLE_NUMBER.fullmatch(value):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise InputError(f"{key} is a whole number, not {quoted(value)}")


def _switch(value: Any) -> bool:
    """Read 0 or 1, false or true."""
    if isinstance(value, str | int) and value in SWITCHES:
        return SWITCHES[value]
    raise InputError(f"partners is 0 or 1, not {quoted(value)}")


def _numbers(key: str, value: Any) -> tuple[int, ...]:
    """Read a list of whole numbers."""
    if isinstance(value, str):
        value = value.split(",") if value else ()
    elif not isinstance(value, list):
        raise InputError(f"{key} is a list of whole numbers, not {quoted(value)}")
    return tuple([_number(f"every number in {key}", piece) for piece in value])


def _cards(key: str, value: Any) -> tuple[Card, ...]:
    """Read a list of cards, or cards in any notation for hands."""
    if isinstance(value, str):
        try:
            return tuple([CARD_OF_TEXT[piece] for piece in value.split(",")])
        except KeyError:
            return parse_hand(value)
    if not isinstance(value, list):
        raise InputError(f"{key} is a list of cards, as in AS,KS,4S, not {quoted(value)}")
    for piece in value:
        if not isinstance(piece, str):
            raise InputError(f"{quoted(piece)} is not a card; {A_CARD}")
    return tuple([parse_card(piece) for piece in value])


# Checking ---------------------------------------------------------------------------------------------


def rules_of(request: Request, rules: Rules) -> Rules:
    """Agree on the rules: those of the command line, with the players of the request.

    Raises Violation of R1 for a table that cannot be.
    """
    changes: dict[str, Any] = {"players": request.players, "partners": request.partners}
    return Rules(**rules.to_dict() | {name: value for name, value in changes.items() if value is not None})


def check_seats(request: Request, rules: Rules) -> None:
    """Refuse seats that are not at the table, and scores that do not fit it."""
    players, scores = rules.players, request.scores
    check_table(rules, request.dealer, players)
    if not 0 <= request.seat < players:
        raise Violation("R1", f"the seat is {quoted(request.seat)}; seats are 0 to {players - 1}")
    if scores is None:
        return
    if rules.partners and len(scores) == players and scores[:2] == scores[2:]:
        scores = scores[:2]  # Told by seat, partners alike.
    if len(scores) != rules.sides:
        raise InputError(f"{len(scores)} scores given for {rules.sides} sides; give one for each")
    if max(map(abs, scores)) > LARGEST_SCORE:
        raise InputError(f"a score is beyond {LARGEST_SCORE}; give scores that somebody could reach")


def check_cards(request: Request) -> None:
    """Refuse a card that is in two places: a deck has it once."""
    hand, cards = request.hand, request.cards
    if len({*hand, *cards}) == len(hand) + len(cards):
        return
    for cards_there, place in ((hand, "in the hand"), (cards, "played")):
        for number, card in enumerate(cards_there):
            if card in cards_there[:number]:
                raise Violation("R2", f"{card} is {place} twice; a deck has it once")
    card = next(card for card in hand if card in cards)
    raise Violation("R2", f"{card} is in the hand and was played already; a deck has it once")


def walk_auction(request: Request, rules: Rules) -> Auction:
    """Hear the calls, from the dealer's left on.

    Raises Violation for the first call that is not legal.
    """
    highest, bidder = PASS, None
    for position, bid in enumerate(request.said):
        if position == rules.players:
            raise Violation(
                "R4", f"there are {len(request.said)} calls; each of the {rules.players} players speaks once"
            )
        check_call(rules, position, highest, bid, f"seat {seat_at(position, request.dealer, rules.players)}")
        if bid:
            highest, bidder = bid, position
    over = len(request.said) == rules.players or ends_auction(highest, rules)
    return Auction(request.said, highest, bidder, over)


def check_speaker(request: Request, rules: Rules, auction: Auction) -> None:
    """Refuse a question for a call from a seat that is not the next to speak, or that does not hold six cards."""
    if auction.over:
        why = "everybody has spoken" if len(auction.calls) == rules.players else "a 4 has ended it"
        raise Violation("R4", f"the auction is over, since {why}; ask for a card with play")
    next_seat = seat_at(len(auction.calls), request.dealer, rules.players)
    if request.seat != next_seat:
        raise Violation("R4", f"it is the turn of seat {next_seat} to speak, not of seat {request.seat}")
    if request.cards:
        raise Violation("R8", "cards were played before the auction is over; leave cards out of a bid")
    if len(request.hand) != HAND_SIZE:
        raise Violation("R3", f"the hand has {len(request.hand)} cards; before the first trick it has {HAND_SIZE}")


def walk_tricks(request: Request, rules: Rules, pitcher: int) -> Tricks:
    """See the cards played, in order, beginning with the pitcher's.

    Raises Violation for a card of a suit that its player has shown not to hold, as far as can be known R9.
    """
    players, cards = rules.players, request.cards
    voids: list[dict[int, Card]] = [{} for _ in range(players)]
    if not cards:
        return Tricks([], [pitcher], voids, pitcher)
    trump, winners = cards[0].suit, [pitcher]
    tricks = [cards[place : place + players] for place in range(0, len(cards), players)]
    for trick in tricks:
        leader, led = winners[-1], trick[0].suit
        excused = (led, None if rules.follow == "strict" else trump)
        for place, card in enumerate(trick, start=leader):
            shown = voids[place % players]
            if card.suit in shown:
                raise _not_void(request, rules, place % players, "plays", card, shown[card.suit])
            if card.suit not in excused:
                shown[led] = card
        winners.append((leader + trick_winner(trick, trump)) % players)
    under_way = len(cards) % players
    to_play = (winners[-2 if under_way else -1] + under_way) % players
    return Tricks(tricks, winners, voids, to_play)


def check_player(request: Request, rules: Rules, auction: Auction) -> int:
    """Refuse a question for a card before the play and after it; answers the position of the pitcher."""
    if not auction.over:
        next_seat = seat_at(len(auction.calls), request.dealer, rules.players)
        raise Violation("R8", f"the auction is not over, seat {next_seat} is to speak; said has the calls of all")
    if auction.bidder is None:
        raise Violation("R7", "the hand was thrown in, so nobody plays a card")
    if len(request.cards) >= HAND_SIZE * rules.players:
        raise Violation("R10", f"{len(request.cards)} cards are played, so the six tricks are over")
    return auction.bidder


def check_hand(request: Request, rules: Rules, tricks: Tricks) -> None:
    """Refuse a seat that is not to play, and a hand that it cannot hold now."""
    position = position_of(request.seat, request.dealer, rules.players)
    if position != tricks.to_play:
        next_seat = seat_at(tricks.to_play, request.dealer, rules.players)
        raise Violation("R10", f"it is the turn of seat {next_seat} to play, not of seat {request.seat}")
    left = HAND_SIZE - len(request.cards) // rules.players
    if len(request.hand) != left:
        raise Violation("R3", f"the hand has {len(request.hand)} cards; seat {request.seat} now holds {left}")
    shown = tricks.voids[position]
    for card in request.hand:
        if card.suit in shown:
            raise _not_void(request, rules, position, "holds", card, shown[card.suit])
    if any(tricks.voids):
        _check_other_hands(request, rules, tricks, position)


def _not_void(request: Request, rules: Rules, position: int, verb: str, card: Card, shown_by: Card) -> Violation:
    """Say that a card cannot be where it is, since its player has shown not to hold the suit."""
    seat = seat_at(position, request.dealer, rules.players)
    suit = SUIT_NAMES[card.suit]
    return Violation("R9", f"seat {seat} {verb} {card}, but had to follow with {suit} when it played {shown_by}")


def _check_other_hands(request: Request, rules: Rules, tricks: Tricks, position: int) -> None:
    """Refuse voids that leave the others too few cards: some seats can hold a few suits only, and those run out."""
    left = [HAND_SIZE - len(request.cards) // rules.players] * rules.players
    under_way = len(request.cards) % rules.players
    for place in range(under_way):
        left[(tricks.to_play - 1 - place) % rules.players] -= 1
    left[position] = 0
    unseen = [len(RANKS)] * len(SUITS)
    for card in (*request.hand, *request.cards):
        unseen[card.suit] -= 1
    _check_suits(left, unseen, [set(shown) for shown in tricks.voids])


def _check_suits(left: Sequence[int], unseen: Sequence[int], voids: Sequence[set[int]]) -> None:
    """Compare the cards unseen of some suits with the cards of those who can hold no other (Hall's theorem)."""
    bound = sum(cards for cards, shown in zip(left, voids, strict=True) if shown)
    fewest = min(sum(unseen) - sum(unseen[suit] for suit in shown) for shown in voids if shown)
    if bound <= fewest:
        return  # As nearly always: no set of suits that somebody is bound to can run out. The search takes 40 us.
    for suits in SUIT_SETS:
        held = sum(cards for cards, shown in zip(left, voids, strict=True) if len(shown | suits) == len(SUITS))
        there = sum(unseen[suit] for suit in suits)
        if held > there:
            names = " and ".join(SUIT_NAMES[suit] for suit in sorted(suits)) or "any suit"
            why = f"by what was shown, other seats hold {held} cards of {names}, and only {there} are left"
            raise Violation("R9", why)
