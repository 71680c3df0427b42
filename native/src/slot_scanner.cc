// SPDX-License-Identifier: Apache-2.0
#include "slot_scanner.hh"

#include <bit>

namespace wattfeed {

SlotScanner::SlotScanner(SlotTable table)
    : table_(table), kept_(static_cast<Kept*>(std::calloc(table.slots.size(), sizeof(Kept)))) {}

uint32_t SlotScanner::ScanTouched(std::vector<window_task>& rows) {
  uint32_t returned = 0;
  for (size_t word = 0; word < table_.touched.size(); word++) {
    // A plain look first: an exchange of every word would pull each line into this CPU's cache.
    if (LoadRelaxed(table_.touched[word]) == 0) continue;
    uint64_t bits = __atomic_exchange_n(&table_.touched[word], uint64_t{0}, __ATOMIC_ACQ_REL);
    for (; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<uint32_t>(std::countr_zero(bits));
      if (ScanSlot(static_cast<uint32_t>(word * 64) + bit, rows)) returned++;
    }
  }
  return returned;
}

uint32_t SlotScanner::ScanAll(std::vector<window_task>& rows) {
  uint32_t returned = 0;
  for (auto& word : table_.touched) __atomic_store_n(&word, uint64_t{0}, __ATOMIC_RELAXED);
  const uint32_t last = table_.ring.highest_taken();
  for (uint32_t slot = 1; slot <= last; slot++) {
    if (ScanSlot(slot, rows)) returned++;
  }
  return returned;
}

bool SlotScanner::ScanSlot(uint32_t slot, std::vector<window_task>& rows) {
  if (slot == 0 || slot >= table_.slots.size()) return false;
  slot_record& record = table_.slots[slot];
  const uint32_t state = LoadAcquire(record.state);
  if (state != SLOT_LIVE && state != SLOT_DEAD) return false;

  Kept& kept = kept_[slot];
  const uint32_t sequence = LoadRelaxed(record.sequence);
  const bool is_first = kept.sequence != sequence;
  if (is_first) kept = Kept{.counter = {}, .sequence = sequence, .pad = 0};

  window_task row{};
  const bool has_risen = TakeDifferences(record, kept, row);
  const bool is_dead = state == SLOT_DEAD;
  if (has_risen || is_first || is_dead) {
    CopyIdentity(record, row);
    row.slot = slot;
    row.sequence = sequence;
    if (is_first) row.flags |= WINDOW_FLAG_FIRST;
    if (is_dead) row.flags |= WINDOW_FLAG_DEAD;
    rows.push_back(row);
  }
  if (!is_dead) return false;
  __atomic_store_n(&record.state, __u32{SLOT_FREE}, __ATOMIC_RELAXED);  // ordered by the push
  table_.ring.Push(slot);
  return true;
}

bool SlotScanner::TakeDifferences(const slot_record& record, Kept& kept, window_task& row) {
  size_t next = 0;
  uint64_t any = 0;
  const auto take = [&](const __u64& shared) {
    const uint64_t rise = TakeRise(shared, kept.counter[next++]);
    any |= rise;
    return rise;
  };
  row.runtime_ns = take(record.runtime_ns);
  row.slice_ns = take(record.slice_ns);
  row.overlap_ns = take(record.overlap_ns);
  row.voluntary_switches = take(record.voluntary_switches);
  row.involuntary_switches = take(record.involuntary_switches);
  row.migrations = take(record.migrations);
  row.uncounted_ns = take(record.uncounted_ns);
  for (size_t i = 0; i < RECORDS_COUNTERS_MAX; i++) row.counter[i] = take(record.counter[i]);
  row.phi_cycles = take(record.phi_cycles);
  row.phi_instructions = take(record.phi_instructions);
  row.phi_vector = take(record.phi_vector);
  row.uncounted_phi_cycles = take(record.uncounted_phi_cycles);
  row.uncounted_overlap_ns = take(record.uncounted_overlap_ns);
  row.package_on_ns = take(record.package_on_ns);
  row.predicted_core_nj = take(record.predicted_core_nj);
  row.predicted_nj = take(record.predicted_nj);
  row.queue_wait_ns = take(record.queue_wait_ns);
  return any != 0;
}

void SlotScanner::CopyIdentity(const slot_record& record, window_task& row) {
  row.start_boottime_ns = LoadRelaxed(record.start_boottime_ns);
  row.leader_start_boottime_ns = LoadRelaxed(record.leader_start_boottime_ns);
  row.cgroup_id = LoadRelaxed(record.cgroup_id);
  row.tid = LoadRelaxed(record.tid);
  row.tgid = LoadRelaxed(record.tgid);
  row.cpu_domain = LoadRelaxed(record.cpu_domain);
  row.tag = LoadRelaxed(record.tag);
  row.uid = LoadRelaxed(record.uid);
  row.flags = LoadRelaxed(record.flags);
  row.parent_tgid = LoadRelaxed(record.parent_tgid);
  CopyComm(row.comm, record.comm);
  CopyComm(row.leader_comm, record.leader_comm);
}

}  // namespace wattfeed
