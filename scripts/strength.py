"""How good are the players? Matches on the same deals, each policy in every seat."""

from study import Study, as_table, main, plus_minus

import pitchsim

PLAYERS = range(2, 8)
MATCHES = [
    *(("greedy random", f" -n {n}", {"players": n}, 100_000) for n in PLAYERS),
    *(("expert greedy", f" -n {n}", {"players": n}, 100_000) for n in PLAYERS),
    *(("expert sound", f" -n {n}", {"players": n}, 200_000) for n in PLAYERS),
    *((f"expert {other}", " --partners", {"partners": True}, 100_000) for other in ("greedy", "sound")),
    *((f"search:worlds=160 {other}", "", {}, deals) for other, deals in (("expert", 4_000), ("greedy", 2_000))),
    ("expert/equilibrium greedy/casual", "", {"games": 20_000}, 100_000),
    ("expert/thresholds expert/equilibrium", "", {}, 400_000),
]
FIGURES = ["deals", "difference", "difference_se", "games", "game_wins", "game_wins_se"]


def row_of(study: Study, names: str, table: str, how: dict, deals: int) -> dict:
    less, games = ({"games": study.deals(20_000)}, " --games 20000") if "games" in how else (how, "")
    found = pitchsim.match(*names.split(), deals=study.deals(deals), **less, **study.how).rows[0]
    head = {"command": f"pitchsim match {names}{table} --deals {deals}{games}", "players": how.get("players", 4)}
    figures = {name: round(found[name], 4) if isinstance(found[name], float) else found[name] for name in FIGURES}
    return head | dict(zip(("policy", "others"), names.split(), strict=True)) | figures


def make(study: Study) -> None:
    rows = [row_of(study, *match) for match in MATCHES]
    study.csv(rows, play="play and bidding as named")
    wins = [plus_minus(row["game_wins"], row["game_wins_se"], ".1%") if row["games"] else "" for row in rows]
    ahead = [plus_minus(row["difference"], row["difference_se"], "+.4f") for row in rows]
    lines = zip([f"`{row['command']}`" for row in rows], ahead, wins, strict=True)
    told = [dict(zip(("command", "points above the others", "games won"), line, strict=True)) for line in lines]
    study.page("Points a deal above the mean of the others (+/- one standard error).", as_table(told))


if __name__ == "__main__":
    main(make)
