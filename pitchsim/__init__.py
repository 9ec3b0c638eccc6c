"""pitchsim: what should I bid with this hand? Monte Carlo analysis of Pitch (Auction Pitch, Setback)."""

__version__ = "0.1.0"
