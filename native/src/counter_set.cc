// SPDX-License-Identifier: Apache-2.0
#include "counter_set.hh"

#include <bpf/bpf.h>

#include <cerrno>
#include <utility>

#include "perf_event.hh"
#include "unique_fd.hh"

namespace wattfeed {

namespace {

// The map keeps the event alive: a descriptor per event would be thousands on a large machine.
int InstallEvent(int map_fd, uint32_t cpu, const CounterSpec& spec) {
  const UniqueFd event(OpenPerfEvent(
      {.pmu_type = spec.pmu_type, .config = spec.config, .cpu = static_cast<int>(cpu)}));
  if (!event.is_open()) return errno;
  const int fd = event.get();
  return bpf_map_update_elem(map_fd, &cpu, &fd, BPF_ANY) == 0 ? 0 : errno;
}

}  // namespace

uint32_t KindsOf(const CounterSpecs& specs) {
  uint32_t kinds = 0;
  for (const auto& cpu : specs) {
    for (const CounterSpec& spec : cpu) kinds |= 1u << spec.kind;
  }
  return kinds;
}

CounterSet::CounterSet(CounterSpecs specs, EventMaps maps, std::span<cpu_record> cpus)
    : specs_(std::move(specs)), maps_(maps), cpus_(cpus) {}

void CounterSet::InstallAll(const std::vector<bool>& online) {
  for (uint32_t cpu = 0; cpu < specs_.size(); cpu++) {
    if (online[cpu]) Install(cpu);
  }
}

void CounterSet::Reinstall(uint32_t cpu, const CpuFlusher& flusher) {
  if (cpu >= specs_.size() || specs_[cpu].empty()) return;
  StoreRelease(cpus_[cpu].counter_kinds, __u32{0});
  if (!flusher.Flush(cpu).ok()) return;  // it has gone offline again
  Install(cpu);
}

// A CPU without cycles counts nothing: all the others are weighed by the frequency they tell.
void CounterSet::Install(uint32_t cpu) {
  std::erase_if(faults_, [cpu](const CounterFault& fault) { return fault.cpu == cpu; });
  uint32_t kinds = 0;
  for (const CounterSpec& spec : specs_[cpu]) {
    const int failed = InstallEvent(maps_[spec.kind], cpu, spec);
    if (failed == 0) {
      kinds |= 1u << spec.kind;
    } else {
      faults_.push_back({.cpu = cpu, .kind = spec.kind, .errno_value = failed});
    }
  }
  if ((kinds & 1u << COUNTER_CYCLES) == 0) kinds = 0;
  StoreRelease(cpus_[cpu].counter_kinds, __u32{kinds});
}

}  // namespace wattfeed
