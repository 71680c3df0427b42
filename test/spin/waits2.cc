// SPDX-License-Identifier: Apache-2.0
// waits2 KIND: waits for ever, awake, with what C++ has for states that are
// asked for.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "kinds.h"

namespace {

std::atomic<int> flag = 0;
using std::chrono::seconds;

void Condition() {
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  while (!condition.wait_for(lock, seconds(0), [] { return flag.load() != 0; })) {
  }
}

void SharedMutex() {
  static std::shared_mutex mutex;
  std::thread([] { mutex.lock(); }).join();
  while (!mutex.try_lock_shared()) {
  }
}

void StopToken() {
  std::stop_source source;
  const std::stop_token token = source.get_token();
  while (!token.stop_requested()) {
  }
}

void Latch() {
  std::latch latch(2);
  while (!latch.try_wait()) {
  }
}

void Semaphore() {
  std::counting_semaphore<4> semaphore(0);
  while (!semaphore.try_acquire()) {
  }
}

struct Jobs {
  std::mutex mutex;
  std::deque<std::string> jobs;
  std::optional<std::string> Pop() {
    const std::lock_guard lock(mutex);
    if (jobs.empty()) return std::nullopt;
    std::string job = std::move(jobs.front());
    jobs.pop_front();
    return job;
  }
};

void Optional() {
  Jobs jobs;
  while (!jobs.Pop()) {
  }
}

struct Idle {};
struct Waiting {
  int polls = 0;
};
struct Done {};
using State = std::variant<Idle, Waiting, Done>;

void Variant() {
  State state = Idle{};
  struct Step {
    State operator()(Idle) const { return Waiting{}; }
    State operator()(Waiting waiting) const {
      if (flag.load()) return Done{};
      return Waiting{waiting.polls + 1};
    }
    State operator()(Done) const { return Done{}; }
  };
  while (!std::holds_alternative<Done>(state)) state = std::visit(Step{}, state);
}

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

Task UntilFlag() {
  while (!flag.load()) co_await std::suspend_always{};
}

void Coroutine() {
  const Task task = UntilFlag();
  while (!task.handle.done()) task.handle.resume();
}

void Lookup() {
  std::map<std::string, int> results{{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}};
  std::mutex mutex;
  for (;;) {
    const std::lock_guard lock(mutex);
    if (results.find("answer") != results.end()) return;
  }
}

void AnyOf() {
  std::array<std::atomic<bool>, 8> ready{};
  while (!std::any_of(ready.begin(), ready.end(), [](const auto& one) { return one.load(); })) {
  }
}

void Text() {
  static std::string state = "running";
  while (state != "stopped") __asm__ volatile("" ::: "memory");
}

void UseCount() {
  const auto held = std::make_shared<int>(1);
  const auto other = held;
  while (held.use_count() > 1) __asm__ volatile("" ::: "memory");
}

void WeakLock() {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  while (seen.lock()) {
  }
}

struct Source {
  virtual ~Source() = default;
  virtual bool Ready() { return false; }
};
struct FlagSource : Source {
  bool Ready() override { return flag.load(std::memory_order_acquire) != 0; }
};

void Sources() {
  std::vector<std::unique_ptr<Source>> sources;
  for (int i = 0; i < 4; i++) sources.push_back(std::make_unique<FlagSource>());
  for (unsigned long rounds = 0;; rounds++)
    for (const auto& source : sources)
      if (source->Ready()) return;
}

void Futures() {
  std::vector<std::promise<int>> promises(4);
  std::vector<std::future<int>> futures;
  for (auto& promise : promises) futures.push_back(promise.get_future());
  for (;;)
    for (auto& future : futures)
      if (future.wait_for(seconds(0)) == std::future_status::ready) return;
}

void TimedMutex() {
  static std::timed_mutex mutex;
  mutex.lock();
  std::thread([] {
    while (!mutex.try_lock_for(seconds(0))) {
    }
  }).join();
}

int Value() {
  if (!flag.load()) throw std::runtime_error("not yet");
  return 1;
}

void Exceptions() {
  for (;;) try {
      Value();
      return;
    } catch (const std::runtime_error&) {
    }
}

constexpr kind kKinds[] = {
    {"condition", Condition},
    {"shared-mutex", SharedMutex},
    {"stop-token", StopToken},
    {"latch", Latch},
    {"semaphore", Semaphore},
    {"optional", Optional},
    {"variant", Variant},
    {"coroutine", Coroutine},
    {"lookup", Lookup},
    {"any-of", AnyOf},
    {"text", Text},
    {"use-count", UseCount},
    {"weak-lock", WeakLock},
    {"sources", Sources},
    {"futures", Futures},
    {"timed-mutex", TimedMutex},
    {"exceptions", Exceptions},
};

}  // namespace

int main(int argc, char** argv) { return RUN_KIND(kKinds, argc, argv); }
