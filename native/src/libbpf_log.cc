// SPDX-License-Identifier: Apache-2.0
#include "libbpf_log.hh"

#include <bpf/libbpf.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <utility>

namespace wattfeed {

namespace {

constexpr size_t kKeptSize = 16384;  // the verifier's log arrives in one piece
constexpr size_t kTailSize = 2048;

thread_local LibbpfLog* current_log = nullptr;

int Print(libbpf_print_level level, const char* format, va_list arguments) {
  if (current_log == nullptr || level == LIBBPF_DEBUG) return 0;
  va_list again;
  va_copy(again, arguments);
  const int size = vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (size <= 0) return size;
  std::string text(static_cast<size_t>(size) + 1, '\0');
  vsnprintf(text.data(), text.size(), format, arguments);
  current_log->Add(text.data(), static_cast<size_t>(size));
  return size;
}

}  // namespace

void CaptureLibbpfLog() {
  static std::once_flag once;
  std::call_once(once, [] { libbpf_set_print(Print); });
}

LibbpfLog::LibbpfLog() : outer_(current_log) {
  CaptureLibbpfLog();
  current_log = this;
}

LibbpfLog::~LibbpfLog() { current_log = outer_; }

void LibbpfLog::Add(const char* text, size_t size) {
  text_.append(text, size);
  if (text_.size() > kKeptSize) text_.erase(0, text_.size() - kKeptSize);
}

std::string LibbpfLog::tail() const {
  std::string tail = text_.substr(text_.size() - std::min(text_.size(), kTailSize));
  while (!tail.empty() && tail.back() == '\n') tail.pop_back();
  return tail;
}

Error LibbpfError(std::string operation, const LibbpfLog& log) {
  Error error = ErrorFromErrno(std::move(operation));
  error.detail = log.tail();
  return error;
}

}  // namespace wattfeed
