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
import warnings
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import intrinsic
from numba.np import arrayobj

from pitchsim.storage import cache_root

settings: Any = numba.config
PACKAGE = Path(__file__).parent
PLAIN = bool(settings.DISABLE_JIT)
KEPT_FOLDERS = 3
SKINS = (
    *("__main__.py", "advice.py", "api.py", "bench.py", "bidtable.py", "book", "calls.py", "cardbox.py"),
    *("catalogue.py", "charts.py", "checkpoint.py", "cli", "counting.py", "holdings.py", "leading.py"),
    *("making.py", "matching.py", "orders.py", "players.py", "question.py", "records.py", "report.py"),
    *("lanes", "request.py", "seating.py", "serving.py", "simulation.py", "statistics.py", "tablecharts.py"),
    *("verdicts.py", "warm.py", "weighing.py"),
)
"""Rooms that nothing compiled can reach (a test follows the imports): an edit there keeps the machine code."""

warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning, message="First-class function type")


def source_hash() -> str:
    """Name the sources as they are now: any edit of what is compiled, and any other numba, gives another name."""
    digest = hashlib.sha256()
    digest.update(str(PACKAGE).encode())  # Numba names its files by place: another installation starts anew.
    for version in (numba.__version__, llvmlite.__version__, sys.version, settings.CPU_NAME or ""):
        digest.update(version.encode())
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


def _code_folder() -> tuple[Path, bool]:
    """Choose the folder of this version's machine code; a temporary one (True) when nothing is writable."""
    own = os.environ.get("NUMBA_CACHE_DIR")
    root = Path(own) if own else cache_root()
    folder = root / f"code-{source_hash()}"
    if _writable(folder):
        return folder, False
    folder = Path(tempfile.mkdtemp(prefix="pitchsim-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sys.stderr.write(f"pitchsim: cannot write to {root}, so compiled code is kept for this run only.\n")
    return folder, True


def _forget_old_code(folder: Path) -> None:
    """Keep the few folders used last: two installations side by side must not evict each other."""
    try:
        os.utime(folder)
        others = sorted(folder.parent.glob(f"code-{'[0-9a-f]' * 16}"), key=lambda path: path.stat().st_mtime)
    except OSError:
        return
    for old in others[:-KEPT_FOLDERS]:
        shutil.rmtree(old, ignore_errors=True)


CODE_FOLDER, CODE_IS_TEMPORARY = _code_folder()
_forget_old_code(CODE_FOLDER)
settings.CACHE_DIR = str(CODE_FOLDER)

jitted = numba.njit
"""A scalar step: compiled into whatever calls it, never on its own."""

inlined = numba.njit(inline="always")
"""A step that takes arrays. Passed to a compiled function an array costs two atomic counts a call (measured: 400 ns a
deal), so these are pasted into the kernel instead."""


def kernel(signature):
    """Compile for this signature alone, keep the machine code, and let other threads run meanwhile."""
    return numba.njit(signature, cache=True, nogil=True, error_model="numpy")


def policy(signature):
    """Compile a policy as a value that every kernel can call."""
    return numba.njit(signature, cache=True, error_model="numpy")


def code_is_ready() -> bool:
    """Tell whether some process has already compiled everything on this machine."""
    return PLAIN or (CODE_FOLDER / "complete").exists()


def mark_code_ready() -> None:
    """Remember that everything is compiled; without the mark the next process only says its line again."""
    try:
        (CODE_FOLDER / "complete").touch()
    except OSError:
        return


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


@plain_twin(_plain_popcount)
@intrinsic
def popcount(typingctx, cards):
    """How many cards are in this set."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@plain_twin(_plain_lowest)
@intrinsic
def lowest(typingctx, cards):
    """The lowest card number in a set that is not empty."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), codegen


@plain_twin(_plain_highest)
@intrinsic
def highest(typingctx, cards):
    """The highest card number in a set that is not empty."""

    def codegen(context, builder, signature, args):
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.int64), codegen


def addresses(functions, signature):
    """Where the policies' machine code is, one int64 a seat (in plain Python the policies themselves).

    Indexing a tuple of functions with a seat known only while running compiles to a jump table, mispredicted at
    every other card (60 ns a deal), and passing one to a kernel takes 70 microseconds a function. An array of
    addresses does neither. The policies must be kept alive by the caller.
    """
    if PLAIN:
        return list(functions)
    results = [function.get_compile_result(signature) for function in functions]
    pointers = [result.library.get_pointer_to_function(result.fndesc.llvm_func_name) for result in results]
    return np.array(pointers, np.int64)


def _plain_at(where):
    return where


def function_at(signature):
    """Make the instruction that turns an address back into a function of this signature."""

    @plain_twin(_plain_at)
    @intrinsic
    def at(typingctx, where):
        def codegen(context, builder, sig, args):
            struct = cgutils.create_struct_proxy(sig.return_type)(context, builder)
            struct.jit_addr = builder.inttoptr(args[0], struct.jit_addr.type)
            return struct._getvalue()

        return types.FunctionType(signature)(types.int64), codegen

    return at


def _plain_entry(notes, index):
    return int(notes[index])


@plain_twin(_plain_entry)
@intrinsic
def entry(typingctx, notes, index):
    """One whole number of the table that a policy brought along; `notes` is the address of its int32 values."""

    def codegen(context, builder, signature, args):
        start = builder.inttoptr(args[0], ir.IntType(32).as_pointer())
        value = builder.load(builder.gep(start, [args[1]]))
        return builder.sext(value, ir.IntType(64))

    return types.int64(types.int64, types.int64), codegen


def _plain_small_entry(notes, index):
    return int(notes.view(np.uint8)[index])


@plain_twin(_plain_small_entry)
@intrinsic
def small_entry(typingctx, notes, index):
    """The same of a table of uint8 values: four times as many fit into the fastest memory."""

    def codegen(context, builder, signature, args):
        start = builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        return builder.zext(builder.load(builder.gep(start, [args[1]])), ir.IntType(64))

    return types.int64(types.int64, types.int64), codegen


def _plain_long_entry(page, index):
    return int(page[index])


@plain_twin(_plain_long_entry)
@intrinsic
def long_entry(typingctx, page, index):
    """The same of a table of int64 values."""

    def codegen(context, builder, signature, args):
        start = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.load(builder.gep(start, [args[1]]))

    return types.int64(types.int64, types.int64), codegen


def _plain_array_at(page, place, length):
    return page[place]


@plain_twin(_plain_array_at)
@intrinsic
def array_at(typingctx, page, place, length):
    """The int64 array that lies at this place of a page (in plain Python whatever stands there)."""
    array = types.Array(types.int64, 1, "C")

    def codegen(context, builder, signature, args):
        start = builder.gep(builder.inttoptr(args[0], ir.IntType(64).as_pointer()), [args[1]])
        made = arrayobj.make_array(array)(context, builder)
        size = context.get_constant(types.intp, 8)
        arrayobj.populate_array(made, start, [args[2]], [size], size, None)
        return made._getvalue()

    return array(types.int64, types.int64, types.int64), codegen


def _plain_address_from(array, place):
    return array[place:]


@plain_twin(_plain_address_from)
@intrinsic
def address_from(typingctx, array, place):
    """Where an int64 array lies from this place on: the address that `long_entry` takes."""

    def codegen(context, builder, signature, args):
        struct = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        return builder.ptrtoint(builder.gep(struct.data, [args[1]]), ir.IntType(64))

    return types.int64(array, types.int64), codegen


def _plain_borrowed(array):
    return array


@plain_twin(_plain_borrowed)
@intrinsic
def borrowed(typingctx, array):
    """The same array without its reference count, for use while somebody else keeps it alive.

    Every step pasted into a kernel would count each of its arrays up and down, with atomic instructions: 60 ns a deal.
    """

    def codegen(context, builder, signature, args):
        struct = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        struct.meminfo = ir.Constant(struct.meminfo.type, None)
        struct.parent = ir.Constant(struct.parent.type, None)
        return struct._getvalue()

    return array(array), codegen
