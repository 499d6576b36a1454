"""LSTM, GRU and plain recurrent layers of exported programs, and their gradients: loops over time and hidden units."""

from typing import Any

from flambeau_compile.exporting.forms import FLOATS, form
from flambeau_compile.exporting.language import c_type
from flambeau_compile.graph import C_TYPES, Window

GATES = {"LSTM": 4, "GRU": 3}  # of a hidden unit; a plain layer has one


def _gates(kind: str, count: int, biases: tuple[str, str] | None, size: int, hidden: int, apart: bool) -> str:
    """The sums of each gate: of the input and of the hidden state, together or ``apart``."""
    rows = [f"({g * hidden} + j)" for g in range(count)]
    first, second = ([f"{bias}[{row}]" for row in rows] for bias in biases) if biases else (["0"] * count,) * 2
    starts = ", ".join(f"a{g} = {first[g]}, h{g} = {second[g]}" for g in range(count))
    of_x = " ".join(f"a{g} += x[k] * wi[{row} * {size} + k];" for g, row in enumerate(rows))
    of_h = " ".join(f"h{g} += h[k] * wh[{row} * {hidden} + k];" for g, row in enumerate(rows))
    both = "" if apart else " ".join(f"a{g} += h{g};" for g in range(count))
    return (
        f"{kind} {starts}; for (ptrdiff_t k = 0; k < {size}; k++) {{ {of_x} }} "
        f"for (ptrdiff_t k = 0; k < {hidden}; k++) {{ {of_h} }} {both}"
    )


def _sigmoid(own: str, text: str) -> str:
    return f"1 / (1 + @exp:{own}(-({text})))"


def _names(first: int, given: dict[str, Any]) -> tuple[dict[str, str], list[Window]]:
    """Return placeholders, numbered from ``first``, for the operands that are not None; and these operands."""
    there = {name: w for name, w in given.items() if w is not None}
    return {name: f"${first + i}$" for i, name in enumerate(there)}, list(there.values())


def _rows(hidden: int, text: str) -> str:
    return f"for (ptrdiff_t j = 0; j < {hidden}; j++) {text}"


def _layer(b: Any, mode: str, x: Window, states: list[Window], weights: list[Window], biases: list[Any],
           reverse: bool, outs: tuple[Any, ...]) -> None:  # fmt: skip
    """``outs`` are the results of all times, then the last states."""
    steps, batch, size = x.sizes
    hidden = states[0].sizes[-1]
    own, ct = C_TYPES[x.dtype], c_type(x.dtype)
    given = dict(zip(("x", "wi", "wh", "bi", "bh", "h0", "c0"), (x, *weights, *biases, *states), strict=False))
    at, inputs = _names(len(outs), given)
    both = (at["bi"], at["bh"]) if "bi" in at else None
    sums = _gates(ct, GATES.get(mode, 1), both, size, hidden, mode == "GRU")
    if mode == "LSTM":
        cell = (
            f"const {ct} i_ = {_sigmoid(own, 'a0')}, f_ = {_sigmoid(own, 'a1')}, g_ = @tanh:{own}(a2), "
            f"o_ = {_sigmoid(own, 'a3')}; c[j] = f_ * c[j] + i_ * g_; y[j] = o_ * @tanh:{own}(c[j]);"
        )
    elif mode == "GRU":
        cell = (
            f"const {ct} r_ = {_sigmoid(own, 'a0 + h0')}, z_ = {_sigmoid(own, 'a1 + h1')}; "
            f"const {ct} n_ = @tanh:{own}(a2 + r_ * h2); y[j] = n_ + z_ * (h[j] - n_);"
        )
    else:
        cell = f"y[j] = @tanh:{own}(a0);" if "TANH" in mode.upper() else "y[j] = a0 < 0 ? 0 : a0;"
    first = _rows(hidden, f"$1$[n * {hidden} + j] = {at['h0']}[n * {hidden} + j];")
    memory = ""
    if mode == "LSTM":
        first += _rows(hidden, f"$2$[n * {hidden} + j] = {at['c0']}[n * {hidden} + j];")
        memory = f"{ct} *c = $2$ + n * {hidden};"
    time = f"{steps - 1} - s" if reverse else "s"
    text = (
        f"for (ptrdiff_t n = 0; n < {batch}; n++) {{ {first} for (ptrdiff_t s = 0; s < {steps}; s++) {{ "
        f"const ptrdiff_t t = {time}; const {ct} *x = {at['x']} + (t * {batch} + n) * {size}; "
        f"const {ct} *wi = {at['wi']}; const {ct} *wh = {at['wh']}; {ct} *h = $1$ + n * {hidden}; {memory} "
        f"{ct} *y = $0$ + (t * {batch} + n) * {hidden}; "
        f"{_rows(hidden, f'{{ {sums} {cell} }}')} {_rows(hidden, 'h[j] = y[j];')} }} }}"
    )
    b.loops(text, [], inputs, *outs)


def _cell_and_back(mode: str, own: str, ct: str, hidden: int) -> tuple[str, str]:
    """Return code for a hidden unit: the gates that backward needs; and, from ``d``, the gradients of their sums.

    ``g`` are the gates, ``di`` and, for the hidden part of a GRU, ``dk`` the gradients of their sums, ``h`` and ``dh``
    the state before and its gradient, ``c0``, ``c`` and ``dc`` the cells before and after and the cells' gradient.
    """
    at_gate = [f"g[{k * hidden} + j]" for k in range(4)]
    if mode == "LSTM":
        cell = "".join(
            f"{at_gate[k]} = {_sigmoid(own, f'a{k}') if k != 2 else f'@tanh:{own}(a2)'}; " for k in range(4)
        ) + f"c[j] = {at_gate[1]} * c0[j] + {at_gate[0]} * {at_gate[2]};"  # fmt: skip
        back = (
            f"const {ct} i_ = {at_gate[0]}, f_ = {at_gate[1]}, g_ = {at_gate[2]}, o_ = {at_gate[3]}; "
            f"const {ct} t_ = @tanh:{own}(c[j]), e = dc[j] + d * o_ * (1 - t_ * t_); "
            f"di[j] = e * g_ * i_ * (1 - i_); di[{hidden} + j] = e * c0[j] * f_ * (1 - f_); "
            f"di[{2 * hidden} + j] = e * i_ * (1 - g_ * g_); di[{3 * hidden} + j] = d * t_ * o_ * (1 - o_); "
            "dc[j] = e * f_; dh[j] = 0;"
        )
    elif mode == "GRU":
        cell = (
            f"{at_gate[0]} = {_sigmoid(own, 'a0 + h0')}; {at_gate[1]} = {_sigmoid(own, 'a1 + h1')}; "
            f"{at_gate[2]} = @tanh:{own}(a2 + {at_gate[0]} * h2); {at_gate[3]} = h2;"
        )
        back = (
            f"const {ct} r_ = {at_gate[0]}, z_ = {at_gate[1]}, n_ = {at_gate[2]}, e = d * (1 - z_) * (1 - n_ * n_); "
            f"di[j] = dk[j] = e * {at_gate[3]} * r_ * (1 - r_); "
            f"di[{hidden} + j] = dk[{hidden} + j] = d * (h[j] - n_) * z_ * (1 - z_); "
            f"di[{2 * hidden} + j] = e; dk[{2 * hidden} + j] = e * r_; dh[j] = d * z_;"
        )
    else:
        cell = f"g[j] = @tanh:{own}(a0);" if "TANH" in mode.upper() else "g[j] = a0 < 0 ? 0 : a0;"
        back = f"di[j] = {'d * (1 - g[j] * g[j])' if 'TANH' in mode.upper() else 'g[j] > 0 ? d : 0'}; dh[j] = 0;"
    return cell, back


def _taken_over(to: dict[str, str], of_hidden: str, here: str, size: int, hidden: int) -> str:
    """Add the contribution of the gradient of one gate sum, ``r``, to those of weights, biases, state and input."""
    into = "".join(
        f"{to[name]}[r] += {part}[r]; " for name, part in (("gbi", "di"), ("gbh", of_hidden)) if name in to
    )  # fmt: skip
    for name, part, operand, n in (("gwi", "di", "x", size), ("gwh", of_hidden, "h", hidden)):
        if name in to:
            into += f"for (ptrdiff_t k = 0; k < {n}; k++) {to[name]}[r * {n} + k] += {part}[r] * {operand}[k]; "
    into += f"for (ptrdiff_t k = 0; k < {hidden}; k++) dh[k] += {of_hidden}[r] * wh[r * {hidden} + k]; "
    if "gx" in to:
        into += (
            f"for (ptrdiff_t k = 0; k < {size}; k++) {to['gx']}[{here} * {size} + k] += di[r] * wi[r * {size} + k]; "
        )
    return into


def _backward(b: Any, mode: str, grads: list[Any], y: Window, x: Window, states: list[Window], weights: list[Window],
              biases: list[Any], reverse: bool, outs: tuple[Any, ...]) -> None:  # fmt: skip
    """Compute for each sequence its gates again, in the order of time, and then the gradients, backwards in time.

    Args:
        b: the builder.
        mode: ``"LSTM"``, ``"GRU"``, or a name that contains ``"TANH"`` or ``"RELU"``.
        grads: the gradients of the results at all times and of the last states, or None.
        y: the results at all times.
        x, states, weights, biases: the layer's arguments.
        reverse: whether the layer runs backwards in time.
        outs: windows for the gradients of `x`, of the states, the weights and the biases; None for unneeded ones.
    """
    steps, batch, size = x.sizes
    hidden, count = states[0].sizes[-1], GATES.get(mode, 1)
    rows, own, ct = count * hidden, C_TYPES[x.dtype], c_type(x.dtype)
    lstm, gru = mode == "LSTM", mode == "GRU"
    # Scratch: gates of all times (of a GRU with the hidden part of its third), cells, and gradients of sums of gates.
    kept = 4 * hidden if lstm or gru else hidden
    made = dict(zip(("gx", "gh", "gc") if lstm else ("gx", "gh"), outs, strict=False))
    made.update(zip(("gwi", "gwh", "gbi", "gbh"), outs[len(made) :], strict=False))
    sizes = {"gates": steps * kept, "cells": steps * hidden * lstm, "di": rows, "dh": rows * gru}
    made.update({name: b.temporary(x.dtype, (n,)) for name, n in sizes.items() if n})
    # carried from one time step to the next, requested or not
    for name, like in (("gh", states[0]), ("gc", states[-1])):
        if name in made and made[name] is None:
            made[name] = b.temporary(x.dtype, like.sizes)
    to, targets = _names(0, made)
    given = dict(zip(("x", "wi", "wh", "bi", "bh", "h0", "c0"), (x, *weights, *biases, *states), strict=False))
    given.update(zip(("y", "dy", "dlast", "dc"), (y, *grads), strict=False))
    at, inputs = _names(len(targets), given)
    both = (at["bi"], at["bh"]) if "bi" in at else None
    n_hidden, here = f"n * {hidden}", f"(t * {batch} + n)"
    time, before = ("s", "t - 1") if not reverse else (f"{steps - 1} - s", "t + 1")
    begin = (
        f"const ptrdiff_t t = {time}; const {ct} *x = {at['x']} + {here} * {size}; "
        f"const {ct} *h = s ? {at['y']} + (({before}) * {batch} + n) * {hidden} : {at['h0']} + {n_hidden}; "
        f"{ct} *g = {to['gates']} + s * {kept}; "
    )
    if lstm:
        begin += (
            f"{ct} *c = {to['cells']} + s * {hidden}; const {ct} *c0 = s ? c - {hidden} : {at['c0']} + {n_hidden}; "
        )
    sums = _gates(ct, count, both, size, hidden, gru)
    cell, back = _cell_and_back(mode, own, ct, hidden)
    into = _taken_over(to, "dk" if gru else "di", here, size, hidden)
    zeroed = "".join(
        f"for (ptrdiff_t i = 0; i < {made[name].numel}; i++) {to[name]}[i] = 0; "
        for name in ("gx", "gwi", "gwh", "gbi", "gbh") if name in to
    )  # fmt: skip

    def last(place: str, name: str) -> str:
        return f"{place}[j] = " + (f"{at[name]}[{n_hidden} + j]; " if name in at else "0; ")

    carried = f"{ct} *dh = {to['gh']} + {n_hidden}; {ct} *di = {to['di']}; "
    carried += (f"{ct} *dc = {to['gc']} + {n_hidden}; " if lstm else "") + (f"{ct} *dk = {to['dh']}; " if gru else "")
    ends = last("dh", "dlast") + (last("dc", "dc") if lstm else "")
    d = f"const {ct} d = dh[j]" + (f" + {at['dy']}[{here} * {hidden} + j]; " if "dy" in at else "; ")
    text = (
        f"const {ct} *wi = {at['wi']}; const {ct} *wh = {at['wh']}; {zeroed}(void)wi; "
        f"for (ptrdiff_t n = 0; n < {batch}; n++) {{ {carried} "
        f"for (ptrdiff_t s = 0; s < {steps}; s++) {{ {begin} {_rows(hidden, f'{{ {sums} {cell} }}')} }} "
        f"{_rows(hidden, f'{{ {ends} }}')} for (ptrdiff_t s = {steps - 1}; s >= 0; s--) {{ {begin} (void)x; (void)h; "
        f"{_rows(hidden, f'{{ {d} {back} }}')} for (ptrdiff_t r = 0; r < {rows}; r++) {{ {into} }} }} }}"
    )
    b.loops(text, [], inputs, *targets)


@form("torch._C._nn.lstm_layer")
def lstm_layer(b: Any, args: Any, out: Any) -> Any:
    x, lengths, h, c, wi, wh, bi, bh, projection, reverse = args[:10]
    if lengths is not None or projection is not None or x.dtype not in FLOATS:
        return NotImplemented
    _layer(b, "LSTM", x, [h, c], [wi, wh], [bi, bh], reverse, out[:3])
    return None


@form("torch._C._nn.lstm_layer_backward")
def lstm_layer_backward(b: Any, args: Any, out: Any) -> Any:
    of_y, of_h, of_c, y, _, x, lengths, h, c, wi, wh, bi, bh, projection, reverse = args[:15]
    if lengths is not None or projection is not None or x.dtype not in FLOATS:
        return NotImplemented
    _backward(b, "LSTM", [of_y, of_h, of_c], y, x, [h, c], [wi, wh], [bi, bh], reverse, out[:7])
    return None


@form("torch._C._nn.rnn_layer")
def rnn_layer(b: Any, args: Any, out: Any) -> Any:
    x, lengths, h, wi, wh, bi, bh, mode, reverse = args[:9]
    if lengths is not None or x.dtype not in FLOATS:
        return NotImplemented
    _layer(b, mode, x, [h], [wi, wh], [bi, bh], reverse, out[:2])
    return None


@form("torch._C._nn.rnn_layer_backward")
def rnn_layer_backward(b: Any, args: Any, out: Any) -> Any:
    of_y, of_h, y, _, x, lengths, h, wi, wh, bi, bh, mode, reverse = args[:13]
    if lengths is not None or x.dtype not in FLOATS:
        return NotImplemented
    _backward(b, mode, [of_y, of_h], y, x, [h], [wi, wh], [bi, bh], reverse, out[:6])
    return None
