// SPDX-License-Identifier: Apache-2.0
#include "cpu_flusher.hh"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <sched.h>

#include <string>

namespace wattfeed {

Status CpuFlusher::Flush(uint32_t cpu) const {
  LIBBPF_OPTS(bpf_test_run_opts, options);
  options.flags = BPF_F_TEST_RUN_ON_CPU;
  options.cpu = cpu;
  if (bpf_prog_test_run_opts(flush_fd_, &options) != 0)
    return ErrorFromErrno("flush cpu " + std::to_string(cpu));  // ENXIO: it has gone offline
  return Done{};
}

uint32_t CpuFlusher::FlushBusy(const std::vector<bool>& online) const {
  // If this thread is moved meanwhile, whoever runs there instead has just begun.
  const auto own = static_cast<uint32_t>(sched_getcpu());
  uint32_t flushed = 0;
  for (uint32_t cpu = 0; cpu < cpus_.size(); cpu++) {
    const bool is_known = LoadRelaxed(cpus_[cpu].known) != 0;
    const bool is_busy = (LoadRelaxed(cpus_[cpu].busy_word) & 1) != 0 && cpu != own;
    if (!is_busy && (is_known || !online[cpu])) continue;
    if (Flush(cpu).ok()) flushed++;
  }
  return flushed;
}

uint32_t CpuFlusher::FlushAll(const std::vector<bool>& online) const {
  uint32_t flushed = 0;
  for (uint32_t cpu = 0; cpu < cpus_.size(); cpu++) {
    if (online[cpu] && Flush(cpu).ok()) flushed++;
  }
  return flushed;
}

Status CpuFlusher::CopyCpuTimes() const {
  if (cpu_times_fd_ < 0) {
    if (ticks_ != nullptr) ticks_->CopyInto(cpus_);
    return Done{};
  }
  LIBBPF_OPTS(bpf_test_run_opts, options);
  if (bpf_prog_test_run_opts(cpu_times_fd_, &options) != 0) return ErrorFromErrno("copy cpu times");
  return Done{};
}

}  // namespace wattfeed
