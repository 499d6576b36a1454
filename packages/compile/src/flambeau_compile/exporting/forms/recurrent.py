"""LSTM, GRU and plain recurrent layers of exported programs: one loop over time, one over the hidden units."""

from typing import Any

from flambeau_compile.exporting.forms import FLOATS, form
from flambeau_compile.exporting.language import c_type
from flambeau_compile.graph import C_TYPES, Window


def _gates(kind: str, count: int, biases: tuple[str, str] | None, size: int, hidden: int, apart: bool) -> str:
    """The sums of each gate: of the input and of the hidden state, together or ``apart``."""
    lines = []
    for g in range(count):
        row = f"({g * hidden} + j)"
        first = f"{biases[0]}[{row}]" if biases else "0"
        second = f"{biases[1]}[{row}]" if biases else "0"
        lines.append(f"{kind} a{g} = {first}, h{g} = {second};")
        lines.append(f"for (ptrdiff_t k = 0; k < {size}; k++) a{g} += x[k] * wi[{row} * {size} + k];")
        lines.append(f"for (ptrdiff_t k = 0; k < {hidden}; k++) h{g} += h[k] * wh[{row} * {hidden} + k];")
        if not apart:
            lines.append(f"a{g} += h{g};")
    return " ".join(lines)


def _layer(b: Any, mode: str, x: Window, states: list[Window], weights: list[Window], biases: list[Window],
           reverse: bool, outs: tuple[Any, ...]) -> Any:  # fmt: skip
    """``outs`` are the results of all times, then the last states."""
    steps, batch, size = x.sizes
    hidden = states[0].sizes[-1]
    own, ct = C_TYPES[x.dtype], c_type(x.dtype)
    inputs = [x, *states, *weights, *biases]
    n = len(outs)
    places = {name: f"${n + i}$" for i, name in enumerate(
        ["x", *(["h0", "c0"][: len(states)]), "wi", "wh", *(["bi", "bh"] if biases else [])])}  # fmt: skip
    count = {"LSTM": 4, "GRU": 3}.get(mode, 1)
    sums = _gates(ct, count, (places["bi"], places["bh"]) if biases else None, size, hidden, mode == "GRU")

    def sigmoid(text: str) -> str:
        return f"1 / (1 + @exp:{own}(-({text})))"

    if mode == "LSTM":
        cell = (
            f"const {ct} i_ = {sigmoid('a0')}, f_ = {sigmoid('a1')}, g_ = @tanh:{own}(a2), o_ = {sigmoid('a3')}; "
            f"c[j] = f_ * c[j] + i_ * g_; y[j] = o_ * @tanh:{own}(c[j]);"
        )
    elif mode == "GRU":
        cell = (
            f"const {ct} r_ = {sigmoid('a0 + h0')}, z_ = {sigmoid('a1 + h1')}; "
            f"const {ct} n_ = @tanh:{own}(a2 + r_ * h2); y[j] = n_ + z_ * (h[j] - n_);"
        )
    else:
        cell = f"y[j] = @tanh:{own}(a0);" if "TANH" in mode.upper() else "y[j] = a0 < 0 ? 0 : a0;"
    states_text = f"for (ptrdiff_t j = 0; j < {hidden}; j++) $1$[n * {hidden} + j] = {places['h0']}[n * {hidden} + j];"
    memory = ""
    if mode == "LSTM":
        states_text += (
            f" for (ptrdiff_t j = 0; j < {hidden}; j++) $2$[n * {hidden} + j] = {places['c0']}[n * {hidden} + j];"
        )
        memory = f"{ct} *c = $2$ + n * {hidden};"
    time = f"{steps - 1} - s" if reverse else "s"
    text = (
        f"for (ptrdiff_t n = 0; n < {batch}; n++) {{ {states_text} for (ptrdiff_t s = 0; s < {steps}; s++) {{ "
        f"const ptrdiff_t t = {time}; const {ct} *x = {places['x']} + (t * {batch} + n) * {size}; "
        f"const {ct} *wi = {places['wi']}; const {ct} *wh = {places['wh']}; {ct} *h = $1$ + n * {hidden}; {memory} "
        f"{ct} *y = $0$ + (t * {batch} + n) * {hidden}; "
        f"for (ptrdiff_t j = 0; j < {hidden}; j++) {{ {sums} {cell} }} "
        f"for (ptrdiff_t j = 0; j < {hidden}; j++) h[j] = y[j]; }} }}"
    )
    b.loops(text, [], inputs, *outs)
    return None


@form("torch._C._nn.lstm_layer")
def lstm_layer(b: Any, args: Any, out: Any) -> Any:
    x, lengths, h, c, wi, wh, bi, bh, projection, reverse = args[:10]
    if lengths is not None or projection is not None or x.dtype not in FLOATS:
        return NotImplemented
    return _layer(b, "LSTM", x, [h, c], [wi, wh], [] if bi is None else [bi, bh], reverse, out[:3])


@form("torch._C._nn.rnn_layer")
def rnn_layer(b: Any, args: Any, out: Any) -> Any:
    x, lengths, h, wi, wh, bi, bh, mode, reverse = args[:9]
    if lengths is not None or x.dtype not in FLOATS:
        return NotImplemented
    return _layer(b, mode, x, [h], [wi, wh], [] if bi is None else [bi, bh], reverse, out[:2])
