// SPDX-License-Identifier: Apache-2.0
#include "cpu_table.hh"

#include <utility>

namespace wattfeed {

namespace {

// irq and softirq are one bucket; either one unreadable makes the sum unreadable.
uint64_t InterruptNs(const cpu_record& record) {
  const uint64_t irq_ns = LoadRelaxed(record.irq_ns);
  const uint64_t softirq_ns = LoadRelaxed(record.softirq_ns);
  if (irq_ns == RECORDS_UNAVAILABLE || softirq_ns == RECORDS_UNAVAILABLE)
    return RECORDS_UNAVAILABLE;
  return irq_ns + softirq_ns;
}

// A clock that is not readable now, or was not at the last window, has no difference.
uint64_t TakeClockRise(uint64_t now, uint64_t& kept) {
  const uint64_t before = std::exchange(kept, now);
  if (now == RECORDS_UNAVAILABLE || before == RECORDS_UNAVAILABLE) return RECORDS_UNAVAILABLE;
  return now <= before ? 0 : now - before;
}

}  // namespace

CpuTable::CpuTable(std::span<const cpu_record> records, std::vector<uint8_t> domain_of)
    : records_(records), domain_of_(std::move(domain_of)), kept_(records.size()) {
  for (size_t cpu = 0; cpu < records_.size(); cpu++) {
    kept_[cpu].irq_ns = InterruptNs(records_[cpu]);
    kept_[cpu].steal_ns = LoadRelaxed(records_[cpu].steal_ns);
  }
}

CpuTotals CpuTable::AppendRows(const std::vector<bool>& online, std::vector<window_cpu>& rows) {
  CpuTotals totals;
  for (size_t cpu = 0; cpu < records_.size(); cpu++) {
    const cpu_record& record = records_[cpu];
    if (!online[cpu] && LoadRelaxed(record.known) == 0) continue;
    Kept& kept = kept_[cpu];
    window_cpu row{};
    row.cpu = static_cast<uint32_t>(cpu);
    row.cpu_domain = domain_of_[cpu];
    row.task_ns = TakeRise(record.task_ns, kept.task_ns);
    row.busy_ns = TakeRise(record.busy_ns, kept.busy_ns);
    row.unslotted_ns = TakeRise(record.unslotted_ns, kept.unslotted_ns);
    row.overflow_ns = TakeRise(record.overflow_ns, kept.overflow_ns);
    row.irq_ns = TakeClockRise(InterruptNs(record), kept.irq_ns);
    row.steal_ns = TakeClockRise(LoadRelaxed(record.steal_ns), kept.steal_ns);
    row.counted_ns = TakeRise(record.counted_ns, kept.counted_ns);
    row.cycles = TakeRise(record.cycles, kept.cycles);
    row.instructions = TakeRise(record.instructions, kept.instructions);
    row.predicted_core_nj = TakeRise(record.predicted_core_nj, kept.predicted_core_nj);
    row.counter_failures = TakeRise(record.counter_failures, kept.counter_failures);
    row.multiplexed_ns = TakeRise(record.multiplexed_ns, kept.multiplexed_ns);
    row.frequency_khz = LoadRelaxed(record.frequency_khz);
    row.counter_kinds = LoadRelaxed(record.counter_kinds);
    row.online = online[cpu] ? 1 : 0;
    for (size_t i = 0; i < ACCT_STAT_MAX; i++) row.stat[i] = TakeRise(record.stat[i], kept.stat[i]);
    rows.push_back(row);
    totals.overflow_ns += row.overflow_ns;
    totals.storage_misses += row.stat[ACCT_STAT_STORAGE_MISS];
  }
  return totals;
}

}  // namespace wattfeed
