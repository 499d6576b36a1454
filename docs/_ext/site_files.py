"""Files beside the pages: `llms.txt`, the list of all written pages with what each is about, for programs that read."""

from pathlib import Path

from docutils import nodes

GENERATED = ("reference/api/", "reference/modules/", "reference/operators/", "reference/functional/")
INTRODUCTION = """# flambeau

> PyTorch's extension surface as small packages on NumPy and Cython: tensors, autograd, `__torch_function__`, modules,
> and extensions in C and C++, on the CPU. `import flambeau as torch` runs what was written for PyTorch.

"""


def first_sentences(doctree):
    """The first paragraph below the title, on one line."""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section):
            return " ".join(paragraph.astext().split())
    return ""


def write_llms(app, exception):
    if exception or app.builder.name != "html":
        return
    lines = []
    for name in sorted(app.env.found_docs):
        if not name.startswith(GENERATED):
            doctree = app.env.get_doctree(name)
            lines.append(f"- [{app.env.titles[name].astext()}]({name}.html): {first_sentences(doctree)}\n")
    Path(app.outdir, "llms.txt").write_text(INTRODUCTION + "".join(lines), encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_llms)
    return {"parallel_read_safe": True}
