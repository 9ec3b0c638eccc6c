"""The rooms of the package: who uses whom, read from the import statements."""

import ast
from pathlib import Path

import pytest

import pitchsim

PACKAGE = Path(pitchsim.__file__).parent
ROOMS = sorted(PACKAGE.rglob("*.py"))
JITTED = {
    "compiling",
    "instructions",
    "jit",
    "stream",
    "deck",
    "house",
    "view",
    "auction",
    "play",
    "scoring",
    "engine",
    "log",
    "plugins",
}
JITTED |= {"position", "solving", "guessing"}
JITTED_FOLDERS = {"kernels", "policies", "bidding"}
PLAIN = {
    "cards",
    "rules",
    "records",
    "counting",
    "question",
    "report",
    "storage",
    "errors",
    "verdicts",
    "api",
    "plans",
    "holdings",
}
# What a room of plain Python may use; a room that is not listed here may use any that does not lead back.
ARROWS = {
    "errors": set(),
    "cards": {"errors"},
    "rules": {"cards", "errors"},
    "records": {"cards", "errors", "rules"},
    "storage": {"errors"},
    "question": {"cards", "errors", "rules"},
    "report": {"cards", "errors", "storage"},
    "counting": {"cards", "errors", "rules", "report"},
    "holdings": {"cards", "counting", "errors", "rules"},
    "plans": {"errors", "rules"},
    "verdicts": {"cards", "records", "report"},
    "request": {"cards", "errors", "question", "rules"},
}


def name_of(path):
    """The dotted name of a room inside the package; the package itself is ''."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imports(path, inside_functions=True):
    """The modules that a file imports, without those for the type checker only."""
    found = set()

    def walk(node, in_function):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            inner = in_function or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            if isinstance(child, ast.Import) and (inside_functions or not inner):
                found.update(alias.name for alias in child.names)
            if isinstance(child, ast.ImportFrom) and (inside_functions or not inner):
                assert child.level == 0, f"{path.name}: relative import"
                found.add(child.module)
                if child.module and child.module.startswith("pitchsim"):
                    found.update(f"{child.module}.{alias.name}" for alias in child.names)
            walk(child, inner)

    walk(ast.parse(path.read_text(encoding="utf-8")), False)
    return found


def tops(names):
    return {name.partition(".")[0] for name in names}


def rooms_used(path, **how):
    """The rooms of this package that a file uses."""
    known = {name_of(room) for room in ROOMS}
    used = {
        name.removeprefix("pitchsim").removeprefix(".") for name in imports(path, **how) if name.startswith("pitchsim")
    }
    return {name for name in used if name in known} - {""}


@pytest.mark.parametrize("path", ROOMS, ids=name_of)
def test_outside_libraries_stay_in_their_rooms(path):
    name, folder = name_of(path), name_of(path).partition(".")[0]
    used, at_once = tops(imports(path)), tops(imports(path, inside_functions=False))
    if name not in JITTED and folder not in JITTED_FOLDERS:
        own = {"llvmlite"} if folder in ("lanes", "machinecode") else set()
        assert not (used & {"numba", "llvmlite"}) - own, "numba only in the jitted rooms, LLVM alone in two more"
    if folder not in ("charts", "tablecharts"):
        assert "matplotlib" not in used, "matplotlib only where charts are drawn"
    if folder != "cli":
        assert "click" not in used, "click only in cli"
    assert "pandas" not in at_once, "pandas only where a DataFrame is asked for"
    if name in PLAIN or folder in ("", "cli", "__main__"):
        assert not at_once & {"numpy", "numba", "pandas", "matplotlib", "tqdm", "scipy", "platformdirs"}


@pytest.mark.parametrize("name", sorted(ARROWS))
def test_plain_rooms_use_only_what_they_may(name):
    assert rooms_used(PACKAGE / f"{name}.py") <= ARROWS[name]


def test_nothing_but_the_front_doors_uses_the_command_line():
    users = {name_of(path) for path in ROOMS if any(used.startswith("cli") for used in rooms_used(path))}
    assert all(user == "__main__" or user.startswith("cli") for user in users)


def test_jitted_rooms_use_no_results():
    results = {"report", "counting", "api", "verdicts", "simulation", "advice", "bench", "charts", "statistics"}
    for path in ROOMS:
        if name_of(path) in JITTED - {"plugins"} or name_of(path).startswith("kernels."):
            assert not rooms_used(path) & results, name_of(path)


def test_arrows_never_turn_back():
    uses = {name_of(path): rooms_used(path, inside_functions=False) - {name_of(path)} for path in ROOMS}
    uses.pop("")
    while free := [name for name, used in uses.items() if not used & set(uses)]:
        for name in free:
            del uses[name]
    assert not uses, f"these use each other: {sorted(uses)}"


def test_machine_code_outlives_only_edits_that_cannot_reach_it():
    from pitchsim.jit import SKINS

    used = {name_of(path): rooms_used(path) for path in ROOMS}
    reached, waiting = set(), [room for room in used if room.partition(".")[0] in JITTED_FOLDERS]
    while waiting:
        room = waiting.pop()
        if room not in reached:
            reached.add(room)
            waiting += used[room]
    skins = {skin.removesuffix(".py") for skin in SKINS}
    assert {room.partition(".")[0] for room in reached} & skins == set()
    assert {"stream", "deck", "play", "scoring", "cards", "rules"} <= reached
