"""Does the program print what README.md shows? Runs every example in it, and writes the outputs anew.

`python scripts/readme_outputs.py` runs the examples in order in one empty folder, and puts what each prints into
the block below it; `--bench` measures the speed again too. The examples are the fenced blocks: `sh` is for a shell,
`python` is run, a block that begins with the name of a file, as in `# house.toml`, is that file, and a `text` block
right after an example is its output. `# exit code 2` says how a command ends when it does not end well.
"""

import argparse
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

import pitchsim
from pitchsim.cli import main as program

README = Path(__file__).parents[1] / "README.md"
SET_UP = 2
"""The first so many commands install the program from a bare clone; they are not run here."""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BENCH = re.compile(r"<!-- bench -->.*?<!-- /bench -->", re.DOTALL)
FILE_NAME = re.compile(r"# (\w+\.(?:py|toml))\n")
EXIT_CODE = re.compile(r"# exit code (\d+)")
SHELL_SIGNS = re.compile(r"[|>$]|^\w+=")
OUTSIDE = ("PITCHSIM_HOUSE", "PITCHSIM_LANES", "NO_COLOR", "NUMBA_DISABLE_JIT")
"""Variables that would change what is printed."""


class Example(NamedTuple):
    """A block, and the place in the text where its output stands (None: it is not shown)."""

    language: str
    body: str
    output: tuple[int, int] | None


def examples(text: str, bench: bool = False) -> list[Example]:
    """The blocks that do something, in order; those that measure speed only when asked for."""
    blocks = list(BLOCK.finditer(text))
    slow = [found.span() for found in BENCH.finditer(text)]
    found = []
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        if block[1] == "text" or (not bench and any(first < block.start() < last for first, last in slow)):
            continue
        shown = following is not None and following[1] == "text" and not text[block.end() : following.start()].strip()
        found.append(Example(block[1], block[2], following.span(2) if shown and following else None))
    return found[SET_UP:]


def commands(text: str) -> list[str]:
    """Every command line of the `sh` blocks, those that set everything up included."""
    blocks = [body for language, body in BLOCK.findall(text) if language == "sh"]
    return [line for body in blocks for line in body.splitlines() if line and not line.startswith("#")]


def refreshed(text: str, bench: bool = False) -> str:
    """The text with every output as the program prints it now."""
    outputs = []
    with _empty_folder() as folder:
        names: dict[str, Any] = {}
        for example in examples(text, bench):
            printed = _run(example, folder, names)
            if example.output is not None:
                outputs.append((example.output, printed))
    for (first, last), printed in reversed(outputs):
        text = text[:first] + printed + text[last:]
    return text


@contextlib.contextmanager
def _empty_folder():
    """Work in a new folder, without what the user has set for himself."""
    kept = {name: os.environ.pop(name) for name in OUTSIDE if name in os.environ}
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            yield Path(folder)
    finally:
        os.environ.update(kept)


def _run(example: Example, folder: Path, names: dict[str, Any]) -> str:
    """Do what an example does, and give what it prints."""
    named = FILE_NAME.match(example.body)
    if named:
        (folder / named[1]).write_text(example.body, encoding="utf-8")
        return ""
    if example.language == "python":
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example.body, README.name, "exec"), names)
        return printed.getvalue()
    if example.language != "sh":
        raise ValueError(f"nobody knows how to run {example.language}: {example.body}")
    return "".join(_run_line(line, folder) for line in example.body.splitlines() if line)


def _run_line(line: str, folder: Path) -> str:
    """Run one command line; one that needs no shell runs in this process, which saves a second of starting."""
    expected = EXIT_CODE.search(line)
    if SHELL_SIGNS.search(line):
        done = subprocess.run(
            ["bash", "-c", f"set -euo pipefail; {line}"], env=_with_the_program(folder), cwd=folder,
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        code, printed, complaint = done.returncode, done.stdout, done.stderr
    else:
        words = shlex.split(line, comments=True)
        result = CliRunner().invoke(program, words[1:], prog_name=words[0])
        code, printed, complaint = result.exit_code, result.stdout, result.stderr
    if code != (int(expected[1]) if expected else 0):
        raise AssertionError(f"{line} ended with {code}: {complaint}")
    return complaint + printed if expected else printed


def _with_the_program(folder: Path) -> dict[str, str]:
    """An environment in which `pitchsim` is the one that is being looked at."""
    shim = folder / "bin" / "pitchsim"
    if not shim.exists():
        shim.parent.mkdir()
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pitchsim "$@"\n')
        shim.chmod(0o755)
    places = [str(Path(pitchsim.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    path = os.pathsep.join([str(shim.parent), os.environ["PATH"]])
    return os.environ | {"PATH": path, "PYTHONPATH": os.pathsep.join(places), "PYTHONIOENCODING": "utf-8"}


def main() -> None:
    """Refresh README.md in place."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bench", action="store_true", help="measure the speed again too (20 seconds)")
    text = README.read_text(encoding="utf-8")
    new = refreshed(text, parser.parse_args().bench)
    README.write_text(new, encoding="utf-8")
    print("README.md is as it was" if new == text else "README.md has new outputs")


if __name__ == "__main__":
    main()
