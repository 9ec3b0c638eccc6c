"""What changes with 2, 3, ... 7 players?"""

from study import Study, main

import pitchsim
from pitchsim.charts import draw_players

DEALS = 1_000_000
HAND = "AD 9D 3D KS 10H 6C"


def make(study: Study) -> None:
    found = pitchsim.players_study(HAND, study.deals(DEALS), **study.how)
    study.csv(found.to_frame().to_dict("records"), deals=DEALS)
    study.page(found.to_markdown())
    draw_players(found, study.place(".png"))


if __name__ == "__main__":
    main(make)
