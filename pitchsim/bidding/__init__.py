"""How to bid: one file per policy. A policy is a function of a `BidView` that answers a call, 0 for a pass."""

from pitchsim.plugins import Kind
from pitchsim.view import CALL, BidView

BIDDING = Kind(
    noun="bidding policy",
    group="pitchsim.bidding",
    signature=CALL,
    view=BidView,
    built_in={
        "passive": "pitchsim.bidding.passive:passive",
        "casual": "pitchsim.bidding.casual:casual",
        "thresholds": "pitchsim.bidding.thresholds:thresholds",
        "equilibrium": "pitchsim.bidding.equilibrium:equilibrium",
        "equilibrium-margin": "pitchsim.bidding.equilibrium_margin:equilibrium_margin",
    },
)
