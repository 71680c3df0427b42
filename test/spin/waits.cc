// SPDX-License-Identifier: Apache-2.0
// waits KIND: waits for ever, awake, with what the C++ library has for it.
#include <sys/prctl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>

namespace {

std::atomic<bool> done = false;
std::atomic_flag taken = ATOMIC_FLAG_INIT;

void Atomic() {
  while (!done.load(std::memory_order_acquire)) {
  }
}

void Exchange() {
  bool expected = true;
  while (!done.compare_exchange_weak(expected, false)) expected = true;
}

void TestAndSet() {
  taken.test_and_set();
  while (taken.test_and_set(std::memory_order_acquire)) {
  }
}

void Yield() {
  while (!done) std::this_thread::yield();
}

void TryLock() {
  static std::mutex mutex;
  mutex.lock();
  while (!mutex.try_lock()) {
  }
}

// As a consumer of a queue that nobody fills.
void Queue() {
  std::queue<int> jobs;
  std::mutex mutex;
  for (;;) {
    const std::lock_guard lock(mutex);
    if (!jobs.empty()) return;
  }
}

void Future() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  while (future.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
  }
}

void Deadline() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::hours(100'000);
  while (std::chrono::steady_clock::now() < end && !done) {
  }
}

void Function() {
  const std::function<bool()> is_done = [] { return done.load(); };
  while (!is_done()) {
  }
}

struct Task {
  virtual ~Task() = default;
  virtual bool IsDone() const = 0;
};
struct Never final : Task {
  bool IsDone() const override { return done.load(std::memory_order_relaxed); }
};

void Virtual() {
  const std::shared_ptr<Task> task = std::make_shared<Never>();
  while (!task->IsDone()) {
  }
}

void SleepZero() {
  while (!done) std::this_thread::sleep_for(std::chrono::nanoseconds(1));
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const struct {
    const char* name;
    void (*run)();
  } kinds[] = {{"atomic", Atomic},   {"exchange", Exchange}, {"test-and-set", TestAndSet},
               {"yield", Yield},     {"try-lock", TryLock},  {"queue", Queue},
               {"future", Future},   {"deadline", Deadline}, {"function", Function},
               {"virtual", Virtual}, {"sleep", SleepZero}};
  for (const auto& [name, run] : kinds)
    if (argc > 1 && std::strcmp(argv[1], name) == 0) run();
  return 2;
}
