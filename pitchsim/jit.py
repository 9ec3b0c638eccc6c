"""Compiling: one place that decides where machine code is kept, and four bit instructions.

Numba notices an edited file only when the edit is in the compiled function's own file; a helper changed in
another module leaves the caller's old machine code in place, silently. So the cache folder is named by a hash
of every source of this package together with the versions that matter: a changed source never meets old code.
"""

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from pitchsim.compiling import Compiled, Late, Step, Types, real_of
from pitchsim.machinecode import host, say_that_nothing_is_kept
from pitchsim.storage import code_root, keep_few

PACKAGE = Path(__file__).parent
PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
SKINS = (
    *("__main__.py", "advice.py", "api.py", "bench.py", "bidtable.py", "book", "calls.py", "cardbox.py"),
    *("catalogue.py", "charts.py", "checkpoint.py", "cli", "counting.py", "holdings.py", "leading.py"),
    *("making.py", "matching.py", "orders.py", "players.py", "question.py", "records.py", "report.py"),
    *("lanes", "request.py", "seating.py", "serving.py", "simulation.py", "statistics.py", "tablecharts.py"),
    *("verdicts.py", "weighing.py"),
)
"""Rooms that nothing compiled can reach (a test follows the imports): an edit there keeps the machine code."""

types: Any = import_module("numba").types if PLAIN else Types()
"""Numba's types; the numbers among them are also functions, which the rooms import from here."""
boolean, int8, uint8, int64, uint64, float64 = (
    getattr(types, name) for name in ("boolean", "int8", "uint8", "int64", "uint64", "float64")
)


def version_of(library: str) -> bytes:
    """Which version of a library is installed, without importing it."""
    spec = find_spec(library)
    return b"" if spec is None or spec.origin is None else Path(spec.origin).with_name("_version.py").read_bytes()


def source_hash() -> str:
    """Name the sources as they are now: any edit of what is compiled, and any other numba, gives another name."""
    digest = hashlib.sha256()
    digest.update(str(PACKAGE).encode())  # Numba names its files by place: another installation starts anew.
    for library in ("numba", "llvmlite"):
        digest.update(version_of(library))
    digest.update(f"{sys.version} {host()}".encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE)
        if name.parts[0] in SKINS:
            continue
        digest.update(name.as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    """Try to write, since permissions alone do not tell (a full disk, a read-only mount)."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _code_folder() -> Path:
    """Choose the folder of this version's machine code; a temporary one when nothing is writable."""
    root = code_root()
    folder = root / f"code-{source_hash()}"
    if _writable(folder):
        return folder
    folder = Path(tempfile.mkdtemp(prefix="pitchsim-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    say_that_nothing_is_kept(root)
    return folder


CODE_FOLDER = _code_folder()
keep_few(CODE_FOLDER)


def jitted(function: Callable) -> Any:
    """A scalar step: compiled into whatever calls it, never on its own."""
    return function if PLAIN else Step(function)


def inlined(function: Callable) -> Any:
    """A step that takes arrays.

    Passed to a compiled function an array costs two atomic counts a call (measured: 400 ns a deal), so these are pasted
    into the kernel instead.
    """
    return function if PLAIN else Step(function, inline="always")


def kernel(signature: Any) -> Callable[[Callable], Any]:
    """Compile for this signature alone, and let other threads run meanwhile; what is the package's own is kept."""

    def compiled(function: Callable) -> Any:
        if PLAIN:
            return function
        if function.__module__.partition(".")[0] != PACKAGE.name:
            return Step(function, signature, nogil=True, error_model="numpy")
        return Compiled(function, signature, CODE_FOLDER)

    return compiled


policy = kernel
"""Compile a policy as a value that every kernel can call."""


def plain_twin(twin):
    """Use the plain twin instead of the machine's when compiling is switched off."""

    def choose(fast):
        return twin if PLAIN else fast

    return choose


def _plain_popcount(cards):
    return int(cards).bit_count()


def _plain_lowest(cards):
    return (int(cards) & -int(cards)).bit_length() - 1


def _plain_highest(cards):
    return int(cards).bit_length() - 1


def _plain_at(where):
    return where


def _plain_entry(notes, index):
    return int(notes[index])


def _plain_small_entry(notes, index):
    return int(notes.view(np.uint8)[index])


def _plain_long_entry(page, index):
    return int(page[index])


def _plain_array_at(page, place, length):
    return page[place]


def _plain_address_from(array, place):
    return array[place:]


def _plain_borrowed(array):
    return array


def _plain_high_half(first, second):
    return (int(first) * int(second)) >> 64


def _instruction(name: str, twin: Callable) -> Any:
    """An instruction of the machine, or its plain twin; what it does is told in `instructions`."""
    return twin if PLAIN else Late(lambda: getattr(import_module("pitchsim.instructions"), name))


popcount = _instruction("popcount", _plain_popcount)
lowest = _instruction("lowest", _plain_lowest)
highest = _instruction("highest", _plain_highest)
entry = _instruction("entry", _plain_entry)
small_entry = _instruction("small_entry", _plain_small_entry)
long_entry = _instruction("long_entry", _plain_long_entry)
array_at = _instruction("array_at", _plain_array_at)
address_from = _instruction("address_from", _plain_address_from)
borrowed = _instruction("borrowed", _plain_borrowed)
high_half = _instruction("high_half", _plain_high_half)


def addresses(functions, signature):
    """Where the policies' machine code is, one int64 a seat (in plain Python the policies themselves).

    Indexing a tuple of functions with a seat known only while running compiles to a jump table, mispredicted at
    every other card (60 ns a deal), and passing one to a kernel takes 70 microseconds a function. An array of
    addresses does neither. The policies must be kept alive by the caller.
    """
    if PLAIN:
        return list(functions)
    return np.array([_address(function, signature) for function in functions], np.int64)


def _address(function: Any, signature: Any) -> int:
    """Where the machine code of a policy is: of ours, or of one that Numba holds."""
    if isinstance(function, Compiled):
        return function.address
    result = real_of(function).get_compile_result(real_of(signature))
    return result.library.get_pointer_to_function(result.fndesc.llvm_func_name)


def function_at(signature):
    """Make the instruction that turns an address back into a function of this signature."""
    if PLAIN:
        return _plain_at
    return Late(lambda: import_module("pitchsim.instructions").function_at(real_of(signature)))
