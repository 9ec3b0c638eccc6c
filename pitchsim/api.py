"""The questions as Python functions: each checks what it is asked, then calls the room that answers.

House rules are keywords in the spelling of `Rules` (`players=5, lowest_bid=2`), or one `rules=Rules(...)`.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pitchsim import holdings, question
from pitchsim.cards import Card, parse_six
from pitchsim.counting import Odds
from pitchsim.counting import odds as count_odds
from pitchsim.errors import InputError
from pitchsim.report import PACKED_SUFFIX, SHIPPED, check_book_path, check_out_path
from pitchsim.rules import RULE_NAMES, Rules

if TYPE_CHECKING:
    from pitchsim.advice import Advice
    from pitchsim.book.advice import BookAdvice
    from pitchsim.book.answers import BookCheck, BookCost, BookStatus, HandInBook
    from pitchsim.book.recipe import Recipe
    from pitchsim.matching import Match
    from pitchsim.players import PlayersStudy
    from pitchsim.simulation import Simulation

DEFAULT_PLAY, DEFAULT_BIDDING = "expert", "equilibrium"

Names = str | Iterable[str] | None


def advise(
    hand: str | Iterable[str | Card],
    players: int | None = None,
    auction: str | Iterable[str | int] = (),
    *,
    rules: Rules | None = None,
    seat: str | int | None = None,
    scores: str | Iterable[int] | None = None,
    objective: str = "score",
    play: Names = None,
    bidding: Names = None,
    others: str | None = None,
    deals: float | None = None,
    precision: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    error_chance: float = 0.01,
    progress: bool = False,
    engine: str = "auto",
    book: str | Path | bool | None = None,
    **house: Any,
) -> "Advice | BookAdvice":
    """Tell what to call with this hand in this seat after this auction, and what to pitch.

    With a `book` of hands the answer is there at once, no deal is played, and the rules are those of the book when none
    are given; `book=True` is one's own book for these rules, else the one that comes with the program ("shipped").
    Raises InputError for a question that makes no sense.
    """
    table = _table(rules, players, house)
    if book is not None and book is not False:
        simulated = {"play": play, "others": others, "deals": deals, "precision": precision}
        simulated |= {"objective": None if objective == "score" else objective, "seed": None if seed == 1 else seed}
        simulated |= {"error_chance": None if error_chance == 0.01 else error_chance}
        simulated |= {"engine": None if engine == "auto" else engine}
        given = _table_if_given(rules, players, house)
        return _advice_from(book, hand, given, (auction, seat, scores), bidding, simulated)
    asked = question.ask(hand, table, auction, seat, scores)
    names = _policies(play, bidding, 2)
    _check_others(others, names)
    how: dict[str, Any] = {
        "objective": question.read_objective(objective),
        "deals": None if deals is None else question.read_deals(deals),
        "precision": None if precision is None else question.read_precision(precision),
        "seed": question.read_seed(seed),
        "threads": None if threads is None else question.read_threads(threads),
        "error_chance": question.read_chance(error_chance),
        "engine": question.read_engine(engine),
    }
    from pitchsim import advice

    nothing_said = seat is None and not asked.calls
    return advice.advise(
        asked.hand,
        table,
        auction=asked.calls,
        seat=None if nothing_said else asked.seat,
        scores=asked.scores,
        others=others,
        progress=progress,
        **names,
        **how,
    )


def _advice_from(
    book: str | Path | bool,
    hand: str | Iterable[str | Card],
    rules: Rules | None,
    situation: tuple[Any, Any, Any],
    bidding: Names,
    simulated: dict[str, Any],
) -> "BookAdvice":
    """Answer from a book; what only a simulation can heed is refused."""
    for name, value in simulated.items():
        if value is not None:
            other = "; pitchsim book build --play NAME makes a book by another policy" if name == "play" else ""
            raise InputError(
                f"nothing is simulated with a book, so it cannot heed {name}; leave out one of the two{other}"
            )
    name = _one_name(DEFAULT_BIDDING if bidding is None else bidding, "bidding")
    place, cards = _book_place(book, rules or Rules()), parse_six(hand)
    from pitchsim.book.advice import advise_from
    from pitchsim.book.shelf import rules_of

    table = rules_of(place, rules)
    asked = question.ask(cards, table, *situation)
    nothing_said = situation[1] is None and not asked.calls
    return advise_from(
        place, asked.hand, table, asked.calls, None if nothing_said else asked.seat, asked.scores, name
    )  # fmt: skip


def build_book(
    book: str | Path | None = None,
    players: int | None = None,
    *,
    rules: Rules | None = None,
    every: int = 1,
    precision: float | None = None,
    deals: float | None = None,
    play: Names = None,
    seed: int = 1,
    shard: int = question.SHARD,
    threads: int | None = None,
    engine: str = "auto",
    scheduler: str | None = None,
    progress: bool = False,
    **house: Any,
) -> "BookStatus":
    """Make the book of hands, or one class in `every`, or go on with one that was begun; to .01 points as a rule.

    `scheduler` is the address of a Dask cluster whose workers do it. Raises InputError for what makes no sense and for
    another book at this place, RunError when it cannot go on: what is done is kept.
    """
    table = _table(rules, players, house)
    recipe = _recipe(table, every, precision, deals, play, seed, shard)
    checked_threads = None if threads is None else question.read_threads(threads)
    checked_engine = question.read_engine(engine)
    address = None if scheduler is None else question.read_scheduler(scheduler)
    place = check_out_path(_new_book_place(book, table, room=True))
    if address is not None:
        from pitchsim.book.cluster import check_dask

        check_dask()
    from pitchsim.book import making

    return making.build(recipe, place, checked_threads, address, progress, checked_engine)


def cost_of_book(
    book: str | Path | None = None,
    players: int | None = None,
    *,
    rules: Rules | None = None,
    every: int = 1,
    precision: float | None = None,
    deals: float | None = None,
    play: Names = None,
    seed: int = 1,
    shard: int = question.SHARD,
    threads: int | None = None,
    engine: str = "auto",
    scheduler: str | None = None,
    **house: Any,
) -> "BookCost":
    """Tell what `build_book` with the same arguments would cost, measured on some hands; nothing is written.

    Raises InputError for what makes no sense.
    """
    table = _table(rules, players, house)
    recipe = _recipe(table, every, precision, deals, play, seed, shard)
    checked_threads, checked_engine = (
        None if threads is None else question.read_threads(threads),
        question.read_engine(engine),
    )
    if scheduler is not None:
        question.read_scheduler(scheduler)
    from pitchsim.book import making

    return making.dry_run(recipe, checked_threads, checked_engine)


def book_status(
    book: str | Path | None = None, players: int | None = None, *, rules: Rules | None = None, **house: Any
) -> "BookStatus":
    """Tell how far a book is.

    Raises InputError where there is none, and for rules that are not the book's.
    """
    place = _book_place(book, _table(rules, players, house))
    from pitchsim.book import answers as room

    return room.status(place, _table_if_given(rules, players, house))


def look_up(
    hand: str | Iterable[str | Card],
    book: str | Path | None = None,
    players: int | None = None,
    *,
    rules: Rules | None = None,
    bidding: Names = None,
    **house: Any,
) -> "HandInBook":
    """Tell what a book says of a hand, in the suits of that hand, and what the bidding policy calls with it.

    Raises InputError for a hand that is not in the book, and for rules that are not the book's.
    """
    table = _table(rules, players, house)
    cards = parse_six(hand)
    name = _one_name(DEFAULT_BIDDING if bidding is None else bidding, "bidding")
    place = _book_place(book, table)
    from pitchsim.book import answers as room

    return room.show(place, cards, _table_if_given(rules, players, house), name)


def verify_book(
    book: str | Path | None = None,
    players: int | None = None,
    *,
    rules: Rules | None = None,
    sample: int = 20,
    seed: int = 1,
    threads: int | None = None,
    progress: bool = False,
    **house: Any,
) -> "BookCheck":
    """Play some hands of a book anew, and compare.

    Raises InputError where there is no book, and for rules that are not the book's, RunError when it is damaged or a
    hand does not come out the same.
    """
    place = _book_place(book, _table(rules, players, house))
    number, checked_seed = question.read_sample(sample), question.read_seed(seed)
    checked_threads = None if threads is None else question.read_threads(threads)
    from pitchsim.book import making

    given = _table_if_given(rules, players, house)
    return making.verify(place, number, checked_seed, checked_threads, progress, given)


def pack_book(
    book: str | Path | None = None,
    out: str | Path | None = None,
    players: int | None = None,
    *,
    rules: Rules | None = None,
    **house: Any,
) -> "BookStatus":
    """Write a finished book small, a byte for each figure; without `out` beside it.

    Raises InputError where there is no book, and for rules that are not its, RunError when it is damaged or the disk
    refuses.
    """
    place = _new_book_place(book, _table(rules, players, house))
    target = check_book_path(place.with_suffix(PACKED_SUFFIX) if out is None else out, (PACKED_SUFFIX,))
    check_out_path(target, ())
    from pitchsim.book import making

    return making.pack(place, target, _table_if_given(rules, players, house))


def _new_book_place(book: str | Path | None, rules: Rules, room: bool = False) -> Path:
    """Where a book that is no packed one is, or is to be."""
    from pitchsim.book.pages import check_pyarrow

    check_pyarrow()
    if book is not None:
        return check_book_path(book, (".parquet",))
    from pitchsim.book.shelf import usual_place

    return usual_place(rules, room)


def _book_place(book: str | Path | bool | None, rules: Rules) -> Path:
    """Where a book is that is asked; one's own, or the shipped one, when nobody says which."""
    from pitchsim.book.shelf import is_packed, place_for, shipped_place

    if book is None or isinstance(book, bool) or book == SHIPPED:
        place = shipped_place(rules) if book == SHIPPED else place_for(rules)
    else:
        place = check_book_path(book)
    if not is_packed(place):
        from pitchsim.book.pages import check_pyarrow

        check_pyarrow()
    return place


def _recipe(rules: Rules, every: Any, precision: Any, deals: Any, play: Names, seed: Any, shard: Any) -> "Recipe":
    """What a book is made from."""
    if precision is not None and deals is not None:
        raise InputError("a precision and a number of deals both say how long each hand is played; give one of them")
    how = (
        None if precision is None else question.read_book_precision(precision),
        None if deals is None else question.read_book_deals(deals),
        question.read_seed(seed), question.read_every(every), question.read_shard(shard),
    )  # fmt: skip
    name = _one_name(DEFAULT_PLAY if play is None else play, "play")
    from pitchsim.book.recipe import recipe_of

    return recipe_of(rules, name, *how)


def _one_name(names: str | Iterable[str], what: str) -> str:
    """Read the name of the one policy that everybody has."""
    several = question.read_names(names)
    question.check_names(several, 1, what)
    return several[0]


def odds(
    hand: str | Iterable[str | Card],
    players: int | None = None,
    trump: str | None = None,
    *,
    rules: Rules | None = None,
    **house: Any,
) -> Odds:
    """Count the exact chances of a hand, for every suit held or for one trump suit.

    Raises InputError for what is not six cards, and for a trump suit that the hand does not hold.

    >>> round(odds("KS 9S 4H 3H 8D 7C").suits[0].high, 4)
    0.6087
    """
    return count_odds(hand, _table(rules, players, house).players, trump)


def simulate(
    players: int | None = None,
    deals: float | None = None,
    *,
    rules: Rules | None = None,
    play: Names = None,
    bidding: Names = None,
    precision: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    engine: str = "auto",
    progress: bool = False,
    first: int = 0,
    **house: Any,
) -> "Simulation":
    """Deal and play so many deals, and tell what happened.

    Without `deals`, 100,000; with `precision` until the standard error of every seat's score change is below it,
    and `deals` are the most. Raises InputError for a question that makes no sense, RunError when a policy fails.
    """
    table = _table(rules, players, house)
    names = _policies(play, bidding, table.players)
    fine = None if precision is None else question.read_precision(precision)
    most = None if deals is None else question.read_deals(deals)
    checked_seed = question.read_seed(seed)
    checked_threads = None if threads is None else question.read_threads(threads)
    begin, checked_engine = question.read_first(first), question.read_engine(engine)
    from pitchsim import simulation

    return simulation.simulate(
        table,
        **names,
        deals=most,
        precision=fine,
        seed=checked_seed,
        threads=checked_threads,
        progress=progress,
        first=begin,
        engine=checked_engine,
    )


def match(
    *names: str | Iterable[str],
    players: int | None = None,
    rules: Rules | None = None,
    deals: float | None = None,
    games: float | None = None,
    precision: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    engine: str = "auto",
    progress: bool = False,
    out: str | Path | None = None,
    **house: Any,
) -> "Match":
    """Let policies play each other: PLAY or PLAY/BIDDING, as many as players, or one against another at all seats.

    Without `deals`, 100,000 (400 with `search`); `games` are whole games beside them. With `precision` until no
    standard error of a score change or difference reaches it. A long run that writes a file `out` goes on where it
    was interrupted. Raises InputError for a question that makes no sense, RunError when a policy fails.
    """
    table = _table(rules, players, house)
    how: dict[str, Any] = {
        "deals": None if deals is None else question.read_deals(deals),
        "games": 0 if games is None else question.read_games(games),
        "precision": None if precision is None else question.read_precision(precision),
        "seed": question.read_seed(seed),
        "threads": None if threads is None else question.read_threads(threads),
        "engine": question.read_engine(engine),
        "out": None if out is None else check_out_path(out),
    }
    from pitchsim import matching

    each = [name for given in names for name in ([given] if isinstance(given, str) else given)]
    return matching.match(table, each, DEFAULT_BIDDING, progress=progress, **how)


def players_study(
    hand: str | Iterable[str | Card] | None = None,
    deals: float | None = None,
    *,
    rules: Rules | None = None,
    play: str | None = None,
    bidding: str | None = None,
    precision: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    engine: str = "auto",
    progress: bool = False,
    **house: Any,
) -> "PlayersStudy":
    """Compare 2, 3, ... 7 players under the same house rules, and tell what a hand is worth at each table.

    Without `deals`, 200,000 for each number of players; with `precision` until the standard error of every seat's score
    change is below it. How many play by `rules` does not matter. Raises InputError for a question that makes no sense,
    RunError when a policy fails.
    """
    question.check_players_open(house.pop("players", None))
    table = _table(rules, None, house)
    question.check_solo(table)
    how: dict[str, Any] = {
        "play": question.read_name(DEFAULT_PLAY if play is None else play, "play"),
        "bidding": question.read_name(DEFAULT_BIDDING if bidding is None else bidding, "bidding"),
        "hand": None if hand is None else parse_six(hand),
        "deals": None if deals is None else question.read_deals(deals),
        "precision": None if precision is None else question.read_precision(precision),
        "seed": question.read_seed(seed),
        "threads": None if threads is None else question.read_threads(threads),
        "engine": question.read_engine(engine),
    }
    from pitchsim import players

    return players.players_study(table, progress=progress, **how)


def bid_table(
    players: int | None = None,
    holding: str | None = None,
    *,
    rules: Rules | None = None,
    x: str | None = None,
    side: str | None = None,
    leads: bool = False,
    sort: str | None = None,
    top: int | None = None,
    play: Names = None,
    bidding: Names = None,
    others: str | None = None,
    deals: float | None = None,
    precision: float | None = None,
    quick: bool = False,
    pass_value: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    engine: str = "auto",
    progress: bool = False,
    out: str | Path | None = None,
    card_box: bool = False,
    **house: Any,
) -> Any:
    """Tell what every trump holding is worth, or those like `A J x`, and what to bid with them.

    `x` is the highest rank that an x stands for, `side` some side cards as in `A/10`; `leads` compares every card to
    pitch. The answer is a `BidTable`, or with `card_box` its page, a `CardBox`. A long run that writes a file `out`
    goes on where it was interrupted. Raises InputError for a question that makes no sense.
    """
    table = _table(rules, players, house)
    line = holdings.TOP_X if x is None else holdings.read_line(x)
    if holding is not None:
        holdings.read_holding(holding, line)
    names = _policies(play, bidding, 2)
    _check_others(others, names)
    part = {"holding": holding, "x": x, "side": side, "leads": leads or None, "sort": sort, "top": top}
    given = [name for name, value in part.items() if value is not None]
    if card_box and given:
        raise InputError(f"the card box is made of the whole table; leave out {given[0]}")
    if quick and (precision is not None or deals is not None):
        raise InputError("quick is a precision of its own; give it, or deals, or a precision")
    most = None if deals is None else question.read_deals(deals)
    fine = None if precision is None else question.read_precision(precision)
    how: dict[str, Any] = {
        "pass_value": question.read_points(holdings.PASS_VALUE if pass_value is None else pass_value),
        "seed": question.read_seed(seed),
        "threads": None if threads is None else question.read_threads(threads),
        "engine": question.read_engine(engine),
        "out": None if out is None else check_out_path(out),
        "side": () if side is None else holdings.read_side(side),
    }
    count = None if top is None else question.read_count(top)
    from pitchsim import bidtable, leading

    usual = bidtable.QUICK_PRECISION if quick else bidtable.PRECISION
    aim = leading.Aim(usual if fine is None and most is None else fine, most, compare_all=leads)
    shown = bidtable.Shown(holding, line, None if sort is None else str(sort).lower(), count, leads)
    return bidtable.bid_table(
        table, **names, others=others, shown=shown, aim=aim, progress=progress, card_box=card_box, **how
    )


def write_records(
    file: IO[str],
    players: int | None = None,
    deals: float = question.DEFAULT_DEALS,
    *,
    rules: Rules | None = None,
    play: Names = None,
    bidding: Names = None,
    seed: int = 1,
    progress: bool = False,
    first: int = 0,
    **house: Any,
) -> None:
    """Write down the deals that `simulate` plays with this seed, one JSON line each.

    Raises InputError for a question that makes no sense, RunError when a policy or the disk fails.
    """
    table = _table(rules, players, house)
    names = _policies(play, bidding, table.players)
    number, checked_seed, begin = question.read_deals(deals), question.read_seed(seed), question.read_first(first)
    from pitchsim import simulation

    simulation.write_records(table, **names, deals=number, seed=checked_seed, file=file, progress=progress, first=begin)


def _table(rules: Rules | None, players: int | None, house: Mapping[str, Any]) -> Rules:
    """Put together what the table has agreed on."""
    unknown = [name for name in house if name not in RULE_NAMES]
    if unknown:
        raise TypeError(f"there is no option and no house rule {unknown[0]!r}; the rules are {', '.join(RULE_NAMES)}")
    if rules is None:
        return Rules(**(dict(house) if players is None else {"players": players, **house}))
    if house or players not in (None, rules.players):
        raise InputError("the house rules are given twice; put all of them into rules, or give each by its name")
    return rules


def _table_if_given(rules: Rules | None, players: int | None, house: Mapping[str, Any]) -> Rules | None:
    """What the table has agreed on; None when nobody has said anything about it."""
    return None if rules is None and players is None and not house else _table(rules, players, house)


def _check_others(others: str | None, names: Mapping[str, Sequence[str]]) -> None:
    """Check how everybody else is said to play and bid."""
    if others is None:
        return
    question.read_pair(others)
    if any(len(several) > 1 for several in names.values()):
        raise InputError("others and a second name both say how the defenders play; give one of them")


def _policies(play: Names, bidding: Names, allowed: int) -> dict[str, Any]:
    """Read the names of the policies: one for all, or as many as there are roles or seats."""
    names = {
        "play": question.read_names(DEFAULT_PLAY if play is None else play),
        "bidding": question.read_names(DEFAULT_BIDDING if bidding is None else bidding),
    }
    for what, several in names.items():
        question.check_names(several, allowed, what)
    return names
