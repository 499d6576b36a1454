/* Messages on stderr, LOG(INFO) << "n = " << n, and checks that throw, CHECK_EQ(a, b) << "why". Informational messages
 * are shown after ShowLogInfoToStderr, or if TORCH_CPP_LOG_LEVEL is INFO. */
#pragma once

#include <c10/util/Exception.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

namespace c10 {
namespace detail {

enum LogLevel { VERBOSE = -1, INFO = 0, WARNING = 1, ERROR = 2, FATAL = 3 };

inline int &least_logged() {
    static int level = [] {
        const char *asked = std::getenv("TORCH_CPP_LOG_LEVEL");
        return asked && (!std::strcmp(asked, "INFO") || !std::strcmp(asked, "0")) ? INFO : WARNING;
    }();
    return level;
}

/* Collects a message, which is written, or thrown if it is fatal, when the statement ends. */
class LogMessage {
  public:
    LogMessage(const char *file, int line, int level) : level_(level) {
        const char *name = std::strrchr(file, '/');
        text_ << (level < INFO ? 'V' : "IWEF"[level]) << ' ' << (name ? name + 1 : file) << ':' << line << "] ";
    }
    LogMessage(const LogMessage &) = delete;
    ~LogMessage() noexcept(false) {
        if (level_ == FATAL) throw Error(text_.str());
        if (level_ >= least_logged()) std::cerr << text_.str() << std::endl;
    }
    std::ostream &stream() { return text_; }

  private:
    std::ostringstream text_;
    int level_;
};

}  // namespace detail

inline void ShowLogInfoToStderr() { detail::least_logged() = detail::INFO; }
inline bool InitCaffeLogging(int *, char **) { return true; }
inline void initLogging() {}

}  // namespace c10

/* Usage is not recorded: the macros expand to declarations, which are valid inside and outside functions. */
#define C10_LOG_API_USAGE_ONCE(...) [[maybe_unused]] static const bool C10_ANONYMOUS_VARIABLE(usage_logged) = true
#define C10_LOG_API_USAGE_METADATA(...) ((void)0)
#define C10_LOG_EVENT_SAMPLED(...) ((void)0)

#define FL_LOG(level) ::c10::detail::LogMessage(__FILE__, __LINE__, ::c10::detail::level).stream()
#define FL_LOG_IF(level, condition) !(condition) ? (void)0 : ::c10::detail::LogVoidify() & FL_LOG(level)
/* Existing macros of these names, for example glog's, are kept. */
#ifndef LOG
#define LOG(level) FL_LOG(level)
#define LOG_IF(level, condition) FL_LOG_IF(level, condition)
#define VLOG(level) FL_LOG_IF(VERBOSE, false)
#define VLOG_IF(level, condition) FL_LOG_IF(VERBOSE, false)
#define VLOG_IS_ON(level) false
#endif
#ifndef CHECK
#define CHECK(condition) FL_LOG_IF(FATAL, !(condition)) << "Check failed: " #condition " "
#define CHECK_EQ(a, b) FL_CHECK_OP(==, a, b)
#define CHECK_NE(a, b) FL_CHECK_OP(!=, a, b)
#define CHECK_LT(a, b) FL_CHECK_OP(<, a, b)
#define CHECK_LE(a, b) FL_CHECK_OP(<=, a, b)
#define CHECK_GT(a, b) FL_CHECK_OP(>, a, b)
#define CHECK_GE(a, b) FL_CHECK_OP(>=, a, b)
#define DCHECK(condition) FL_LOG_IF(FATAL, false && !(condition))
#define DCHECK_EQ(a, b) FL_LOG_IF(FATAL, false && !((a) == (b)))
#define DCHECK_NE(a, b) FL_LOG_IF(FATAL, false && !((a) != (b)))
#define DCHECK_LT(a, b) FL_LOG_IF(FATAL, false && !((a) < (b)))
#define DCHECK_LE(a, b) FL_LOG_IF(FATAL, false && !((a) <= (b)))
#define DCHECK_GT(a, b) FL_LOG_IF(FATAL, false && !((a) > (b)))
#define DCHECK_GE(a, b) FL_LOG_IF(FATAL, false && !((a) >= (b)))
#endif
