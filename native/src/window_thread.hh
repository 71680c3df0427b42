// SPDX-License-Identifier: Apache-2.0
// The thread that closes a window at each deadline and hands batches over.
#ifndef WATTFEED_WINDOW_THREAD_HH_
#define WATTFEED_WINDOW_THREAD_HH_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "delivery.hh"
#include "result.hh"
#include "window_buffer.hh"

namespace wattfeed {

struct WindowRequest {
  uint64_t due_ns = 0;
  uint32_t flags = 0;  // enum window_flag
};

// Whoever can close a window. Called from the window thread only.
class WindowTaker {
 public:
  virtual ~WindowTaker() = default;
  virtual void TakeWindow(const WindowRequest& request, WindowBuffer& out) = 0;
  // True: close a window before its time, slots are running out.
  virtual bool IsRunningLow(uint64_t now_ns) = 0;
  // How long IsRunningLow() may go unasked.
  virtual uint64_t LookEveryNs() = 0;
};

// Deadlines are absolute (no drift). A window that comes late is one long window, never a burst of
// short ones. The first window is closed at once: it gives the energy counters their baseline.
class WindowThread {
 public:
  using Deliver = std::function<void(Delivery)>;

  static Result<std::unique_ptr<WindowThread>> Start(WindowTaker* taker, Deliver deliver,
                                                     uint64_t window_ns, uint32_t wake_every,
                                                     uint32_t busy_wake_every = UINT32_MAX);
  ~WindowThread();

  void SetWakeEvery(uint32_t windows);
  void SetWindowNs(uint64_t window_ns);
  // Closes the running window soon and hands everything over with this ticket.
  void CloseWindow(uint64_t ticket);
  // Ends the thread. Returns what was not handed over: the caller's last window is appended to it.
  struct Rest {
    WindowBuffer buffer;
    std::vector<uint64_t> tickets;
    BacklogShare::Counter backlog;
  };
  Rest Stop();

  // Where `due_ns` leads on its grid of `window_ns`, after `now_ns`.
  static uint64_t NextDueNs(uint64_t due_ns, uint64_t now_ns, uint64_t window_ns);

 private:
  struct Commands {
    uint64_t window_ns = 0;
    uint32_t wake_every = 1;
    bool stop = false;
    std::vector<uint64_t> tickets;
  };

  WindowThread(WindowTaker* taker, Deliver deliver, uint64_t window_ns, uint32_t wake_every,
               uint32_t busy_wake_every);
  void Run();
  void Step(uint64_t now_ns, const Commands& commands, uint32_t wakes);
  void ForceWindow(uint64_t now_ns, const Commands& commands);
  void HandOver(std::vector<uint64_t> tickets);
  Commands TakeCommands();
  void Sleep(uint64_t until_ns, uint32_t wakes);
  void WithCommands(const std::function<void(Commands&)>& change);

  WindowTaker* taker_;
  Deliver deliver_;
  BacklogShare::Counter backlog_;
  const uint32_t busy_wake_every_;  // of windows in which a thread did not sleep
  std::mutex mutex_;
  Commands commands_;                // guarded by mutex_
  std::atomic<uint32_t> wakes_ = 0;  // rises with each command; what the thread sleeps on
  uint64_t window_ns_;               // window thread's own
  uint64_t due_ns_ = 0;              // window thread's own
  WindowBuffer buffer_;              // window thread's own until it has ended
  std::thread thread_;
};

}  // namespace wattfeed

#endif  // WATTFEED_WINDOW_THREAD_HH_
