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


def written(program: Program, run: str, level: str) -> str:
    """A run in LLVM's language, with those stages that it calls."""
    # Only what is not kept yet must be written down.
    from pitchsim.lanes.machine import WRITERS, Functions, Number

    functions, stages = Functions(program.name), program.stages()
    for name, function in functions.from_(run):
        on = WRITERS[level](function, functions)
        *memory, more = function.args
        if name == run:
            RUNS[run](on, *memory, Number(on, more))
        else:
            on.write(stages[name], *memory, Number(on, more))
        on.builder.ret_void()
    return str(functions.module)


def machine(level: str) -> Any:
    """The machine to compile for."""
    name, features = host()
    if level == NARROW:
        name = "haswell"
        features = {key: has and "avx512" not in key and "avx10" not in key for key, has in features.items()}
    # LLVM would rather not use the widest vectors of this processor.
    return target(name, features | {"prefer-256-bit": False}, reloc="pic", codemodel="small")


def compiled(program: Program, run: str, level: str) -> bytes:
    """The object code of a run."""
    module = llvm.parse_assembly(written(program, run, level))
    module.verify()
    return machine(level).emit_object(module)
