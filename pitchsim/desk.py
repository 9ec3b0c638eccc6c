"""The desk: 64 bytes a row, one for each deal, on which the stages of a deal find and leave everything.

Seats count from the pitcher: he is seat 0, the seat on his left 1, and so on.
"""

FIRST_CARD = 0
"""The card that the pitcher leads (card numbers as in `pitchsim.deck`, suits not turned)."""
ALIVE = 1
"""Not 0 where there is a deal: the last block may have fewer than 64."""
UNDEALT = 2
"""Not 0 where hands must be dealt again."""
HIGH, LOW, JACK, GAME = range(3, 7)
"""The side that got the point, NOBODY when nobody did."""
SWEPT = 7
"""1 where the pitcher's side won all tricks."""
TRICK_POINTS = 8
"""The trick points of all sides together."""
PLAYED_BY = 9
"""With several policies: which seats play by the second, one bit a seat; then which by the third."""
SIDE_PLACES = 11
"""Where in the deck the pitcher's side cards were picked: five rows, NOWHERE where none was."""
POINTS = 16
"""How many points the pitcher's side won, with each lead (six rows)."""
LUCK = 24
"""The luck of every deal: eight rows of 64-bit words."""
DEALT = 32
"""The cards, six rows a seat."""
PLAYS = DEALT + 42
"""The cards in the order played, as codes: for records, by which the tests judge what the lanes play."""
ROWS = PLAYS + 42

NOBODY = NOWHERE = 255
