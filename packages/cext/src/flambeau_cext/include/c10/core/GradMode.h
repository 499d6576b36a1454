/* Whether autograd records operations. */
#pragma once

#include <flambeau/tensor.h>

namespace at {

/* Turns recording off or on while the object exists. */
class AutoGradMode {
  public:
    explicit AutoGradMode(bool on) : was_(fl_grad_mode(on)) {}
    AutoGradMode(const AutoGradMode &) = delete;
    ~AutoGradMode() { fl_grad_mode(was_); }
    /* Whether recording was on before. */
    int was() const { return was_; }

  private:
    int was_;
};
struct NoGradGuard : AutoGradMode {
    NoGradGuard() : AutoGradMode(false) {}
};
/* Like NoGradGuard: operations below it are not recorded. */
struct InferenceMode : AutoGradMode {
    explicit InferenceMode(bool on = true) : AutoGradMode(!on && fl_grad_mode(-1) != 0) {}
    static bool is_enabled() { return false; }
};
struct GradMode {
    static bool is_enabled() { return fl_grad_mode(-1) != 0; }
    static void set_enabled(bool on) { fl_grad_mode(on); }
};

}  // namespace at

namespace c10 {
using at::AutoGradMode;
using at::GradMode;
using at::InferenceMode;
using at::NoGradGuard;
}  // namespace c10
