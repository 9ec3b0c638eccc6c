"""Does it matter who plays the deals out? Advice for random hands by four players, judged by the experts."""

from random import Random

from study import Study, main, mean_of

import pitchsim
from pitchsim.rules import PASS, Rules, full_deck, legal_calls

HANDS = 100
DEALS = {"expert": 8_000, "random": 8_000, "greedy": 8_000, "search:worlds=16": 200}


def question(rng: Random) -> dict:
    """A random hand in a random seat, nothing or one bid of 1 to 3 heard."""
    seat = rng.randrange(4)
    calls = [PASS] * seat
    if seat and rng.random() < 0.5:
        calls[-1] = rng.choice([bid for bid in legal_calls(Rules(), seat - 1, PASS) if 0 < bid < 4])
    return {"hand": rng.sample(full_deck(), 6)} | ({"auction": calls} if calls else {"seat": 1})


def make(study: Study) -> None:
    rng, rows, found = Random(1), [], {}
    asked = [question(rng) for _ in range(max(round(HANDS * study.share), 2))]
    for play, deals in DEALS.items():
        found[play] = [pitchsim.advise(**hand, play=play, deals=study.deals(deals), **study.how) for hand in asked]
        pairs = [(own.recommended, his.recommended) for own, his in zip(found[play], found["expert"], strict=True)]
        values = [{row.call: row.value for row in advice.calls} for advice in found["expert"]]
        costs = [max(worth.values()) - worth[own.call] for worth, (own, _) in zip(values, pairs, strict=True)]
        differ = [own.call != his.call and not (own.too_close or his.too_close) for own, his in pairs]
        told = {"play": play, "hands": len(asked), "deals": deals, "calls_changed": sum(cost > 0 for cost in costs)}
        rows.append(told | {"clearly_changed": sum(differ), "cost": mean_of(costs)[0], "cost_se": mean_of(costs)[1]})
    study.csv(rows[1:], play="bidding equilibrium, judged by play expert")


if __name__ == "__main__":
    main(make)
