"""The two ways in which something goes wrong, each told in one sentence."""


class InputError(ValueError):
    """What was asked makes no sense; the message says what is wrong and what would be right."""


class RunError(RuntimeError):
    """Something failed while running (a policy, a full disk); the message says what, in one sentence."""
