"""The engine of 64 lanes: 64 deals at a time, with vector instructions."""
