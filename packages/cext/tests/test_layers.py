"""Extensions and tensors under transforms: the memory of one example of many is not handed out in silence."""

import pytest

import flambeau_cext as cext
import flambeau_tensor as ft

func = pytest.importorskip("flambeau_autograd.func")
jvp, vmap = func.jvp, func.vmap

SOURCE = r"""
double first(fl_tensor x) { return *(const double *)fl_const_data(x); }
fl_tensor cleared(fl_tensor x) {
    double *p = fl_data(x);
    if (!p) return NULL;
    *p = 0;
    return fl_retain(x);
}
fl_tensor doubled(fl_tensor x) {
    fl_value args[] = {fl_of_tensor(x), fl_of_double(2)};
    return fl_call_tensor(fl_find_function("mul", "self other"), args);
}
"""


@pytest.fixture
def library():
    return cext.load_inline("layers", c_sources=SOURCE, functions=["first", "cleared", "doubled"])


def test_elements_are_refused_and_calls_go_on(library):
    x = ft.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=ft.float64)
    for read in (library.first, library.cleared):
        with pytest.raises(RuntimeError, match="data_ptr.. reads numbers out of a tensor that stands for one example"):
            vmap(lambda row, read=read: row * read(row))(x)
        with pytest.raises(RuntimeError, match="Can't call data_ptr.. on a tensor that has a tangent"):
            jvp(lambda t, read=read: t * read(t), (x,), (x,))
    assert x.tolist() == [[1, 2], [3, 4]] and library.first(x) == 1
    assert vmap(library.doubled)(x).tolist() == [[2, 4], [6, 8]]
    assert jvp(library.doubled, (x,), (x,))[1].tolist() == [[2, 4], [6, 8]]


def test_conjugate_and_negative_views(library):
    x = ft.tensor([1.0, 2.0], dtype=ft.float64)
    for read in (library.first, library.cleared):
        with pytest.raises(RuntimeError, match="the memory of a conjugate or negative view does not hold its elements"):
            read(x._neg_view())
    assert x.tolist() == [1, 2] and library.first(x._neg_view().resolve_neg()) == -1
    assert library.doubled(x._neg_view()).tolist() == [-2, -4]
