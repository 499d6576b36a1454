"""Transforms against their inverses and their Jacobians; constraints; registries."""

import pickle

import pytest

import flambeau_distributions as D
import flambeau_tensor as torch
from flambeau_distributions import constraints as C


def v(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


X = v(-0.7, 0.3, 1.2)
TRANSFORMS = {
    "abs": (D.AbsTransform(), X.abs()),
    "affine": (D.AffineTransform(1.0, v(2, -3, 1)), X),
    "affine of vectors": (D.AffineTransform(1.0, 2.0, event_dim=1), X),
    "exp": (D.ExpTransform(), X),
    "power": (D.PowerTransform(v(2, 0.5, -1)), X.abs()),
    "sigmoid": (D.SigmoidTransform(), X),
    "softplus": (D.SoftplusTransform(), X),
    "tanh": (D.TanhTransform(), X),
    "stick": (D.StickBreakingTransform(), X),
    "correlations": (D.CorrCholeskyTransform(), X),
    "cholesky": (D.LowerCholeskyTransform(), X.diag_embed() + 0.1),
    "reshape": (D.ReshapeTransform((3,), (3, 1)), X),
    "compose": (D.ComposeTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)]), X),
    "cat": (D.CatTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)], 0, [1, 2]), X),
    "stack": (D.StackTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0), D.TanhTransform()], 0), X),
    "cdf": (D.CumulativeDistributionTransform(D.Normal(v(0), v(1))), X),
    "inverse": (D.ExpTransform().inv, X.abs()),
    "identity": (D.identity_transform, X),
    "independent": (D.IndependentTransform(D.ExpTransform(), 1), X),
    "softmax": (D.SoftmaxTransform(), X),
    "positive definite": (D.PositiveDefiniteTransform(), X.diag_embed()),
}


@pytest.mark.parametrize(("transform", "x"), TRANSFORMS.values(), ids=TRANSFORMS)
def test_inverses_and_jacobians(transform, x):
    from flambeau_autograd.functional import jacobian

    y = transform(x)
    assert y.shape == transform.forward_shape(x.shape) and x.shape == transform.inverse_shape(y.shape)
    assert transform.codomain.check(y).all() and transform.inv.inv is transform
    if isinstance(transform, D.SoftmaxTransform):
        assert torch.allclose(transform(transform.inv(y)), y)
        return
    assert torch.allclose(transform.inv(y), x.tril() if "Cholesky" in repr(transform) and x.dim() == 2 else x)
    assert pickle.loads(pickle.dumps(transform))(x).tolist() == y.tolist()
    if not transform.bijective:
        return
    found = transform.log_abs_det_jacobian(x, y)
    if isinstance(transform, (D.StickBreakingTransform, D.CorrCholeskyTransform)):
        if isinstance(transform, D.StickBreakingTransform):
            free = lambda t: transform(t)[:-1]  # noqa: E731
        else:
            free = lambda t: transform(t)[v(1, 2, 2).long(), v(0, 0, 1).long()]  # noqa: E731
        expected = jacobian(free, x).slogdet()[1]
    else:
        matrix = jacobian(lambda t: transform(t).flatten(), x)
        expected = matrix.diagonal().abs().log() if found.dim() else matrix.slogdet()[1]
    assert torch.allclose(found, expected, atol=1e-9)


def test_caches():
    transform = D.ExpTransform(cache_size=1)
    y = transform(X)
    assert transform.inv(y) is X and transform(X) is y and D.ExpTransform().with_cache(1)._cache_size == 1
    with pytest.raises(ValueError, match="cache_size must be 0 or 1"):
        D.ExpTransform(cache_size=2)
    assert D.ExpTransform() == D.ExpTransform() != D.TanhTransform()
    assert D.AffineTransform(1.0, 2.0) == D.AffineTransform(1.0, 2.0) != D.AffineTransform(1.0, 3.0)


CHECKS = [
    (C.real, [0.0, float("nan")], [True, False]),
    (C.positive, [0.0, 1.0], [False, True]),
    (C.nonnegative, [0.0, -1.0], [True, False]),
    (C.boolean, [0.0, 0.5], [True, False]),
    (C.unit_interval, [1.0, 1.5], [True, False]),
    (C.half_open_interval(0.0, 1.0), [0.0, 1.0], [True, False]),
    (C.less_than(1.0), [0.0, 1.0], [True, False]),
    (C.integer_interval(0, 3), [3.0, 2.5], [True, False]),
    (C.positive_integer, [1.0, 0.0], [True, False]),
    (C.nonnegative_integer, [0.0, 0.5], [True, False]),
    (C.simplex, [[0.5, 0.5], [0.5, 0.6]], [True, False]),
    (C.one_hot, [[0.0, 1.0], [1.0, 1.0]], [True, False]),
    (C.multinomial(2), [[1.0, 1.0], [-1.0, 1.0]], [True, False]),
    (C.real_vector, [[0.0, 1.0]], [True]),
    (C.lower_triangular, [[1.0, 0.0], [2.0, -1.0]], True),
    (C.lower_cholesky, [[1.0, 0.0], [2.0, -1.0]], False),
    (C.corr_cholesky, [[1.0, 0.0], [0.6, 0.8]], True),
    (C.corr_cholesky, [[1.0, 0.0], [0.6, 0.9]], False),
    (C.square, [[1.0, 0.0]], False),
    (C.symmetric, [[1.0, 2.0], [2.0, 1.0]], True),
    (C.positive_definite, [[1.0, 2.0], [2.0, 1.0]], False),
    (C.positive_semidefinite, [[1.0, 1.0], [1.0, 1.0]], True),
    (C.independent(C.positive, 1), [[1.0, 2.0], [0.0, 1.0]], [True, False]),
    (C.cat([C.real, C.positive], 0, [1, 1]), [-1.0, -1.0], [True, False]),
    (C.stack([C.real, C.positive], 0), [-1.0, -1.0], [True, False]),
    (C.MixtureSameFamilyConstraint(C.positive), [1.0, 0.0], [True, False]),
]


@pytest.mark.parametrize(("constraint", "value", "expected"), CHECKS)
def test_constraints(constraint, value, expected):
    assert constraint.check(torch.tensor(value, dtype=torch.float64)).tolist() == expected


def test_dependent_constraints():
    assert C.is_dependent(C.dependent) and C.is_dependent(D.Binomial.support) and not C.is_dependent(C.real)
    with pytest.raises(ValueError, match="Cannot determine validity of dependent constraint"):
        C.dependent.check(1)
    with pytest.raises(NotImplementedError, match="event_dim cannot be determined statically"):
        C.dependent.event_dim  # noqa: B018
    assert C.dependent(is_discrete=True, event_dim=2).event_dim == 2 and D.Binomial.support.is_discrete
    assert [repr(c) for c in (C.real, C.interval(0, 1), C.independent(C.real, 1), C.greater_than(2))] == [
        "Real()",
        "Interval(lower_bound=0, upper_bound=1)",
        "IndependentConstraint(Real(), 1)",
        "GreaterThan(lower_bound=2)",
    ]


@pytest.mark.parametrize("registry", [D.biject_to, D.transform_to])
@pytest.mark.parametrize(
    "constraint",
    [
        C.real,
        C.positive,
        C.nonnegative,
        C.greater_than(2.0),
        C.less_than(-1.0),
        C.interval(-1.0, 4.0),
        C.unit_interval,
        C.half_open_interval(0.0, 2.0),
        C.simplex,
        C.corr_cholesky,
        C.real_vector,
        C.independent(C.positive, 1),
        C.cat([C.positive, C.real], 0, [1, 2]),
        C.stack([C.positive, C.real, C.unit_interval], 0),
    ],
    ids=repr,
)
def test_transforms_to_constraints(registry, constraint):
    transform = registry(constraint)
    y = transform(X)
    assert constraint.check(y).all() and torch.allclose(transform(transform.inv(y)), y)
    assert transform.bijective or registry is D.transform_to


def test_registries():
    assert D.transform_to(C.positive_definite)(X.diag_embed()).shape == (3, 3)
    with pytest.raises(NotImplementedError, match="Cannot transform _Boolean constraints"):
        D.biject_to(C.boolean)
    with pytest.raises(TypeError, match="Expected constraint to be either a Constraint subclass or instance"):
        D.biject_to.register("a", None)("b")

    class Even(C.Constraint):
        pass

    D.biject_to.register(Even)(lambda c: D.identity_transform)
    assert D.biject_to(Even()) is D.identity_transform


def test_vectors_and_triangles():
    from flambeau_distributions.parameters import broadcast_all, lazy_property, tril_matrix_to_vec, vec_to_tril_matrix

    matrix = vec_to_tril_matrix(v(1, 2, 3), diag=-1)
    assert matrix.tolist() == [[0, 0, 0], [1, 0, 0], [2, 3, 0]] and tril_matrix_to_vec(matrix, -1).tolist() == [1, 2, 3]
    a, b = broadcast_all(v(1, 2), 3)
    assert b.dtype is torch.float64 and b.tolist() == [3, 3]

    class Lazy:
        times = 0

        @lazy_property
        def value(self):
            """Doc."""
            Lazy.times += 1
            return 5

    lazy = Lazy()
    assert lazy.value == lazy.value == 5 and Lazy.times == 1 and isinstance(Lazy.value, property)
