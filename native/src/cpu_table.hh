// SPDX-License-Identifier: Apache-2.0
// Turns the CPU records into rows of differences.
#ifndef WATTFEED_CPU_TABLE_HH_
#define WATTFEED_CPU_TABLE_HH_

#include <cstdint>
#include <span>
#include <vector>

#include "records.hh"

namespace wattfeed {

// What the pass must know of the rows just written.
struct CpuTotals {
  uint64_t overflow_ns = 0;
  uint64_t storage_misses = 0;
};

class CpuTable {
 public:
  // `records` has one entry per possible CPU, `domain_of` as well. Charged time counts from load;
  // the kernel's own irq and steal clocks count from boot, so their first reading is the baseline.
  CpuTable(std::span<const cpu_record> records, std::vector<uint8_t> domain_of);

  // One row per CPU that is online or was ever seen running.
  CpuTotals AppendRows(const std::vector<bool>& online, std::vector<window_cpu>& rows);

 private:
  struct Kept {
    uint64_t task_ns = 0, busy_ns = 0, unslotted_ns = 0, overflow_ns = 0;
    uint64_t counted_ns = 0, cycles = 0, instructions = 0, predicted_core_nj = 0;
    uint64_t counter_failures = 0, multiplexed_ns = 0;
    uint64_t irq_ns = RECORDS_UNAVAILABLE, steal_ns = RECORDS_UNAVAILABLE;
    uint64_t stat[ACCT_STAT_MAX] = {};
  };

  std::span<const cpu_record> records_;
  std::vector<uint8_t> domain_of_;
  std::vector<Kept> kept_;
};

}  // namespace wattfeed

#endif  // WATTFEED_CPU_TABLE_HH_
