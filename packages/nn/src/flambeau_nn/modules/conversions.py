"""Whether ``Module.to`` and its like give modules other parameters."""

_settings = {"overwrite": False, "swap": False}


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Set whether converting a module replaces its parameters instead of changing their data.

    Args:
        value: True for new ones. Optimizers keep those that they were given.

    >>> set_overwrite_module_params_on_conversion(False)
    """
    _settings["overwrite"] = bool(value)


def get_overwrite_module_params_on_conversion() -> bool:
    """Return the setting of `set_overwrite_module_params_on_conversion`, False by default.

    >>> get_overwrite_module_params_on_conversion()
    False
    """
    return _settings["overwrite"]


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Set how converting a module changes its parameters.

    Args:
        value: accepted. Parameters stay the objects that they are, with other data, either way: that is what programs
            want where they ask for swapping.

    >>> set_swap_module_params_on_conversion(False)
    """
    _settings["swap"] = bool(value)


def get_swap_module_params_on_conversion() -> bool:
    """Return the setting of `set_swap_module_params_on_conversion`, False by default.

    >>> get_swap_module_params_on_conversion()
    False
    """
    return _settings["swap"]
