"""The rulebook: R1 to R17 and the house rules, in words and in functions, a deal walked through them, a game.

Where is R9? Look for the function whose docstring begins with "R9". Seats count from 0, clockwise; a
*position* is a place in speaking order, 0 at the dealer's left, the dealer last. A call is a bid, 0 for
pass. A side is a seat, or a team where partners play.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

from pitchsim.cards import ACE, HAND_SIZE, JACK, KING, QUEEN, RANKS, SUIT_NAMES, SUITS, TEN, Card, quoted
from pitchsim.errors import InputError

PASS = 0
HIGHEST_BID = 4
FEWEST_PLAYERS, MOST_PLAYERS = 2, 7
PACKET = 3
# R12: what the cards count towards Game, deuce to ace.
TRICK_POINTS = tuple({TEN: 10, JACK: 1, QUEEN: 2, KING: 3, ACE: 4}.get(rank, 0) for rank in range(len(RANKS)))


class Violation(InputError):
    """A rule of play that was broken: `rule` is its number, `where` is `deal`, `call K` or `play K`."""

    def __init__(self, rule: str, why: str, where: str = "deal") -> None:
        """Name the rule, say why, and where in the deal."""
        super().__init__(why)
        self.rule, self.why, self.where = rule, why, where


# The house rules ----------------------------------------------------------------------------------

# Command line and house file -> Rules, for every option that is a choice; the first is the default.
OPTION_VALUES: dict[str, dict[str, Any]] = {
    "steal": {"up-to-3": True, "never": False, "any": "any", "only-4": "only_4"},
    "stuck": {"must-bid": "must_bid", "throw-in-next": "throw_in_next", "throw-in-same": "throw_in_same"},
    "low": {"winner": "trick_winner", "holder": "holder"},
    "game_tie": {"nobody": "nobody", "opponent": "pitchers_opponents"},
    "follow": {"or-trump": "or_trump", "strict": "strict"},
    "winning": {"pitcher": "pitcher_only", "pitcher-made": "pitcher_made", "anyone": "anyone"},
}
# Every option of the command line and the house file -> the field of Rules that it sets.
OPTION_FIELDS = {
    "players": "players",
    "partners": "partners",
    "target": "target",
    "lowest_bid": "lowest_bid",
    "steal": "dealer_may_steal",
    "stuck": "stuck_dealer",
    "low": "low_goes_to",
    "game_tie": "game_tie",
    "follow": "follow",
    "winning": "winning",
    "smudge": "smudge",
    "end_after": "end_after",
}
_CHOICES = {OPTION_FIELDS[option]: tuple(values.values()) for option, values in OPTION_VALUES.items()}


@dataclass(frozen=True)
class Rules:
    """The rules that a table has agreed on; left out, each is the rule of the book.

    Raises InputError for a value of the wrong kind, and its subclass Violation for a number that cannot be.

    >>> Rules(players=5, lowest_bid=2).sides
    5
    """

    players: int = 4
    partners: bool = False
    target: int = 7
    lowest_bid: int = 1
    dealer_may_steal: bool | str = True
    stuck_dealer: str = "must_bid"
    low_goes_to: str = "trick_winner"
    game_tie: str = "nobody"
    follow: str = "or_trump"
    winning: str = "pitcher_only"
    smudge: bool = False
    end_after: int | None = None

    def __post_init__(self) -> None:
        """Check kinds first, then the numbers."""
        for name in ("players", "target", "lowest_bid", "end_after"):
            if name != "end_after" or self.end_after is not None:
                object.__setattr__(self, name, _whole_number(name, getattr(self, name)))
        for name in ("partners", "smudge"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} is true or false, not {quoted(getattr(self, name))}")
        for name, choices in _CHOICES.items():
            _check_choice(name, getattr(self, name), choices)
        self._check_numbers()

    def _check_numbers(self) -> None:
        """Refuse a table, bids and an end that cannot be."""
        if not may_sit_down(self.players, self.partners):
            if self.partners and FEWEST_PLAYERS <= self.players <= MOST_PLAYERS:
                raise Violation("R1", f"partners need exactly 4 players, not {self.players}")
            raise Violation("R1", f"2 to 7 players can play, not {quoted(self.players)}")
        if self.lowest_bid not in (1, 2):
            raise Violation("R4", f"the lowest bid is 1 or 2, not {quoted(self.lowest_bid)}")
        if self.target < 1:
            raise Violation("R17", f"the target is any number from 1, not {quoted(self.target)}")
        if self.end_after is not None and self.end_after < 1:
            raise Violation("R17", f"end_after is any number of deals from 1, not {quoted(self.end_after)}")

    @property
    def sides(self) -> int:
        """Count the sides that have a score: seats, or two teams."""
        return 2 if self.partners else self.players

    def to_dict(self) -> dict[str, Any]:
        """Give every rule by its name in records."""
        return {name: getattr(self, name) for name in RULE_NAMES}

    @classmethod
    def from_dict(cls, named: Mapping[str, Any], ignore_unknown: bool = False) -> "Rules":
        """Read rules by their names in records; what is left out is the default.

        Raises InputError for an unknown name, unless those are to be ignored.
        """
        unknown = [name for name in named if name not in RULE_NAMES]
        if unknown and not ignore_unknown:
            raise InputError(f"there is no rule {quoted(unknown[0])}; the rules are {', '.join(RULE_NAMES)}")
        return cls(**{name: named[name] for name in RULE_NAMES if name in named})


RULE_NAMES = tuple(field.name for field in fields(Rules))


def _whole_number(name: str, value: object) -> int:
    """Take a whole number and nothing else: true is not 1, and 4.0 is not 4."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    raise InputError(f"{name} is a whole number, not {quoted(value)}")


def _check_choice(name: str, value: object, choices: tuple[Any, ...]) -> None:
    """Accept one of the spellings; true is not 1 here either."""
    if not isinstance(value, bool | str) or value not in choices:
        spelled = ", ".join(str(choice).lower() if isinstance(choice, bool) else choice for choice in choices)
        raise InputError(f"{name} is one of {spelled}, not {quoted(value)}")


def describe(rules: Rules) -> list[str]:
    """Say in words what the table has agreed on, one sentence for each rule.

    >>> describe(Rules(lowest_bid=2))[2]
    'Lowest bid: 2.'
    """
    return [
        _TABLES[rules.partners].format(players=rules.players),
        _end_in_words(rules),
        f"Lowest bid: {rules.lowest_bid}.",
        f"Stealing (the dealer bids the same as the highest bid): {_STEALS[rules.dealer_may_steal]}.",
        f"When all others passed, the dealer {_STUCK[rules.stuck_dealer]}.",
        f"Following suit: {_FOLLOW[rules.follow]}.",
        f"Low goes to {_LOW[rules.low_goes_to]}.",
        f"A tie for Game gives the point to {_GAME_TIE[rules.game_tie]}.",
        f"Smudge (a made 4 with all six tricks scores 5): {'on' if rules.smudge else 'off'}.",
    ]


def _end_in_words(rules: Rules) -> str:
    """Say when the game is over, and who has won it."""
    if rules.end_after is not None:
        deals = f"{rules.end_after} deal{'s' * (rules.end_after != 1)}"
        return f"The game is over after {deals}; most points win, and ties share."
    return f"The game is won by {_WINNING[rules.winning]} with {rules.target} or more at the end of a deal."


_TABLES = ("{players} players, each for himself.", "{players} players, two teams of two, partners facing.")
_STEALS = {True: "1, 2 and 3, but not a 4", False: "never", "any": "1 to 4", "only_4": "only a 4"}
_STUCK = {
    "must_bid": "must bid at least 2",
    "throw_in_next": "bids at least 2 or throws the hand in, and the next player deals",
    "throw_in_same": "bids at least 2 or throws the hand in, and deals again",
}
_FOLLOW = {
    "or_trump": "follow the suit led or play a trump",
    "strict": "follow the suit led; trump only when void in it",
}
_LOW = {"trick_winner": "the winner of the trick", "holder": "the player it was dealt to"}
_GAME_TIE = {
    "nobody": "nobody",
    "pitchers_opponents": "the pitcher's opponent, when just those two are tied, else to nobody",
}
_WINNING = {
    "pitcher_only": "the pitcher (set or not)",
    "pitcher_made": "a pitcher who made his bid",
    "anyone": "anyone (the pitcher first, then who won High, Low, Jack, Game in this order)",
}


def rules_from_options(options: Mapping[str, Any]) -> Rules:
    """Make rules from options spelled as on the command line, keys with - or _; None means not given.

    Raises InputError for an option or a value that there is not.

    >>> rules_from_options({"steal": "never", "lowest-bid": 2}).dealer_may_steal
    False
    """
    chosen = _check_option_names(options)
    return Rules(**{OPTION_FIELDS[name]: _option_value(name, value) for name, value in chosen.items()})


def house_rules(path: str | Path) -> dict[str, Any]:
    """Read a house file (TOML; `-` is standard input) into options, keys with _, ready for rules_from_options.

    Raises InputError when the file cannot be read, is not TOML, or has a key or a value that there is not.
    """
    import tomllib

    try:
        content = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
        options = tomllib.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"the house file {quoted(path)} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        why = error if isinstance(error, tomllib.TOMLDecodeError) else "it is no text"
        raise InputError(f"the house file {quoted(path)} is not TOML: {why}") from None
    try:
        chosen = _check_option_names(options)
        rules_from_options(chosen)
    except InputError as error:
        raise InputError(f"in the house file {quoted(path)}: {error}") from None
    return chosen


def _check_option_names(options: Mapping[str, Any]) -> dict[str, Any]:
    """Spell every option with _, and name the nearest one for an option that there is not."""
    chosen: dict[str, Any] = {}
    for key, value in options.items():
        name = str(key).replace("-", "_")
        if name not in OPTION_FIELDS:
            raise InputError(f"there is no house rule {quoted(key)}; {_nearest_option(name)}")
        if name in chosen:
            raise InputError(f"{name.replace('_', '-')} is given twice, with - and with _")
        if value is not None:
            chosen[name] = value
    return chosen


def _nearest_option(name: str) -> str:
    """Guess what was meant."""
    from difflib import get_close_matches

    near = get_close_matches(name, OPTION_FIELDS, n=1, cutoff=0.5)
    if near:
        return f"did you mean {near[0].replace('_', '-')}?"
    return "there are " + ", ".join(option.replace("_", "-") for option in OPTION_FIELDS)


def _option_value(name: str, value: object) -> Any:
    """Translate one value from the command line's spelling to that of Rules."""
    choices = OPTION_VALUES.get(name)
    if choices is None:
        return value
    if not isinstance(value, str) or value not in choices:
        option = name.replace("_", "-")
        raise InputError(f"{option} is one of {', '.join(choices)}, not {quoted(value)}")
    return choices[value]


# R1 to R3: the table, the deck and the deal -------------------------------------------------------


def may_sit_down(players: int, partners: bool = False) -> bool:
    """R1: 2 to 7 can play, each for himself; exactly 4 can also play as two teams of two."""
    return players == 4 if partners else FEWEST_PLAYERS <= players <= MOST_PLAYERS


def full_deck() -> tuple[Card, ...]:
    """R2: The deck has 52 cards, thirteen of each suit from the ace down to the deuce, and no jokers."""
    return tuple(Card(rank, suit) for suit in range(len(SUITS)) for rank in range(len(RANKS)))


def deal_hands(cards_in_order: Sequence[Card], players: int) -> tuple[tuple[Card, ...], ...]:
    """R3: Everybody gets six cards in two packets of three, dealer's left first; the rest is out of play."""
    second_round = PACKET * players
    return tuple(
        tuple(cards_in_order[start : start + PACKET])
        + tuple(cards_in_order[second_round + start : second_round + start + PACKET])
        for start in range(0, second_round, PACKET)
    )


def seat_at(position: int, dealer: int, players: int) -> int:
    """Find the seat at a place in speaking order."""
    return (dealer + 1 + position) % players


def position_of(seat: int, dealer: int, players: int) -> int:
    """Find the place of a seat in speaking order; the dealer's is the last."""
    return (seat - dealer - 1) % players


# R4 to R8: the auction ----------------------------------------------------------------------------


def legal_calls(rules: Rules, position: int, highest: int) -> tuple[int, ...]:
    """R4: A call is a pass, or a bid of 1 to 4 above every bid before it; the dealer may match, see R6.

    The house may set the lowest bid to 2. `highest` is the highest bid so far, 0 for none. Nobody may speak
    after a 4 that ended the auction.
    """
    is_dealer = position == rules.players - 1
    if is_dealer and highest == PASS:
        return stuck_calls(rules)
    if highest and ends_auction(highest, rules):
        return ()
    steal = (highest,) if is_dealer and may_steal(highest, rules) else ()
    return (PASS, *steal, *range(max(highest + 1, rules.lowest_bid), HIGHEST_BID + 1))


def ends_auction(bid: int, rules: Rules) -> bool:
    """R5: A 4 ends the auction, unless the house lets the dealer steal it."""
    return bid == HIGHEST_BID and not may_steal(bid, rules)


def may_steal(bid: int, rules: Rules) -> bool:
    """R6: The dealer may bid the same as the highest bid so far when it is 1, 2 or 3; a 4 cannot be stolen.

    Houses differ: never, a 4 too, or only a 4.
    """
    if rules.dealer_may_steal == "any":
        return 1 <= bid <= HIGHEST_BID
    if rules.dealer_may_steal == "only_4":
        return bid == HIGHEST_BID
    return bool(rules.dealer_may_steal) and 1 <= bid < HIGHEST_BID


def stuck_calls(rules: Rules) -> tuple[int, ...]:
    """R7: When everybody else passed, the dealer must bid 2, 3 or 4; some houses let him pass: a throw-in."""
    return (2, 3, 4) if rules.stuck_dealer == "must_bid" else (PASS, 2, 3, 4)


def check_call(rules: Rules, position: int, highest: int, bid: int, who: str = "the caller") -> None:
    """Refuse a call that is not legal, naming the rule that it breaks.

    Raises Violation of R4, R5, R6 or R7.
    """
    if bid in legal_calls(rules, position, highest):
        return
    if highest and ends_auction(highest, rules):
        raise Violation("R5", f"{who} speaks after a 4 has ended the auction")
    if not PASS <= bid <= HIGHEST_BID:
        raise Violation("R4", f"{who} bids {quoted(bid)}, but a call is pass, 1, 2, 3 or 4")
    if position == rules.players - 1 and highest == PASS:
        raise Violation("R7", f"{who} {_calls(bid)}, but a stuck dealer must bid 2, 3 or 4{_or_throw_in(rules)}")
    if position == rules.players - 1 and bid == highest:
        raise Violation("R6", f"{who} bids {bid} too, but the dealer may not steal a {highest} here")
    if bid < rules.lowest_bid:
        raise Violation("R4", f"{who} bids {bid}, but the lowest bid is {rules.lowest_bid}")
    raise Violation("R4", f"{who} bids {bid}, but must pass or bid higher than the {highest} before")


def _calls(bid: int) -> str:
    """Say a call as a verb."""
    return f"bids {bid}" if bid else "passes"


def _or_throw_in(rules: Rules) -> str:
    """Remind of the throw-in where the house has it."""
    return "" if rules.stuck_dealer == "must_bid" else ", or pass to throw the hand in"


def trump_of(first_card: Card) -> int:
    """R8: The pitcher leads to the first trick; the suit of the card that he leads is trump for all six."""
    return first_card.suit


# R9 and R10: the play -----------------------------------------------------------------------------


def legal_cards(
    hand: Sequence[Card], led_suit: int | None, trump: int | None, strict: bool = False
) -> tuple[Card, ...]:
    """R9: Follow the suit led or play a trump; who cannot follow may play anything, and so may the leader.

    `strict` is the house rule that trumping is for those only who cannot follow.
    """
    following = [card for card in hand if card.suit == led_suit]
    if not following:
        return tuple(hand)
    if strict:
        return tuple(following)
    return tuple([card for card in hand if card.suit in (led_suit, trump)])


def trick_winner(cards_in_order: Sequence[Card], trump: int) -> int:
    """R10: The highest trump wins the trick; with no trump in it, the highest card of the suit led does.

    Answers the place of the winning card in the trick.
    """
    led = cards_in_order[0].suit
    best = max(cards_in_order, key=lambda card: (card.suit == trump, card.suit == led, card.rank))
    return cards_in_order.index(best)


# R11 to R15: the score of a deal ------------------------------------------------------------------


def high_low_jack(
    piles: Sequence[Sequence[Card]], hands: Sequence[Sequence[Card]], trump: int, rules: Rules
) -> tuple[int, int, int | None]:
    """R11: High, Low and Jack go to who took the highest trump, the lowest trump and the jack of trumps.

    `piles` are the cards taken, `hands` the cards dealt, both by seat. The jack is None when nobody was
    dealt it. Some houses give Low to the player it was dealt to.
    """
    taker = {card: seat for seat, pile in enumerate(piles) for card in pile if card.suit == trump}
    holder = {card: seat for seat, hand in enumerate(hands) for card in hand if card.suit == trump}
    low = holder if rules.low_goes_to == "holder" else taker
    return taker[max(taker)], low[min(taker)], taker.get(Card(JACK, trump))


def trick_points(cards: Sequence[Card]) -> int:
    """Count cards towards Game: a ten 10, an ace 4, a king 3, a queen 2, a jack 1."""
    return sum(TRICK_POINTS[card.rank] for card in cards)


def game_point(trick_points_by_side: Sequence[int], pitcher_side: int, rules: Rules) -> int | None:
    """R12: Game goes to the side with more trick points than any other; a tie for most gives it to nobody.

    Some houses give a tie between the pitcher's side and exactly one other to that other.
    """
    most = max(trick_points_by_side)
    best = [side for side, points in enumerate(trick_points_by_side) if points == most]
    if len(best) == 1:
        return best[0]
    if rules.game_tie == "pitchers_opponents" and len(best) == 2 and pitcher_side in best:
        return best[0] if best[1] == pitcher_side else best[1]
    return None


def points_won(high: int | None, low: int | None, jack: int | None, game: int | None, sides: int) -> tuple[int, ...]:
    """R13: High, Low, Jack, Game are a point each to the side that won it; a lone trump is two or three."""
    winners = (high, low, jack, game)
    return tuple(winners.count(side) for side in range(sides))


def score_change(
    points: Sequence[int], pitcher_side: int, bid: int, pitcher_tricks: int, rules: Rules
) -> tuple[int, ...]:
    """R14: The pitcher scores all he won, or minus his bid when that is more (set); others score theirs.

    With smudge, a 4-bidder who makes his 4 and takes all six tricks scores 5; `pitcher_tricks` counts his
    side's.
    """
    made = points[pitcher_side] >= bid
    smudged = rules.smudge and made and bid == HIGHEST_BID and pitcher_tricks == HAND_SIZE
    own = HIGHEST_BID + 1 if smudged else points[pitcher_side] if made else -bid
    return tuple(own if side == pitcher_side else won for side, won in enumerate(points))


def side_of(seat: int, partners: bool = False) -> int:
    """R15: Partners, facing each other, are one side with one pile and one score; else a seat is a side."""
    return seat % 2 if partners else seat


# R16 and R17: the game ----------------------------------------------------------------------------


def next_dealer(dealer: int, rules: Rules, thrown_in: bool = False) -> int:
    """R16: The deal passes to the left; some houses let the same dealer deal again after a throw-in."""
    if thrown_in and rules.stuck_dealer == "throw_in_same":
        return dealer
    return (dealer + 1) % rules.players


def game_winner(
    scores: Sequence[int],
    pitcher_side: int | None,
    made: bool | None,
    point_winners: Sequence[int | None],
    rules: Rules,
    dealer: int | None = None,
) -> int | None:
    """R17: The pitcher's side wins the game with the target or more at the end of the deal, set or not.

    Some houses ask that he made his bid; in others anybody at the target wins: the pitcher first, then the
    sides in `point_winners` (who won High, Low, Jack, Game), then the rest in speaking order after `dealer`.
    `pitcher_side` is None after a throw-in. With a fixed number of deals no single deal can tell.
    """
    if rules.end_after is not None:
        return None
    first = [] if pitcher_side is None else [pitcher_side]
    if rules.winning == "pitcher_made" and not made:
        return None
    if rules.winning == "anyone":
        last = rules.players - 1 if dealer is None else dealer
        speaking = [side_of(seat_at(p, last, rules.players), rules.partners) for p in range(rules.players)]
        first += [side for side in point_winners if side is not None] + speaking
    return next((side for side in first if scores[side] >= rules.target), None)


# A deal, from the first call to the score ----------------------------------------------------------


class Outcome(NamedTuple):
    """How a deal came out; after a throw-in there is no pitcher, and nobody scores."""

    pitcher: int | None
    bid: int | None
    trump: int | None
    trick_winners: tuple[int, ...]
    high_seat: int | None
    low_seat: int | None
    jack_seat: int | None
    game_side: int | None
    trick_points_by_seat: tuple[int, ...]
    points_won: tuple[int, ...]
    made: bool | None
    delta: tuple[int, ...]

    def point_winners(self, rules: Rules) -> tuple[int | None, ...]:
        """Name the sides that won High, Low, Jack and Game, in this order."""
        seats = (self.high_seat, self.low_seat, self.jack_seat)
        return (
            *(None if seat is None else side_of(seat, rules.partners) for seat in seats),
            self.game_side,
        )


class Deal:
    """One deal at the table, walked step by step: calls, then cards; it refuses what is not legal.

    `hands` are the cards dealt, by seat. Read `pitcher`, `bid`, `trump`, `thrown_in`, `trick` (the cards on
    the table), `trick_winners`, `piles`, `held` (the cards still held) at any time.

    Raises Violation of R1, R2 or R3 for a table or hands that cannot be.

    >>> cards = full_deck()
    >>> deal = Deal(Rules(players=2), 0, [cards[:6], cards[6:12]])
    >>> deal.call(1, 3)
    >>> deal.call(0, 0)
    >>> deal.play(1, cards[11])
    >>> deal.to_play, SUITS[deal.trump]
    (0, 'S')
    """

    def __init__(self, rules: Rules, dealer: int, hands: Sequence[Sequence[Card]]) -> None:
        """Seat the players, and give out the cards."""
        _check_deal(rules, dealer, hands)
        self.rules = rules
        self.dealer = dealer
        self.hands = tuple(tuple(hand) for hand in hands)
        self.held = [list(hand) for hand in hands]
        self.calls: list[int] = []
        self.bid = PASS
        self.bidder: int | None = None
        self.pitched: Card | None = None
        # Whose turn it is: to_speak until the auction is over, then to_play until the deal is; else None.
        self.to_speak: int | None = seat_at(0, dealer, rules.players)
        self.to_play: int | None = None
        self.trump: int | None = None
        self.trick: list[Card] = []
        self.cards_played = 0
        self.trick_winners: list[int] = []
        self.piles: list[list[Card]] = [[] for _ in hands]

    @property
    def auction_over(self) -> bool:
        """Tell whether nobody may speak any more."""
        return self.to_speak is None

    @property
    def over(self) -> bool:
        """Tell whether the deal is thrown in or played to the end."""
        return self.to_speak is None and self.to_play is None

    @property
    def pitcher(self) -> int | None:
        """Name the pitcher, once the auction is over."""
        return self.bidder if self.auction_over else None

    @property
    def thrown_in(self) -> bool:
        """Tell whether everybody passed, and the dealer threw the hand in."""
        return self.auction_over and self.bidder is None

    def legal_calls(self) -> tuple[int, ...]:
        """Name the calls that the next seat may make."""
        return () if self.auction_over else legal_calls(self.rules, len(self.calls), self.bid)

    def legal_cards(self) -> tuple[Card, ...]:
        """Name the cards that the next seat may play; a pitched card is the first lead."""
        seat = self.to_play
        if seat is None:
            return ()
        if self.pitched is not None and not self.cards_played:
            return (self.pitched,)
        led = self.trick[0].suit if self.trick else None
        return legal_cards(self.held[seat], led, self.trump, self.rules.follow == "strict")

    def call(self, seat: int, bid: int, pitched: Card | None = None) -> None:
        """Let a seat speak: 0 passes; a 4 may come with the card that is pitched.

        Raises Violation of R4, R5, R6 or R7, and nothing has changed then.
        """
        try:
            self._check_speaker(seat)
            check_call(self.rules, len(self.calls), self.bid, bid, f"seat {seat}")
            self._check_pitched(seat, bid, pitched)
        except Violation as broken:
            broken.where = f"call {len(self.calls)}"
            raise
        self.calls.append(bid)
        if bid:  # A legal bid beats or steals the one before; a stolen pitch goes back to the hand.
            self.bid, self.bidder, self.pitched = bid, seat, pitched
        if len(self.calls) == self.rules.players or ends_auction(bid, self.rules):
            self.to_speak, self.to_play = None, self.bidder
        else:
            self.to_speak = seat_at(len(self.calls), self.dealer, self.rules.players)

    def play(self, seat: int, card: Card) -> None:
        """Let a seat play a card.

        Raises Violation of R5, R7, R8, R9 or R10, and nothing has changed then.
        """
        try:
            self._check_player(seat)
            self._check_card(seat, card)
        except Violation as broken:
            broken.where = f"play {self.cards_played}"
            raise
        if self.trump is None:
            self.trump = trump_of(card)
        self.held[seat].remove(card)
        self.trick.append(card)
        self.cards_played += 1
        self.to_play = (seat + 1) % self.rules.players
        if len(self.trick) == self.rules.players:
            self._take_trick(self.to_play, self.trump)

    def outcome(self) -> Outcome:
        """Score the deal (R11 to R15).

        Raises InputError while it is not over.
        """
        rules, pitcher = self.rules, self.bidder
        if not self.over:
            raise InputError("the deal is not over; it is scored after six tricks or a throw-in")
        if pitcher is None or self.trump is None:
            nothing = (0,) * rules.sides
            return Outcome(None, None, None, (), None, None, None, None, (0,) * rules.players, nothing, None, nothing)
        high, low, jack = high_low_jack(self.piles, self.hands, self.trump, rules)
        side = [side_of(seat, rules.partners) for seat in range(rules.players)]
        by_seat = tuple(trick_points(pile) for pile in self.piles)
        by_side = [sum(p for seat, p in enumerate(by_seat) if side[seat] == s) for s in range(rules.sides)]
        game = game_point(by_side, side[pitcher], rules)
        points = points_won(side[high], side[low], None if jack is None else side[jack], game, rules.sides)
        tricks = sum(side[winner] == side[pitcher] for winner in self.trick_winners)
        delta = score_change(points, side[pitcher], self.bid, tricks, rules)
        made = points[side[pitcher]] >= self.bid
        return Outcome(
            pitcher,
            self.bid,
            self.trump,
            tuple(self.trick_winners),
            high,
            low,
            jack,
            game,
            by_seat,
            points,
            made,
            delta,
        )

    def _take_trick(self, leader: int, trump: int) -> None:
        """Give the trick to its winner, who leads to the next."""
        winner = (leader + trick_winner(self.trick, trump)) % self.rules.players
        self.trick_winners.append(winner)
        self.piles[winner] += self.trick
        self.trick = []
        self.to_play = winner if len(self.trick_winners) < HAND_SIZE else None

    def _check_speaker(self, seat: int) -> None:
        """Refuse a call out of turn."""
        if self.auction_over and ends_auction(self.bid, self.rules):
            raise Violation("R5", f"seat {quoted(seat)} speaks after a 4 has ended the auction")
        if self.auction_over:
            raise Violation("R4", f"seat {quoted(seat)} speaks, but everybody has spoken once")
        if seat != self.to_speak:
            raise Violation("R4", f"seat {quoted(seat)} speaks, but it is the turn of seat {self.to_speak}")

    def _check_pitched(self, seat: int, bid: int, pitched: Card | None) -> None:
        """Refuse a pitched card with another bid than 4, or one that the bidder does not hold."""
        if pitched is None:
            return
        if bid != HIGHEST_BID:
            raise Violation("R5", f"seat {seat} pitches {pitched}, but only a bid of 4 is pitched")
        if pitched not in self.held[seat]:
            raise Violation("R5", f"seat {seat} pitches {pitched}, but does not hold it")

    def _check_player(self, seat: int) -> None:
        """Refuse a card out of turn."""
        if seat == self.to_play:
            return
        if self.thrown_in:
            raise Violation("R7", f"seat {quoted(seat)} plays a card, but the hand was thrown in")
        if not self.auction_over:
            raise Violation("R8", f"seat {quoted(seat)} plays a card before the auction is over")
        if self.over:
            raise Violation("R8", f"seat {quoted(seat)} plays a card, but the six tricks are over")
        if not self.cards_played:
            raise Violation("R8", f"seat {quoted(seat)} leads first, but seat {self.to_play} is the pitcher")
        raise Violation("R10", f"seat {quoted(seat)} plays a card, but it is the turn of seat {self.to_play}")

    def _check_card(self, seat: int, card: Card) -> None:
        """Refuse a card that the seat does not hold, or may not play now."""
        if card in self.legal_cards():
            return
        if card not in self.held[seat]:
            raise Violation("R9", f"seat {seat} does not hold {card}")
        if not self.trick:
            raise Violation("R5", f"seat {seat} pitched {self.pitched}, which is the first lead, not {card}")
        led = self.trick[0].suit
        may_trump = led != self.trump and self.rules.follow != "strict"
        must = "must follow or trump" if may_trump else "must follow"
        raise Violation("R9", f"seat {seat} holds a {SUIT_NAMES[led][:-1]} and {must}")


def check_table(rules: Rules, dealer: int, hands: int) -> None:
    """Refuse a number of hands other than the players', and a dealer who does not sit at the table.

    Raises Violation of R1.
    """
    if hands != rules.players:
        raise Violation("R1", f"{hands} hands for {rules.players} players; everybody gets one")
    if not 0 <= dealer < rules.players:
        raise Violation("R1", f"the dealer is seat {quoted(dealer)}; seats are 0 to {rules.players - 1}")


def _check_deal(rules: Rules, dealer: int, hands: Sequence[Sequence[Card]]) -> None:
    """Refuse a dealer who is not at the table, and hands that were not dealt from a deck."""
    check_table(rules, dealer, len(hands))
    dealt = [card for hand in hands for card in hand]
    if len(set(dealt)) < len(dealt):
        twice = next(card for place, card in enumerate(dealt) if card in dealt[:place])
        raise Violation("R2", f"{twice} is dealt twice; a deck has it once")
    for seat, hand in enumerate(hands):
        if len(hand) != HAND_SIZE:
            raise Violation("R3", f"seat {seat} has {len(hand)} cards; a hand has six")


# A game, deal by deal ------------------------------------------------------------------------------


def settle(
    outcome: Outcome, scores_before: Sequence[int], rules: Rules, dealer: int
) -> tuple[tuple[int, ...], int | None]:
    """Add the score change of a deal to the scores, and name the side that has won the game with it."""
    scores = tuple(before + change for before, change in zip(scores_before, outcome.delta, strict=True))
    side = None if outcome.pitcher is None else side_of(outcome.pitcher, rules.partners)
    return scores, game_winner(scores, side, outcome.made, outcome.point_winners(rules), rules, dealer)


class Game:
    """A whole game: the scores, whose deal it is, and who has won.

    `winners` is empty until the game is over; ties share a game of a fixed number of deals. `deals` counts
    the deals so far, without those that the same dealer deals again after a throw-in.
    """

    def __init__(self, rules: Rules, dealer: int = 0, scores: Sequence[int] | None = None) -> None:
        """Begin with nothing, or go on from a score."""
        self.rules = rules
        self.dealer = dealer
        self.scores = tuple(scores) if scores is not None else (0,) * rules.sides
        self.deals = 0
        self.winners: tuple[int, ...] = ()
        if len(self.scores) != rules.sides:
            raise InputError(f"{len(self.scores)} scores given; there are {rules.sides} sides")

    @property
    def over(self) -> bool:
        """Tell whether somebody has won."""
        return bool(self.winners)

    def deal(self, hands: Sequence[Sequence[Card]]) -> Deal:
        """Give out the next hands, by seat."""
        return Deal(self.rules, self.dealer, hands)

    def add(self, outcome: Outcome) -> None:
        """Write a deal down, see who has won, and pass the deal on.

        Raises InputError when the game is over already.
        """
        if self.over:
            raise InputError("the game is over; begin a new one")
        thrown_in = outcome.pitcher is None
        dealer_again = thrown_in and next_dealer(self.dealer, self.rules, thrown_in) == self.dealer
        self.scores, winner = settle(outcome, self.scores, self.rules, self.dealer)
        self.deals += not dealer_again
        if winner is not None:
            self.winners = (winner,)
        elif self.deals == self.rules.end_after:
            best = max(self.scores)
            self.winners = tuple(side for side, score in enumerate(self.scores) if score == best)
        self.dealer = next_dealer(self.dealer, self.rules, thrown_in)
