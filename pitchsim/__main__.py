"""`python -m pitchsim` is the same as `pitchsim`."""

from pitchsim.cli import main

main(prog_name="pitchsim")
