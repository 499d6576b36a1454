/* Conversion of C++ exceptions to the recorded error: an exception that leaves an extension's function becomes a Python
 * exception. */
#ifndef FLAMBEAU_EXCEPTION_HPP
#define FLAMBEAU_EXCEPTION_HPP

#include <flambeau/tensor.h>

#include <exception>
#include <new>
#include <stdexcept>

namespace fl {

/* The base class of flambeau's exceptions, which can be converted to the recorded error. */
struct exception : std::exception {
    /* Record the error, like fl_error; needs the GIL. */
    virtual void raise() const noexcept = 0;
};

/* Record the exception being handled, in a catch block; needs the GIL. An error that is already recorded is kept. */
inline void record_exception() noexcept {
    if (fl_error_occurred()) return;
    try {
        throw;
    } catch (const exception &e) {
        e.raise();
    } catch (const std::bad_alloc &e) {
        fl_error(FL_MEMORY_ERROR, e.what());
    } catch (const std::out_of_range &e) {
        fl_error(FL_INDEX_ERROR, e.what());
    } catch (const std::invalid_argument &e) {
        fl_error(FL_VALUE_ERROR, e.what());
    } catch (const std::domain_error &e) {
        fl_error(FL_VALUE_ERROR, e.what());
    } catch (const std::length_error &e) {
        fl_error(FL_VALUE_ERROR, e.what());
    } catch (const std::range_error &e) {
        fl_error(FL_VALUE_ERROR, e.what());
    } catch (const std::exception &e) {
        fl_error(FL_RUNTIME_ERROR, e.what());
    } catch (...) {
        fl_error(FL_RUNTIME_ERROR, "a C++ exception that is no std::exception");
    }
}

}  // namespace fl
#endif
