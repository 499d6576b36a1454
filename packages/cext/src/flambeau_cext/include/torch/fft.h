/* Written by flambeau_cext.operator_headers from the operators' schemas: do not edit. */
#pragma once

#include <torch/types.h>

namespace torch {
namespace fft {
using namespace at;

inline Tensor fft(const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { return at::fft_fft(self, n, dim, norm); }
inline Tensor fft2(const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { return at::fft_fft2(self, s, dim, norm); }
inline Tensor &fft2_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { return at::fft_fft2_out(out, self, s, dim, norm); }
inline Tensor &fft_out(Tensor &out, const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { return at::fft_fft_out(out, self, n, dim, norm); }
inline Tensor fftfreq(int64_t n, double d = 1.0, const TensorOptions &options = {}) { return at::fft_fftfreq(n, d, options); }
inline Tensor &fftfreq_out(Tensor &out, int64_t n, double d = 1.0) { return at::fft_fftfreq_out(out, n, d); }
inline Tensor fftn(const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { return at::fft_fftn(self, s, dim, norm); }
inline Tensor &fftn_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { return at::fft_fftn_out(out, self, s, dim, norm); }
inline Tensor fftshift(const Tensor &self, OptionalIntArrayRef dim = nullopt) { return at::fft_fftshift(self, dim); }
inline Tensor hfft(const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { return at::fft_hfft(self, n, dim, norm); }
inline Tensor hfft2(const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { return at::fft_hfft2(self, s, dim, norm); }
inline Tensor &hfft2_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { return at::fft_hfft2_out(out, self, s, dim, norm); }
inline Tensor &hfft_out(Tensor &out, const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { return at::fft_hfft_out(out, self, n, dim, norm); }
inline Tensor hfftn(const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { return at::fft_hfftn(self, s, dim, norm); }
inline Tensor &hfftn_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { return at::fft_hfftn_out(out, self, s, dim, norm); }
inline Tensor ifft(const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { return at::fft_ifft(self, n, dim, norm); }
inline Tensor ifft2(const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { return at::fft_ifft2(self, s, dim, norm); }
inline Tensor &ifft2_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { return at::fft_ifft2_out(out, self, s, dim, norm); }
inline Tensor &ifft_out(Tensor &out, const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { return at::fft_ifft_out(out, self, n, dim, norm); }
inline Tensor ifftn(const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { return at::fft_ifftn(self, s, dim, norm); }
inline Tensor &ifftn_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { return at::fft_ifftn_out(out, self, s, dim, norm); }
inline Tensor ifftshift(const Tensor &self, OptionalIntArrayRef dim = nullopt) { return at::fft_ifftshift(self, dim); }
inline Tensor ihfft(const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { return at::fft_ihfft(self, n, dim, norm); }
inline Tensor ihfft2(const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { return at::fft_ihfft2(self, s, dim, norm); }
inline Tensor &ihfft2_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { return at::fft_ihfft2_out(out, self, s, dim, norm); }
inline Tensor &ihfft_out(Tensor &out, const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { return at::fft_ihfft_out(out, self, n, dim, norm); }
inline Tensor ihfftn(const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { return at::fft_ihfftn(self, s, dim, norm); }
inline Tensor &ihfftn_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { return at::fft_ihfftn_out(out, self, s, dim, norm); }
inline Tensor irfft(const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { return at::fft_irfft(self, n, dim, norm); }
inline Tensor irfft2(const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { return at::fft_irfft2(self, s, dim, norm); }
inline Tensor &irfft2_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { return at::fft_irfft2_out(out, self, s, dim, norm); }
inline Tensor &irfft_out(Tensor &out, const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { return at::fft_irfft_out(out, self, n, dim, norm); }
inline Tensor irfftn(const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { return at::fft_irfftn(self, s, dim, norm); }
inline Tensor &irfftn_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { return at::fft_irfftn_out(out, self, s, dim, norm); }
inline Tensor rfft(const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { return at::fft_rfft(self, n, dim, norm); }
inline Tensor rfft2(const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { return at::fft_rfft2(self, s, dim, norm); }
inline Tensor &rfft2_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { return at::fft_rfft2_out(out, self, s, dim, norm); }
inline Tensor &rfft_out(Tensor &out, const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { return at::fft_rfft_out(out, self, n, dim, norm); }
inline Tensor rfftfreq(int64_t n, double d = 1.0, const TensorOptions &options = {}) { return at::fft_rfftfreq(n, d, options); }
inline Tensor &rfftfreq_out(Tensor &out, int64_t n, double d = 1.0) { return at::fft_rfftfreq_out(out, n, d); }
inline Tensor rfftn(const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { return at::fft_rfftn(self, s, dim, norm); }
inline Tensor &rfftn_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { return at::fft_rfftn_out(out, self, s, dim, norm); }

}  // namespace fft
}  // namespace torch
