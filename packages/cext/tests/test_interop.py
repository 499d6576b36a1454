"""Tensors in C by other ways than ours: NumPy's C API, the buffer protocol, DLPack's table, CFFI, Numba."""

import ctypes

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as ft
from flambeau_cext.library import custom_op, opcheck


def module_of(name, functions, includes, **options):
    """An extension written by hand: functions of one object that return one."""
    methods = "".join(f'{{"{f}", {f}, METH_O, NULL}}, ' for f in functions)
    source = f"""
#define PY_SSIZE_T_CLEAN
#include <Python.h>
{includes}
static PyMethodDef methods[] = {{{methods}{{NULL, NULL, 0, NULL}}}};
static struct PyModuleDef definition = {{PyModuleDef_HEAD_INIT, "{name}", NULL, -1, methods, NULL, NULL, NULL, NULL}};
PyMODINIT_FUNC PyInit_{name}(void) {{ SETUP return PyModule_Create(&definition); }}
"""
    return cext.load_inline(name, c_sources=source, no_implicit_headers=True, **options)


def test_numpys_c_api():
    source = """
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#define SETUP import_array();
static PyObject *total(PyObject *self, PyObject *object) {
    PyArrayObject *array = (PyArrayObject *)PyArray_FROMANY(object, NPY_DOUBLE, 1, 1, NPY_ARRAY_IN_ARRAY);
    double sum = 0;
    if (!array) return NULL;
    for (npy_intp i = 0; i < PyArray_DIM(array, 0); i++) sum += *(double *)PyArray_GETPTR1(array, i);
    Py_DECREF(array);
    return PyFloat_FromDouble(sum);
}
static PyObject *address(PyObject *self, PyObject *object) {
    PyObject *array = PyArray_FROM_O(object);
    PyObject *result = array ? PyLong_FromVoidPtr(PyArray_DATA((PyArrayObject *)array)) : NULL;
    Py_XDECREF(array);
    return result;
}
"""
    module = module_of("with_numpy", ["total", "address"], source)
    t = ft.arange(4.0, dtype=ft.float64)
    assert module.total(t) == 6.0 and module.address(t) == t.data_ptr()
    assert module.total(t[::2]) == 2.0
    with pytest.raises(ValueError, match="object too deep"):
        module.total(ft.ones(2, 2))


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_the_buffer_protocol():
    source = """
#define SETUP
static PyObject *fill(PyObject *self, PyObject *object) {
    Py_buffer view;
    if (PyObject_GetBuffer(object, &view, PyBUF_WRITABLE | PyBUF_FORMAT | PyBUF_STRIDES) < 0) return NULL;
    PyObject *seen = Py_BuildValue("(sin)", view.format, view.ndim, view.itemsize);
    for (Py_ssize_t i = 0; i < view.shape[0]; i++) *(float *)((char *)view.buf + i * view.strides[0]) = (float)i;
    PyBuffer_Release(&view);
    return seen;
}
"""
    module = module_of("with_buffers", ["fill"], source)
    t = ft.full((2, 3), 9.0)
    assert module.fill(t[:, 1]) == ("f", 1, 4)
    assert t.tolist() == [[9.0, 0.0, 9.0], [9.0, 1.0, 9.0]]
    array = np.ones(2, dtype=np.float32)
    array.flags.writeable = False
    with pytest.raises((BufferError, ValueError), match="read-only|not writable"):
        module.fill(ft.from_numpy(array))
    view = memoryview(t)
    assert (view.format, view.shape, view.strides, view.readonly) == ("f", (2, 3), (12, 4), False)
    assert view[1, 1] == 1.0
    assert memoryview(ft.ones(2, dtype=ft.int64)).format == "l" or ctypes.sizeof(ctypes.c_long) == 4


def test_dlpacks_table():
    """As a compiled library that knows nothing of flambeau takes a tensor, without a Python call, and gives one."""
    source = """
#include <stdint.h>
#define SETUP
typedef struct {
    void *data;
    struct { int32_t type, id; } device;
    int32_t ndim;
    struct { uint8_t code, bits; uint16_t lanes; } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;
typedef struct Managed {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct Managed *);
    uint64_t flags;
    DLTensor tensor;
} Managed;
typedef struct {
    uint32_t major, minor;
    void *previous;
    int (*allocate)(DLTensor *, Managed **, void *, void (*)(void *, const char *, const char *));
    int (*from_object)(void *, Managed **);
    int (*to_object)(Managed *, void **);
    int (*view)(void *, DLTensor *);
} Table;
static const Table *table_of(PyObject *object) {
    PyObject *capsule = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__dlpack_c_exchange_api__");
    const Table *table = capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
    Py_XDECREF(capsule);
    return table;
}
static PyObject *doubled(PyObject *self, PyObject *object) {
    const Table *table = table_of(object);
    DLTensor in;
    Managed *out;
    void *result;
    if (!table || table->view(object, &in)) return NULL;
    if (in.ndim != 1 || in.dtype.code != 2 || in.dtype.bits != 32) return PyErr_Format(PyExc_TypeError, "floats only");
    if (table->allocate(&in, &out, NULL, NULL)) return PyErr_Format(PyExc_MemoryError, "no memory");
    for (int64_t i = 0; i < in.shape[0]; i++)
        ((float *)out->tensor.data)[i] = 2 * ((float *)in.data)[i * in.strides[0]];
    if (table->to_object(out, &result)) return NULL;
    return (PyObject *)result;
}
static PyObject *round_trip(PyObject *self, PyObject *object) {
    const Table *table = table_of(object);
    Managed *managed;
    void *result;
    if (!table || table->from_object(object, &managed) || table->to_object(managed, &result)) return NULL;
    return (PyObject *)result;
}
"""
    module = module_of("with_dlpack", ["doubled", "round_trip"], source)
    t = ft.arange(6.0)
    assert module.doubled(t[::2]).tolist() == [0.0, 4.0, 8.0]
    same = module.round_trip(t)
    assert type(same) is ft.Tensor and same.data_ptr() == t.data_ptr()
    with pytest.raises(TypeError, match="floats only"):
        module.doubled(ft.ones(2, dtype=ft.int64))
    with pytest.raises(AttributeError):
        module.doubled(3)


KERNEL = """
__attribute__((visibility("default"))) void scale(float *x, long n, float factor) {
    for (long i = 0; i < n; i++) x[i] *= factor;
}
"""


def test_cffi():
    cffi = pytest.importorskip("cffi")
    ffi = cffi.FFI()
    ffi.cdef("void scale(float *x, long n, float factor);")
    library = ffi.dlopen(
        cext.load_inline("for_cffi", c_sources=KERNEL, no_implicit_headers=True, is_python_module=False)
    )

    @custom_op("cffi::scaled", mutates_args=())
    def scaled(x: ft.Tensor, factor: float) -> ft.Tensor:
        out = x.clone()
        library.scale(ffi.from_buffer("float[]", out, require_writable=True), out.numel(), factor)
        return out

    t = ft.tensor([1.0, 2.0])
    assert scaled(t, 3.0).tolist() == [3.0, 6.0] and t.tolist() == [1.0, 2.0]
    assert set(opcheck(scaled, (t, 3.0)).values()) == {"SUCCESS"}
    library.scale(ffi.cast("float *", t.data_ptr()), 2, 10.0)
    assert t.tolist() == [10.0, 20.0]


def test_ctypes():
    path = cext.load_inline("for_ctypes", c_sources=KERNEL, no_implicit_headers=True, is_python_module=False)
    scale = ctypes.CDLL(path).scale
    scale.argtypes, scale.restype = [ctypes.c_void_p, ctypes.c_long, ctypes.c_float], None
    t = ft.tensor([1.0, 2.0])
    scale(t.data_ptr(), t.numel(), 0.5)
    assert t.tolist() == [0.5, 1.0]


def test_numba():
    numba = pytest.importorskip("numba")

    @numba.njit
    def loop(x, out):
        for i in range(x.shape[0]):
            out[i] = x[i] / (1 + abs(x[i]))

    @custom_op("numba::softsign", mutates_args=())
    def softsign(x: ft.Tensor) -> ft.Tensor:
        out = ft.empty_like(x)
        loop(x.numpy(), out.numpy())
        return out

    assert softsign(ft.tensor([-1.0, 0.0, 3.0])).tolist() == [-0.5, 0.0, 0.75]
    assert set(opcheck(softsign, (ft.tensor([1.0, 2.0]),)).values()) == {"SUCCESS"}
