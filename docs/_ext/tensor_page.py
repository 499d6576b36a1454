"""The directive ``tensor-members``: what stands in the dictionary of ``torch.Tensor``.

Attributes and Python functions get entries here; methods that are operators link to the pages of their families.
"""

import inspect

from operator_pages import description
from sphinx.util.docutils import SphinxDirective

import flambeau_tensor
from flambeau_tensor.extend import Method, Property

Tensor = flambeau_tensor.Tensor


def members(wanted):
    """Names and values of the public members for which ``wanted`` is true, in the order of the alphabet."""
    return sorted((name, value) for name, value in vars(Tensor).items() if not name.startswith("_") and wanted(value))


def is_attribute(value):
    return isinstance(value, Property) or inspect.isdatadescriptor(value)


def is_method(value):
    return isinstance(value, Method)


def is_function(value):
    return not is_attribute(value) and not is_method(value) and (callable(value) or isinstance(value, classmethod))


def attributes():
    lines = []
    for name, value in members(is_attribute):
        doc = description(value.getter) if isinstance(value, Property) else (inspect.getdoc(value) or "").splitlines()
        lines += [f".. py:attribute:: Tensor.{name}", "", *("   " + line for line in doc), ""]
    return lines


def methods():
    links = [f":py:meth:`{name} <torch.Tensor.{m.target.name}>`" for name, m in members(is_method)]
    return [".. container:: names", "", "   " + "  ".join(links), ""]


def functions():
    return [line for name, _ in members(is_function) for line in (f".. automethod:: torch.Tensor.{name}", "")]


MAKERS = {"attributes": attributes, "methods": methods, "functions": functions}


class TensorMembers(SphinxDirective):
    """``attributes``, ``methods`` (operators) or ``functions`` (all else that can be called)."""

    required_arguments = 1

    def run(self):
        lines = MAKERS[self.arguments[0]]()
        return self.parse_text_to_nodes("\n".join([".. py:currentmodule:: torch", "", *lines]))


def setup(app):
    app.add_directive("tensor-members", TensorMembers)
    return {"parallel_read_safe": True}
