"""How should each card be liked, and what should be pitched? Fits the play policy `expert`.

Makes `pitchsim/data/expert-N.json` (N: 2 to 7 players, and partners), the tables of likings, and
`pitchsim/data/holdings.npz`: for each table and for Low to the winner and the holder, what every holding of one to
six trumps scores as pitcher of a bid of 1, 2, 3, 4, and which of its ranks is best pitched. Run it with
`python scripts/fit_expert.py`, or with `--only 4` for one table; the same files come out on any number of threads.

The fit is an ascent. Deals are dealt, called and played; at every second choice or so each legal card is played out by
the policy as it is so far, with the cards as they lie. What a card brings (own score change minus OTHERS times the
mean of the others) pulls its numbers up or down, in proportion to how likely a player is to choose it who prefers
the liked cards only mildly (softmax). So the true hidden cards take the place of guesses: over many deals they are
dealt exactly as often as they ought to be. In half of the deals some seats are taken by weaker players, so that the
fit knows their company too.

Openings: each holding is dealt with side cards at random, and every rank of it is pitched on the same deals.
"""

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from random import Random

import numpy as np
from tqdm import tqdm

import pitchsim
from pitchsim.auction import NOBODY, hold_auction
from pitchsim.bidding.thresholds import HIGHEST_BID, HOLDINGS, NEVER, THOUSANDTHS, table_name
from pitchsim.deck import (
    ALL_CARDS,
    HAND_SIZE,
    LANE_BITS,
    deal_hands,
    packed_deck,
    side_mask,
    side_of,
    turned_card,
)
from pitchsim.engine import LEAD_COLUMNS, NUMBERS, TABLE, changes_of, laid_out, new_desk
from pitchsim.house import HOUSE
from pitchsim.jit import address_from, borrowed, float64, inlined, int64, kernel, lowest, types, uint64
from pitchsim.leading import Aim, Leader, Pitched
from pitchsim.log import LENGTH, PITCHER, PLAYS, PUBLIC, new_log
from pitchsim.play import NOTES, legal_cards, pitch, trump_of, turn_hands
from pitchsim.policies import expert
from pitchsim.policies.expert import LIKINGS, MOST_LIKING, NUMBERS_A_CARD, OPENINGS, places_of, situation_of
from pitchsim.policies.sound import opening as opening_of_sound
from pitchsim.policies.sound import trump_worth
from pitchsim.position import ask, beginning, play_on, put
from pitchsim.rules import Rules
from pitchsim.scoring import game_point, high_low_jack, sides_of
from pitchsim.seating import Keys, Seating, seat_players
from pitchsim.storage import whole_file
from pitchsim.stream import chance, luck_of
from pitchsim.view import View, facts_of

SEED = 2026
OTHERS = 0.3
"""How much the mean of the others' score changes counts against one's own."""
CHUNKS = 8
"""A step is done in so many parts, whatever the number of threads, and these are added up in order."""
CHOICES = 300_000
"""Choices a step, about."""
CHOICES_PER_DEAL = {2: 4.1, 3: 7.6, 4: 11.2, 5: 14.5, 6: 17.6, 7: 20.5}
STEPS = (40, 120)
"""Steps with the openings of `sound`, then with the fitted ones."""
RATES = (0.25, 0.15)
"""How far a number moves at a step, at first; it falls to nothing."""
SLOW, SLOWER = 0.9, 0.98
"""How long the ascent remembers directions and their sizes (Adam: Kingma, Ba, 2015)."""
FINENESS = 16
"""Whole numbers to one unit of softmax, where the sum of the largest then fits into a byte; else fewer."""
WEAKER = ("greedy", "sound")
LINES = 8
"""Line-ups at the table; in half of them some seats are taken by weaker players."""
DEALS_BY_LENGTH = {1: 48_000, 2: 48_000, 3: 48_000, 4: 16_000, 5: 4_000, 6: 1_600}
"""Deals a holding."""
ROUGH = 16
"""Between the ascents one in so many of these deals is enough."""
LEAD_FOR = np.array([0.0, 0.7, 0.3, 0.0])
"""The card to lead is the one that scores most as pitcher of a 2, mostly, and of a 3."""
BIDS = np.arange(1, HIGHEST_BID + 1)
FOLDER = Path(pitchsim.__file__).parent / "data"
TABLES = [*(Rules(players=players) for players in range(2, 8)), Rules(partners=True)]
FLOATS = types.float64[::1]
CHOICE_LUCK, LINE_LUCK = 100, 101
HANDS_COPY, PILES_COPY, LOG_COPY, COPIES = range(4)


# One step of the ascent ------------------------------------------------------------------------------


@inlined
def worth_to(side, pitchers_side, bid, high, low, jack, game, tricks, house):
    """What a deal is worth to a side: its own score change minus OTHERS times the mean of the others."""
    own = float64(0.0)
    rest = float64(0.0)
    for other in range(sides_of(house)):
        change = changes_of(int64(other), pitchers_side, bid, high, low, jack, game, tricks, house)
        if other == side:
            own = float64(change)
        else:
            rest += change
    return own - OTHERS * rest / (sides_of(house) - 1)


@kernel(
    types.void(
        TABLE, int64, FLOATS, NUMBERS, NUMBERS, HOUSE, NUMBERS, uint64, uint64, int64, int64, int64,
        FLOATS, TABLE, TABLE, NUMBERS,
    )
)  # fmt: skip
def try_cards(
    lines, fitted, likings, bidders, notes, house, deck, key, luck_key, first, count, every, pull, copies, desk, log
):  # fmt: skip
    """Play deals, and at one choice in `every` play each legal card out; adds to `pull`, one number an entry.

    `lines` are the line-ups (one row each); only seats with the notes `fitted` learn. The notes are whole numbers, by
    which they play; `likings` are the exact ones, which the chances come from.
    """
    room_words, room, dealt, hands, piles = laid_out(desk)
    log = borrowed(log)
    bidders = borrowed(bidders)
    notes = borrowed(notes)
    hands_copy, piles_copy, log_copy = (
        borrowed(copies[HANDS_COPY]),
        borrowed(copies[PILES_COPY]),
        borrowed(copies[LOG_COPY]),
    )
    worths = np.zeros(HAND_SIZE, np.float64)
    chances = np.zeros(HAND_SIZE, np.float64)
    places = np.zeros((HAND_SIZE, NUMBERS_A_CARD), np.int64)
    for deal in range(first, first + count):
        deal_hands(deck, room_words, room, dealt, 0, house.players, int64(52), key, deal)
        luck = luck_of(luck_key, deal)
        line = borrowed(lines[chance(luck, int64(LINE_LUCK), int64(len(lines)))])
        pitcher, bid = hold_auction(
            bidders, notes, house, dealt, int64(0), int64(0), int64(NOBODY), int64(0), luck, log
        )
        log[PITCHER] = pitcher
        for place in range(PLAYS, LENGTH):
            log[place] = 0
        card = pitch(line, house, dealt, pitcher, bid, luck, log)
        lane = trump_of(card)
        in_play = turn_hands(dealt, hands, piles, house.players, lane)
        facts = facts_of(pitcher, bid, house)
        page = address_from(log, PUBLIC)
        pitchers_side = side_of(pitcher, house.partners)
        position = put(beginning(pitcher, house.players), hands, piles, turned_card(card, lane), house, log)
        while position.trick < HAND_SIZE - 1:
            luck += 1
            seat = position.seat
            legal = legal_cards(hands[seat], position.led, house.strict)
            if (
                legal & (legal - 1) != 0
                and line[seat + NOTES] == fitted
                and chance(luck, int64(CHOICE_LUCK), every) == 0
            ):
                view = View(
                    hands[seat], legal, position.table, position.led, position.best, position.gone,
                    piles[pitcher & side_mask(house.partners)], position.points, position.voids, seat,
                    position.winner, position.to_act, facts, luck, fitted, page,
                )  # fmt: skip
                situation = situation_of(view)
                number = int64(0)
                most = float64(-1e30)
                cards = legal
                while cards != 0:
                    card = lowest(cards)
                    cards &= cards - 1
                    where = places_of(view, situation, card)
                    chances[number] = 0.0
                    for term in range(NUMBERS_A_CARD):
                        places[number, term] = where[term]
                        chances[number] += likings[where[term]]
                    most = max(most, chances[number])
                    for k in range(8):
                        hands_copy[k] = hands[k]
                        piles_copy[k] = piles[k]
                    for k in range(LENGTH):
                        log_copy[k] = log[k]
                    after = put(position, hands_copy, piles_copy, card, house, log_copy)
                    points, tricks = play_on(
                        line, house, hands_copy, piles_copy, after, pitcher, bid, luck + 1, log_copy
                    )
                    high, low, jack = high_low_jack(dealt, piles_copy, house, in_play, lane)
                    game = game_point(points, pitchers_side, house)
                    worths[number] = worth_to(
                        side_of(seat, house.partners), pitchers_side, bid, high, low, jack, game, tricks, house
                    )
                    number += 1
                total = float64(0.0)
                for k in range(number):
                    chances[k] = np.exp(chances[k] - most)
                    total += chances[k]
                mean = float64(0.0)
                for k in range(number):
                    chances[k] /= total
                    mean += chances[k] * worths[k]
                for k in range(number):
                    for term in range(NUMBERS_A_CARD):
                        pull[places[k, term]] += chances[k] * (worths[k] - mean)
            card = ask(line, house, hands, piles, position, pitcher, facts, luck, page)
            position = put(position, hands, piles, card, house, log)


# The ascent ------------------------------------------------------------------------------------------


@dataclass
class Fit:
    """One table being fitted: `likings` in units of softmax, and the openings (bids, holdings), packed."""

    rules: Rules
    threads: int
    share: int
    likings: np.ndarray
    openings: np.ndarray

    def __post_init__(self) -> None:
        """Lay the notes out."""
        self.notes = np.zeros(expert.LENGTH, np.int32)
        self.deals_done = 0

    def seated(self, names: Sequence[str]) -> Seating:
        """A line-up, those called expert with the notes of this fit."""
        seating = seat_players(self.rules, list(names), ["casual"])
        play = tuple(
            replace(found, notes=lambda rules: self.notes) if found.name == "expert" else found
            for found in seating.play
        )
        return Seating(self.rules, play, seating.bidding)

    def line_ups(self) -> list[Seating]:
        """Half of them all alike, half with weaker players in some seats."""
        rng = Random(SEED)
        mixed = [[rng.choice(["expert", *WEAKER]) for _ in range(self.rules.players)] for _ in range(LINES // 2)]
        return [self.seated(["expert"])] * (LINES - len(mixed)) + [
            self.seated([*names[:-1], "expert"] if "expert" not in names else names) for names in mixed
        ]

    def note(self) -> None:
        """Write the likings and the openings where the policy reads them."""
        self.notes[:OPENINGS].view(np.uint8)[:LIKINGS] = whole(self.likings)
        self.notes[OPENINGS:] = self.openings.reshape(-1)

    def ascend(self, steps: int, rate: float, label: str) -> None:
        """Move the likings uphill, so many steps."""
        direction, size = np.zeros(LIKINGS), np.zeros(LIKINGS)
        line_ups = self.line_ups()
        lines = np.array([seating.line for seating in line_ups])
        per_chunk = max(int(CHOICES / CHOICES_PER_DEAL[self.rules.players] * 2 / CHUNKS) // self.share, 1)
        keys = Keys.of(SEED, TABLES.index(self.rules))
        with ThreadPoolExecutor(self.threads) as pool:
            for step in tqdm(range(steps), label, leave=False, disable=None):
                self.note()
                firsts = range(self.deals_done, self.deals_done + CHUNKS * per_chunk, per_chunk)
                pulls = pool.map(lambda first: self.pull(line_ups[0], lines, keys, first, per_chunk), firsts)
                pull = sum(pulls) / np.sqrt(CHUNKS * per_chunk)  # In order: the sum does not depend on threads.
                self.deals_done += CHUNKS * per_chunk
                direction = SLOW * direction + (1 - SLOW) * pull
                size = SLOWER * size + (1 - SLOWER) * pull**2
                unbiased = direction / (1 - SLOW ** (step + 1))
                spread = np.sqrt(size / (1 - SLOWER ** (step + 1)))
                self.likings += rate * (1 - step / steps) ** 0.7 * unbiased / (spread + 1e-3)
        self.note()

    def pull(self, seating: Seating, lines: np.ndarray, keys: Keys, first: int, count: int) -> np.ndarray:
        """What some deals say about every number."""
        pull = np.zeros(LIKINGS)
        try_cards(
            lines, self.notes.ctypes.data, self.likings, seating.bidders, seating.notes, seating.house,
            packed_deck(ALL_CARDS), keys.deal, keys.luck, first, count, 2, pull, np.zeros((COPIES, 64), np.int64),
            new_desk(), new_log(),
        )  # fmt: skip
        return pull

    def open(self, rules: Rules, share: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """What every holding scores as pitcher of 1, 2, 3, 4 (thousandths), and the rank to pitch from it.

        On one in `share` of the deals.
        """
        seating = replace(self.seated(["expert"]), rules=rules)
        holdings = [ranks for ranks in range(1, HOLDINGS) if ranks.bit_count() <= HAND_SIZE]
        worth = np.full((HOLDINGS, HIGHEST_BID), NEVER, np.int16)
        leads = np.zeros(HOLDINGS, np.uint8)
        with ThreadPoolExecutor(self.threads) as pool:
            rows = pool.map(lambda ranks: opening_from(seating, ranks, self.share * share), holdings)
            found = list(tqdm(rows, table_name(rules), len(holdings), leave=False, disable=None))
        for ranks, (scores, lead) in zip(holdings, found, strict=True):
            worth[ranks], leads[ranks] = scores, lead
        return worth, leads


def opening_from(seating: Seating, ranks: int, share: int) -> tuple[np.ndarray, int]:
    """What one holding scores as pitcher of each bid when its best rank is pitched, and that rank."""
    held = [rank for rank in range(LANE_BITS) if ranks >> rank & 1]
    deals = max(DEALS_BY_LENGTH[len(held)] // share, 50)
    leader = Leader.at(seating, Keys.of(SEED, 1000 + ranks))
    trial = leader.try_all(Pitched.holding(ranks), 0, Aim(None, deals, compare_all=True))
    tally = trial.tally[:, :LEAD_COLUMNS]
    points = np.array([won.bit_count() for won in range(LEAD_COLUMNS)])
    scores = tally @ np.where(points >= BIDS[:, None], points, -BIDS[:, None]).T
    best = int(np.argmax(scores @ LEAD_FOR))
    return (2 * THOUSANDTHS * scores[best] + deals) // (2 * deals), held[best]


def packed(worth: np.ndarray, leads: np.ndarray) -> np.ndarray:
    """Openings as the policy reads them: worth, and in the low bits the rank to pitch; (bids, holdings)."""
    return (worth.astype(np.int64).T << expert.LEAD_BITS | leads).astype(np.int32)


def openings_of_sound() -> np.ndarray:
    """Where the fit begins: the suit and the card that `sound` would choose."""
    worth = np.full((HOLDINGS, HIGHEST_BID), NEVER, np.int64)
    leads = np.zeros(HOLDINGS, np.int64)
    for ranks in range(1, HOLDINGS):
        if ranks.bit_count() <= HAND_SIZE:
            worth[ranks], leads[ranks] = int(trump_worth(ranks, 0)), int(opening_of_sound(ranks))
    return packed(worth, leads)


def fitted(rules: Rules, share: int, threads: int) -> tuple[Fit, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Fit one table; returns it, and what its holdings are worth and pitch for Low to the winner and to the holder."""
    fit = Fit(rules, threads, share, np.zeros(LIKINGS), openings_of_sound())
    name = expert.file_name(rules)
    fit.ascend(max(STEPS[0] // share, 2), RATES[0], f"{name}, first ascent")
    fit.openings = packed(*fit.open(rules, ROUGH))
    fit.ascend(max(STEPS[1] // share, 2), RATES[1], f"{name}, second ascent")
    houses = [replace(rules, low_goes_to=low) for low in ("trick_winner", "holder")]
    return fit, {table_name(house): fit.open(house) for house in houses}


# The files -------------------------------------------------------------------------------------------


def whole(likings: np.ndarray) -> np.ndarray:
    """Likings as the whole numbers that are played by, and written down.

    A row as a whole may be moved: it says the same of all cards of a decision. So the least number of a row becomes 0.
    What never came up stays 0. In no moment do the largest numbers of the terms add up to more than MOST_LIKING.
    """
    numbers = np.zeros(len(likings), np.uint8)
    for terms in (expert.LEAD, expert.FOLLOW):
        tables = [above_the_least(likings[part_of(term)].reshape(term.shape)) for term in terms]
        most = np.sum([table.max(axis=(1, 2)) for table in tables], axis=0)
        # Rounded up, each of the largest may gain a half.
        fineness = np.minimum(FINENESS, (MOST_LIKING - len(terms) / 2) / np.maximum(most, 1))
        for term, table in zip(terms, tables, strict=True):
            numbers[part_of(term)] = np.round(table * fineness[:, None, None]).reshape(-1)
    return numbers


def part_of(term: expert.Term) -> slice:
    """Where the numbers of a table stand."""
    start = expert.STARTS[expert.TERMS.index(term)]
    return slice(start, start + prod(term.shape))


def above_the_least(table: np.ndarray) -> np.ndarray:
    """How much each number is above the least of its row that came up."""
    came_up = table != 0
    return np.where(came_up, table - np.where(came_up, table, np.inf).min(axis=2, keepdims=True), 0)


def as_json(likings: np.ndarray, about: str) -> str:
    """The tables as a file that people can read: by name, one line a row; rows that never came up are left out."""
    numbers = whole(likings)
    tables = []
    for term in expert.TERMS:
        values = numbers[part_of(term)].reshape(-1, len(expert.column_names(term)))
        rows = [
            f"   {json.dumps(name)}: {json.dumps(row.tolist(), separators=(',', ':'))}"
            for name, row in zip(expert.row_names(term), values, strict=True)
            if row.any()
        ]
        columns = json.dumps(expert.column_names(term))
        tables.append(
            f' {json.dumps(term.name)}: {{\n  "columns": {columns},\n  "rows": {{\n' + ",\n".join(rows) + "}}"
        )
    return f'{{\n "recipe": {json.dumps(about)},\n' + ",\n".join(tables) + "\n}\n"


def write(fit: Fit, worths: dict[str, tuple[np.ndarray, np.ndarray]], about: str, folder: Path) -> None:
    """Write the tables of one number of players, and put its openings beside those of the others."""
    with whole_file(folder / expert.file_name(fit.rules)) as file:
        file.write(as_json(fit.likings, about))
    path = folder / "holdings.npz"
    kept = dict(np.load(path)) if path.exists() else {}
    for name, (worth, leads) in worths.items():
        kept[name], kept[name + expert.LEADS] = worth, leads
    keys = [key for rules in TABLES for low in ("trick_winner", "holder") for key in keys_of(rules, low)]
    with whole_file(path, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, **{key: kept[key] for key in keys if key in kept})


def keys_of(rules: Rules, low: str) -> tuple[str, str]:
    """The names of two arrays in `holdings.npz`: worths, and ranks to pitch."""
    name = table_name(replace(rules, low_goes_to=low))
    return name, name + expert.LEADS


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [table_name(rules).partition("-")[0] for rules in TABLES]
    options.add_argument("--only", choices=names, nargs="+", help="these tables; the others are kept")
    options.add_argument("--share", type=int, default=1, help="one in so many steps and deals (for tests)")
    options.add_argument("--threads", type=int, default=2, help="the files do not depend on it")
    options.add_argument("--folder", type=Path, default=FOLDER, help="where the files go")
    chosen = options.parse_args()
    for name, rules in zip(names, TABLES, strict=True):
        if chosen.only and name not in chosen.only:
            continue
        start = time.process_time()
        fit, worths = fitted(rules, chosen.share, chosen.threads)
        about = (
            f"made by scripts/fit_expert.py: pitchsim {pitchsim.__version__}, seed {SEED}, "
            f"{fit.deals_done} deals in {sum(STEPS)} steps, others count {OTHERS}, {FINENESS} to one unit of softmax"
        )
        write(fit, worths, about, chosen.folder)
        print(f"{name}: {time.process_time() - start:.0f} s of CPU", flush=True)


if __name__ == "__main__":
    main()
