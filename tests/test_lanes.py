"""The engine of 64 lanes: the same cards as the scalar engine, on either backing, and only where it can play."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from pitchsim import desk as rows
from pitchsim import machinecode
from pitchsim.cards import parse_six
from pitchsim.contracts import play_every_contract
from pitchsim.deck import ALL_CARDS, cards_to_set, deal_hands, packed_deck
from pitchsim.engine import new_desk
from pitchsim.errors import InputError
from pitchsim.jit import PLAIN
from pitchsim.kernels.laying import place_of_luck
from pitchsim.lanes import code, engine
from pitchsim.lanes.choice import lane_table
from pitchsim.lanes.deck import PERHAPS_UNFAIR, threshold
from pitchsim.lanes.plain import Plain
from pitchsim.lanes.play import CODES, SORTING, House
from pitchsim.lanes.policies import POLICIES
from pitchsim.lanes.program import Program
from pitchsim.lanes.vectors import LANE_OF_WORD, LANES, Bytes
from pitchsim.leading import Aim, Leader, Pitched
from pitchsim.rules import Rules
from pitchsim.seating import Keys, seat_players
from pitchsim.simulation import simulate
from pitchsim.storage import clear_cache, kept_places
from pitchsim.stream import GAMMA, MASK64, MOST_WAYS

pytestmark = [
    pytest.mark.skipif(PLAIN, reason="compares with compiled kernels"),
    pytest.mark.skipif(code.best_level() is None, reason="a processor without vectors of 256 bits"),
]
DECK = packed_deck(ALL_CARDS).view(np.uint8)
TABLES = [*(Rules(players=players) for players in range(2, 8)), Rules(partners=True)]
HOUSES = [
    {},
    {"low_goes_to": "holder"},
    {"follow": "strict"},
    {"game_tie": "pitchers_opponents"},
    {"smudge": True},
    {"low_goes_to": "holder", "follow": "strict", "game_tie": "pitchers_opponents", "smudge": True},
]
LINES = [["random"], ["greedy"], ["expert"], ["expert", "random", "greedy"]]
ALWAYS = [(Rules(), ["expert"]), (Rules(partners=True), ["random", "expert"]), (Rules(players=3), ["greedy"])]
EVERY = [
    (replace(table, **house), LINES[(number + place) % len(LINES)])
    for (number, table), (place, house) in itertools.product(enumerate(TABLES), enumerate(HOUSES))
][::4]
"""Every house with every number of players, the line-ups in turn: of these every fourth, which meets them all."""
CASES = [*ALWAYS, *(pytest.param(*case, marks=pytest.mark.slow) for case in EVERY)]


def seated(rules, line, how="lanes"):
    """Players of these policies in turn."""
    names = line if len(line) == 1 else [line[seat % len(line)] for seat in range(rules.players)]
    return seat_players(rules, names, ["thresholds"], how)


def dealt_in_lanes(table, key, first, run="deal_only"):
    """The rows of 64 deals from `first` on, as dealt: (seat, place in the hand, deal)."""
    memory = table._memory()
    table.pitch_deals(DECK, key, 0, first, LANES, run)
    players = table.program.house.players
    return memory.desk[rows.DEALT : rows.DEALT + 6 * players].reshape(players, 6, LANES).copy()


def dealt_one_by_one(players, key, deal):
    """The same deal by the scalar engine, sets of cards by seat."""
    room = new_desk()
    deal_hands(DECK.view(np.int64), room[0], room[0].view(np.uint8), room[1], 0, players, 52, np.uint64(key), deal)
    return room[1][:players].tolist()


def sets_of(dealt):
    """Sets of cards by seat and deal."""
    return np.bitwise_or.reduce(np.int64(1) << dealt.astype(np.int64), axis=1)


# The same cards ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "line"), CASES)
def test_every_total_of_a_simulation_is_that_of_the_scalar_engine(rules, line):
    tallies = [
        simulate(rules, [found.name for found in seated(rules, line).play], ["thresholds"], 2_100, seed=7, engine=how)
        for how in ("lanes", "scalar")
    ]
    lanes, scalar = tallies
    assert (lanes.seating.engine_used, scalar.seating.engine_used) == ("lanes", "scalar")
    for name in ("by_bid", "by_seat", "totals"):
        assert (getattr(lanes.tally, name) == getattr(scalar.tally, name)).all(), name


@pytest.mark.parametrize(("rules", "line"), CASES)
def test_every_contract_is_worth_the_same_to_every_seat(rules, line):
    answers = []
    for how in ("lanes", "scalar"):
        hands = np.zeros((150, 7), np.int64)
        changes = np.zeros((150, rules.players, 4, rules.players), np.int8)
        play_every_contract(seated(rules, line, how), Keys.of(3), 0, 150, hands, changes)
        answers.append((hands, changes))
    for lanes, scalar in zip(*answers, strict=True):
        assert (lanes == scalar).all()


@pytest.mark.parametrize(("rules", "line"), CASES)
@pytest.mark.parametrize(
    "cards",
    [
        Pitched.hand(cards_to_set(parse_six("AS KS 5S 7H 8D 2C"))),
        Pitched.holding(0b1000000000101),
        Pitched.holding(0b1, cards_to_set(parse_six("AH TH 9D 8D 7C 2C")) & ~(1 << 48)),
        Pitched.holding(0b11111),
    ],
)
def test_leads_are_tried_on_the_same_deals_with_the_same_outcome(rules, line, cards):
    found = [
        Leader.at(seated(rules, line, how), Keys.of(4)).choose(cards, 9, Aim(0.05)).to_dict()
        for how in ("lanes", "scalar")
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("players", range(2, 8))
def test_r3_the_lanes_deal_what_the_scalar_engine_deals(players):
    table, rng = seated(Rules(players=players), ["greedy"]).lanes, random.Random(players)
    for first in (0, 1, 12_345, 1 << 40):
        key = rng.getrandbits(64)
        hands = sets_of(dealt_in_lanes(table, key, first))
        for lane in range(LANES):
            assert hands[:, lane].tolist() == dealt_one_by_one(players, key, first + lane)


@pytest.mark.parametrize("level", ["numpy", code.best_level(), pytest.param("avx2", marks=pytest.mark.slow)])
@pytest.mark.parametrize("seat", range(4))
def test_r3_a_word_that_would_favour_some_hands_is_drawn_anew(level, seat):
    # SplitMix64 maps 0 to 0, and the word 0 leaves the rest 0: the first rest that is not fair. It stands in deal 5.
    key = -GAMMA * (8 * 5 + seat) & MASK64
    table = replace(seated(Rules(), ["greedy"]).lanes, level=level)
    hands = sets_of(dealt_in_lanes(table, key, 0))
    for deal in range(LANES):
        assert hands[:, deal].tolist() == dealt_one_by_one(4, key, deal)


def test_no_rest_that_passes_the_quick_look_is_unfair():
    thresholds = [threshold(left) for left in range(7, 53)]
    assert max(high for high, _ in thresholds) < PERHAPS_UNFAIR
    assert MOST_WAYS < PERHAPS_UNFAIR << 16


# Dealing: nothing is favoured --------------------------------------------------------------------------


def plausible(statistic, degrees):
    """Whether a chi-square is neither too large nor too small for chance."""
    return 0.0005 < stats.chi2.cdf(statistic, degrees) < 0.9995


@pytest.fixture(scope="module")
def many():
    """Cards by deal, seat and place, numbered 0 to 51."""
    table = seated(Rules(), ["greedy"]).lanes
    dealt = np.concatenate([dealt_in_lanes(table, 99, LANES * block) for block in range(1_000)], axis=2)
    return np.moveaxis(dealt, 2, 0) // 16 * 13 + np.moveaxis(dealt, 2, 0) % 16


def test_every_seat_gets_every_card_equally_often(many):
    deals = len(many)
    seats = np.array([np.bincount(many[:, seat].ravel(), minlength=52) for seat in range(4)])
    table = np.vstack([seats, deals - seats.sum(axis=0)])
    expected = np.array([deals * 6 / 52] * 4 + [deals * 28 / 52])[:, None]
    assert plausible((51 / 52) * ((table - expected) ** 2 / expected).sum(), 51 * 4)


def test_every_card_stands_equally_often_in_every_place_of_a_hand(many):
    for seat, place in itertools.product(range(4), range(6)):
        counts = np.bincount(many[:, seat, place], minlength=52)
        assert plausible(stats.chisquare(counts).statistic, 51), (seat, place)


def test_every_pair_of_cards_comes_equally_often_in_two_places(many):
    for (seat, place), (other, there) in (((0, 0), (0, 1)), ((0, 2), (0, 3)), ((0, 5), (1, 0)), ((2, 4), (3, 3))):
        pairs = np.zeros((52, 52))
        np.add.at(pairs, (many[:, seat, place], many[:, other, there]), 1)
        assert (np.diag(pairs) == 0).all()
        expected = len(many) / (52 * 51)
        statistic = ((pairs - expected) ** 2 / expected)[~np.eye(52, dtype=bool)].sum()
        assert plausible(statistic, 52 * 51 - 1)


def test_every_lane_is_dealt_alike(many):
    low = (many[:, 0, 0] < 26).reshape(-1, LANES).sum(axis=0)
    expected = len(many) / LANES / 2
    assert plausible(((low - expected) ** 2 / (expected / 2)).sum(), LANES)


# Two backings, one engine --------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "line"), CASES)
def test_numpy_and_machine_leave_the_same_bytes_on_the_desk(rules, line):
    compare_backings(rules, line, code.best_level())


@pytest.mark.parametrize(
    ("rules", "line"),
    [ALWAYS[2], *(pytest.param(*case, marks=pytest.mark.slow) for case in (*ALWAYS[:2], *EVERY[::4]))],
)
def test_vectors_of_256_bits_leave_them_too(rules, line):
    compare_backings(rules, line, "avx2")


def compare_backings(rules, line, level):
    """Whole deals, and everything that they leave on the desk."""
    seating = seated(rules, line)
    first = replace(seating.lanes, played_by=tuple(seating.played_by[0]))
    answers = []
    for how in (level, "numpy"):
        table = replace(first, level=how)
        tally = table.pitch_deals(DECK, 77, 78, 1_000, 100)
        answers.append((tally, table._memory().desk.copy()))
    for machine, plain in zip(*answers, strict=True):
        assert (machine == plain).all()


def test_the_plain_backing_sorts_any_hand():
    on = Plain({})
    for order in itertools.permutations(range(6)):
        hand = [on.bytes(number) for number in order]
        for low, high in itertools.chain(*SORTING):
            hand[low], hand[high] = hand[low].smaller(hand[high]), hand[low].larger(hand[high])
        assert [int(slot.value[0]) for slot in hand] == list(range(6))


def test_codes_are_in_the_order_of_card_numbers():
    numbers = [number for number in range(64) if number % 16 < 13]
    assert [CODES[number] for number in numbers] == sorted(CODES[number] for number in numbers)


def test_the_lanes_of_words_are_where_the_kernels_write_luck():
    places = [int(place_of_luck(lane)) for lane in range(LANES)]
    assert LANE_OF_WORD.reshape(-1)[places].tolist() == list(range(LANES))


def test_words_and_quarters_keep_their_lanes():
    on = Plain({})
    words = on.words(7, 1 << 40)
    quarters = words.quarters()
    whole = sum(part.value.astype(np.uint64) << np.uint64(16 * k) for k, part in enumerate(quarters))
    assert whole.tolist() == [7 + (lane << 40) for lane in range(LANES)]
    assert Bytes(on, np.arange(LANES, dtype=np.uint8)).wide().narrow().value.tolist() == list(range(LANES))


# Same seed, same bytes ------------------------------------------------------------------------------------


def test_a_simulation_is_the_same_with_1_2_or_5_threads():
    answers = {
        simulate(Rules(), ["expert"], ["thresholds"], 50_000, seed=5, threads=threads, engine="lanes").to_json()
        for threads in (1, 2, 5)
    }
    assert len(answers) == 1


def test_a_run_cut_up_anyhow_adds_up_to_the_same():
    table = seated(Rules(), ["random"]).lanes
    whole = table.pitch_deals(DECK, 5, 6, 0, 1_000)
    parts = [(0, 1), (1, 63), (64, 65), (129, 871)]
    assert (sum(table.pitch_deals(DECK, 5, 6, first, count) for first, count in parts) == whole).all()
    assert whole[:16].sum() == 1_000


# Which engine plays ----------------------------------------------------------------------------------------


def names(rules, line, how):
    return seated(rules, line, how).engine_used


def test_auto_takes_the_lanes_for_table_policies_and_the_scalar_engine_for_others():
    assert [names(Rules(), [name], "auto") for name in POLICIES] == ["lanes"] * len(POLICIES)
    assert names(Rules(), ["sound"], "auto") == "scalar"
    assert names(Rules(), ["expert", "sound"], "auto") == "scalar"
    assert names(Rules(), ["expert"], "scalar") == "scalar"


def test_lanes_for_a_policy_that_they_cannot_play_is_one_sentence():
    with pytest.raises(InputError, match=r"cannot play 'sound'; it plays random, greedy, expert: take those, or"):
        seated(Rules(), ["sound"], "lanes").lanes  # noqa: B018


def test_a_processor_without_such_vectors_plays_one_deal_at_a_time(monkeypatch):
    monkeypatch.setattr(code, "host", lambda: ("old", {"sse2": True, "avx": True}))
    found = seat_players(Rules(), ["expert"], ["thresholds"]).play
    assert lane_table(Rules(), found, "auto") is None
    with pytest.raises(InputError, match=r"no vectors of 256 or 512 bits \(AVX2, AVX-512\).*take --engine scalar"):
        lane_table(Rules(), found, "lanes")
    monkeypatch.undo()
    monkeypatch.setenv(engine.LEVEL, "none")
    assert lane_table(Rules(), found, "auto") is None
    with pytest.raises(InputError, match=r"^PITCHSIM_LANES switches 64 lanes off; unset it, or take --engine scalar$"):
        lane_table(Rules(), found, "lanes")


def test_the_widest_vectors_are_taken_and_only_whole_families(monkeypatch):
    features = dict.fromkeys(("avx2", "avx512f", "avx512bw", "avx512dq", "avx512vl"), True)
    monkeypatch.setattr(code, "host", lambda: ("skylake", features))
    assert code.best_level() == "avx2"
    monkeypatch.setattr(code, "host", lambda: ("icelake", features | {"avx512vbmi": True}))
    assert code.best_level() == "avx512"


def test_the_environment_can_ask_for_less(monkeypatch):
    for asked, got in (("numpy", "numpy"), ("none", None), ("avx2", "avx2"), ("", code.best_level())):
        monkeypatch.setenv(engine.LEVEL, asked)
        assert engine.level_here() == got
    monkeypatch.setenv(engine.LEVEL, "avx9")
    with pytest.raises(InputError, match=r"^PITCHSIM_LANES is 'avx9'; it takes avx512, avx2, numpy or none$"):
        engine.level_here()


# Never stale ------------------------------------------------------------------------------------------------


def test_machine_code_is_kept_by_sources_and_processor_and_read_again(tmp_path, monkeypatch):
    monkeypatch.setenv("PITCHSIM_CACHE", str(tmp_path))
    program = Program(House(2), ("greedy",))
    engine.function.cache_clear()
    engine.function(program, "pitch_deals", code.best_level())
    (kept,) = tmp_path.glob(f"lanes-{engine.sources()}/2-*.o")
    engine.function.cache_clear()
    monkeypatch.setattr(code, "compiled", lambda *_: pytest.fail("it was kept"))
    engine.function(program, "pitch_deals", code.best_level())
    assert kept.stat().st_size > 10_000
    assert [(place.what, place.path) for place in kept_places()] == [("compiled code for 64 lanes", kept.parent)]
    assert clear_cache()
    assert not kept.exists()
    engine.function.cache_clear()


def test_another_source_is_another_name(tmp_path, monkeypatch):
    before = engine.sources()
    for path in engine.FOLDER.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "play.py").write_text((tmp_path / "play.py").read_text() + "\n# another rule\n")
    monkeypatch.setattr(engine, "FOLDER", tmp_path)
    engine.sources.cache_clear()
    assert engine.sources() != before
    monkeypatch.undo()
    monkeypatch.setattr(engine, "source_hash", lambda: "another desk")
    engine.sources.cache_clear()
    assert engine.sources() != before
    engine.sources.cache_clear()


def test_broken_machine_code_is_written_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("PITCHSIM_CACHE", str(tmp_path))
    program = Program(House(2), ("greedy",))
    engine.function.cache_clear()
    engine.function(program, "pitch_deals", code.best_level())
    (kept,) = tmp_path.glob("lanes-*/2-*.o")
    size = kept.stat().st_size
    kept.write_bytes(kept.read_bytes()[:1000])
    engine.function.cache_clear()
    table = replace(seat_players(Rules(players=2), ["greedy"], ["thresholds"]).lanes, program=program)
    assert table.pitch_deals(DECK, 1, 2, 0, 64)[:16].sum() == 64
    assert kept.stat().st_size == size
    engine.function.cache_clear()


def test_where_numbas_cache_is_moved_the_code_of_the_lanes_goes_there_too(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    engine.function.cache_clear()
    engine.function(Program(House(2), ("greedy",)), "pitch_deals", code.best_level())
    assert len(list(tmp_path.glob("lanes-*/2-*.o"))) == 1
    engine.function.cache_clear()


def test_a_cache_that_cannot_be_written_costs_time_only(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(machinecode, "_said", set())
    cache = tmp_path / "file"
    cache.write_text("not a folder")
    monkeypatch.setenv("PITCHSIM_CACHE", str(cache))
    engine.function.cache_clear()
    table = replace(seat_players(Rules(players=2), ["greedy"], ["thresholds"]).lanes)
    assert table.pitch_deals(DECK, 1, 2, 0, 64)[:16].sum() == 64
    engine.function.cache_clear()
    compiling, kept = capsys.readouterr().err.splitlines()
    assert compiling.startswith("pitchsim: compiling for this machine, once")
    assert kept.startswith(f"pitchsim: cannot write to {cache}")
