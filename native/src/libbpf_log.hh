// SPDX-License-Identifier: Apache-2.0
// Keeps the tail of what libbpf prints during one operation, so that an error can say it.
#ifndef WATTFEED_LIBBPF_LOG_HH_
#define WATTFEED_LIBBPF_LOG_HH_

#include <string>

#include "result.hh"

namespace wattfeed {

// From here on libbpf writes nothing to standard error, also where nobody keeps its log.
void CaptureLibbpfLog();

// While one lives, this thread's libbpf messages go into it; outside, messages are dropped: a
// library must not write to its host's stderr. libbpf has one print function per process, which is
// why the sink is per thread: the addon may be working in several Workers at once.
class LibbpfLog {
 public:
  LibbpfLog();
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;

  std::string tail() const;
  void Add(const char* text, size_t size);

 private:
  std::string text_;
  LibbpfLog* outer_;
};

// What errno and the log say of a failed operation.
Error LibbpfError(std::string operation, const LibbpfLog& log);

}  // namespace wattfeed

#endif  // WATTFEED_LIBBPF_LOG_HH_
