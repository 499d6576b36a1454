/* Written by flambeau_cext.operator_headers from the operators' schemas: do not edit. */
#pragma once

#include <torch/types.h>

namespace torch {
namespace linalg {
using namespace at;

inline Tensor cholesky(const Tensor &self, bool upper = false) { return at::linalg_cholesky(self, upper); }
inline std::tuple<Tensor, Tensor> cholesky_ex(const Tensor &self, bool upper = false, bool check_errors = false) { return at::linalg_cholesky_ex(self, upper, check_errors); }
inline std::tuple<Tensor &, Tensor &> cholesky_ex_out(Tensor &L, Tensor &info, const Tensor &self, bool upper = false, bool check_errors = false) { return at::linalg_cholesky_ex_out(L, info, self, upper, check_errors); }
inline Tensor &cholesky_out(Tensor &out, const Tensor &self, bool upper = false) { return at::linalg_cholesky_out(out, self, upper); }
inline Tensor cond(const Tensor &self, const optional<Scalar> &p = nullopt) { return at::linalg_cond(self, p); }
inline Tensor cond(const Tensor &self, const std::string &p) { return at::linalg_cond(self, p); }
inline Tensor &cond_out(Tensor &out, const Tensor &self, const optional<Scalar> &p = nullopt) { return at::linalg_cond_out(out, self, p); }
inline Tensor &cond_out(Tensor &out, const Tensor &self, const std::string &p) { return at::linalg_cond_out(out, self, p); }
inline Tensor cross(const Tensor &self, const Tensor &other, int64_t dim = -1) { return at::linalg_cross(self, other, dim); }
inline Tensor &cross_out(Tensor &out, const Tensor &self, const Tensor &other, int64_t dim = -1) { return at::linalg_cross_out(out, self, other, dim); }
inline Tensor det(const Tensor &A) { return at::linalg_det(A); }
inline Tensor &det_out(Tensor &out, const Tensor &A) { return at::linalg_det_out(out, A); }
inline Tensor diagonal(const Tensor &A, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1) { return at::linalg_diagonal(A, offset, dim1, dim2); }
inline std::tuple<Tensor, Tensor> eig(const Tensor &self) { return at::linalg_eig(self); }
inline std::tuple<Tensor &, Tensor &> eig_out(Tensor &eigenvalues, Tensor &eigenvectors, const Tensor &self) { return at::linalg_eig_out(eigenvalues, eigenvectors, self); }
inline std::tuple<Tensor, Tensor> eigh(const Tensor &self, const std::string &UPLO = "L") { return at::linalg_eigh(self, UPLO); }
inline std::tuple<Tensor &, Tensor &> eigh_out(Tensor &eigenvalues, Tensor &eigenvectors, const Tensor &self, const std::string &UPLO = "L") { return at::linalg_eigh_out(eigenvalues, eigenvectors, self, UPLO); }
inline Tensor eigvals(const Tensor &self) { return at::linalg_eigvals(self); }
inline Tensor &eigvals_out(Tensor &out, const Tensor &self) { return at::linalg_eigvals_out(out, self); }
inline Tensor eigvalsh(const Tensor &self, const std::string &UPLO = "L") { return at::linalg_eigvalsh(self, UPLO); }
inline Tensor &eigvalsh_out(Tensor &out, const Tensor &self, const std::string &UPLO = "L") { return at::linalg_eigvalsh_out(out, self, UPLO); }
inline Tensor householder_product(const Tensor &input, const Tensor &tau) { return at::linalg_householder_product(input, tau); }
inline Tensor &householder_product_out(Tensor &out, const Tensor &input, const Tensor &tau) { return at::linalg_householder_product_out(out, input, tau); }
inline Tensor inv(const Tensor &A) { return at::linalg_inv(A); }
inline std::tuple<Tensor, Tensor> inv_ex(const Tensor &A, bool check_errors = false) { return at::linalg_inv_ex(A, check_errors); }
inline std::tuple<Tensor &, Tensor &> inv_ex_out(Tensor &inverse, Tensor &info, const Tensor &A, bool check_errors = false) { return at::linalg_inv_ex_out(inverse, info, A, check_errors); }
inline Tensor &inv_out(Tensor &out, const Tensor &A) { return at::linalg_inv_out(out, A); }
inline std::tuple<Tensor, Tensor> ldl_factor(const Tensor &self, bool hermitian = false) { return at::linalg_ldl_factor(self, hermitian); }
inline std::tuple<Tensor, Tensor, Tensor> ldl_factor_ex(const Tensor &self, bool hermitian = false, bool check_errors = false) { return at::linalg_ldl_factor_ex(self, hermitian, check_errors); }
inline std::tuple<Tensor &, Tensor &, Tensor &> ldl_factor_ex_out(Tensor &LD, Tensor &pivots, Tensor &info, const Tensor &self, bool hermitian = false, bool check_errors = false) { return at::linalg_ldl_factor_ex_out(LD, pivots, info, self, hermitian, check_errors); }
inline std::tuple<Tensor &, Tensor &> ldl_factor_out(Tensor &LD, Tensor &pivots, const Tensor &self, bool hermitian = false) { return at::linalg_ldl_factor_out(LD, pivots, self, hermitian); }
inline Tensor ldl_solve(const Tensor &LD, const Tensor &pivots, const Tensor &B, bool hermitian = false) { return at::linalg_ldl_solve(LD, pivots, B, hermitian); }
inline Tensor &ldl_solve_out(Tensor &out, const Tensor &LD, const Tensor &pivots, const Tensor &B, bool hermitian = false) { return at::linalg_ldl_solve_out(out, LD, pivots, B, hermitian); }
inline std::tuple<Tensor, Tensor, Tensor> lu(const Tensor &A, bool pivot = true) { return at::linalg_lu(A, pivot); }
inline std::tuple<Tensor, Tensor> lu_factor(const Tensor &A, bool pivot = true) { return at::linalg_lu_factor(A, pivot); }
inline std::tuple<Tensor, Tensor, Tensor> lu_factor_ex(const Tensor &A, bool pivot = true, bool check_errors = false) { return at::linalg_lu_factor_ex(A, pivot, check_errors); }
inline std::tuple<Tensor &, Tensor &, Tensor &> lu_factor_ex_out(Tensor &LU, Tensor &pivots, Tensor &info, const Tensor &A, bool pivot = true, bool check_errors = false) { return at::linalg_lu_factor_ex_out(LU, pivots, info, A, pivot, check_errors); }
inline std::tuple<Tensor &, Tensor &> lu_factor_out(Tensor &LU, Tensor &pivots, const Tensor &A, bool pivot = true) { return at::linalg_lu_factor_out(LU, pivots, A, pivot); }
inline std::tuple<Tensor &, Tensor &, Tensor &> lu_out(Tensor &P, Tensor &L, Tensor &U, const Tensor &A, bool pivot = true) { return at::linalg_lu_out(P, L, U, A, pivot); }
inline Tensor lu_solve(const Tensor &LU, const Tensor &pivots, const Tensor &B, bool left = true, bool adjoint = false) { return at::linalg_lu_solve(LU, pivots, B, left, adjoint); }
inline Tensor &lu_solve_out(Tensor &out, const Tensor &LU, const Tensor &pivots, const Tensor &B, bool left = true, bool adjoint = false) { return at::linalg_lu_solve_out(out, LU, pivots, B, left, adjoint); }
inline Tensor matmul(const Tensor &self, const Tensor &other) { return at::linalg_matmul(self, other); }
inline Tensor &matmul_out(Tensor &out, const Tensor &self, const Tensor &other) { return at::linalg_matmul_out(out, self, other); }
inline Tensor matrix_exp(const Tensor &self) { return at::linalg_matrix_exp(self); }
inline Tensor matrix_norm(const Tensor &self, const Scalar &ord, IntArrayRef dim = {-2, -1}, bool keepdim = false, optional<ScalarType> dtype = nullopt) { return at::linalg_matrix_norm(self, ord, dim, keepdim, dtype); }
inline Tensor matrix_norm(const Tensor &self, const std::string &ord = "fro", IntArrayRef dim = {-2, -1}, bool keepdim = false, optional<ScalarType> dtype = nullopt) { return at::linalg_matrix_norm(self, ord, dim, keepdim, dtype); }
inline Tensor &matrix_norm_out(Tensor &out, const Tensor &self, const Scalar &ord, IntArrayRef dim = {-2, -1}, bool keepdim = false, optional<ScalarType> dtype = nullopt) { return at::linalg_matrix_norm_out(out, self, ord, dim, keepdim, dtype); }
inline Tensor &matrix_norm_out(Tensor &out, const Tensor &self, const std::string &ord = "fro", IntArrayRef dim = {-2, -1}, bool keepdim = false, optional<ScalarType> dtype = nullopt) { return at::linalg_matrix_norm_out(out, self, ord, dim, keepdim, dtype); }
inline Tensor matrix_power(const Tensor &self, int64_t n) { return at::linalg_matrix_power(self, n); }
inline Tensor &matrix_power_out(Tensor &out, const Tensor &self, int64_t n) { return at::linalg_matrix_power_out(out, self, n); }
inline Tensor matrix_rank(const Tensor &input, const optional<Tensor> &atol = nullopt, const optional<Tensor> &rtol = nullopt, bool hermitian = false) { return at::linalg_matrix_rank(input, atol, rtol, hermitian); }
inline Tensor matrix_rank(const Tensor &self, optional<double> atol, optional<double> rtol = nullopt, bool hermitian = false) { return at::linalg_matrix_rank(self, atol, rtol, hermitian); }
inline Tensor matrix_rank(const Tensor &self, double tol, bool hermitian = false) { return at::linalg_matrix_rank(self, tol, hermitian); }
inline Tensor matrix_rank(const Tensor &input, const Tensor &tol, bool hermitian = false) { return at::linalg_matrix_rank(input, tol, hermitian); }
inline Tensor &matrix_rank_out(Tensor &out, const Tensor &input, const optional<Tensor> &atol = nullopt, const optional<Tensor> &rtol = nullopt, bool hermitian = false) { return at::linalg_matrix_rank_out(out, input, atol, rtol, hermitian); }
inline Tensor &matrix_rank_out(Tensor &out, const Tensor &self, optional<double> atol, optional<double> rtol = nullopt, bool hermitian = false) { return at::linalg_matrix_rank_out(out, self, atol, rtol, hermitian); }
inline Tensor &matrix_rank_out(Tensor &out, const Tensor &self, double tol, bool hermitian = false) { return at::linalg_matrix_rank_out(out, self, tol, hermitian); }
inline Tensor &matrix_rank_out(Tensor &out, const Tensor &input, const Tensor &tol, bool hermitian = false) { return at::linalg_matrix_rank_out(out, input, tol, hermitian); }
inline Tensor multi_dot(TensorList tensors) { return at::linalg_multi_dot(tensors); }
inline Tensor &multi_dot_out(Tensor &out, TensorList tensors) { return at::linalg_multi_dot_out(out, tensors); }
inline Tensor norm(const Tensor &self, const optional<Scalar> &ord = nullopt, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { return at::linalg_norm(self, ord, dim, keepdim, dtype); }
inline Tensor norm(const Tensor &self, const std::string &ord, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { return at::linalg_norm(self, ord, dim, keepdim, dtype); }
inline Tensor &norm_out(Tensor &out, const Tensor &self, const optional<Scalar> &ord = nullopt, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { return at::linalg_norm_out(out, self, ord, dim, keepdim, dtype); }
inline Tensor &norm_out(Tensor &out, const Tensor &self, const std::string &ord, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { return at::linalg_norm_out(out, self, ord, dim, keepdim, dtype); }
inline Tensor pinv(const Tensor &self, const optional<Tensor> &atol = nullopt, const optional<Tensor> &rtol = nullopt, bool hermitian = false) { return at::linalg_pinv(self, atol, rtol, hermitian); }
inline Tensor pinv(const Tensor &self, optional<double> atol, optional<double> rtol = nullopt, bool hermitian = false) { return at::linalg_pinv(self, atol, rtol, hermitian); }
inline Tensor pinv(const Tensor &self, double rcond, bool hermitian = false) { return at::linalg_pinv(self, rcond, hermitian); }
inline Tensor pinv(const Tensor &self, const Tensor &rcond, bool hermitian = false) { return at::linalg_pinv(self, rcond, hermitian); }
inline Tensor &pinv_out(Tensor &out, const Tensor &self, const optional<Tensor> &atol = nullopt, const optional<Tensor> &rtol = nullopt, bool hermitian = false) { return at::linalg_pinv_out(out, self, atol, rtol, hermitian); }
inline Tensor &pinv_out(Tensor &out, const Tensor &self, optional<double> atol, optional<double> rtol = nullopt, bool hermitian = false) { return at::linalg_pinv_out(out, self, atol, rtol, hermitian); }
inline Tensor &pinv_out(Tensor &out, const Tensor &self, double rcond, bool hermitian = false) { return at::linalg_pinv_out(out, self, rcond, hermitian); }
inline Tensor &pinv_out(Tensor &out, const Tensor &self, const Tensor &rcond, bool hermitian = false) { return at::linalg_pinv_out(out, self, rcond, hermitian); }
inline std::tuple<Tensor, Tensor> qr(const Tensor &A, const std::string &mode = "reduced") { return at::linalg_qr(A, mode); }
inline std::tuple<Tensor &, Tensor &> qr_out(Tensor &Q, Tensor &R, const Tensor &A, const std::string &mode = "reduced") { return at::linalg_qr_out(Q, R, A, mode); }
inline std::tuple<Tensor, Tensor> slogdet(const Tensor &A) { return at::linalg_slogdet(A); }
inline std::tuple<Tensor &, Tensor &> slogdet_out(Tensor &sign, Tensor &logabsdet, const Tensor &A) { return at::linalg_slogdet_out(sign, logabsdet, A); }
inline Tensor solve(const Tensor &A, const Tensor &B, bool left = true) { return at::linalg_solve(A, B, left); }
inline std::tuple<Tensor, Tensor> solve_ex(const Tensor &A, const Tensor &B, bool left = true, bool check_errors = false) { return at::linalg_solve_ex(A, B, left, check_errors); }
inline std::tuple<Tensor &, Tensor &> solve_ex_out(Tensor &result, Tensor &info, const Tensor &A, const Tensor &B, bool left = true, bool check_errors = false) { return at::linalg_solve_ex_out(result, info, A, B, left, check_errors); }
inline Tensor &solve_out(Tensor &out, const Tensor &A, const Tensor &B, bool left = true) { return at::linalg_solve_out(out, A, B, left); }
inline Tensor solve_triangular(const Tensor &self, const Tensor &B, bool upper, bool left = true, bool unitriangular = false) { return at::linalg_solve_triangular(self, B, upper, left, unitriangular); }
inline Tensor &solve_triangular_out(Tensor &out, const Tensor &self, const Tensor &B, bool upper, bool left = true, bool unitriangular = false) { return at::linalg_solve_triangular_out(out, self, B, upper, left, unitriangular); }
inline std::tuple<Tensor, Tensor, Tensor> svd(const Tensor &A, bool full_matrices = true, const optional<std::string> &driver = nullopt) { return at::linalg_svd(A, full_matrices, driver); }
inline std::tuple<Tensor &, Tensor &, Tensor &> svd_out(Tensor &U, Tensor &S, Tensor &Vh, const Tensor &A, bool full_matrices = true, const optional<std::string> &driver = nullopt) { return at::linalg_svd_out(U, S, Vh, A, full_matrices, driver); }
inline Tensor svdvals(const Tensor &A, const optional<std::string> &driver = nullopt) { return at::linalg_svdvals(A, driver); }
inline Tensor &svdvals_out(Tensor &out, const Tensor &A, const optional<std::string> &driver = nullopt) { return at::linalg_svdvals_out(out, A, driver); }
inline Tensor tensorinv(const Tensor &self, int64_t ind = 2) { return at::linalg_tensorinv(self, ind); }
inline Tensor &tensorinv_out(Tensor &out, const Tensor &self, int64_t ind = 2) { return at::linalg_tensorinv_out(out, self, ind); }
inline Tensor tensorsolve(const Tensor &self, const Tensor &other, OptionalIntArrayRef dims = nullopt) { return at::linalg_tensorsolve(self, other, dims); }
inline Tensor &tensorsolve_out(Tensor &out, const Tensor &self, const Tensor &other, OptionalIntArrayRef dims = nullopt) { return at::linalg_tensorsolve_out(out, self, other, dims); }
inline Tensor vander(const Tensor &x, optional<int64_t> N = nullopt) { return at::linalg_vander(x, N); }
inline Tensor &vander_out(Tensor &out, const Tensor &x, optional<int64_t> N = nullopt) { return at::linalg_vander_out(out, x, N); }
inline Tensor vecdot(const Tensor &x, const Tensor &y, int64_t dim = -1) { return at::linalg_vecdot(x, y, dim); }
inline Tensor &vecdot_out(Tensor &out, const Tensor &x, const Tensor &y, int64_t dim = -1) { return at::linalg_vecdot_out(out, x, y, dim); }
inline Tensor vector_norm(const Tensor &self, const Scalar &ord = 2, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { return at::linalg_vector_norm(self, ord, dim, keepdim, dtype); }
inline Tensor &vector_norm_out(Tensor &out, const Tensor &self, const Scalar &ord = 2, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { return at::linalg_vector_norm_out(out, self, ord, dim, keepdim, dtype); }

}  // namespace linalg
}  // namespace torch
