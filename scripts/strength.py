"""How good are the players? Matches on the same deals, each policy in every seat: `results/strength.csv` and `.md`."""

from pathlib import Path

import pitchsim
from pitchsim.report import Table
from pitchsim.storage import whole_file

SEED = 1
RESULTS = Path(__file__).parents[1] / "results"
PLAYERS = range(2, 8)
MATCHES = [
    *((["greedy", "random"], {"players": n, "deals": 100_000}) for n in PLAYERS),
    *((["expert", "greedy"], {"players": n, "deals": 100_000}) for n in PLAYERS),
    *((["expert", "sound"], {"players": n, "deals": 200_000}) for n in PLAYERS),
    (["expert", "greedy"], {"partners": True, "deals": 100_000}),
    (["expert", "sound"], {"partners": True, "deals": 100_000}),
    (["search:worlds=160", "expert"], {"deals": 4_000}),
    (["search:worlds=160", "greedy"], {"deals": 2_000}),
    (["expert/equilibrium", "greedy/casual"], {"deals": 100_000, "games": 20_000}),
    (["expert/thresholds", "expert/equilibrium"], {"deals": 400_000}),
]
COLUMNS = ["command", "players", "policy", "others", "deals", "difference", "difference_se"]
COLUMNS += ["games", "game_wins", "game_wins_se"]


def command(names: list[str], how: dict) -> str:
    """The command that prints the same figures."""
    table = " --partners" if how.get("partners") else f" -n {how['players']}" if "players" in how else ""
    games = f" --games {how['games']}" if "games" in how else ""
    return f"pitchsim match {' '.join(names)}{table} --deals {how['deals']}{games}"


def row_of(names: list[str], how: dict) -> list:
    """One match: the first policy alone against the other in all other seats."""
    found = pitchsim.match(*names, seed=SEED, progress=True, **how).rows[0]
    told = [found[column] for column in COLUMNS[4:]]
    return [
        command(names, how),
        how.get("players", 4),
        *names,
        *(round(x, 4) if isinstance(x, float) else x for x in told),
    ]


def main() -> None:
    rows = [row_of(names, how) for names, how in MATCHES]
    lines = [",".join("" if value is None else str(value) for value in row) for row in [COLUMNS, *rows]]
    with whole_file(RESULTS / "strength.csv") as file:
        file.write(f"# pitchsim {pitchsim.__version__}, seed {SEED}, rules of the book\n" + "\n".join(lines) + "\n")
    table = Table("strength", COLUMNS, rows)
    with whole_file(RESULTS / "strength.md") as file:
        file.write(as_markdown(table))


def as_markdown(table: Table) -> str:
    """The same as a page."""
    head = "# How good are the players?\n\nPoints a deal above the mean of the others (+/- one standard error)."
    lines = ["| command | points above the others | games won |", "| --- | --- | --- |"]
    for row in table.records():
        games = "" if row["games"] in (None, 0) else f"{row['game_wins']:.1%} +/- {row['game_wins_se']:.1%}"
        lines.append(f"| `{row['command']}` | {row['difference']:+.4f} +/- {row['difference_se']:.4f} | {games} |")
    return head + "\n\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
