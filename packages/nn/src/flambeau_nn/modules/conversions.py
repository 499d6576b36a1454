"""Whether conversions such as ``Module.to`` replace the parameters of modules."""

_settings = {"overwrite": False, "swap": False}


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Set whether converting a module replaces its parameters instead of changing their data.

    Args:
        value: True to replace them. Optimizers then still have the old parameters.

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
        value: accepted. In both cases, parameters remain the same objects and get new data, which is the purpose of
            swapping.

    >>> set_swap_module_params_on_conversion(False)
    """
    _settings["swap"] = bool(value)


def get_swap_module_params_on_conversion() -> bool:
    """Return the setting of `set_swap_module_params_on_conversion`, False by default.

    >>> get_swap_module_params_on_conversion()
    False
    """
    return _settings["swap"]
