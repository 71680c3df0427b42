// SPDX-License-Identifier: Apache-2.0
// The hardware counters of each CPU: opened, and handed to the kernel programs.
#ifndef WATTFEED_COUNTER_SET_HH_
#define WATTFEED_COUNTER_SET_HH_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cpu_flusher.hh"
#include "records.hh"

namespace wattfeed {

// As configuration and TypeScript name them, by enum counter_kind.
inline constexpr const char* kCounterNames[COUNTER_KINDS] = {"cycles", "instructions", "llc",
                                                             "vector", "vector512"};

struct CounterSpec {
  uint32_t kind = COUNTER_CYCLES;  // enum counter_kind
  uint32_t pmu_type = 0;
  uint64_t config = 0;
};

// By possible CPU; an empty list is a CPU that does not count.
using CounterSpecs = std::vector<std::vector<CounterSpec>>;

// A counter that was asked for and is not there.
struct CounterFault {
  uint32_t cpu = 0;
  uint32_t kind = 0;
  int errno_value = 0;
};

// enum counter_kind as bits: what any CPU is to count.
uint32_t KindsOf(const CounterSpecs& specs);

class CounterSet {
 public:
  using EventMaps = std::array<int, COUNTER_KINDS>;  // descriptors of the maps, by kind

  CounterSet() = default;
  CounterSet(CounterSpecs specs, EventMaps maps, std::span<cpu_record> cpus);

  // Before the programs are attached.
  void InstallAll(const std::vector<bool>& online);
  // For a CPU that has come online: its old events are dead. The flush lets the CPU see that it
  // does not count before anything is replaced, so that no slice spans two events.
  void Reinstall(uint32_t cpu, const CpuFlusher& flusher);

  // Of the last try on each CPU. An offline CPU is none: it is tried when it comes online.
  const std::vector<CounterFault>& faults() const { return faults_; }

 private:
  void Install(uint32_t cpu);

  CounterSpecs specs_;
  EventMaps maps_{};
  std::span<cpu_record> cpus_;
  std::vector<CounterFault> faults_;
};

}  // namespace wattfeed

#endif  // WATTFEED_COUNTER_SET_HH_
