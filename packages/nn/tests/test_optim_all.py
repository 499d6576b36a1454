"""Every optimizer against what PyTorch 2.13 computes, and what holds for all of them."""

import copy
import inspect
import math
import pickle

import numpy as np
import pytest

import flambeau_autograd
import flambeau_tensor as ft
from flambeau_nn import optim

START = [0.5, -1.5, 2.0, -0.25, 1.0, 3.0]
ALL = [name for name in optim.__all__ if inspect.isclass(getattr(optim, name)) and name != "Optimizer"]
BY_CLOSURE = ["LBFGS"]
OTHERS = {"SparseAdam"}  # no gradient is one that it takes
STEPPING = [name for name in ALL if name not in BY_CLOSURE and name not in OTHERS]
FUSED = [name for name in STEPPING if issubclass(getattr(optim, name), optim.optimizer.FusedOptimizer)]


def gradient(step, shape=(2, 3)):
    """Numbers of both signs and several sizes, which any library computes alike."""
    k = np.arange(math.prod(shape)).reshape(shape)
    return (((step * 7 + k * 5) % 13) - 5.5) / 4.0 * (1 + step % 3)


def walk(name, options, steps=100, dtype=ft.float64, shape=(2, 3)):
    p = ft.tensor(np.resize(START, shape)).to(dtype).requires_grad_()
    o = getattr(optim, name)([p], **options)
    for i in range(steps):
        p.grad = ft.tensor(gradient(i, shape)).to(dtype)
        o.step()
    return p.detach(), o


# The six numbers that START becomes in 100 steps in PyTorch (CPU, float64).
PYTORCH = [
    (
        "SGD",
        {"lr": 0.01, "momentum": 0.9, "weight_decay": 0.1},
        [-1.28003516507, -2.14595477788, -1.03732512524, -1.77756345533, -1.20152019374, -0.329830198054],
    ),
    (
        "Adam",
        {"lr": 0.01, "weight_decay": 0.1},
        [0.399329172691, -1.54521389178, 1.75177130279, -0.361790430425, 0.826906229514, 2.7585224369],
    ),
    (
        "AdamW",
        {"lr": 0.01, "amsgrad": True},
        [0.417627759989, -1.60347359585, 1.81785382972, -0.373033611106, 0.862544530601, 2.86241494483],
    ),
    (
        "RMSprop",
        {"centered": True, "momentum": 0.5},
        [0.292813879201, -1.80416109469, 1.28341419846, -0.712005569332, 0.391451358829, 2.54010224526],
    ),
    (
        "Adagrad",
        {"lr": 0.1, "lr_decay": 0.1},
        [0.555033951033, -1.50103224378, 1.81322913804, -0.288522199802, 0.869154393689, 2.91293528297],
    ),
    ("Adadelta", {}, [0.471877700267, -1.52816145168, 1.96456799361, -0.292356733113, 0.95795876239, 2.97303132203]),
    (
        "Adadelta",
        {"lr": 0.5, "rho": 0.8, "eps": 0.001, "weight_decay": 0.1},
        [0.140406632468, -1.58600732062, 1.38350453912, -0.622567491747, 0.460006460403, 2.32165731289],
    ),
    (
        "Adamax",
        {"lr": 0.05},
        [0.383127334317, -1.74050458132, 1.59422142599, -0.499947201582, 0.70423066044, 2.73155996308],
    ),
    (
        "Adamax",
        {"lr": 0.05, "betas": (0.5, 0.9), "weight_decay": 0.1},
        [0.131851465084, -1.62679188672, 1.23955153944, -0.628750546998, 0.423543693485, 2.20668759721],
    ),
    (
        "NAdam",
        {"lr": 0.05},
        [0.00903732799168, -2.0289890775, 1.31692040498, -0.903319950884, 0.353742781934, 2.45916209356],
    ),
    (
        "NAdam",
        {"lr": 0.05, "momentum_decay": 0.1, "weight_decay": 0.1},
        [-0.0559513529211, -1.66920116805, 0.98903082901, -0.7795498283, 0.21700516664, 1.90572377637],
    ),
    (
        "NAdam",
        {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True},
        [-0.105749857564, -1.33677764807, 0.681949442765, -0.681992734734, 0.102624641858, 1.39112749029],
    ),
    (
        "RAdam",
        {"lr": 0.05},
        [0.663178230637, -1.76738369369, 1.62944454513, -0.299718866633, 0.940401697987, 2.91997265144],
    ),
    (
        "RAdam",
        {"lr": 0.05, "betas": (0.8, 0.9), "weight_decay": 0.1},
        [0.129452051314, -1.7975102504, 0.854267453167, -0.683883519943, 0.331562365726, 1.96386427534],
    ),
    (
        "RAdam",
        {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True},
        [0.38462302238, -1.09222316362, 0.963676265197, -0.201663257449, 0.551185404983, 1.75191767392],
    ),
    ("Rprop", {}, [0.519334046875, -1.50014866797, 1.97639693281, -0.232552407031, 0.979517054687, 2.96569663281]),
    (
        "Rprop",
        {"lr": 0.1, "etas": (0.3, 1.5), "step_sizes": (0.001, 0.2)},
        [0.5937, -1.4952, 1.790735, -0.1618, 0.8048, 2.634735],
    ),
    (
        "ASGD",
        {"lr": 0.05},
        [-0.606030995225, -2.69248145668, 0.555884891232, -1.78046984534, -0.293687910947, 1.94270640065],
    ),
    (
        "ASGD",
        {"lr": 0.05, "lambd": 0.1, "alpha": 0.5, "t0": 5, "weight_decay": 0.1},
        [-0.486377188513, -1.31008592889, -0.0215547360816, -1.04299806096, -0.359773215365, 0.584654672587],
    ),
    (
        "Adafactor",
        {"lr": 0.05},
        [-0.0913446204892, -2.15772773756, 1.29138376526, -1.34634939366, 0.0287883677939, 2.28199965149],
    ),
    (
        "Adafactor",
        {"lr": 0.05, "eps": (0.01, 0.1), "d": 2.0, "weight_decay": 0.1, "beta2_decay": -0.5},
        [-0.0642432066929, -1.22240488637, 0.730507148126, -0.826679632621, -0.0705438453778, 1.26458352976],
    ),
    (
        "Muon",
        {"lr": 0.05},
        [-0.249952645072, -1.93138024735, -0.112186929482, -1.55677565772, -0.592605424967, 1.10086198197],
    ),
    (
        "Muon",
        {"lr": 0.05, "nesterov": False, "momentum": 0.5, "ns_steps": 3, "adjust_lr_fn": "match_rms_adamw"},
        [0.248027173674, -0.859503487498, 1.17894496381, -0.452210534757, 0.346709703528, 1.55938192023],
    ),
]


@pytest.mark.parametrize(("name", "options", "want"), PYTORCH)
def test_a_hundred_steps_end_where_pytorchs_do(name, options, want):
    p, _ = walk(name, options)
    np.testing.assert_allclose(p.numpy().ravel(), want, rtol=1e-9, atol=1e-9)


def test_every_optimizer_is_in_the_table():
    assert {name for name, _, _ in PYTORCH} == set(STEPPING)


@pytest.mark.parametrize(("name", "options", "want"), [row for row in PYTORCH if row[0] in FUSED])
def test_dtypes_and_layouts_change_nothing(name, options, want):
    """Complex numbers are pairs, other strides and long arrays are the same elements, float32 is close."""
    few = 5
    expected = walk(name, options, few)[0].numpy()
    np.testing.assert_allclose(walk(name, options, few, ft.float32)[0].numpy(), expected, rtol=2e-5, atol=2e-5)
    p = ft.tensor(np.resize(START, (2, 3)) * (1 + 0j) + 1j * np.resize(START, (2, 3))).requires_grad_()
    whole = ft.tensor(np.ascontiguousarray(np.resize(START, (2, 3)).T))
    long = ft.tensor(np.tile(np.resize(START, (2, 3)), (9000, 1))).requires_grad_()
    ps = p, whole.t().requires_grad_(), long
    o = getattr(optim, name)(ps, **options)
    for i in range(few):
        g = ft.tensor(gradient(i))
        p.grad, ps[1].grad, long.grad = g * (1 + 1j), g, g.repeat(9000, 1)
        o.step()
    for got in (p.detach().real, p.detach().imag, whole.t(), long.detach()[-2:]):
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "options", "want"), [row for row in PYTORCH if row[0] in FUSED])
def test_recorded_steps_compute_the_same_and_are_differentiated(name, options, want):
    def end(p, g, steps=3):
        x = p * 1
        o = getattr(optim, name)([x], differentiable=True, **options)
        for i in range(steps):
            x.grad = g * (1 + i)
            o.step()
        return x

    start, g = ft.tensor(np.resize(START, (2, 3))).requires_grad_(), ft.tensor(gradient(1)).requires_grad_()
    few = ft.tensor(np.resize(START, (2, 3))).requires_grad_()
    plain = getattr(optim, name)([few], **options)
    for i in range(3):
        few.grad = g.detach() * (1 + i)
        plain.step()
    result = end(start, g)
    np.testing.assert_allclose(result.detach().numpy(), few.detach().numpy(), rtol=1e-7)  # one number is float32
    if name not in ("ASGD", "NAdam"):  # theirs goes into the result
        assert flambeau_autograd.gradcheck(end, (start, g), atol=1e-4)
    z = (start * (1 + 1j)).detach().requires_grad_()
    pairs = end(z, g.detach() * (1 + 1j))
    np.testing.assert_allclose(pairs.detach().real.numpy(), few.detach().numpy(), rtol=1e-7)
    pairs.abs().sum().backward()
    assert z.grad.abs().sum() > 0


def test_recorded_steps_do_not_write_to_leaves():
    p = ft.ones(2, requires_grad=True)
    p.grad = ft.ones(2)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        optim.Adam([p], differentiable=True).step()


def test_a_recorded_step_of_radam_at_a_zero_gradient():
    """Its first steps do not divide by the root of the second moment, which has no derivative at zero."""
    p, g = ft.ones(2, requires_grad=True), ft.tensor([0.0, 0.3], requires_grad=True)
    x = p * 1
    x.grad = g * 1
    optim.RAdam([x], lr=0.1, differentiable=True).step()
    x.sum().backward()
    np.testing.assert_allclose(g.grad.numpy(), [-0.1, -0.1], rtol=1e-6)


@pytest.mark.parametrize("name", STEPPING)
def test_saved_and_loaded_it_goes_on(name):
    _, o = walk(name, {}, 3)
    p = o.param_groups[0]["params"][0]
    other = copy.deepcopy(o)
    q = other.param_groups[0]["params"][0]
    loaded = getattr(optim, name)([p.detach().clone().requires_grad_()], lr=7.0)
    loaded.load_state_dict(pickle.loads(pickle.dumps(o.state_dict())))
    r = loaded.param_groups[0]["params"][0]
    for one, x in ((o, p), (other, q), (loaded, r)):
        for i in range(3, 6):
            x.grad = ft.tensor(gradient(i))
            one.step()
    assert p.tolist() == q.tolist()
    np.testing.assert_allclose(r.detach().numpy(), p.detach().numpy(), rtol=1e-8)  # single numbers get p's dtype


# What PyTorch's state dicts hold after a step, with lr=0.5 and defaults: state of the parameter, options of the group.
STATES = {
    "SGD": (
        [],
        [
            "lr",
            "momentum",
            "dampening",
            "weight_decay",
            "nesterov",
            "maximize",
            "foreach",
            "differentiable",
            "fused",
            "params",
        ],
    ),
    "Adam": (
        [("step", "float32"), ("exp_avg", "float64"), ("exp_avg_sq", "float64")],
        [
            "lr",
            "betas",
            "eps",
            "weight_decay",
            "amsgrad",
            "maximize",
            "foreach",
            "capturable",
            "differentiable",
            "fused",
            "decoupled_weight_decay",
            "params",
        ],
    ),
    "AdamW": (
        [("step", "float32"), ("exp_avg", "float64"), ("exp_avg_sq", "float64")],
        [
            "lr",
            "betas",
            "eps",
            "weight_decay",
            "amsgrad",
            "maximize",
            "foreach",
            "capturable",
            "differentiable",
            "fused",
            "decoupled_weight_decay",
            "params",
        ],
    ),
    "RMSprop": (
        [("step", "float32"), ("square_avg", "float64")],
        [
            "lr",
            "momentum",
            "alpha",
            "eps",
            "centered",
            "weight_decay",
            "capturable",
            "foreach",
            "maximize",
            "differentiable",
            "params",
        ],
    ),
    "Adagrad": (
        [("step", "float32"), ("sum", "float64")],
        [
            "lr",
            "lr_decay",
            "eps",
            "weight_decay",
            "initial_accumulator_value",
            "foreach",
            "maximize",
            "differentiable",
            "fused",
            "params",
        ],
    ),
    "Adadelta": (
        [("step", "float32"), ("square_avg", "float64"), ("acc_delta", "float64")],
        ["lr", "rho", "eps", "weight_decay", "maximize", "capturable", "foreach", "differentiable", "params"],
    ),
    "Adamax": (
        [("step", "float32"), ("exp_avg", "float64"), ("exp_inf", "float64")],
        ["lr", "betas", "eps", "weight_decay", "foreach", "maximize", "differentiable", "capturable", "params"],
    ),
    "NAdam": (
        [("step", "float32"), ("mu_product", "float32"), ("exp_avg", "float64"), ("exp_avg_sq", "float64")],
        [
            "lr",
            "betas",
            "eps",
            "weight_decay",
            "momentum_decay",
            "decoupled_weight_decay",
            "maximize",
            "foreach",
            "capturable",
            "differentiable",
            "params",
        ],
    ),
    "RAdam": (
        [("step", "float32"), ("exp_avg", "float64"), ("exp_avg_sq", "float64")],
        [
            "lr",
            "betas",
            "eps",
            "weight_decay",
            "maximize",
            "foreach",
            "capturable",
            "decoupled_weight_decay",
            "differentiable",
            "params",
        ],
    ),
    "Rprop": (
        [("step", "float32"), ("prev", "float64"), ("step_size", "float64")],
        ["lr", "etas", "step_sizes", "foreach", "maximize", "differentiable", "capturable", "params"],
    ),
    "ASGD": (
        [("step", "float32"), ("eta", "float32"), ("mu", "float32"), ("ax", "float64")],
        ["lr", "lambd", "alpha", "t0", "weight_decay", "foreach", "maximize", "differentiable", "capturable", "params"],
    ),
    "Adafactor": (
        [("step", "float32"), ("row_var", "float64"), ("col_var", "float64")],
        ["lr", "beta2_decay", "eps", "d", "weight_decay", "foreach", "maximize", "params"],
    ),
    "Muon": (
        [("momentum_buffer", "float64")],
        ["lr", "weight_decay", "momentum", "nesterov", "ns_coefficients", "eps", "ns_steps", "adjust_lr_fn", "params"],
    ),
}


@pytest.mark.parametrize("name", list(STATES))
def test_state_dicts_have_pytorchs_form(name):
    _, o = walk(name, {"lr": 0.5}, 1)
    saved = o.state_dict()
    state = {key: str(value.dtype).removeprefix("torch.") for key, value in saved["state"].get(0, {}).items()}
    assert (list(state.items()), list(saved["param_groups"][0])) == STATES[name]


@pytest.mark.parametrize("name", STEPPING)
def test_maximize_and_closure(name):
    p, _ = walk(name, {}, 4)
    if "maximize" in inspect.signature(getattr(optim, name)).parameters:
        q = ft.tensor(np.resize(START, (2, 3))).requires_grad_()
        o = getattr(optim, name)([q], maximize=True)
        for i in range(4):
            q.grad = -ft.tensor(gradient(i))
            o.step()
        assert q.tolist() == p.tolist()
    q = ft.tensor([[1.0]]).requires_grad_()
    o = getattr(optim, name)([q])

    def closure():
        o.zero_grad()
        loss = (q * q).sum()
        loss.backward()
        return loss

    with flambeau_autograd.no_grad():
        assert o.step(closure).item() == 1.0 and o.step() is None


@pytest.mark.parametrize("name", FUSED)
@pytest.mark.parametrize("option", ["foreach", "capturable", "fused"])
def test_options_about_how_make_no_difference(name, option):
    if option in inspect.signature(getattr(optim, name)).parameters:
        assert walk(name, {option: True}, 3)[0].tolist() == walk(name, {}, 3)[0].tolist()


P = ft.tensor([[1.0]]).requires_grad_()
Z = ft.tensor([[1.0 + 1j]]).requires_grad_()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: optim.Adadelta([P], rho=1.1), ValueError, "^Invalid rho value: 1.1$"),
        (lambda: optim.Adadelta([P], eps=-1), ValueError, "^Invalid epsilon value: -1$"),
        (lambda: optim.Adamax([P], betas=(1.0, 0.9)), ValueError, "^Invalid beta parameter at index 0: 1.0$"),
        (lambda: optim.NAdam([P], momentum_decay=-1), ValueError, "^Invalid momentum_decay value: -1$"),
        (lambda: optim.RAdam([P], weight_decay=-1), ValueError, "^Invalid weight_decay value: -1$"),
        (lambda: optim.Rprop([P], etas=(0.5, 0.9)), ValueError, "^Invalid eta values: 0.5, 0.9$"),
        (lambda: optim.ASGD([P], lr=-1), ValueError, "^Invalid learning rate: -1$"),
        (lambda: optim.Adafactor([P], lr=-1), ValueError, "^Learning rate should be >= 0 but is: -1$"),
        (lambda: optim.Adafactor([P], beta2_decay=1), ValueError, "^beta2_decay should be <= 0 but is: 1$"),
        (lambda: optim.Adafactor([P], eps=(-1, 0)), ValueError, "^epsilon1 should be >= 0 but is: -1$"),
        (lambda: optim.Adafactor([P], d=0.5), ValueError, "^Clipping threshold d should be >= 1 but is: 0.5$"),
        (lambda: optim.Muon([P], momentum=-1), ValueError, "^momentum should be >= 0 but is: -1$"),
        (lambda: optim.Muon([P], adjust_lr_fn="x"), ValueError, "^Adjust learning rate function x is not supported$"),
        (
            lambda: optim.Muon([ft.ones(3, requires_grad=True)]),
            ValueError,
            r"Muon only supports 2D parameters .*\(\[3\]\)",
        ),
        (lambda: optim.SparseAdam([P], lr=0), ValueError, "^Invalid learning rate: 0$"),
        (lambda: optim.SparseAdam([Z]), ValueError, r"^Complex params at indices \[\[0, 0\]\]: SparseAdam does not"),
        (lambda: optim.LBFGS([{"params": [P]}, {"params": [Z]}]), ValueError, "LBFGS doesn't support per-parameter"),
        (lambda: optim.SGD([P], differentiable=True, fused=True), RuntimeError, "`fused` does not support `different"),
    ],
)
def test_errors(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize(
    ("name", "p", "text"),
    [
        ("Adafactor", Z, "Adafactor does not support complex parameters"),
        ("Muon", Z, "Muon does not support complex parameters"),
        ("SparseAdam", P, "SparseAdam does not support dense gradients, please consider Adam instead"),
    ],
)
def test_gradients_that_are_refused(name, p, text):
    o = getattr(optim, name)([p]) if name != "Muon" else optim.Muon([p])
    assert o.step() is None or name != "SparseAdam"
    p.grad = ft.ones_like(p.detach())
    with pytest.raises(RuntimeError, match=text):
        o.step()
    p.grad = None


def test_states_of_old_releases_become_tensors():
    p, o = walk("NAdam", {}, 2)
    saved = o.state_dict()
    saved["state"][0] = {**saved["state"][0], "step": 2, "mu_product": saved["state"][0]["mu_product"].item()}
    o.load_state_dict(saved)
    state = next(iter(o.state.values()))
    assert state["step"].item() == 2 and isinstance(state["mu_product"], ft.Tensor)


def test_wrong_single_states_are_refused():
    p = ft.ones(2, requires_grad=True)
    p.grad = ft.ones(2)
    o = optim.ASGD([p])
    o.step()
    o.state[p]["eta"] = 0.5
    with pytest.raises(TypeError, match="state 'eta' must be a Tensor, not float"):
        o.step()
    o.state[p]["eta"] = ft.tensor(0.5, dtype=ft.bfloat16)  # as for a bfloat16 parameter's state that was loaded
    o.step()
    assert o.state[p]["eta"].dtype == ft.bfloat16


# --- LBFGS ----------------------------------------------------------------------------------------------------------

LINE_SEARCH = [
    (
        {},
        3,
        [99.4761, 3.10060988515, 2.88564341179],
        55,
        [-0.8537351433, 0.7335776414, 0.5427090204, 0.2945328271, 2.097611858, 0.9318470047],
    ),
    (
        {"lr": 0.1, "history_size": 3},
        3,
        [99.4761, 7.45801516166, 4.24402881244],
        60,
        [-0.933570605, 0.8565185215, 0.7534274737, 0.5844141736, 2.2553592, 1.298833924],
    ),
    (
        {"line_search_fn": "strong_wolfe"},
        3,
        [99.4761, 3.0881435765, 2.84854886484],
        51,
        [-0.8537350113, 0.7335775926, 0.5427089296, 0.2945330279, 2.097614059, 0.9318556466],
    ),
    (
        {"line_search_fn": "strong_wolfe", "lr": 0.01, "max_iter": 4},
        4,
        [99.4761, 55.86056295, 10.1291907563, 6.36158267394],
        24,
        [-0.8015089179, 0.6714387045, 0.4738217555, 0.2307751625, 0.4520265185, 1.973018445],
    ),
    (
        {"line_search_fn": "strong_wolfe", "max_eval": 5},
        3,
        [99.4761, 6.46789876203, 4.14558624157],
        15,
        [-0.5607612369, 0.332192054, 0.1131378351, 0.008745619224, 2.08318333, 1.65090123],
    ),
    (
        {"max_iter": 1},
        3,
        [99.4761, 39.6249995612, 9.28172025036],
        3,
        [-0.8008455371, 0.6550655043, 0.3955322451, 0.1240271327, 0.3350180849, 1.99367205],
    ),
    (
        {"line_search_fn": "strong_wolfe", "history_size": 2},
        2,
        [99.4761, 3.14292147267],
        47,
        [-0.6330539521, 0.4043466937, 0.1747900277, 0.02802438533, 2.159082464, 1.172502516],
    ),
]


def valley(x, y):
    """Rosenbrock's function, and what couples two tensors."""
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum() + ((y - 1.5) ** 4).sum() + (y * x[:2]).sum()


def test_a_line_search_whose_bracket_has_closed_stays():
    point = optim.lbfgs._Point(0.5, 2.0, ft.ones(1), 0.1)
    assert optim.lbfgs._lowest(point, point) == 0.5


@pytest.mark.parametrize(("options", "steps", "losses", "calls", "end"), LINE_SEARCH)
def test_lbfgs_goes_where_pytorchs_goes(options, steps, losses, calls, end):
    x = ft.tensor([-1.2, 1.0, 0.7, -0.3], dtype=ft.float64, requires_grad=True)
    y = ft.tensor([0.3, 2.0], dtype=ft.float64, requires_grad=True)
    o = optim.LBFGS([x, y], **options)
    called = []

    def closure():
        called.append(1)
        o.zero_grad()
        loss = valley(x, y)
        loss.backward()
        return loss

    got = [o.step(closure).item() for _ in range(steps)]
    np.testing.assert_allclose(got, losses, rtol=1e-8)
    np.testing.assert_allclose(x.tolist() + y.tolist(), end, rtol=1e-6)
    state = o.state_dict()["state"][0]
    assert len(called) == calls == state["func_evals"]
    assert set(state) >= {
        "func_evals",
        "n_iter",
        "al",
        "d",
        "t",
        "old_dirs",
        "old_stps",
        "ro",
        "H_diag",
        "prev_flat_grad",
        "prev_loss",
    }
    again = pickle.loads(pickle.dumps(o))
    assert again._params[0].tolist() == x.tolist()


def test_lbfgs_of_complex_numbers_and_parameters_without_gradient():
    z, unused = ft.ones(3, dtype=ft.complex128).requires_grad_(), ft.ones(2, dtype=ft.float64).requires_grad_()
    target = ft.tensor([1 + 2j, -1j, 3.0], dtype=ft.complex128)
    o = optim.LBFGS([z, unused], line_search_fn="strong_wolfe")

    def closure():
        o.zero_grad()
        loss = (z - target).abs().square().sum()
        loss.backward()
        return loss

    o.step(closure)
    np.testing.assert_allclose(z.detach().numpy(), target.numpy(), atol=1e-6)
    assert unused.tolist() == [1, 1]


def test_lbfgs_knows_one_line_search():
    o = optim.LBFGS([P], line_search_fn="golden")

    def closure():
        o.zero_grad()
        loss = (P * P).sum()
        loss.backward()
        return loss

    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        o.step(closure)


# --- what optimizers of other packages import -----------------------------------------------------------------------


def test_lists_are_grouped_by_device_and_dtype():
    a, b, c = ft.ones(2), ft.ones(2, dtype=ft.float64), ft.ones(3)
    grouped = optim.Optimizer._group_tensors_by_device_and_dtype([[a, b, c], [None, a, b], []], with_indices=True)
    single, double = grouped[ft.device("cpu"), ft.float32], grouped[ft.device("cpu"), ft.float64]
    assert [[id(t) for t in each] for each in single[0]] == [[id(a), id(c)], [id(None), id(b)], []]
    assert single[1] == [0, 2] and double[1] == [1]
    with pytest.raises(RuntimeError, match="the 1-th Tensor is not"):
        optim.Optimizer._group_tensors_by_device_and_dtype([[a, None]])


def test_ways_of_a_step_that_was_not_told():
    floats, ints = [ft.ones(2)], [ft.ones(2, dtype=ft.int64)]
    choose = optim.optimizer._default_to_fused_or_foreach
    assert choose(floats, differentiable=False) == (False, False)
    assert choose(floats, differentiable=False, use_fused=True) == (True, False)
    assert choose(floats, differentiable=True, use_fused=True) == choose(ints, False, True) == (False, False)


@pytest.mark.parametrize("differentiable", [False, True])
def test_steps_that_are_recorded_on_request(differentiable):
    class Recorded(optim.Optimizer):
        @optim.optimizer._use_grad_for_differentiable
        def step(self, closure=None):
            return flambeau_autograd.is_grad_enabled()

    assert Recorded([ft.ones(1)], {"differentiable": differentiable}).step() is differentiable


@pytest.mark.parametrize("name", FUSED)
def test_a_step_without_memory(name):
    """On 'meta' there is nothing to compute: the states are made, the steps are counted, the parameter is written."""
    shape = (3, 2)
    p = ft.empty(shape, device="meta").requires_grad_()
    view = ft.empty(4, 3, device="meta")[1:, ::2].detach().requires_grad_()
    o = getattr(optim, name)([p, view], lr=0.1)
    for _ in range(2):
        p.grad, view.grad = ft.empty(shape, device="meta"), ft.empty(shape, device="meta")
        o.step()
    here = getattr(optim, name)([ft.zeros(shape).requires_grad_()], lr=0.1)
    here.param_groups[0]["params"][0].grad = ft.ones(shape)
    here.step()
    wanted = here.state[here.param_groups[0]["params"][0]]
    for q in (p, view):
        assert q._version > 0 and o.state[q].keys() == wanted.keys()
        for key, value in o.state[q].items():
            if isinstance(value, ft.Tensor):
                assert value.is_meta == (value.ndim > 0) and value.shape == wanted[key].shape
                assert key != "step" or value.item() == 2


@pytest.mark.parametrize("name", FUSED)
def test_memory_and_none_do_not_go_together(name):
    for device in ("cpu", "meta"):
        p = ft.ones(3, device=device).requires_grad_()
        o = getattr(optim, name)([p], lr=0.1)
        p.grad = ft.ones(3, device=device)
        o.step()
        keys = [k for k, v in o.state[p].items() if isinstance(v, ft.Tensor) and v.ndim]
        for key in keys:
            o.state[p][key] = ft.zeros(3, device="meta" if device == "cpu" else "cpu")
        if keys:
            with pytest.raises(RuntimeError, match="same device"):
                o.step()


def test_state_of_lbfgs():
    """Its entries come in PyTorch's order, and "t" is a number while the rate is."""
    x = ft.ones(2, dtype=ft.float64, requires_grad=True)
    opt = optim.LBFGS([x], lr=1, max_iter=4)

    def closure():
        opt.zero_grad()
        loss = (x**4).sum() / 9
        loss.backward()
        return loss

    opt.step(closure)
    assert list(opt.state[x]) == (
        "func_evals n_iter al d t old_dirs old_stps ro H_diag prev_flat_grad prev_loss".split()
    )
    assert opt.state[x]["t"] == 1 and isinstance(opt.state[x]["t"], int)
    opt.add_param_group({"params": [ft.ones(1, requires_grad=True)]})
    with pytest.raises(AssertionError, match="Expected exactly one param_group, but got 2"):
        opt.step(closure)


def test_counts_that_are_numbers_stay_numbers():
    """Optimizers of programs, and SparseAdam, count steps in numbers, which loading preserves."""

    class Mine(optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": 1})

    for make in (Mine, optim.SparseAdam):
        p = ft.ones(1, requires_grad=True)
        opt, other = make([p]), make([p])
        opt.state[p]["step"] = 3
        other.load_state_dict(opt.state_dict())
        assert other.state[p]["step"] == 3 and isinstance(other.state[p]["step"], int)


def test_options_that_exclude_parameters():
    z = ft.ones(2, dtype=ft.complex64, requires_grad=True)
    for name in ("Adam", "AdamW", "SGD", "Adagrad"):
        with pytest.raises(RuntimeError, match="`fused=True` requires all the params to be floating point Tensors"):
            getattr(optim, name)([z], fused=True)
    x = ft.ones(2, requires_grad=True)
    x.grad = ft.ones(2)
    with pytest.raises(AssertionError, match="_foreach ops don't support autograd"):
        optim.Adam([x], foreach=True, differentiable=True).step()


def test_lbfgs_takes_rates_with_a_dimension():
    p = ft.ones(2, dtype=ft.bfloat16, requires_grad=True)
    opt = optim.LBFGS([p], lr=ft.tensor([0.5]), max_iter=3)

    def closure():
        opt.zero_grad()
        loss = ((p - 3) ** 2).sum()
        loss.backward()
        return loss

    opt.step(closure)
    assert opt.state[p]["t"].shape == () and p.dtype is ft.bfloat16 and p[0] > 1


def test_steps_without_state_leave_no_entry():
    p = ft.ones(2, requires_grad=True)
    p.grad = ft.ones(2)
    opt = optim.SGD([p], lr=0.5, differentiable=True)
    q = (p * 1).detach()
    q.grad = ft.ones(2)
    opt.param_groups[0]["params"] = [q]
    opt.step()
    assert q.tolist() == [0.5, 0.5] and q not in opt.state


def test_names_that_other_optimizers_import():
    from flambeau_nn.optim import optimizer as names
    from flambeau_nn.optim.lr_scheduler import _enable_get_lr_call, _initial_mode, _warn_get_lr_called_within_step

    assert names._to_scalar(ft.ones(1)).shape == () and names._to_scalar(2) == 2
    assert names._get_scalar_dtype() is ft.float32 and names._disable_dynamo_if_unsupported("step")(abs) is abs
    with pytest.raises(RuntimeError, match="floating point Tensors of supported devices"):
        names._device_dtype_check_for_fused(ft.ones(1, dtype=ft.complex64))
    schedule = optim.lr_scheduler.StepLR(optim.SGD([ft.ones(1, requires_grad=True)], lr=0.1), 2)
    with pytest.warns(UserWarning, match="please use `get_last_lr"):
        _warn_get_lr_called_within_step(schedule)
    with _enable_get_lr_call(schedule), _initial_mode(schedule):
        _warn_get_lr_called_within_step(schedule)
        assert schedule._is_initial
    assert not schedule._is_initial


@pytest.mark.parametrize("kind", [optim.Adafactor, optim.Adam])
def test_a_state_with_a_number_as_step(kind):
    w, v = (ft.ones(2, 3, requires_grad=True) for _ in range(2))
    one, other = kind([w]), kind([v])
    for step in range(3):
        w.grad = v.grad = ft.full((2, 3), 1.0 + step)
        one.step()
        other.step()
        state = other.state_dict()
        state["state"][0]["step"] = float(state["state"][0]["step"])
        other.load_state_dict(state)
    assert (v == w).all() and other.state[v]["step"] == 3
