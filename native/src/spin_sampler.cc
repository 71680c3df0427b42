// SPDX-License-Identifier: Apache-2.0
#include "spin_sampler.hh"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "clocks.hh"
#include "libbpf_log.hh"
#include "perf_event.hh"
#include "spin.skel.h"

namespace wattfeed {

namespace {

// Follows the thread to every CPU; children are others' business.
int OpenClock(int32_t tid, uint32_t hertz) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.freq = 1;
  attributes.sample_freq = hertz;
  attributes.exclude_idle = 1;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

constexpr std::array<uint64_t, SPIN_COUNTERS> kHardware = {
    PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CACHE_MISSES,
    PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES};

// Of a thread, not pinned: the kernel gives counters to those of whole CPUs first, so the
// accounting loses none to these.
UniqueFd OpenCounter(int32_t tid, uint64_t event) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = event;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return UniqueFd(static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

// Nothing: it had no counter, or is gone.
std::optional<uint64_t> ScaledCount(int fd) {
  PerfValue value;
  if (ReadPerfEvent(fd, value) != 0 || value.running_ns == 0) return std::nullopt;
  const double scale =
      static_cast<double>(value.enabled_ns) / static_cast<double>(value.running_ns);
  return static_cast<uint64_t>(static_cast<double>(value.value) * scale);
}

}  // namespace

void SpinSampler::SkeletonDeleter::operator()(spin_bpf* skeleton) const {
  spin_bpf__destroy(skeleton);
}
void SpinSampler::LinkDeleter::operator()(bpf_link* link) const { bpf_link__destroy(link); }

SpinSampler::~SpinSampler() = default;

Result<std::unique_ptr<SpinSampler>> SpinSampler::Open(std::span<const uint8_t> timespec_arguments,
                                                       uint32_t record_count) {
  const LibbpfLog log;
  std::unique_ptr<SpinSampler> self(new SpinSampler);
  self->skeleton_.reset(spin_bpf__open());
  if (!self->skeleton_) return LibbpfError("open spin sampler", log);
  auto* config = self->skeleton_->rodata;
  if (config->spin_abi != SPIN_ABI)
    return Error{"check spin abi", EPROTO, "program and addon differ; rebuild both"};
  std::copy_n(timespec_arguments.begin(),
              std::min<size_t>(timespec_arguments.size(), SPIN_CALL_NUMBERS_MAX),
              config->timespec_argument);
  config->realtime_offset_ns = ClockNs(CLOCK_REALTIME) - MonotonicNs();
  if (bpf_map__set_max_entries(self->skeleton_->maps.spin_records, record_count) != 0)
    return LibbpfError("size spin sampler", log);
  if (spin_bpf__load(self->skeleton_.get()) != 0) return LibbpfError("load spin sampler", log);
  auto mapped = MappedArray<spin_record>::Map(bpf_map__fd(self->skeleton_->maps.spin_records),
                                              record_count, "spin_records");
  if (!mapped.ok()) return mapped.error();
  self->records_ = std::move(mapped.value());
  return self;
}

Status SpinSampler::Begin(uint32_t number, int32_t tid, uint32_t hertz) {
  End(number);
  std::memset(&records_.span()[number], 0, sizeof(spin_record));
  UniqueFd clock(OpenClock(tid, hertz));
  if (!clock.is_open()) return ErrorFromErrno("sample thread " + std::to_string(tid));
  const LibbpfLog log;
  LIBBPF_OPTS(bpf_perf_event_opts, options);
  options.bpf_cookie = number;
  bpf_link* link =
      bpf_program__attach_perf_event_opts(skeleton_->progs.wf_spin_sample, clock.get(), &options);
  if (link == nullptr) return LibbpfError("attach spin sampler", log);
  static_cast<void>(clock.Release());  // the link's from here on
  links_[number].reset(link);
  for (size_t at = 0; at < SPIN_COUNTERS; at++)
    counters_[number][at] = OpenCounter(tid, kHardware[at]);
  return Done{};
}

void SpinSampler::End(uint32_t number) {
  links_[number].reset();
  spin_record& record = records_.span()[number];
  for (size_t at = 0; at < SPIN_COUNTERS; at++) {
    const UniqueFd counter = std::exchange(counters_[number][at], UniqueFd());
    if (!counter.is_open()) continue;
    const auto count = ScaledCount(counter.get());
    if (!count) continue;
    record.counter[at] = *count;
    record.counted |= 1u << at;
  }
}

uint32_t SpinSampler::SampleCount(uint32_t number) {
  return __atomic_load_n(&records_.span()[number].count, __ATOMIC_RELAXED);
}

}  // namespace wattfeed
