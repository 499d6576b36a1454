"""``torch._guards``: what programs ask of a compiler at work. There is none, so nothing is being traced."""


def active_fake_mode() -> None:
    """None: no mode makes tensors without elements; those lie on device ``'meta'``."""


def detect_fake_mode(inputs: object = None) -> None:
    """None, likewise."""
