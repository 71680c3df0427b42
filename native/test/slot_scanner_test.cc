// SPDX-License-Identifier: Apache-2.0
// The scanner against a thread that writes slots by the kernel side's rules.
#include "slot_scanner.hh"

#include <atomic>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "check.hh"

namespace wattfeed {
namespace {

constexpr uint32_t kSlots = 256;

// Memory as the maps have it, and the kernel side's operations on it.
class Kernel {
 public:
  Kernel() : slots_(kSlots), touched_(kSlots / 64), ring_(kSlots) { table().ring.Fill(); }

  SlotTable table() { return {slots_, touched_, FreeRing(ring_, &ends_)}; }
  slot_record& slot(uint32_t number) { return slots_[number]; }
  bool IsTouched(uint32_t number) const { return touched_[number / 64] >> (number % 64) & 1; }

  uint32_t Take(uint32_t tid) {
    const uint64_t head = __atomic_load_n(&ends_.head, __ATOMIC_RELAXED);
    if (head >= __atomic_load_n(&ends_.tail, __ATOMIC_ACQUIRE)) return 0;
    const auto number =
        static_cast<uint32_t>(__atomic_load_n(&ring_[head % kSlots], __ATOMIC_RELAXED));
    __atomic_store_n(&ends_.head, head + 1, __ATOMIC_RELEASE);
    slot_record& taken = slots_[number];
    Store(taken.runtime_ns, __u64{0});
    Store(taken.voluntary_switches, __u64{0});
    Store(taken.tid, tid);
    Store(taken.sequence, taken.sequence + 1);
    __atomic_store_n(&taken.state, __u32{SLOT_LIVE}, __ATOMIC_SEQ_CST);
    Touch(number);
    return number;
  }

  void Charge(uint32_t number, uint64_t runtime_ns) {
    Store(slots_[number].runtime_ns, slots_[number].runtime_ns + runtime_ns);
    Store(slots_[number].voluntary_switches, slots_[number].voluntary_switches + 1);
    Touch(number);
  }

  void Kill(uint32_t number) {
    __atomic_store_n(&slots_[number].state, __u32{SLOT_DEAD}, __ATOMIC_SEQ_CST);
    Touch(number);
  }

 private:
  template <typename T>
  static void Store(T& shared, T value) {
    __atomic_store_n(&shared, value, __ATOMIC_RELAXED);
  }
  void Touch(uint32_t number) {
    uint64_t& word = touched_[number / 64];
    const uint64_t bit = uint64_t{1} << (number % 64);
    if ((__atomic_load_n(&word, __ATOMIC_RELAXED) & bit) == 0)
      __atomic_fetch_or(&word, bit, __ATOMIC_SEQ_CST);
  }

  std::vector<slot_record> slots_;
  std::vector<uint64_t> touched_;
  std::vector<uint64_t> ring_;
  ring_ends ends_{};
};

std::vector<window_task> Scan(SlotScanner& scanner) {
  std::vector<window_task> rows;
  scanner.ScanTouched(rows);
  return rows;
}

TEST_CASE(Differences, "SlotScanner: hands over differences, the first row of a slot marked") {
  Kernel kernel;
  SlotScanner scanner(kernel.table());
  const uint32_t slot = kernel.Take(42);
  kernel.Charge(slot, 100);
  const auto first = Scan(scanner);
  REQUIRE(first.size() == 1);
  CHECK(first[0].runtime_ns == 100 && first[0].tid == 42 && first[0].slot == slot);
  CHECK(first[0].flags == WINDOW_FLAG_FIRST);
  CHECK(Scan(scanner).empty());
  kernel.Charge(slot, 7);
  const auto second = Scan(scanner);
  REQUIRE(second.size() == 1);
  CHECK(second[0].runtime_ns == 7 && second[0].voluntary_switches == 1 && second[0].flags == 0);
}

TEST_CASE(EveryCounter, "SlotScanner: every counter of the record reaches its own member") {
  Kernel kernel;
  SlotScanner scanner(kernel.table());
  const uint32_t slot = kernel.Take(1);
  slot_record& record = kernel.slot(slot);
  uint64_t next = 1;
  for (__u64* counter :
       {&record.runtime_ns, &record.slice_ns, &record.overlap_ns, &record.voluntary_switches,
        &record.involuntary_switches, &record.migrations, &record.uncounted_ns, &record.phi_cycles,
        &record.phi_instructions, &record.phi_vector, &record.uncounted_phi_cycles,
        &record.uncounted_overlap_ns, &record.package_on_ns, &record.predicted_core_nj,
        &record.predicted_nj, &record.queue_wait_ns})
    *counter = next++;
  for (__u64& counter : record.counter) counter = next++;
  record.cgroup_id = 77;
  record.leader_start_boottime_ns = 78;
  std::memcpy(record.comm, "thread-name-15c", 16);
  std::memcpy(record.leader_comm, "sixteen-bytes-no", 16);
  const auto rows = Scan(scanner);
  REQUIRE(rows.size() == 1);
  const window_task& row = rows[0];
  next = 1;
  for (const __u64 value :
       {row.runtime_ns, row.slice_ns, row.overlap_ns, row.voluntary_switches,
        row.involuntary_switches, row.migrations, row.uncounted_ns, row.phi_cycles,
        row.phi_instructions, row.phi_vector, row.uncounted_phi_cycles, row.uncounted_overlap_ns,
        row.package_on_ns, row.predicted_core_nj, row.predicted_nj, row.queue_wait_ns})
    CHECK(value == next++);
  for (const __u64 value : row.counter) CHECK(value == next++);
  CHECK(row.cgroup_id == 77 && row.leader_start_boottime_ns == 78);
  CHECK(std::memcmp(row.comm, "thread-name-15c", 16) == 0);
  CHECK(std::memcmp(row.leader_comm, "sixteen-bytes-no", 16) == 0);
}

TEST_CASE(NeverBack, "SlotScanner: a counter that falls gives no difference, now or later") {
  Kernel kernel;
  SlotScanner scanner(kernel.table());
  const uint32_t slot = kernel.Take(1);
  kernel.Charge(slot, 100);
  Scan(scanner);
  kernel.slot(slot).runtime_ns = 50;
  kernel.Charge(slot, 10);
  const auto rows = Scan(scanner);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].runtime_ns == 0);
}

TEST_CASE(DeadReturned,
          "SlotScanner: books a dead slot, then gives it back; the next owner is new") {
  Kernel kernel;
  SlotScanner scanner(kernel.table());
  const uint32_t slot = kernel.Take(1);
  kernel.Charge(slot, 5);
  kernel.Kill(slot);
  CHECK(kernel.table().ring.used_count() == 1);
  const auto rows = Scan(scanner);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].flags == (WINDOW_FLAG_FIRST | WINDOW_FLAG_DEAD));
  CHECK(kernel.table().ring.used_count() == 0 && kernel.slot(slot).state == SLOT_FREE);
  // Round the ring until the same slot comes again.
  for (uint32_t tid = 2; tid < 2 + kSlots; tid++) {
    const uint32_t again = kernel.Take(tid);
    if (again == slot) {
      kernel.Charge(again, 3);
      const auto last = Scan(scanner);
      REQUIRE(last.size() == 1);
      CHECK(last[0].runtime_ns == 3 && last[0].sequence == 2 && last[0].flags == WINDOW_FLAG_FIRST);
      return;
    }
    kernel.Kill(again);
    Scan(scanner);
  }
  CHECK(!"the slot came again");
}

TEST_CASE(ScanAllFinds, "SlotScanner: ScanAll finds what no bit speaks of, and only what changed") {
  Kernel kernel;
  SlotScanner scanner(kernel.table());
  const uint32_t quiet = kernel.Take(1);
  const uint32_t busy = kernel.Take(2);
  Scan(scanner);
  kernel.slot(busy).runtime_ns = 9;  // no bit
  CHECK(Scan(scanner).empty());
  std::vector<window_task> rows;
  CHECK(scanner.ScanAll(rows) == 0);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].slot == busy && rows[0].runtime_ns == 9);
  CHECK(!kernel.IsTouched(quiet));
}

TEST_CASE(RingBounds, "FreeRing: hands out every slot but 0 once, and counts") {
  Kernel kernel;
  std::vector<bool> seen(kSlots, false);
  for (uint32_t i = 1; i < kSlots; i++) {
    const uint32_t slot = kernel.Take(i);
    REQUIRE(slot != 0 && !seen[slot]);
    seen[slot] = true;
  }
  CHECK(kernel.Take(999) == 0);
  CHECK(kernel.table().ring.free_count() == 0);
  CHECK(kernel.table().ring.highest_taken() == kSlots - 1);
}

// A storm: one thread takes, charges and kills as fast as it can while the scanner scans.
TEST_CASE(Storm,
          "SlotScanner: nothing is lost or counted twice while slots are written and reused") {
  Kernel kernel;
  SlotScanner scanner(kernel.table());
  std::atomic<bool> has_ended = false;
  uint64_t charged_ns = 0;
  uint32_t owner_count = 0;
  std::thread writer([&] {
    std::vector<uint32_t> living;
    for (uint32_t tid = 1; tid <= 20'000; tid++) {
      const uint32_t slot = kernel.Take(tid);
      if (slot != 0) {
        living.push_back(slot);
        owner_count++;
      }
      for (const uint32_t alive : living) {
        kernel.Charge(alive, tid % 97);
        charged_ns += tid % 97;
      }
      if (living.size() > 8 || (slot == 0 && !living.empty())) {
        kernel.Kill(living.front());
        living.erase(living.begin());
      }
      if (slot == 0) std::this_thread::yield();
    }
    for (const uint32_t alive : living) kernel.Kill(alive);
    has_ended = true;
  });
  uint64_t booked_ns = 0;
  uint32_t first_count = 0;
  uint32_t dead_count = 0;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> tid_of;
  bool is_stable = true;
  for (bool is_last = false; !is_last;) {
    is_last = has_ended;
    std::vector<window_task> rows;
    is_last ? scanner.ScanAll(rows) : scanner.ScanTouched(rows);
    for (const window_task& row : rows) {
      booked_ns += row.runtime_ns;
      first_count += (row.flags & WINDOW_FLAG_FIRST) != 0;
      dead_count += (row.flags & WINDOW_FLAG_DEAD) != 0;
      const auto [known, is_new] = tid_of.try_emplace({row.slot, row.sequence}, row.tid);
      is_stable &= known->second == row.tid;
    }
  }
  writer.join();
  CHECK(booked_ns == charged_ns);
  CHECK(first_count == owner_count && dead_count == owner_count);
  CHECK(is_stable);
  CHECK(kernel.table().ring.used_count() == 0);
}

}  // namespace
}  // namespace wattfeed
