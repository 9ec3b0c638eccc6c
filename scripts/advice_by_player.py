"""Does it matter who plays the deals out? Advice for random hands by four players: `results/advice_by_player.csv`."""

from pathlib import Path
from random import Random

import pitchsim
from pitchsim.advice import Advice
from pitchsim.rules import PASS, Rules, full_deck, legal_calls
from pitchsim.storage import whole_file

SEED = 1
HANDS = 100
DEALS = {"random": 8_000, "greedy": 8_000, "expert": 8_000, "search:worlds=16": 200}
RESULTS = Path(__file__).parents[1] / "results"
COLUMNS = ["play", "hands", "deals", "calls_changed", "clearly_changed", "cost", "cost_se"]


def questions() -> list[dict]:
    """Random hands in random seats, nothing or one bid of 1 to 3 heard."""
    rng, rules, asked = Random(SEED), Rules(), []
    for _ in range(HANDS):
        seat = rng.randrange(4)
        calls = [PASS] * seat
        if seat and rng.random() < 0.5:
            calls[-1] = rng.choice([bid for bid in legal_calls(rules, seat - 1, PASS) if 0 < bid < 4])
        where = {"auction": calls} if calls else {"seat": 1}
        asked.append({"hand": rng.sample(full_deck(), 6)} | where)
    return asked


def advice_of(play: str, question: dict) -> Advice:
    """What these players make of a question."""
    return pitchsim.advise(**question, play=play, deals=DEALS[play], seed=SEED)


def compared(play: str, asked: list[dict], judged: list) -> list:
    """How often the call differs from that of the experts, and what it costs by the experts' values."""
    costs, clear = [], 0
    for question, expert in zip(asked, judged, strict=True):
        advice = advice_of(play, question)
        call = advice.recommended.call
        values = {row.call: row.value for row in expert.calls}
        costs.append(max(values.values()) - values[call])
        clear += call != expert.recommended.call and not (advice.recommended.too_close or expert.recommended.too_close)
    changed = sum(cost > 0 for cost in costs)
    mean = sum(costs) / len(costs)
    se = (sum((cost - mean) ** 2 for cost in costs) / len(costs) / (len(costs) - 1)) ** 0.5
    return [play, len(costs), DEALS[play], changed, clear, round(mean, 4), round(se, 4)]


def main() -> None:
    asked = questions()
    judged = [advice_of("expert", question) for question in asked]
    rows = [compared(play, asked, judged) for play in DEALS if play != "expert"]
    lines = [",".join(map(str, row)) for row in [COLUMNS, *rows]]
    with whole_file(RESULTS / "advice_by_player.csv") as file:
        about = f"# pitchsim {pitchsim.__version__}, seed {SEED}, bidding equilibrium, judged by play expert"
        file.write("\n".join([about, *lines]) + "\n")


if __name__ == "__main__":
    main()
