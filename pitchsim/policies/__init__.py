"""How to play a hand: one file per policy. A policy is a function of a `View` that answers a card number."""

from pitchsim.plugins import Kind
from pitchsim.view import CARD, View

PLAY = Kind(
    noun="play policy",
    group="pitchsim.policies",
    signature=CARD,
    view=View,
    built_in={
        "random": "pitchsim.policies.random:random",
        "greedy": "pitchsim.policies.greedy:greedy",
        "sound": "pitchsim.policies.sound:sound",
        "expert": "pitchsim.policies.expert:expert",
        "search": "pitchsim.policies.search:search",
    },
)
