"""The first run on a machine: compile everything once, on two cores, and say so in one line."""

import importlib
import os
import pkgutil
import sys
from typing import TYPE_CHECKING

from pitchsim.jit import CODE_IS_TEMPORARY, PACKAGE, ROOMS, code_is_ready, mark_code_ready

if TYPE_CHECKING:
    import subprocess

FOLDERS = ("kernels", "policies", "bidding")
HELPING = "PITCHSIM_COMPILES_FOR_ANOTHER"
FOR_THE_OTHER_CORE = ("pitchsim.kernels.weighing", "pitchsim.kernels.matching", "pitchsim.policies.search")
"""The slowest to compile; a second process does it meanwhile, since the compiler does not run in two threads."""


def compiled_modules() -> list[str]:
    """The modules that hold kernels or built-in policies."""
    return [
        f"pitchsim.{room}.{module.name}" for room in FOLDERS for module in pkgutil.iter_modules([str(PACKAGE / room)])
    ]


def compile_once() -> None:
    """Compile all kernels and built-in policies, unless some run has done so already.

    A helper that dies is no loss: what it did not compile is compiled here.
    """
    if code_is_ready() or HELPING in os.environ:
        return
    sys.stderr.write("pitchsim: compiling for this machine, once; this takes about half a minute.\n")
    sys.stderr.flush()
    other = _start_other_core()
    for module in compiled_modules():
        if module not in FOR_THE_OTHER_CORE:
            compile_module(module)
    if other is not None:
        other.wait()
    for module in FOR_THE_OTHER_CORE:
        compile_module(module)
    mark_code_ready()


def compile_module(name: str) -> None:
    """Compile the kernels and policies of one module."""
    importlib.import_module(name)
    for own in ROOMS.get(name, ()):
        own.code()


def _start_other_core() -> "subprocess.Popen | None":
    """Start the second process; without it everything is compiled here, only later.

    It is no use where the cache cannot be written: each process would compile into a folder of its own. It
    imports from where this process does.
    """
    import subprocess

    if CODE_IS_TEMPORARY:
        return None
    work = f"for name in {FOR_THE_OTHER_CORE!r}: compile_module(name)"
    code = f"import sys; sys.path[:] = {sys.path!r}\nfrom pitchsim.warm import *\n{work}"
    try:
        return subprocess.Popen(
            [sys.executable, "-c", code],
            env=os.environ | {HELPING: "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
