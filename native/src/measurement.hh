// SPDX-License-Identifier: Apache-2.0
// One measurement: a session of the kernel programs, and the thread that closes its windows.
#ifndef WATTFEED_MEASUREMENT_HH_
#define WATTFEED_MEASUREMENT_HH_

#include <cstdint>
#include <memory>
#include <vector>

#include "energy_reader.hh"
#include "result.hh"
#include "session.hh"
#include "window_pass.hh"
#include "window_thread.hh"

namespace wattfeed {

// Called from one thread at a time; Close() may be another one than the rest.
class Measurement {
 public:
  static Result<std::unique_ptr<Measurement>> Open(SessionOptions options);
  ~Measurement();

  Status Start(std::vector<EnergySourceSpec> sources, uint64_t window_ns, uint32_t wake_every,
               WindowThread::Deliver deliver, uint32_t busy_wake_every = UINT32_MAX);
  bool is_started() const { return thread_ != nullptr; }
  WindowThread& thread() { return *thread_; }
  Session& session() { return *session_; }

  // Ends the thread, detaches, delivers the last window (is_last) if started, frees everything.
  // Idempotent.
  void Close();
  // Same, but hands nothing over: the consumer is gone.
  void Abandon();

 private:
  explicit Measurement(std::unique_ptr<Session> session) : session_(std::move(session)) {}

  // In order of construction; the thread uses the pass, the pass uses the session.
  std::unique_ptr<Session> session_;
  WindowThread::Deliver deliver_;
  std::unique_ptr<WindowPass> pass_;
  std::unique_ptr<WindowThread> thread_;
};

}  // namespace wattfeed

#endif  // WATTFEED_MEASUREMENT_HH_
