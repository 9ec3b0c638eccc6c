"""Makes everything in results/ anew: all studies, some at once, each with one thread; or `--only NAME`."""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import story
from study import RESULTS

STUDIES = [
    *("advice_by_player", "bid_tables", "strength", "card_values", "leads", "beginners", "claims", "low"),
    *("house_rules", "card_box", "players", "seats"),
]
"""Those that take longest first, so that no processor waits at the end."""


def make(name: str, out: Path, share: float) -> str:
    """Run one study in a process of its own, and tell how long it took."""
    script, start = Path(__file__).with_name(f"{name}.py"), time.monotonic()
    words = ["--out", str(out), "--share", str(share), "--threads", "1"]
    subprocess.run([sys.executable, str(script), *words], check=True)
    return f"{name}: {time.monotonic() - start:.0f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=STUDIES, action="append", help="this study (may be given several times)")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FOLDER", help="where the files go")
    parser.add_argument("--share", type=float, default=1.0, help="how much of each study is played (default 1)")
    given = parser.parse_args()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        asked = given.only or STUDIES
        for told in pool.map(make, asked, [given.out] * len(asked), [given.share] * len(asked)):
            print(told, flush=True)
    if given.only is None:
        story.main(given.out)


if __name__ == "__main__":
    main()
