"""How Sphinx builds the documentation: warnings are errors, and the examples of docstrings run (`nox -s docs`)."""

import sys
from pathlib import Path

import flambeau

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "overridable_library"))
flambeau.install_as_torch()  # the reference goes by the names that users write: torch.add, torch.nn.Module

project = "flambeau"
author = "the flambeau developers"
copyright = "2026, the flambeau developers"  # noqa: A001
version = release = flambeau.RELEASE

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
    "docstrings",
    "name_pages",
    "tensor_page",
    "reference",
    "packages",
    "missing",
    "charts",
    "benchmarks",
    "compiled",
    "clients",
    "conformance",
    "accuracy",
    "measures",
    "c_header",
    "site_files",
]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "_templates"]
default_role = "literal"  # docstrings write `name` for code

autodoc_inherit_docstrings = False  # a method that only overrides needs no entry
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
add_module_names = False
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"

# Our own names are checked. Without network there is no inventory of Python's and NumPy's.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!torch\.|flambeau).*"),
    (r"py:class", r"flambeau_tensor\._core\.call\.operator\.Operator"),
    (r"py:class", r"flambeau_tensor\._core\.schema\.custom\.OperatorHandle"),
    (r"py:class", r"torch\._ops\.OpOverload(Packet)?"),
    (r"py:class", r"torch\.distributed\.distributed_c10d\.(RedOpType|Store|Work|P2POp)"),
    (r"py:class", r"torch\.(utils\.hooks\.RemovableHandle|fx\.node\.NodeList)"),
]


html_theme = "furo"
html_title = f"flambeau {version}"
html_static_path = ["_static"]
html_css_files = ["flambeau.css"]
html_js_files = ["copy.js"]
html_logo = html_favicon = "_static/logo.svg"
html_additional_pages = {"404": "404.html"}
templates_path = ["_templates"]
myst_html_meta = {
    "description": "PyTorch's extension surface as small packages on NumPy and Cython: tensors, "
    "autograd, overrides, modules, C and C++ extensions, on the CPU."
}
html_use_index = False  # modules and the search lead to names
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#a8430b", "color-brand-content": "#a8430b"},
    "dark_css_variables": {"color-brand-primary": "#f0a15e", "color-brand-content": "#f0a15e"},
}
