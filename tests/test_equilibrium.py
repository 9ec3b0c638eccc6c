"""Bidding at an equilibrium: plans that can be read, that fit the rules, and from which nobody gains by deviating."""

import importlib.util
import itertools
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pitchsim
from pitchsim import equilibrium as room
from pitchsim import storage
from pitchsim.bidding import equilibrium as policy_room
from pitchsim.bidding import thresholds as worth_room
from pitchsim.bidding.casual import bid_by_eye, casual
from pitchsim.bidding.equilibrium import class_of, equilibrium, notes, notes_of, plans_for
from pitchsim.bidding.equilibrium_margin import equilibrium_margin
from pitchsim.cards import RANKS, parse_card, parse_hand
from pitchsim.deck import (
    ACES,
    ALL_CARDS,
    HAND_SIZE,
    JACKS,
    LANE_BITS,
    SUIT_CARDS,
    cards_to_set,
    deal_hands,
    packed_deck,
)
from pitchsim.engine import NUMBERS, TABLE, laid_out, new_desk
from pitchsim.house import HOUSE
from pitchsim.jit import PLAIN, borrowed, int64, kernel, types, uint64
from pitchsim.kernels.holdings import CALLS_HEARD, OUTCOME_COLUMNS, hear_auctions
from pitchsim.kernels.weighing import mismatches
from pitchsim.log import new_log
from pitchsim.plans import WHOLE, Heard, Plans, after, check_plans, plan_name, situations
from pitchsim.rules import Rules, full_deck, legal_calls
from pitchsim.seating import Keys, in_threads, seat_players
from pitchsim.simulation import replay, simulate
from pitchsim.stream import chance, luck_of
from pitchsim.view import BidView
from pitchsim.weighing import KEEP_ALL, MOST_STRATA, Weigher

ROOT = Path(__file__).parents[1]
LINE_UPS = [*((players, False) for players in range(2, 8)), (4, True)]
AUCTION_RULES = [
    {"lowest_bid": lowest, "dealer_may_steal": steal, "stuck_dealer": stuck}
    for lowest in (1, 2)
    for steal in (True, False, "any", "only_4")
    for stuck in ("must_bid", "throw_in_next", "throw_in_same")
]
POLICIES = {"equilibrium": equilibrium, "equilibrium-margin": equilibrium_margin}
compiled = pytest.mark.skipif(PLAIN, reason="minutes long without compiling")


def script_room():
    """The script that makes the plans, imported."""
    spec = importlib.util.spec_from_file_location("make_equilibrium", ROOT / "scripts" / "make_equilibrium.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


SHIPPED = [(rules, margin) for group in script_room().rule_sets() for rules in group for margin in (False, True)]
names = [plan_name(rules, margin) for rules, margin in SHIPPED]


def random_hand(rng):
    return cards_to_set(rng.sample(full_deck(), 6))


def view_of(rules, table, hand, heard, luck=0):
    """What a seat hears, with the legal calls of the rulebook and this table as notes."""
    return BidView(
        hand=hand,
        seat=heard.seat,
        highest=heard.highest,
        bidder=heard.bidder,
        calls=0,
        legal=sum(1 << call for call in legal_calls(rules, heard.seat, heard.highest)),
        players=rules.players,
        partners=int(rules.partners),
        low_to_holder=int(rules.low_goes_to == "holder"),
        strict=int(rules.follow == "strict"),
        lowest_bid=rules.lowest_bid,
        notes=table if PLAIN else table.ctypes.data,
        luck=luck,
    )


def worth(rules, hand):
    """The four expected scores of a hand, in thousandths."""
    table = worth_room.notes(rules)
    return worth_room.worth_of_bids(view_of(rules, table, hand, Heard(0, 0, -1)))


# The plans, as files.


def test_the_plans_are_those_that_the_script_makes():
    kept = {path.stem for path in (Path(pitchsim.__file__).parent / "data" / "equilibrium").iterdir()}
    assert kept == set(names)
    assert len(names) == len(LINE_UPS) * 4 * 2


@pytest.mark.parametrize(("rules", "margin"), SHIPPED, ids=names)
def test_plans_that_come_with_the_program_fit_the_rules_and_leave_little_to_gain(rules, margin):
    plans = plans_for(rules, margin)
    check_plans(plans, rules)
    assert list(plans.calls) == situations(rules)
    assert float(plans.about["regret"]) <= 0.003
    assert float(plans.about["fresh regret"]) <= 0.004
    assert f"play {room.PLAY}" in plans.about["made by"]
    assert Plans.read(plans.text()) == plans


def test_what_does_not_change_a_bid_has_the_same_plans():
    assert notes(Rules()) is notes(Rules(target=11, winning="anyone", end_after=5))
    assert notes(Rules()) is not notes(Rules(lowest_bid=2))
    assert notes(Rules()) is not notes_of(Rules(), margin=True)
    assert plan_name(Rules(), True) == "margin-4"
    assert plan_name(Rules(partners=True, smudge=True, low_goes_to="holder"), False) == "partners-low-holder-smudge"


def test_every_house_rule_that_matters_has_plans_of_its_own():
    rules = [
        Rules(low_goes_to=low, game_tie=tie, follow=follow, smudge=smudge, **auction)
        for auction, low, tie, follow, smudge in itertools.product(
            AUCTION_RULES,
            ("trick_winner", "holder"),
            ("nobody", "pitchers_opponents"),
            ("or_trump", "strict"),
            (False, True),
        )
    ]
    assert len({plan_name(some, False) for some in rules}) == len(rules)


@pytest.mark.parametrize("auction_rules", AUCTION_RULES)
@pytest.mark.parametrize("players", [2, 3, 5])
def test_situations_are_all_that_can_be_heard(players, auction_rules):
    rules = Rules(players=players, **auction_rules)
    found = set()

    def speak(heard):
        found.add(heard)
        for call in legal_calls(rules, heard.seat, heard.highest):
            following = after(rules, heard, call)
            if following.seat < players and legal_calls(rules, following.seat, following.highest):
                speak(following)

    speak(Heard(0, 0, -1))
    assert situations(rules) == sorted(found)


def test_plans_for_other_rules_are_refused():
    plans = plans_for(Rules(), False)
    for other in (Rules(players=5), Rules(dealer_may_steal="any"), Rules(lowest_bid=2)):
        with pytest.raises(pitchsim.InputError, match="do not fit"):
            check_plans(plans, other)


# The policy.


@pytest.mark.parametrize(("rules", "margin"), SHIPPED[::3], ids=names[::3])
def test_a_call_is_what_the_plan_says(rules, margin):
    """The plain twin: the class by bisection, the call by adding up chances."""
    plans, table, rng = plans_for(rules, margin), notes_of(rules, margin), random.Random(1)
    for _ in range(200):
        heard, hand, luck = rng.choice(situations(rules)), random_hand(rng), rng.randrange(1 << 62)
        view = view_of(rules, table, hand, heard, luck)
        place = plans.class_of(*worth(rules, hand)[1:])
        assert class_of(view) == place
        left, mix = int(chance(luck, 0, WHOLE)), plans.calls[heard][place]
        expected = next(call for call in range(5) if left < sum(mix[: call + 1]))
        assert POLICIES["equilibrium-margin" if margin else "equilibrium"](view) == expected
        assert view.legal >> expected & 1


def test_mixed_calls_come_as_often_as_the_plan_says():
    rules, rng = Rules(), random.Random(3)
    plans, table = plans_for(rules, True), notes_of(rules, True)
    heard, place = next(
        (heard, place) for heard, row in plans.calls.items() for place, mix in enumerate(row) if 80 < max(mix) < 200
    )
    hand = next(
        hand for hand in iter(lambda: random_hand(rng), None) if plans.class_of(*worth(rules, hand)[1:]) == place
    )
    tries = 4000
    called = [equilibrium(view_of(rules, table, hand, heard, rng.randrange(1 << 62))) for _ in range(tries)]
    for call, share in enumerate(plans.calls[heard][place]):
        assert abs(called.count(call) / tries - share / WHOLE) < 4 * 0.5 / tries**0.5


def test_our_notes_begin_behind_those_on_worth():
    assert len(worth_room.notes(Rules())) == policy_room.WORTH_NOTES


def heard_with(name, rules, hands):
    """The calls of given deals."""
    seating, outcomes = seat_players(rules, ["random"], [name]), np.zeros((len(hands), OUTCOME_COLUMNS), np.int64)
    hear_auctions(
        seating.bidders, seating.notes, seating.house, hands, Keys.of(3).luck, 0, len(hands), outcomes,
        new_desk(), new_log(),
    )  # fmt: skip
    return outcomes[:, CALLS_HEARD]


@pytest.mark.parametrize("name", ["equilibrium", "equilibrium-margin", "casual"])
@pytest.mark.parametrize(("players", "partners"), LINE_UPS)
def test_calls_do_not_depend_on_hidden_cards(name, players, partners):
    """All cards but one's own are dealt anew: with the same luck, whoever hears the same makes the same call."""
    rules, rng, compared = Rules(players=players, partners=partners), random.Random(players), 0
    for seat in range(players):
        hands = np.zeros((2, 10 if PLAIN else 200, 7), np.int64)
        for deal in range(hands.shape[1]):
            own = random_hand(rng)
            for same in range(2):
                others = [card for card in full_deck() if not own & cards_to_set([card])]
                rng.shuffle(others)
                for other in range(players):
                    hands[same, deal, other] = cards_to_set(others[6 * other : 6 * other + 6])
                hands[same, deal, seat] = own
        one, two = (heard_with(name, rules, some) for some in hands)
        alike = (one ^ two) & ((1 << 4 * seat) - 1) == 0
        compared += int(alike.sum())
        assert np.all((one >> 4 * seat & 15)[alike] == (two >> 4 * seat & 15)[alike])
    assert compared > players


# How plans are worked out.


def small_table(rules, deals=6, margin=False, seed=4):
    played = room.play_deals(rules, "random", seed, deals)
    return room.table_of(rules, played, ([0], [500], []), margin), played


@pytest.mark.parametrize(("players", "partners"), [(2, False), (3, False), (4, True)])
@pytest.mark.parametrize("steal", [True, "any", False])
@pytest.mark.parametrize("stuck", ["must_bid", "throw_in_next"])
def test_the_kernel_adds_up_what_walking_all_auctions_finds(players, partners, steal, stuck):
    rules = Rules(players=players, partners=partners, dealer_may_steal=steal, stuck_dealer=stuck)
    table, played = small_table(rules, 1 if PLAIN else 6)
    rng = np.random.default_rng(1)
    plans = rng.random((len(table.tree.heard), table.number, 5)) * (table.tree.any_call > 0)
    plans /= plans.sum(axis=2, keepdims=True)
    places = {heard: place for place, heard in enumerate(table.tree.heard)}
    worth_found, means_found = np.zeros(plans.shape), np.zeros(players)

    def walk(deal, heard, reached):
        """What everybody gets from here on."""
        if heard.seat == players or (heard.highest == 4 and steal != "any"):
            if heard.highest == 0:
                return np.zeros(players)
            return played.changes[deal, 4 * heard.bidder + heard.highest - 1].astype(float)
        place, mine = places[heard], table.classes[deal, heard.seat]
        total = np.zeros(players)
        for call in legal_calls(rules, heard.seat, heard.highest):
            share = plans[place, mine, call]
            value = walk(deal, after(rules, heard, call), reached * share)
            worth_found[place, mine, call] += reached * value[heard.seat]
            total += share * value
        return total

    for deal in range(len(table.classes)):
        means_found += walk(deal, Heard(0, 0, -1), 1.0)
    found, means = table.expect(plans)
    assert found == pytest.approx(worth_found / len(table.classes), abs=1e-5)
    assert means == pytest.approx(means_found / len(table.classes), abs=1e-5)


def test_the_aim_decides_what_a_contract_pays():
    for rules in (Rules(players=3), Rules(partners=True)):
        _, played = small_table(rules, 3)
        own, parts = room.payments_of(played, rules, margin=False)
        assert parts == 1
        assert np.array_equal(own[..., : rules.players], played.changes)
        less, parts = room.payments_of(played, rules, margin=True)
        assert np.all(less.sum(axis=2) == 0)
        mine, others = played.changes[..., 0], played.changes[..., 1 : rules.players : 1 + rules.partners]
        assert less[..., 0] / parts == pytest.approx(mine - others.astype(float).mean(axis=2))


@pytest.mark.parametrize(("rules", "margin"), SHIPPED, ids=names)
def test_who_speaks_last_takes_the_bid_as_cheaply_as_he_can(rules, margin):
    """R4, R6: a stuck dealer bids the least, and one who takes the bid no more than he needs."""
    for heard, mixes in plans_for(rules, margin).calls.items():
        if heard.seat == rules.players - 1:
            bids = [call for call in legal_calls(rules, heard.seat, heard.highest) if call]
            assert all(not mix[call] for mix in mixes for call in bids[1:])


def test_where_the_house_smudges_the_last_may_bid_4():
    assert np.all(room.Tree(Rules(smudge=True)).any_call[-1, 0, 4] > 0)
    assert np.all(room.Tree(Rules()).any_call[-1, 0, 4] == 0)


def test_a_class_does_not_do_what_clearly_costs_it_something():
    rules = Rules(players=3)
    played = room.play_deals(rules, "greedy", 1, 100 if PLAIN else 2_000)
    table = room.table_of(rules, played, ([500], [1000], []), False)
    chances = room.whole_chances(np.repeat(table.tree.any_call, table.number, axis=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "ENOUGH", 9)
        cleared = room.made_clear(table, chances)
    assert np.all(cleared.sum(axis=2) == WHOLE)
    changed = (cleared != chances).any(axis=2)
    assert changed.any()
    assert np.all(cleared[changed].max(axis=1) == WHOLE)
    kept = room.made_clear(table, chances)
    assert table.regret(kept / WHOLE).max() <= table.regret(chances / WHOLE).max()


def test_how_often_a_class_comes_to_a_situation():
    rules = Rules(players=2)
    table, _ = small_table(rules, 40)
    often = room.how_often(table, np.repeat(table.tree.any_call, table.number, axis=1))
    shares = np.bincount(table.classes[:, 0], minlength=table.number) / 40
    assert often[0] == pytest.approx(shares)  # The first to speak: every deal.
    assert often[table.tree.speakers == 1].sum() == pytest.approx(0.8)  # A 4, one call in five, ends the auction.


def test_chances_are_whole_and_leave_nobody_out():
    plans = np.array([[[0.5, 0.5, 0, 0, 0], [0.01, 0, 0.99, 0, 0], [1 / 3, 1 / 3, 1 / 3, 0, 0]]])
    assert room.whole_chances(plans).tolist() == [[[128, 127, 0, 0, 0], [0, 0, 255, 0, 0], [85, 85, 85, 0, 0]]]


def test_classes_are_joined_until_none_is_nearly_empty():
    rng = np.random.default_rng(2)
    hands = rng.integers(-2000, 4000, (4000, 4))
    bounds = room.fitting_bounds(hands)
    classes = room.classes_of(bounds, hands)
    plans = Plans(bounds, {})
    assert np.bincount(classes, minlength=plans.classes).min() >= room.SMALLEST_CLASS * len(hands)
    assert [plans.class_of(*hand[1:]) for hand in hands[:300].tolist()] == classes[:300].tolist()


@compiled
def test_the_same_plans_come_out_on_any_number_of_threads():
    rules = Rules(players=3)
    texts = []
    for threads in (1, 2):
        played = room.play_deals(rules, "greedy", 1, 10_000, threads)
        texts.append(room.solve(rules, played, False, threads)[0].text())
    assert texts[0] == texts[1]


@compiled
def test_two_players_who_want_the_margin_find_the_value_of_the_game():
    """With two players the margin is a zero-sum game: plans that leave little to gain all have its one value."""
    rules = Rules(players=2)
    played = room.play_deals(rules, "greedy", 1, 20_000)
    table = room.solve(rules, played, True)[1]
    values = []
    for rounds in (48, 96):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(room, "ROUNDS", rounds)
            plans = room.settle(table) / WHOLE
        assert table.regret(plans).max() <= 0.003
        values.append(table.expect(plans)[1])
    assert values[0].sum() == pytest.approx(0, abs=1e-9)
    assert values[0] == pytest.approx(values[1], abs=0.003)


def array_of(plans):
    return np.array(list(plans.calls.values())) / WHOLE


@compiled
@pytest.mark.parametrize("margin", [False, True])
@pytest.mark.parametrize(("players", "partners"), [(2, False), (4, False), (4, True)])
def test_the_best_response_gains_no_more_than_stated(players, partners, margin):
    """On deals that nobody has seen: the response is found on some and tried on others, in eight parts."""
    rules, deals, part = Rules(players=players, partners=partners), 60_000, 10_000
    plans = plans_for(rules, margin)
    played = room.play_deals(rules, room.PLAY, 77, deals + 8 * part)
    chances = array_of(plans)

    def table_at(first, count):
        return room.table_of(rules, played.part(first, count), plans.bounds, margin)

    found = table_at(0, deals)
    calls = found.better(found.expect(chances)[0])
    tables = [table_at(deals + number * part, part) for number in range(8)]
    gains = np.array([table.gain(table.expect(chances)[0], chances, calls) for table in tables])
    se = gains.std(axis=0, ddof=1) / 8**0.5
    assert np.all(gains.mean(axis=0) <= float(plans.about["regret"]) + 4 * se)
    assert se.max() < 0.008


@compiled
def test_one_who_bids_by_thresholds_among_three_at_equilibrium_does_about_as_well():
    deals, differences = 60_000, []
    base = simulate(Rules(), [room.PLAY], ["equilibrium"], deals=deals, seed=5)
    for seat in range(4):
        bidding = ["thresholds" if other == seat else "equilibrium" for other in range(4)]
        run = simulate(Rules(), [room.PLAY], bidding, deals=deals, seed=5)
        differences.append(run.seat_change(seat).mean - base.seat_change(seat).mean)
    assert abs(np.mean(differences)) < 0.01


@compiled
def test_the_auction_of_four_is_what_is_known_of_it():
    run = simulate(Rules(), [room.PLAY], ["equilibrium"], deals=50_000).to_dict()
    margin = simulate(Rules(), [room.PLAY], ["equilibrium-margin"], deals=50_000).to_dict()
    assert 0.4 < run["stolen"] < 0.56
    assert run["stuck"] < 0.03
    assert run["stuck"] < margin["stuck"]
    shares = [run["pitcher"]["by_bid"].get(str(bid), {"deals": 0})["deals"] / 50_000 for bid in range(1, 5)]
    assert shares == pytest.approx([0.07, 0.65, 0.28, 0], abs=0.06)
    by_seat = [row["score_change"] for row in run["seats"]]
    assert by_seat[3] - np.mean(by_seat[:3]) == pytest.approx(0.35, abs=0.05)
    two, seven = (simulate(Rules(players=n), [room.PLAY], ["equilibrium"], deals=20_000).to_dict() for n in (2, 7))
    assert seven["stolen"] < run["stolen"] < two["stolen"]


# House rules whose plans do not come with the program.

ODD = Rules(players=3, stuck_dealer="throw_in_same", smudge=True)


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """A cache folder of its own, few deals, and nothing remembered."""
    monkeypatch.setenv("PITCHSIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(room, "DEALS", 2000)
    monkeypatch.setattr(room, "ROUNDS", 8)
    monkeypatch.setattr(room, "MOST_ROUNDS", 8)
    policy_room._notes.cache_clear()
    yield tmp_path / "cache"
    policy_room._notes.cache_clear()


def files_in(folder):
    """What is kept there, but for the machine code of the lanes."""
    return [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".o"]


@compiled
def test_plans_for_a_house_rule_are_worked_out_once_and_kept(own_cache, monkeypatch, capsys):
    first = plans_for(ODD, False)
    said = capsys.readouterr()
    assert said.out == ""
    assert "working out how to bid under these house rules, once" in said.err
    assert f"nobody gains more than {first.about['regret']} points" in said.err
    (path,) = files_in(own_cache)
    assert path.name == "3-stuck-throw-in-same-smudge.csv"
    assert [place.what for place in storage.kept_places() if place.path == path.parent] == [
        "bidding plans for house rules"
    ]
    monkeypatch.setattr(room, "work_out", lambda *_: pytest.fail("they are kept"))
    assert plans_for(ODD, False) == first
    assert capsys.readouterr().err == ""


@compiled
def test_a_damaged_file_is_made_anew(own_cache):
    plans = plans_for(ODD, False)
    (path,) = files_in(own_cache)
    for damaged in (path.read_text()[:300], "", "# two: 1\nseat\n", plans_for(Rules(), False).text()):
        path.write_text(damaged)
        assert plans_for(ODD, False) == plans
        assert path.read_text() == plans.text()


@compiled
def test_interrupted_nothing_is_left_behind(own_cache, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(room, "settle", interrupted)
    with pytest.raises(KeyboardInterrupt):
        plans_for(ODD, False)
    assert files_in(own_cache) == []


@compiled
def test_where_nothing_can_be_kept_it_still_bids_and_says_so_once(own_cache, capsys):
    own_cache.write_text("this is no folder")
    assert len(notes(ODD)) > policy_room.PLANS
    assert capsys.readouterr().err.count("kept for this run only") == 1
    assert len(notes(ODD)) > policy_room.PLANS
    assert capsys.readouterr().err == ""


@compiled
def test_another_play_policy_or_table_never_meets_old_plans(own_cache, monkeypatch):
    before = policy_room.cache_folder()
    with monkeypatch.context() as patch:
        patch.setattr(policy_room, "source_hash", lambda: "other sources")
        assert policy_room.cache_folder() != before
    (own_cache / "data").mkdir(parents=True)
    (own_cache / "data" / "holdings.npz").write_text("other worths")
    monkeypatch.setattr(policy_room, "PACKAGE", own_cache)
    assert policy_room.cache_folder() != before


@compiled
def test_plans_of_old_programs_are_removed_in_the_end(own_cache):
    for number in range(5):
        (own_cache / f"equilibrium-{number:016x}").mkdir(parents=True)
    plans_for(ODD, False)
    assert len(list(own_cache.iterdir())) == storage.KEPT_FOLDERS


@compiled
@pytest.mark.parametrize("auction_rules", AUCTION_RULES)
def test_the_engine_runs_under_every_auction_rule(own_cache, auction_rules):
    for players, partners in ((2, False), (4, True), (6, False)):
        rules = Rules(players=players, partners=partners, **auction_rules)
        bidding = ["equilibrium", "equilibrium-margin"] * 3
        simulate(rules, ["random"], bidding[:players], deals=300, seed=3)


@compiled
def test_every_other_house_rule_has_plans(own_cache):
    for other in ({"game_tie": "pitchers_opponents"}, {"follow": "strict"}, {"smudge": True}):
        check_plans(plans_for(Rules(players=3, **other), False), Rules(players=3, **other))


@compiled
def test_where_the_same_dealer_deals_again_he_throws_in_more(own_cache, monkeypatch):
    monkeypatch.setattr(room, "DEALS", 10_000)
    monkeypatch.setattr(room, "ROUNDS", 32)
    monkeypatch.setattr(room, "MOST_ROUNDS", 32)
    heard = Heard(2, 0, -1)
    thrown_in = [
        sum(mix[0] for mix in plans_for(Rules(players=3, stuck_dealer=stuck), False).calls[heard])
        for stuck in ("throw_in_next", "throw_in_same")
    ]
    assert 0 < thrown_in[0] < thrown_in[1]


PLAIN_PLANS = "from pitchsim.bidding.equilibrium import plans_for; from pitchsim.rules import Rules; import sys; "


@compiled
@pytest.mark.slow
def test_without_the_compiler_another_process_works_them_out(tmp_path):
    code = PLAIN_PLANS + f"sys.stdout.write(plans_for({Rules(players=2, smudge=True)!r}, False).text())"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PITCHSIM_CACHE": os.environ.get("PITCHSIM_CACHE", "")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    check_plans(Plans.read(done.stdout), Rules(players=2, smudge=True))


PLAIN_CALLS = """
import json, sys
sys.path.insert(0, {tests!r})
from test_equilibrium import some_calls
print(json.dumps(some_calls()))
"""


def some_calls():
    rng, calls = random.Random(4), []
    for rules, margin in SHIPPED[::5]:
        table = notes_of(rules, margin)
        for _ in range(20):
            heard = rng.choice(situations(rules))
            view = view_of(rules, table, random_hand(rng), heard, rng.randrange(1 << 62))
            calls += [int(equilibrium(view)), int(casual(view))]
    return calls


@compiled
def test_plain_python_makes_the_same_calls():
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    code = PLAIN_CALLS.format(tests=str(Path(__file__).parent))
    answer = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert json.loads(answer.stdout) == some_calls()


# The beginner.


def eye(holding):
    return bid_by_eye(sum(1 << RANKS.index(rank) for rank in holding))


def test_casual_counts_honours_and_length():
    wanted = {"J": 0, "K7": 0, "A": 1, "A9": 1, "A2": 2, "J97": 1, "AK": 2, "AK4": 2, "AJ7": 2, "AK42": 3, "AKJ42": 4}
    assert {holding: eye(holding) for holding in wanted} == wanted


@pytest.mark.parametrize(("players", "partners"), LINE_UPS)
def test_casual_calls_are_legal_under_every_house_rule(players, partners):
    rng, table = random.Random(players + 10 * partners), np.zeros(1, np.int32)
    for auction_rules in AUCTION_RULES:
        rules = Rules(players=players, partners=partners, **auction_rules)
        for heard in situations(rules):
            view = view_of(rules, table, random_hand(rng), heard)
            assert view.legal >> casual(view) & 1


def test_casual_bids_by_its_cards_alone_and_takes_what_they_are_good_for():
    table = np.zeros(1, np.int32)

    def call(text, seat, highest=0, bidder=-1):
        return casual(view_of(Rules(), table, cards_to_set(parse_hand(text)), Heard(seat, highest, bidder)))

    assert [call("AS KS 4S JD TC 9H", seat) for seat in range(4)] == [2, 2, 2, 2]
    assert [call("AS KS 4S JD TC 9H", 3, highest, 0) for highest in (1, 2, 3)] == [2, 2, 0]
    assert call("AS KS 4S JD TC 9H", 1, 2, 0) == 0
    assert call("7S 6S 5D 9D 8C 4H", 3) == 2
    assert call("7S 6S 5D 9D 8C 4H", 0) == 0


@compiled
def test_others_may_be_beginners():
    sharp, soft = (
        pitchsim.advise("AS KS 4S JD TC 2H", auction="pass 2", others=others, deals=4000)
        for others in (None, "greedy/casual")
    )
    assert sharp.to_dict()["calls"] != soft.to_dict()["calls"]
    assert "casual" in soft.to_text()


@compiled
def test_a_beginner_is_worse_but_no_fool():
    base = simulate(Rules(), [room.PLAY], ["equilibrium"], deals=40_000, seed=5)
    losses = []
    for seat in range(4):
        bidding = ["casual" if other == seat else "equilibrium" for other in range(4)]
        run = simulate(Rules(), [room.PLAY], bidding, deals=40_000, seed=5)
        losses.append(base.seat_change(seat).mean - run.seat_change(seat).mean)
    assert 0.02 < np.mean(losses) < 0.25


# What a call says about the hand behind it.


@kernel(
    types.void(
        NUMBERS, NUMBERS, HOUSE, NUMBERS, int64, int64, int64, uint64, uint64, int64, TABLE, NUMBERS, TABLE, NUMBERS,
        NUMBERS,
    )
)  # fmt: skip
def proposed_hands(
    bidders, table, house, deck, hand, seat, heard, key, luck_key, count, hands, wrong, desk, accept, log
):
    """Deals as `weigh_calls` proposes them, and how many of the calls heard do not fit."""
    room_words, bytes_of_room, dealt, _, _ = laid_out(desk)
    for deal in range(count):
        deal_hands(deck, room_words, bytes_of_room, dealt, 1, house.players, int64(52 - HAND_SIZE), key, deal)
        for other in range(seat):
            dealt[other] = dealt[other + 1]
        dealt[seat] = hand
        luck = luck_of(luck_key, deal)
        wrong[deal] = mismatches(
            borrowed(bidders), borrowed(table), house, dealt, seat, heard, luck, int64(0), accept, log
        )
        for other in range(house.players):
            hands[deal, other] = dealt[other]


ENOUGH = 200


def predictions(seating, seed, deal, proposals, weights):
    """What the last seat but one can tell of the others from their calls, and what is true: pairs, by question."""
    record, rules = replay(seating, seed, deal), seating.rules
    said = [call["bid"] for call in record["auction"]]
    seat = min(len(said) - 1, rules.players - 1)
    if not any(said[:seat]):
        return {}
    truth = [cards_to_set([parse_card(card) for card in hand]) for hand in record["hands"]]
    packed = sum((call + 1) << 4 * other for other, call in enumerate(said[:seat]))
    hands, wrong = np.zeros((proposals, 7), np.int64), np.zeros(proposals, np.int64)
    keys = Keys.of(1000 + deal)
    proposed_hands(
        seating.bidders, seating.notes, seating.house, packed_deck(ALL_CARDS & ~truth[seat]), truth[seat], seat,
        packed, keys.deal, keys.luck, proposals, hands, wrong, new_desk(),
        np.full(MOST_STRATA + 1, KEEP_ALL, np.int64), new_log(),
    )  # fmt: skip
    weight = weights[wrong]
    if weight.sum() ** 2 < ENOUGH * (weight**2).sum():
        return {}  # calls so rare that too few deals fit: the prediction would be noise
    bidder = max(other for other in range(seat) if said[other])
    lane = deal % 4
    cards = SUIT_CARDS << LANE_BITS * lane
    others = [other for other in range(rules.players) if other != seat]
    answers = {}
    for question, card in (("ace out", ACES & cards), ("jack out", JACKS & cards)):
        if not truth[seat] & card:
            seen = (np.bitwise_or.reduce(hands[:, others], axis=1) & card) != 0
            answers[question] = weight @ seen / weight.sum(), any(truth[other] & card for other in others)
    for least in (1, 2, 3):
        seen = np.bitwise_count(hands[:, bidder] & cards) >= least
        answers[f"{least} held"] = weight @ seen / weight.sum(), (truth[bidder] & cards).bit_count() >= least
        ace = (hands[:, bidder] & ACES & cards) != 0
    answers["bidder's ace"] = weight @ ace / weight.sum(), bool(truth[bidder] & ACES & cards)
    return answers


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("name", ["thresholds", "equilibrium"])
def test_what_calls_say_is_calibrated(name):
    """Of all that is predicted with a chance of 30 to 40 %, so many are true, and so in every tenth."""
    seating = seat_players(Rules(), ["sound"], [name])
    odds = Weigher(seating, Keys.of(1)).odds_against_error
    weights = odds ** -np.arange(MOST_STRATA + 1, dtype=float)
    found = [answers for _, answers in in_threads(lambda first, count: [
        predictions(seating, 9, deal, 6000, weights) for deal in range(first, first + count)
    ], 0, 3000, 2, 250)]  # fmt: skip
    answers = [answer for some in found for answer in some]
    for question in ("ace out", "jack out", "1 held", "2 held", "3 held", "bidder's ace"):
        pairs = np.array([answer[question] for answer in answers if question in answer], float)
        assert len(pairs) > 500
        for tenth in range(10):
            inside = pairs[np.minimum((pairs[:, 0] * 10).astype(int), 9) == tenth]
            if len(inside) >= 20:
                predicted, true = inside.T
                # Each prediction is itself counted on some hundred deals; that error is far smaller than the other.
                se = np.sqrt((predicted * (1 - predicted) + 0.002).sum())
                assert abs(true.sum() - predicted.sum()) < 4 * se, (question, tenth, len(inside))
