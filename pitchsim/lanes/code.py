"""From a program to machine code: written down, and compiled."""

from typing import Any

import llvmlite.binding as llvm

from pitchsim.lanes.program import RUNS, Program
from pitchsim.machinecode import host, target

WIDE, NARROW = "avx512", "avx2"
WANTED = {
    WIDE: ("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi"),
    NARROW: ("avx2",),
}


def best_level() -> str | None:
    """The widest vectors that this processor has; None when they are not wide enough."""
    _, features = host()
    return next((level for level, wanted in WANTED.items() if all(features.get(name) for name in wanted)), None)


def written(program: Program, level: str) -> str:
    """A program in LLVM's language."""
    from llvmlite import ir  # Only what is not kept yet must be written down.

    from pitchsim.lanes.machine import STAGE, WRITERS, Number

    module = ir.Module(program.name)
    module.triple = llvm.get_default_triple()
    stages = program.stages()
    functions = {name: ir.Function(module, STAGE, name) for name in (*stages, *RUNS)}
    for name, function in functions.items():
        on = WRITERS[level](function, functions)
        *memory, more = function.args
        if name in RUNS:
            RUNS[name](on, *memory, Number(on, more))
        else:
            on.write(stages[name], *memory, Number(on, more))
        on.builder.ret_void()
    return str(module)


def machine(level: str) -> Any:
    """The machine to compile for."""
    name, features = host()
    if level == NARROW:
        name = "haswell"
        features = {key: has and "avx512" not in key and "avx10" not in key for key, has in features.items()}
    # LLVM would rather not use the widest vectors of this processor.
    return target(name, features | {"prefer-256-bit": False}, reloc="pic", codemodel="small")


def compiled(program: Program, level: str) -> bytes:
    """The object code of a program."""
    module = llvm.parse_assembly(written(program, level))
    module.verify()
    return machine(level).emit_object(module)
