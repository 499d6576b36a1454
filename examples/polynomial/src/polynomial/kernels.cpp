#include <flambeau/tensor.hpp>

#include <stdexcept>

// c[0] + c[1] x + c[2] x^2 + ... for every element of x.
fl::tensor polynomial(const fl::tensor &x, const fl::tensor &coefficients) {
    x.check<double>("polynomial", "x");
    coefficients.check<double>("polynomial", "coefficients", 1);
    int64_t n = coefficients.numel();
    if (n == 0) throw std::invalid_argument("polynomial(): argument 'coefficients' must not be empty");
    fl::tensor out = fl::empty_like(x);
    const double *from = x.data<double>(), *c = coefficients.data<double>();
    double *to = out.mutable_data<double>();
    for (int64_t i = 0; i < x.numel(); i++) {
        double value = c[n - 1];
        for (int64_t k = n - 2; k >= 0; k--) value = value * from[i] + c[k];
        to[i] = value;
    }
    return out;
}
