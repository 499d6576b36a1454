"""A Tracer records exactly the kernels that a thread runs."""

import threading

import pytest

import flambeau_tensor as ft
from flambeau_tensor.extend import Tracer, is_tracing, window


def names(tracer):
    return [record[0].name for record in tracer.records]


def test_records_have_bound_arguments_and_results():
    x = ft.ones(2, 3)
    with Tracer() as tracer:
        y = x.add(2.0, alpha=3)
    [(op, arguments, result)] = tracer.records
    assert op is ft.add
    assert arguments[1:] == (2.0, 3, None)
    assert arguments[0].tensor is x and arguments[0].sizes == (2, 3) and arguments[0].strides == (3, 1)
    assert result.tensor is y and result.dtype is ft.float32
    assert y.tolist() == [[7.0] * 3] * 2


def test_views_show_the_same_storage():
    x = ft.arange(6.0).reshape(2, 3)
    with Tracer() as tracer:
        row = x[1]
        row.mul_(10.0)
    select, write = tracer.records
    assert select[2].storage is write[1][0].storage is window(x).storage
    assert write[1][0].offset == 3 and write[1][0].sizes == (3,)
    assert x.tolist() == [[0.0, 1.0, 2.0], [30.0, 40.0, 50.0]]


def test_a_window_stays_what_it_was():
    x = ft.arange(6.0)
    with Tracer() as tracer:
        x.neg()
        x.resize_(3)
    assert tracer.records[0][1][0].sizes == (6,)
    assert window(x).sizes == (3,)


def test_of_a_composition_the_operators_that_it_calls_are_heard():
    x = ft.ones(4, 4)
    with Tracer() as tracer:
        ft.ldexp(x, 2.5)
    assert "ldexp" not in names(tracer) and "mul" in names(tracer)


def test_what_a_kernel_calls_is_not_heard():
    with Tracer() as tracer:
        ft.add(ft.ones(2), ft.ones(2), alpha=3)  # multiplies the second operand first
    assert names(tracer) == ["ones", "ones", "add"]


def test_a_failing_kernel_leaves_the_tracer_at_work():
    with Tracer() as tracer:
        with pytest.raises(RuntimeError):
            ft.ones(2).add(ft.ones(3))
        assert is_tracing()
        ft.ones(2).add(1)
    kind, failed = tracer.records.pop(2)
    assert (kind, failed.name) == ("failed", "add")
    assert names(tracer) == ["ones", "ones", "ones", "add"]
    assert not is_tracing()


def test_it_ends_with_the_context_and_stays_in_its_thread():
    heard = []
    with Tracer() as tracer:
        thread = threading.Thread(target=lambda: heard.append(is_tracing()))
        thread.start()
        thread.join()
    ft.ones(2).add(1)
    assert heard == [False] and tracer.records == []


def test_one_at_a_time():
    with Tracer(), pytest.raises(RuntimeError, match="a Tracer is at work"):
        Tracer().__enter__()
    assert not is_tracing()


def test_writes_of_compositions_and_numbers_that_index_are_heard():
    x, out = ft.ones(2), ft.zeros(2)
    with Tracer() as tracer:
        x.ldexp_(ft.ones(2))
        ft.ldexp(x, ft.ones(2), out=out)
    writes = [record[1][0].tensor for record in tracer.records if record[0].name == "copy_"]
    assert len(writes) == 2 and writes[0] is x and writes[1] is out
    assert x.tolist() == [2.0, 2.0] and out.tolist() == [4.0, 4.0]
    place = ft.tensor(1)
    with Tracer() as tracer:
        x[place]
        x[place] = 5.0
    assert names(tracer)[:2] == ["item", "select"] and names(tracer).count("item") == 2
    assert x.tolist() == [2.0, 5.0]
