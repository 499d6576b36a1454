/* Written by flambeau_cext.operator_headers from the operators' schemas: do not edit. */
#pragma once

#include <torch/types.h>

namespace torch {
namespace special {
using namespace at;

inline Tensor airy_ai(const Tensor &x) { return at::special_airy_ai(x); }
inline Tensor &airy_ai_out(Tensor &out, const Tensor &x) { return at::special_airy_ai_out(out, x); }
inline Tensor bessel_j0(const Tensor &self) { return at::special_bessel_j0(self); }
inline Tensor &bessel_j0_out(Tensor &out, const Tensor &self) { return at::special_bessel_j0_out(out, self); }
inline Tensor bessel_j1(const Tensor &self) { return at::special_bessel_j1(self); }
inline Tensor &bessel_j1_out(Tensor &out, const Tensor &self) { return at::special_bessel_j1_out(out, self); }
inline Tensor bessel_y0(const Tensor &self) { return at::special_bessel_y0(self); }
inline Tensor &bessel_y0_out(Tensor &out, const Tensor &self) { return at::special_bessel_y0_out(out, self); }
inline Tensor bessel_y1(const Tensor &self) { return at::special_bessel_y1(self); }
inline Tensor &bessel_y1_out(Tensor &out, const Tensor &self) { return at::special_bessel_y1_out(out, self); }
inline Tensor chebyshev_polynomial_t(const Tensor &x, const Tensor &n) { return at::special_chebyshev_polynomial_t(x, n); }
inline Tensor chebyshev_polynomial_t(const Scalar &x, const Tensor &n) { return at::special_chebyshev_polynomial_t(x, n); }
inline Tensor chebyshev_polynomial_t(const Tensor &x, const Scalar &n) { return at::special_chebyshev_polynomial_t(x, n); }
inline Tensor &chebyshev_polynomial_t_out(Tensor &out, const Tensor &x, const Tensor &n) { return at::special_chebyshev_polynomial_t_out(out, x, n); }
inline Tensor &chebyshev_polynomial_t_out(Tensor &out, const Scalar &x, const Tensor &n) { return at::special_chebyshev_polynomial_t_out(out, x, n); }
inline Tensor &chebyshev_polynomial_t_out(Tensor &out, const Tensor &x, const Scalar &n) { return at::special_chebyshev_polynomial_t_out(out, x, n); }
inline Tensor chebyshev_polynomial_u(const Tensor &x, const Tensor &n) { return at::special_chebyshev_polynomial_u(x, n); }
inline Tensor chebyshev_polynomial_u(const Scalar &x, const Tensor &n) { return at::special_chebyshev_polynomial_u(x, n); }
inline Tensor chebyshev_polynomial_u(const Tensor &x, const Scalar &n) { return at::special_chebyshev_polynomial_u(x, n); }
inline Tensor &chebyshev_polynomial_u_out(Tensor &out, const Tensor &x, const Tensor &n) { return at::special_chebyshev_polynomial_u_out(out, x, n); }
inline Tensor &chebyshev_polynomial_u_out(Tensor &out, const Scalar &x, const Tensor &n) { return at::special_chebyshev_polynomial_u_out(out, x, n); }
inline Tensor &chebyshev_polynomial_u_out(Tensor &out, const Tensor &x, const Scalar &n) { return at::special_chebyshev_polynomial_u_out(out, x, n); }
inline Tensor chebyshev_polynomial_v(const Tensor &x, const Tensor &n) { return at::special_chebyshev_polynomial_v(x, n); }
inline Tensor chebyshev_polynomial_v(const Scalar &x, const Tensor &n) { return at::special_chebyshev_polynomial_v(x, n); }
inline Tensor chebyshev_polynomial_v(const Tensor &x, const Scalar &n) { return at::special_chebyshev_polynomial_v(x, n); }
inline Tensor &chebyshev_polynomial_v_out(Tensor &out, const Tensor &x, const Tensor &n) { return at::special_chebyshev_polynomial_v_out(out, x, n); }
inline Tensor &chebyshev_polynomial_v_out(Tensor &out, const Scalar &x, const Tensor &n) { return at::special_chebyshev_polynomial_v_out(out, x, n); }
inline Tensor &chebyshev_polynomial_v_out(Tensor &out, const Tensor &x, const Scalar &n) { return at::special_chebyshev_polynomial_v_out(out, x, n); }
inline Tensor chebyshev_polynomial_w(const Tensor &x, const Tensor &n) { return at::special_chebyshev_polynomial_w(x, n); }
inline Tensor chebyshev_polynomial_w(const Scalar &x, const Tensor &n) { return at::special_chebyshev_polynomial_w(x, n); }
inline Tensor chebyshev_polynomial_w(const Tensor &x, const Scalar &n) { return at::special_chebyshev_polynomial_w(x, n); }
inline Tensor &chebyshev_polynomial_w_out(Tensor &out, const Tensor &x, const Tensor &n) { return at::special_chebyshev_polynomial_w_out(out, x, n); }
inline Tensor &chebyshev_polynomial_w_out(Tensor &out, const Scalar &x, const Tensor &n) { return at::special_chebyshev_polynomial_w_out(out, x, n); }
inline Tensor &chebyshev_polynomial_w_out(Tensor &out, const Tensor &x, const Scalar &n) { return at::special_chebyshev_polynomial_w_out(out, x, n); }
inline Tensor digamma(const Tensor &self) { return at::special_digamma(self); }
inline Tensor &digamma_out(Tensor &out, const Tensor &self) { return at::special_digamma_out(out, self); }
inline Tensor entr(const Tensor &self) { return at::special_entr(self); }
inline Tensor &entr_out(Tensor &out, const Tensor &self) { return at::special_entr_out(out, self); }
inline Tensor erf(const Tensor &self) { return at::special_erf(self); }
inline Tensor &erf_out(Tensor &out, const Tensor &self) { return at::special_erf_out(out, self); }
inline Tensor erfc(const Tensor &self) { return at::special_erfc(self); }
inline Tensor &erfc_out(Tensor &out, const Tensor &self) { return at::special_erfc_out(out, self); }
inline Tensor erfcx(const Tensor &self) { return at::special_erfcx(self); }
inline Tensor &erfcx_out(Tensor &out, const Tensor &self) { return at::special_erfcx_out(out, self); }
inline Tensor erfinv(const Tensor &self) { return at::special_erfinv(self); }
inline Tensor &erfinv_out(Tensor &out, const Tensor &self) { return at::special_erfinv_out(out, self); }
inline Tensor exp2(const Tensor &self) { return at::special_exp2(self); }
inline Tensor &exp2_out(Tensor &out, const Tensor &self) { return at::special_exp2_out(out, self); }
inline Tensor expit(const Tensor &self) { return at::special_expit(self); }
inline Tensor &expit_out(Tensor &out, const Tensor &self) { return at::special_expit_out(out, self); }
inline Tensor expm1(const Tensor &self) { return at::special_expm1(self); }
inline Tensor &expm1_out(Tensor &out, const Tensor &self) { return at::special_expm1_out(out, self); }
inline Tensor gammainc(const Tensor &self, const Tensor &other) { return at::special_gammainc(self, other); }
inline Tensor &gammainc_out(Tensor &out, const Tensor &self, const Tensor &other) { return at::special_gammainc_out(out, self, other); }
inline Tensor gammaincc(const Tensor &self, const Tensor &other) { return at::special_gammaincc(self, other); }
inline Tensor &gammaincc_out(Tensor &out, const Tensor &self, const Tensor &other) { return at::special_gammaincc_out(out, self, other); }
inline Tensor gammaln(const Tensor &self) { return at::special_gammaln(self); }
inline Tensor &gammaln_out(Tensor &out, const Tensor &self) { return at::special_gammaln_out(out, self); }
inline Tensor hermite_polynomial_h(const Tensor &x, const Tensor &n) { return at::special_hermite_polynomial_h(x, n); }
inline Tensor hermite_polynomial_h(const Scalar &x, const Tensor &n) { return at::special_hermite_polynomial_h(x, n); }
inline Tensor hermite_polynomial_h(const Tensor &x, const Scalar &n) { return at::special_hermite_polynomial_h(x, n); }
inline Tensor &hermite_polynomial_h_out(Tensor &out, const Tensor &x, const Tensor &n) { return at::special_hermite_polynomial_h_out(out, x, n); }
inline Tensor &hermite_polynomial_h_out(Tensor &out, const Scalar &x, const Tensor &n) { return at::special_hermite_polynomial_h_out(out, x, n); }
inline Tensor &hermite_polynomial_h_out(Tensor &out, const Tensor &x, const Scalar &n) { return at::special_hermite_polynomial_h_out(out, x, n); }
inline Tensor hermite_polynomial_he(const Tensor &x, const Tensor &n) { return at::special_hermite_polynomial_he(x, n); }
inline Tensor hermite_polynomial_he(const Scalar &x, const Tensor &n) { return at::special_hermite_polynomial_he(x, n); }
inline Tensor hermite_polynomial_he(const Tensor &x, const Scalar &n) { return at::special_hermite_polynomial_he(x, n); }
inline Tensor &hermite_polynomial_he_out(Tensor &out, const Tensor &x, const Tensor &n) { return at::special_hermite_polynomial_he_out(out, x, n); }
inline Tensor &hermite_polynomial_he_out(Tensor &out, const Scalar &x, const Tensor &n) { return at::special_hermite_polynomial_he_out(out, x, n); }
inline Tensor &hermite_polynomial_he_out(Tensor &out, const Tensor &x, const Scalar &n) { return at::special_hermite_polynomial_he_out(out, x, n); }
inline Tensor i0(const Tensor &self) { return at::special_i0(self); }
inline Tensor &i0_out(Tensor &out, const Tensor &self) { return at::special_i0_out(out, self); }
inline Tensor i0e(const Tensor &self) { return at::special_i0e(self); }
inline Tensor &i0e_out(Tensor &out, const Tensor &self) { return at::special_i0e_out(out, self); }
inline Tensor i1(const Tensor &self) { return at::special_i1(self); }
inline Tensor &i1_out(Tensor &out, const Tensor &self) { return at::special_i1_out(out, self); }
inline Tensor i1e(const Tensor &self) { return at::special_i1e(self); }
inline Tensor &i1e_out(Tensor &out, const Tensor &self) { return at::special_i1e_out(out, self); }
inline Tensor laguerre_polynomial_l(const Tensor &x, const Tensor &n) { return at::special_laguerre_polynomial_l(x, n); }
inline Tensor laguerre_polynomial_l(const Scalar &x, const Tensor &n) { return at::special_laguerre_polynomial_l(x, n); }
inline Tensor laguerre_polynomial_l(const Tensor &x, const Scalar &n) { return at::special_laguerre_polynomial_l(x, n); }
inline Tensor &laguerre_polynomial_l_out(Tensor &out, const Tensor &x, const Tensor &n) { return at::special_laguerre_polynomial_l_out(out, x, n); }
inline Tensor &laguerre_polynomial_l_out(Tensor &out, const Scalar &x, const Tensor &n) { return at::special_laguerre_polynomial_l_out(out, x, n); }
inline Tensor &laguerre_polynomial_l_out(Tensor &out, const Tensor &x, const Scalar &n) { return at::special_laguerre_polynomial_l_out(out, x, n); }
inline Tensor legendre_polynomial_p(const Tensor &x, const Tensor &n) { return at::special_legendre_polynomial_p(x, n); }
inline Tensor legendre_polynomial_p(const Scalar &x, const Tensor &n) { return at::special_legendre_polynomial_p(x, n); }
inline Tensor legendre_polynomial_p(const Tensor &x, const Scalar &n) { return at::special_legendre_polynomial_p(x, n); }
inline Tensor &legendre_polynomial_p_out(Tensor &out, const Tensor &x, const Tensor &n) { return at::special_legendre_polynomial_p_out(out, x, n); }
inline Tensor &legendre_polynomial_p_out(Tensor &out, const Scalar &x, const Tensor &n) { return at::special_legendre_polynomial_p_out(out, x, n); }
inline Tensor &legendre_polynomial_p_out(Tensor &out, const Tensor &x, const Scalar &n) { return at::special_legendre_polynomial_p_out(out, x, n); }
inline Tensor log1p(const Tensor &self) { return at::special_log1p(self); }
inline Tensor &log1p_out(Tensor &out, const Tensor &self) { return at::special_log1p_out(out, self); }
inline Tensor log_ndtr(const Tensor &self) { return at::special_log_ndtr(self); }
inline Tensor &log_ndtr_out(Tensor &out, const Tensor &self) { return at::special_log_ndtr_out(out, self); }
inline Tensor log_softmax(const Tensor &self, int64_t dim, optional<ScalarType> dtype = nullopt) { return at::special_log_softmax(self, dim, dtype); }
inline Tensor logit(const Tensor &self, optional<double> eps = nullopt) { return at::special_logit(self, eps); }
inline Tensor &logit_out(Tensor &out, const Tensor &self, optional<double> eps = nullopt) { return at::special_logit_out(out, self, eps); }
inline Tensor logsumexp(const Tensor &self, IntArrayRef dim, bool keepdim = false) { return at::special_logsumexp(self, dim, keepdim); }
inline Tensor &logsumexp_out(Tensor &out, const Tensor &self, IntArrayRef dim, bool keepdim = false) { return at::special_logsumexp_out(out, self, dim, keepdim); }
inline Tensor modified_bessel_i0(const Tensor &self) { return at::special_modified_bessel_i0(self); }
inline Tensor &modified_bessel_i0_out(Tensor &out, const Tensor &self) { return at::special_modified_bessel_i0_out(out, self); }
inline Tensor modified_bessel_i1(const Tensor &self) { return at::special_modified_bessel_i1(self); }
inline Tensor &modified_bessel_i1_out(Tensor &out, const Tensor &self) { return at::special_modified_bessel_i1_out(out, self); }
inline Tensor modified_bessel_k0(const Tensor &self) { return at::special_modified_bessel_k0(self); }
inline Tensor &modified_bessel_k0_out(Tensor &out, const Tensor &self) { return at::special_modified_bessel_k0_out(out, self); }
inline Tensor modified_bessel_k1(const Tensor &self) { return at::special_modified_bessel_k1(self); }
inline Tensor &modified_bessel_k1_out(Tensor &out, const Tensor &self) { return at::special_modified_bessel_k1_out(out, self); }
inline Tensor multigammaln(const Tensor &self, int64_t p) { return at::special_multigammaln(self, p); }
inline Tensor &multigammaln_out(Tensor &out, const Tensor &self, int64_t p) { return at::special_multigammaln_out(out, self, p); }
inline Tensor ndtr(const Tensor &self) { return at::special_ndtr(self); }
inline Tensor &ndtr_out(Tensor &out, const Tensor &self) { return at::special_ndtr_out(out, self); }
inline Tensor ndtri(const Tensor &self) { return at::special_ndtri(self); }
inline Tensor &ndtri_out(Tensor &out, const Tensor &self) { return at::special_ndtri_out(out, self); }
inline Tensor polygamma(int64_t n, const Tensor &self) { return at::special_polygamma(n, self); }
inline Tensor &polygamma_out(Tensor &out, int64_t n, const Tensor &self) { return at::special_polygamma_out(out, n, self); }
inline Tensor psi(const Tensor &self) { return at::special_psi(self); }
inline Tensor &psi_out(Tensor &out, const Tensor &self) { return at::special_psi_out(out, self); }
inline Tensor round(const Tensor &self, int64_t decimals = 0) { return at::special_round(self, decimals); }
inline Tensor &round_out(Tensor &out, const Tensor &self, int64_t decimals = 0) { return at::special_round_out(out, self, decimals); }
inline Tensor scaled_modified_bessel_k0(const Tensor &x) { return at::special_scaled_modified_bessel_k0(x); }
inline Tensor &scaled_modified_bessel_k0_out(Tensor &out, const Tensor &x) { return at::special_scaled_modified_bessel_k0_out(out, x); }
inline Tensor scaled_modified_bessel_k1(const Tensor &x) { return at::special_scaled_modified_bessel_k1(x); }
inline Tensor &scaled_modified_bessel_k1_out(Tensor &out, const Tensor &x) { return at::special_scaled_modified_bessel_k1_out(out, x); }
inline Tensor shifted_chebyshev_polynomial_t(const Tensor &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_t(x, n); }
inline Tensor shifted_chebyshev_polynomial_t(const Scalar &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_t(x, n); }
inline Tensor shifted_chebyshev_polynomial_t(const Tensor &x, const Scalar &n) { return at::special_shifted_chebyshev_polynomial_t(x, n); }
inline Tensor &shifted_chebyshev_polynomial_t_out(Tensor &out, const Tensor &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_t_out(out, x, n); }
inline Tensor &shifted_chebyshev_polynomial_t_out(Tensor &out, const Scalar &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_t_out(out, x, n); }
inline Tensor &shifted_chebyshev_polynomial_t_out(Tensor &out, const Tensor &x, const Scalar &n) { return at::special_shifted_chebyshev_polynomial_t_out(out, x, n); }
inline Tensor shifted_chebyshev_polynomial_u(const Tensor &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_u(x, n); }
inline Tensor shifted_chebyshev_polynomial_u(const Scalar &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_u(x, n); }
inline Tensor shifted_chebyshev_polynomial_u(const Tensor &x, const Scalar &n) { return at::special_shifted_chebyshev_polynomial_u(x, n); }
inline Tensor &shifted_chebyshev_polynomial_u_out(Tensor &out, const Tensor &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_u_out(out, x, n); }
inline Tensor &shifted_chebyshev_polynomial_u_out(Tensor &out, const Scalar &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_u_out(out, x, n); }
inline Tensor &shifted_chebyshev_polynomial_u_out(Tensor &out, const Tensor &x, const Scalar &n) { return at::special_shifted_chebyshev_polynomial_u_out(out, x, n); }
inline Tensor shifted_chebyshev_polynomial_v(const Tensor &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_v(x, n); }
inline Tensor shifted_chebyshev_polynomial_v(const Scalar &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_v(x, n); }
inline Tensor shifted_chebyshev_polynomial_v(const Tensor &x, const Scalar &n) { return at::special_shifted_chebyshev_polynomial_v(x, n); }
inline Tensor &shifted_chebyshev_polynomial_v_out(Tensor &out, const Tensor &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_v_out(out, x, n); }
inline Tensor &shifted_chebyshev_polynomial_v_out(Tensor &out, const Scalar &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_v_out(out, x, n); }
inline Tensor &shifted_chebyshev_polynomial_v_out(Tensor &out, const Tensor &x, const Scalar &n) { return at::special_shifted_chebyshev_polynomial_v_out(out, x, n); }
inline Tensor shifted_chebyshev_polynomial_w(const Tensor &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_w(x, n); }
inline Tensor shifted_chebyshev_polynomial_w(const Scalar &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_w(x, n); }
inline Tensor shifted_chebyshev_polynomial_w(const Tensor &x, const Scalar &n) { return at::special_shifted_chebyshev_polynomial_w(x, n); }
inline Tensor &shifted_chebyshev_polynomial_w_out(Tensor &out, const Tensor &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_w_out(out, x, n); }
inline Tensor &shifted_chebyshev_polynomial_w_out(Tensor &out, const Scalar &x, const Tensor &n) { return at::special_shifted_chebyshev_polynomial_w_out(out, x, n); }
inline Tensor &shifted_chebyshev_polynomial_w_out(Tensor &out, const Tensor &x, const Scalar &n) { return at::special_shifted_chebyshev_polynomial_w_out(out, x, n); }
inline Tensor sinc(const Tensor &self) { return at::special_sinc(self); }
inline Tensor &sinc_out(Tensor &out, const Tensor &self) { return at::special_sinc_out(out, self); }
inline Tensor softmax(const Tensor &self, int64_t dim, optional<ScalarType> dtype = nullopt) { return at::special_softmax(self, dim, dtype); }
inline Tensor spherical_bessel_j0(const Tensor &x) { return at::special_spherical_bessel_j0(x); }
inline Tensor &spherical_bessel_j0_out(Tensor &out, const Tensor &x) { return at::special_spherical_bessel_j0_out(out, x); }
inline Tensor xlog1py(const Tensor &self, const Tensor &other) { return at::special_xlog1py(self, other); }
inline Tensor xlog1py(const Scalar &self, const Tensor &other) { return at::special_xlog1py(self, other); }
inline Tensor xlog1py(const Tensor &self, const Scalar &other) { return at::special_xlog1py(self, other); }
inline Tensor &xlog1py_out(Tensor &out, const Tensor &self, const Tensor &other) { return at::special_xlog1py_out(out, self, other); }
inline Tensor &xlog1py_out(Tensor &out, const Scalar &self, const Tensor &other) { return at::special_xlog1py_out(out, self, other); }
inline Tensor &xlog1py_out(Tensor &out, const Tensor &self, const Scalar &other) { return at::special_xlog1py_out(out, self, other); }
inline Tensor xlogy(const Tensor &self, const Tensor &other) { return at::special_xlogy(self, other); }
inline Tensor xlogy(const Scalar &self, const Tensor &other) { return at::special_xlogy(self, other); }
inline Tensor xlogy(const Tensor &self, const Scalar &other) { return at::special_xlogy(self, other); }
inline Tensor &xlogy_out(Tensor &out, const Tensor &self, const Tensor &other) { return at::special_xlogy_out(out, self, other); }
inline Tensor &xlogy_out(Tensor &out, const Scalar &self, const Tensor &other) { return at::special_xlogy_out(out, self, other); }
inline Tensor &xlogy_out(Tensor &out, const Tensor &self, const Scalar &other) { return at::special_xlogy_out(out, self, other); }
inline Tensor zeta(const Tensor &self, const Tensor &other) { return at::special_zeta(self, other); }
inline Tensor zeta(const Scalar &self, const Tensor &other) { return at::special_zeta(self, other); }
inline Tensor zeta(const Tensor &self, const Scalar &other) { return at::special_zeta(self, other); }
inline Tensor &zeta_out(Tensor &out, const Tensor &self, const Tensor &other) { return at::special_zeta_out(out, self, other); }
inline Tensor &zeta_out(Tensor &out, const Scalar &self, const Tensor &other) { return at::special_zeta_out(out, self, other); }
inline Tensor &zeta_out(Tensor &out, const Tensor &self, const Scalar &other) { return at::special_zeta_out(out, self, other); }

}  // namespace special
}  // namespace torch
