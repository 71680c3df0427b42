// SPDX-License-Identifier: Apache-2.0
#include "window_thread.hh"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <system_error>
#include <utility>

#include "clocks.hh"

namespace wattfeed {

namespace {

// A batch is handed over when it is this large, whatever wake_every says.
constexpr size_t kBatchLimit = 4u << 20;
// A consumer that takes nothing gets longer windows, not more of them: the kernel's counters keep
// rising, so nothing is lost and memory stays bounded.
constexpr size_t kBacklogLimit = 64u << 20;
constexpr uint64_t kBacklogRetryNs = 100 * kNsPerMsec;

}  // namespace

WindowThread::WindowThread(WindowTaker* taker, Deliver deliver, uint64_t window_ns,
                           uint32_t wake_every, uint32_t busy_wake_every)
    : taker_(taker),
      deliver_(std::move(deliver)),
      backlog_(std::make_shared<std::atomic<size_t>>(0)),
      busy_wake_every_(busy_wake_every),
      commands_{.window_ns = window_ns, .wake_every = wake_every, .stop = false, .tickets = {}},
      window_ns_(window_ns) {}

WindowThread::~WindowThread() { Stop(); }

Result<std::unique_ptr<WindowThread>> WindowThread::Start(WindowTaker* taker, Deliver deliver,
                                                          uint64_t window_ns, uint32_t wake_every,
                                                          uint32_t busy_wake_every) {
  std::unique_ptr<WindowThread> self(
      new WindowThread(taker, std::move(deliver), window_ns, wake_every, busy_wake_every));
  // Signals belong to the host's threads. The mask is inherited, so it is set around the creation.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = 0;
  try {
    self->thread_ = std::thread(&WindowThread::Run, self.get());
  } catch (const std::system_error& error) {  // the process may have no more threads
    failed = error.code().value();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed != 0) return Error{"start window thread", failed, {}};
  pthread_setname_np(self->thread_.native_handle(), "wattfeed-window");
  return self;
}

void WindowThread::SetWakeEvery(uint32_t windows) {
  WithCommands([windows](Commands& commands) { commands.wake_every = windows; });
}

void WindowThread::SetWindowNs(uint64_t window_ns) {
  WithCommands([window_ns](Commands& commands) { commands.window_ns = window_ns; });
}

void WindowThread::CloseWindow(uint64_t ticket) {
  WithCommands([ticket](Commands& commands) { commands.tickets.push_back(ticket); });
}

WindowThread::Rest WindowThread::Stop() {
  if (!thread_.joinable()) return Rest{.buffer = {}, .tickets = {}, .backlog = backlog_};
  WithCommands([](Commands& commands) { commands.stop = true; });
  thread_.join();
  // Tickets that came too late for a window of their own are answered by the caller's last one.
  return Rest{.buffer = std::exchange(buffer_, {}),
              .tickets = std::exchange(commands_.tickets, {}),
              .backlog = backlog_};
}

uint64_t WindowThread::NextDueNs(uint64_t due_ns, uint64_t now_ns, uint64_t window_ns) {
  const uint64_t next_ns = due_ns + window_ns;
  return next_ns > now_ns ? next_ns : next_ns + ((now_ns - next_ns) / window_ns + 1) * window_ns;
}

void WindowThread::Run() {
  due_ns_ = MonotonicNs();
  for (;;) {
    // Before the commands: one that comes later changes it, and the sleep ends at once.
    const uint32_t wakes = wakes_.load(std::memory_order_acquire);
    const Commands commands = TakeCommands();
    if (commands.stop) return;
    const uint64_t now_ns = MonotonicNs();
    if (commands.window_ns != window_ns_) {
      due_ns_ = due_ns_ - std::min(due_ns_, window_ns_) + commands.window_ns;
      window_ns_ = commands.window_ns;
    }
    if (!commands.tickets.empty()) {
      ForceWindow(now_ns, commands);
    } else {
      Step(now_ns, commands, wakes);
    }
  }
}

// Closes a window if one is due or slots run low, else sleeps until something can be.
void WindowThread::Step(uint64_t now_ns, const Commands& commands, uint32_t wakes) {
  const bool is_due = now_ns >= due_ns_;
  if (!is_due && !taker_->IsRunningLow(now_ns)) {
    Sleep(std::min(due_ns_, now_ns + taker_->LookEveryNs()), wakes);
    return;
  }
  if (backlog_->load() > kBacklogLimit) {
    Sleep(now_ns + kBacklogRetryNs, wakes);
    return;
  }
  taker_->TakeWindow(WindowRequest{.due_ns = is_due ? due_ns_ : now_ns, .flags = 0}, buffer_);
  if (is_due) due_ns_ = NextDueNs(due_ns_, MonotonicNs(), window_ns_);
  const uint32_t wake_every =
      buffer_.is_busy() ? std::min(commands.wake_every, busy_wake_every_) : commands.wake_every;
  if (buffer_.window_count() >= wake_every || buffer_.size_bytes() > kBatchLimit) HandOver({});
}

// The period starts anew, so that no sliver of a window follows.
void WindowThread::ForceWindow(uint64_t now_ns, const Commands& commands) {
  taker_->TakeWindow(WindowRequest{.due_ns = now_ns, .flags = WINDOW_FORCED}, buffer_);
  due_ns_ = now_ns + window_ns_;
  HandOver(commands.tickets);
}

void WindowThread::HandOver(std::vector<uint64_t> tickets) {
  BacklogShare share(backlog_, buffer_.size_bytes());
  deliver_(Delivery{.bytes = buffer_.Take(),
                    .closed_tickets = std::move(tickets),
                    .is_last = false,
                    .share = std::move(share)});
}

// Tickets stay in place when the thread is to end: Stop() hands them to its caller.
WindowThread::Commands WindowThread::TakeCommands() {
  const std::lock_guard lock(mutex_);
  Commands taken = commands_;
  if (!taken.stop) commands_.tickets.clear();
  return taken;
}

void WindowThread::WithCommands(const std::function<void(Commands&)>& change) {
  {
    const std::lock_guard lock(mutex_);
    change(commands_);
  }
  wakes_.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &wakes_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// One system call, where a timer and a poll take three (40 us against 20 us of a cold CPU); the
// mutex's own condition variable would do, but ThreadSanitizer of GCC 12 does not know its clock.
void WindowThread::Sleep(uint64_t until_ns, uint32_t wakes) {
  static_assert(sizeof(wakes_) == sizeof(uint32_t));
  const timespec until{.tv_sec = static_cast<time_t>(until_ns / kNsPerSec),
                       .tv_nsec = static_cast<long>(until_ns % kNsPerSec)};
  // WAIT_BITSET takes an absolute CLOCK_MONOTONIC. Whatever ends it, Run() looks anew.
  syscall(SYS_futex, &wakes_, FUTEX_WAIT_BITSET_PRIVATE, wakes, &until, nullptr,
          FUTEX_BITSET_MATCH_ANY);
}

}  // namespace wattfeed
