"""Schedules: each against its formula for the epoch, two groups at a time; jumps, saving, warnings and errors."""

import math
import pickle

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_nn.optim import SGD, Adagrad, Adam
from flambeau_nn.optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiplicativeLR,
    MultiStepLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)
from flambeau_nn.optim.swa_utils import SWALR

BASES = 0.1, 0.3


def optimizer(kind=SGD, **options):
    p, q = (ft.zeros(2).requires_grad_() for _ in range(2))
    return kind([{"params": [p]}, {"params": [q], "lr": BASES[1]}], lr=BASES[0], **options)


def rates(o):
    return [group["lr"] for group in o.param_groups]


def trajectory(o, schedule, epochs):
    rows = []
    for _ in range(epochs):
        assert schedule.get_last_lr() == rates(o)
        rows.append(rates(o))
        o.step()
        schedule.step()
    return np.array(rows)


def cosine(low, base, part):
    return low + (base - low) * (1 + math.cos(math.pi * part)) / 2


def restarts(base, t, first=4, times=2, low=0.01):
    while t >= first:
        t, first = t - first, first * times
    return cosine(low, base, t / first)


FORMULAS = {
    "LambdaLR": (lambda o: LambdaLR(o, lambda t: 0.9**t), lambda b, t: b * 0.9**t),
    "MultiplicativeLR": (
        lambda o: MultiplicativeLR(o, lambda t: 1 - 0.01 * t),
        lambda b, t: b * math.prod(1 - 0.01 * i for i in range(1, t + 1)),
    ),
    "StepLR": (lambda o: StepLR(o, 7, 0.5), lambda b, t: b * 0.5 ** (t // 7)),
    "MultiStepLR": (
        lambda o: MultiStepLR(o, [3, 9, 9, 20], 0.5),
        lambda b, t: b * 0.5 ** ((t >= 3) + 2 * (t >= 9) + (t >= 20)),
    ),
    "ConstantLR": (lambda o: ConstantLR(o, 0.25, 6), lambda b, t: b * (0.25 if t < 6 else 1)),
    "LinearLR": (lambda o: LinearLR(o, 0.2, 0.9, 11), lambda b, t: b * (0.2 + 0.7 * min(t, 11) / 11)),
    "ExponentialLR": (lambda o: ExponentialLR(o, 0.9), lambda b, t: b * 0.9**t),
    "PolynomialLR": (lambda o: PolynomialLR(o, 12, 1.5), lambda b, t: b * (1 - min(t, 12) / 12) ** 1.5),
    "CosineAnnealingLR": (lambda o: CosineAnnealingLR(o, 9, 0.01), lambda b, t: cosine(0.01, b, t / 9)),
    "CosineAnnealingWarmRestarts": (lambda o: CosineAnnealingWarmRestarts(o, 4, 2, 0.01), restarts),
    "SequentialLR": (
        lambda o: SequentialLR(o, [ConstantLR(o, 0.1, 4), ExponentialLR(o, 0.9)], [6]),
        lambda b, t: (b * (0.1 if t < 4 else 1)) if t < 6 else b * 0.9 ** (t - 6),
    ),
    "ChainedScheduler": (
        lambda o: ChainedScheduler([ConstantLR(o, 0.1, 4), ExponentialLR(o, 0.9)]),
        lambda b, t: b * (0.1 if t < 4 else 1) * 0.9**t,
    ),
}
schedules = pytest.mark.parametrize("name", list(FORMULAS))


@schedules
@pytest.mark.parametrize("kind", [SGD, Adam])
def test_rates_follow_the_formula(name, kind):
    make, formula = FORMULAS[name]
    o = optimizer(kind)
    want = [[formula(base, t) for base in BASES] for t in range(30)]
    np.testing.assert_allclose(trajectory(o, make(o), 30), want, rtol=1e-12, atol=1e-15)


@schedules
def test_going_on_from_a_loaded_state(name):
    make, _ = FORMULAS[name]
    one, other = optimizer(), optimizer()
    schedule = make(one)
    trajectory(one, schedule, 8)
    state, groups = pickle.loads(pickle.dumps((schedule.state_dict(), one.state_dict())))
    fresh = make(other)
    fresh.load_state_dict(state)
    other.load_state_dict(groups)
    other.step()
    assert fresh.last_epoch == getattr(schedule, "last_epoch", None) if name != "ChainedScheduler" else True
    np.testing.assert_array_equal(trajectory(one, schedule, 12), trajectory(other, fresh, 12))


@pytest.mark.parametrize(
    "name", ["StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR", "PolynomialLR", "CosineAnnealingLR"]
)
def test_jumping_to_an_epoch(name):
    make, formula = FORMULAS[name]
    o = optimizer()
    schedule = make(o)
    o.step()
    for t in (9, 2, 25):
        with pytest.warns(UserWarning, match="The epoch parameter in `scheduler.step"):
            schedule.step(t)
        np.testing.assert_allclose(rates(o), [formula(base, t) for base in BASES], rtol=1e-12, atol=1e-15)


def test_going_on_at_an_epoch():
    o = optimizer()
    with pytest.raises(KeyError, match="initial_lr"):
        ExponentialLR(o, 0.5, last_epoch=3)
    for group in o.param_groups:
        group["initial_lr"], group["lr"] = 1.0, 0.25
    schedule = ExponentialLR(o, 0.5, last_epoch=2)
    assert schedule.last_epoch == 3 and rates(o) == [0.25, 0.25]
    o.step()
    schedule.step()
    assert rates(o) == [0.125, 0.125]


def test_warm_restarts_at_fractions_of_epochs():
    o = optimizer()
    schedule = CosineAnnealingWarmRestarts(o, 4, 2, 0.01)
    for t in (0.5, 3.75, 4.25, 11.5, 12.5):
        schedule.step(t)
        np.testing.assert_allclose(rates(o), [restarts(base, t) for base in BASES], rtol=1e-12)
        assert schedule.last_epoch == math.floor(t)
    with pytest.raises(ValueError, match="Expected non-negative epoch, but got -1"):
        schedule.step(-1)


@pytest.mark.parametrize(
    ("strategy", "between"), [("cos", lambda a, b, x: cosine(b, a, x)), ("linear", lambda a, b, x: a + (b - a) * x)]
)
@pytest.mark.parametrize("three_phase", [False, True])
@pytest.mark.parametrize("kind", [SGD, Adam])
def test_one_cycle(strategy, between, three_phase, kind):
    o = optimizer(kind, **({"momentum": 0.5} if kind is SGD else {}))
    schedule = OneCycleLR(
        o,
        [0.5, 1.0],
        epochs=5,
        steps_per_epoch=8,
        pct_start=0.25,
        anneal_strategy=strategy,
        three_phase=three_phase,
        div_factor=10.0,
        final_div_factor=100.0,
    )
    for step in range(40):
        for group, top in zip(o.param_groups, (0.5, 1.0), strict=True):
            low, end = top / 10, top / 1000
            phases = [(0, 9, low, top, 0.95, 0.85)]
            phases += (
                [(9, 18, top, low, 0.85, 0.95), (18, 39, low, end, 0.95, 0.95)]
                if three_phase
                else [(9, 39, top, end, 0.85, 0.95)]
            )
            first, last, a, b, m, n = next(phase for phase in phases if step <= phase[1])
            part = (step - first) / (last - first)
            assert group["lr"] == pytest.approx(between(a, b, part), rel=1e-12)
            momentum = group["momentum"] if kind is SGD else group["betas"][0]
            assert momentum == pytest.approx(between(m, n, part), rel=1e-12)
        o.step()
        schedule.step()
    with pytest.raises(ValueError, match="Tried to step 41 times. The specified number of total steps is 40"):
        schedule.step()


@pytest.mark.parametrize("strategy", ["cos", "linear"])
def test_one_cycle_from_an_old_state_with_a_function(strategy):
    new, old = (OneCycleLR(optimizer(Adam), 1.0, 10, anneal_strategy=strategy) for _ in range(2))
    state = old.state_dict()
    del state["_anneal_func_type"], old._anneal_func_type
    state["anneal_func"] = getattr(OneCycleLR, f"_annealing_{strategy}")
    old.load_state_dict(state)
    assert trajectory(old.optimizer, old, 10).tolist() == trajectory(new.optimizer, new, 10).tolist()


def test_one_cycle_without_momentum():
    o = optimizer(Adagrad)
    with pytest.raises(ValueError, match="optimizer must support momentum or beta1"):
        OneCycleLR(o, 1.0, 10)
    schedule = OneCycleLR(o, 1.0, 10, cycle_momentum=False)
    assert trajectory(o, schedule, 10).max() == 1.0


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("kind", ["rel", "abs"])
def test_reduce_on_plateau(mode, kind):
    """An own reading of the rule: count the epochs since the best value was beaten by the threshold."""
    values = [5, 4, 3, 3, 3, 3, 3, 3, 2, 2.5, 2.4, 2.3, 2.2, 2.1, 2.05, 2.01, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    o = optimizer()
    schedule = ReduceLROnPlateau(o, mode, 0.5, 2, 0.1, kind, cooldown=2, min_lr=[0.01, 0.02])
    sign = 1 if mode == "max" else -1
    best, bad, rest, want = -sign * math.inf, 0, 0, list(BASES)
    for value in values:
        if kind == "abs":
            better = sign * (value - best) > 0.1
        else:
            better = sign * value > sign * best * (1 + sign * 0.1)
        best, bad = (value, 0) if better else (best, bad + 1)
        if rest:
            rest, bad = rest - 1, 0
        if bad > 2:
            want, bad, rest = [max(lr * 0.5, low) for lr, low in zip(want, (0.01, 0.02), strict=True)], 0, 2
        schedule.step(ft.tensor(float(value)))
        assert rates(o) == want == schedule.get_last_lr()
    assert want[0] < BASES[0]
    other = ReduceLROnPlateau(optimizer())
    other.load_state_dict(schedule.state_dict())
    assert (other.best, other.mode, other.patience) == (best, mode, 2)


def test_tensor_rates_are_changed_in_place():
    lr = ft.tensor(1.0)
    o = SGD([ft.zeros(1).requires_grad_()], lr=lr)
    schedule = ExponentialLR(o, 0.5)
    o.step()
    last = schedule.get_last_lr()[0]
    schedule.step()
    assert o.param_groups[0]["lr"] is lr and lr.item() == 0.5 and last.item() == 1.0
    assert schedule.base_lrs[0].item() == 1.0


def test_the_state_of_callable_objects_is_saved():
    class Power:
        def __init__(self, base):
            self.base = base

        def __call__(self, t):
            return self.base**t

    schedule = LambdaLR(optimizer(), [Power(0.5), lambda t: 1.0])
    state = schedule.state_dict()
    assert state["lr_lambdas"] == [{"base": 0.5}, None]
    other = LambdaLR(optimizer(), [Power(0.1), lambda t: 1.0])
    other.load_state_dict(state)
    assert other.lr_lambdas[0].base == 0.5 and "lr_lambdas" in state


def test_a_schedule_of_ones_own():
    class Halving(LRScheduler):
        def get_lr(self):
            return [base / 2**self.last_epoch for base in self.base_lrs]

    o = optimizer()
    np.testing.assert_allclose(trajectory(o, Halving(o), 4), np.outer(0.5 ** np.arange(4), BASES))


def test_warnings():
    o = optimizer()
    schedule = StepLR(o, 1)
    with pytest.warns(UserWarning, match=r"`lr_scheduler.step\(\)` before `optimizer.step\(\)`"):
        schedule.step()
    with pytest.warns(UserWarning, match="please use `get_last_lr"):
        schedule.get_lr()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda o: StepLR(3, 1), TypeError, "int is not an Optimizer"),
        (lambda o: ReduceLROnPlateau(3), TypeError, "int is not an Optimizer"),
        (lambda o: LambdaLR(o, [abs]), ValueError, "Expected 2 lr_lambdas, but got 1"),
        (lambda o: MultiplicativeLR(o, 3), TypeError, "lr_lambda should be a function, but got int"),
        (lambda o: ConstantLR(o, 2), ValueError, "Constant multiplicative factor expected to be between 0 and 1."),
        (lambda o: LinearLR(o, 0), ValueError, "Starting multiplicative factor"),
        (lambda o: LinearLR(o, 1, 2), ValueError, "Ending multiplicative factor"),
        (lambda o: OneCycleLR(o, 1.0), ValueError, "You must define either total_steps OR"),
        (lambda o: OneCycleLR(o, 1.0, 0), ValueError, "Expected positive integer total_steps, but got 0"),
        (
            lambda o: OneCycleLR(o, 1.0, 9, pct_start=2),
            ValueError,
            "Expected float between 0 and 1 pct_start, but got 2",
        ),
        (lambda o: OneCycleLR(o, 1.0, 9, anneal_strategy="x"), ValueError, "instead got x"),
        (lambda o: OneCycleLR(o, [1.0], 9), ValueError, "max_lr must have the same length as optimizer.param_groups"),
        (lambda o: ReduceLROnPlateau(o, "x"), ValueError, "mode x is unknown!"),
        (lambda o: ReduceLROnPlateau(o, threshold_mode="x"), ValueError, "threshold mode x is unknown!"),
        (lambda o: ReduceLROnPlateau(o, factor=1.0), ValueError, "Factor should be < 1.0."),
        (lambda o: ReduceLROnPlateau(o, min_lr=[0]), ValueError, "expected 2 min_lrs, got 1"),
        (lambda o: CosineAnnealingWarmRestarts(o, 0), ValueError, "Expected positive integer T_0, but got 0"),
        (lambda o: CosineAnnealingWarmRestarts(o, 1, 0), ValueError, "Expected integer T_mult >= 1, but got 0"),
        (lambda o: SequentialLR(o, [], []), ValueError, "expects at least one scheduler"),
        (lambda o: SequentialLR(o, [StepLR(o, 1)], [1]), ValueError, "number of schedulers 1"),
        (lambda o: SequentialLR(o, [StepLR(optimizer(), 1)], []), ValueError, "to belong to the same optimizer"),
        (lambda o: ChainedScheduler([ReduceLROnPlateau(o)]), ValueError, "does not support `ReduceLROnPlateau`"),
    ],
)
def test_errors(make, error, text):
    with pytest.raises(error, match=text):
        make(optimizer())


# --- CyclicLR -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "height"),
    [
        ("triangular", lambda cycle, i: 1.0),
        ("triangular2", lambda cycle, i: 0.5 ** (cycle - 1)),
        ("exp_range", lambda cycle, i: 0.9**i),
    ],
)
def test_cycles(mode, height):
    o = optimizer(SGD, momentum=0.5)
    schedule = CyclicLR(o, [0.1, 0.2], 1.1, step_size_up=4, step_size_down=6, mode=mode, gamma=0.9)
    for i in range(25):
        cycle, at = divmod(i, 10)
        part = (at / 4 if at <= 4 else (10 - at) / 6) * height(cycle + 1, i)
        np.testing.assert_allclose(rates(o), [0.1 + part, 0.2 + 0.9 * part], rtol=1e-12)
        np.testing.assert_allclose([g["momentum"] for g in o.param_groups], 0.9 - 0.1 * part, rtol=1e-12)
        o.step()
        schedule.step()


def test_cycles_of_a_function_of_ones_own():
    class Falling:
        rate = 0.5

        def __call__(self, step):
            return self.rate**step

    o = optimizer(Adam)
    schedule = CyclicLR(o, 0.1, 1.1, 4, scale_fn=Falling(), scale_mode="iterations")
    for _ in range(2):
        o.step()
        schedule.step()
    np.testing.assert_allclose(rates(o), 0.1 + 0.5 * 0.25)
    np.testing.assert_allclose([g["betas"][0] for g in o.param_groups], 0.9 - 0.1 * 0.5 * 0.25)
    schedule.scale_fn.__self__._scale_fn_custom.rate = 0.25
    saved = pickle.loads(pickle.dumps(schedule.state_dict()))
    other = CyclicLR(optimizer(Adam), 0.3, 1.3, 4, scale_fn=Falling())
    other.load_state_dict(saved)
    assert other.scale_fn(1) == 0.25 and other.scale_mode == "iterations" and other.last_epoch == 2
    assert CyclicLR(optimizer(Adam), 0.1, 1.0, scale_fn=lambda x: 1.0).state_dict()["_scale_fn_custom"] is None


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: CyclicLR(optimizer(), 0.1, 1.0, mode="x"), "mode is invalid and scale_fn is None"),
        (lambda: CyclicLR(optimizer(), [0.1], 1.0), "base_lr must have the same length as optimizer.param_groups"),
        (
            lambda: CyclicLR(optimizer(Adagrad), 0.1, 1.0),
            "optimizer must support momentum or beta1 with `cycle_momentum`",
        ),
    ],
)
def test_cycles_that_cannot_be(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_schedules_keep_copies_of_rates_that_are_tensors():
    def rate(make, changed):
        given = [ft.tensor(0.1), ft.tensor(0.5)]
        optimizer = SGD([ft.ones(1, requires_grad=True)], lr=ft.tensor(0.5), momentum=0.9)
        schedule = make(optimizer, *given)
        if changed:
            for t in given:
                t.fill_(7)
        for _ in range(3):
            optimizer.step()
            schedule.step()
        assert [t.item() for t in given] == ([7, 7] if changed else pytest.approx([0.1, 0.5]))
        return optimizer.param_groups[0]["lr"].item()

    for make in (
        lambda o, low, high: CyclicLR(o, low, high, 2, cycle_momentum=False),
        lambda o, low, high: CyclicLR(o, [low], [high], 2, cycle_momentum=False),
        lambda o, low, high: OneCycleLR(o, high, total_steps=9),
        lambda o, low, high: SWALR(o, low, 2),
        lambda o, low, high: SWALR(o, [low], 2),
    ):
        assert rate(make, True) == rate(make, False)


def test_a_step_that_was_replaced_is_named():
    p = ft.ones(1, requires_grad=True)
    optimizer = SGD([p], lr=0.1)
    schedule = StepLR(optimizer, 1)
    old = optimizer.step
    optimizer.step = lambda: old()
    p.grad = ft.ones(1)
    optimizer.step()
    with pytest.warns(UserWarning, match=r"`optimizer.step\(\)` has been overridden .*how-to-adjust-learning-rate"):
        schedule.step()


def test_order_of_states():
    """`state_dict` has its entries in PyTorch's order, so that files are alike."""
    opt = SGD([ft.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
    common = "base_lrs last_epoch _step_count _is_initial _get_lr_called_within_step _last_lr"
    assert list(ReduceLROnPlateau(opt).state_dict()) == (
        "factor default_min_lr min_lrs patience cooldown eps last_epoch _last_lr mode_worse mode threshold "
        "threshold_mode best cooldown_counter num_bad_epochs".split()
    )
    assert list(CyclicLR(opt, 0.1, 0.2).state_dict()) == (
        "max_lrs total_size step_ratio mode gamma scale_mode cycle_momentum use_beta1 base_momentums max_momentums "
        f"{common} _scale_fn_custom".split()
    )
    assert list(OneCycleLR(opt, 0.1, 10).state_dict()) == (
        f"total_steps _schedule_phases _anneal_func_type cycle_momentum use_beta1 {common}".split()
    )
    # without cycles of momentum, its numbers are not looked at
    still = OneCycleLR(opt, 0.1, 10, cycle_momentum=False, base_momentum=[0.8, 0.9])
    assert "use_beta1" not in still.state_dict()
