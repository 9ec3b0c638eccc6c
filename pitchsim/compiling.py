"""Functions whose machine code is kept: Numba is imported when something must be compiled, and else not at all.

Importing Numba and unpickling what it keeps takes longer than most questions take to answer. So Numba compiles each
kernel and each policy once, and its object code is kept with a door of our own, through which LLVM alone can call it.
Until then the types, the steps and the instructions that they are made of are promises (`Late`).
"""

import ctypes
import struct
import sys
import threading
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from pitchsim.machinecode import host, kept_or_made, loaded, target

ANSWERS = 8
"""Room behind the arguments of a call: where a failure is told, then the answer."""
LOCK = threading.RLock()
KNOWN = {"memcpy", "memmove", "memset", "log", "exp", "pow", "sqrt"}
"""Functions that every process has."""
DESTROY = "NRT_MemInfo_call_dtor"
"""Numba's function to free an array."""
NEVER_DESTROYED = f"define weak void @{DESTROY}(ptr %memory) {{\n  ret void\n}}\n"
"""Code that makes no array never frees one, since all others belong to the callers; but it must have the function."""
WITH_NUMBA = "with_numba"
"""Code with this mark makes arrays, with functions of Numba's own."""
OPTIONS = {"nopython": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class Late:
    """Something of Numba's that is looked up when something is compiled."""

    def __init__(self, look_up: Callable[[], Any]) -> None:
        """Remember how it will be found."""
        self._look_up = look_up

    @cached_property
    def real(self) -> Any:
        """The thing itself."""
        return self._look_up()

    @cached_property
    def _numba_type_(self) -> Any:
        """What Numba asks of a value that it finds among the globals of a function."""
        from numba.core.registry import cpu_target

        real, context = self.real, cpu_target.typing_context
        context.refresh()  # It may have been made just now.
        return context.resolve_value_type(real)


def real_of(value: Any) -> Any:
    """The thing itself, where it was a promise."""
    return value.real if isinstance(value, Late) else value


class Typed(Late):
    """A type, or a signature: `name` and `parts` tell what a call must know about it."""

    def __init__(self, look_up: Callable[[], Any], name: str, head: "Typed | None" = None, parts: tuple = ()) -> None:
        """Remember how it is spelled."""
        super().__init__(look_up)
        self.name, self.head, self.parts = name, head, parts

    def __call__(self, *parts: Any) -> "Typed":
        """A signature, or a type made of others."""
        kind = Signature if self.name[0].islower() or self.head else Typed
        return kind(lambda: self.real(*map(real_of, parts)), self.name, self, parts)

    def __getitem__(self, axes: Any) -> "Typed":
        """An array."""
        return Typed(lambda: self.real[axes], self.name, parts=axes if isinstance(axes, tuple) else (axes,))

    @property
    def is_array(self) -> bool:
        """Whether it is an array."""
        return bool(self.parts) and isinstance(self.parts[0], slice)


class Signature(Typed):
    """What a function takes and answers; a user may give it to Numba as it is."""

    args = property(lambda self: self.real.args)
    return_type = property(lambda self: self.real.return_type)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """Numba tells by the class that it is given a signature."""
        return type(self.real) if "numba" in sys.modules else Signature

    @property
    def answers(self) -> int | None:
        """How many numbers a function of this signature answers: None for one alone, 0 for nothing."""
        assert self.head is not None
        if self.name == "UniTuple":
            return self.head.parts[1]
        return 0 if self.name == "void" else None


class Types:
    """Numba's types by name."""

    def __getattr__(self, name: str) -> Typed:
        """Promise the type of this name."""
        if name.startswith("_"):
            raise AttributeError(name)
        return Typed(lambda: getattr(_numba().types, name), name)


@cache
def _numba() -> Any:
    """Numba itself."""
    import warnings

    import numba
    from numba.core.errors import NumbaExperimentalFeatureWarning

    warnings.filterwarnings(
        "ignore", category=NumbaExperimentalFeatureWarning, message="First-class function type"
    )  # fmt: skip
    return numba


class Step(Late):
    """A function that is compiled into what calls it; with a `signature` by itself, anew in every process."""

    def __init__(self, function: Callable, *signature: Any, **options: Any) -> None:
        """Keep the function as it is; Numba looks at `targetoptions` and `py_func`."""
        super().__init__(lambda: _numba().njit(*map(real_of, signature), **options)(function))
        update_wrapper(self, function)
        self.py_func, self.targetoptions = function, options

    def __call__(self, *arguments: Any) -> Any:
        """Call it from plain Python."""
        return self.real(*arguments)


class Failure(ctypes.Structure):
    """How Numba tells of an exception: pickled, and what it was raised with where that was not known before."""

    _fields_ = (
        ("pickled", ctypes.c_void_p),
        ("size", ctypes.c_int32),
        ("values", ctypes.c_void_p),
        ("unwrap", ctypes.c_void_p),
        ("how_many", ctypes.c_int32),
    )

    def exception(self) -> BaseException:
        """The exception."""
        from numba.core import serialize

        pickled = ctypes.string_at(self.pickled, self.size)
        if self.how_many > 0:  # A user's policy may raise what is known only while it runs.
            values = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(self.unwrap)(self.values)
            kind, arguments, _ = serialize.runtime_build_excinfo_struct(pickled, values)
        else:
            kind, arguments, _ = serialize.loads(pickled)
        return kind(*(arguments or ()))


class Compiled:
    """A kernel or a policy: compiled for one signature, kept in a folder, and loaded when it is first used."""

    def __init__(self, function: Callable, signature: Signature, folder: Path) -> None:
        """Keep the function as it is."""
        update_wrapper(self, function)
        self.py_func, self.signature = function, signature
        self.path = folder / f"{function.__module__}.{function.__qualname__}.o"
        self._answers = signature.answers
        self._arrays = [
            (place, part.name, len(part.parts))
            for place, part in enumerate(signature.parts)
            if isinstance(part, Typed) and part.is_array
        ]

    @cached_property
    def _numba_type_(self) -> Any:
        """What Numba asks when a function of the user's calls it: there it is compiled anew."""
        return self._step._numba_type_

    @cached_property
    def _step(self) -> Step:
        """The same function as part of another; Numba itself would let go of it."""
        return Step(self.py_func, self.signature, error_model="numpy")

    @cached_property
    def _loaded(self) -> tuple[Any, Any, int]:
        """The code in memory, its door, and its own address."""
        with LOCK:
            code = kept_or_made(self.path, lambda: machine_code(self.py_func, self.signature.real))
            if WITH_NUMBA.encode() in code:
                _with_numba()
            engine = loaded(code, machine())
            door = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(engine.get_function_address("door"))
            return engine, door, ctypes.CFUNCTYPE(ctypes.c_int64)(engine.get_function_address("where"))()

    @property
    def address(self) -> int:
        """Where kernels find it."""
        return self._loaded[2]

    def __call__(self, *arguments: Any) -> Any:
        """Call it from plain Python, which other threads may go on with meanwhile."""
        for place, kind, axes in self._arrays:
            array = arguments[place]
            if array.dtype.name != kind or array.ndim != axes or not array.flags.c_contiguous:
                raise TypeError(
                    f"{self.py_func.__name__} wants {kind} with {axes} axes as argument {place}, not {array!r}"
                )
        numbers: list[int] = []
        for argument in arguments:
            _flatten(argument, numbers)
        count = len(numbers)
        memory = (ctypes.c_int64 * (count + ANSWERS))(*numbers)
        if self._loaded[1](ctypes.addressof(memory)) not in (0, -2):
            raise Failure.from_address(memory[count]).exception()
        if self._answers is None:
            return memory[count + 1]
        return tuple(memory[count + 1 : count + 1 + self._answers]) or None


def _flatten(argument: Any, numbers: list[int]) -> None:
    """What the machine wants to know of an argument."""
    if isinstance(argument, np.ndarray):
        numbers += (0, 0, argument.size, argument.itemsize, argument.__array_interface__["data"][0])
        numbers += argument.shape
        numbers += argument.strides
    elif isinstance(argument, tuple):
        for part in argument:
            _flatten(part, numbers)
    elif isinstance(argument, float):
        numbers += struct.unpack("q", struct.pack("d", argument))
    else:
        numbers.append(int(argument))


# With Numba -------------------------------------------------------------------------------------------


def machine() -> Any:
    """The machine to compile for."""
    return target(*host(), codemodel="jitdefault")


@cache
def _with_numba() -> None:
    """Let code find Numba's functions."""
    _numba()
    from numba.core.registry import cpu_target

    cpu_target.target_context.refresh()


def machine_code(function: Callable, signature: Any) -> bytes:
    """Let Numba compile a function for one signature; returns the object code, with a door."""
    _numba()
    from numba.core import compiler, registry
    from numba.core.compiler_lock import global_compiler_lock

    cpu, flags = registry.cpu_target, compiler.Flags()
    cpu.options.parse_as_flags(flags, OPTIONS)
    with global_compiler_lock:
        result = compiler.compile_extra(
            cpu.typing_context, cpu.target_context, function, signature.args, signature.return_type, flags, {}
        )
    name = result.fndesc.llvm_func_name
    module = llvm.parse_assembly(result.library.get_llvm_str())
    foreign = {part.name for part in module.functions if part.is_declaration and not part.name.startswith("llvm.")}
    alone = foreign <= KNOWN | {DESTROY}
    door = _door(name, [str(part.type) for part in module.get_function(name).arguments])
    door += NEVER_DESTROYED if alone else f"define void @{WITH_NUMBA}() {{\n  ret void\n}}\n"
    module.link_in(llvm.parse_assembly(door))
    module.verify()
    return machine().emit_object(module)


def _door(name: str, kinds: list[str]) -> str:
    """A function that reads all arguments from a row of 64-bit numbers; behind them it leaves failure and answer."""
    taken = kinds[2:]
    lines = [f'declare i32 @"{name}"({", ".join(kinds)})', "define i32 @door(ptr %memory) {"]
    for place in range(len(taken) + 2):
        lines.append(f"  %at{place} = getelementptr i64, ptr %memory, i64 {place}")
    passed = [f"ptr %at{len(taken) + 1}", f"ptr %at{len(taken)}"]
    for place, kind in enumerate(taken):
        lines.append(f"  %number{place} = load {kind}, ptr %at{place}")
        passed.append(f"{kind} %number{place}")
    lines += [f'  %status = call i32 @"{name}"({", ".join(passed)})', "  ret i32 %status", "}"]
    lines += ["define i64 @where() {", f'  ret i64 ptrtoint (ptr @"{name}" to i64)', "}"]
    return "\n".join(lines) + "\n"
