"""From a program to machine code: written down, compiled once, kept, and loaded."""

import ctypes
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
from llvmlite import ir

from pitchsim.lanes.machine import NARROW, STAGE, WIDE, Machine
from pitchsim.lanes.program import Table, stages

WANTED = {
    WIDE: ("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi"),
    NARROW: ("avx2",),
}


@cache
def host() -> tuple[str, dict[str, bool]]:
    """The processor's name, and what it can do."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), dict(llvm.get_host_cpu_features())


def best_level() -> str | None:
    """The widest vectors that this processor has; None when they are not wide enough."""
    _, features = host()
    return next((level for level, wanted in WANTED.items() if all(features.get(name) for name in wanted)), None)


def written(table: Table, level: str) -> str:
    """A program in LLVM's language."""
    module = ir.Module(table.name)
    module.triple = llvm.get_default_triple()
    functions: dict[str, ir.Function] = {}
    for name, stage in stages(table).items():
        function = ir.Function(module, STAGE, name)
        functions[name] = function
        on = Machine(function, functions, level)
        from pitchsim.lanes.machine import Number

        desk, tables, numbers, tallies, more = function.args
        stage(on, desk, tables, numbers, tallies, Number(on, more))
        on.builder.ret_void()
    return str(module)


def machine(level: str) -> Any:
    """The machine to compile for."""
    name, features = host()
    chosen = dict(features)
    if level == NARROW:
        name = "haswell"
        chosen = {key: value and "avx512" not in key and "avx10" not in key for key, value in features.items()}
    listed = ",".join(("+" if on else "-") + key for key, on in sorted(chosen.items()))
    target = llvm.Target.from_triple(llvm.get_default_triple())
    return target.create_target_machine(cpu=name, features=listed + ",-prefer-256-bit", opt=3, reloc="pic", codemodel="small", jit=True)


def compiled(table: Table, level: str) -> bytes:
    """The object code of a program."""
    module = llvm.parse_assembly(written(table, level))
    module.verify()
    return machine(level).emit_object(module)
