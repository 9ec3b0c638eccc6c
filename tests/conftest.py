"""What all tests share: a wide terminal, nothing of the user's own settings, and his cache left alone."""

import os

import pytest

from pitchsim import storage

for name in ("PITCHSIM_HOUSE", "NO_COLOR", "FORCE_COLOR"):
    os.environ.pop(name, None)
os.environ["COLUMNS"] = "120"

USERS_CACHE = {storage.cache_root()} | {storage.Path(own) for own in [os.environ.get("NUMBA_CACHE_DIR")] if own}


@pytest.fixture(autouse=True, scope="session")
def users_cache_is_safe():
    """The tests run on the user's own compiled code; whoever clears a cache must have moved it before."""
    clear = storage.clear_cache

    def clear_another():
        assert not USERS_CACHE & {place.path.parent for place in storage.kept_places()}, "this is the user's cache"
        return clear()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "clear_cache", clear_another)
        yield


@pytest.fixture(scope="session")
def plans_folder(tmp_path_factory):
    """Where the tests keep plans that they had to work out."""
    return tmp_path_factory.mktemp("plans") / f"equilibrium-{0:016x}"


@pytest.fixture(autouse=True)
def plans_are_rough(request, monkeypatch, plans_folder):
    """House rules whose plans do not come with the program get rough ones at once, in a folder of the tests' own."""
    if request.module.__name__ == "test_equilibrium":
        return
    from pitchsim import equilibrium
    from pitchsim.bidding import equilibrium as bidder

    monkeypatch.setattr(equilibrium, "DEALS", 1 << 10)
    monkeypatch.setattr(bidder, "cache_folder", lambda: plans_folder)
