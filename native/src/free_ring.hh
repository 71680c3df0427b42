// SPDX-License-Identifier: Apache-2.0
// User space's end of the ring of free slots: pushes at the tail, the kernel takes at the head.
#ifndef WATTFEED_FREE_RING_HH_
#define WATTFEED_FREE_RING_HH_

#include <cstdint>
#include <span>

#include "records.hh"

namespace wattfeed {

class FreeRing {
 public:
  // `entries` has a power-of-two length; slot 0 means "no slot" and is never pushed.
  FreeRing(std::span<uint64_t> entries, ring_ends* ends) : entries_(entries), ends_(ends) {}

  // Before the programs are attached.
  void Fill() {
    for (uint64_t slot = 1; slot < entries_.size(); slot++) Push(static_cast<uint32_t>(slot));
  }

  // The entry is written before the tail rises, so the kernel never takes an unwritten one. At most
  // size - 1 slots exist, so the ring cannot overrun.
  void Push(uint32_t slot) {
    const uint64_t tail = LoadRelaxed(ends_->tail);
    __atomic_store_n(&entries_[tail & (entries_.size() - 1)], uint64_t{slot}, __ATOMIC_RELAXED);
    StoreRelease(ends_->tail, static_cast<__u64>(tail + 1));
  }

  uint32_t free_count() const {
    const uint64_t head = LoadAcquire(ends_->head);  // before the tail: never a negative count
    return static_cast<uint32_t>(LoadRelaxed(ends_->tail) - head);
  }
  uint32_t limit() const { return static_cast<uint32_t>(entries_.size() - 1); }
  uint32_t used_count() const { return limit() - free_count(); }

  // Slots were first pushed in rising order: none above this was ever taken.
  uint32_t highest_taken() const {
    const uint64_t taken = LoadAcquire(ends_->head);
    return taken < limit() ? static_cast<uint32_t>(taken) : limit();
  }

 private:
  std::span<uint64_t> entries_;
  ring_ends* ends_;
};

}  // namespace wattfeed

#endif  // WATTFEED_FREE_RING_HH_
