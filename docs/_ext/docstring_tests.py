"""The builder ``doctest`` runs the examples of docstrings; `tests/test_pages.py` runs those of pages, as they stand."""

from sphinx.ext.doctest import DocTestBuilder


class DocstringTests(DocTestBuilder):
    """Sphinx's builder, which leaves out what is written in a page itself."""

    def skipped(self, node):
        return str(node.source).endswith(".md") or super().skipped(node)


def setup(app):
    app.add_builder(DocstringTests, override=True)
    return {"parallel_read_safe": True}
