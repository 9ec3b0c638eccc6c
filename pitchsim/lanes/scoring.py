"""The points of a deal, R11 to R13, 64 deals at a time."""

from typing import Any

from pitchsim.desk import GAME, HIGH, JACK, LOW, NOBODY, SWEPT, TRICK_POINTS
from pitchsim.lanes.play import House, Piles
from pitchsim.lanes.vectors import Bytes


def game_point(on: Any, house: House, points: list[Bytes]) -> Bytes:
    """R12: the side with the most trick points gets Game; on a tie nobody (some houses: the pitcher's one rival)."""
    most = points[0]
    for other in points[1:]:
        most = most.larger(other)
    tied, game, rival = on.bytes(0), on.bytes(NOBODY), on.bytes(NOBODY)
    for side, own in enumerate(points):
        has_most = own.equals(most)
        tied = tied.plus(has_most, 1)
        game = has_most.choose(on.bytes(side), game)
        if side > 0:
            rival = has_most.choose(on.bytes(side), rival)
    answer = tied.equals(1).choose(game, on.bytes(NOBODY))
    if house.tie_to_opponent:
        answer = (tied.equals(2) & points[0].equals(most)).choose(rival, answer)
    return answer


def score(on: Any, house: House, piles: Piles, desk: Any) -> None:
    """Leave on the desk which side got which point."""
    total = piles.points[0]
    for more in piles.points[1:]:
        total = total + more
    for row, value in (
        (HIGH, piles.high),
        (LOW, piles.low),
        (JACK, piles.jack),
        (GAME, game_point(on, house, piles.points)),
        (TRICK_POINTS, total),
    ):
        on.store(desk, row, value)
    on.store_lanes(desk, SWEPT, piles.swept)
