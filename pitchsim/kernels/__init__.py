"""The compiled loops, one file each: lists of named steps that add up whole numbers and trust what they are given."""
