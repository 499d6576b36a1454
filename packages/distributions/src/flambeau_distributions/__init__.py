"""Probability distributions on flambeau tensors: users' ``torch.distributions``.

>>> import flambeau_tensor as torch
>>> from flambeau_distributions import Normal, kl_divergence
>>> kl_divergence(Normal(0.0, 1.0), Normal(torch.tensor([0.0, 1.0]), 1.0))
tensor([0.0000, 0.5000])
"""

from importlib import import_module as _import_module

from flambeau_tensor.lazy_attributes import attach as _attach

__version__ = "0.1.0"

# Modules and their names. All names are imported eagerly, because programs iterate over the module's dictionary.
_MODULES = {
    "bernoulli": "Bernoulli",
    "beta": "Beta",
    "binomial": "Binomial",
    "categorical": "Categorical",
    "cauchy": "Cauchy",
    "chi2": "Chi2",
    "constraint_registry": "biject_to transform_to",
    "continuous_bernoulli": "ContinuousBernoulli",
    "dirichlet": "Dirichlet",
    "distribution": "Distribution",
    "exp_family": "ExponentialFamily",
    "exponential": "Exponential",
    "fishersnedecor": "FisherSnedecor",
    "gamma": "Gamma",
    "generalized_pareto": "GeneralizedPareto",
    "geometric": "Geometric",
    "gumbel": "Gumbel",
    "half_cauchy": "HalfCauchy",
    "half_normal": "HalfNormal",
    "independent": "Independent",
    "inverse_gamma": "InverseGamma",
    "kl": "kl_divergence register_kl",
    "kumaraswamy": "Kumaraswamy",
    "laplace": "Laplace",
    "lkj_cholesky": "LKJCholesky",
    "log_normal": "LogNormal",
    "logistic_normal": "LogisticNormal",
    "lowrank_multivariate_normal": "LowRankMultivariateNormal",
    "mixture_same_family": "MixtureSameFamily",
    "multinomial": "Multinomial",
    "multivariate_normal": "MultivariateNormal",
    "negative_binomial": "NegativeBinomial",
    "normal": "Normal",
    "one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough",
    "pareto": "Pareto",
    "poisson": "Poisson",
    "relaxed_bernoulli": "RelaxedBernoulli",
    "relaxed_categorical": "RelaxedOneHotCategorical",
    "studentT": "StudentT",
    "transformed_distribution": "TransformedDistribution",
    "transforms": "AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform "
    "CumulativeDistributionTransform ExpTransform IndependentTransform LowerCholeskyTransform "
    "PositiveDefiniteTransform PowerTransform ReshapeTransform SigmoidTransform SoftmaxTransform "
    "SoftplusTransform StackTransform StickBreakingTransform TanhTransform Transform identity_transform",
    "uniform": "Uniform",
    "von_mises": "VonMises",
    "weibull": "Weibull",
    "wishart": "Wishart",
}
__all__ = [name for names in _MODULES.values() for name in names.split()]
for _module, _names in _MODULES.items():
    _found = _import_module(f"flambeau_distributions.{_module}")
    globals().update({name: getattr(_found, name) for name in _names.split()})


_modules = {"constraints": ".constraints", "utils": ".parameters"}
__getattr__, __dir__ = _attach(__name__, "torch.distributions", modules=_modules)
