"""What all commands share: they are imported when asked for, and whatever goes wrong is told in one sentence.

Bad input ends with 2, what fails while running with 1, Ctrl-C with 130; nobody ever sees a traceback, unless
PITCHSIM_TRACEBACK asks for it.
"""

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from pitchsim.errors import InputError, RunError

INTERRUPTED = 130


class ClosedPipe(Exception):
    """Whoever read standard output has gone away: nothing is wrong, and nothing is said."""


class Command(click.Command):
    """A command that tells bad input under its own usage line, and shows its options in sections."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line; click forgets whose it is when the value of the last option is missing."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            raise click.UsageError(str(error), ctx) from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the command's own options first, then the sections that it shares with others."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            line = option.get_help_record(ctx)
            if line is not None and isinstance(option, click.Option):
                sections.setdefault(getattr(option, "section", "Options"), []).append(line)
        for name in sorted(sections, key=lambda name: name != "Options"):
            with formatter.section(name):
                formatter.write_dl(sections[name])


class Group(click.Group):
    """The commands, each imported when it is asked for; the one place where errors become exit codes."""

    def __init__(self, *args: Any, commands_by_place: dict[str, tuple[str, str]], **options: Any) -> None:
        """Know every command by where it is and what it answers."""
        super().__init__(*args, **options)
        self.commands_by_place = commands_by_place

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order in which a newcomer wants them."""
        return list(self.commands_by_place)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in self.commands_by_place:
            return None
        module, _, name = self.commands_by_place[cmd_name][0].partition(":")
        return getattr(import_module(module), name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command, or say which one may have been meant."""
        if args[0] not in self.commands_by_place and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!a}; {self._nearest(args[0])}")
        return super().resolve_command(ctx, args)

    def _nearest(self, name: str) -> str:
        """Guess what was meant."""
        from difflib import get_close_matches

        near = get_close_matches(name, self.commands_by_place, n=1)
        return f"did you mean {near[0]}?" if near else f"there are {', '.join(self.commands_by_place)}"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, answer) for name, (_, answer) in self.commands_by_place.items()])

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the options that come before the command (`--help` prints here)."""
        with _closed_pipe_told_apart():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, to the last letter that it prints."""
        with _closed_pipe_told_apart():
            code = super().invoke(ctx)
            sys.stdout.flush()
            return code

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the program; every ending becomes an exit code and at most one sentence."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        if sys.stdout is None:
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - closed: nobody listens, and it lasts as long as we do
        if isinstance(sys.stdout, io.TextIOWrapper):
            # The name of a file, or of a policy, that the terminal cannot print is no error.
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            sys.exit(super().main(args, prog_name, complete_var, standalone_mode=False, **extra) or 0)
        except click.Abort:
            sys.exit(INTERRUPTED)
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except ClosedPipe:
            _forget_output()
            sys.exit(0)
        except Exception as error:
            if os.environ.get("PITCHSIM_TRACEBACK"):
                raise
            _fail(error)


@contextlib.contextmanager
def _closed_pipe_told_apart() -> Iterator[None]:
    """Know a closed pipe from other errors, before click does something of its own with it."""
    try:
        yield
    except BrokenPipeError as error:
        raise ClosedPipe from error


def _fail(error: Exception) -> NoReturn:
    """Say what failed while running, and end with 1."""
    _forget_output()
    click.echo(f"Error: {_sentence(error)}", err=True)
    sys.exit(1)


def _sentence(error: Exception) -> str:
    """Tell a failure in one sentence."""
    if isinstance(error, RunError):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory for that; ask for fewer deals or threads"
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        return f"the system refused: {error.strerror or error}{where}"
    why = " ".join(f"{type(error).__name__}: {error}".split())
    return f"this is a mistake in pitchsim, please report it ({why}); PITCHSIM_TRACEBACK=1 shows where"


def _forget_output() -> None:
    """Throw away what could not be printed, so that Python does not try again at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        return
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
