"""Recorded deals (`pitch-deal/1`, a JSON object to a line), and the referee who judges and scores them."""

import gzip
import io
import json
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

from pitchsim.cards import CARD_OF_TEXT, JACK, SUITS, Card, quoted
from pitchsim.errors import InputError, RunError
from pitchsim.rules import Deal, Rules, Violation, check_table, settle, trick_points

SCHEMA = "pitch-deal/1"
# A score beyond this is a slip of the pen, and sums of larger ones could not be written down again.
LARGEST_SCORE = 10**9
GZIP_MARK = b"\x1f\x8b"


# Writing --------------------------------------------------------------------------------------------


def make_record(
    rules: Rules,
    dealer: int,
    hands_by_seat: Sequence[Sequence[Card]],
    calls: Sequence[int | tuple[int, Card]],
    plays: Sequence[tuple[int, Card]],
    scores_before: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Write a deal down.

    `calls` are in speaking order, 0 for a pass, `(4, card)` for a 4 that was pitched at once; `plays` are
    (seat, card) in the order played. Nothing is checked here: that is the referee's office.
    """
    scores = (0,) * rules.sides if scores_before is None else scores_before
    return {
        "schema": SCHEMA,
        "rules": rules.to_dict(),
        "dealer": int(dealer),
        "scores_before": [int(score) for score in scores],
        "hands": [[str(card) for card in hand] for hand in hands_by_seat],
        "auction": [_call_record((dealer + 1 + place) % rules.players, call) for place, call in enumerate(calls)],
        "plays": [[int(seat), str(card)] for seat, card in plays],
    }


def _call_record(seat: int, call: int | tuple[int, Card]) -> dict[str, Any]:
    """Write one call down, with the card when it was pitched."""
    if isinstance(call, tuple):
        return {"seat": int(seat), "bid": int(call[0]), "pitched": str(call[1])}
    return {"seat": int(seat), "bid": int(call)}


# Reading --------------------------------------------------------------------------------------------


def read_lines(path: str | Path) -> Iterator[bytes]:
    """Open a file of records for reading line by line; `-` is standard input, gzip is recognized.

    Raises InputError at once when there is no such file, RunError later when the rest of it cannot be read.
    """
    if str(path) == "-":
        return _lines_of(sys.stdin.buffer, "standard input")
    try:
        stream = open(path, "rb")  # noqa: SIM115 - _lines_of closes it
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"the record file {quoted(path)} cannot be read: {why}") from None
    return _lines_of(stream, quoted(path))


def _lines_of(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Give the lines of an open file, unpacked."""
    number = 0
    try:
        lines = _unpacked(stream)
        for number, line in enumerate(lines, start=1):
            yield line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
    except (OSError, EOFError, zlib.error) as error:
        raise RunError(f"{name} cannot be read beyond line {number}: {error}") from None
    finally:
        if name != "standard input":
            stream.close()


def _unpacked(stream: BinaryIO) -> Iterable[bytes]:
    """Unpack a file that begins like gzip; its name does not matter."""
    reader = stream if hasattr(stream, "peek") else io.BufferedReader(stream)  # type: ignore[type-var]
    return gzip.GzipFile(fileobj=reader) if reader.peek(2)[:2] == GZIP_MARK else reader


def _no_json(constant: str) -> NoReturn:
    """Refuse NaN and Infinity, which Python reads and JSON does not know."""
    raise ValueError(f"{constant} is not a JSON number")


_DECODER = json.JSONDecoder(parse_constant=_no_json)


def _parse(line: str | bytes) -> Any:
    """Read the JSON of one line."""
    try:
        return _DECODER.decode(line.decode() if isinstance(line, bytes) else line)
    except UnicodeDecodeError:
        raise InputError("not a record: this is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg} at character {error.pos + 1} (a deal is one whole line)") from None
    except ValueError as error:
        raise InputError(f"not JSON that can be read: {error}") from None
    except RecursionError:
        raise InputError("not a record: nested too deeply") from None


class _Written(NamedTuple):
    """What is written in a record, every field of the right type."""

    rules: Mapping[str, Any]
    dealer: int
    scores_before: Sequence[int] | None
    hands: Sequence[Sequence[str]]
    auction: Sequence[Mapping[str, Any]]
    plays: Sequence[Sequence[Any]]


def _check_types(record: object) -> _Written:
    """Refuse what is not a record: no hands, or a field of the wrong type. Unknown keys are left alone."""
    if not isinstance(record, Mapping):
        raise InputError(f"not a record: a record is an object with hands, not {quoted(record)}")
    if "hands" not in record:
        raise InputError("not a record: it has no hands")
    if record.get("schema", SCHEMA) != SCHEMA:
        raise InputError(f"the schema is {SCHEMA}, not {quoted(record['schema'])}")
    rules = record.get("rules", {})
    if not isinstance(rules, Mapping):
        raise InputError(f"rules is an object, not {quoted(rules)}")
    if type(record.get("dealer")) is not int:
        raise InputError(f"dealer is a seat, a whole number, not {quoted(record.get('dealer'))}")
    scores = record.get("scores_before", ())
    if not _is_list(scores) or not all(type(score) is int and abs(score) <= LARGEST_SCORE for score in scores):
        raise InputError("scores_before is a list of whole numbers, one for each side")
    if not _is_list(record["hands"]):
        raise InputError(f"hands is a list of hands, not {quoted(record['hands'])}")
    for hand in record["hands"]:
        if not _is_list(hand) or not all(isinstance(card, str) for card in hand):
            raise InputError('a hand is a list of cards, as in ["AS", "TC", ...]')
    auction, plays = record.get("auction", ()), record.get("plays", ())
    _check_auction_types(auction)
    _check_play_types(plays)
    return _Written(
        rules,
        record["dealer"],
        scores if "scores_before" in record else None,
        record["hands"],
        auction,
        plays,
    )


def _is_list(value: object) -> bool:
    """Tell a list from everything else."""
    return isinstance(value, list | tuple)


def _check_auction_types(auction: object) -> None:
    """Refuse calls that are not a seat and a bid."""
    if not isinstance(auction, list | tuple):
        raise InputError(f"auction is a list of calls, not {quoted(auction)}")
    for place, call in enumerate(auction):
        if (
            not isinstance(call, Mapping)
            or type(call.get("seat")) is not int
            or type(call.get("bid")) is not int
            or not isinstance(call.get("pitched", ""), str)
        ):
            raise InputError(f'call {place} is a seat and a bid, as in {{"seat": 1, "bid": 3}}')


def _check_play_types(plays: object) -> None:
    """Refuse plays that are not a seat and a card."""
    if not isinstance(plays, list | tuple):
        raise InputError(f"plays is a list of plays, not {quoted(plays)}")
    for place, play in enumerate(plays):
        if not (
            isinstance(play, list | tuple) and len(play) == 2 and type(play[0]) is int and isinstance(play[1], str)
        ):
            raise InputError(f'play {place} is a seat and a card, as in [1, "JS"]')


# Judging --------------------------------------------------------------------------------------------


class Judged(NamedTuple):
    """A recorded deal, walked to where the record ends, and the scores before it."""

    deal: Deal
    scores_before: tuple[int, ...]


def referee(record: object) -> Judged:
    """Walk a record with the rules, from the table to the last card.

    Raises Violation at the first step that breaks a rule, and InputError for what is no record at all.
    """
    written = _check_types(record)
    rules = Rules.from_dict(written.rules, ignore_unknown=True)
    scores = (0,) * rules.sides if written.scores_before is None else tuple(written.scores_before)
    if len(scores) != rules.sides:
        raise InputError(f"scores_before has {len(scores)} scores; there are {rules.sides} sides")
    check_table(rules, written.dealer, len(written.hands))
    deal = Deal(rules, written.dealer, [[_known(text, "deal") for text in hand] for hand in written.hands])
    for place, call in enumerate(written.auction):
        pitched = _known(call["pitched"], "call", place) if "pitched" in call else None
        deal.call(call["seat"], call["bid"], pitched)
    for place, (seat, text) in enumerate(written.plays):
        deal.play(seat, _known(text, "play", place))
    return Judged(deal, scores)


def _known(text: str, where: str, place: int | None = None) -> Card:
    """Read a card of the record (R2)."""
    card = CARD_OF_TEXT.get(text)
    if card is None:
        at = where if place is None else f"{where} {place}"
        raise Violation("R2", f"{quoted(text)} is not a card of the deck", at)
    return card


def score(record: Mapping[str, Any] | str | bytes) -> dict[str, Any]:
    """Judge and score one recorded deal, given as an object or as the text of its line.

    The answer is the score of the deal (`pitcher`, `points_won`, `delta`, `scores_after`, ...); or
    `violation`, the first rule that was broken; or, where the record stops early, `finished` is False and the
    rest is what can be said so far; or `error` for what is no record.

    >>> score({"dealer": 0, "hands": []})["violation"]["rule"]
    'R1'
    """
    return _answer(record, 1)


def score_lines(lines: Iterable[str | bytes]) -> Iterator[dict[str, Any]]:
    """Judge and score records line by line; every line gets an answer, and none stops the rest.

    Empty lines at the end are no lines; one between others is an error like any line that is no record.
    """
    empty: list[int] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            empty.append(number)
            continue
        yield from ({"error": {"line": passed, "why": "the line is empty"}} for passed in empty)
        empty.clear()
        yield _answer(line, number)


def _answer(record: object, line: int) -> dict[str, Any]:
    """Judge one record: a score, a violation, or an error on this line."""
    try:
        judged = referee(_parse(record) if isinstance(record, str | bytes) else record)
    except Violation as broken:
        return {"violation": {"rule": broken.rule, "where": broken.where, "why": broken.why}}
    except InputError as error:
        return {"error": {"line": line, "why": str(error)}}
    return _result(judged) if judged.deal.over else _so_far(judged.deal)


def _result(judged: Judged) -> dict[str, Any]:
    """Say how a whole deal came out."""
    deal, before = judged
    outcome = deal.outcome()
    scores_after, game_winner = settle(outcome, before, deal.rules, deal.dealer)
    if outcome.trump is None:
        answer: dict[str, Any] = {"thrown_in": True, "delta": outcome.delta}
    else:
        answer = outcome._asdict() | {"trump": SUITS[outcome.trump]}
    answer |= {"scores_after": scores_after, "game_winner": game_winner}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in answer.items()}


def _so_far(deal: Deal) -> dict[str, Any]:
    """Say what can be said of a deal that is not over, and whose turn it is."""
    # A pitched card is the first lead, so trump is known before it is played.
    shown = deal.pitched.suit if deal.auction_over and deal.pitched else None
    trump = deal.trump if deal.trump is not None else shown
    answer: dict[str, Any] = {
        "finished": False,
        "pitcher": deal.pitcher,
        "bid": deal.bid if deal.auction_over else None,
        "trump": None if trump is None else SUITS[trump],
        "trick_winners": list(deal.trick_winners),
        **({} if trump is None else _taken_so_far(deal, trump)),
        "trick_points_by_seat": [trick_points(pile) for pile in deal.piles],
    }
    if deal.auction_over:
        answer["next"] = {"seat": deal.to_play, "cards": [str(card) for card in deal.legal_cards()]}
    else:
        answer["next"] = {"seat": deal.to_speak, "calls": list(deal.legal_calls())}
    return answer


def _taken_so_far(deal: Deal, trump: int) -> dict[str, int | None]:
    """Name who has High, Low and Jack, as far as those cards are taken (R11)."""
    taker = {card: seat for seat, pile in enumerate(deal.piles) for card in pile}
    holder = {card: seat for seat, hand in enumerate(deal.hands) for card in hand if card.suit == trump}
    known: dict[str, int | None] = {}
    if max(holder) in taker:
        known["high_seat"] = taker[max(holder)]
    if deal.rules.low_goes_to == "holder":
        known["low_seat"] = holder[min(holder)]
    elif min(holder) in taker:
        known["low_seat"] = taker[min(holder)]
    jack = Card(JACK, trump)
    if jack in taker or jack not in holder:
        known["jack_seat"] = taker.get(jack)
    return known
