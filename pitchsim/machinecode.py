"""Machine code: made once for this processor, kept for other runs, and loaded without a compiler."""

import contextlib
import hashlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from pitchsim.errors import RunError
from pitchsim.storage import whole_file

DIGEST = 32
COMPILING, NOT_KEPT = "compiling", "not kept"
"""What the user is told of, once."""
_said: set[str] = set()


@cache
def host() -> tuple[str, dict[str, bool]]:
    """The processor's name, and what it can do."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), dict(llvm.get_host_cpu_features())


def target(name: str, features: dict[str, bool], **options: Any) -> Any:
    """The machine to make code for."""
    host()  # LLVM must be told first that it will make code.
    listed = ",".join(("+" if has else "-") + key for key, has in sorted(features.items()))
    processor = llvm.Target.from_triple(llvm.get_process_triple())
    return processor.create_target_machine(cpu=name, features=listed, opt=3, jit=True, **options)


def kept(path: Path) -> bytes | None:
    """Code that some run has kept; None when there is none, or it is damaged: that would end the process."""
    try:
        whole = path.read_bytes()
    except OSError:
        return None
    digest, code = whole[:DIGEST], whole[DIGEST:]
    return code if hashlib.sha256(code).digest() == digest else None


def kept_or_made(path: Path, make: Callable[[], bytes]) -> bytes:
    """Code that is kept here; else it is made, and kept, or used for this run only where nothing can be written."""
    code = kept(path)
    if code is not None:
        return code
    _say_once(COMPILING, "compiling for this machine, once; this takes some seconds")
    with _ctrl_c_is_heard():
        code = make()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
    except (OSError, RunError):
        say_that_nothing_is_kept(path.parent)
    return code


def loaded(code: bytes, machine: Any) -> Any:
    """Put code into memory; the answer must be held as long as it runs."""
    with _ctrl_c_is_heard():
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
    return engine


@contextlib.contextmanager
def _ctrl_c_is_heard() -> Iterator[None]:
    """Interrupt what follows by Ctrl-C: LLVM calls back, and what is raised there would be reported and forgotten."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    heard, report = threading.Event(), sys.unraisablehook

    def hear(number: int, frame: Any) -> None:
        heard.set()
        usual(number, frame)

    def forget(unraisable: Any) -> None:
        if not isinstance(unraisable.exc_value, KeyboardInterrupt):
            report(unraisable)

    signal.signal(signal.SIGINT, hear)
    sys.unraisablehook = forget
    try:
        yield
        if heard.is_set():
            raise KeyboardInterrupt
    finally:
        signal.signal(signal.SIGINT, usual)
        sys.unraisablehook = report


def say_that_nothing_is_kept(folder: Path) -> None:
    """Tell the user why the next run will compile again."""
    _say_once(NOT_KEPT, f"cannot write to {folder}, so compiled code is kept for this run only")


def _say_once(about: str, sentence: str) -> None:
    """Tell the user something that he need not hear twice."""
    if about not in _said:
        _said.add(about)
        sys.stderr.write(f"pitchsim: {sentence}.\n")
        sys.stderr.flush()


def say_nothing() -> None:
    """Leave the notices to another process."""
    _said.update((COMPILING, NOT_KEPT))
