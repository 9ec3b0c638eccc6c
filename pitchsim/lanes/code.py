"""From a program to machine code: written down, compiled once, kept, and loaded."""

from functools import cache
from typing import Any

import llvmlite.binding as llvm

from pitchsim.lanes.program import RUNS, Program

WIDE, NARROW = "avx512", "avx2"
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
    listed = [("+" if has else "-") + key for key, has in sorted(features.items())]
    target = llvm.Target.from_triple(llvm.get_default_triple())
    # LLVM would rather not use the widest vectors of this processor.
    wanted = ",".join([*listed, "-prefer-256-bit"])
    return target.create_target_machine(cpu=name, features=wanted, opt=3, reloc="pic", codemodel="small", jit=True)


def compiled(program: Program, level: str) -> bytes:
    """The object code of a program."""
    module = llvm.parse_assembly(written(program, level))
    module.verify()
    return machine(level).emit_object(module)


def loaded(code: bytes, level: str) -> Any:
    """Put object code into memory; the answer must be kept as long as it runs."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine(level))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine
