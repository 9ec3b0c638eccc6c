"""The referee: golden deals, random deals and their mutations, junk of every kind, files."""

import copy
import gzip
import io
import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_deals import random_record, random_rules

from pitchsim.cards import parse_card, parse_hand
from pitchsim.errors import InputError, RunError
from pitchsim.records import make_record, read_lines, referee, score, score_lines
from pitchsim.rules import Rules, deal_hands, full_deck

GOLDEN = Path(__file__).parent / "golden"
DEALS = [json.loads(line) for line in (GOLDEN / "deals.jsonl").read_text().splitlines()]
ANSWERS = [json.loads(line) for line in (GOLDEN / "answers.jsonl").read_text().splitlines()]
WORKED_EXAMPLE = DEALS[0]


def broken(record):
    """Name the rule that a record breaks, and where."""
    answer = score(record)
    assert set(answer) == {"violation"}, answer
    assert set(answer["violation"]) == {"rule", "where", "why"}
    return answer["violation"]["rule"], answer["violation"]["where"]


def is_error(record):
    answer = score(record)
    return set(answer) == {"error"} and set(answer["error"]) == {"line", "why"}


def changed(record=WORKED_EXAMPLE, **fields):
    """Copy a record with some fields changed."""
    return copy.deepcopy(record) | fields


def with_rules(record=WORKED_EXAMPLE, **rules):
    return changed(record, rules=record["rules"] | rules)


# Golden deals


@pytest.mark.parametrize(("record", "answer"), list(zip(DEALS, ANSWERS, strict=True)), ids=[d["note"] for d in DEALS])
def test_golden_deals_are_answered_as_written_down(record, answer):
    assert json.dumps(score(record)) == json.dumps(answer)
    assert score(json.dumps(record)) == answer
    assert score(json.dumps(record).encode()) == answer


def test_the_worked_example_needs_neither_schema_nor_scores_nor_default_rules():
    record = copy.deepcopy(WORKED_EXAMPLE)
    del record["schema"], record["scores_before"]
    record["rules"] = {"players": 2}
    assert score(record) == ANSWERS[0]


def test_unknown_keys_are_left_alone():
    record = with_rules(joker=True)
    record |= {"result": None, "trace": [[]], "note": {}}
    record["auction"][0]["thought"] = "three sure"
    assert score(record) == ANSWERS[0]


def test_cards_of_a_record_typed_in_by_hand_may_be_spelled_as_hands_are():
    record = changed()
    record["hands"] = [[card.lower().replace("t", "10") for card in hand] for hand in record["hands"]]
    assert score(record) == ANSWERS[0]
    assert broken(changed(hands=[["10D", *record["hands"][0][:2], "KD", "4H", "TD"], record["hands"][1]]))[0] == "R2"


# Random deals


def test_random_deals_under_random_house_rules_are_legal_and_add_up():
    rng = random.Random(1)
    for _ in range(400):
        rules = random_rules(rng)
        record = random_record(rng, rules)
        answer = score(json.dumps(record))
        before = record["scores_before"]
        assert answer["scores_after"] == [a + b for a, b in zip(before, answer["delta"], strict=True)]
        if "thrown_in" in answer:
            assert answer["delta"] == [0] * rules.sides
            continue
        dealt = sum({"T": 10, "J": 1, "Q": 2, "K": 3, "A": 4}.get(c[0], 0) for h in record["hands"] for c in h)
        assert sum(answer["trick_points_by_seat"]) == dealt
        jack = any(card == "J" + answer["trump"] for hand in record["hands"] for card in hand)
        assert (answer["jack_seat"] is not None) == jack
        assert sum(answer["points_won"]) == 2 + jack + (answer["game_side"] is not None)
        highest = max((parse_card(c), s) for s, h in enumerate(record["hands"]) for c in h if c[1] == answer["trump"])
        assert answer["high_seat"] == highest[1]  # the highest trump wins its trick, so its holder has High


def test_a_record_is_read_back_as_it_was_written():
    rng = random.Random(2)
    for _ in range(50):
        rules = random_rules(rng)
        record = random_record(rng, rules)
        assert list(record) == ["schema", "rules", "dealer", "scores_before", "hands", "auction", "plays"]
        deal, before = referee(json.loads(json.dumps(record)))
        calls = [
            (call["bid"], parse_card(call["pitched"])) if "pitched" in call else call["bid"]
            for call in record["auction"]
        ]
        plays = [(seat, parse_card(card)) for seat, card in record["plays"]]
        assert deal.rules == rules
        assert make_record(deal.rules, deal.dealer, deal.hands, calls, plays, before) == record


def test_a_record_without_scores_begins_at_zero():
    record = make_record(Rules(partners=True), 0, deal_hands(full_deck(), 4), [], [])
    assert record["scores_before"] == [0, 0]
    assert score(record)["next"] == {"seat": 1, "calls": [0, 1, 2, 3, 4]}


def test_every_beginning_of_a_legal_deal_is_legal_and_says_what_can_be_said():
    rng = random.Random(3)
    for _ in range(25):
        record = random_record(rng, random_rules(rng))
        whole = score(record)
        for stop in range(len(record["plays"])):
            answer = score(changed(record, plays=record["plays"][:stop]))
            assert answer["finished"] is False
            for key in set(answer) & {"pitcher", "bid", "high_seat", "low_seat", "jack_seat"}:
                assert answer[key] == whole[key]
            assert answer["trump"] in (None, whole["trump"])
            assert answer["trick_winners"] == whole["trick_winners"][: stop // record["rules"]["players"]]
            seat, card = record["plays"][stop]
            assert answer["next"]["seat"] == seat
            assert card in answer["next"]["cards"]
        for stop in range(len(record["auction"])):
            answer = score(changed(record, plays=[], auction=record["auction"][:stop]))
            assert answer["finished"] is False
            assert answer["pitcher"] is answer["bid"] is answer["trump"] is None
            assert answer["next"]["seat"] == record["auction"][stop]["seat"]
            assert record["auction"][stop]["bid"] in answer["next"]["calls"]


def test_auction_and_plays_that_are_left_out_have_not_begun():
    record = {key: WORKED_EXAMPLE[key] for key in ("rules", "dealer", "hands")}
    assert score(record)["next"] == {"seat": 1, "calls": [0, 1, 2, 3, 4]}


def test_a_pitched_card_shows_trump_before_it_is_played():
    record = changed(auction=[{"seat": 1, "bid": 4, "pitched": "KH"}], plays=[])
    assert score(record)["trump"] == "H"
    assert score(record)["next"] == {"seat": 1, "cards": ["KH"]}


# Mutations of legal deals are caught, with the right rule


def mutations(rng, record):
    """Break a legal deal in one place in many ways; give each with the rule, and where it is broken."""
    players, hands, auction, plays = (
        record["rules"]["players"],
        *(record[k] for k in ("hands", "auction", "plays")),
    )
    stranger = next(str(card) for card in full_deck() if all(str(card) not in hand for hand in hands))
    yield "R1", "deal", changed(record, hands=hands[:-1])
    yield "R1", "deal", changed(record, hands=[*hands, [stranger] * 6])
    yield "R1", "deal", changed(record, dealer=players)
    yield "R1", "deal", changed(record, dealer=-1)
    yield "R1", "deal", with_rules(record, players=rng.choice([-4, 0, 1, 8, 10**30]))
    if players != 4:
        yield "R1", "deal", with_rules(record, partners=True)
    yield (
        "R2",
        "deal",
        changed(record, hands=[[rng.choice(["1S", "", "ZZ", "A"]), *hands[0][1:]], *hands[1:]]),
    )
    yield "R2", "deal", changed(record, hands=[[hands[1][0], *hands[0][1:]], *hands[1:]])
    yield "R3", "deal", changed(record, hands=[*hands[:-1], hands[-1][:-1]])
    yield "R3", "deal", changed(record, hands=[[*hands[0], stranger], *hands[1:]])
    yield "R17", "deal", with_rules(record, target=rng.choice([0, -7]))
    yield "R4", "deal", with_rules(record, lowest_bid=rng.choice([0, 3]))

    place = rng.randrange(len(auction))
    call = auction[place]
    other = rng.choice([seat for seat in range(-1, players + 1) if seat != call["seat"]])
    yield "R4", f"call {place}", changed(record, auction=[*auction[:place], call | {"seat": other}])
    wrong = {"seat": call["seat"], "bid": rng.choice([-1, 5, 10**30])}
    yield "R4", f"call {place}", changed(record, auction=[*auction[:place], wrong])
    highest = max([c["bid"] for c in auction[:place]], default=0)
    if highest > 1 and call["seat"] != record["dealer"]:
        low = {"seat": call["seat"], "bid": rng.randint(1, highest)}
        yield "R4", f"call {place}", changed(record, auction=[*auction[:place], low])
    if call["bid"] != 4:
        held = rng.choice(hands[call["seat"]])
        yield "R5", f"call {place}", changed(record, auction=[*auction[:place], call | {"pitched": held}])
    ended = auction[-1]["bid"] == 4 and record["rules"]["dealer_may_steal"] in (True, False)
    more = [*auction, {"seat": rng.randrange(players), "bid": rng.randint(0, 4)}]
    yield "R5" if ended else "R4", f"call {len(auction)}", changed(record, auction=more)
    if not plays:
        yield "R7", "play 0", changed(record, plays=[[0, hands[0][0]]])
        return

    yield "R8", "play 0", changed(record, plays=[[other, plays[0][1]]]) if other != plays[0][0] else None
    yield "R8", f"play {6 * players}", changed(record, plays=[*plays, plays[0]])
    if len(auction) > 1:
        yield "R8", "play 0", changed(record, auction=auction[:-1])
    place = rng.randrange(1, len(plays))
    seat, card = plays[place]
    yield "R10", f"play {place}", changed(record, plays=[*plays[:place], [(seat + 1) % players, card]])
    yield "R9", f"play {place}", changed(record, plays=[*plays[:place], [seat, stranger]])
    yield "R2", f"play {place}", changed(record, plays=[*plays[:place], [seat, "10"]])
    deal = referee(changed(record, plays=plays[:place])).deal
    for revoke in set(deal.held[seat]) - set(deal.legal_cards()):
        yield "R9", f"play {place}", changed(record, plays=[*plays[:place], [seat, str(revoke)]])


def test_mutations_of_legal_deals_are_caught_with_the_right_rule_at_the_right_place():
    rng = random.Random(4)
    seen = set()
    for _ in range(300):
        for rule, where, record in mutations(rng, random_record(rng, random_rules(rng))):
            if record is not None:
                assert broken(record) == (rule, where), (rule, where, json.dumps(record))
                seen.add(rule)
    assert seen == {"R1", "R2", "R3", "R4", "R5", "R7", "R8", "R9", "R10", "R17"}


# Which rule comes first


FOUR_HANDS = [[str(card) for card in hand] for hand in deal_hands(full_deck(), 4)]


def auction_of(*bids, **rules):
    """Record an auction of four, the dealer being seat 3."""
    calls = [{"seat": seat, "bid": bid} for seat, bid in enumerate(bids)]
    return {"rules": rules, "dealer": 3, "hands": FOUR_HANDS, "auction": calls}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (auction_of(2, 1), ("R4", "call 1")),
        (auction_of(1, lowest_bid=2), ("R4", "call 0")),
        (auction_of(0, 4, 0), ("R5", "call 2")),
        (auction_of(0, 4, 9), ("R5", "call 2")),
        (auction_of(0, 0, 3, 3, dealer_may_steal=False), ("R6", "call 3")),
        (auction_of(0, 0, 3, 3, dealer_may_steal="only_4"), ("R6", "call 3")),
        (auction_of(0, 0, 3, 2), ("R4", "call 3")),
        (auction_of(4, 4, dealer_may_steal="any"), ("R4", "call 1")),
        (auction_of(4, 0, 0, 3, dealer_may_steal="any"), ("R4", "call 3")),
        (auction_of(0, 0, 0, 0), ("R7", "call 3")),
        (auction_of(0, 0, 0, 1), ("R7", "call 3")),
        (auction_of(0, 0, 0, 1, lowest_bid=2), ("R7", "call 3")),
        (auction_of(0, 0, 0, 1, stuck_dealer="throw_in_next"), ("R7", "call 3")),
        (auction_of(0, 0, 0, 5), ("R4", "call 3")),
    ],
)
def test_an_auction_breaks_the_rule_that_it_breaks(record, expected):
    assert broken(record) == expected


def test_r6_a_stolen_bid_of_every_height_is_legal_where_the_house_says_so():
    for bid, steal in ((1, True), (2, True), (3, True), (1, "any"), (4, "any"), (4, "only_4")):
        answer = score(auction_of(bid, 0, 0, bid, dealer_may_steal=steal))
        assert (answer["pitcher"], answer["bid"]) == (3, bid)


def test_turn_comes_before_held_and_held_before_follow():
    # Seat 0 is to play to the jack of spades: out of turn with a card not held, then in turn with it.
    plays = WORKED_EXAMPLE["plays"]
    assert broken(changed(plays=[[0, "AS"]])) == ("R8", "play 0")
    assert broken(changed(plays=[plays[0], [1, "AS"]])) == ("R10", "play 1")
    assert broken(changed(plays=[plays[0], [0, "AH"]])) == ("R9", "play 1")
    assert broken(changed(plays=[*plays[:2], [1, "JS"]])) == ("R9", "play 2")  # played already
    assert broken(changed(plays=[*plays[:5], [0, "6C"]])) == ("R9", "play 5")  # holds a heart


def test_the_auction_comes_before_the_play_and_the_table_before_the_auction():
    record = changed(auction=[{"seat": 0, "bid": 3}], plays=[[0, "AS"]])
    assert broken(record) == ("R4", "call 0")
    assert broken(changed(record, hands=[])) == ("R1", "deal")
    assert broken(with_rules(changed(record, hands=[]), target=0)) == ("R17", "deal")


def test_types_come_before_rules():
    assert is_error(changed(hands=[], plays=[[0, 5]]))
    assert is_error(with_rules(players=9, partners=0))
    assert is_error(with_rules(target=0, winning="nobody"))


def test_r5_a_pitched_card_that_is_not_the_first_lead():
    record = changed(auction=[{"seat": 1, "bid": 4, "pitched": "KH"}], plays=[[1, "JS"]])
    assert broken(record) == ("R5", "play 0")
    assert broken(changed(record, plays=[[0, "JS"]])) == ("R8", "play 0")
    assert broken(changed(record, auction=[{"seat": 1, "bid": 4, "pitched": "AS"}])) == ("R5", "call 0")
    assert broken(changed(record, auction=[{"seat": 1, "bid": 4, "pitched": "XX"}])) == ("R2", "call 0")
    assert broken(changed(record, auction=[{"seat": 0, "bid": 3, "pitched": "XX"}])) == ("R2", "call 0")
    assert "finished" in score(changed(record, plays=[[1, "KH"]]))


def test_r5_a_pitched_card_goes_back_when_the_four_is_stolen():
    record = with_rules(dealer_may_steal="any")
    record["auction"] = [{"seat": 1, "bid": 4, "pitched": "KH"}, {"seat": 0, "bid": 4, "pitched": "3C"}]
    assert broken(changed(record, plays=[[0, "TD"]])) == ("R5", "play 0")
    record["plays"] = [[0, "3C"], [1, "2C"], [0, "4H"], [1, "KH"]]
    assert score(record)["trick_winners"] == [0, 1]


def test_r9_strict_is_judged_by_the_rules_of_the_record():
    hands = [["AH", "2S", "3D", "4D", "5D", "6D"], ["KS", "KH", "7C", "8C", "9C", "TC"]]
    plays = [[1, "KS"], [0, "2S"], [1, "KH"], [0, "AH"]]
    hands[0][5] = "3S"
    record = {"rules": {"players": 2}, "dealer": 0, "hands": hands, "plays": [*plays[:3], [0, "3S"]]}
    record["auction"] = [{"seat": 1, "bid": 2}, {"seat": 0, "bid": 0}]
    assert score(record)["trick_winners"] == [1, 0]
    assert broken(with_rules(record, follow="strict")) == ("R9", "play 3")
    assert "must follow" in score(with_rules(record, follow="strict"))["violation"]["why"]


# What is no record


@pytest.mark.parametrize(
    "record",
    [
        None,
        7,
        "hands",
        [],
        {},
        {"rules": {"players": 2}, "dealer": 0},
        changed(schema="pitch-deal/2"),
        changed(schema=None),
        changed(hands=None),
        changed(hands="AS KS"),
        changed(hands={"0": []}),
        changed(hands=[None, None]),
        changed(hands=["3C 6C TD KD 4H 5H", "2C 2D 3D KH AH JS"]),
        changed(hands=[[1, 2, 3, 4, 5, 6], WORKED_EXAMPLE["hands"][1]]),
        changed(hands=[[None] * 6, WORKED_EXAMPLE["hands"][1]]),
        changed(dealer="0"),
        changed(dealer=None),
        changed(dealer=True),
        changed(dealer=0.0),
        {key: value for key, value in WORKED_EXAMPLE.items() if key != "dealer"},
        changed(rules=None),
        changed(rules=[]),
        changed(scores_before=[0]),
        changed(scores_before=[0, 0, 0]),
        changed(scores_before=[]),
        changed(scores_before=None),
        changed(scores_before=0),
        changed(scores_before=[0, None]),
        changed(scores_before=[0, 1.5]),
        changed(scores_before=[True, False]),
        changed(scores_before=[0, 10**4000]),
        changed(auction=None),
        changed(auction={}),
        changed(auction=[1]),
        changed(auction=[[1, 3]]),
        changed(auction=[{"seat": 1}]),
        changed(auction=[{"bid": 3}]),
        changed(auction=[{"seat": 1, "bid": "3"}]),
        changed(auction=[{"seat": 1, "bid": 3.0}]),
        changed(auction=[{"seat": 1, "bid": None}]),
        changed(auction=[{"seat": True, "bid": 3}]),
        changed(auction=[{"seat": 1, "bid": True}]),
        changed(auction=[{"seat": 1, "bid": 4, "pitched": None}]),
        changed(auction=[{"seat": 1, "bid": 4, "pitched": 4}]),
        changed(plays=None),
        changed(plays="JS"),
        changed(plays=["JS"]),
        changed(plays=[[1]]),
        changed(plays=[[1, "JS", 0]]),
        changed(plays=[["1", "JS"]]),
        changed(plays=[[True, "JS"]]),
        changed(plays=[[1, None]]),
        changed(plays=[[1, ["JS"]]]),
        changed(plays=[{"seat": 1, "card": "JS"}]),
        with_rules(players="2"),
        with_rules(players=2.0),
        with_rules(players=None),
        with_rules(players=[]),
        with_rules(partners=0),
        with_rules(target="7"),
        with_rules(lowest_bid=True),
        with_rules(dealer_may_steal=1),
        with_rules(dealer_may_steal="up-to-3"),
        with_rules(stuck_dealer=False),
        with_rules(low_goes_to="winner"),
        with_rules(game_tie=None),
        with_rules(follow="or-trump"),
        with_rules(winning=[[]]),
        with_rules(smudge="true"),
        with_rules(end_after=2.5),
    ],
)
def test_what_is_no_record_or_has_a_field_of_the_wrong_type_is_an_error(record):
    if isinstance(record, str):
        record = json.dumps(record)
    assert is_error(record), score(record)
    assert is_error(json.dumps(record))


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "null",
        "not json",
        '{"hands": NaN}',
        '{"note": Infinity, "hands": []}',
        "[" * 100_000,
        '{"a":' * 100_000,
        "[" * 900 + "]" * 900,
        '{"hands": ' + "[" * 900 + "]" * 900 + "}",
        '{"dealer": 0, "hands": [], "rules": {"winning": ' + "[" * 900 + "]" * 900 + "}}",
        '{"dealer": ' + "9" * 5000 + ', "hands": []}',
        b"\xff\xfe\x00",
        b'{"hands": "\xff"}',
        "\x00",
        '{"dealer": 0, "hands": []} {"dealer": 0, "hands": []}',
        "   ",
        "",
    ],
)
def test_a_line_that_is_no_json_is_an_error_and_not_a_traceback(line):
    assert is_error(line)


@pytest.mark.parametrize(
    "line",
    [
        '{"dealer": 0, "hands": [], "rules": {"players": ' + "9" * 4000 + "}}",
        '{"dealer": ' + "9" * 4000 + ', "hands": [[],[],[],[]]}',
        '{"dealer": 0, "dealer": 1, "hands": [], "hands": []}',
        '{"dealer": 0, "hands": [["\\ud800","","","","",""],[],[],[]]}',
    ],
)
def test_odd_but_well_formed_records_break_a_rule_and_can_be_printed(line):
    answer = score(line)
    assert set(answer) == {"violation"}
    assert len(json.dumps(answer, ensure_ascii=False).encode()) < 300


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["AS", "JS", "TD"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["seat", "bid", "players"]), inner),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_junk_anywhere_in_a_record_gets_an_answer_that_can_be_printed(data):
    record = changed(data.draw(st.sampled_from(DEALS)))
    for _ in range(data.draw(st.integers(1, 3))):
        place = record
        while isinstance(place, dict | list) and place:
            key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
            if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
                place[key] = data.draw(JUNK)
                break
            place = place[key]
    answer = score(record)
    assert len({"pitcher", "thrown_in", "violation", "error"} & set(answer)) == 1
    json.dumps(answer)
    line = json.dumps(record)
    if "NaN" not in line and "Infinity" not in line:
        assert score(line) == answer


@settings(max_examples=200, deadline=None)
@given(st.binary() | st.text())
def test_garbage_lines_are_errors(line):
    assert "error" in score(line)


# Lines and files


def test_every_line_gets_an_answer_and_none_stops_the_rest():
    good = json.dumps(WORKED_EXAMPLE)
    answers = list(score_lines([good, "junk", b"\xff", "", good.encode() + b"\r\n", "[]", good]))
    assert [answers[k] for k in (0, 4, 6)] == [ANSWERS[0]] * 3
    assert [answers[k]["error"]["line"] for k in (1, 2, 3, 5)] == [2, 3, 4, 6]


def test_empty_lines_at_the_end_are_no_lines():
    good = json.dumps(WORKED_EXAMPLE)
    assert len(list(score_lines([good, "\n", " \n", b"\n"]))) == 1
    assert [set(answer) == {"error"} for answer in score_lines(["\n", "\n", good])] == [True, True, False]
    assert list(score_lines([])) == list(score_lines(["\n"])) == []


def test_lines_are_answered_as_they_come():
    def lines():
        yield json.dumps(WORKED_EXAMPLE)
        raise AssertionError("asked for a line too early")

    assert next(score_lines(lines())) == ANSWERS[0]


def test_ten_thousand_records_take_a_few_seconds():
    rng = random.Random(5)
    lines = [json.dumps(random_record(rng, Rules())) for _ in range(500)]
    start = time.process_time()
    assert sum("pitcher" in answer for answer in score_lines(lines)) == 500
    assert time.process_time() - start < 1.0  # takes 0.1


def test_a_file_is_read_plain_or_packed(tmp_path):
    content = (GOLDEN / "deals.jsonl").read_bytes()
    plain, packed, disguised = tmp_path / "d.jsonl", tmp_path / "d.jsonl.gz", tmp_path / "plain.gz"
    plain.write_bytes(b"\xef\xbb\xbf" + content)
    packed.write_bytes(gzip.compress(content))
    disguised.write_bytes(content.replace(b"\n", b"\r\n"))
    for file in (plain, packed, disguised, str(packed)):
        assert list(score_lines(read_lines(file))) == ANSWERS


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_is_a_file_too(monkeypatch, pack):
    content = (GOLDEN / "deals.jsonl").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(pack(content))))
    assert list(score_lines(read_lines("-"))) == ANSWERS


def test_an_empty_file_has_no_lines_and_a_binary_one_has_errors(tmp_path):
    file = tmp_path / "records"
    file.write_bytes(b"")
    assert list(score_lines(read_lines(file))) == []
    file.write_bytes(random.Random(6).randbytes(5000))
    answers = list(score_lines(read_lines(file)))
    assert answers
    assert all(set(answer) == {"error"} for answer in answers)


def test_a_missing_file_or_a_folder_is_told_at_once(tmp_path):
    for path in (tmp_path / "none.jsonl", tmp_path, "nul\0.jsonl"):
        with pytest.raises(InputError, match="cannot be read"):
            read_lines(path)


def test_a_damaged_packed_file_is_read_as_far_as_it_goes(tmp_path):
    lines = b"".join(b'{"n": %d}\n' % n for n in range(20_000))
    packed = gzip.compress(lines)
    for name, content in (("cut.gz", packed[: len(packed) // 2]), ("bad.gz", packed[:5000] + b"x" * 5000)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(RunError, match="cannot be read beyond line"):
            list(read_lines(tmp_path / name))


def test_whole_numbers_of_numpy_can_be_written_down():
    numpy = pytest.importorskip("numpy")
    hands = deal_hands(full_deck(), 2)
    scores = numpy.array([1, -2])
    plays = [(numpy.int64(1), hands[1][0])]
    record = make_record(Rules(players=2), numpy.int64(0), hands, numpy.array([3, 0]), plays, scores)
    assert score(json.dumps(record))["pitcher"] == 1


def test_a_hand_of_a_record_is_a_hand_as_text_too():
    hands = [parse_hand(hand) for hand in WORKED_EXAMPLE["hands"]]
    assert [[str(card) for card in hand] for hand in hands] == WORKED_EXAMPLE["hands"]
