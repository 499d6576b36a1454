"""The unpickler of ``weights_only=True``: it creates numbers, strings, containers and tensors, and runs nothing else.

It interprets the instructions that the picklers of PyTorch and Python write for such objects. A name is valid only if
it is in a fixed list or was allowed by `add_safe_globals`; it is never imported. Lengths are compared with the
remaining size of the file before objects are created.
"""

import re
import struct
from collections import Counter, OrderedDict
from importlib import import_module
from pickle import UnpicklingError

from flambeau_tensor import LAZY_NAMES, options
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor.serialization import naming, rebuilding

BLOCKED = frozenset(("builtins.eval", "builtins.exec"))
BLOCKED_MODULES = frozenset(("sys", "os", "posix", "nt"))
_NOT_BUILT = re.compile(r"(u?int|bits|quint|qint|float|complex)\d\w*|per_\w+|\w*(Storage|Tensor)")  # PyTorch's types
PARAMETER = "torch.nn.parameter.Parameter"


def _encode(text, encoding):
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise UnpicklingError(f"bytes are texts encoded in latin1, not {encoding!r}")
    return text.encode("latin1")


def _bytearray(data=b"", *encoding):
    if not isinstance(data, (bytes, bytearray, str, tuple, list)):
        raise UnpicklingError("a bytearray is made of bytes, not of a size")
    if encoding and encoding[0] not in ("latin1", "latin-1", "ascii", "utf-8"):
        raise UnpicklingError(f"bytes are texts encoded in latin1 or utf-8, not {encoding[0]!r}")
    return bytearray(data, *encoding)


def _size(values):
    return naming.OBJECTS["torch.Size"](rebuilding._ints(values))


# Maps names to the functions that are called for them. Other names of `naming.OBJECTS` may be used, but not called.
CALLS = {
    "_codecs.encode": _encode,
    "builtins.bytearray": _bytearray,
    "builtins.complex": complex,
    "builtins.set": set,
    "collections.Counter": Counter,
    "collections.OrderedDict": OrderedDict,
    "torch.Size": _size,
    "torch._tensor._rebuild_from_type_v2": rebuilding._rebuild_from_type_v2,
    "torch.device": naming.OBJECTS["torch.device"],
    "torch.serialization._get_layout": options._get_layout,
    **{name: f for name, f in naming.OBJECTS.items() if name.startswith("torch._utils._rebuild")},
}
CONTAINERS = (set, OrderedDict, Counter)  # calling them hashes items or keys
DEEPEST = 100  # the maximum nesting of tuples in a key: hashing recurses on the C stack
ROOM = 1 << 20  # bytes that copies may use for any file, in addition to its own size
PARAMETERS = ("torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state", PARAMETER)
NAMED = {name: obj for name, obj in naming.OBJECTS.items() if name not in CALLS and name != "torch._C.Generator"}


def describe_global(name):
    """Return PyTorch's error for a name that is not allowed; programs look for parts of it."""
    return UnpicklingError(
        f"Unsupported global: GLOBAL {name} was not an allowed global by default. Please use "
        f"`torch.serialization.add_safe_globals([{name}])` or the `torch.serialization.safe_globals([{name}])` context "
        "manager to allowlist this global if you trust this class/function."
    )


class Unpickler:
    """Reads one pickle.

    Args:
        data: the bytes of the pickle and what may follow it.
        start: where the pickle begins.
        storage_of: (type, key, location, number of elements, more …) -> storage, for each storage that the pickle
            names.
        safe: additional allowed names: full name -> class or function.
        encoding: the encoding of strings that Python 2 wrote.
    """

    def __init__(self, data, storage_of, safe, start=0, encoding="utf-8"):
        self.data, self.at, self.storage_of, self.encoding = data, start, storage_of, encoding
        self.safe = safe
        self.callable = {id(f) for f in (*CALLS.values(), *safe.values())}
        self.parameter = None  # the class, once it has been named
        self.stack, self.marked, self.memo = [], [], {}
        self.room = 4 * len(data) + ROOM  # the memo allows copies that exceed the file

    # --- reading ---

    def read(self, n):
        end = self.at + n
        if end > len(self.data):
            raise EOFError("the pickle ends in the middle of an instruction")
        part = self.data[self.at : end]
        self.at = end
        return part

    def number(self, form, size):
        return struct.unpack(form, self.read(size))[0]

    def line(self):
        end = self.data.find(b"\n", self.at)
        if end < 0:
            raise EOFError("the pickle ends in the middle of an instruction")
        part = self.data[self.at : end]
        self.at = end + 1
        return part

    def load(self):
        """Return the object; `at` is then the end of the pickle."""
        while True:
            code = self.read(1)[0]
            if code == STOP:
                return self.pop()
            step = STEPS.get(code)
            if step is None:
                raise UnpicklingError(f"Unsupported operand {code}")
            step(self)

    def push(self, obj):
        self.stack.append(obj)

    def pop(self):
        if not self.stack:
            raise UnpicklingError("an instruction takes more than there is")
        return self.stack.pop()

    def top(self, kind):
        if not self.stack or not isinstance(self.stack[-1], kind):
            raise UnpicklingError(
                f"an instruction needs a {kind.__name__}, and there is "
                f"{type(self.stack[-1]).__name__ if self.stack else 'nothing'}"
            )
        return self.stack[-1]

    def marked_items(self):
        if not self.marked:
            raise UnpicklingError("an instruction goes back to a mark, and there is none")
        items, self.stack = self.stack, self.marked.pop()
        return items

    # --- names and the objects that they create ---

    def find(self, module, name):
        module, name = naming.spelled(module, name)
        full = f"{module}.{name}"
        if module in BLOCKED_MODULES or full in BLOCKED:
            raise UnpicklingError(f"Trying to load unsupported GLOBAL {full} whose module {module} is blocked.")
        for allowed in (self.safe, CALLS, NAMED):
            if full in allowed:
                return self.push(allowed[full])
        if full in PARAMETERS:
            found = naming.object_of(module, name)
            self.callable.add(id(found))
            if full == PARAMETER:
                self.parameter = found
            return self.push(found)
        if module == "torch.cuda" and f"torch.{name}" in NAMED:
            return self.push(NAMED[f"torch.{name}"])
        if module == "torch" and LAZY_NAMES.get(name) == ".tensor_types" and name.endswith("Tensor"):
            return self.push(getattr(import_module("flambeau_tensor.tensor_types"), name))
        if module in ("torch", "torch.cuda") and _NOT_BUILT.fullmatch(name):
            raise rebuilding.not_built(full)
        raise describe_global(full if module != "builtins" else name)

    def reduce(self):
        arguments, function = self.pop(), self.pop()
        if not isinstance(arguments, tuple):
            raise UnpicklingError(f"a function is called with a tuple, not with {type(arguments).__name__}")
        self.check_call(function)
        called, given = function, arguments
        while called is rebuilding._rebuild_from_type_v2:  # calls its argument, which may be the same function
            called, given = (given[0], given[2]) if len(given) == 4 else (None, ())
            self.check_call(called)
            if not isinstance(given, tuple):
                raise UnpicklingError(f"a function is called with a tuple, not with {type(given).__name__}")
        self.charge(given)
        if called in CONTAINERS:
            for items in given:
                pairs = called is OrderedDict and not isinstance(items, dict)
                self.check_keys([pair[0] for pair in items] if pairs else items)
        self.push(function(*arguments))

    def charge(self, arguments):
        """Count the bytes that a call copies, because the memo may return a long string any number of times."""
        self.room -= sum(len(a) * 8 for a in arguments if isinstance(a, (tuple, list, dict, set)))
        self.room -= sum(len(a) for a in arguments if isinstance(a, (str, bytes, bytearray)))
        if self.room < 0:
            raise UnpicklingError("the file asks for more copies of what it holds than its size allows")

    def check_keys(self, items):
        """Raise for keys that take too long to hash, or too much stack."""
        for key in items:
            waiting, seen = [(key, 0)], 0
            while waiting:
                part, depth = waiting.pop()
                if isinstance(part, tuple) and part:
                    seen += len(part)
                    if depth == DEEPEST or seen > len(self.data):
                        raise UnpicklingError("a key of a dict or set is nested too deeply")
                    waiting.extend([(p, depth + 1) for p in part if type(p) is not str])

    def check_call(self, function):
        if id(function) not in self.callable:
            raise UnpicklingError(f"Trying to call reduce for unrecognized function {function}")

    def new(self):
        arguments, cls = self.pop(), self.pop()
        if (
            not isinstance(cls, type)
            or not isinstance(arguments, tuple)
            or not (id(cls) in self.callable and cls is not set and cls is not complex)
        ):
            raise UnpicklingError(f"Trying to create new object for unrecognized class {cls}")
        self.push(cls(*arguments) if cls is self.parameter else cls.__new__(cls, *arguments))

    def build(self):
        state = self.pop()
        obj = self.top(object)
        if type(obj) is OrderedDict:
            if not isinstance(state, dict):
                raise UnpicklingError(f"the attributes of an OrderedDict are a dict, not {type(state).__name__}")
            obj.__dict__.update(state)
        elif type(obj) is Tensor or type(obj).__name__ == "Parameter" and isinstance(obj, Tensor):
            rebuilding.set_state(obj, state)
        elif any(type(obj) is c for c in self.safe.values()):
            rebuilding.set_state(obj, state)
        else:
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via "
                f"`add_safe_globals`, but got {type(obj)}"
            )

    def persistent(self):
        saved = self.pop()
        if type(saved) is not tuple or not saved:
            raise UnpicklingError(f"saved_id must be a tuple, got {type(saved).__name__}")
        if saved[0] not in ("storage", b"storage"):
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {type(saved[0])}")
        self.push(self.storage_of(*saved[1:]))

    def two_texts(self):
        name, module = self.pop(), self.pop()
        if type(name) is not str or type(module) is not str:
            raise UnpicklingError("a name is two texts")
        return module, name

    # --- containers ---

    def append(self, items):
        self.top(list).extend(items)

    def add(self, items):
        self.check_keys(items)
        self.top(set).update(items)

    def set_items(self, items):
        if len(items) % 2:
            raise UnpicklingError("a dict has as many values as keys")
        target = self.top(dict)
        self.check_keys(items[::2])
        for i in range(0, len(items), 2):
            target[items[i]] = items[i + 1]

    def text_of_python_2(self, data):
        self.push(data if self.encoding == "bytes" else data.decode(self.encoding, "strict"))

    def last(self, n):
        items = [self.pop() for _ in range(n)]
        return tuple(items[::-1])

    def keep(self, key):
        self.memo[key] = self.top(object)

    def get(self, key):
        if key not in self.memo:
            raise UnpicklingError(f"Memo value not found at index {key}")
        self.push(self.memo[key])

    def mark(self):
        self.marked.append(self.stack)
        self.stack = []

    def protocol(self):
        version = self.read(1)[0]
        if not 2 <= version <= 5:
            raise UnpicklingError(f"pickles of protocol {version} are not read with weights_only=True")


def _long(u, size):
    if size < 0:
        raise UnpicklingError("a number of negative length")
    u.push(int.from_bytes(u.read(size), "little", signed=True))


def _steps():
    u = Unpickler
    return {
        b"\x80": u.protocol,
        b"\x95": lambda u: u.read(8),
        b"(": u.mark,
        b"c": lambda u: u.find(u.line().decode(), u.line().decode()),
        b"\x93": lambda u: u.find(*u.two_texts()),
        b"R": u.reduce,
        b"\x81": u.new,
        b"b": u.build,
        b"Q": u.persistent,
        b"N": lambda u: u.push(None),
        b"\x88": lambda u: u.push(True),
        b"\x89": lambda u: u.push(False),
        b"K": lambda u: u.push(u.read(1)[0]),
        b"M": lambda u: u.push(u.number("<H", 2)),
        b"J": lambda u: u.push(u.number("<i", 4)),
        b"G": lambda u: u.push(u.number(">d", 8)),
        b"\x8a": lambda u: _long(u, u.read(1)[0]),
        b"\x8b": lambda u: _long(u, u.number("<i", 4)),
        b"X": lambda u: u.push(u.read(u.number("<I", 4)).decode("utf-8", "surrogatepass")),
        b"\x8c": lambda u: u.push(u.read(u.read(1)[0]).decode("utf-8", "surrogatepass")),
        b"\x8d": lambda u: u.push(u.read(u.number("<Q", 8)).decode("utf-8", "surrogatepass")),
        b"U": lambda u: u.text_of_python_2(u.read(u.read(1)[0])),
        b"T": lambda u: u.text_of_python_2(u.read(u.number("<I", 4))),
        b"B": lambda u: u.push(u.read(u.number("<I", 4))),
        b"C": lambda u: u.push(u.read(u.read(1)[0])),
        b"\x8e": lambda u: u.push(u.read(u.number("<Q", 8))),
        b"\x96": lambda u: u.push(bytearray(u.read(u.number("<Q", 8)))),
        b"]": lambda u: u.push([]),
        b"}": lambda u: u.push({}),
        b")": lambda u: u.push(()),
        b"\x8f": lambda u: u.push(set()),
        b"a": lambda u: u.append(u.last(1)),
        b"e": lambda u: u.append(u.marked_items()),
        b"s": lambda u: u.set_items(u.last(2)),
        b"u": lambda u: u.set_items(u.marked_items()),
        b"\x90": lambda u: u.add(u.marked_items()),
        b"t": lambda u: u.push(tuple(u.marked_items())),
        b"\x85": lambda u: u.push(u.last(1)),
        b"\x86": lambda u: u.push(u.last(2)),
        b"\x87": lambda u: u.push(u.last(3)),
        b"0": lambda u: u.pop(),
        b"q": lambda u: u.keep(u.read(1)[0]),
        b"r": lambda u: u.keep(u.number("<I", 4)),
        b"\x94": lambda u: u.keep(len(u.memo)),
        b"h": lambda u: u.get(u.read(1)[0]),
        b"j": lambda u: u.get(u.number("<I", 4)),
    }


STEPS = {code[0]: step for code, step in _steps().items()}
STOP = ord(".")
