"""Optimizers' steps in exported programs: eager's loops, with coefficients that the program computes itself.

A state has a learning rate for each group of parameters, which a caller may change between steps, and powers of the
betas in place of the number of steps.
"""

import re
from typing import Any

from flambeau_compile.exporting.language import number
from flambeau_compile.exporting.recorded import ExportError, Recorded
from flambeau_compile.graph import Update
from flambeau_compile.updates import COEFFICIENTS

# For each rule, the coefficients that change, as C expressions; the others are constant. `first` says whether a step is
# the first, `b1` and `b2` are the betas to the power of the step count.
_CHANGING = {
    "sgd": {2: "{lr}", 4: "({first} ? 1 : {k4})"},
    "adam": {8: "{lr} / (1 - {b1})", 9: "1 / {sqrt}(1 - {b2})"},
    "rmsprop": {2: "{lr}"},
    "adadelta": {2: "{lr}"},
}


class Updates:
    """The state that the steps of a program's optimizers need.

    Attributes:
        fields: the scalars of the state, with their initial values.
        uncounted: fields of SGD that say whether a step is the first, which Python derives from the momentum.
    """

    def __init__(self, recorded: Recorded) -> None:
        self.recorded = recorded
        self.fields: dict[str, float] = {}
        self._groups: dict[tuple[int, int], str] = {}
        self.uncounted: list[str] = []
        self._begun: set[str] = set()
        self._arrays: dict[str, str] = {}  # names of coefficients, by their values as C
        for i, step in enumerate(recorded.steps):
            if step.rule not in _CHANGING:
                raise ExportError(f"the optimizer's rule {step.rule} is not exported: use SGD, Adam or AdamW")
            for g, options in enumerate(step.options):
                tail = "" if not self._groups else f"_{len(self._groups) + 1}"
                self._groups[i, g] = tail
                self.fields[f"lr{tail}"] = float(options["lr"])
                self.fields[f"steps{tail}"] = step.count
                if step.rule == "sgd":
                    self.uncounted.append(f"steps{tail}")
                if step.rule == "adam":
                    for k in (0, 1):
                        self.fields[f"power{k + 1}{tail}"] = float(options["betas"][k]) ** step.count

    def _find(self, update: Update) -> tuple[int, int, int]:
        """The numbers of an update's step, of its group and of its parameter there."""
        for i, step in enumerate(self.recorded.steps):
            if step.step is update.step:
                which = (update.position - step.position) // COEFFICIENTS
                for g, (begin, end) in enumerate(step.bounds):
                    if begin <= which < end:
                        return i, g, which
        raise AssertionError("an update of no step")

    def function(self, update: Update, body: Any) -> tuple[str, str]:
        """The loop that updates one parameter."""
        name = update.key
        text = update.variant
        if "fma" in text:
            text = re.sub(r"__builtin_fma(f?)\(", lambda m: f"FMA{m[1].upper()}(", text)
            body.need_fma("f32" if "FMAF(" in text else "f64")
        for kind, suffix in (("f32", "f"), ("f64", "")):
            if f"__builtin_sqrt{suffix}(" in text:
                body.library.add(("sqrt", kind))
                text = text.replace(f"__builtin_sqrt{suffix}(", f"sqrt{suffix}(")
        text = text.replace("__PTRDIFF_TYPE__", "ptrdiff_t").replace("static inline", "static")
        unused = "".join(f"(void){array};" for array in "abc")
        head, brace, rest = text.partition("const double *k) {")
        return name, head.replace(f" {name}(", f" {body.prefix}_{name}(") + brace + f" {unused} (void)k;" + rest

    def coefficients(self, update: Update, body: Any) -> tuple[list[str], str]:
        """The statements before a loop, and the array with its coefficients, which loops of one group share."""
        i, g, which = self._find(update)
        step, options = self.recorded.steps[i], self.recorded.steps[i].options[g]
        tail = self._groups[i, g]
        lines = []
        if tail not in self._begun:
            self._begun.add(tail)
            lines.append(f"state->steps{tail} += 1;")
            if step.rule == "adam":
                for k in (0, 1):
                    beta = number("f64", float(options["betas"][k]))
                    lines.append(f"state->power{k + 1}{tail} *= {beta};")
        constants = step.coefficients[which]
        texts = [number("f64", value) for value in constants]
        names = {"lr": f"state->lr{tail}", "first": f"state->steps{tail} == 1", "b1": f"state->power1{tail}",
                 "b2": f"state->power2{tail}", "sqrt": "sqrt"}  # fmt: skip
        changing = dict(_CHANGING[step.rule])
        names["k4"] = number("f64", 1 - float(options.get("dampening", 0.0)))
        if step.rule == "adam":
            body.library.add(("sqrt", "f64"))
            if options.get("decoupled_weight_decay"):
                changing[2] = "1 - {lr} * " + number("f64", float(options["weight_decay"]))
        for k, text in changing.items():
            texts[k] = text.format(**names)
        values = ", ".join(texts)
        if values not in self._arrays:
            self._arrays[values] = body.fresh("k")
            lines.append(f"const double {self._arrays[values]}[{COEFFICIENTS}] = {{{values}}};")
        return lines, self._arrays[values]
