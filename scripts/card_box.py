"""What do I bid and pitch? The bid table for four players on one page, for the card box."""

from study import Study, main

import pitchsim
from pitchsim.tablecharts import draw_card_box

PRECISION = 0.01
"""Of each holding; a line of the page is many of them together."""


def make(study: Study) -> None:
    box = pitchsim.bid_table(precision=study.precision(PRECISION), **study.how).card_box()
    study.csv(box.to_frame().to_dict("records"))
    study.text(".md", box.to_markdown())
    study.text(".html", box.to_html())
    draw_card_box(box, study.place(".png"))


if __name__ == "__main__":
    main(make)
