"""Starting values: PyTorch's numbers for a seed, what the rules promise, errors and warnings.

The literals were printed by PyTorch 2.13 on the CPU after ``torch.manual_seed(3)``, with ``g`` a generator of seed 9.
"""

import math
import warnings

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_nn import init

e = ft.empty

NUMBERS = {
    "init.uniform_(e(2, 3))": [[0.0042635202, 0.10556936, 0.28584248], [0.02695483, 0.47161436, 0.060116291]],
    "init.uniform_(e(2, 3), -1.0, 3.0)": [
        [-0.98294592, -0.57772255, 0.14336991],
        [-0.89218068, 0.88645744, -0.75953484],
    ],
    "init.normal_(e(2, 3), 1, 2)": [[2.6065521, 1.3496668, 1.1779562], [-0.22743602, 1.0923649, -1.7365184]],
    "init.trunc_normal_(e(2, 3))": [[0.80327606, 0.17483339, 0.088978097], [-0.61371803, 0.04618245, -1.3682592]],
    "init.trunc_normal_(e(2, 3), 1, 2, -1, 4)": [
        [2.6065521, 1.3496668, 1.1779562],
        [-0.22743602, 1.0923649, 3.4758334],
    ],
    "init.trunc_normal_(e(2, 3), 0.2, 1, 0, 0.3)": [
        [0.0012790561, 0.031670809, 0.085752748],
        [0.0080864495, 0.14148432, 0.018034888],
    ],
    "init.trunc_normal_(e(2, 2, dtype=ft.float64), 0, 1, -1.5, 0.5)": [
        [0.04618245168476012, 0.17483339327910358],
        [0.08897809502587893, -0.6137180077293578],
    ],
    "init.xavier_uniform_(e(2, 3))": [[-1.0861043, -0.86415428, -0.46919563], [-1.0363901, -0.062189821, -0.96373695]],
    "init.xavier_normal_(e(2, 3, 2), 2.0)": [
        [[0.71847194, 0.15637574], [0.079584427, -0.54892606], [0.041306842, -1.2238082]],
        [[0.3018648, 0.90436953], [-1.2836634, 0.87424159], [0.46693566, 1.1072264]],
    ],
    "init.kaiming_uniform_(e(2, 3))": [[-1.4021544, -1.1156183, -0.60572892], [-1.3379737, -0.080286711, -1.244179]],
    "init.kaiming_uniform_(e(2, 3), 0.5, 'fan_out')": [
        [-1.5359833, -1.2220987, -0.66354281],
        [-1.4656769, -0.087949686, -1.3629298],
    ],
    "init.kaiming_normal_(e(2, 3, 2), mode='fan_out', nonlinearity='relu')": [
        [[0.56800199, 0.12362587], [0.062917016, -0.43396416], [0.032655925, -0.96750534]],
        [[0.23864508, 0.71496689], [-1.014825, 0.69114864], [0.36914507, 0.87533927]],
    ],
    "init.orthogonal_(e(3, 2))": [[0.99230218, 0.097435415], [0.10991634, -0.40860909], [0.057050057, -0.90749371]],
    "init.orthogonal_(e(2, 3), 2)": [[1.9429004, 0.42287308, 0.21521313], [0.15129934, 0.30764696, -1.9703963]],
    "init.orthogonal_(e(2, 2, 2))": [
        [[0.78006864, 0.16978228], [0.086407438, -0.59598714]],
        [[0.41583496, -0.79586428], [0.25980991, 0.35521847]],
    ],
    "init.sparse_(e(4, 3), 0.5)": [
        [0.0, 0.0, 0.0],
        [-0.0061371801, 0.00046182453, -0.013682592],
        [0.003374951, 0.0, 0.0],
        [0.0, 0.0052204994, 0.012379167],
    ],
    "init.uniform_(e(3), generator=g)": [0.65578449, 0.3020227, 0.47989643],
    "init.normal_(e(3), generator=g)": [0.044727538, 1.911239, -0.2310309],
    "init.trunc_normal_(e(3), generator=g)": [0.044727538, 1.911239, -0.2310309],
    "init.xavier_uniform_(e(2, 2), generator=g)": [[0.38159251, -0.48494339], [-0.049243499, 0.67942387]],
    "init.xavier_normal_(e(2, 2), generator=g)": [[0.031627145, 1.3514501], [-0.16336352, 0.24460815]],
    "init.kaiming_uniform_(e(2, 2), generator=g)": [[0.5396533, -0.68581349], [-0.069640823, 0.96085036]],
    "init.kaiming_normal_(e(2, 2), generator=g)": [[0.044727538, 1.911239], [-0.2310309, 0.34592816]],
    "init.orthogonal_(e(2, 2), generator=g)": [[0.19007051, 0.9817704], [-0.9817704, 0.19007057]],
}


@pytest.mark.parametrize("call", NUMBERS)
def test_numbers_for_a_seed(call):
    ft.manual_seed(3)
    got = eval(call, {"init": init, "e": e, "ft": ft, "g": ft.Generator().manual_seed(9)})
    rounding = 2e-7 if "orthogonal" in call else 0
    np.testing.assert_allclose(got.numpy(), np.array(NUMBERS[call]), rtol=2e-7, atol=rounding)


def test_generator_leaves_the_default_one_alone():
    g = ft.manual_seed(3)
    state = g.get_state()
    for fill in (
        init.uniform_,
        init.normal_,
        init.trunc_normal_,
        init.xavier_uniform_,
        init.xavier_normal_,
        init.kaiming_uniform_,
        init.kaiming_normal_,
        init.orthogonal_,
    ):
        fill(e(3, 3), generator=ft.Generator().manual_seed(1))
    assert g.get_state().equal(state)


FILLS = [
    init.uniform_,
    init.normal_,
    init.trunc_normal_,
    init.ones_,
    init.zeros_,
    init.eye_,
    init.xavier_uniform_,
    init.xavier_normal_,
    init.kaiming_uniform_,
    init.kaiming_normal_,
    init.orthogonal_,
    lambda t: init.constant_(t, 2),
    lambda t: init.sparse_(t, 0.5),
]


@pytest.mark.parametrize("number", range(len(FILLS)))
def test_in_place_and_not_recorded(number):
    leaf = ft.zeros((3, 2), requires_grad=True)
    got = FILLS[number](leaf)
    assert got is leaf
    assert leaf.grad_fn is None
    assert leaf.is_leaf
    assert leaf.requires_grad


@pytest.mark.parametrize("number", range(len(FILLS)))
def test_views(number):
    """The same values in every layout, and nothing beside them."""
    ft.manual_seed(5)
    expected = FILLS[number](e(3, 2))
    whole = ft.full((7, 6), 9.0)
    window = whole[1:7:2, 1:5:2]
    ft.manual_seed(5)
    assert FILLS[number](window).allclose(expected)
    window.fill_(9.0)
    assert whole.eq(9).all()


def test_constants():
    assert init.constant_(e(2), 3.5).tolist() == [3.5, 3.5]
    assert init.ones_(e(2)).tolist() == [1, 1]
    assert init.zeros_(e(2)).tolist() == [0, 0]
    assert init.eye_(e(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("shape", [(3, 2, 5), (2, 3, 4), (4, 2, 3, 3), (2, 2, 3, 2, 3)])
@pytest.mark.parametrize("groups", [1, 2])
def test_dirac(shape, groups):
    if shape[0] % groups:
        with pytest.raises(ValueError, match="dim 0 must be divisible by groups"):
            init.dirac_(e(*shape), groups)
        return
    expected = np.zeros(shape)
    for out in range(shape[0]):
        channel = out % (shape[0] // groups)
        if channel < shape[1]:
            expected[(out, channel, *(n // 2 for n in shape[2:]))] = 1
    np.testing.assert_array_equal(init.dirac_(e(*shape), groups).numpy(), expected)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (3, 2, 2), (6, 2, 2)])
@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
def test_orthogonal(shape, dtype):
    flat = init.orthogonal_(e(*shape, dtype=dtype), 3).numpy().reshape(shape[0], -1)
    small = flat @ flat.T if flat.shape[0] <= flat.shape[1] else flat.T @ flat
    np.testing.assert_allclose(small, 9 * np.eye(len(small)), atol=1e-5 if dtype == ft.float32 else 1e-12)


@pytest.mark.parametrize(("mean", "std", "a", "b"), [(0, 1, -2, 2), (0.5, 2, -1, 1), (0, 1, 1, 3), (0, 1, 2.0, 2.5)])
def test_trunc_normal_has_the_distribution(mean, std, a, b):
    def upto(x):
        return 0.5 * (1 + math.erf((x - mean) / std / math.sqrt(2)))

    ft.manual_seed(1)
    drawn = np.sort(init.trunc_normal_(e(20000, dtype=ft.float64), mean, std, a, b).numpy())
    assert a <= drawn[0]
    assert drawn[-1] <= b
    expected = np.array([(upto(x) - upto(a)) / (upto(b) - upto(a)) for x in drawn])
    # Kolmogorov and Smirnov's statistic; 1.95 is exceeded once in a thousand times.
    assert abs(expected - np.arange(20000) / 20000).max() * math.sqrt(20000) < 1.95


def test_sparse():
    t = init.sparse_(e(10, 40), 0.25, std=1.0)
    assert t.eq(0).sum(0).tolist() == [3] * 40
    assert t.std().item() > 0.5


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("linear", 1),
        ("conv1d", 1),
        ("conv_transpose3d", 1),
        ("sigmoid", 1),
        ("tanh", 5 / 3),
        ("relu", math.sqrt(2)),
        ("leaky_relu", math.sqrt(2 / 1.0001)),
        ("selu", 0.75),
    ],
)
def test_calculate_gain(name, expected):
    assert init.calculate_gain(name) == pytest.approx(expected, rel=1e-15)


def test_fans():
    assert init._calculate_fan_in_and_fan_out(e(2, 3, 4, 5)) == (60, 40)
    assert init._calculate_correct_fan(e(2, 3), "FAN_OUT") == 2
    assert init.calculate_gain("leaky_relu", 0.3) == pytest.approx(math.sqrt(2 / 1.09))


FEW = "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
TWO = "Only tensors with 2 dimensions are supported"
ERRORS = [
    (lambda: init.xavier_uniform_(e(2)), ValueError, FEW),
    (lambda: init.xavier_normal_(e(2)), ValueError, FEW),
    (lambda: init.kaiming_uniform_(e(2)), ValueError, FEW),
    (lambda: init.kaiming_normal_(e(2)), ValueError, FEW),
    (
        lambda: init.kaiming_uniform_(e(2, 3), mode="x"),
        ValueError,
        "Mode x not supported, please use one of ['fan_in', 'fan_out']",
    ),
    (lambda: init.kaiming_uniform_(e(2, 3), nonlinearity="x"), ValueError, "Unsupported nonlinearity x"),
    (lambda: init.calculate_gain("leaky_relu", "x"), ValueError, "negative_slope x not a valid number"),
    (lambda: init.calculate_gain("leaky_relu", True), ValueError, "negative_slope True not a valid number"),
    (lambda: init.eye_(e(2)), ValueError, TWO),
    (lambda: init.sparse_(e(2), 0.5), ValueError, TWO),
    (lambda: init.dirac_(e(2, 2)), ValueError, "Only tensors with 3, 4, or 5 dimensions are supported"),
    (lambda: init.orthogonal_(e(2)), ValueError, "Only tensors with 2 or more dimensions are supported"),
    (lambda: init.orthogonal_(e(2, 2, dtype=ft.float16)), NotImplementedError, "not implemented for 'Half'"),
    (
        lambda: init.uniform_(e(2), 2, -1),
        RuntimeError,
        "uniform_ expects to return a [from, to) range, but found from=2 > to=-1",
    ),
    (lambda: init.normal_(e(2), 1, -2), RuntimeError, "normal expects std >= 0.0, but found std -2"),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number):
    call, kind, text = ERRORS[number]
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.parametrize("fill", [init.kaiming_uniform_, init.kaiming_normal_])
def test_no_elements(fill):
    with pytest.warns(UserWarning, match="^Initializing zero-element tensors is a no-op$") as caught:
        assert fill(e(2, 0)).shape == (2, 0)
    assert caught[0].filename == __file__
    for quiet in (init.uniform_, init.normal_, init.trunc_normal_, init.orthogonal_, init.ones_):
        quiet(e(0, 2))


def test_trunc_normal_far_from_its_mean():
    with pytest.warns(UserWarning, match="mean is more than 2 std from") as caught:
        t = init.trunc_normal_(e(50), 10, 2, -1, 4)
    assert caught[0].filename == __file__
    assert t.ge(-1).all()
    assert t.le(4).all()


@pytest.mark.parametrize(
    "name",
    ["uniform", "normal", "eye", "xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal", "orthogonal"],
)
def test_old_names(name):
    ft.manual_seed(2)
    expected = getattr(init, name + "_")(e(3, 2))
    ft.manual_seed(2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        got = getattr(init, name)(e(3, 2))
    assert got.equal(expected)
    assert [(w.category, str(w.message), w.filename) for w in caught] == [
        (FutureWarning, f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", __file__)
    ]


def test_old_names_with_arguments():
    with pytest.warns(FutureWarning):
        assert init.constant(e(1), 4).item() == 4
    with pytest.warns(FutureWarning):
        assert init.dirac(e(1, 1, 1)).item() == 1
    with pytest.warns(FutureWarning):
        assert init.sparse(e(2, 1), 1.0).eq(0).all()


def test_names_that_other_initializers_import():
    x = ft.empty(4)
    assert init._no_grad_fill_(x, 2.0) is x and x.tolist() == [2.0] * 4 and init._no_grad_zero_(x).sum() == 0
    assert (
        init._no_grad_uniform_(x, 1.0, 2.0).min() >= 1
        and init._no_grad_trunc_normal_(x, 0.0, 1.0, -1.0, 1.0).max() <= 1
    )
