"""Which card of six is the best to pitch, and what does it bring? Answered for every hand.

Makes `pitchsim/data/books/4.npz`: the book of hands that comes with the program, all 962,988 classes for four players
to .01 points, packed. Run it with `python scripts/make_book.py`, last of the scripts that make what comes with the
program: it takes some minutes, goes on where it was interrupted, and makes the same file on any number of threads.
"""

import sys

import pitchsim
from pitchsim.book.shelf import SHIPPED_BOOKS
from pitchsim.rules import Rules
from pitchsim.storage import book_folder

RULES = Rules(players=4)
PRECISION, SEED = 0.01, 1
WHOLE = "shipped-4.parquet"
"""The book before it is packed: a hundred megabytes in the cache folder, removed in the end."""


def main() -> None:
    """Build the book, pack it, and put it into its place."""
    whole = book_folder() / WHOLE
    whole.parent.mkdir(parents=True, exist_ok=True)
    SHIPPED_BOOKS.mkdir(exist_ok=True)
    pitchsim.build_book(whole, rules=RULES, precision=PRECISION, seed=SEED, progress=sys.stderr.isatty())
    print(pitchsim.pack_book(whole, SHIPPED_BOOKS / "4.npz").to_text())
    whole.unlink()


if __name__ == "__main__":
    main()
