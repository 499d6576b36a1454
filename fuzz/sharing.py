"""Which names of a program share memory, as its text tells."""

import re

VIEW = re.compile(
    r"^(?:with [^:]*: )?([a-q]) = ([a-q])(\[|\.(as_strided|chunk|data|detach|diagonal|expand|flatten|mT|mH|movedim"
    r"|narrow|permute|ravel|real|reshape|select|slice\w*|split\w*|squeeze|swapaxes|t|T|transpose|unbind|unflatten|unfold"
    r"|unsqueeze|view\w*)\b)"
)


def shows_memory(program, detail):
    """Whether strides that differ are those of a view, or of what was written in place: there is one right answer."""
    name = detail.partition(" ")[0]
    of_name = [line for line in program.split("\n") if re.match(rf"{name} = |{name}\.\w+_\(", line)]
    return any(VIEW.match(line) or re.match(rf"{name}\.\w+_\(", line) for line in of_name)


def whole_of(program):
    """What each view is a view of."""
    whole = {}
    for line in program.split("\n"):
        if view := VIEW.match(line):
            whole[view[1]] = whole.get(view[2], view[2])
    return whole


def root_of(whole, name):
    return whole.get(name, name)


def writes(program):
    """Whether it writes to anything that is there already."""
    return re.search(r"\w_\(|\bout=|^\w+\[.*\] \S{0,2}= |^\w+ \S{1,2}= ", program, re.MULTILINE) is not None


def overlaps_itself(program):
    """Whether it makes a tensor whose elements share memory, which may be written to in any order."""
    if re.search(r"\.(unfold|as_strided)\(|as_strided_scatter", program):
        return True
    for sizes, strides in re.findall(r"T\('\w+', (\([^)]*\)), (\([^)]*\))", program):
        reach = 0
        for stride, size in sorted(zip(eval(strides), eval(sizes), strict=True)):
            if size > 1 and stride <= reach:
                return True
            reach += (size - 1) * stride
    return False
