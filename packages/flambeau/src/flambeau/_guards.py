"""``torch._guards``: queries about an active compiler. There is none, so nothing is being traced."""


def active_fake_mode() -> None:
    """Return None: no mode creates fake tensors here; tensors without elements are on device ``'meta'``."""


def detect_fake_mode(inputs: object = None) -> None:
    """Return None, see `active_fake_mode`."""
