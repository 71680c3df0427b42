// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or what failed, with which errno, and what a log reader needs to know
// besides.
#ifndef WATTFEED_RESULT_HH_
#define WATTFEED_RESULT_HH_

#include <cerrno>
#include <string>
#include <utility>
#include <variant>

namespace wattfeed {

struct Error {
  std::string operation;  // e.g. "load accounting", "attach wf_sched_switch", "mmap slots"
  int errno_value = 0;
  std::string detail;  // tail of the verifier's or libbpf's log, a holder's pid, a remedy
};

// Takes errno first, before any destructor or allocation can change it.
inline Error ErrorFromErrno(std::string operation, std::string detail = {}) {
  const int saved = errno;
  return Error{std::move(operation), saved, std::move(detail)};
}

template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return Error{...};` both read well.
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return content_.index() == 0; }
  T& value() { return *std::get_if<0>(&content_); }
  const T& value() const { return *std::get_if<0>(&content_); }
  Error& error() { return *std::get_if<1>(&content_); }
  const Error& error() const { return *std::get_if<1>(&content_); }

 private:
  std::variant<T, Error> content_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace wattfeed

#endif  // WATTFEED_RESULT_HH_
