// SPDX-License-Identifier: Apache-2.0
#include "window_thread.hh"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "check.hh"
#include "clocks.hh"

namespace wattfeed {
namespace {

constexpr uint64_t kWindowNs = 20 * kNsPerMsec;

// Writes headers only; can be made slow or low on slots.
class FakeTaker final : public WindowTaker {
 public:
  void TakeWindow(const WindowRequest& request, WindowBuffer& out) override {
    if (const uint64_t delay_ns = delay_ns_.exchange(0); delay_ns > 0)
      std::this_thread::sleep_for(std::chrono::nanoseconds(delay_ns));
    is_low = false;
    window_header header{};
    header.index = ++index_;
    header.due_ns = request.due_ns;
    header.flags = request.flags;
    out.BeginWindow();
    if (is_busy) out.MarkBusy();
    out.EndWindow(header);
  }
  bool IsRunningLow(uint64_t) override { return is_low; }
  uint64_t LookEveryNs() override { return 5 * kNsPerMsec; }

  void DelayNext(uint64_t ns) { delay_ns_ = ns; }
  std::atomic<bool> is_low = false;
  std::atomic<bool> is_busy = false;

 private:
  std::atomic<uint64_t> delay_ns_ = 0;
  uint64_t index_ = 0;
};

class Receiver {
 public:
  void Take(Delivery delivery) {
    const std::lock_guard lock(mutex_);
    std::vector<window_header> batch(delivery.bytes.size() / sizeof(window_header));
    std::memcpy(batch.data(), delivery.bytes.data(), delivery.bytes.size());
    windows_.insert(windows_.end(), batch.begin(), batch.end());
    batch_sizes_.push_back(batch.size());
    tickets_.insert(tickets_.end(), delivery.closed_tickets.begin(), delivery.closed_tickets.end());
    if (keeps_) kept_.push_back(std::move(delivery));
    changed_.notify_all();
  }
  WindowThread::Deliver deliver() {
    return [this](Delivery delivery) { Take(std::move(delivery)); };
  }
  template <typename Condition>
  bool Until(Condition holds) {
    std::unique_lock lock(mutex_);
    const uint64_t deadline_ns = MonotonicNs() + 10 * kNsPerSec;
    while (!holds(*this)) {
      if (MonotonicNs() > deadline_ns) return false;
      // not wait_for(): GCC 12's ThreadSanitizer does not know the clock-based wait
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      lock.lock();
    }
    return true;
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<window_header> windows_;
  std::vector<size_t> batch_sizes_;
  std::vector<uint64_t> tickets_;
  std::vector<Delivery> kept_;
  bool keeps_ = false;
};

TEST_CASE(FirstAtOnce, "WindowThread: closes the first window at once, the next ones on the grid") {
  FakeTaker taker;
  Receiver receiver;
  const uint64_t start_ns = MonotonicNs();
  auto thread = WindowThread::Start(&taker, receiver.deliver(), kWindowNs, 1);
  REQUIRE(thread.ok());
  REQUIRE(receiver.Until([](Receiver& r) { return r.windows_.size() >= 4; }));
  thread.value()->Stop();
  const auto& windows = receiver.windows_;
  CHECK(windows[0].due_ns >= start_ns && windows[0].index == 1);
  for (size_t i = 1; i < windows.size(); i++) {
    const uint64_t step_ns = windows[i].due_ns - windows[i - 1].due_ns;
    CHECK(step_ns > 0 && step_ns % kWindowNs == 0);
  }
}

TEST_CASE(LateIsOne, "WindowThread: a late window stays one window") {
  FakeTaker taker;
  Receiver receiver;
  auto thread = WindowThread::Start(&taker, receiver.deliver(), kWindowNs, 1);
  REQUIRE(thread.ok());
  REQUIRE(receiver.Until([](Receiver& r) { return r.windows_.size() >= 2; }));
  taker.DelayNext(5 * kWindowNs);
  const size_t before = receiver.windows_.size();
  REQUIRE(receiver.Until([&](Receiver& r) { return r.windows_.size() >= before + 3; }));
  thread.value()->Stop();
  bool has_gap = false;
  for (size_t i = 1; i < receiver.windows_.size(); i++) {
    const uint64_t step_ns = receiver.windows_[i].due_ns - receiver.windows_[i - 1].due_ns;
    CHECK(step_ns >= kWindowNs);
    has_gap |= step_ns >= 5 * kWindowNs;
  }
  CHECK(has_gap);
}

TEST_CASE(Batches, "WindowThread: hands over in batches of wake_every, and the rest when stopped") {
  FakeTaker taker;
  Receiver receiver;
  auto thread = WindowThread::Start(&taker, receiver.deliver(), kWindowNs, 3);
  REQUIRE(thread.ok());
  REQUIRE(receiver.Until([](Receiver& r) { return r.batch_sizes_.size() >= 2; }));
  thread.value()->SetWakeEvery(1);
  REQUIRE(receiver.Until([](Receiver& r) { return r.batch_sizes_.back() == 1; }));
  CHECK(receiver.batch_sizes_[0] == 3 && receiver.batch_sizes_[1] == 3);
  thread.value()->SetWakeEvery(1000);
  thread.value()->CloseWindow(1);
  REQUIRE(receiver.Until([](Receiver& r) { return !r.tickets_.empty(); }));
  const uint64_t last = receiver.windows_.back().index;
  std::this_thread::sleep_for(std::chrono::nanoseconds(3 * kWindowNs));
  WindowThread::Rest rest = thread.value()->Stop();
  CHECK(rest.buffer.window_count() >= 1);
  const auto bytes = rest.buffer.Take();
  window_header first{};
  std::memcpy(&first, bytes.data(), sizeof(first));
  CHECK(first.index == last + 1);
}

TEST_CASE(BusyBatches, "WindowThread: hands over sooner while a thread does not sleep") {
  FakeTaker taker;
  Receiver receiver;
  auto thread = WindowThread::Start(&taker, receiver.deliver(), kWindowNs, 1000, 2);
  REQUIRE(thread.ok());
  taker.is_busy = true;
  REQUIRE(receiver.Until([](Receiver& r) { return r.batch_sizes_.size() >= 3; }));
  CHECK(receiver.batch_sizes_[1] == 2 && receiver.batch_sizes_[2] == 2);
  thread.value()->SetWakeEvery(1);
  CHECK(receiver.Until([](Receiver& r) { return r.batch_sizes_.back() == 1; }));
  thread.value()->Stop();
}

TEST_CASE(Forced, "WindowThread: CloseWindow closes now, marked, and starts the period anew") {
  FakeTaker taker;
  Receiver receiver;
  auto thread = WindowThread::Start(&taker, receiver.deliver(), 3600 * kNsPerSec, 100);
  REQUIRE(thread.ok());
  thread.value()->CloseWindow(7);
  thread.value()->CloseWindow(8);
  REQUIRE(receiver.Until([](Receiver& r) { return r.tickets_.size() == 2; }));
  CHECK(receiver.tickets_ == (std::vector<uint64_t>{7, 8}));
  CHECK((receiver.windows_.back().flags & WINDOW_FORCED) != 0);
  thread.value()->SetWindowNs(kWindowNs);  // counts from the last deadline: at once
  thread.value()->SetWakeEvery(1);
  const size_t before = receiver.windows_.size();
  CHECK(receiver.Until([&](Receiver& r) { return r.windows_.size() > before + 1; }));
}

TEST_CASE(LateTickets, "WindowThread: a ticket that meets the stop is given back to be answered") {
  FakeTaker taker;
  Receiver receiver;
  size_t answered = 0;
  for (uint64_t ticket = 1; ticket <= 50; ticket++) {
    auto thread = WindowThread::Start(&taker, receiver.deliver(), 3600 * kNsPerSec, 100);
    REQUIRE(thread.ok());
    thread.value()->CloseWindow(ticket);
    answered += thread.value()->Stop().tickets.size();
  }
  CHECK(answered + receiver.tickets_.size() == 50);
}

TEST_CASE(EarlyWindow, "WindowThread: a window is closed early when slots run low") {
  FakeTaker taker;
  Receiver receiver;
  auto thread = WindowThread::Start(&taker, receiver.deliver(), 3600 * kNsPerSec, 1);
  REQUIRE(thread.ok());
  REQUIRE(receiver.Until([](Receiver& r) { return r.windows_.size() == 1; }));
  taker.is_low = true;
  CHECK(receiver.Until([](Receiver& r) { return r.windows_.size() == 2; }));
}

TEST_CASE(SlowConsumer, "WindowThread: counts what the consumer still holds") {
  FakeTaker taker;
  Receiver receiver;
  receiver.keeps_ = true;
  auto thread = WindowThread::Start(&taker, receiver.deliver(), kWindowNs, 1);
  REQUIRE(thread.ok());
  REQUIRE(receiver.Until([](Receiver& r) { return r.kept_.size() >= 3; }));
  const auto rest = thread.value()->Stop();
  CHECK(rest.backlog->load() == receiver.kept_.size() * sizeof(window_header));
  receiver.kept_.clear();
  CHECK(rest.backlog->load() == 0);
}

}  // namespace
}  // namespace wattfeed
