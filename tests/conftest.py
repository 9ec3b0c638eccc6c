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
