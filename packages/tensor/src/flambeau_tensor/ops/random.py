"""Random numbers: factories of random tensors, and filling tensors in place.

All operators take a `generator`; by default they use the default generator, which `manual_seed` seeds. For the same
seed, the numbers are those of PyTorch's CPU generator.
"""

import numpy as np

from flambeau_tensor._core.call.forwarding import Forward, overloads
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.declaring import FUNCTION, METHOD
from flambeau_tensor._kernels import multinomial as multinomial_kernels
from flambeau_tensor._kernels import poisson as poisson_kernels
from flambeau_tensor._kernels import random as kernels
from flambeau_tensor._kernels import random_factories as factories
from flambeau_tensor.ops.factories import empty

_OPTIONS = (
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False"
)
_GENERATOR = "Generator? generator=None"
_FRESH = f"*, {_GENERATOR}, Tensor(a!)? out=None, {_OPTIONS}"
_LIKE = f"*, {_OPTIONS}, MemoryFormat? memory_format=None, {_GENERATOR}"


def _factory(schema, kernel, doc):
    return Operator(f"{schema} -> Tensor", kernel, variants=FUNCTION, differentiable=False, random=True, doc=doc)


def _fill(schema, kernel, doc, composite=False):
    return Operator(
        f"{schema}, *, {_GENERATOR}) -> Tensor(a!)",
        kernel,
        variants=METHOD,
        composite=composite,
        random=True,
        doc=doc,
    )


# --- tensors of random numbers --------------------------------------------------------------------------------------

rand = _factory(f"rand(int[] size, {_FRESH})", factories.rand, "Random uniform numbers in [0, 1).")
randn = _factory(f"randn(int[] size, {_FRESH})", factories.randn, "Random normal numbers with mean 0 and variance 1.")
_randint = _factory(
    f"randint.low(int low, int high, int[] size, {_FRESH})",
    factories.randint,
    "Integers from `low` up to `high`, which is excluded.",
)
randint = Operator(
    f"randint(int high, int[] size, {_FRESH}) -> Tensor",
    Forward(_randint, low=0),
    composite=True,
    variants=FUNCTION,
    doc="Integers from 0 up to `high`, which is excluded.",
)
randperm = _factory(f"randperm(int n, {_FRESH})", factories.randperm, "The integers from 0 to `n` - 1, shuffled.")
rand_like = _factory(
    f"rand_like(Tensor self, {_LIKE})",
    factories.rand_like,
    "Random uniform numbers in [0, 1), in the size and dtype of `input`.",
)
randn_like = _factory(
    f"randn_like(Tensor self, {_LIKE})",
    factories.randn_like,
    "Random normal numbers with mean 0 and variance 1, in the size and dtype of `input`.",
)
_randint_like = _factory(
    f"randint_like.low_dtype(Tensor self, int low, int high, {_LIKE})",
    factories.randint_like,
    "Integers from `low` up to `high`, which is excluded, in the size and dtype of `input`.",
)
randint_like = Operator(
    f"randint_like(Tensor self, int high, {_LIKE}) -> Tensor",
    Forward(_randint_like, low=0),
    composite=True,
    variants=FUNCTION,
    doc="Integers from 0 up to `high`, which is excluded, in the size and dtype of `input`.",
)

# --- distributions with tensors as parameters -----------------------------------------------------------------------

bernoulli = Operator(
    f"bernoulli(Tensor self, float? p=None, *, {_GENERATOR}, Tensor(a!)? out=None) -> Tensor",
    kernels.bernoulli,
    namespace="torch._ops",
    variants=FUNCTION,
    random=True,
    doc="Random ones and zeros: 1 with the probability in `input`, or with `p`.",
)
overloads(
    bernoulli,
    f"bernoulli(Tensor self, *, {_GENERATOR}, Tensor(a!)? out=None) -> Tensor",
    f"bernoulli.p(Tensor self, float p, *, {_GENERATOR}) -> Tensor",
)
multinomial = Operator(
    "multinomial(Tensor self, int num_samples, bool replacement=False, *, "
    f"{_GENERATOR}, Tensor(a!)? out=None) -> Tensor",
    multinomial_kernels.multinomial,
    differentiable=False,
    random=True,
    doc="Random indices into the last dimension, with the weights in `input`, which need not sum to one.",
)
poisson = Operator(
    "poisson(Tensor self, Generator? generator=None) -> Tensor",
    poisson_kernels.poisson,
    variants=FUNCTION,
    random=True,
    doc="""
Random Poisson numbers: the number of independent events with the expected number in `input`.

Args:
    input: the rates, not negative, of a floating point dtype.
    generator: the source of random numbers; by default the default generator.

Returns:
    Whole numbers, of the shape and dtype of `input`. Their gradient is 0.

Raises:
    RuntimeError: a rate is negative or NaN.
    NotImplementedError: the dtype is not floating point.

>>> import flambeau_tensor as ft
>>> ft.poisson(ft.tensor([0.0, 0.0]))
tensor([0., 0.])
""",
)


def _normal(mean, std, generator, out):
    like = mean if isinstance(mean, Tensor) else std
    shape = like.shape
    if isinstance(std, Tensor):
        if std.is_complex():
            raise RuntimeError("normal expects standard deviation to be non-complex")
        if not (std >= 0).all():
            raise RuntimeError("normal expects all elements of std >= 0.0")
        if std.shape != shape:
            try:
                shape = np.broadcast_shapes(shape, std.shape)
            except ValueError:
                shapes = f"{tuple(shape)} and {tuple(std.shape)}"
                raise RuntimeError(f"normal(): mean and std of shapes {shapes} do not broadcast") from None
    elif not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    return empty(shape, dtype=like.dtype).normal_(generator=generator).mul_(std).add_(mean)


def _normal_numbers(mean, std, size, generator, out, dtype, layout, device, pin_memory, requires_grad):
    return empty(size, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad).normal_(
        mean, std, generator=generator
    )


normal = {}
for _overload, _arguments in (
    ("Tensor_float", "Tensor mean, float std=1"),
    ("float_Tensor", "float mean, Tensor std"),
    ("Tensor_Tensor", "Tensor mean, Tensor std"),
):
    normal[_overload] = Operator(
        f"normal.{_overload}({_arguments}, *, {_GENERATOR}, Tensor(a!)? out=None) -> Tensor",
        _normal,
        variants=FUNCTION,
        random=True,
        doc="Random normal numbers, with means and standard deviations from tensors. Their gradient is 0.",
    )
_factory(
    f"normal.float_float(float mean, float std, int[] size, {_FRESH})",
    _normal_numbers,
    "Random normal numbers with one mean and one standard deviation.",
)

# --- in place -------------------------------------------------------------------------------------------------------

uniform_ = _fill(
    "uniform_(Tensor(a!) self, float from=0, float to=1", kernels.uniform, "Fills with uniform numbers in [from, to)."
)
normal_ = _fill(
    "normal_(Tensor(a!) self, float mean=0, float std=1",
    kernels.normal,
    "Fills with normal numbers of the given mean and standard deviation.",
)
log_normal_ = _fill(
    "log_normal_(Tensor(a!) self, float mean=1, float std=2",
    kernels.log_normal,
    "Fills with numbers whose logarithm is normal, of the given mean and standard deviation.",
)
cauchy_ = _fill(
    "cauchy_(Tensor(a!) self, float median=0, float sigma=1",
    kernels.cauchy,
    "Fills with Cauchy random numbers, density sigma / (pi (sigma^2 + (x - median)^2)).",
)
exponential_ = _fill(
    "exponential_(Tensor(a!) self, float lambd=1",
    kernels.exponential,
    "Fills with numbers of density lambd exp(-lambd x).",
)
geometric_ = _fill(
    "geometric_(Tensor(a!) self, float p",
    kernels.geometric,
    "Fills with geometric random numbers: the number of trials up to the first success, each with probability `p`.",
)
bernoulli_ = _fill(
    "bernoulli_.float(Tensor(a!) self, float p=0.5",
    kernels.bernoulli_inplace,
    "Fills with ones and zeros: 1 with probability `p`.",
)
bernoulli_each_ = _fill(
    "bernoulli_.Tensor(Tensor(a!) self, Tensor p",
    kernels.bernoulli_inplace,
    "Fills with ones and zeros: 1 with the probability in `p`.",
)
random_from_ = _fill(
    "random_.from(Tensor(a!) self, int from, int? to",
    kernels.random,
    "Fills with integers in [from, to), or, where `to` is None, up to the largest that the dtype holds.",
)
random_ = _fill(
    "random_(Tensor(a!) self",
    Forward(random_from_, **{"from": None, "to": "end"}),
    "Fills with integers from 0 up to the largest that the dtype holds.",
    composite=True,
)
_fill(
    "random_.to(Tensor(a!) self, int to",
    Forward(random_from_, **{"from": 0}),
    "Fills with integers in [0, to).",
    composite=True,
)
