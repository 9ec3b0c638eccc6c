"""Random legal deals for the tests, made with the readable rules: every legal step with equal chance."""

from pitchsim.records import make_record
from pitchsim.rules import Deal, Rules, deal_hands, full_deck


def random_rules(rng):
    """Agree on some house rules."""
    players = rng.randint(2, 7)
    return Rules(
        players=players,
        partners=players == 4 and rng.random() < 0.5,
        target=rng.choice([1, 7, 11]),
        lowest_bid=rng.choice([1, 2]),
        dealer_may_steal=rng.choice([True, False, "any", "only_4"]),
        stuck_dealer=rng.choice(["must_bid", "throw_in_next", "throw_in_same"]),
        low_goes_to=rng.choice(["trick_winner", "holder"]),
        game_tie=rng.choice(["nobody", "pitchers_opponents"]),
        follow=rng.choice(["or_trump", "strict"]),
        winning=rng.choice(["pitcher_only", "pitcher_made", "anyone"]),
        smudge=rng.random() < 0.5,
        end_after=rng.choice([None, None, 5]),
    )


def random_record(rng, rules):
    """Deal, call and play at random, every legal step with equal chance."""
    dealer = rng.randrange(rules.players)
    hands = deal_hands(rng.sample(full_deck(), 52), rules.players)
    deal, calls, plays = Deal(rules, dealer, hands), [], []
    while deal.to_speak is not None:
        bid = rng.choice(deal.legal_calls())
        pitched = rng.choice(hands[deal.to_speak]) if bid == 4 and rng.random() < 0.5 else None
        calls.append((bid, pitched) if pitched else bid)
        deal.call(deal.to_speak, bid, pitched)
    while deal.to_play is not None:
        plays.append((deal.to_play, rng.choice(deal.legal_cards())))
        deal.play(*plays[-1])
    return make_record(rules, dealer, hands, calls, plays, [rng.randint(-5, 9) for _ in range(rules.sides)])
