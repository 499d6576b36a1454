"""The random number generator: a Mersenne Twister with PyTorch's seeding and state format."""
import os
from operator import index as as_index

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from flambeau_tensor._core.memory.meta_device cimport is_dry
from flambeau_tensor._core.memory.tensor cimport Tensor, empty
from flambeau_tensor._core.call.tracing cimport note
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.random_types cimport STATE_WORDS

from flambeau_tensor.options import CPU, device as as_device


cdef struct State:  # PyTorch's format of a CPU generator's state: 5056 bytes
    uint64_t seed
    int32_t left  # words until the next twist, plus one
    int32_t seeded
    uint64_t next  # index of the next word
    uint64_t[624] words
    double[3] normal  # the second is the cached number, the others are unused
    int32_t has_normal
    int32_t unused
    double unused_normal


cdef int _forks = 0  # the number of forks that led to this process


cdef class Lock:
    """Held by a thread while it draws."""


cdef Generator current(Generator g):
    """Return the generator with a lock of this process, since locks that a parent's thread held are never released."""
    if g.forks != _forks:
        g.lock, g.forks = Lock(), _forks
    return g


def _count_fork():
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)


cdef int _note() except -1:
    """Tell a tracer that the recorded program depends on the state of a generator."""
    return note(("refuse", "it reads or sets the state of a random number generator"))


cdef class Generator:
    """A source of random numbers: a 32-bit Mersenne Twister (Matsumoto and Nishimura 1998) with a seed and a state.

    Args:
        device: where numbers are generated; only the CPU is supported.

    Equal seeds give the same numbers as PyTorch's CPU generator, and states can be exchanged with it.

    Raises:
        RuntimeError: the device is not supported.

    >>> g = Generator().manual_seed(0)
    >>> g.initial_seed()
    0
    """

    def __cinit__(self, device="cpu"):
        kind = as_device._make(device).type
        if kind != "cpu":
            raise RuntimeError(f"Device type {kind.upper()} is not supported for torch.Generator() api.")
        self.lock, self.forks = Lock(), _forks
        self.reseed(67280421310721)

    cdef void reseed(self, uint64_t seed) noexcept:
        cdef uint32_t* x = self.source.state
        cdef int i
        x[0] = <uint32_t>seed
        for i in range(1, STATE_WORDS):
            x[i] = 1812433253u * (x[i - 1] ^ x[i - 1] >> 30) + <uint32_t>i
        self.seed_value = seed
        self.source.next = STATE_WORDS
        self.source.has_normal = False

    def manual_seed(self, seed):
        """Restart from ``seed``, an int of up to 64 bits; negative ones count from 2**64. Returns the generator."""
        if not hasattr(seed, "__index__"):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        seed = as_index(seed)
        if not -0x8000000000000000 <= seed <= 0xffffffffffffffff:
            raise ValueError("Overflow when unpacking long long")
        _note()
        with current(self).lock.mutex:
            self.reseed(<uint64_t>(seed & 0xffffffffffffffff))
        return self

    def seed(self):
        """Restart from a random seed of the operating system, and return the seed."""
        seed = int.from_bytes(os.urandom(8), "little")
        self.manual_seed(seed)
        return seed

    def initial_seed(self):
        """Return the last seed."""
        return self.seed_value

    @property
    def device(self):
        """The device of the generator, which is the CPU."""
        return CPU

    cdef bytes save(self):
        cdef State state
        cdef int i
        memset(&state, 0, sizeof(State))
        with current(self).lock.mutex:
            state.seed = self.seed_value
            state.seeded = 1
            state.next = self.source.next
            state.left = 1 + STATE_WORDS - self.source.next
            if state.left == 1 and self.source.state[0] == <uint32_t>self.seed_value:  # nothing drawn yet
                state.next = 0
            for i in range(STATE_WORDS):
                state.words[i] = self.source.state[i]
            state.has_normal = self.source.has_normal
            if self.source.has_normal:
                state.normal[1] = self.source.normal
        return (<char*>&state)[:sizeof(State)]

    cdef int load(self, const char* data, Py_ssize_t n) except -1:
        cdef State state
        cdef int i
        if n != sizeof(State):
            raise RuntimeError(f"Expected a CPUGeneratorImplState of size {sizeof(State)} but found the input RNG "
                               f"state size to be {n}")
        memcpy(&state, data, sizeof(State))
        if state.next == 0 and state.left == 1:
            state.next = STATE_WORDS
        if state.seeded == 0 or state.next > STATE_WORDS or state.next + state.left != STATE_WORDS + 1:
            raise RuntimeError("Invalid mt19937 state")
        with current(self).lock.mutex:
            self.seed_value = state.seed
            self.source.next = <int>state.next
            for i in range(STATE_WORDS):
                self.source.state[i] = <uint32_t>state.words[i]
            self.source.has_normal = state.has_normal != 0
            self.source.normal = state.normal[1]
        return 0

    def get_state(self):
        """Return the state as a uint8 tensor of 5056 elements, in PyTorch's format."""
        _note()
        cdef bytes state = self.save()
        cdef Py_ssize_t n = len(state)
        cdef Tensor t = empty(UINT8, 1, &n)
        memcpy(t.data, PyBytes_AS_STRING(state), n)
        return t

    def set_state(self, new_state):
        """Continue from a state that :meth:`get_state` returned."""
        cdef Tensor t
        _note()
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        t = <Tensor>new_state
        if t.dtype != UINT8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if not t.flags & CONTIGUOUS:
            raise RuntimeError("RNG state must be contiguous")
        self.load(t.data, t.numel)
        return self

    def clone_state(self):
        """Return another generator with the same state."""
        return self.__copy__()

    def __copy__(self):
        cdef Generator other = Generator.__new__(Generator)
        cdef bytes state = self.save()
        other.load(PyBytes_AS_STRING(state), len(state))
        return other

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce__(self):
        from flambeau_tensor.options import device

        return Generator, (device("cpu"),), (self.seed_value, None, self.get_state())

    def __setstate__(self, state):  # from a file: (seed, offset, state)
        self.set_state(state[2])

    def __repr__(self):
        return f"<torch.Generator device='cpu' seed={self.seed_value}>"


default_generator = Generator()
cdef Generator _default = default_generator


cdef Generator generator_of(str func, object generator):
    if generator is not None and not isinstance(generator, Generator):
        raise TypeError(f"{func}(): argument 'generator' must be torch.Generator, not {type(generator).__name__}")
    if is_dry():
        return Generator()  # numbers of a dry run are not used, so do not draw from a real generator
    return current(_default if generator is None else <Generator>generator)


cdef class Forked:
    """Context manager that restores a generator's state, so that draws in its block do not affect the program.

    It is entered and left in one compiled step each, so no interrupt comes in between.
    """

    cdef Generator generator
    cdef list states

    def __init__(self, Generator generator):
        self.generator, self.states = generator, []

    def __enter__(self):
        self.states.append(None if self.generator is None else self.generator.get_state())

    def __exit__(self, *error):
        state = self.states.pop()
        if state is not None:
            self.generator.set_state(state)
