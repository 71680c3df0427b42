// SPDX-License-Identifier: Apache-2.0
// Turns the slots touched since the last window into rows of differences, and returns dead slots.
//
// Order matters: the touched word is exchanged first, then `state` is read, then the counters. A
// write that comes later sets its bit again and is seen in the next window. DEAD is stored by the
// kernel after the last charge, so a slot read as DEAD holds its final values.
#ifndef WATTFEED_SLOT_SCANNER_HH_
#define WATTFEED_SLOT_SCANNER_HH_

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "free_ring.hh"
#include "records.hh"

namespace wattfeed {

struct SlotTable {
  std::span<slot_record> slots;
  std::span<uint64_t> touched;  // one bit per slot
  FreeRing ring;
};

class SlotScanner {
 public:
  explicit SlotScanner(SlotTable table);

  // False: there was no memory for the snapshots; nothing may be scanned then.
  bool has_memory() const { return kept_ != nullptr; }

  // Both append rows and return how many dead slots were given back to the ring.
  // Only slots whose bit is set: the cost follows what ran, not what exists.
  uint32_t ScanTouched(std::vector<window_task>& rows);
  // Every slot that was ever taken: at the end, when nothing may be left behind.
  uint32_t ScanAll(std::vector<window_task>& rows);

 private:
  // What was handed over of each slot's counters, in the order of TakeDifferences().
  static constexpr size_t kCounterCount = 7 + RECORDS_COUNTERS_MAX + 9;
  struct Kept {
    uint64_t counter[kCounterCount];
    uint32_t sequence;
    uint32_t pad;
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  // True if the slot was returned.
  bool ScanSlot(uint32_t slot, std::vector<window_task>& rows);
  static bool TakeDifferences(const slot_record& record, Kept& kept, window_task& row);
  static void CopyIdentity(const slot_record& record, window_task& row);

  SlotTable table_;
  // calloc: pages of slots that are never used cost nothing.
  std::unique_ptr<Kept[], Free> kept_;
};

}  // namespace wattfeed

#endif  // WATTFEED_SLOT_SCANNER_HH_
