"""The compiled loops, one file each: lists of named steps that add up whole numbers and trust what they are given."""

from pitchsim.warm import compile_once

compile_once()
