"""The referee at the command line: `pitchsim score`."""

import json
from pathlib import Path

import click

from pitchsim.cli.frame import Command
from pitchsim.cli.options import format_option, out_option
from pitchsim.cli.output import emit, say


@click.command(cls=Command)
@click.argument("file", metavar="FILE")
@format_option
@out_option
def score(file: str, form: str, out: Path | None) -> int:
    """Referee: is this recorded deal legal, and what does it score?

    FILE holds one deal per line (pitch-deal/1, as simulate --records writes them); - is standard input,
    and .gz is read too. Every line gets an answer. Seats count from 0 as in the records. The exit code is 0
    when every deal was legal, else 1.

    \b
    Example:
      pitchsim score deals.jsonl
      pitchsim score deals.jsonl --format json
    """
    from pitchsim.records import read_lines, score_lines
    from pitchsim.report import check_apart
    from pitchsim.verdicts import Verdicts, is_legal, sentence

    check_apart(file, out)
    kept, all_legal, line_by_line = [], True, form in ("text", "json")
    for place, answer in enumerate(score_lines(read_lines(file)), start=1):
        all_legal &= is_legal(answer)
        if line_by_line:
            say((sentence(place, answer) if form == "text" else json.dumps(answer)) + "\n")
        if out is not None or not line_by_line:
            kept.append(answer)
    if out is not None:
        Verdicts(kept).write(out)
    if not line_by_line:
        emit(Verdicts(kept), form)
    return 0 if all_legal else 1
