"""Records what PyTorch hands to handlers of `__torch_function__`, and compares what flambeau does.

    python conformance/handlers.py record    # with PyTorch 2.13 and flambeau: write the record beside flambeau's tests
    python conformance/handlers.py report    # with flambeau: name the calls of which a handler sees something else

Calls are those of `SPELLINGS` and, from PyTorch's operator database, functions and methods with the database's
arguments in several spellings: as there, by keyword, in place, and with another tensor overriding. Calls of names that
do not exist here are left out.
"""

import argparse
import inspect
import sys
import warnings
from pathlib import Path

TESTS = Path(__file__).parents[1] / "packages/flambeau/tests"
sys.path.insert(0, str(TESTS))

from test_handlers import NOTHING, RECORD, Observer  # noqa: E402

SAMPLES = 4  # of an entry of the database, each of other kinds of arguments


class Unwritable(Exception):
    """An argument that no text makes."""


def written(x, torch, tensor):
    """An argument as text; `tensor(x)` writes a tensor."""
    if isinstance(x, torch.Tensor):
        return tensor(x)
    if type(x) in (list, tuple, torch.Size):
        inner = ", ".join(written(i, torch, tensor) for i in x)
        return f"[{inner}]" if type(x) is list else f"({inner}{',' if len(x) == 1 else ''})"
    if isinstance(x, slice):
        return f"slice({x.start}, {x.stop}, {x.step})"
    if x is None or type(x) in (bool, int, float, complex, str):
        if isinstance(x, (float, complex)) and any(word in repr(x) for word in ("inf", "nan")):
            raise Unwritable
        return repr(x)
    if isinstance(x, (torch.dtype, torch.memory_format)):
        return str(x)
    raise Unwritable


def from_database(torch, exists):
    """Calls for what PyTorch's operator database knows."""
    from torch.testing._internal.common_methods_invocations import op_db

    signatures = {torch.overrides.resolve_name(f): d for f, d in torch.overrides.get_testing_overrides().items()}
    calls = {}
    for op in op_db:
        dtypes = [d for d in (torch.float32, torch.int64, torch.complex64) if d in op.supported_dtypes("cpu")][:1]
        kinds = set()
        for dtype in dtypes:
            try:
                samples = list(op.sample_inputs("cpu", dtype, requires_grad=False))[:30]
            except Exception:  # noqa: BLE001
                continue
            for sample in samples:
                given = (sample.input, *sample.args)
                kind = repr([type(a).__name__ for a in given]) + repr(sorted(sample.kwargs))
                if kind in kinds or len(kinds) == SAMPLES:
                    continue
                kinds.add(kind)
                for call in spelled(torch, op.name, given, sample.kwargs, exists, signatures, len(kinds) == 1):
                    calls[call] = None
    return list(calls)


def spelled(torch, name, given, kwargs, exists, signatures, first):
    """The spellings of one call."""
    count = sum(isinstance(a, torch.Tensor) for a in [*given, *kwargs.values()])
    listed = isinstance(given[0], (list, tuple))
    for overriding in range(count or 1 if first else 1):
        number = iter(range(1000))

        def tensor(x, number=number, overriding=overriding):
            if x.numel() > 1000 or x.layout != torch.strided:
                raise Unwritable
            options = [str(n) for n in x.shape]
            if x.dtype != torch.float32:
                options.append(f"dtype={str(x.dtype).removeprefix('torch.')!r}")
            return f"{'s' if next(number) == overriding else 't'}({', '.join(options)})"

        try:
            args = [written(a, torch, tensor) for a in given]
            keywords = [f"{k}={written(v, torch, tensor)}" for k, v in kwargs.items()]
        except Unwritable:
            return
        if exists("torch." + name):
            yield f"torch.{name}({', '.join(args + keywords)})"
            dummy = signatures.get(f"torch.{name}", signatures.get(f"torch.functional.{name}"))
            if dummy is not None and overriding == 0:
                names = list(inspect.signature(dummy).parameters)
                parameters = [p.kind for p in inspect.signature(dummy).parameters.values()]
                if len(names) >= len(args) and inspect.Parameter.VAR_POSITIONAL not in parameters:
                    named = [f"{n}={a}" for n, a in zip(names, args, strict=False)]
                    yield f"torch.{name}({', '.join(named + keywords)})"
                    if len(named) > 1:
                        yield f"torch.{name}({', '.join(args[:1] + named[1:] + keywords)})"
        if listed or not isinstance(given[0], torch.Tensor) or "." in name:
            continue
        rest = ", ".join(args[1:] + keywords)
        for method in (name, name + "_"):
            if exists("torch.Tensor." + method):
                yield f"{args[0]}.{method}({rest})"
                if overriding == 0 and method == name and not keywords:
                    yield f"torch.Tensor.{method}({', '.join(args)})"


def attributes(torch, exists):
    """Reading and writing each attribute (PyTorch crashes when some are deleted), and each method of a tensor alone."""
    for name in sorted(dir(torch.Tensor)):
        if name.startswith("__") or not exists("torch.Tensor." + name):
            continue
        value = inspect.getattr_static(torch.Tensor, name)
        if inspect.isdatadescriptor(value):
            yield f"s(2, 3).{name}"
            yield f"x = s(2, 3); x.{name} = None"
            yield f"x = s(2, 3); x.{name} = s(2, 3)"
        elif callable(value):
            yield f"s(2, 3).{name}()"


def existing(flambeau):
    def exists(name):
        x = flambeau
        for word in name.removeprefix("torch.").split("."):
            try:
                x = getattr(x, word)
            except (AttributeError, ImportError, NotImplementedError):
                return False
        return getattr(x, "__doc__", None) != "Not built: raises NotImplementedError."

    return exists


def record():
    import torch

    import flambeau

    exists = existing(flambeau)
    calls = dict.fromkeys([*spellings(), *attributes(torch, exists), *from_database(torch, exists)])
    observer, ours = Observer(torch), Observer(flambeau)
    version = torch.__version__.partition("+")[0]
    lines = [
        f"# What handlers of __torch_function__ see in PyTorch {version}; see test_handlers.py. Written by "
        "conformance/handlers.py."
    ]
    for call in calls:
        try:
            if ours.observe(call, False) == NOTHING and isinstance(ours.error, (NotImplementedError, AttributeError)):
                continue  # not built
            seen, by_mode = observer.observe(call, False), observer.observe(call, True)
        except Exception as error:  # noqa: BLE001
            print(f"left out: {call}: {error}", file=sys.stderr)
            continue
        line = f"{call}\t{seen}"
        if by_mode != seen.replace("s(", "t(").replace(" Sub", ""):
            line += f"\t{by_mode}"
        lines.append(line)
    RECORD.write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} calls")


def spellings():
    """Python's syntax and protocols, and what else is written out."""
    for operator in "+ - * / // % ** @ & | ^ << >> < <= == != > >=".split():
        for left, right in OPERANDS:
            yield f"{left} {operator} {right}"
    for operator in "+ - * / // % ** @ & | ^ << >>".split():
        for right in ("s(2, 2)", "2", "2.0", "True", "None", "[1, 2]", "np.ones(2)"):
            yield f"x = s(2, 2); x {operator}= {right}"
        yield f"x = t(2, 2); x {operator}= s(2, 2)"
    for name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split():
        for method in (f"__{name}__", f"__r{name}__", f"__i{name}__"):
            yield f"s(2, 2).{method}(2)"
            yield f"s(2, 2, dtype='int64').{method}(t(2, 2, dtype='int64'))"
            yield f"torch.Tensor.{method}(t(2, 2), s(2, 2))"
    for name in "lt le eq ne gt ge".split():
        yield f"s(2).__{name}__(2)"
        yield f"t(2).__{name}__(s(2))"
    for line in SPELLINGS.splitlines():
        if line.strip():
            yield line.strip()


OPERANDS = [
    ("s(2, 2)", "t(2, 2)"),
    ("t(2, 2)", "s(2, 2)"),
    ("s(2, 2)", "2"),
    ("2", "s(2, 2)"),
    ("s(2, 2)", "2.5"),
    ("2.5", "s(2, 2)"),
    ("s(2, 2)", "None"),
    ("None", "s(2, 2)"),
    ("s(2, 2)", "[1, 2]"),
    ("[1, 2]", "s(2, 2)"),
    ("s(2, 2)", "'a'"),
    ("'a'", "s(2, 2)"),
    ("s(2, 2)", "True"),
    ("True", "s(2, 2)"),
    ("s(2, 2)", "1j"),
    ("1j", "s(2, 2)"),
    ("s(2, 2)", "np.ones(2)"),
    ("s(2, 2)", "np.float32(2)"),
    ("np.float32(2)", "s(2, 2)"),
    ("s(2, 2, dtype='int64')", "2"),
    ("2", "s(2, 2, dtype='int64')"),
    ("s(2, dtype='bool')", "True"),
    ("True", "s(2, dtype='bool')"),
    ("s(2, 2)", "object()"),
    ("object()", "s(2, 2)"),
]


def report(verbose):
    from test_handlers import decided, differences

    import flambeau

    found = {call: seen for call, seen in differences(flambeau).items() if not decided(call)}
    for call, (which, ours, theirs) in found.items():
        print(f"{call}  [{which}]\n    ours:    {ours}\n    PyTorch: {theirs}")
    print(f"{len(found)} calls differ")


SPELLINGS = """
-s(2)
+s(2)
abs(s(2))
~s(2, dtype='int64')
~s(2)
not s(1)
bool(s(1))
bool(s())
bool(s(2))
int(s(1))
float(s(1))
complex(s(1))
int(s(1, dtype='int64'))
float(s(2))
len(s(2))
len(s())
hash(s(2))
repr(s(2))
str(s(2))
format(s(1))
format(s(), '.2f')
f"{s()}"
f"{s(2)}"
iter(s(2))
list(s(2))
[i for i in s(2, 2)]
a, b = s(2)
tuple(s(2, 2))
reversed(s(2))
list(reversed(s(2)))
1 in s(2)
t() in s(2)
s() in t(2)
s() in [t(), t()]
None in s(2)
max(s(2))
sum(s(2))
sorted(s(2))
round(s(2))
round(s(2), 1)
divmod(s(2), 2)
pow(s(2), 2)
pow(s(2), 2, 3)
import operator; operator.index(s(1, dtype='int64'))
import operator; operator.index(s(1))
[1, 2, 3][s(1, dtype='int64')]
range(s(dtype='int64'))
import math; math.floor(s())
import math; math.ceil(s())
import math; math.trunc(s())
import math; math.sqrt(s())
dir(s(2))
import copy; copy.copy(s(2))
import copy; copy.deepcopy(s(2))
import copy; copy.deepcopy([s(2)])
import pickle; pickle.dumps(s(2))
import pickle; pickle.dumps(s(2), 0)
import pickle; pickle.dumps(s(2), 4)
np.array(s(2))
np.asarray(s(2))
np.asarray(s(2), dtype='float64')
np.sin(s(2))
np.add(s(2), 1)
np.add(np.ones(2), s(2))
np.sum(s(2))
np.from_dlpack(s(2))
np.ones(2) + s(2)
memoryview(s(2))
s(2).__array__()
s(2).__array__(np.float64)
s(2).__array__(dtype=np.float64)
s(2).__array_wrap__(np.ones(2))
s(2).__dlpack__()
s(2).__dlpack__(stream=None)
s(2).__dlpack_device__()
s(2).__reduce_ex__(2)
s(2).__repr__()
s(2).__repr__(tensor_contents='x')
s(2).__format__('')
s(2).__len__()
s(2).__bool__()
s(1).__int__()
s(1).__float__()
s(1).__index__()
s(1).__complex__()
s(1).__nonzero__()
s(1).__long__()
s(2).__iter__()
s(2).__reversed__()
s(2).__contains__(1)
s(2).__dir__()
s(2).__hash__()
s(2).__neg__()
s(2).__pos__()
s(2).__abs__()
s(2).__invert__()
s(2).__deepcopy__({})
s(2).__setstate__((1,))
s(2).__getitem__(0)
s(2).__setitem__(0, 1)
s(2).__rdiv__(1)
s(2).__div__(1)
s(2).__idiv__(1)
s(2, 3)[0]
s(2, 3)[0, 1]
s(2, 3)[:, 1:]
s(2, 3)[...]
s(2, 3)[None]
s(2, 3)[[0, 1]]
s(2, 3)[True]
s(2, 3)[-1]
s(2, 3)[np.array([0, 1])]
s(2, 3)[t(2, dtype='bool')]
s(2, 3)[s(2, dtype='bool')]
t(2, 3)[s(2, dtype='bool')]
t(2, 3)[s(1, dtype='int64')]
t(2, 3)[s(dtype='int64')]
t(7, 3)[s(1, dtype='int64'):]
t(7, 3)[:s(dtype='int64')]
t(2, 3)[s(1, dtype='int64'), 0]
t(2, 3)[0, s(1, dtype='int64')]
t(2, 3)[[s(dtype='int64')]]
s(2, 3)['a']
x = s(2, 3); x[0] = 1
x = s(2, 3); x[0] = t(3)
x = s(2, 3); x[:, 0] = s(2)
x = t(2, 3); x[0] = s(3)
x = t(2, 3); x[s(1, dtype='int64')] = 1
x = t(2, 3); x[s(2, dtype='bool')] = 1
x = t(2, 3); x[0, 0] = s()
x = s(2, 3); x[0] += 1
x = s(2, 3); del x[0]
x = s(2, 3); x.foo = 1
x = s(2, 3); x.foo
x = s(2, 3); x.requires_grad = True
x = s(2, 3); x.data = t(2, 3)
x = t(2, 3); x.data = s(2, 3)
x = s(2, 3, grad=True); x.grad = t(2, 3)
x = t(2, 3, grad=True); x.grad = s(2, 3)
x = s(2, 3, grad=True); del x.grad
x = s(2, 3); x.names = None
x = s(2, 3); hasattr(x, 'grad')
x = s(2, 3); getattr(x, 'nothing', None)
x = s(2, 3, grad=True); x.sum().backward()
x = s(2, 3, grad=True); x.backward(t(2, 3))
x = s(2, 3, grad=True); x.backward(gradient=t(2, 3))
x = s(2, 3, grad=True); x.backward(None, True)
x = s(2, 3, grad=True); x.backward(retain_graph=True)
x = s(2, 3, grad=True); x.backward(inputs=[x])
x = t(2, 3, grad=True); x.backward(s(2, 3))
x = t(2, 3, grad=True); x.sum().backward()
x = s(2, 3, grad=True); y = x.sum(); torch.autograd.grad(y, x)
x = s(2, 3, grad=True); y = x.sum(); torch.autograd.grad(y, [x])
x = s(2, 3, grad=True); y = x.sum(); torch.autograd.grad([y], (x,))
x = s(2, 3, grad=True); y = x.sum(); torch.autograd.grad(y, x, t())
x = s(2, 3, grad=True); y = x.sum(); torch.autograd.grad(y, x, create_graph=True, allow_unused=True)
x = s(2, 3, grad=True); y = x.sum(); torch.autograd.grad(outputs=y, inputs=x, grad_outputs=None)
x = t(2, 3, grad=True); y = x.sum(); torch.autograd.grad(y, x)
x = t(2, 3, grad=True); y = x.sum(); torch.autograd.grad(y, x, s())
x = s(2, 3, grad=True); y = x.sum(); torch.autograd.backward(y)
x = s(2, 3, grad=True); y = x.sum(); torch.autograd.backward([y])
x = s(2, 3, grad=True); y = x.sum(); torch.autograd.backward((y,), (t(),))
x = s(2, 3, grad=True); y = x.sum(); torch.autograd.backward(y, None, True, inputs=[x])
x = s(2, 3, grad=True); y = x.sum(); torch.autograd.backward(y, inputs=x)
x = s(2, 3, grad=True); y = x.sum(); torch.autograd.backward(tensors=y, grad_tensors=t())
x = s(2, 3, grad=True); x.register_hook(print)
x = s(2, 3, grad=True); x.register_hook(hook=print)
x = s(2, 3, grad=True); x.register_post_accumulate_grad_hook(print)
x = s(2, 3, grad=True); x.retain_grad()
x = s(2, 3); x.requires_grad_()
x = s(2, 3); x.requires_grad_(False)
x = s(2, 3); x.requires_grad_(requires_grad=True)
x = s(2, 3); x.detach()
x = s(2, 3); x.detach_()
x = s(2, 3); torch.detach(x)
s(4).view(2, 2)
s(4).view((2, 2))
s(4).view([2, 2])
s(4).view(-1)
s(4).view(torch.int32)
s(4).view(size=(2, 2))
s(4).view(dtype=torch.int32)
s(4).reshape(2, 2)
s(4).reshape((2, 2))
s(4).reshape(shape=(2, 2))
torch.reshape(s(4), (2, 2))
torch.reshape(s(4), [2, 2])
s(2, 2).permute(1, 0)
s(2, 2).permute((1, 0))
s(2, 2).permute(dims=(1, 0))
torch.permute(s(2, 2), (1, 0))
s(2).expand(3, 2)
s(2).expand((3, 2))
s(2).expand(3, 2, implicit=False)
s(2).repeat(3, 2)
s(2).repeat((3, 2))
s(2).tile(3, 2)
s(2).size()
s(2).size(0)
s(2).size(dim=0)
s(2).stride(0)
s(2).to(torch.float64)
s(2).to('cpu')
s(2).to(torch.device('cpu'))
s(2).to('cpu', torch.float64)
s(2).to(dtype=torch.float64)
s(2).to(device='cpu', dtype=torch.float64)
s(2).to(t(2))
t(2).to(s(2))
s(2).to(float)
s(2).to(torch.float64, copy=True)
s(2).to(torch.float64, True, True)
s(2).to(other=t(2))
s(2).type(torch.float64)
s(2).type('torch.DoubleTensor')
s(2).type(dtype=torch.float64)
s(2).type(torch.float64, True)
s(2).type(torch.DoubleTensor)
s(2).type_as(t(2))
t(2).type_as(s(2))
s(2).cpu()
s(2).cuda()
s(2).numpy()
s(2).numpy(force=True)
s(2).tolist()
s(1).item()
s(2).data_ptr()
s(2).storage()
s(2).untyped_storage()
s(2).element_size()
s(2).is_contiguous(memory_format=torch.contiguous_format)
s(2).new_tensor([1, 2])
s(2).new_tensor(t(2))
t(2).new_tensor(s(2))
s(2).new_zeros(2, 3)
s(2).new_zeros((2, 3))
s(2).new_zeros(size=(2, 3))
s(2).new_ones(2, 3)
s(2).new_empty(2, 3)
s(2).new_full((2,), 3)
s(2).new_full((2,), 3.0, dtype=torch.float64)
s(2).new_empty_strided((2,), (1,))
s(2).new()
s(2).new(2, 3)
s(2).as_subclass(torch.Tensor)
s(2).apply_(abs)
s(2).map_(t(2), max)
s(4).split(2)
s(4).split([1, 3])
s(4).split(2, 0)
s(4).split(2, dim=0)
s(4).split(split_size=2)
s(4).split(split_size=2, dim=0)
torch.split(s(4), 2)
torch.split(s(4), 2, 0)
torch.split(s(4), 2, dim=0)
torch.split(tensor=s(4), split_size_or_sections=2)
torch.split(s(4), split_size_or_sections=[2, 2])
torch.functional.split(s(4), 2)
s(4).split_with_sizes([1, 3])
s(4).chunk(2)
s(4).unique()
s(4).unique(True)
s(4).unique(return_counts=True)
s(4).unique(return_inverse=True)
s(4).unique(True, True, True, 0)
torch.unique(s(4))
torch.unique(s(4), True)
torch.unique(s(4), True, True)
torch.unique(s(4), True, True, True)
torch.unique(s(4), sorted=False)
torch.unique(s(4), return_inverse=True)
torch.unique(s(4), return_counts=True, dim=0)
torch.unique(input=s(4))
s(4).unique_consecutive()
s(4).unique_consecutive(True)
s(4).unique_consecutive(return_counts=True)
torch.unique_consecutive(s(4))
torch.unique_consecutive(s(4), return_counts=True)
torch.unique_consecutive(s(4), True, True)
s(4).norm()
s(4).norm(2)
s(4).norm(2, 0)
s(4).norm(p='fro')
s(4).norm(dim=0, keepdim=True)
torch.norm(s(4))
torch.norm(s(4), 2)
torch.norm(s(4), 2, 0)
torch.norm(s(4), p=1, dim=0, keepdim=True)
torch.norm(s(4), dtype=torch.float64)
torch.norm(input=s(4))
s(4).stft(2)
s(4).unflatten(0, (2, 2))
s(4).unflatten(0, 2, 2)
s(4).unflatten(dim=0, sizes=(2, 2))
torch.unflatten(s(4), 0, (2, 2))
s(4).resize(2, 2)
s(4).resize_as(t(2, 2))
s(4).resize_(2, 2)
s(4).resize_((2, 2))
s(4).dim_order()
s(4).is_shared()
s(4).share_memory_()
s(4).storage_type()
s(4).index((0,), (0,))
s(4).module_load(t(4))
s(4).lu()
s(2, 2).lu(pivot=True)
torch.broadcast_tensors(s(2), t(1))
torch.broadcast_tensors(t(2), s(1))
torch.broadcast_tensors(s(2))
torch.broadcast_tensors()
torch.broadcast_shapes((2,), (1,))
torch.meshgrid(s(2), t(3))
torch.meshgrid(s(2), t(3), indexing='ij')
torch.meshgrid([s(2), t(3)])
torch.meshgrid([t(2), s(3)], indexing='xy')
torch.cartesian_prod(s(2), t(3))
torch.cartesian_prod(s(2))
torch.block_diag(s(2, 2), t(3, 3))
torch.block_diag(t(2, 2), s(3, 3))
torch.atleast_1d(s())
torch.atleast_1d(s(), t())
torch.atleast_1d([s(), t()])
torch.atleast_2d(s())
torch.atleast_2d((t(), s()))
torch.atleast_3d(s(), t())
torch.chain_matmul(s(2, 2), t(2, 2))
torch.tensordot(s(2, 2), t(2, 2))
torch.tensordot(s(2, 2), t(2, 2), 1)
torch.tensordot(t(2, 2), s(2, 2), dims=([0], [1]))
torch.tensordot(a=s(2, 2), b=t(2, 2), dims=1)
torch.cdist(s(2, 2), t(2, 2))
torch.cdist(t(2, 2), s(2, 2), 1.0)
torch.cdist(s(2, 2), t(2, 2), p=1.0)
torch.einsum('ij,jk->ik', s(2, 2), t(2, 2))
torch.einsum('ij,jk->ik', [s(2, 2), t(2, 2)])
torch.einsum('ij,jk->ik', t(2, 2), s(2, 2))
torch.einsum('ii', s(2, 2))
torch.einsum(s(2, 2), [0, 1], [1, 0])
torch.unravel_index(s(2, dtype='int64'), (2, 3))
torch.unravel_index(s(2, dtype='int64'), shape=(2, 3))
torch.stft(s(8), 4)
torch.lu(s(2, 2))
torch.cat([s(2), t(2)])
torch.cat((t(2), s(2)), 0)
torch.cat((t(2), s(2)), dim=0)
torch.cat(tensors=(t(2), s(2)))
torch.cat((t(2), t(2)), out=s(4))
torch.stack([s(2), t(2)])
torch.stack([t(2), s(2)], 1)
torch.add(s(2), 1)
torch.add(1, s(2))
torch.add(s(2), t(2), alpha=2)
torch.add(input=s(2), other=t(2))
torch.add(t(2), t(2), out=s(2))
torch.add(s(2), 2, t(2))
s(2).add(2, t(2))
s(2).add(t(2), alpha=2)
s(2).add(other=t(2))
s(2).add_(t(2))
t(2).add_(s(2))
torch.addmm(s(2, 2), t(2, 2), t(2, 2))
torch.addmm(t(2, 2), t(2, 2), s(2, 2), beta=2)
torch.addmm(1, s(2, 2), 2, t(2, 2), t(2, 2))
torch.clamp(s(2), 0, 1)
torch.clamp(s(2), None, 1)
torch.clamp(s(2), min=None, max=1)
torch.clamp(t(2), s(2))
torch.clamp(t(2), None, s(2))
torch.where(s(2, dtype='bool'))
torch.where(s(2, dtype='bool'), 1, 2)
torch.where(t(2, dtype='bool'), s(2), 2)
torch.where(t(2, dtype='bool'), 2, s(2))
torch.sum(s(2))
torch.sum(s(2), 0)
torch.sum(s(2), (0,))
torch.sum(s(2), dim=0, keepdim=True)
torch.sum(s(2), dtype=torch.float64)
torch.sum(s(2), axis=0)
torch.sum(s(2), None)
torch.max(s(2))
torch.max(s(2), 0)
torch.max(s(2), dim=0)
torch.max(s(2), t(2))
torch.max(t(2), s(2))
torch.std(s(2), unbiased=False)
torch.std(s(2), 0, True)
torch.std(s(2), dim=None, correction=0)
torch.var_mean(s(2), 0)
torch.zeros_like(s(2))
torch.ones_like(s(2), dtype=torch.int64)
torch.full_like(s(2), 3)
torch.empty_like(s(2))
torch.rand_like(s(2))
torch.zeros(2)
torch.zeros(2, 3)
torch.zeros((2, 3))
torch.zeros(size=(2, 3))
torch.zeros(2, out=s(2))
torch.zeros(2, dtype=torch.int64)
torch.zeros(2, device='cpu')
torch.ones(2)
torch.empty(2)
torch.full((2,), 3)
torch.full((2,), 3, dtype=torch.float64)
torch.arange(3)
torch.arange(0, 3, 1)
torch.arange(end=3)
torch.linspace(0, 1, 3)
torch.eye(2)
torch.rand(2)
torch.randn(2, 3)
torch.randint(3, (2,))
torch.randint(0, 3, (2,))
torch.randperm(3)
torch.normal(0.0, 1.0, (2,))
torch.normal(s(2), 1.0)
torch.tensor([1, 2])
torch.tensor(s(2))
torch.tensor([s(), t()])
torch.tensor(data=[1])
torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
torch.as_tensor([1, 2])
torch.as_tensor(s(2))
torch.asarray([1, 2])
torch.asarray(s(2))
torch.from_numpy(np.ones(2))
torch.frombuffer(bytearray(8), dtype=torch.int64)
torch.from_dlpack(s(2))
torch.Tensor(2)
torch.Tensor([1, 2])
torch.Tensor(s(2))
torch.FloatTensor(2)
torch.tril_indices(2, 2)
torch.is_tensor(s(2))
torch.is_storage(s(2))
torch.numel(s(2))
torch.numel(input=s(2))
torch.is_floating_point(s(2))
torch.is_complex(s(2))
torch.is_nonzero(s(1))
torch.result_type(s(2), 1)
torch.result_type(1, s(2))
torch.can_cast(torch.int32, torch.int64)
torch.promote_types(torch.int32, torch.int64)
torch.allclose(s(2), t(2))
torch.allclose(t(2), s(2), rtol=1e-3)
torch.equal(s(2), t(2))
torch.isclose(s(2), t(2))
torch.clone(s(2))
torch.narrow(s(4), 0, 1, 2)
torch.select(s(4), 0, 1)
torch.device('cpu')
torch.device('cpu', 0)
torch.device(type='cpu')
torch.set_default_dtype(torch.float32)
torch.get_default_dtype()
torch.manual_seed(1)
torch.seed()
torch.initial_seed()
torch.get_rng_state()
torch.is_grad_enabled()
torch.set_grad_enabled(True)
torch.get_num_threads()
torch.set_num_threads(2)
torch.set_printoptions(precision=4)
torch.Size([1, 2])
torch.Generator()
torch.Generator(device='cpu')
torch.finfo(torch.float32)
torch.iinfo(torch.int32)
torch.no_grad().__enter__()
torch.typename(s(2))
torch.is_inference_mode_enabled()
torch.compiled_with_cxx11_abi()
torch.nn.Parameter(t(2))
torch.nn.Parameter(s(2))
torch.nn.Parameter(s(2), False)
torch.nn.Linear(2, 2)
m = torch.nn.Linear(2, 2); m(s(1, 2))
m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Softmax(-1)); m(s(1, 2))
m = torch.nn.LayerNorm(2); m(s(1, 2))
m = torch.nn.BatchNorm1d(2); m(s(2, 2))
m = torch.nn.Embedding(8, 2); m(s(2, dtype='int64'))
m = torch.nn.MSELoss(); m(s(2), t(2))
m = torch.nn.CrossEntropyLoss(); m(s(2, 5), t(2, dtype='int64'))
m = torch.nn.Dropout(); m(s(2))
m = torch.nn.MaxPool1d(2); m(s(1, 4))
m = torch.nn.AvgPool1d(2); m(s(1, 4))
m = torch.nn.AdaptiveAvgPool2d(2); m(s(1, 4, 4))
m = torch.nn.Flatten(); m(s(2, 2, 2))
m = torch.nn.Bilinear(2, 2, 2); m(s(2, 2), s(2, 2))
m = torch.nn.GELU(); m(s(2))
m = torch.nn.Sigmoid(); m(s(2))
m = torch.nn.Tanh(); m(s(2))
m = torch.nn.LeakyReLU(); m(s(2))
m = torch.nn.ELU(); m(s(2))
m = torch.nn.PReLU(); m(s(2))
m = torch.nn.Softplus(); m(s(2))
m = torch.nn.LogSoftmax(-1); m(s(2))
m = torch.nn.Hardtanh(); m(s(2))
m = torch.nn.GroupNorm(1, 2); m(s(2, 2))
m = torch.nn.InstanceNorm1d(2); m(s(2, 2))
m = torch.nn.BCELoss(); m(s(2), t(2))
m = torch.nn.BCEWithLogitsLoss(); m(s(2), t(2))
m = torch.nn.NLLLoss(); m(s(2, 5), t(2, dtype='int64'))
m = torch.nn.L1Loss(); m(s(2), t(2))
m = torch.nn.SmoothL1Loss(); m(s(2), t(2))
m = torch.nn.HuberLoss(); m(s(2), t(2))
m = torch.nn.KLDivLoss(); m(s(2), t(2))
m = torch.nn.CosineSimilarity(); m(s(2, 2), t(2, 2))
m = torch.nn.PairwiseDistance(); m(s(2, 2), t(2, 2))
m = torch.nn.ConstantPad1d(1, 0.0); m(s(2, 2))
m = torch.nn.ReflectionPad1d(1); m(s(2, 2))
m = torch.nn.Identity(); m(s(2))
m = torch.nn.Linear(2, 2); m.zero_grad()
m = torch.nn.Linear(2, 2); m.state_dict()
m = torch.nn.Linear(2, 2); m.load_state_dict(m.state_dict())
m = torch.nn.Linear(2, 2); m.double()
p = torch.nn.Linear(2, 2).parameters(); torch.nn.utils.clip_grad_norm_(p, 1.0)
m = torch.nn.Linear(2, 2); o = torch.optim.SGD(m.parameters(), lr=0.1); m(t(1, 2)); o.step()
torch.nn.init.uniform_(s(2))
torch.nn.init.uniform_(s(2), 0.0, 2.0)
torch.nn.init.uniform_(tensor=s(2), a=0.0)
torch.nn.init.normal_(s(2))
torch.nn.init.normal_(s(2), std=2.0)
torch.nn.init.constant_(s(2), 1.0)
torch.nn.init.constant_(s(2), val=1.0)
torch.nn.init.zeros_(s(2))
torch.nn.init.ones_(s(2))
torch.nn.init.eye_(s(2, 2))
torch.nn.init.xavier_uniform_(s(2, 2))
torch.nn.init.xavier_normal_(s(2, 2), 2.0)
torch.nn.init.kaiming_uniform_(s(2, 2))
torch.nn.init.kaiming_uniform_(s(2, 2), a=1, mode='fan_out')
torch.nn.init.kaiming_normal_(s(2, 2))
torch.nn.init.trunc_normal_(s(2, 2))
torch.nn.init.orthogonal_(s(2, 2))
torch.nn.init.sparse_(s(2, 2), 0.5)
torch.nn.init.dirac_(s(2, 2, 2))
F.relu(s(2))
F.relu(s(2), True)
F.relu(s(2), inplace=True)
F.relu(input=s(2))
F.relu_(s(2))
F.softmax(s(2), 0)
F.softmax(s(2), dim=0)
F.softmax(s(2), -1, dtype=torch.float64)
F.softmax(s(2), 0, 3)
F.log_softmax(s(2), 0)
F.softmin(s(2), 0)
F.gelu(s(2))
F.gelu(s(2), approximate='tanh')
F.elu(s(2))
F.elu(s(2), 2.0, True)
F.elu_(s(2))
F.selu(s(2))
F.celu(s(2))
F.leaky_relu(s(2))
F.leaky_relu(s(2), 0.1)
F.leaky_relu_(s(2))
F.rrelu(s(2))
F.hardtanh(s(2))
F.hardtanh(s(2), -2.0, 2.0)
F.hardtanh_(s(2))
F.relu6(s(2))
F.hardswish(s(2))
F.hardsigmoid(s(2))
F.silu(s(2))
F.mish(s(2))
F.glu(s(2))
F.softplus(s(2))
F.softsign(s(2))
F.tanhshrink(s(2))
F.hardshrink(s(2))
F.softshrink(s(2))
F.logsigmoid(s(2))
F.sigmoid(s(2))
F.tanh(s(2))
F.threshold(s(2), 0.1, 20)
F.threshold(s(2), 0.1, 20, True)
F.threshold_(s(2), 0.1, 20)
F.prelu(s(2), t(1))
F.prelu(t(2), s(1))
F.gumbel_softmax(s(2))
F.dropout(s(2))
F.dropout(s(2), 0.2)
F.dropout(s(2), p=0.2, training=False)
F.dropout1d(s(2, 2))
F.dropout2d(s(2, 2, 2))
F.dropout3d(s(2, 2, 2, 2))
F.alpha_dropout(s(2))
F.feature_alpha_dropout(s(2, 2))
F.linear(s(2), t(3, 2))
F.linear(t(2), s(3, 2), t(3))
F.linear(t(2), t(3, 2), bias=s(3))
F.linear(input=t(2), weight=s(3, 2))
F.bilinear(s(1, 2), t(1, 2), t(1, 2, 2))
F.embedding(s(2, dtype='int64'), t(5, 2))
F.embedding(t(2, dtype='int64'), s(5, 2), 0)
F.embedding(t(2, dtype='int64'), s(5, 2), padding_idx=0)
F.one_hot(s(2, dtype='int64'))
F.one_hot(s(2, dtype='int64'), 5)
F.batch_norm(s(2, 2), None, None, training=True)
F.batch_norm(t(2, 2), t(2), t(2), s(2))
F.instance_norm(s(2, 2, 2))
F.layer_norm(s(2), (2,))
F.layer_norm(s(2), [2], t(2))
F.layer_norm(t(2), [2], weight=s(2))
F.rms_norm(s(2), (2,))
F.group_norm(s(2, 2), 1)
F.local_response_norm(s(2, 2, 2), 2)
F.normalize(s(2, 2))
F.normalize(s(2, 2), 1.0)
F.mse_loss(s(2), t(2))
F.mse_loss(t(2), s(2), reduction='sum')
F.l1_loss(s(2), t(2))
F.smooth_l1_loss(s(2), t(2))
F.huber_loss(s(2), t(2))
F.cross_entropy(s(2, 5), t(2, dtype='int64'))
F.cross_entropy(s(2, 5), t(2, dtype='int64'), label_smoothing=0.1)
F.cross_entropy(t(2, 5), s(2, dtype='int64'))
F.nll_loss(s(2, 5), t(2, dtype='int64'))
F.binary_cross_entropy(s(2), t(2))
F.binary_cross_entropy_with_logits(s(2), t(2))
F.binary_cross_entropy_with_logits(t(2), t(2), pos_weight=s(2))
F.kl_div(s(2), t(2))
F.poisson_nll_loss(s(2), t(2))
F.gaussian_nll_loss(s(2), t(2), t(2))
F.hinge_embedding_loss(s(2), t(2))
F.margin_ranking_loss(s(2), t(2), t(2))
F.soft_margin_loss(s(2), t(2))
F.multi_margin_loss(s(2, 5), t(2, dtype='int64'))
F.multilabel_margin_loss(s(2, 5), t(2, 5, dtype='int64'))
F.multilabel_soft_margin_loss(s(2, 2), t(2, 2))
F.cosine_embedding_loss(s(2, 2), t(2, 2), t(2))
F.triplet_margin_loss(s(2, 2), t(2, 2), t(2, 2))
F.triplet_margin_with_distance_loss(s(2, 2), t(2, 2), t(2, 2))
F.cosine_similarity(s(2, 2), t(2, 2))
F.pairwise_distance(s(2, 2), t(2, 2))
F.pad(s(2), (1, 1))
F.pad(s(2), [1, 1], 'constant', 0.0)
F.pad(s(1, 2), (1, 1), mode='reflect')
F.max_pool1d(s(1, 4), 2)
F.max_pool1d(s(1, 4), 2, 2)
F.max_pool1d(s(1, 4), 2, return_indices=True)
F.max_pool1d(s(1, 4), kernel_size=2, stride=2, padding=0)
F.max_pool2d(s(1, 4, 4), 2)
F.max_pool2d(s(1, 4, 4), 2, return_indices=True)
F.max_pool3d(s(1, 4, 4, 4), 2)
F.max_pool2d_with_indices(s(1, 4, 4), 2)
F.avg_pool1d(s(1, 4), 2)
F.avg_pool2d(s(1, 4, 4), 2)
F.avg_pool2d(s(1, 4, 4), kernel_size=2)
F.adaptive_avg_pool1d(s(1, 4), 2)
F.adaptive_avg_pool2d(s(1, 4, 4), 2)
F.adaptive_avg_pool3d(s(1, 4, 4, 4), 2)
F.adaptive_max_pool1d(s(1, 4), 2)
F.adaptive_max_pool2d(s(1, 4, 4), 2)
F.adaptive_max_pool2d(s(1, 4, 4), 2, True)
F.lp_pool1d(s(1, 4), 2, 2)
F.lp_pool2d(s(1, 4, 4), 2, 2)
F.conv1d(s(1, 2, 4), t(2, 2, 2))
F.interpolate(s(1, 2, 4), 8)
F.unfold(s(1, 2, 4, 4), 2)
F.pixel_shuffle(s(4, 2, 2), 2)
F.scaled_dot_product_attention(s(2, 2), t(2, 2), t(2, 2))
torch.relu(s(2))
torch.relu_(s(2))
torch.softmax(s(2), 0)
torch.softmax(s(2), dim=0, dtype=torch.float64)
s(2).softmax(0)
torch.dropout(s(2), 0.5, True)
torch.layer_norm(s(2), (2,))
torch.special.expit(s(2))
torch.linalg.norm(s(2))
torch.linalg.vector_norm(s(2), 2)
torch.func.grad(torch.sum)(s(2))
torch.vmap(torch.sin)(s(2))
torch.autograd.functional.vjp(torch.sum, s(2))
torch.utils.checkpoint.checkpoint(torch.sin, s(2), use_reentrant=False)
"""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["record", "report"])
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    record() if args.what == "record" else report(args.v)
