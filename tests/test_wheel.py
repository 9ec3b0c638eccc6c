"""The package as others get it: a wheel built from this checkout, installed elsewhere, with all it needs inside."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import pitchsim

ROOT = Path(__file__).parents[1]
PACKAGE = Path(pitchsim.__file__).parent

pytestmark = pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="there is no checkout to build from")


def run(*arguments, **options):
    """Run Python, and give what it prints."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel with what is installed, so that no network is needed."""
    folder = tmp_path_factory.mktemp("wheel")
    run("-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def elsewhere(wheel, tmp_path_factory):
    """Install it into an empty folder; whoever runs there meets this copy first."""
    folder = tmp_path_factory.mktemp("installed")
    run("-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile", "--target", folder, wheel)
    return folder


@pytest.fixture
def there(elsewhere, tmp_path):
    """How to run there: an empty working folder, this copy first, nothing compiled."""
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    new = {"PYTHONPATH": str(elsewhere), "NUMBA_DISABLE_JIT": "1", "PITCHSIM_CACHE": str(tmp_path / "cache")}
    return {"cwd": tmp_path, "env": outside | new}


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if ".dist-info/" not in name}
        metadata = next(name for name in packed.namelist() if name.endswith("METADATA"))
        licence = [name for name in packed.namelist() if name.endswith("LICENSE")]
        text = packed.read(metadata).decode()
    there = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert names == {f"pitchsim/{path.relative_to(PACKAGE).as_posix()}" for path in there}
    assert {"pitchsim/py.typed", "pitchsim/data/holdings.npz", "pitchsim/data/thresholds.csv"} <= names
    assert licence
    assert f"Version: {pitchsim.__version__}" in text
    assert "# pitchsim" in text, "the README is shown by package indexes"


def test_it_runs_where_it_is_installed(there, elsewhere):
    assert Path(run("-c", "import pitchsim; print(pitchsim.__file__)", **there).strip()).is_relative_to(elsewhere)
    answer = json.loads(run("-m", "pitchsim", "odds", "AS KS 4S JD 10C 2H", "-f", "json", **there))
    assert answer["suits"][0]["holding"] == "AK4"
    assert run("-m", "pitchsim", "--version", **there).strip().endswith(pitchsim.__version__)


def test_it_has_the_script(there, elsewhere):
    (script,) = (elsewhere / "bin").glob("pitchsim*") if os.name != "nt" else (elsewhere / "Scripts").glob("pitchsim*")
    done = subprocess.run([script, "rules"], capture_output=True, text=True, timeout=60, check=True, **there)
    assert done.stdout.startswith("The rules in force")


def test_the_bidding_tables_are_found_where_it_is_installed(there):
    printed = run("-m", "pitchsim", "simulate", "--deals", "20", "--bidding", "thresholds", "-f", "json", **there)
    assert json.loads(printed)["deals"] == 20
