// SPDX-License-Identifier: Apache-2.0
#include "measurement.hh"

#include <utility>

namespace wattfeed {

Result<std::unique_ptr<Measurement>> Measurement::Open(SessionOptions options) {
  auto session = Session::Open(std::move(options));
  if (!session.ok()) return std::move(session.error());
  return std::unique_ptr<Measurement>(new Measurement(std::move(session.value())));
}

Measurement::~Measurement() { Abandon(); }

Status Measurement::Start(std::vector<EnergySourceSpec> sources, uint64_t window_ns,
                          uint32_t wake_every, WindowThread::Deliver deliver,
                          uint32_t busy_wake_every) {
  if (!session_) return Error{"start windows", EBADF, "the session is closed"};
  if (thread_) return Error{"start windows", EALREADY, "the session was started before"};
  deliver_ = deliver;
  pass_ = std::make_unique<WindowPass>(session_.get(), std::move(sources));
  if (!pass_->has_memory()) {
    pass_.reset();
    return Error{"start windows", ENOMEM, "no memory for so many tasks; lower max_tasks"};
  }
  auto thread =
      WindowThread::Start(pass_.get(), std::move(deliver), window_ns, wake_every, busy_wake_every);
  if (!thread.ok()) {
    pass_.reset();
    return std::move(thread.error());
  }
  thread_ = std::move(thread.value());
  return Done{};
}

void Measurement::Close() {
  if (thread_) {
    WindowThread::Rest rest = thread_->Stop();
    pass_->TakeFinalWindow(rest.buffer);
    BacklogShare share(rest.backlog, rest.buffer.size_bytes());
    deliver_(Delivery{.bytes = rest.buffer.Take(),
                      .closed_tickets = std::move(rest.tickets),
                      .is_last = true,
                      .share = std::move(share)});
  }
  Abandon();
}

void Measurement::Abandon() {
  thread_.reset();
  pass_.reset();
  deliver_ = nullptr;
  session_.reset();
}

}  // namespace wattfeed
