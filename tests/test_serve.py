"""Lending the brain: the answers are the engine's own, nonsense gets one sentence, and no line ends it."""

import json
import os
import random
import signal
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from random_deals import random_record, random_rules
from test_twins import chosen, mixed, mixed_page

from pitchsim.cli import main
from pitchsim.jit import PLAIN, entry, policy
from pitchsim.plugins import Found, find, no_notes
from pitchsim.policies import PLAY
from pitchsim.request import LONGEST
from pitchsim.rules import Rules
from pitchsim.seating import Seating
from pitchsim.serving import BIDDING, Brain
from pitchsim.simulation import replay
from pitchsim.view import CALL, CARD, BidView, View

DEALS = 10 if PLAIN else 150
TABLES = [Rules(players=players) for players in range(2, 8)] + [Rules(partners=True)]
SEEN, HEARD = View._fields.index("luck"), BidView._fields.index("notes")
FIRST = "bid n=4 seat=2 dealer=0 hand=AS,KS,4S,9D,3C,2C said=0"
PITCH = "play n=4 seat=2 dealer=0 hand=AS,KS,4S,9D,3C,2C said=0,2,0,0 cards="


@policy(CARD)
def by_sight(view):
    """Play a card that depends on everything in the view but the luck, and on everything on the page."""
    return chosen(view.legal, mixed((mixed(view[:SEEN]), mixed_page(view), entry(view.notes, 3))))


@policy(CALL)
def by_hearing(view):
    """Make a call that depends on everything heard and held but the luck."""
    heard = (
        view.hand, view.seat, view.highest, view.bidder + 1, view.calls, view.legal, view.players, view.partners,
        view.low_to_holder, view.strict, view.lowest_bid, entry(view.notes, 2),
    )  # fmt: skip
    return chosen(view.legal, mixed(heard))


@policy(CARD)
def cheat(view):
    """Play the ace of spades, whatever is legal."""
    return 12


@policy(CARD)
def lost(view):
    """Play a card that there is not."""
    return 15


@policy(CALL)
def shout(view):
    """Bid 7."""
    return 7


@policy(CARD)
def faint(view):
    """Raise an error."""
    if view.hand != 0:
        raise ValueError("too hot")
    return 0


def found(function, notes=no_notes):
    return Found(function.__name__, function, notes, "test", "")


def brain(rules=None, play="greedy", bidding="thresholds", seed=1):
    play, bidding = (
        find(kind, policy) if isinstance(policy, str) else policy for kind, policy in ((PLAY, play), (BIDDING, bidding))
    )
    return Brain(rules or Rules(), play, bidding, seed)


def line_of(command, **named):
    """One request as text."""

    def spelled(value):
        return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(int(value))

    return " ".join([command, *(f"{key}={spelled(value)}" for key, value in named.items())])


def decisions(record, turned=0):
    """Every decision of a recorded deal as a request, seats moved on by `turned`, with the answer of the record."""
    players, partners = record["rules"]["players"], record["rules"]["partners"]
    dealer = (record["dealer"] + turned) % players
    said, hands, cards = [], [list(hand) for hand in record["hands"]], []
    for call in record["auction"]:
        seat = call["seat"]
        same = {"n": players, "partners": partners, "seat": (seat + turned) % players, "dealer": dealer}
        yield ("bid", {**same, "hand": list(hands[seat]), "said": list(said)}, f"bid {call['bid']}")
        said.append(call["bid"])
    for seat, card in record["plays"]:
        same = {"n": players, "partners": partners, "seat": (seat + turned) % players, "dealer": dealer}
        yield ("play", {**same, "hand": list(hands[seat]), "said": said, "cards": list(cards)}, f"card {card}")
        hands[seat].remove(card)
        cards.append(card)


def answers(mind, *lines):
    return [mind.answer(line if isinstance(line, bytes) else line.encode()) for line in lines]


def error(line, rules=None):
    """The one sentence about a request that makes no sense."""
    (answer,) = answers(brain(rules), line)
    assert answer.startswith("error "), answer
    assert answer.isascii()
    assert "\n" not in answer
    return answer.removeprefix("error ")


# The engine's own answers -----------------------------------------------------------------------------


def assert_answers_are_the_engines(rules, play, bidding, deals, seed):
    rng = random.Random(seed)
    seating = Seating(rules, (play,) * rules.players, (bidding,) * rules.players)
    mind = Brain(rules, play, bidding, seed)
    for deal in range(deals):
        record = replay(seating, seed, deal)
        for command, request, expected in decisions(record, rng.randrange(rules.players)):
            rng.shuffle(request["hand"])
            assert mind.answer(line_of(command, **request).encode()) == expected, (record, request)


@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: f"{rules.players}{'p' * rules.partners}")
@pytest.mark.parametrize("play", ["greedy", "sound"])
def test_every_decision_is_the_one_that_the_engine_makes(rules, play):
    assert_answers_are_the_engines(rules, find(PLAY, play), find(BIDDING, "thresholds"), 20 if not PLAIN else 2, 5)


def test_a_policy_is_shown_exactly_what_the_engine_shows_it_under_all_house_rules():
    rng = random.Random(6)
    play = found(by_sight, lambda rules: rng_table(rules.players))
    bidding = found(by_hearing, lambda rules: rng_table(rules.lowest_bid))
    for case in range(DEALS):
        assert_answers_are_the_engines(random_rules(rng), play, bidding, 2, case)


def rng_table(number):
    """A table that a policy brings along, another one for other rules."""
    return np.arange(10, 15, dtype=np.int32) * number


def test_every_legal_deal_makes_sense():
    rng = random.Random(8)
    for _ in range(DEALS):
        rules = random_rules(rng)
        record = random_record(rng, rules)
        mind = brain(rules, play="random")
        for command, request, _ in decisions(record):
            (answer,) = answers(mind, line_of(command, scores=record["scores_before"], **request))
            assert answer.startswith({"bid": "bid ", "play": "card "}[command]), (answer, record, request)


def test_the_examples_of_the_protocol():
    assert answers(brain(), FIRST, PITCH) == ["bid 3", "card AS"]


def test_text_and_objects_in_any_order_and_any_notation_for_cards_ask_the_same():
    same = [
        FIRST,
        "bid said=0 hand=asks4s9d3c2C  dealer=0 seat=2",
        "bid seat=2 dealer=0 hand=AK4..9.32 said=0 scores=0,0,0,0 partners=0 cards= n=4\r\n",
        '{"cmd": "bid", "seat": 2, "dealer": 0, "hand": ["AS", "KS", "4S", "9D", "3C", "2C"], "said": [0]}',
        '{"n": 4, "said": "0", "hand": "AS KS 4S 9D 3C 2C", "dealer": 0, "cmd": "bid", "seat": "2", "scores": null}',
        '  {"cmd": "bid", "seat": 2, "dealer": 0, "hand": "AS,KS,4S,9D,3C,2C", "said": [0], "partners": false}\n',
    ]
    assert answers(brain(), *same) == answers(brain(), FIRST.replace("AS,KS", "A♠,K♠")) * 6
    empty = '{"cmd": "play", "seat": 2, "dealer": 0, "hand": "AS,KS,4S,9D,3C,2C", "said": [0, 2, 0, 0], "cards": []}'
    assert answers(brain(), empty) == answers(brain(), PITCH)


def test_a_ten_is_written_t_and_read_either_way():
    hand = "hand=10S,TD seat=3 dealer=0 n=2"
    assert error(f"bid {hand} said=0").startswith("the seat is 3")
    play = "play n=2 seat=1 dealer=0 hand={} said=2,0 cards=AS,2S,KS,3S,QS,4S,JS,5S,9S,6S"
    assert answers(brain(), play.format("10S"), play.format("TS")) == ["card TS"] * 2


def test_players_of_the_request_win_over_those_of_the_command_line():
    two = "bid n=2 seat=1 dealer=0 hand=AS,KS,4S,9D,3C,2C said="
    assert answers(brain(Rules(players=7)), two)[0].startswith("bid ")
    partners = "bid seat=1 dealer=0 hand=AS,KS,4S,9D,3C,2C said= scores=0,0 partners=1"
    assert answers(brain(), partners)[0].startswith("bid ")
    assert error(partners.replace("0,0 ", "1,2,3,2 ")).startswith("4 scores given for 2 sides")
    assert answers(brain(), partners.replace("0,0 ", "1,2,1,2 "))[0].startswith("bid ")
    assert error("bid n=5 seat=1 dealer=0 hand=AS said=", Rules(partners=True)) == (
        "partners need exactly 4 players, not 5 (R1)"
    )


def test_the_last_card_and_the_only_call_are_answered_without_asking():
    play = "play n=2 seat=1 dealer=0 hand=TS said=2,0 cards=AS,2S,KS,3S,QS,4S,JS,5S,9S,6S"
    assert answers(brain(play=found(faint)), play) == ["card TS"]
    only_pass = "bid seat=2 dealer=0 hand=AS,KS,4S,9D,3C,2C said=4"
    assert answers(brain(Rules(dealer_may_steal="any"), bidding=found(shout)), only_pass) == ["bid 0"]


def test_house_rules_decide_which_calls_are_legal():
    stuck = "bid seat=0 dealer=0 hand=2S,3S,4H,5H,6D,7C said=0,0,0"
    assert answers(brain(bidding="passive"), stuck) == ["bid 2"]
    assert answers(brain(Rules(stuck_dealer="throw_in_next"), bidding="passive"), stuck) == ["bid 0"]
    assert "lowest bid is 2" in error("bid seat=2 dealer=0 hand=2S said=1", Rules(lowest_bid=2))
    steal = "play seat=0 dealer=0 hand=AS,KS,4S,9D,3C,2C said=0,2,0,2 cards="
    assert answers(brain(), steal)[0].startswith("card ")
    assert (
        error(steal, Rules(dealer_may_steal=False)) == "seat 0 bids 2 too, but the dealer may not steal a 2 here (R6)"
    )


# Luck -------------------------------------------------------------------------------------------------


def test_the_same_request_gets_the_same_answer_whoever_deals_and_in_any_order_of_the_hand():
    mind = brain(play="random")
    asked = [PITCH, PITCH.replace("AS,KS", "KS,AS"), PITCH.replace("seat=2 dealer=0", "seat=0 dealer=2")]
    assert len(set(answers(mind, *asked, *reversed(asked)))) == 1
    assert answers(brain(play="random"), PITCH) == answers(mind, PITCH)


def test_another_seed_and_another_moment_are_other_luck():
    assert len({answers(brain(play="random", seed=seed), PITCH)[0] for seed in range(40)}) == 6
    others = [PITCH.replace("9D", f"{rank}D") for rank in "2345678TJQKA"]
    pitched = {place for line in others for place in [line.index(answers(brain(play="random"), line)[0][5:])]}
    assert len(pitched) > 2


# What makes no sense ----------------------------------------------------------------------------------


def moment(seat, hand, cards, said="0,2,0,0", **named):
    """A request to play in the deal that all these tests play."""
    return (
        line_of("play", seat=seat, dealer=0)
        + f" hand={hand} said={said} cards={cards}"
        + "".join(f" {key}={value}" for key, value in named.items())
    )


NONSENSE = [
    # The line.
    ("", "the line is empty; a request begins with bid, play or quit"),
    ("   \t", "the line is empty"),
    ("deal n=4", "there is no command 'deal'; there are bid, play, quit"),
    (b"quit\0", "there is no command 'quit\\x00'"),
    (b"bid \xff\xfe", "the line is not UTF-8 text"),
    ("bid hand", "'hand' is not key=value"),
    ("bid seat=1 seat=2", "'seat' is given twice; give it once"),
    ("bid cmd=bid", "'cmd' is given twice"),
    ("quit now=1", "there is no key 'now'"),
    (FIRST + " trump=S", "there is no key 'trump'; the keys are n, partners, seat, dealer, hand, said, cards, scores"),
    ("bid seat=2 dealer=0 said=0", "hand is missing"),
    ("x" * (LONGEST + 1), f"the line is longer than {LONGEST} bytes"),
    # JSON.
    ("{", "the line begins like JSON and is not"),
    ("{}", "there is no command null"),
    ('{"cmd": ["bid"]}', "there is no command a list"),
    ('{"cmd": "bid"} {"cmd": "bid"}', "the line begins like JSON and is not"),
    ('{"cmd": "bid", "cmd": "play"}', "'cmd' is given twice"),
    ('{"cmd": ' + "[" * 20_000, "the line begins like JSON and is not"),
    ('{"cmd": "bid", "seat": 2.0, "dealer": 0, "hand": "AS"}', "seat is a whole number, not 2.0"),
    ('{"cmd": "bid", "seat": true, "dealer": 0, "hand": "AS"}', "seat is a whole number, not true"),
    ('{"cmd": "bid", "seat": NaN, "dealer": 0, "hand": "AS"}', "seat is a whole number, not a number without end"),
    ('{"cmd": "bid", "seat": 2, "dealer": 0, "hand": ["AS", 7]}', "7 is not a card; a card is a rank"),
    ('{"cmd": "bid", "seat": 2, "dealer": 0, "hand": {"AS": 1}}', "hand is a list of cards, as in AS,KS,4S, not"),
    ('{"cmd": "bid", "seat": 2, "dealer": 0, "hand": ["AS"], "said": 0}', "said is a list of whole numbers, not 0"),
    ('{"cmd": "bid", "seat": 2, "dealer": 0, "hand": ["AS"], "said": ["x"]}', "every number in said is a whole number"),
    ('{"cmd": "bid", "seat": %s, "dealer": 0, "hand": ["AS"]}' % ("9" * 900), "the seat is a number without end"),
    ('{"cmd": "bid", "seat": %s, "dealer": 0, "hand": ["AS"]}' % ("9" * 9000), "the line begins like JSON and is not"),
    ('{"cmd": "bid", "seat": 2, "dealer": 0, "hand": "AS", "partners": 2}', "partners is 0 or 1, not 2"),
    ('{"cmd": "bid", "seat": 2, "dealer": 0, "hand": "AS", "partners": [1]}', "partners is 0 or 1, not a list"),
    ('{"cmd": "bid", "seat": 2, "dealer": 0, "hand": "\\ud800"}', "'\\ud800' is not a card"),
    # Values.
    (FIRST.replace("n=4", "n=9"), "2 to 7 players can play, not 9 (R1)"),
    (FIRST.replace("n=4", "n=four"), "n is a whole number, not 'four'"),
    (FIRST.replace("n=4", "n=4_0"), "n is a whole number, not '4_0'"),
    (FIRST.replace("n=4", "n=" + "4" * 5000), "n is a whole number, not '444"),
    (FIRST.replace("seat=2", "seat=4"), "the seat is 4; seats are 0 to 3 (R1)"),
    (FIRST.replace("seat=2", "seat=-1"), "the seat is -1; seats are 0 to 3 (R1)"),
    (FIRST.replace("dealer=0", "dealer=4"), "the dealer is seat 4; seats are 0 to 3 (R1)"),
    (FIRST + " scores=1,2,3", "3 scores given for 4 sides"),
    (FIRST + " scores=1,2,3,x", "every number in scores is a whole number, not 'x'"),
    (FIRST + " scores=1,2,3,99999999", "a score is beyond 1000000"),
    (FIRST.replace("said=0", "said=99999999999999"), "seat 1 bids a number without end, but a call is pass"),
    (FIRST.replace("said=0", "said=,"), "every number in said is a whole number, not ''"),
    (FIRST + " partners=yes", "partners is 0 or 1, not 'yes'"),
    (FIRST.replace("AS", "1S"), "'1S' is not a card"),
    # The auction.
    (FIRST.replace("AS", "KS"), "KS is in the hand twice; a deck has it once (R2)"),
    (FIRST.replace("AS,", ""), "the hand has 5 cards; before the first trick it has 6 (R3)"),
    (FIRST.replace("said=0", "said="), "it is the turn of seat 1 to speak, not of seat 2 (R4)"),
    (FIRST.replace("said=0", "said=5"), "seat 1 bids 5, but a call is pass, 1, 2, 3 or 4 (R4)"),
    (FIRST.replace("said=0", "said=2,1"), "seat 2 bids 1, but must pass or bid higher than the 2 before (R4)"),
    (FIRST.replace("said=0", "said=0,2,0,0"), "the auction is over, since everybody has spoken"),
    (FIRST.replace("said=0", "said=4"), "the auction is over, since a 4 has ended it"),
    (FIRST.replace("said=0", "said=4,0"), "seat 2 speaks after a 4 has ended the auction (R5)"),
    (FIRST.replace("said=0", "said=0,0,0,0"), "seat 0 passes, but a stuck dealer must bid 2, 3 or 4 (R7)"),
    (FIRST.replace("said=0", "said=0,2,0,0,3"), "there are 5 calls; each of the 4 players speaks once (R4)"),
    (FIRST + " cards=2S", "cards were played before the auction is over; leave cards out of a bid (R8)"),
    # The play.
    (PITCH.replace("said=0,2,0,0", "said=0,2"), "the auction is not over, seat 3 is to speak;"),
    (PITCH.replace("seat=2", "seat=3"), "it is the turn of seat 2 to play, not of seat 3 (R10)"),
    (moment(3, "2H,3H,4H,5H,6H", "AS"), "the hand has 5 cards; seat 3 now holds 6 (R3)"),
    (moment(2, "2H,3H,4H,5H,6H,7H", "AS"), "it is the turn of seat 3 to play, not of seat 2 (R10)"),
    (moment(3, "AS,3H,4H,5H,6H,7H", "AS"), "AS is in the hand and was played already; a deck has it once (R2)"),
    (moment(0, "2H,3H,4H,5H,6H,7H", "AS,AS"), "AS is played twice; a deck has it once (R2)"),
    (
        moment(0, "2H,3H,4H,5H,6H", "AS,9D,2S,3S,KS,QS"),
        "seat 3 plays QS, but had to follow with spades when it played 9D (R9)",
    ),
    (
        moment(3, "2S,3H,4H,5H,6H", "AS,9D,4S,3S,KS"),
        "seat 3 holds 2S, but had to follow with spades when it played 9D (R9)",
    ),
    (line_of("play", n=2, seat=0, dealer=0) + " hand= said=2,0 cards=AS,2S,KS,3S,QS,4S,JS,5S,9S,6S,TS,7S",
     "12 cards are played, so the six tricks are over (R10)"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "why"), NONSENSE)
def test_a_request_that_makes_no_sense_is_told_in_one_sentence(line, why):
    assert error(line).startswith(why)


def test_a_thrown_in_hand_is_not_played():
    house = Rules(stuck_dealer="throw_in_same")
    assert error(moment(1, "2H,3H,4H,5H,6H,7H", "", said="0,0,0,0"), house).startswith("the hand was thrown in")


def test_following_strictly_a_trump_shows_a_void_too():
    line = moment(0, "2D,3D,4D,5D", "AS,2S,3S,4S,AH,5S,2H,3H,8H")
    assert answers(brain(), line)[0].startswith("card ")
    assert error(line, Rules(follow="strict")) == (
        "seat 3 plays 8H, but had to follow with hearts when it played 5S (R9)"
    )


def test_voids_that_leave_too_few_cards_cannot_be():
    # Six seats throw off on a spade, then on a heart: 24 diamonds and clubs more, and 20 are left.
    cards = "AS,2H,3H,4H,5H,6H,7H,AH,2D,3D,4D,5D,6D,7D"
    line = f"play n=7 seat=1 dealer=0 hand=KS,QS,JS,TS said=2,0,0,0,0,0,0 cards={cards}"
    assert (
        error(line) == "by what was shown, other seats hold 24 cards of diamonds and clubs, and only 20 are left (R9)"
    )
    assert answers(brain(), line.replace("AH,2D,3D,4D,5D,6D,7D", "8D,2D,3D,4D,5D,6D,7D"))[0].startswith("card ")


# Policies that fail -----------------------------------------------------------------------------------


def test_a_policy_that_fails_is_named_and_the_next_request_is_answered():
    follow = moment(3, "2H,3H,4H,5H,6S,7H", "AD")
    assert answers(brain(play=found(cheat)), PITCH, follow, PITCH) == [
        "card AS",
        "error the play policy 'cheat' answered AC, an illegal card",
        "card AS",
    ]
    assert answers(brain(play=found(lost)), follow) == ["error the play policy 'lost' answered 15, an illegal card"]
    assert answers(brain(play=found(faint)), PITCH) == ["error the play policy 'faint' raised ValueError (too hot)"]
    assert answers(brain(bidding=found(shout)), FIRST, PITCH) == [
        "error the bidding policy 'shout' answered 7, an illegal call",
        "card AS",
    ]


def test_a_mistake_of_our_own_does_not_end_it_either(monkeypatch):
    mind = brain()
    monkeypatch.setattr(mind, "_reply", lambda request: 1 // 0)
    (answer,) = answers(mind, FIRST)
    assert answer.startswith("error this is a mistake in pitchsim, please report it (ZeroDivisionError: ")


# Nothing kills it -------------------------------------------------------------------------------------

WORDS = st.sampled_from([
    "bid", "play", "quit ", "n=4", "n=2", "seat=0", "seat=1", "dealer=0", "hand=AS,KS,4S,9D,3C,2C", "said=", "said=2,0",
    "said=4", "cards=", "cards=AH", "cards=AH,KD,2C", "scores=0,0", "partners=1", "=", "hand=", "seat=9999999999", "\0",
])  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["AS,KS", "0,2"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=8,
)
OBJECTS = st.dictionaries(
    st.sampled_from(["cmd", "n", "seat", "dealer", "hand", "said", "cards", "scores", "partners", "x"]), VALUES
).map(lambda named: json.dumps({"cmd": "play"} | named).encode())
LINES = st.binary(max_size=80) | st.lists(WORDS, max_size=9).map(" ".join).map(str.encode) | OBJECTS
MIND = brain()


def assert_one_line(answer):
    assert answer is None or (answer.isascii() and "\n" not in answer)
    assert answer is None or answer.startswith(("bid ", "card ", "error "))


@settings(deadline=None, max_examples=50 if PLAIN else 600)
@given(LINES)
def test_any_line_gets_one_line(line):
    answer = MIND.answer(line)
    assert answer is None or (
        answer.isascii() and answer.startswith(("bid ", "card ", "error ")) and "\n" not in answer
    )


@settings(deadline=None, max_examples=50 if PLAIN else 600)
@given(st.integers(0, 2**32), st.integers(0, 200), st.integers(0, 300), st.binary(max_size=3))
def test_a_request_that_was_damaged_gets_one_line(seed, place, which, change):
    rng = random.Random(seed)
    asked = list(decisions(random_record(rng, Rules(players=rng.randint(2, 7)))))
    command, named, _ = asked[which % len(asked)]
    line = line_of(command, **named).encode()
    answer = MIND.answer(line[:place] + change + line[place + rng.randrange(3) :])
    assert answer is None or (
        answer.isascii() and answer.startswith(("bid ", "card ", "error ")) and "\n" not in answer
    )


# The program ------------------------------------------------------------------------------------------


PLAYERS = ("--play", "sound", "--bidding", "thresholds")
"""Whose answers do not change when the fitted players are fitted anew."""


def run(lines, *options):
    """The program's answers, in this process."""
    result = CliRunner().invoke(main, ["serve", *PLAYERS, *options], input=lines)
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


def spawn(*options, **how):
    """The program in a process of its own, with pipes on both sides."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-m", "pitchsim", "serve", *PLAYERS, *options], **pipes | how)


def test_one_answer_a_line_until_quit_or_the_end():
    assert run(f"{FIRST}\n\n{PITCH}\nquit\n{PITCH}\n") == [
        "bid 3",
        "error the line is empty; a request begins with bid, play or quit",
        "card KS",
    ]
    assert run(f"{FIRST}\n{PITCH}") == ["bid 3", "card KS"]
    assert run('{"cmd": "quit"}\n' + FIRST) == []
    assert run("") == []


def test_play_bidding_seed_and_house_rules_come_from_the_command_line():
    assert run(FIRST, "--bidding", "passive") == ["bid 0"]
    assert len({run(PITCH, "--play", "random", "--seed", str(seed))[0] for seed in range(8)}) > 1
    assert "lowest bid is 2" in run(FIRST.replace("said=0", "said=1"), "--lowest-bid", "2")[0]
    assert run("bid seat=1 dealer=0 hand=2S,3S,4S,5S,6S,7S said=", "-n", "2", "--bidding", "passive") == ["bid 0"]
    assert "it is the turn of seat 1" in run("bid seat=0 dealer=0 hand=2S,3S,4S,5S,6S,7S said=", "-n", "2")[0]


def test_a_policy_that_there_is_not_is_told_before_the_first_request():
    for option in ("--play", "--bidding"):
        result = CliRunner().invoke(main, ["serve", option, "nobody"], input=FIRST)
        assert result.exit_code == 2
        assert "'nobody'" in result.stderr
        assert not result.stdout
    assert CliRunner().invoke(main, ["serve", "--seed", "-1"]).exit_code == 2


def test_a_very_long_line_is_one_error_and_what_follows_is_answered():
    long = "bid hand=" + "AS," * 100_000
    edge = FIRST + " " * (LONGEST - len(FIRST))
    answered = run("\n".join([long, FIRST, edge, edge + " ", edge + "  ", edge + " " * LONGEST, FIRST, long]))
    too_long = "error the line is longer than 65536 bytes; a request is one short line"
    assert answered == [too_long, "bid 3", "bid 3", too_long, too_long, too_long, "bid 3", too_long]


def test_a_thousand_requests_in_a_pipe():
    rng, lines = random.Random(4), []
    while len(lines) < 1000:
        lines += [line_of(command, **named) for command, named, _ in decisions(random_record(rng, Rules()))]
    program = spawn()
    answered, complaint = program.communicate("\n".join(lines).encode(), timeout=120)
    assert (program.returncode, complaint) == (0, b"")
    assert answered.decode().splitlines() == answers(brain(play="sound"), *lines)


def test_an_answer_comes_before_the_next_request():
    program = spawn()
    for _ in range(3):
        program.stdin.write(f"{FIRST}\n".encode())
        program.stdin.flush()
        assert program.stdout.readline() == b"bid 3\n"
    program.stdin.write(b"quit\n")
    program.stdin.flush()
    assert program.wait(30) == 0
    assert program.stderr.read() == b""
    for pipe in (program.stdin, program.stdout, program.stderr):
        pipe.close()


def test_nobody_reads_the_answers_any_more():
    with spawn() as program:
        program.stdin.write(f"{FIRST}\n".encode())
        program.stdin.flush()
        program.stdout.readline()
        program.stdout.close()
        program.stdin.write(f"{FIRST}\n".encode() * 100)
        program.stdin.flush()
        assert program.wait(30) == 0
        assert program.stderr.read() == b""


def test_ctrl_c_ends_it_quietly():
    with spawn() as program:
        program.stdin.write(f"{FIRST}\n".encode())
        program.stdin.flush()
        program.stdout.readline()
        program.send_signal(signal.SIGINT)
        assert program.wait(30) == 130
        assert b"Traceback" not in program.stderr.read()


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
@pytest.mark.parametrize("closed", ["<&-", "</dev/null", "<&- >&-"])
def test_without_input_or_without_output_it_ends_at_once(closed):
    line = f'exec "{sys.executable}" -m pitchsim serve {closed}'
    done = subprocess.run(["sh", "-c", line], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
