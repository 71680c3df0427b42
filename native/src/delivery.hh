// SPDX-License-Identifier: Apache-2.0
// A batch on its way to the consumer, and the count of bytes that are still on that way.
#ifndef WATTFEED_DELIVERY_HH_
#define WATTFEED_DELIVERY_HH_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace wattfeed {

// Counts a batch as undelivered for as long as it lives.
class BacklogShare {
 public:
  using Counter = std::shared_ptr<std::atomic<size_t>>;

  BacklogShare() = default;
  BacklogShare(Counter counter, size_t size_bytes)
      : counter_(std::move(counter)), size_bytes_(size_bytes) {
    counter_->fetch_add(size_bytes_);
  }
  BacklogShare(BacklogShare&& other) noexcept
      : counter_(std::move(other.counter_)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  BacklogShare& operator=(BacklogShare&& other) noexcept {
    std::swap(counter_, other.counter_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }
  ~BacklogShare() {
    if (counter_) counter_->fetch_sub(size_bytes_);
  }

 private:
  Counter counter_;
  size_t size_bytes_ = 0;
};

struct Delivery {
  std::vector<uint8_t> bytes;            // one or more windows; empty if only tickets are answered
  std::vector<uint64_t> closed_tickets;  // of the CloseWindow() calls that these windows answer
  bool is_last = false;
  BacklogShare share;
};

}  // namespace wattfeed

#endif  // WATTFEED_DELIVERY_HH_
