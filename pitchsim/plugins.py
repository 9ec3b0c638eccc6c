"""Policies by name: those built in, installed packages' own (entry points), and a user's own function.

A policy is a value with one signature, so every kernel takes any mix of them without being compiled again. A
user's function is checked before anything runs: it must be a plain or jitted Python function of one argument that
Numba can compile and that answers a whole number. Nothing else that can be imported is ever called.
"""

import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pitchsim.cards import quoted
from pitchsim.compiling import Compiled, real_of
from pitchsim.errors import InputError
from pitchsim.jit import PLAIN
from pitchsim.rules import Rules

Policy = Callable[[Any], int]


def no_notes(rules: Rules) -> np.ndarray:
    """Most policies bring no table along."""
    return np.zeros(1, np.int32)


@dataclass(frozen=True, eq=False)
class Kind:
    """One kind of policy: for playing cards, or for making calls."""

    noun: str
    group: str
    signature: Any
    view: type
    built_in: Mapping[str, str]


@dataclass(frozen=True)
class Found:
    """A policy, ready for the kernels: its name as given, the compiled function, the table that it brings along."""

    name: str
    function: Policy
    notes: Callable[[Rules], np.ndarray]
    source: str
    description: str
    leans_on: Callable[[Rules], bytes] | None = None

    def mark(self, rules: Rules) -> bytes:
        """What a run that goes on must find again: the numbers of the table, or of those that it points to."""
        return np.ascontiguousarray(self.notes(rules)).tobytes() if self.leans_on is None else self.leans_on(rules)


def find(kind: Kind, name: str) -> Found:
    """Find the policy of this name: built in, installed, or `package.module:function`, or `file.py:function`.

    Some of those built in take options, as in `search:worlds=640,solve=3` (a colon may stand for the comma).

    Raises InputError, in one sentence, for a name that there is not and for a function that is no policy.
    """
    plain_name, _, options = name.partition(":")
    if plain_name in kind.built_in and (options == "" or "=" in options):
        return _built_in(kind, name)
    from importlib.metadata import entry_points  # Takes long to import.

    installed = {point.name: point for point in entry_points(group=kind.group)}
    if name in installed:
        return _users_own(kind, name, _loaded(kind, name, installed[name].load), f"installed: {installed[name].value}")
    place, colon, attribute = name.rpartition(":")
    if not colon or not place or not attribute.isidentifier():
        known = ", ".join([*kind.built_in, *installed])
        raise InputError(
            f"there is no {kind.noun} {quoted(name)}; there are {known}, "
            "or give package.module:function or file.py:function"
        )
    return _users_own(kind, name, _imported(kind, name, place, attribute), place)


def _built_in(kind: Kind, name: str) -> Found:
    """A policy of our own; beside its function the module may offer `notes`, its table for given rules.

    With OPTIONS go `notes` and `leans_on` (see `Found.mark`) that take them.
    """
    plain_name, colon, text = name.partition(":")
    module_name, _, attribute = kind.built_in[plain_name].partition(":")
    module = importlib.import_module(module_name)
    function = getattr(module, attribute)
    bring: Callable[..., np.ndarray] = getattr(module, "notes", no_notes)
    leans_on: Callable[..., bytes] | None = getattr(module, "leans_on", None)
    if colon:
        options = _options_of(f"{kind.noun} {quoted(plain_name)}", text, getattr(module, "OPTIONS", {}))
        bring, leans_on = partial(module.notes, options=options), partial(module.leans_on, options=options)
    return Found(name, function, bring, "built in", _first_sentence(function), leans_on)


def _options_of(whose: str, text: str, known: Mapping[str, tuple[Any, Callable[[str], Any]]]) -> dict[str, Any]:
    """Read the options behind a name: `known` says what is usual for each, and how it is read."""
    if not known:
        raise InputError(f"the {whose} takes no options; give the name alone")
    options: dict[str, Any] = {}
    for piece in re.split(r"[:,](?=\s*\w*=)", text):
        option, equals, value = (part.strip() for part in piece.partition("="))
        if option not in known or not equals:
            raise InputError(f"{quoted(piece.strip())} is no option of the {whose}; there are {', '.join(known)}")
        if option in options:
            raise InputError(f"the {whose} is given {option} twice; give it once")
        options[option] = known[option][1](value)
    return options


def _first_sentence(function: Any) -> str:
    """What the policy says of itself: the first paragraph of its docstring."""
    text = inspect.getdoc(getattr(function, "py_func", function)) or ""
    return " ".join(text.partition("\n\n")[0].split())


def _loaded(kind: Kind, name: str, load: Callable[[], Any]) -> Any:
    """Import somebody else's code; whatever that raises is told in one sentence."""
    try:
        return load()
    except (Exception, SystemExit) as error:
        why = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InputError(
            f"the {kind.noun} {quoted(name)} cannot be imported ({why}); give a module that can"
        ) from error


def _imported(kind: Kind, name: str, place: str, attribute: str) -> Any:
    """The function `attribute` of a module or of a file."""
    if place.endswith(".py"):
        module = _loaded(kind, name, lambda: _module_of_file(Path(place)))
    else:
        module = _loaded(kind, name, lambda: importlib.import_module(place))
    if not hasattr(module, attribute):
        raise InputError(
            f"{quoted(place)} has no function {quoted(attribute)}; name one that it has, as in {place}:NAME"
        )
    return getattr(module, attribute)


def _module_of_file(path: Path) -> Any:
    """Import a file under a name of its own, so that two files of one name do not mix."""
    source = path.resolve()
    if not source.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    module_name = f"pitchsim_plugin_{hashlib.sha256(str(source).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(module_name, source)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    return module


def _users_own(kind: Kind, name: str, function: Any, source: str) -> Found:
    """Check a function that is not ours, and compile it for the kernels."""
    plain = getattr(function, "py_func", function)
    if not inspect.isfunction(plain):
        raise InputError(f"{quoted(name)} is not a Python function; a {kind.noun} is one function of the view")
    if not _takes_one(plain):
        raise InputError(
            f"{quoted(name)} must take exactly one argument, the view; it takes {inspect.signature(plain)}"
        )
    if PLAIN:
        return Found(name, plain, no_notes, source, _first_sentence(plain))
    return Found(name, _compiled(kind, name, function), no_notes, source, _first_sentence(plain))


def _takes_one(function: Callable) -> bool:
    """Whether the function has one positional parameter and no other."""
    parameters = list(inspect.signature(function).parameters.values())
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return len(parameters) == 1 and parameters[0].kind in positional


def _compiled(kind: Kind, name: str, function: Any) -> Policy:
    """Compile for the one signature of this kind; a fraction as answer would be cut silently, so it is refused."""
    import numba
    from numba import types
    from numba.core.dispatcher import Dispatcher

    if isinstance(function, Compiled):
        return function
    function = real_of(function)
    step: Any = function if isinstance(function, Dispatcher) else numba.njit(function)
    signature = real_of(kind.signature)
    args = signature.args
    try:
        # One that was jitted with its signature is compiled already, and Numba refuses to do it again.
        if args not in step.overloads:
            step.compile(args)
        answer = step.overloads[args].signature.return_type
    except Exception as error:
        why = _reason(error)
        raise InputError(
            f"{quoted(name)} is not within what Numba compiles ({why}); "
            "use whole numbers and the functions of pitchsim.view"
        ) from error
    if not isinstance(answer, types.Integer):
        raise InputError(f"{quoted(name)} answers {answer}; a {kind.noun} answers a whole number")

    @numba.njit(signature, error_model="numpy")
    def policy(view):
        return step(view)

    return policy


def _reason(error: Exception) -> str:
    """The one line of a compiler's message that helps."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Failed in", "During:", "File ", ">>>", "-"))]
    return (telling or lines or [type(error).__name__])[0][:160]
