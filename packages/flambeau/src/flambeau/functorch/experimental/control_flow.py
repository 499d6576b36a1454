"""``functorch.experimental.control_flow``: ``cond`` under its first name."""

from flambeau.control_flow import cond as cond
