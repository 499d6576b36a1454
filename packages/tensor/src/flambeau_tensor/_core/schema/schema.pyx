# cython: language_level=3
"""PyTorch's schema language: ``name.overload(Type arg=default, *, Type kw) -> Returns``, including alias annotations.

A parsed schema is the only source of binding, error messages, signatures, stubs and documentation.
"""
cimport cython

from flambeau_tensor._core.memory.types cimport *

from sys import intern

cdef dict _KINDS = {
    "Tensor": K_TENSOR, "int": K_INT, "SymInt": K_INT, "bool": K_BOOL, "float": K_FLOAT, "Scalar": K_SCALAR,
    "ScalarType": K_DTYPE, "str": K_STR, "Device": K_ANY, "Layout": K_ANY, "MemoryFormat": K_ANY, "Generator": K_ANY,
    "Dimname": K_ANY, "Any": K_ANY, "Data": K_ANY, "Index": K_ANY, "Class": K_ANY, "Object": K_ANY,
    "Storage": K_ANY, "Size": K_ANY, "Buffer": K_ANY, "Callable": K_ANY, "Node": K_ANY, "Handle": K_ANY, "Hooks": K_ANY,
    "ContractedDims": K_ANY, "OutputSize": K_ANY, "ScaleFactor": K_ANY, "TensorOrPair": K_ANY, "Pair": K_ANY,
    "TensorOrTensors": K_ANY, "Names": K_ANY, "Capsule": K_ANY,
}
cdef dict _LIST_KINDS = {
    K_TENSOR: K_TENSORS, K_INT: K_INTS, K_BOOL: K_SCALARS, K_FLOAT: K_SCALARS, K_SCALAR: K_SCALARS, K_ANY: K_ANY,
    K_STR: K_ANY, K_DTYPE: K_ANY,
}
# Prefixes of composed types: dictionaries, tuples, objects of custom classes. Such arguments are passed unchanged.
cdef tuple _MADE_OF_OTHERS = ("Dict(", "(", "__torch__.")
cdef dict _CONSTANTS = {
    "None": None, "True": True, "False": False, "inf": float("inf"), "nan": float("nan"), "[]": (),
    "contiguous_format": None, "preserve_format": None, "strided": None, "Mean": 1, "Sum": 2,
}
ACCESSORS = {"torch._get": "__get__", "torch._set": "__set__"}  # namespaces of the operators that implement attributes
NO_DEFAULT = type("NO_DEFAULT", (), {"__repr__": lambda self: "<required>"})()


class SchemaError(RuntimeError, ValueError):
    """A schema with a syntax error; the message says where."""


@cython.no_gc  # the garbage collector would visit thousands of these, which are never in a cycle
cdef class Argument:
    """An argument of a schema. Schemas share arguments with the same text."""

    cdef readonly str name, type, alias
    cdef readonly int kind
    cdef readonly bint optional, kwarg_only, write, is_list
    cdef readonly int size  # the N of int[N], else 0
    cdef readonly object default

    @property
    def has_default(self):
        return self.default is not NO_DEFAULT

    def __repr__(self):
        text = f"{self.type} {self.name}".strip()
        return text if self.default is NO_DEFAULT else f"{text}={self.default!r}"


@cython.no_gc
cdef class Schema:
    """A parsed schema: ``name``, ``overload``, ``arguments``, ``returns`` and its ``text``."""

    cdef readonly str name, namespace, overload, text
    cdef readonly tuple arguments, returns

    def __repr__(self):
        return self.text

    def __reduce__(self):
        return parse, (self.text,)


cdef list _split(str text):
    """Split a text at top-level commas."""
    cdef list parts = []
    cdef int depth = 0
    cdef Py_ssize_t start = 0, i
    cdef Py_UCS4 c
    cdef bint quoted = False
    for i in range(len(text)):
        c = text[i]
        if c == u'"' or c == u"'":
            quoted = not quoted
        elif quoted:
            continue
        elif c == u"(" or c == u"[":
            depth += 1
        elif c == u")" or c == u"]":
            depth -= 1
        elif c == u"," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    if last:
        parts.append(last)
    return parts


cdef Py_ssize_t _end_of_type(str text):
    """Return the index of the blank between the type and the name, or -1."""
    cdef int depth = 0
    cdef Py_ssize_t i
    cdef Py_UCS4 c
    for i in range(len(text)):
        c = text[i]
        if c == u"(" or c == u"[":
            depth += 1
        elif c == u")" or c == u"]":
            depth -= 1
        elif c == u" " and depth == 0:
            return i
    return -1


cdef object _default(str text):
    cdef Py_UCS4 c = text[0]
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if c == u"'" or c == u'"':
        return text[1:len(text) - 1]
    if c == u"[":
        return tuple([_default(p) for p in _split(text[1:len(text) - 1])])
    try:
        return int(text)
    except ValueError:
        return float(text)


cdef dict _SHORT_DTYPES = {"float": "float32", "long": "int64", "complex": "complex64"}  # names in PyTorch's schemas


cdef object _dtype(str text):
    from flambeau_tensor._core.elementwise.dtype import _dtype_by_name

    if text == "None":
        return None
    try:
        return _dtype_by_name(_SHORT_DTYPES.get(text, text))
    except KeyError:
        raise SchemaError(f"'{text}' is no dtype") from None


cdef dict _positional = {}, _keywords = {}, _returns = {}  # text -> its Argument


cdef Argument _argument(str text, bint kwarg_only, bint is_return):
    cdef dict known = _returns if is_return else _keywords if kwarg_only else _positional
    found = known.get(text)
    if found is None:
        found = known[text] = _read_argument(text, kwarg_only, is_return)
    return <Argument>found


cdef int _check_parts(str typ, str text) except -1:
    """Raise SchemaError if a composed type contains an unknown type."""
    cdef str base = typ.rstrip("?")
    while base.endswith("]"):
        base = base[:base.rindex("[")].rstrip("?")
    if base.startswith(("Dict(", "(")) and base.endswith(")"):
        for part in _split(base[base.index("(") + 1:len(base) - 1]):
            _check_parts(part, text)
    elif base not in _KINDS and not base.startswith("__torch__."):
        raise SchemaError(f"unknown type '{base}' in '{text}'; known are {', '.join(sorted(_KINDS))}")
    return 0


cdef Argument _read_argument(str text, bint kwarg_only, bint is_return):
    cdef Argument a = Argument.__new__(Argument)
    cdef str typ, rest, base, default
    cdef Py_ssize_t i, j
    a.kwarg_only = kwarg_only
    a.default = NO_DEFAULT
    a.alias = None
    i = _end_of_type(text)
    if i < 0:
        typ, rest = text, ""
        if not is_return:
            raise SchemaError(f"argument '{text}' needs a type and a name")
    else:
        typ, rest = text[:i], text[i + 1:].strip()
    j = rest.find("=")
    if j >= 0:
        default = rest[j + 1:].strip()
        rest = rest[:j].strip()
        a.default = _dtype(default) if typ.startswith("ScalarType") else _default(default)
    a.name = intern(rest)  # interned like keywords, so that names are compared by address
    a.type = typ
    if typ.startswith(_MADE_OF_OTHERS) or "][" in typ.replace("?", ""):
        _check_parts(typ, text)
        a.optional, a.kind, a.is_list = typ.endswith("?"), K_ANY, typ.endswith("]")
        return a
    i = typ.find("(")
    if i >= 0:
        j = typ.find(")")
        a.alias = typ[i + 1:j].rstrip("!").strip()
        a.write = typ[j - 1] == u"!"
        typ = typ[:i] + typ[j + 1:]
    if typ.endswith("?"):
        a.optional = True
        typ = typ[:len(typ) - 1]
    if typ.endswith("]"):
        i = typ.rfind("[")
        a.is_list = True
        a.size = int(typ[i + 1:len(typ) - 1] or 0)
        typ = typ[:i]
        if typ.endswith("?"):
            typ = typ[:len(typ) - 1]
    base = typ
    if base not in _KINDS:
        raise SchemaError(f"unknown type '{base}' in '{text}'; known are {', '.join(sorted(_KINDS))}")
    a.kind = _KINDS[base]
    if a.is_list:
        if a.kind not in _LIST_KINDS:
            raise SchemaError(f"lists of {base} are not taken: '{text}'")
        a.kind = _LIST_KINDS[a.kind]
    if a.default is None and not is_return:
        a.optional = True
    return a


def parse(str text not None):
    """Parse a schema.

    >>> parse("add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor").arguments
    (Tensor self, Tensor other, Scalar alpha=1)
    """
    cdef Schema s = Schema.__new__(Schema)
    cdef Py_ssize_t lo = text.find("("), arrow = text.rfind("->"), hi
    cdef str head, part, ret
    cdef list args = []
    cdef bint kwarg_only = False
    if lo < 0 or arrow < 0 or not text[:arrow].rstrip().endswith(")"):
        raise SchemaError(f"a schema reads 'name(Type arg, ...) -> Type', got '{text}'")
    hi = text.rfind(")", 0, arrow)
    head = text[:lo].strip()
    s.namespace, _, head = head.rpartition("::")
    s.name, _, s.overload = head.partition(".")
    if not s.name.isidentifier():
        raise SchemaError(f"'{s.name}' is not a name, in '{text}'")
    s.name, s.text = intern(s.name), text
    for part in _split(text[lo + 1:hi]):
        if part == "*":
            kwarg_only = True
            continue
        args.append(_argument(part, kwarg_only, False))
    names = [(<Argument>a).name for a in args]
    if len(set(names)) != len(names):
        raise SchemaError(f"an argument's name stands twice in '{text}'")
    if len(args) > MAX_ARGS:
        raise SchemaError(f"more than {MAX_ARGS} arguments in '{text}'")
    s.arguments = tuple(args)
    ret = text[arrow + 2:].strip()
    if ret == "None":
        s.returns = ()
    elif ret.startswith("(") and ret.endswith(")"):  # several results; a single tuple has two pairs of parentheses
        s.returns = tuple([_argument(p, False, True) for p in _split(ret[1:len(ret) - 1])])
    else:
        s.returns = (_argument(ret, False, True),)
    return s


def check_numbers(Schema schema not None, numbers):
    """Raise ValueError if a declaration allows numbers for arguments that are not tensors."""
    wrong = [word for word in numbers if word not in [a.name for a in schema.arguments if a.kind == K_TENSOR]]
    if wrong:
        raise ValueError(f"{schema.name}: numbers={{{wrong[0]!r}}} names no tensor argument of {schema}")


def inplace_schema(Schema schema not None):
    """Return the schema of the variant that writes to its first argument.

    >>> inplace_schema(parse("exp(Tensor self) -> Tensor"))
    exp_(Tensor(a!) self) -> Tensor(a!)
    """
    parts = []
    for i, a in enumerate(schema.arguments):
        if i == 0:
            parts.append(f"Tensor(a!) {a.name}")
            continue
        if a.kwarg_only and "*" not in parts:
            parts.append("*")
        text = f"{a.type.replace('(a!)', '')} {a.name}"
        parts.append(f"{text}={_spell(a.default)}" if a.has_default else text)
    overload = f".{schema.overload}" if schema.overload else ""
    return parse(f"{schema.name}_{overload}({', '.join(parts)}) -> Tensor(a!)")


cdef str _spell(value):
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, tuple):
        return "[" + ", ".join([_spell(v) for v in value]) + "]"
    return repr(value)


def torch_name(op):
    """Return an operator's name in errors and overrides: ``torch.add``, ``torch.Tensor.add_``."""
    if op.namespace in ACCESSORS:
        return f"torch.Tensor.{op.name}.{ACCESSORS[op.namespace]}"
    name = f"{op.namespace}.{op.name}" if op.is_function else f"torch.Tensor.{op.name}"
    if op.is_overload or (op.schema.overload and name.startswith("torch.ops.")):
        name = f"{name}.{op.schema.overload or 'default'}"
    return name
